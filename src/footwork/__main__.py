"""`python -m footwork` is the command `footwork`."""

from footwork.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
