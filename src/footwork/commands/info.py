"""`footwork info`: sizes, mass, joints, feet and postures of a robot."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from . import flags

if TYPE_CHECKING:
    from ..robots import Robot


def add(commands: Any) -> None:
    """Say the flags of `footwork info`."""
    words = "sizes, mass, joints, feet and postures of a robot"
    parser = flags.command(commands, "info", run, words)
    flags.robot_flags(parser, posture=False)
    flags.json_flag(parser)


def run(options: argparse.Namespace) -> int:
    """Print the facts of a robot."""
    facts = _facts(flags.load(options))
    if options.json:
        print(json.dumps(facts, indent=2))
        return flags.OK
    for name, value in facts.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        print(f"{name:<16} {shown if shown not in ('', {}) else '-'}")
    return flags.OK


def _facts(robot: Robot) -> dict[str, Any]:
    return {
        "name": robot.name,
        "source": robot.source,
        "base": "floating" if robot.is_floating else "fixed",
        "nq": robot.nq,
        "nv": robot.nv,
        "na": robot.na,
        "mass [kg]": round(robot.mass, 6),
        "postures": list(robot.postures),
        "feet": [f"{foot.name} ({foot.frame})" for foot in robot.feet.values()],
        "joints": list(robot.joint_names),
        "actuated": list(robot.actuated),
        "frames": len(robot.frame_names),
    }
