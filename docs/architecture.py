"""Import graph of the packages: docs/pictures/architecture.svg, and its table in architecture.md.

python docs/architecture.py reads the sources, so imports inside functions and for type checkers
count too. It fails when an import points upwards, and so when there is a cycle.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMAND = "src/footwork"
# package: (column, row) in the picture; packages import from lower rows only
PLACES = {
    COMMAND: (0.5, 0),
    "visualize": (0.5, 1),
    "control": (0, 2),
    "contacts": (0, 3),
    "biomechanics": (1, 2.5),
    "dynamics": (0.5, 4),
    "robots": (0.5, 5),
}
CONTENTS = {
    COMMAND: "command, registry",
    "visualize": "viewer, scenes, plots",
    "control": "tasks, controllers, gaits",
    "contacts": "limits, verdicts, regions",
    "biomechanics": "segments, gait analysis",
    "dynamics": "State, terms, kernels",
    "robots": "descriptions, Robot",
}
WIDTH, HEIGHT, COLUMN, ROW = 210, 52, 250, 88
MARK = re.compile(r"(<!-- imports -->\n).*?(<!-- end of imports -->)", re.DOTALL)


def sources(package: str) -> list[Path]:
    """Return the Python files of a package; of src/footwork without the links to the others."""
    files = [path for path in (ROOT / package).rglob("*.py") if "__pycache__" not in path.parts]
    if package != COMMAND:
        return files
    return [p for p in files if p.relative_to(ROOT / package).parts[0] not in PLACES]


def imported(path: Path, package: str) -> set[str]:
    """Return the other packages from which a file imports."""
    depth = len(path.relative_to(ROOT / package).parts)
    leaving = depth if package == COMMAND else depth + 1
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == leaving:
            names += [node.module] if node.module else [alias.name for alias in node.names]
    return {name.split(".")[0] for name in names} & (PLACES.keys() - {package})


def imports() -> Counter[tuple[str, str]]:
    """Return {(package, imported package): number of importing files}.

    Raises:
        ValueError: an import of a package in the same row or above.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for package in PLACES:
        for path in sources(package):
            for other in imported(path, package):
                if PLACES[other][1] <= PLACES[package][1]:
                    raise ValueError(f"{path.relative_to(ROOT)} imports {other}, which is above")
                counts[package, other] += 1
    return counts


def reduced(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the transitive reduction: the edges that no path over other packages replaces."""

    def reaches(start: str, end: str) -> bool:
        return any(a == start and (b == end or reaches(b, end)) for a, b in edges)

    return {(a, b) for a, b in edges if not any((a, c) in edges and reaches(c, b) for c in PLACES)}


def box(package: str) -> str:
    """Return the box of a package: name, contents, lines of source."""
    x, y = corner(package)
    lines = sum(len(p.read_text(encoding="utf-8").splitlines()) for p in sources(package))
    middle = x + WIDTH / 2
    return (
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#dbe9f6" '
        f'stroke="#33556e"/><text x="{middle}" y="{y + 21}" text-anchor="middle" '
        f'font-weight="bold" font-size="16">{package}</text>'
        f'<text x="{middle}" y="{y + 40}" text-anchor="middle" font-size="12.5">'
        f"{CONTENTS[package]} · {lines:,}</text>"
    )


def corner(package: str) -> tuple[float, float]:
    """Return the upper left corner of a package's box."""
    column, row = PLACES[package]
    return 15 + column * COLUMN, 10 + row * ROW


def arrow(start: str, end: str) -> str:
    """Return the arrow from a package to one that it imports."""
    (x1, y1), (x2, y2) = corner(start), corner(end)
    shift = 0.25 * (x2 - x1)
    return (
        f'<path d="M{x1 + WIDTH / 2 + shift} {y1 + HEIGHT} L{x2 + WIDTH / 2 - shift} {y2 - 2}" '
        'fill="none" stroke="#33556e" stroke-width="2" marker-end="url(#tip)"/>'
    )


def picture(counts: Counter[tuple[str, str]]) -> str:
    """Return the drawing of the packages and the reduced graph of their imports."""
    width, height = 30 + COLUMN + WIDTH, 20 + 5 * ROW + HEIGHT
    arrows = "".join(arrow(*edge) for edge in sorted(reduced(set(counts))))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'style="font-family:sans-serif">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" '
        'markerHeight="9" orient="auto" markerUnits="userSpaceOnUse">'
        '<path d="M0 0 8 4 0 8z" fill="#33556e"/></marker></defs>'
        f'<rect width="100%" height="100%" fill="white"/>{arrows}'
        f"{''.join(box(package) for package in PLACES)}</svg>\n"
    )


def table(counts: Counter[tuple[str, str]]) -> str:
    """Return the table of each package's imports, with the number of importing files."""
    order = list(reversed(PLACES))
    lines = ["| package | imports (files) |", "|---|---|"]
    for package in order:
        found = [f"{other} ({counts[package, other]})" for other in order if counts[package, other]]
        lines.append(f"| `{package}` | {', '.join(found) or '–'} |")
    return "\n".join(lines)


def main() -> None:
    """Write the picture, and the table of the page."""
    counts = imports()
    folder = ROOT / "docs"
    (folder / "pictures" / "architecture.svg").write_text(picture(counts), encoding="utf-8")
    page = folder / "architecture.md"
    text = MARK.sub(rf"\g<1>\n{table(counts)}\n\n\g<2>", page.read_text(encoding="utf-8"))
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
