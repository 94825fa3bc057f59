"""Make the environments of all other libraries, and compile what they need: -m peers.make DIR."""

from __future__ import annotations

import sys
from pathlib import Path

from .environments import REQUIREMENTS, MissingPeerError, python_of
from .process import cpp_program


def main() -> None:
    """Make what is missing; say what cannot be had, and go on."""
    folder = Path(sys.argv[1])
    for name in REQUIREMENTS:
        try:
            if name == "cpp":
                cpp_program(folder)
            else:
                python_of(name, folder)
        except MissingPeerError as missing:
            print(f"{name}: {missing}; the benchmarks go on without it", file=sys.stderr)


if __name__ == "__main__":
    main()
