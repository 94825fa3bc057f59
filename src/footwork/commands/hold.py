"""`footwork hold`: can the robot stand there, by what margin, why not?"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from ..errors import FootworkError
from . import flags
from .output import write_scene

if TYPE_CHECKING:
    from ..contacts import ContactSet, Hold
    from ..robots import Robot


def add(commands: Any) -> None:
    """Say the flags of `footwork hold`."""
    words = "can the robot stand there, by what margin, why not?"
    parser = flags.command(commands, "hold", run, words)
    flags.robot_flags(parser)
    parser.add_argument("--friction", type=float, default=0.7, help="Coulomb coefficient (0.7)")
    parser.add_argument(
        "--feet", nargs="+", metavar="FOOT", help="only these feet touch the ground"
    )
    parser.add_argument(
        "--push",
        nargs=4,
        action="append",
        metavar=("FRAME", "FX", "FY", "FZ"),
        help="a force on a link, at its origin, world axes [N]; may be repeated",
    )
    parser.add_argument("--no-torque-limits", action="store_true", help="joints of any strength")
    flags.json_flag(parser, "the whole answer as JSON")
    flags.picture_flags(parser)


def run(options: argparse.Namespace) -> int:
    """Print the verdict, draw it where asked; the exit code is the answer."""
    from .. import contacts

    robot = flags.load(options)
    feet, limits = _feet(robot, options), not options.no_torque_limits
    hold = contacts.static_hold(
        robot, robot.posture(options.posture), feet, _pushes(options), limits
    )
    print(json.dumps(hold.as_dict(), indent=2) if options.json else _report(hold))
    if options.html or options.png:
        write_scene(contacts.view(hold), options)
    return flags.OK if hold.feasible else flags.NO


def _feet(robot: Robot, options: argparse.Namespace) -> ContactSet:
    from .. import contacts

    feet = contacts.at_feet(robot, options.friction)
    return contacts.ContactSet(robot, [feet[name] for name in options.feet or feet.names])


def _pushes(options: argparse.Namespace) -> dict[str, Any]:
    """{frame: Wrench} of the --push flags, a force at the frame's origin in world axes."""
    from ..dynamics import Wrench

    pushes: dict[str, Any] = {}
    for frame, *components in options.push or []:
        push = Wrench([_number(c) for c in components], [0.0, 0.0, 0.0])
        pushes[frame] = pushes[frame] + push if frame in pushes else push
    return pushes


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FootworkError(f"--push: got {text!r}, expected FRAME FX FY FZ [N]") from None


def _report(hold: Hold) -> str:
    lines = [hold.explain()]
    if hold.feasible:
        lines.append(
            f"  push margin {hold.push_margin():.4g} N at the centre of mass, any direction"
        )
        lines.append(f"  friction margin {hold.friction_margin():.4g} (may shrink by this factor)")
    return "\n".join(lines)
