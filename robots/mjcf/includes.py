"""Files that an MJCF file includes, in place of the elements that ask for them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ...errors import ModelError
from ..files.hardened_xml import MAX_DEPTH, Node, parse
from ..files.packages import Folders
from ..files.reading import read_file

_MAX_INCLUDES = 50


def include(tree: Node, folders: Folders, folder: str) -> dict[Node, str]:
    """Replace every <include file="…"/> by the contents of the file; each file comes once.

    Return element with a file -> folder, of those from included files in other folders.
    """
    stack, seen, origins = [(tree, 1)], set[Path](), dict[Node, str]()
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise ModelError(f"line {node.line}: elements nested deeper than {MAX_DEPTH}")
        children = []
        for child in node.children:
            if child.tag != "include":
                children.append(child)
                continue
            name, path = _included(child, folders, folder, origins.get(child))
            if path in seen or len(seen) >= _MAX_INCLUDES:
                why = f"more than {_MAX_INCLUDES} includes"
                if path in seen:
                    why = "a file that includes itself, or is included twice"
                raise ModelError(f"line {child.line}: include {child.get('file')!r}: {why}")
            seen.add(path)
            inner = parse(read_file(path), str(path))
            children.extend(inner.children)
            own = str(PurePosixPath(name).parent)
            own = "" if own == "." else own
            origins |= {n: own for n in inner.walk() if "file" in n.attrib and own != folder}
        node.children = children
        # included files may include others
        if any(child.tag == "include" for child in children):
            stack.append((node, depth))
        else:
            stack.extend((child, depth + 1) for child in children)
    return origins


def _included(node: Node, folders: Folders, folder: str, beside: str | None) -> tuple[str, Path]:
    """Return name and path of a file to include: beside the whole file, or the one that asks."""
    names = [within(f, node.get("file")) for f in (folder, *([beside] if beside else []))]
    found = [folders.find(name) for name in names]
    for name, file in zip(names, found, strict=True):
        if file.path is not None:
            return name, file.path
    raise ModelError(f"line {node.line}: include {node.get('file')!r}: {found[0].problem}")


def within(folder: str, name: str) -> str:
    """Return the name of a file in a folder."""
    return f"{folder.rstrip('/')}/{name}" if folder else name
