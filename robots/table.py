"""Table of the catalogue, for `footwork robots`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .catalogue import RobotInfo, available
from .loading import load
from .robot import Robot

_HEAD = ("name", "kind", "nq", "nv", "mass/kg", "feet", "licence", "installed", "source")


def facts(info: RobotInfo) -> dict[str, Any]:
    """Return name, source and sizes of a robot of the catalogue; sizes only if it is installed."""
    robot = load(info.name, meshes=False) if info.installed else None
    return {
        "name": info.name,
        "kind": info.kind,
        "nq": robot.nq if robot else 0,
        "nv": robot.nv if robot else 0,
        "mass": round(robot.mass, 3) if robot else 0.0,
        "feet": _feet(robot) if robot else "",
        "licence": info.licence.split(" (")[0],
        "installed": info.installed,
        "source": info.source,
        "note": info.note,
    }


def table(rows: Iterable[dict[str, Any]] | None = None) -> str:
    """Return the `facts` of robots (default: the whole catalogue) as text."""
    lines = [_HEAD]
    for row in map(facts, available()) if rows is None else rows:
        sizes = (f"{row['nq']}", f"{row['nv']}", f"{row['mass']:.1f}", f"{row['feet']}")
        there = row["installed"]
        lines.append(
            (
                row["name"],
                row["kind"],
                *(sizes if there else ("-",) * 4),
                row["licence"],
                "yes" if there else "no",
                row["source"],
            )
        )
    widths = [max(len(row[i]) for row in lines) for i in range(len(_HEAD))]
    texts = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in lines]
    return "\n".join(line.rstrip() for line in texts)


def _feet(robot: Robot) -> str:
    points = sum(foot.is_point for foot in robot.feet.values())
    soles = len(robot.feet) - points
    parts = [(soles, "sole"), (points, "point")]
    return ", ".join(f"{n} {kind}{'s' * (n > 1)}" for n, kind in parts if n) or "-"
