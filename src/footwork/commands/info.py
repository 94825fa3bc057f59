"""`footwork info`: sizes, mass, joints, feet and postures of a robot."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from . import flags
from .output import answer

if TYPE_CHECKING:
    from ..robots import Foot, Robot


def add(commands: Any) -> None:
    """Declare the flags of `footwork info`."""
    words = "sizes, mass, joints, feet and postures of a robot"
    parser = flags.command(commands, "info", run, words)
    flags.robot_flags(parser, posture=False)
    flags.shared(parser, "--json")


def run(options: argparse.Namespace) -> int:
    """Print the facts of a robot."""
    facts = _facts(flags.load(options))
    if options.feet:
        facts["feet known by"] = "hand"
    shown = {k: ", ".join(map(str, v)) if isinstance(v, list) else v for k, v in facts.items()}
    lines = [f"{k:<16} {v if v not in ('', {}) else '-'}" for k, v in shown.items()]
    answer(options, facts, "\n".join(lines))
    return flags.OK


def _words(foot: Foot) -> str:
    """A foot in words: its frame, and the extents of its sole or the radius of its ball."""
    if foot.is_point:
        return f"{foot.name} ({foot.frame}, point, radius {foot.radius:.3g} m)"
    x, y = foot.vertices.max(axis=0) - foot.vertices.min(axis=0)
    return f"{foot.name} ({foot.frame}, sole {x:.3g} x {y:.3g} m)"


def _closure(closure: Any) -> str:
    """A closure in words: a loop of two frames, or a joint that follows."""
    if hasattr(closure, "leader"):
        return f"{closure.name}: {closure.joint} follows {closure.leader or 'nothing'}"
    return f"{closure.name}: {closure.frame_1} and {closure.frame_2} ({closure.kind})"


def _facts(robot: Robot) -> dict[str, Any]:
    from ..robots import diagnosis

    return {
        "name": robot.name,
        "source": robot.source,
        "base": "floating" if robot.is_floating else "fixed",
        "nq": robot.nq,
        "nv": robot.nv,
        "na": robot.na,
        "mass [kg]": round(robot.mass, 6),
        "postures": list(robot.postures),
        "stands in": robot.stance,
        "feet": [_words(foot) for foot in robot.feet.values()],
        "feet known by": "shapes" if robot.feet_by_shape else "description" if robot.feet else "",
        "joints": list(robot.joint_names),
        "actuated": list(robot.actuated),
        "motors by speed": list(robot.motor_data),
        "closures": [_closure(closure) for closure in robot.closures],
        **{f"{kind} in file": words for kind, words in diagnosis.rows(robot.kept).items()},
        "frames": len(robot.frame_names),
    }
