"""`footwork info`: sizes, mass, joints, feet and postures of a robot."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from . import flags
from .output import answer

if TYPE_CHECKING:
    from ..robots import Robot


def add(commands: Any) -> None:
    """Declare the flags of `footwork info`."""
    words = "sizes, mass, joints, feet and postures of a robot"
    parser = flags.command(commands, "info", run, words)
    flags.robot_flags(parser, posture=False)
    flags.shared(parser, "--json")


def run(options: argparse.Namespace) -> int:
    """Print the facts of a robot."""
    facts = _facts(flags.load(options))
    shown = {k: ", ".join(map(str, v)) if isinstance(v, list) else v for k, v in facts.items()}
    lines = [f"{k:<16} {v if v not in ('', {}) else '-'}" for k, v in shown.items()]
    answer(options, facts, "\n".join(lines))
    return flags.OK


def _facts(robot: Robot) -> dict[str, Any]:
    from ..robots import diagnosis, feet_of_shapes

    feet = robot.feet or feet_of_shapes(robot)
    return {
        "name": robot.name,
        "source": robot.source,
        "base": "floating" if robot.is_floating else "fixed",
        "nq": robot.nq,
        "nv": robot.nv,
        "na": robot.na,
        "mass [kg]": round(robot.mass, 6),
        "postures": list(robot.postures),
        "feet": [f"{foot.name} ({foot.frame})" for foot in feet.values()],
        "feet known by": "description" if robot.feet else "shapes" if feet else "",
        "joints": list(robot.joint_names),
        "actuated": list(robot.actuated),
        **{f"{kind} in file": words for kind, words in diagnosis.rows(robot.kept).items()},
        "frames": len(robot.frame_names),
    }
