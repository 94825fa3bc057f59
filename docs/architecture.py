"""Draws the rooms, their files by size, and the imports between them: docs/pictures/house.svg."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = {"robots": "#9ecae1", "dynamics": "#a1d99b", "contacts": "#fdae6b", "control": "#bcbddc"}
WIDTH, GAP, ROW, TOP = 250, 60, 13, 84
STYLE = "font-family:sans-serif;font-size:11px"


def files(room: str) -> list[tuple[str, int]]:
    """Return the (path within the room, lines) of its files."""
    folder = ROOT / room
    paths = sorted(p for p in folder.rglob("*.py") if p.name != "__init__.py")
    return [(str(p.relative_to(folder)), len(p.read_text().splitlines())) for p in paths]


def imports() -> Counter[tuple[str, str]]:
    """Count the files of a room that import from another room: {(from, to): files}."""
    counts: Counter[tuple[str, str]] = Counter()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            depth = len(path.relative_to(ROOT / room).parts)
            leaving = [
                node
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.ImportFrom) and node.level == depth + 1
            ]
            parts = {
                name
                for node in leaving
                for name in ([node.module] if node.module else [a.name for a in node.names])
            }
            counts.update({(room, to) for to in ROOMS if any(p.split(".")[0] == to for p in parts)})
    return counts


def room(name: str, colour: str, x: float, height: float) -> str:
    """Return a room: its name, and a bar a file as long as the file."""
    rows = [
        f'<rect x="{x + 8}" y="{TOP + 30 + i * ROW}" width="{lines / 3.2:.0f}" height="{ROW - 3}" '
        f'fill="{colour}"/><text x="{x + 12}" y="{TOP + 39 + i * ROW}">{file}</text>'
        for i, (file, lines) in enumerate(files(name))
    ]
    total = sum(lines for _, lines in files(name))
    return (
        f'<rect x="{x}" y="{TOP}" width="{WIDTH}" height="{height}" fill="none" stroke="#555"/>'
        f'<text x="{x + 8}" y="{TOP + 19}" font-weight="bold" font-size="15">{name}/</text>'
        f'<text x="{x + WIDTH - 8}" y="{TOP + 19}" text-anchor="end">{total} lines</text>'
        + "".join(rows)
    )


def arrow(start: float, end: float, count: int, height: float) -> str:
    """Return an arc above the rooms from the one that imports to the one that it imports from."""
    middle, y = (start + end) / 2, TOP - 4
    return (
        f'<path d="M{start} {y} Q{middle} {y - height} {end} {y}" fill="none" stroke="#555" '
        f'stroke-width="{1 + count / 12:.1f}" marker-end="url(#tip)"/>'
        f'<text x="{middle}" y="{y - height / 2 - 4}" text-anchor="middle">{count}</text>'
    )


def picture() -> str:
    """Return the drawing."""
    height = 40 + ROW * max(len(files(name)) for name in ROOMS)
    at = {name: 20 + i * (WIDTH + GAP) for i, name in enumerate(ROOMS)}
    order = list(ROOMS)
    arrows = []
    for (start, end), count in sorted(imports().items()):
        steps = order.index(start) - order.index(end)
        arrows.append(
            arrow(
                at[start] + WIDTH / 2 - 12 * steps,
                at[end] + WIDTH / 2 + 12 * steps,
                count,
                40 * steps,
            )
        )
    boxes = "".join(room(name, colour, at[name], height) for name, colour in ROOMS.items())
    width, bottom = 20 + len(ROOMS) * (WIDTH + GAP), TOP + height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 30}" '
        f'style="{STYLE}">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
        'markerWidth="7" markerHeight="7" orient="auto" markerUnits="userSpaceOnUse">'
        '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(arrows)}{boxes}'
        f'<text x="20" y="{bottom + 20}">a bar is a file, as long as its lines; an arrow says '
        "how many files of a room import from another</text></svg>\n"
    )


if __name__ == "__main__":
    (ROOT / "docs" / "pictures" / "house.svg").write_text(picture(), encoding="utf-8")
