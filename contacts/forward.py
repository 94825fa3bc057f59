"""Forward: the axis of the base that points ahead, by the sides that the names of feet tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..dynamics import State
from .attachment import Attachment
from .contact import Contact

PARTS = re.compile("(leg|foot|ankle|sole|toe|wheel)$")  # that a side may be written with
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of snake_case and of CamelCase
ROWS = "fhrbm"  # of feet: front, hind, rear, back, middle
ALONG = 0.9  # cosine from which on an axis of the base is taken for the one to the left


def forward(feet: Sequence[Contact], attachment: Attachment) -> Array:
    """Return the axis (3,) of the base that points ahead, in its axes.

    x, as is usual (REP 103), unless the names of feet tell that left is elsewhere: with u the mean
    of the left ones' places at neutral minus that of the right ones', and z up as the robot stands,
    the axis nearest to u × z.
    """
    robot, sides = attachment.robot, np.array([side(x.name) or side(x.frame) for x in feet])
    if 1 in sides and -1 in sides:
        neutral = State(robot, robot.neutral())
        places = attachment.positions(neutral) @ _base(neutral)
        u = places[sides == 1].mean(axis=0) - places[sides == -1].mean(axis=0)
        down = robot._model.gravity.linear @ _base(State(robot, robot.posture()))
        ahead = np.cross(down, u)
        k = int(np.abs(ahead).argmax())
        if abs(ahead[k]) > ALONG * np.linalg.norm(ahead):
            return _axis(k, float(np.sign(ahead[k])))
    return _axis(0, 1.0)


def side(name: str) -> int:
    """Return 1 where a name tells a foot on the left, −1 on the right, 0 where it tells neither.

    As in left_foot, l_sole, LAnkle, LLEG_5, FL_foot, foot_RR or LF: of two letters one is a row.
    """
    for word in WORDS.findall(name):
        letters = PARTS.sub("", word.lower())
        if letters in ("left", "l") or _of_row(letters, "l"):
            return 1
        if letters in ("right", "r") or _of_row(letters, "r"):
            return -1
    return 0


def _of_row(letters: str, side: str) -> bool:
    """Whether two letters are this side and a row."""
    return len(letters) == 2 and side in letters and letters.replace(side, "", 1) in ROWS


def _base(state: State) -> Array:
    """R_world_base (3, 3)."""
    return state.joint_placements[1, :, :3]


def _axis(k: int, sign: float) -> Array:
    """± the k-th unit vector (3,), read-only."""
    axis = np.zeros(3)
    axis[k] = sign
    axis.flags.writeable = False
    return axis
