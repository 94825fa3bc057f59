"""Misspelt keyword arguments: answered by the nearest names, where calls take many."""

from __future__ import annotations

import inspect
import pickle
from functools import partial

import numpy as np
import pytest

import footwork as fw
from footwork import ConfigurationError, contacts, control, dynamics
from footwork.options import check_options, names_checked

ROBOT = fw.load("biped")
Q, FEET = ROBOT.posture(), fw.at_feet(ROBOT)

CALLS = [
    (partial(fw.load, "biped"), "bse", "base"),
    (partial(fw.at_feet, ROBOT), "frictions", "friction"),
    (partial(fw.at_feet, ROBOT), "max_norml", "max_normal"),
    (partial(fw.static_hold, ROBOT, Q, FEET), "torque_limit", "torque_limits"),
    (contacts.contact_forces, "torque_limit", "torque_limits"),
    (contacts.solve_posture, "target", "targets"),
    (contacts.solve_velocity, "task", "tasks"),
    (contacts.static_equilibrium_polygon, "tolerace", "tolerance"),
    (contacts.feasible_region, "torque_limit", "torque_limits"),
    (contacts.audit, "frction", "friction"),
    (contacts.sweep, "axis", "axes"),
    (contacts.batch.static_hold, "torque_limit", "torque_limits"),
    (contacts.batch.contact_forces, "activ", "active"),
    (partial(fw.PointContact, "foot"), "fricton", "friction"),
    (partial(fw.SurfaceContact, "foot"), "half_lenght", "half_length"),
    (partial(contacts.HeightMap, "rocks"), "hights", "heights"),
    (partial(contacts.Box, "step"), "frction", "friction"),
    (contacts.WrenchCone, "side", "sides"),
    (dynamics.simulate, "duraton", "duration"),
    (dynamics.linearise, "contact", "contacts"),
    (control.WholeBodyController, "torque_limit", "torque_limits"),
    (control.FrameTask, "frme", "frame"),
    (control.ComTask, "wieght", "weight"),
    (control.GazeConstraint, "angel", "angle"),
    (control.repair, "frction", "friction"),
    (control.simulate, "duraton", "duration"),
    (control.judge, "seed", "seeds"),
    (control.judging.trial, "impluse", "impulse"),
    (control.judging.World.real, "terain", "terrain"),
    (fw.Viewer, "detial", "detail"),
]


@pytest.mark.parametrize(
    ("call", "given", "meant"), CALLS, ids=[f"{given}-{k}" for k, (_, given, _) in enumerate(CALLS)]
)
def test_a_misspelt_option_is_answered_by_the_nearest(call, given, meant):
    with pytest.raises(ConfigurationError, match=f"no option '{given}'; did you mean .*'{meant}'"):
        call(**{given: None})


def test_signatures_words_and_pickles_stay():
    """What is given for arguments that it has is as ever: Python counts it."""
    assert list(inspect.signature(fw.static_hold).parameters)[:3] == ["robot", "q", "contacts"]
    assert "torque_limits" in fw.static_hold.__doc__
    assert pickle.loads(pickle.dumps(fw.static_hold)) is fw.static_hold
    foot = pickle.loads(pickle.dumps(FEET["left_foot"]))
    assert isinstance(foot, fw.SurfaceContact)
    assert "frame" in inspect.signature(fw.SurfaceContact).parameters
    with pytest.raises(TypeError, match="missing"):
        fw.static_hold(ROBOT, Q)
    with pytest.raises(TypeError, match="multiple values"):
        fw.static_hold(ROBOT, Q, FEET, contacts=FEET)


def test_options_are_those_of_a_function_and_of_whom_it_hands_them_on_to():
    def takes(x, *, size=1, **options):
        check_options(options, "takes", takes, handed)
        return x

    def handed(*, colour="red"):
        return colour

    assert takes(1, size=2, colour="blue") == 1
    with pytest.raises(ConfigurationError, match="takes: no option 'color'; did you mean 'colour'"):
        takes(1, color="blue")

    @names_checked
    class Kind:
        def __init__(self, size=1):
            self.size = size

    assert Kind(size=2).size == 2
    with pytest.raises(ConfigurationError, match="Kind: no option 'sise'; did you mean 'size'"):
        Kind(sise=2)
    assert np.size(Kind().size) == 1
