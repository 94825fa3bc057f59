"""Scenes of the documentation, one page each: the script of the viewer lies beside them, once.

`save_html` writes pages that hold everything. Here many stand beside each other, so each refers to
assets/meshcat/main.min.js, a copy of what is installed. `python docs/embedding.py` gives the pages
that are there the viewer of today; what they show stays.
"""

from __future__ import annotations

import base64
import gzip
import html
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import footwork as fw
from footwork.visualize.viewer.page import offline_page, viewer_script

FOLDER = Path(__file__).parent
SCRIPT = FOLDER / "assets" / "meshcat" / "main.min.js"


def save_scene(viewer: fw.Viewer, name: str) -> Path:
    """Write docs/animations/NAME.html, and the script that all of them share."""
    path = viewer.save_html(FOLDER / "animations" / f"{name}.html")
    return share(path, path.read_text(encoding="utf-8"))


def share(path: Path, page: str) -> Path:
    """Write a page with everything in it as one that refers to the script of the viewer."""
    SCRIPT.write_text(viewer_script(), encoding="utf-8")
    inline = f"<script>{viewer_script()}</script>"
    if inline not in page:
        raise ValueError(f"{path.name}: the script of the viewer is not where it is expected")
    shared = f'<script src="../{SCRIPT.relative_to(FOLDER).as_posix()}"></script>'
    path.write_text(page.replace(inline, shared), encoding="utf-8")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    return path


def renew(path: Path) -> None:
    """Write a page anew, with its own commands."""
    old = path.read_text(encoding="utf-8")
    title = html.unescape(re.search("<title>(.*?)</title>", old)[1])
    packed = re.search('<script id="commands"[^>]*>([^<]*)<', old)[1]
    share(path, offline_page(commands(gzip.decompress(base64.b64decode(packed))), title))


def commands(blob: bytes) -> Iterator[bytes]:
    """Yield the commands of a page, each after its length."""
    while blob:
        (length,) = struct.unpack_from("<I", blob)
        yield blob[4 : 4 + length]
        blob = blob[4 + length :]


if __name__ == "__main__":
    for page in sorted((FOLDER / "animations").glob("*.html")):
        renew(page)
