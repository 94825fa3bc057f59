"""The catalogue as a plain table, for `footwork robots`."""

from __future__ import annotations

from collections.abc import Sequence

from .catalogue import RobotInfo, available
from .loading import load
from .robot import Robot

_HEAD = ("name", "kind", "nq", "nv", "mass/kg", "feet", "licence", "installed", "source")


def facts(info: RobotInfo) -> dict[str, str | int | float | bool]:
    """Return what there is to say about a robot of the catalogue; sizes only if it is installed."""
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


def table(infos: Sequence[RobotInfo] | None = None) -> str:
    """Return the catalogue as text: name, kind, nq, nv, mass, feet, licence, installed or not."""
    rows = [_HEAD]
    for info in available() if infos is None else infos:
        known = facts(info)
        sizes = (f"{known['nq']}", f"{known['nv']}", f"{known['mass']:.1f}", f"{known['feet']}")
        there = info.installed
        rows.append(
            (
                info.name,
                info.kind,
                *(sizes if there else ("-",) * 4),
                str(known["licence"]),
                "yes" if there else "no",
                info.source,
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _feet(robot: Robot) -> str:
    points = sum(foot.is_point for foot in robot.feet.values())
    soles = len(robot.feet) - points
    parts = [(soles, "sole"), (points, "point")]
    return ", ".join(f"{n} {kind}{'s' * (n > 1)}" for n, kind in parts if n) or "-"
