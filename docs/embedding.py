"""Scenes of the documentation, one page each: the script of the viewer lies beside them, once.

`save_html` writes pages that hold everything. Here many stand beside each other, so each refers to
assets/meshcat/main.min.js, a copy of what is installed.
"""

from __future__ import annotations

from pathlib import Path

import footwork as fw
from footwork.visualize.viewer.page import viewer_script

FOLDER = Path(__file__).parent
SCRIPT = FOLDER / "assets" / "meshcat" / "main.min.js"


def save_scene(viewer: fw.Viewer, name: str) -> Path:
    """Write docs/animations/NAME.html, and the script that all of them share."""
    SCRIPT.write_text(viewer_script(), encoding="utf-8")
    path = viewer.save_html(FOLDER / "animations" / f"{name}.html")
    whole, inline = path.read_text(encoding="utf-8"), f"<script>{viewer_script()}</script>"
    if inline not in whole:
        raise ValueError(f"{path.name}: the script of the viewer is not where it is expected")
    shared = f'<script src="../{SCRIPT.relative_to(FOLDER).as_posix()}"></script>'
    path.write_text(whole.replace(inline, shared), encoding="utf-8")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    return path
