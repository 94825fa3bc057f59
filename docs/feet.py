"""Picture of the feet of every legged robot of the catalogue: docs/pictures/feet.svg."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin

from footwork import load, robots

CELL, COLUMNS, SCALE = 190, 6, 150.0  # px, px per metre
STYLE = "font-family:sans-serif;font-size:12px"


def footprint(robot: robots.Robot) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the outlines of the feet on the ground, (k, 2) each, and the centre of mass (2,)."""
    q = robot.posture()
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    turn = np.linspace(0, 2 * np.pi, 25)
    outlines = []
    for foot in robot.feet.values():
        points = foot.points(data.oMf[robot.frame_id(foot.frame)])[:, :2]
        circle = foot.radius * np.column_stack([np.cos(turn), np.sin(turn)])
        outlines.append(points + circle if foot.is_point else points)
    return outlines, pin.centerOfMass(robot.model, data, q)[:2]


def cell(info: robots.RobotInfo, column: int, row: int) -> str:
    """Return one robot's drawing; x points up, y to the left, the centre of mass is a dot."""
    outlines, com = footprint(load(info.name, meshes=False))
    middle = (np.min(np.vstack(outlines), axis=0) + np.max(np.vstack(outlines), axis=0)) / 2
    x0, y0 = (column + 0.5) * CELL, (row + 0.55) * CELL

    def pixel(p: np.ndarray) -> str:
        return f"{x0 - SCALE * (p[1] - middle[1]):.1f},{y0 - SCALE * (p[0] - middle[0]):.1f}"

    shapes = "".join(
        f'<polygon points="{" ".join(map(pixel, outline))}" fill="#9ecae1" stroke="#08519c"/>'
        for outline in outlines
    )
    cx, cy = pixel(com).split(",")
    return (
        f'{shapes}<circle cx="{cx}" cy="{cy}" r="3.5" fill="#d94801"/>'
        f'<text x="{x0}" y="{row * CELL + 16}" text-anchor="middle">{info.name}</text>'
    )


def main() -> None:
    """Write the picture."""
    legged = [
        info
        for info in robots.available()
        if info.installed and info.kind not in ("mechanism", "upper body")
    ]
    rows = -(-len(legged) // COLUMNS)
    cells = [cell(info, i % COLUMNS, i // COLUMNS) for i, info in enumerate(legged)]
    width, height = COLUMNS * CELL, rows * CELL + 30
    bar = (
        f'<path d="M20 {height - 12}h{SCALE / 2:g}" stroke="black" stroke-width="2"/>'
        f'<text x="{30 + SCALE / 2:g}" y="{height - 8}">0.5 m; forward is up; the dot is the '
        "centre of mass over its makers' posture</text>"
    )
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" style="{STYLE}">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(cells)}{bar}</svg>\n'
    )
    (Path(__file__).parent / "pictures" / "feet.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
