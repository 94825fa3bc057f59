"""What is made of a caller's arrays has its own: nothing changes with them afterwards."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pinocchio as pin
import pytest

from footwork import biomechanics, contacts, control, dynamics

CERTAIN = np.ones((5, 2))
POSE = pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.1]))


def rows(width):
    return np.linspace(0.0, 0.1, 5 * width).reshape(5, width)


def times():
    return np.linspace(0.0, 1.0, 5)


def samples(robot):
    """Return t, q, v and a of a robot that stands."""
    return times(), np.tile(robot.posture(), (5, 1)), rows(robot.nv), rows(robot.nv)


def log(robot, t, q, v, tau, gyro, accelerometer):
    given = {"gyro": gyro, "accelerometer": accelerometer}
    return control.SensorLog(robot, t=t, q=q, v=v, tau=tau, **given)


def schedule(robot, t, touching, certainty):
    return contacts.ContactSchedule(contacts.at_feet(robot), t, touching, certainty)


def asked(robot, q, v, a):
    return contacts.batch.contact_forces(robot, q, v, a, contacts.at_feet(robot)).asked


# what of it is read, what is made, the arguments that are changed afterwards
MADE = {
    "ComTask": ("target", lambda r, x: control.ComTask(x), np.ones(3)),
    "ComTask weight": ("weight", lambda r, w: control.ComTask(np.ones(3), weight=w), np.ones(3)),
    "FrameTask": ("target", lambda r, T: control.FrameTask(T, frame="torso"), POSE),
    "GazeConstraint": (
        "target", lambda r, x: control.GazeConstraint(x, frame="head", angle=0.5), np.ones(3)
    ),
    "ForcePulse": ("force", lambda r, f: control.ForcePulse("torso", f, 0.0), np.ones(3)),
    "JointSprings": ("rest", lambda r, q: dynamics.JointSprings(1.0, rest=q), np.ones(26)),
    "JointSprings stiffness": (
        "stiffness", lambda r, k: dynamics.JointSprings(k), {"left_knee": 1.0}
    ),
    "Motion": ("t q v a", dynamics.Motion, samples),
    "ContactSchedule": ("t touching certainty", schedule, times(), CERTAIN > 0, CERTAIN),
    "SensorLog": (
        "t q v tau gyro accelerometer", log,
        lambda r: [times(), *map(rows, (r.nq - 7, r.nv - 6, r.na, 3, 3))],
    ),
    "Markers": (
        "positions", lambda r, x: biomechanics.Markers(("a", "b"), x, 100.0), np.zeros((5, 2, 3))
    ),
    "ForcePlate": (
        "force moment",
        lambda r, f, m: biomechanics.ForcePlate("plate", f, m, np.zeros(3), 100.0),
        rows(3), rows(3),
    ),
    "batch.contact_forces": ("q v a", asked, lambda r: samples(r)[1:]),
}  # fmt: skip


def numbers(x):
    if isinstance(x, dict):
        return np.array(list(x.values()))
    return np.array(x.homogeneous if isinstance(x, pin.SE3) else x, dtype=float)


def change(x):
    if isinstance(x, dict):
        x.update(dict.fromkeys(x, 9.0))
    elif isinstance(x, pin.SE3):
        x.translation += 9.0
    else:
        x[...] = ~x if x.dtype == bool else x + 9.0


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_of_arrays_keeps_its_values(biped, name):
    read, make, *given = MADE[name]
    given = list(given[0](biped)) if callable(given[0]) else deepcopy(given)
    made = make(biped, *given)
    before = [numbers(getattr(made, attribute)) for attribute in read.split()]
    for x in given:
        change(x)
    for attribute, old in zip(read.split(), before, strict=True):
        assert np.array_equal(numbers(getattr(made, attribute)), old), attribute
