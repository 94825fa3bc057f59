"""The pictures of the page drawing.md, taken by its own code: python docs/drawing.py [NAME …].

A picture shows the `viewer`, or the Matplotlib `figure`, that the code above it made.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("agg")

FOLDER = Path(__file__).parent
PICTURES = (
    "drawing-margin",
    "drawing-regions",
    "drawing-motion",
    "drawing-wrench-cones",
    "drawing-plots",
)
PIECE = re.compile(
    r"```python\n(?P<code>.*?)```|\]\(pictures/(?P<picture>drawing-[\w-]+)\.png\)", re.DOTALL
)


def main(*names_given: str) -> None:
    """Run the page, and take its pictures, or those of the names given."""
    wanted = names_given or PICTURES
    names: dict[str, object] = {"__name__": "page"}
    page = (FOLDER / "drawing.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for piece in PIECE.finditer(page):
            if piece["code"]:
                exec(compile(piece["code"], "drawing.md", "exec"), names)
            elif piece["picture"] in wanted:
                take(names, FOLDER / "pictures" / f"{piece['picture']}.png")
        os.chdir(FOLDER)


def take(names: dict[str, object], path: Path) -> None:
    """Save what the last code has made."""
    if "figure" in names:
        names["figure"].savefig(path, dpi=80)  # type: ignore[attr-defined]
    else:
        names["viewer"].screenshot(path, width=960, height=600)  # type: ignore[attr-defined]
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*sys.argv[1:])
