"""The page: meshcat's viewer, a stage (light, shadows, ground), and the commands to draw.

One template serves both ways: a file that holds its commands, and the live page that gets them
from the server. Nothing in it comes from the network.
"""

from __future__ import annotations

import base64
import gzip
import html
import importlib.util
import struct
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .errors import ViewerError

_TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><link rel="icon" href="data:,">
<title>{title}</title><style>{style}</style>
</head>
<body>
<div id="meshcat-pane"></div>
<div id="legend" hidden></div>
<div id="notice" hidden></div>
{meshcat}
<script>{script}</script>
{feed}
</body>
</html>
"""


@cache
def viewer_script() -> str:
    """Return the JavaScript of meshcat's viewer, read from the installed package.

    Raises:
        ViewerError: meshcat is not installed, or lacks the file.
    """
    spec = importlib.util.find_spec("meshcat")  # found, not imported: importing it takes a second
    places = list(spec.submodule_search_locations or []) if spec else []
    for place in places:
        path = Path(place, "viewer", "dist", "main.min.js")
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise ViewerError(
        f"viewer/dist/main.min.js of the package meshcat was not found (looked in {places}); "
        "install it with `pip install meshcat`"
    )


@cache
def _stage(kind: str) -> str:
    """Return "js" or "css" of the stage: light, ground, camera, legend, feeding of the page."""
    return Path(__file__).with_name(f"stage.{kind}").read_text(encoding="utf-8")


def live_page(title: str) -> str:
    """Return the page that gets its commands from the server it came from."""
    meshcat = '<script src="main.min.js"></script>'
    return _page(title, meshcat, "<script>footwork.connect();</script>")


def offline_page(commands: Iterable[bytes], title: str) -> str:
    """Return a page that holds its commands and everything else that it needs."""
    blob = b"".join(struct.pack("<I", len(data)) + data for data in commands)
    packed = base64.b64encode(gzip.compress(blob, compresslevel=6, mtime=0)).decode("ascii")
    feed = (
        f'<script id="commands" type="text/plain">{packed}</script>\n'
        "<script>footwork.replay(document.getElementById('commands').textContent);</script>"
    )
    return _page(title, f"<script>{viewer_script()}</script>", feed)


def _page(title: str, meshcat: str, feed: str) -> str:
    style, script = _stage("css"), _stage("js")
    return _TEMPLATE.format(
        title=html.escape(title), style=style, meshcat=meshcat, script=script, feed=feed
    )
