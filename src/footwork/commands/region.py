"""`footwork region`: static equilibrium, feasible and ZMP support regions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..errors import FootworkError, counted
from . import flags, stance
from .output import answer, write_scene, write_table

if TYPE_CHECKING:
    from ..contacts import Region


def add(commands: Any) -> None:
    """Declare the flags of `footwork region`."""
    words = "support polygon of the centre of mass, seen from above. The table: its vertices"
    parser = flags.command(commands, "region", run, words)
    stance.add_flags(parser)
    parser.add_argument(
        "--kind",
        choices=stance.REGIONS,
        default="static",
        help="static: static equilibrium under loads (default); feasible: also under joint torque "
        "limits; zmp: ZMP support area at the height of the lowest contact",
    )
    parser.set_defaults(tolerance=1e-3)
    flags.shared(parser, "--tolerance", "--json", "--html", "--png", "--csv")


def run(options: argparse.Namespace) -> int:
    """Print area and vertices, write plots if requested; an empty region counts as "no"."""
    from .. import dynamics

    where = stance.stance_of(options, stance.scenario_of(options))
    if options.kind == "zmp" and where.wrenches:
        raise FootworkError("--kind zmp: the ZMP support area does not take loads; leave them out")
    region = where.region(options.kind, options.tolerance)
    com = dynamics.com(where.robot, where.q)
    facts = _facts(region, com)
    answer(options, facts, _report(region, com))
    write_table(options, "xy", facts["vertices"])
    if options.html or options.png:
        write_scene(where.view_of_region(region, options.kind), options)
    return flags.NO if region.status == "empty" else flags.OK


def _report(region: Region, com: Any) -> str:
    if region.status == "empty":
        return "empty: no position of the centre of mass is in static equilibrium"
    away = region.distance(com)
    place = f"centre of mass ({com[0]:z.4f}, {com[1]:z.4f})"
    if region.status == "unbounded":
        side = "inside" if away <= 0 else f"{away:.4f} m outside"
        return f"unbounded: it reaches farther than can be drawn\n{place}, {side}"
    side = "inside" if away <= 0 else "outside"
    corners = counted(len(region.vertices), "vertex", "vertices")
    lines = [
        f"area {region.area:.4g} m², {corners}, {region.status}",
        f"{place}, {abs(away):.4f} m {side}",
        "vertices, counter-clockwise [m]",
    ]
    return "\n".join([*lines, *(f"  {x:z9.4f} {y:z9.4f}" for x, y in region.vertices)])


def _facts(region: Region, com: Any) -> dict[str, Any]:
    bounded = region.status in ("bounded", "flat")
    return {
        "status": region.status,
        "area": region.area if bounded else (0.0 if region.status == "empty" else None),
        "vertices": region.vertices.tolist() if bounded else [],
        "outer": region.outer.tolist() if bounded else [],
        "com": com.tolist(),
        "com_inside": bool(region.contains(com)),
    }
