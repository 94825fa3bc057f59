"""What commands leave behind: pages and pictures of a scene."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..robots import Viewer


def write_scene(viewer: Viewer, options: argparse.Namespace) -> None:
    """Write the page and the picture that --html and --png ask for."""
    for path, write in ((options.html, viewer.save_html), (options.png, viewer.screenshot)):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
            print(f"wrote {path}", file=sys.stderr)
