"""Known wrenches on links, as of a payload or a push: what controllers make of them."""

from __future__ import annotations

import numpy as np
import pytest
from stances import standing

import footwork as fw
from footwork import ConfigurationError, control, dynamics
from footwork.commands.simulate import CROUCH


def controller_of(robot, feet, q, **options):
    tasks = [control.ComTask(dynamics.com(robot, q), weight=10.0), control.PostureTask(q)]
    return control.WholeBodyController(robot, feet, tasks, on_failure="raise", **options)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("name", "link"), [("talos", "torso_2_link"), ("go2", "base")])
def test_torques_and_forces_balance_them(name, link, strict):
    """M a + vᵀCv − τ_g − τ_ext = Sᵀτ + Σ Jᵀw, by the recursion, on one that moves."""
    robot, feet, q = standing(name)
    rng = np.random.default_rng(0)
    v = 0.1 * rng.normal(size=robot.nv)
    local = fw.Wrench(0.03 * robot.weight * rng.normal(size=3), rng.normal(size=3), axes="local")
    known = {link: local, feet.contacts[0].frame: fw.Wrench([3.0, -2.0, 1.0])}
    command = controller_of(robot, feet, q, wrenches=known, strict=strict)(q, v)
    at_feet = feet.jacobian(q).T @ command.f + robot.selection_matrix.T @ command.tau
    left = dynamics.inverse_dynamics(robot, q, v, command.a, known) - at_feet
    assert np.abs(left).max() < 1e-9 * robot.weight
    assert command.status == "optimal"
    assert command.residuals["torque balance"] < 1e-9 * robot.weight


def test_they_may_be_a_function_of_time_and_be_set():
    robot, feet, q = standing("talos")
    known, v = {"torso_2_link": fw.Wrench([20.0, 0.0, -30.0])}, np.zeros(robot.nv)
    expected = controller_of(robot, feet, q, wrenches=known)(q, v).tau
    later = controller_of(robot, feet, q, wrenches=lambda t: known if t >= 1.0 else None)
    plain = controller_of(robot, feet, q)
    untold = plain(q, v, 0.5).tau
    np.testing.assert_array_equal(later(q, v, 0.5).tau, untold)
    np.testing.assert_allclose(later(q, v, 1.0).tau, expected, rtol=0, atol=1e-9)
    plain.wrenches = known
    np.testing.assert_allclose(plain(q, v, 0.6).tau, expected, rtol=0, atol=1e-9)
    assert np.abs(expected - untold).max() > 5.0


@pytest.mark.parametrize(
    ("wrenches", "words"),
    [
        ({"torso_2_lnk": fw.Wrench([1.0, 0.0, 0.0])}, "did you mean 'torso_2_link'"),
        ({"torso_2_link": [1.0, 0.0, 0.0]}, "expected a Wrench"),
        ([fw.Wrench([1.0, 0.0, 0.0])], "expected a mapping"),
        (lambda t: {"torso_2_link": 3.0}, "expected a Wrench"),
    ],
)
def test_what_are_no_wrenches_of_its_links_is_refused(wrenches, words):
    robot, feet, q = standing("talos")
    with pytest.raises(ConfigurationError, match=words):
        controller_of(robot, feet, q, wrenches=wrenches)(q, np.zeros(robot.nv))


def ends(robot, feet, q, make, force, **options):
    """How far the centre of mass is from where it began, on average over the last half second,
    pulled at the trunk all the time [m]."""
    pull = control.ForcePulse(control.trunk(robot), tuple(force), 0.0, 2.0)
    motion = control.simulate(
        robot, make(**options), duration=2.0, step=2e-3, q=q, contacts=feet,
        disturbances=[pull], progress=False,
    )  # fmt: skip
    assert not motion.ended
    return motion.com[-250:].mean(axis=0) - motion.com[0]


def test_a_robot_that_stands_stays_where_it_is():
    robot, feet, q = standing("talos")
    force = 0.03 * robot.weight * np.array([0.0, 1.0, 0.0])

    def stands(**options):
        return control.stand(robot, feet, q, **options)[0]

    known = {control.trunk(robot): fw.Wrench(force)}
    assert np.abs(ends(robot, feet, q, stands, force, wrenches=known)).max() < 1e-4
    assert abs(ends(robot, feet, q, stands, force)[1]) > 5e-3


@pytest.mark.parametrize(
    ("name", "gait", "speed", "share", "kind", "axis", "within"),
    [
        ("talos", "walk", 0.4, (0.0, 0.04, 0.0), control.GaitController, 1, 0.25),
        ("go2", "trot", 0.4, (0.0, 0.0, -0.15), control.GaitController, 2, 0.1),
        ("go2", "trot", 0.4, (0.0, 0.0, -0.15), control.PredictiveGait, 2, 0.75),
    ],
)
def test_gaits_keep_to_their_path_under_them(name, gait, speed, share, kind, axis, within):
    """Pulled aside or laden; the plan of ξ leans against the pull."""
    robot = fw.load(name)
    standing, q = control.stand(robot, crouch=CROUCH.get(gait, 0.0))
    feet, force = standing.contacts, robot.weight * np.array(share)

    def walks(**options):
        return kind(robot, feet, q, gait, velocity=(speed, 0.0, 0.0), **options)

    known = {control.trunk(robot): fw.Wrench(force)}
    told = ends(robot, feet, q, walks, force, wrenches=known)[axis]
    untold = ends(robot, feet, q, walks, force)[axis]
    assert abs(told) < within * abs(untold), (told, untold)
