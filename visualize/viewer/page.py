"""The page: meshcat's viewer, a stage (light, shadows, ground), and the commands to draw.

One template serves three ways: a file that holds its commands, a page that gets them from the
server, and one with handles and a panel that also sends back. Nothing comes from the network.
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
<body id="controls"{kind}>
<div id="stage">
<div id="meshcat-pane"></div>
<div id="legend" hidden></div>
<div id="caption" hidden></div>
<div id="notice" hidden></div>
</div>
<div id="player" hidden>
<div id="bar">
<button id="play" aria-label="play" title="space"><svg viewBox="0 0 16 16"><path/></svg></button>
<output id="clock"></output>
<input id="scrub" type="range" min="0" step="any" aria-label="time">
<select id="speed" aria-label="speed" title="speed">{speeds}</select>
<button id="loop" aria-label="loop" title="loop" aria-pressed="true"><svg viewBox="0 0 16 16">
<path d="M3 8a5 5 0 0 1 8.6-3.4M13 8a5 5 0 0 1-8.6 3.4M11.9 1.8v3h-3M4.1 14.2v-3h3"/></svg></button>
</div>
<div id="lanes" hidden></div>
</div>
{live}{meshcat}
<script>{script}</script>
{feed}
</body>
</html>
"""
_SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0)
# in the order in which they need each other
_SCRIPTS = ("lanes.js", "player.js", "frames.js", "stage.js")
_SERVED = '<script src="main.min.js"></script>'
_CONNECT = "<script>footwork.connect();</script>"
_LIVE = ("gauges.js", "torques.js", "sliders.js", "handles.js", "gestures.js", "live.js")


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
def _read(name: str) -> str:
    """Return a file beside this one: what runs in the page, and how it looks."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def served_page(title: str) -> str:
    """Return the page that gets its commands from the server it came from."""
    return _page(title, _SERVED, _CONNECT)


def live_page(title: str) -> str:
    """Return the same with handles to drag and a panel: it also tells the server what is done."""
    feed = f"<script>{''.join(map(_read, _LIVE))}</script>{_CONNECT}"
    return _page(title, _SERVED, feed, style=_read("live.css"), live=_read("live.html"))


def as_blob(commands: Iterable[bytes]) -> bytes:
    """Return commands one after the other, each behind its size (4 bytes, the lowest first)."""
    return b"".join(struct.pack("<I", len(data)) + data for data in commands)


def offline_page(commands: Iterable[bytes], title: str) -> str:
    """Return a page that holds its commands and everything else that it needs."""
    blob = gzip.compress(as_blob(commands), compresslevel=6, mtime=0)
    packed = base64.b64encode(blob).decode("ascii")
    feed = (
        f'<script id="commands" type="text/plain">{packed}</script>\n'
        "<script>footwork.replay(document.getElementById('commands').textContent);</script>"
    )
    return _page(title, f"<script>{viewer_script()}</script>", feed)


def _page(title: str, meshcat: str, feed: str, *, style: str = "", live: str = "") -> str:
    return _TEMPLATE.format(
        title=html.escape(title),
        style=_read("stage.css") + style,
        kind=' class="live"' if live else "",
        live=live,
        speeds="".join(f'<option value="{speed:g}">{speed:g}×</option>' for speed in _SPEEDS),
        meshcat=meshcat,
        script="".join(map(_read, _SCRIPTS)),
        feed=feed,
    )
