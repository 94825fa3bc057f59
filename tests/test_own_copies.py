"""What is made of a caller's arrays has its own: nothing changes with them afterwards."""

from __future__ import annotations

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


# what is made, the arguments that are changed afterwards, what of it is read
MADE = {
    "ComTask": (lambda r, x: control.ComTask(x), lambda r: [np.ones(3)], ["target"]),
    "ComTask weight": (
        lambda r, w: control.ComTask(np.ones(3), weight=w),
        lambda r: [np.ones(3)],
        ["weight"],
    ),
    "FrameTask": (
        lambda r, T: control.FrameTask(T, frame="torso"),
        lambda r: [POSE.copy()],
        ["target"],
    ),
    "GazeConstraint": (
        lambda r, x: control.GazeConstraint(x, frame="head", angle=0.5),
        lambda r: [np.ones(3)],
        ["target"],
    ),
    "ForcePulse": (
        lambda r, f: control.ForcePulse("torso", f, 0.0),
        lambda r: [np.ones(3)],
        ["force"],
    ),
    "JointSprings": (
        lambda r, q: dynamics.JointSprings(1.0, rest=q),
        lambda r: [r.posture()],
        ["rest"],
    ),
    "JointSprings stiffness": (
        lambda r, k: dynamics.JointSprings(k),
        lambda r: [{"left_knee": 1.0}],
        ["stiffness"],
    ),
    "Motion": (dynamics.Motion, samples, ["t", "q", "v", "a"]),
    "ContactSchedule": (
        lambda r, *x: contacts.ContactSchedule(contacts.at_feet(r), *x),
        lambda r: [times(), CERTAIN > 0, CERTAIN.copy()],
        ["t", "touching", "certainty"],
    ),
    "SensorLog": (
        log,
        lambda r: [times(), *map(rows, (r.nq - 7, r.nv - 6, r.na, 3, 3))],
        ["t", "q", "v", "tau", "gyro", "accelerometer"],
    ),
    "Markers": (
        lambda r, x: biomechanics.Markers(("a", "b"), x, 100.0),
        lambda r: [np.zeros((5, 2, 3))],
        ["positions"],
    ),
    "ForcePlate": (
        lambda r, f, m: biomechanics.ForcePlate("plate", f, m, np.zeros(3), 100.0),
        lambda r: [rows(3), rows(3)],
        ["force", "moment"],
    ),
    "batch.contact_forces": (
        lambda r, q, v, a: contacts.batch.contact_forces(r, q, v, a, contacts.at_feet(r)).asked,
        lambda r: samples(r)[1:],
        ["q", "v", "a"],
    ),
}


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
    make, arguments, read = MADE[name]
    given = list(arguments(biped))
    made = make(biped, *given)
    before = [numbers(getattr(made, attribute)) for attribute in read]
    for x in given:
        change(x)
    for attribute, old in zip(read, before, strict=True):
        assert np.array_equal(numbers(getattr(made, attribute)), old), attribute
