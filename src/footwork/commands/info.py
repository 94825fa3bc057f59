"""`footwork info`: sizes, mass, joints, feet and postures of a robot; what a motion of it holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import flags, motions
from .output import answer

if TYPE_CHECKING:
    from ..dynamics import Motion
    from ..robots import Foot, Robot


def add(commands: Any) -> None:
    """Declare the flags of `footwork info`."""
    words = "sizes, mass, joints, feet and postures of a robot; or what a motion file holds for it"
    parser = flags.command(commands, "info", run, words)
    flags.robot_flags(parser, posture=False)
    flags.shared(parser, "--json")
    parser.add_argument(
        "--motion", type=Path, metavar="FILE", help="a motion of the robot, and how to read it:"
    )
    motions.add_reading(parser)


def run(options: argparse.Namespace) -> int:
    """Print the facts of a robot, or of a motion."""
    if options.motion:
        facts = _motion_facts(motions.read(options, options.motion))
    else:
        facts = _facts(flags.load(options))
        if options.feet:
            facts["feet known by"] = "hand"
    notes = facts.get("notes", [])
    shown = {
        k: ", ".join(map(str, v)) if isinstance(v, list) else v
        for k, v in facts.items()
        if k != "notes"
    }
    lines = [f"{k:<16} {v if v not in ('', {}) else '-'}" for k, v in shown.items()]
    lines += [f"  {note}" for note in notes]
    answer(options, facts, "\n".join(lines))
    return flags.OK


def _motion_facts(motion: Motion) -> dict[str, Any]:
    import numpy as np

    robot, smoothing = motion.robot, motion.smoothing
    first = 6 if robot.is_floating else 0
    speeds = np.abs(motion.v[:, first:]).max(axis=0, initial=0.0)
    fastest = int(speeds.argmax()) if len(speeds) else 0
    cutoff = smoothing.cutoff if smoothing else None
    facts = {
        "motion": motion.name,
        "robot": robot.name,
        "samples": len(motion),
        "duration [s]": round(motion.duration, 6),
        "rate [Hz]": round(motion.rate, 6),
        "smoothed at [Hz]": "" if cutoff is None else round(cutoff, 6),
        "fastest joint": robot.joint_of_row[first + fastest] if len(speeds) else "",
        "at [rad/s]": round(float(speeds[fastest]), 6) if len(speeds) else "",
    }
    if first:
        way = motion.q[:, :3]
        facts["base from [m]"] = [round(float(x), 4) for x in way.min(axis=0)]
        facts["base to [m]"] = [round(float(x), 4) for x in way.max(axis=0)]
    return facts | {"notes": list(motion.notes)}


def _words(foot: Foot) -> str:
    """A foot in words: its frame, and the extents of its sole or the radius of its ball."""
    if foot.is_point:
        ball = "neither a ball nor a sole" if foot.is_bare else f"radius {foot.radius:.3g} m"
        return f"{foot.name} ({foot.frame}, point, {ball})"
    x, y = foot.vertices.max(axis=0) - foot.vertices.min(axis=0)
    return f"{foot.name} ({foot.frame}, sole {x:.3g} x {y:.3g} m)"


def _closure(closure: Any) -> str:
    """A closure in words: a loop of two frames, or a joint that follows."""
    if hasattr(closure, "leader"):
        return f"{closure.name}: {closure.joint} follows {closure.leader or 'nothing'}"
    return f"{closure.name}: {closure.frame_1} and {closure.frame_2} ({closure.kind})"


def _ahead(robot: Robot) -> str:
    """The axis of the base that points ahead."""
    from ..contacts import at_feet

    if not (robot.is_floating and robot.feet):
        return ""
    forward = at_feet(robot).forward
    k = int(abs(forward).argmax())
    return f"{'-' if forward[k] < 0 else ''}{'xyz'[k]} of the base"


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
        "ahead": _ahead(robot),
        "joints": list(robot.joint_names),
        "actuated": list(robot.actuated),
        "motors by speed": list(robot.motor_data),
        "closures": [_closure(closure) for closure in robot.closures],
        **{f"{kind} in file": words for kind, words in diagnosis.rows(robot.kept).items()},
        "frames": len(robot.frame_names),
    }
