"""Gradients of margins in batches: single ones, and differences of margins solved afresh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from differences import slope

import footwork as fw
from footwork import ContactError, Wrench, contacts, robots
from footwork.contacts import batch
from footwork.robots.motor import Motor

pytestmark = pytest.mark.timeout(600)  # the first run compiles kernels
ROBOTS = ("g1", "talos", "go2", "biped")


def feet_of(name):
    robot = robots.load(name)
    return robot, contacts.at_feet(robot, 0.6)


def stepped(robot, Q, steps):
    """Every row of Q and a step from there."""
    return np.array([robot.integrate(q, step) for q, step in zip(Q, steps, strict=True)])


def along(rows, directions):
    return np.einsum("ni,ni->n", rows, directions)


def moving(robot, count, seed=0, size=0.1):
    """Random states near the robot's posture, somewhere in the world."""
    rng, posture = np.random.default_rng(seed), robot.posture()
    Q = stepped(robot, [posture] * count, size * rng.standard_normal((count, robot.nv)))
    Q[:, :2] += 2.0 * rng.standard_normal((count, 2))
    return Q, 0.3 * rng.standard_normal((count, robot.nv)), rng.standard_normal((count, robot.nv))


def every_wrench(robot):
    """One that stays at its link's point, one at a place, one that turns with its link."""
    weight, names = 9.81 * robot.mass, robot.frame_names
    return {
        names[4]: Wrench(0.05 * weight * np.array([1.0, -0.5, 0.3]), (1.0, 2.0, 3.0)),
        names[-1]: Wrench((3.0, -2.0, 1.0), (0.1, 0.2, 0.3), point=(0.1, 0.2, 0.3)),
        names[len(names) // 2]: Wrench((3.0, -2.0, 1.0), (0.1, 0.2, 0.3), axes="local"),
    }


@pytest.mark.parametrize("limited", [True, False])
@pytest.mark.parametrize("name", ROBOTS)
def test_rows_are_single_gradients(name, limited):
    robot, feet = feet_of(name)
    wrenches, (Q, V, A) = every_wrench(robot), moving(robot, 9)
    more = {"wrenches": wrenches, "torque_limits": limited}
    found = batch.margin_gradients(robot, Q, V, A, feet, **more)
    for i, (q, v, a) in enumerate(zip(Q, V, A, strict=True)):
        hold = contacts.contact_forces(robot, q, v, a, feet, **more)
        if not np.isfinite(hold.margin):
            assert found.margin[i] == hold.margin
            assert "margin" in found.kinks[i]
            assert np.isnan(found.q[i]).all()
            continue
        one = contacts.margin_gradient(hold, v, a)
        pairs = {
            "margin": (found.margin[i], one.margin),
            "q": (found.q[i], one.q),
            "load": (found.load[i], one.load),
            "torque limits": (found.torque_limits[i], one.torque_limits),
            "friction": (found.friction[i].sum(axis=1), list(one.friction.values())),
            "placement": (found.placement[i], list(one.placement.values())),
        }
        for what, (many, alone) in pairs.items():
            unit = 1 + np.abs(alone).max()
            assert np.abs(many - alone).max() < 1e-9 * unit, what
    assert found.smooth.any()


@pytest.mark.parametrize("name", ROBOTS)
def test_slopes_are_those_of_margins_solved_afresh(name):
    """Along q, v, a, loads, friction, with all kinds of wrenches, for all rows at once."""
    robot, feet = feet_of(name)
    wrenches, (Q, V, A) = every_wrench(robot), moving(robot, 24, seed=1)
    rng, N = np.random.default_rng(3), len(Q)
    gradient = batch.margin_gradients(robot, Q, V, A, feet, wrenches=wrenches, friction=0.6)
    smooth = gradient.smooth
    assert smooth.sum() > 10

    def margin(q=Q, v=V, a=A, friction=0.6, wrenches=wrenches):
        asked = {"friction": friction, "wrenches": wrenches}
        return batch.margin_gradients(robot, q, v, a, feet, **asked).margin[smooth]

    def pushed(t):
        return {
            frame: replace(w, force=w.force + t * more[:3], moment=w.moment + t * more[3:])
            for (frame, w), more in zip(wrenches.items(), forces.values(), strict=True)
        }

    d = rng.standard_normal((N, robot.nv))
    forces = {frame: rng.standard_normal(6) for frame in wrenches}
    by_wrenches = sum(gradient.wrenches[frame] @ forces[frame] for frame in wrenches)
    expected = {
        "q": (along(gradient.q, d), 1e-4, lambda t: {"q": stepped(robot, Q, t * d)}),
        "v": (along(gradient.v, d), 1e-3, lambda t: {"v": V + t * d}),
        "a": (along(gradient.a, d), 1e-3, lambda t: {"a": A + t * d}),
        "friction": (gradient.friction.sum(axis=(1, 2)), 1e-4, lambda t: {"friction": 0.6 + t}),
        "wrenches": (by_wrenches, 1e-2, lambda t: {"wrenches": pushed(t)}),
    }
    for what, (known, step, at) in expected.items():
        differences = slope(lambda t, at=at: margin(**at(t)), step)
        unit = max(np.abs(known[smooth]).max(), 1.0)
        off = np.abs(known[smooth] - differences) / unit
        # a step may cross a kink nearby
        assert np.median(off) < 1e-7, what
        assert np.quantile(off, 0.8) < 1e-6, what


def test_the_time_of_a_step_is_along_its_velocity_and_acceleration():
    """Along a parabola of the joints dε/dt = ε_q v + ε_v a + ε_a 0."""
    robot, feet = feet_of("g1")
    Q, V, A = moving(robot, 8, seed=5)
    V[:, :6] = A[:, :6] = 0.0  # a base's acceleration is no derivative of v in its own axes
    found = batch.margin_gradients(robot, Q, V, A, feet)

    def margin(t):
        q = stepped(robot, Q, t * V + t * t / 2 * A)
        return batch.contact_forces(robot, q, V + t * A, A, feet).margin

    rate = along(found.q, V) + along(found.v, A)
    off = np.abs(rate - slope(margin, 1e-4))[found.smooth]
    assert np.median(off) < 1e-5 * 9.81 * robot.mass


def test_pushes_about_the_centre_of_mass():
    """Their point moves with the centre of mass, which moves with the joints."""
    (robot, feet), rng = feet_of("talos"), np.random.default_rng(0)
    Q, V, A = moving(robot, 12, seed=2, size=0.05)
    W, d = 40.0 * rng.standard_normal((12, 6)), rng.standard_normal((12, robot.nv))
    found = batch.margin_gradients(robot, Q, V, A, feet, wrenches=W, torque_limits=False)

    def margin(t, s):
        states, asked = (stepped(robot, Q, t * d), V, A), {"wrenches": W + s * W[::-1]}
        return batch.contact_forces(robot, *states, feet, **asked, torque_limits=False).margin

    for known, expected in (
        (along(found.q, d), slope(lambda t: margin(t, 0.0), 1e-4)),
        (along(found.wrenches[""], W[::-1]), slope(lambda s: margin(0.0, s), 1e-4)),
    ):
        off = np.abs(known - expected)[found.smooth] / np.abs(known).max()
        assert np.quantile(off, 0.8) < 1e-6


def test_wrenches_along_time_are_those_of_each_row():
    (robot, feet), rng = feet_of("g1"), np.random.default_rng(0)
    Q, V, A = moving(robot, 6, seed=9)
    hand, rows = robot.frame_names[-1], 5.0 * rng.standard_normal((6, 6))
    found = batch.margin_gradients(robot, Q, V, A, feet, wrenches={hand: rows})
    for i in range(6):
        wrench = Wrench(rows[i, :3], rows[i, 3:])
        one = batch.margin_gradients(robot, Q[i], V[i], A[i], feet, wrenches={hand: wrench})
        for many, alone in ((found.q, one.q), (found.wrenches[hand], one.wrenches[hand])):
            assert np.allclose(many[i], alone[0], rtol=1e-9, atol=1e-9, equal_nan=True)


def test_contacts_one_by_one():
    """Corners that come and go: each row is that of the contacts that touch in it."""
    robot = robots.load("g1")
    corners = contacts.at_corners(robot, 0.6)
    rng = np.random.default_rng(0)
    Q, V, A = moving(robot, 16, seed=4)
    active = rng.random((16, len(corners))) < 0.7
    active[3] = False
    found = batch.margin_gradients(robot, Q, V, A, corners, active=active)
    assert found.kinks[3] == "nothing touches"
    assert abs(found.margin[3]) == np.inf
    for i in np.flatnonzero(active.any(axis=1)):
        some = [c for c, on in zip(corners, active[i], strict=True) if on]
        one = batch.margin_gradients(robot, Q[i], V[i], A[i], some)
        assert one.kinks[0] == found.kinks[i]
        for name in ("margin", "q", "v", "a", "load", "torque_limits"):
            many, alone = getattr(found, name)[i], getattr(one, name)[0]
            assert np.allclose(many, alone, rtol=1e-9, atol=1e-7, equal_nan=True), name
        if one.smooth[0]:
            assert np.allclose(found.friction[i][active[i]], one.friction[0], atol=1e-7)
            assert np.allclose(found.placement[i][active[i]], one.placement[0], atol=1e-7)
            assert not found.placement[i][~active[i]].any()


def test_a_block_that_may_tip_to_all_sides_has_a_kink():
    """Wherever its centre of mass goes the margin falls: several motions are optimal."""
    block = robots.load("block")
    feet, zero = contacts.at_feet(block, 0.7), np.zeros(block.nv)
    push = np.zeros((3, 6))
    push[:, 4] = -2.0, 0.0, 2.0  # moments about y, of which it could carry more
    found = batch.margin_gradients(block, block.posture(), zero, zero, feet, wrenches=push)
    assert found.kinks.tolist() == ["", "several multipliers are optimal", ""]
    slopes = found.wrenches[""][:, 4]
    assert slopes[0] == pytest.approx(-slopes[2])
    assert slopes[2] - 1e-9 <= slopes[1] <= slopes[0] + 1e-9
    assert slopes[2] < -1.0
    hold = fw.static_hold(block, block.posture(), feet)
    assert "load" in contacts.margin_gradient(hold, check=True).kinks


@pytest.mark.parametrize("name", ["g1", "biped"])
def test_kinks_are_those_of_slopes_to_both_sides(name):
    """The test of multipliers against differences, which the single gradient takes."""
    robot, feet = feet_of(name)
    zero = np.zeros(robot.nv)
    Q, _, _ = moving(robot, 5, seed=8, size=0.05)
    Q[0] = robot.posture()
    found = batch.margin_gradients(robot, Q, zero, zero, feet)
    for i, q in enumerate(Q):
        if np.isfinite(found.margin[i]):
            hold = fw.static_hold(robot, q, feet)
            assert contacts.margin_gradient(hold).unique == found.smooth[i]
    # feet on one plane squeeze it as they like, and these forces turn with the legs
    assert found.kinks[0] == "several contact forces are optimal"
    assert found.smooth.any()


def test_motors_that_give_less_at_speed():
    """Slopes along v have what the bounds change; where one bends that entry is nan, and said."""
    robot = robots.load("biped")
    limit = 0.06 * 9.81 * robot.mass
    motor = Motor(driving=((0.0, limit), (0.05, limit), (4.0, 0.0)))
    driven = robot.with_motors(dict.fromkeys(robot.actuated, motor))
    feet = contacts.at_feet(driven, 0.6)
    Q, V, A = moving(driven, 40, seed=6)
    found = batch.margin_gradients(driven, Q, V, A, feet)
    plain = batch.margin_gradients(driven, Q, V, A, feet, torque_limits=driven.motors.bounds(V))
    assert np.allclose(found.margin, plain.margin, equal_nan=True)
    d = np.random.default_rng(1).standard_normal(V.shape)
    finite = np.isfinite(found.margin)

    def margin(t):
        return batch.contact_forces(driven, Q, V + t * d, A, feet).margin[finite]

    slopes = along(found.v, d)[finite]
    off = np.abs(slopes - slope(margin, 1e-4))[found.smooth[finite]]
    assert np.quantile(off, 0.8) < 1e-6 * 9.81 * robot.mass
    assert np.abs(found.v - plain.v)[found.smooth].max() > 1.0
    joint = int(np.argmax(found.torque_limits[np.flatnonzero(found.smooth)[0]]))
    V[:, driven.actuated_rows[joint]] = 0.05
    bent = batch.margin_gradients(driven, Q, V, A, feet)
    # against the motion it gives as much at all speeds
    matters = np.isfinite(bent.margin) & (bent.load[:, driven.actuated_rows[joint]] > 1e-9)
    assert matters.any()
    assert (bent.kinks[matters] == "a bound of a torque bends at this speed").all()
    assert np.isnan(bent.v[matters, driven.actuated_rows[joint]]).all()


def test_without_kernels_and_what_they_do_not_know(monkeypatch):
    robot, feet = feet_of("biped")
    Q, V, A = moving(robot, 3, seed=7)
    known = batch.margin_gradients(robot, Q, V, A, feet)
    holding = [*feet, contacts.PointContact("right_hand", 0.5, bilateral=True)]
    held = batch.margin_gradients(robot, Q, V, A, holding)
    for i in range(3):
        hold = contacts.contact_forces(robot, Q[i], V[i], A[i], holding)
        if np.isfinite(hold.margin):
            one = contacts.margin_gradient(hold, V[i], A[i])
            assert held.load[i] == pytest.approx(one.load, abs=1e-4)  # of the conic solver
            assert held.kinks[i]
    monkeypatch.setattr("footwork.contacts.equilibrium.saddles.kernels_for", lambda count: None)
    slow = batch.margin_gradients(robot, Q, V, A, feet)
    assert slow.q == pytest.approx(known.q, rel=1e-6, abs=1e-5)
    assert slow.kinks.tolist() == known.kinks.tolist()


def test_what_is_refused():
    robot, feet = feet_of("biped")
    Q, V, A = moving(robot, 2)
    with pytest.raises(ContactError, match="3 of v"):
        batch.margin_gradients(robot, Q, np.vstack([V, V[:1]]), A, feet)
    with pytest.raises(ContactError, match="threads"):
        batch.margin_gradients(robot, Q, V, A, feet, threads=0)
    frame = robot.frame_names[3]
    third = Wrench((0, 0, 1.0), axes=robot.frame_names[-1])
    with pytest.raises(fw.ConfigurationError, match="axes"):
        batch.margin_gradients(robot, Q, V, A, feet, wrenches={frame: third})
