"""Diagrams of the gaits, which foot stands when: docs/pictures/gaits.svg."""

from __future__ import annotations

from pathlib import Path

from footwork.control.gaits import GAITS

# (gait, number of feet), row by row
SHOWN = (
    (("walk", 2), ("trot", 4), ("pace", 4), ("crawl", 4)),
    (("wave", 5), ("tripod", 6), ("ripple", 6), ("wave", 6)),
)
WIDTH, LINE, BAR, NAMES = 300, 17, 180, 95  # px: a diagram, a foot's line, a cycle, the feet
STYLE = "font-family:sans-serif;font-size:12px"
LEFT, RIGHT = "#08519c", "#d94801"


def intervals(name: str, count: int) -> dict[str, tuple[float, float]]:
    """Return {place: where its swing begins and ends, as fractions of the cycle}."""
    gait = GAITS[name]
    groups, step = gait.groups_of(count), gait.swing + gait.double
    swings = {}
    for k, group in enumerate(groups):
        begin = (k * step + gait.double) / (len(groups) * step)
        for place in group:
            swings[place] = begin, begin + gait.swing / (len(groups) * step)
    sides = [[place for place in swings if place.startswith(side)] for side in ("left", "right")]
    return {place: swings[place] for side in sides for place in sorted(side, key=from_the_front)}


def from_the_front(place: str) -> int:
    """Return how far back a foot is on its side."""
    return ("left", "right", "front", "middle", "hind").index(place.split()[-1])


def bar(x: float, y: float, share: float, color: str) -> str:
    """Return a bar that is a share of the cycle long."""
    return f'<rect x="{x:.1f}" y="{y:g}" width="{BAR * share:.1f}" height="12" fill="{color}"/>'


def diagram(name: str, count: int, x: float, y: float) -> str:
    """Return the drawing of one gait: a bar where a foot stands."""
    parts = [f'<text x="{x + NAMES}" y="{y}" font-weight="bold">{name}, {count} feet</text>']
    for k, (place, (begin, end)) in enumerate(intervals(name, count).items()):
        top = y + 9 + k * LINE
        color = LEFT if place.startswith("left") else RIGHT
        parts.append(
            f'<text x="{x + NAMES - 8}" y="{top + 10}" text-anchor="end">{place}</text>'
            f"{bar(x + NAMES, top, begin, color)}{bar(x + NAMES + BAR * end, top, 1 - end, color)}"
        )
    return "".join(parts)


def main() -> None:
    """Write the picture."""
    parts, y = [], 22.0
    for row in SHOWN:
        parts += [diagram(*gait, k * WIDTH + 10, y) for k, gait in enumerate(row)]
        y += max(count for _, count in row) * LINE + 45
    width, height = WIDTH * max(map(len, SHOWN)), y - 12
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" style="{STYLE}">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )
    (Path(__file__).parent / "pictures" / "gaits.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
