"""Checks of mesh files before they reach the mesh library: format, size, what they refer to."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import ParseError

import defusedxml.ElementTree  # type: ignore[import-untyped]
from defusedxml import DefusedXmlException

from .packages import Folders

MAX_BYTES = 300 * 2**20
MAX_INSTANCES = 100_000  # of nodes in a Collada scene; ten levels of ten instances are 10¹⁰
_FORMATS = (".stl", ".stlb", ".dae", ".obj", ".ply", ".off", ".glb", ".gltf", ".3ds", ".msh")


def is_stub(path: Path) -> bool:
    """Whether a file is only the pointer that Git LFS leaves where a mesh was not fetched."""
    try:
        with path.open("rb") as file:
            return file.read(40).startswith(b"version https://git-lfs.github.com")
    except OSError:
        return False


def why_unreadable(path: Path) -> str:
    """Return why a file is not accepted as a mesh, or ""."""
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
    problem = check.get(path.suffix.lower(), _any)(head, size)
    if problem:
        return problem
    try:
        look = {".dae": _instances, ".obj": _library, ".off": _faces, ".gltf": _uris, ".glb": _uris}
        return look.get(path.suffix.lower(), lambda _: "")(path)
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def _library(path: Path) -> str:
    """Return why a Wavefront file's materials may not be read, or ""."""
    names = re.findall(rb"^[ \t]*mtllib[ \t]+([^\r\n]+)", path.read_bytes(), re.MULTILINE)
    return _elsewhere(path, [name.decode(errors="replace").strip() for name in names])


def _faces(path: Path) -> str:
    """Return why the faces of an OFF file cannot be, or "": the mesh library reads any number."""
    text = re.sub(rb"#[^\n]*", b"", path.read_bytes())
    header, _, rest = text.lstrip().partition(b"OFF")
    lines = [line.split() for line in rest.splitlines() if line.strip()]
    if header:  # COFF, NOFF, …: further numbers a vertex, on the same lines
        lines = lines if header in (b"C", b"N", b"ST", b"CN") else []
    try:
        vertices, faces = (int(word) for word in lines[0][:2])
        for line in lines[1 + vertices : 1 + vertices + faces]:
            named = [int(word) for word in line[1 : 1 + int(line[0])]]
            if outside := [i for i in named if not 0 <= i < vertices]:
                return f"a face of vertex {outside[0]}, of {vertices} that there are"
    except (ValueError, IndexError):
        return "not an OFF file: counts, vertices and faces a line each are expected"
    return ""


def _uris(path: Path) -> str:
    """Return why the buffers and images of a glTF file may not be read, or ""."""
    data = path.read_bytes()
    if path.suffix.lower() == ".glb":  # header, then the length and type of the first chunk
        data = data[20 : 20 + int.from_bytes(data[12:16], "little")]
    try:
        scene = json.loads(data)
        parts = [part for key in ("buffers", "images") for part in scene.get(key, ())]
        names = [str(part["uri"]) for part in parts if "uri" in part]
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        return f"no glTF scene: {error}"
    return _elsewhere(path, [name for name in names if not name.startswith("data:")])


def _elsewhere(path: Path, names: list[str]) -> str:
    """Return why a mesh may not name these files, or ""."""
    folders = Folders(path.absolute().parent)
    return next((f"{name!r} {why}" for name in names if (why := folders.find(name).refused)), "")


def unit(path: Path) -> float:
    """Return the unit of length of a Collada file [m]; 1 by default."""
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
            return ""  # some exporters append bytes
    if head.lstrip()[:5].lower() == b"solid" and b"facet" in head and b"\0" not in head:
        return ""
    return "not an STL file: neither the triangle count of its header nor ASCII facets match"


def _dae(head: bytes, size: int) -> str:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return "" if start.startswith(b"<") and b"COLLADA" in head else "not a COLLADA document"


def _instances(path: Path) -> str:
    """Return why the node instances of a Collada file are not expanded, or "".

    A node may instantiate nodes that instantiate others: a few kilobytes can describe a scene of
    any size, or one without end, and mesh libraries expand it.
    """
    try:
        data = path.read_bytes()
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            return "a document type (<!DOCTYPE>) or an entity"
        if b"instance_node" not in data:
            return ""
        root = defusedxml.ElementTree.fromstring(data)
    except (ParseError, DefusedXmlException) as error:
        return f"cannot be read: {error}"
    inside: dict[str, list[str]] = {}  # id -> ids that its element contains or instantiates
    scenes, stack = [], [(root, "")]
    while stack:
        element, owner = stack.pop()
        name = element.get("id") or owner
        inside.setdefault(name, [])
        if name != owner:
            inside.setdefault(owner, []).append(name)
        if element.tag.endswith("}instance_node"):
            inside[name].append(element.get("url", "").removeprefix("#"))
        if element.tag.endswith("}visual_scene"):
            scenes.append(name)
        stack.extend((child, name) for child in element)

    @cache
    def instances(name: str) -> int:
        return 1 + sum(map(instances, inside.get(name, ())))

    try:
        total = sum(map(instances, scenes))
    except RecursionError:  # a cycle, or a chain that is too long
        return "nodes that instantiate one another"
    return f"{total} instances of nodes; at most {MAX_INSTANCES}" if total > MAX_INSTANCES else ""


def _text(head: bytes, size: int) -> str:
    return "binary data where text is expected" if b"\0" in head or not head.strip() else ""


def _any(head: bytes, size: int) -> str:
    return "" if head else "empty"
