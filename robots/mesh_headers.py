"""A first look at mesh files, so that nothing but meshes reaches the mesh library."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

MAX_BYTES = 300 * 2**20
_FORMATS = (".stl", ".stlb", ".dae", ".obj", ".ply", ".off", ".glb", ".gltf", ".3ds", ".msh")


def why_unreadable(path: Path) -> str:
    """Return why a file is no mesh that will be read, or ""."""
    if path.suffix.lower() not in _FORMATS:
        return f"{path.suffix or 'no suffix'} is no mesh format; known are {', '.join(_FORMATS)}"
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if size > MAX_BYTES:
        return f"{size} bytes; at most {MAX_BYTES} are read"
    check = {".stl": _stl, ".dae": _dae, ".obj": _text, ".off": _text, ".gltf": _text}
    return check.get(path.suffix.lower(), _any)(head, size)


def unit(path: Path) -> float:
    """Return the unit that a Collada file says its lengths are in [m]; 1 where none is said."""
    if path.suffix.lower() == ".dae":
        with suppress(OSError, ValueError), path.open("rb") as file:
            found = re.search(rb"""<unit\b[^>]*\bmeter\s*=\s*["']([^"']*)["']""", file.read(8192))
            return float(found[1]) if found else 1.0
    return 1.0


def _stl(head: bytes, size: int) -> str:
    if len(head) >= 84:
        triangles = int.from_bytes(head[80:84], "little")
        if size == 84 + 50 * triangles and triangles > 0:
            return ""
        if size > 84 + 50 * triangles > 84:
            return ""  # some exporters add bytes at the end
    if head.lstrip()[:5].lower() == b"solid" and b"facet" in head and b"\0" not in head:
        return ""
    return "no STL: neither as many triangles as its header says nor text with facets"


def _dae(head: bytes, size: int) -> str:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return "" if start.startswith(b"<") and b"COLLADA" in head else "no COLLADA document"


def _text(head: bytes, size: int) -> str:
    return "binary data where text is expected" if b"\0" in head or not head.strip() else ""


def _any(head: bytes, size: int) -> str:
    return "" if head else "empty"
