"""Friction against turning: soft points and patches with a torsional limit, by second methods."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest

from footwork import ContactError, Wrench, contacts, dynamics, robots
from footwork.contacts import PointContact, SoftFingerCone, SurfaceContact, static_hold
from footwork.contacts.cones.friction_cone import axes_along

G = 9.81
MASS, SIZE = 3.0, (0.4, 0.3, 0.2)
WEIGHT = MASS * G
SIDES = [3, 4, 5, 8, 12]


# --- the cone of a soft point ------------------------------------------------------------------


def unit(rng, shape):
    x = rng.standard_normal(shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def random_soft_wrenches(cone, rng, count):
    """[f; m] about the cone's surface, in and out, with the excess by the definition."""
    T = axes_along(cone.normal)
    d = unit(rng, (count, 3)) * rng.uniform(0.8, 1.2, (count, 1))
    forces = cone.friction * d[:, :2] @ T[:, :2].T + cone.normal
    w = np.column_stack([forces, cone.torsional_friction * d[:, 2]])
    return w * rng.uniform(0.5, 20, (count, 1)), np.linalg.norm(d, axis=1) - 1


@pytest.mark.parametrize("seed", range(3))
def test_soft_cone_is_an_ellipsoid(seed):
    rng = np.random.default_rng(seed)
    cone = SoftFingerCone(0.4 + seed, 0.02 * (1 + seed), unit(rng, 3))
    wrenches, excess = random_soft_wrenches(cone, rng, 300)
    assert [cone.contains(w) for w in wrenches] == list(excess <= 0)
    w = cp.Variable(4)
    for wrench in wrenches[:4]:
        share = cone.friction / cone.torsional_friction
        scaled = cp.norm(cp.multiply([1, 1, 1, share], w - wrench))
        problem = cp.Problem(cp.Minimize(scaled), cone.constraints(w))
        problem.solve(solver="CLARABEL")
        assert cone.violation(wrench) == pytest.approx(problem.value, abs=1e-5)
        assert cone.contains(cone.project(wrench), 1e-9)


@pytest.mark.parametrize("sides", SIDES)
def test_soft_pyramids_are_sound(sides):
    rng = np.random.default_rng(sides)
    cone = SoftFingerCone(0.5, 0.03, unit(rng, 3))
    wrenches, excess = random_soft_wrenches(cone, rng, 2000)
    inner, outer = (
        (wrenches @ cone.faces(sides, kind).T <= 1e-12).all(axis=1) for kind in ("inner", "outer")
    )
    assert (excess[inner] <= 1e-9).all()
    assert outer[excess <= -1e-9].all()
    assert outer[inner].all()
    assert (inner != outer).any()
    # n of the rays lie on Coulomb's cone, without moment
    flat = [r for r in cone.rays(sides) if abs(r[3]) < 1e-12]
    assert len(flat) == sides
    assert (cone.rays(sides) @ cone.faces(sides).T <= 1e-12).all()


# --- wrench cones ------------------------------------------------------------------------------


def test_net_cone_with_torsional_friction():
    """The pull of a pinch about its axis: two soft points turn what two hard ones cannot."""
    robot = robots.block()
    frame, q, x = robot.model.frames[2].name, robot.neutral(), np.array([1.0, 0, 0])

    def pinch(torsion):
        fingers = [
            PointContact(frame, 1.0, n, -0.1 * n, name=name, torsional_friction=torsion)
            for name, n in (("left", x), ("right", -x))
        ]
        return contacts.ContactSet(robot, fingers)

    turn = [0, 0, 0, 1, 0, 0]
    for kind in ("exact", "inner", "outer"):
        assert not contacts.net_wrench_cone(pinch(None), q, kind=kind).contains(turn)
        assert contacts.net_wrench_cone(pinch(0.02), q, kind=kind).contains(turn)


# --- holds -------------------------------------------------------------------------------------


def block_on_a_point(torsion=None, mu=0.5):
    toe = PointContact("block", mu, offset=[0, 0, -0.1], torsional_friction=torsion)
    robot = robots.block(mass=MASS, size=SIZE)
    return robot, robot.neutral(), toe


def turned_by(yaw):
    return {"block": Wrench([0, 0, 0], [0, 0, yaw])}


@pytest.mark.parametrize("seed", range(4))
def test_block_on_a_soft_point(seed):
    """The margin in closed form: W − ‖(T/μ, M/γ)‖."""
    rng = np.random.default_rng(seed)
    mu, gamma = 0.5, 0.04
    robot, q, toe = block_on_a_point(gamma, mu)
    T, M = mu * WEIGHT * rng.uniform(0, 1), gamma * WEIGHT * rng.uniform(-1, 1)
    force, r = T * np.append(unit(rng, 2), 0.0), toe.pose(robot, q).translation - q[:3]
    load = {"block": Wrench(force, np.cross(r, force) + np.array([0, 0, M]))}
    hold = static_hold(robot, q, toe, load)
    margin = WEIGHT - np.hypot(T / mu, M / gamma)
    assert hold.margin == pytest.approx(margin, abs=1e-5)
    assert hold.feasible is bool(margin > 0)
    if hold.feasible:
        wrench = hold.wrenches[toe.frame]
        assert wrench.moment == pytest.approx([0, 0, -M], abs=1e-7)
        assert hold.residual < 1e-6
    else:
        check_certificate(robot, q, hold, load)


@pytest.mark.parametrize("gamma", [0.01, 0.05, 1.0])
def test_yaw_of_a_patch(gamma):
    """The margin in closed form: the smaller of what corners and torsional friction give."""
    mu, M = 0.5, 1.1
    robot, q, _ = block_on_a_point()
    below = pin.SE3(np.eye(3), np.array([0, 0, -SIZE[2] / 2]))
    half = {"half_length": SIZE[0] / 2, "half_width": SIZE[1] / 2}
    rubs = {"friction": mu, "torsional_friction": gamma}
    sole, load = SurfaceContact("block", **half, **rubs, placement=below), turned_by(M)
    hold = static_hold(robot, q, sole, load)
    radius = np.hypot(SIZE[0], SIZE[1]) / 2
    assert hold.margin == pytest.approx(WEIGHT - M / min(gamma, mu * radius), abs=1e-5)
    if hold.feasible:
        total = hold.wrenches[sole.frame]
        assert abs(total.moment[2]) <= gamma * total.force[2] + 1e-6
        return
    check_certificate(robot, q, hold, load)
    for words in (
        "torsional friction",
        "spins",
        f"yaw moment of {M:.4g} N·m",
        f"exceeds the {gamma * WEIGHT:.4g} N·m",
        f"{M / WEIGHT:.3g} m at every contact would hold",
    ):
        assert words in hold.reason


def test_reason_of_a_soft_point():
    reason = static_hold(*block_on_a_point(0.02), turned_by(1.0)).reason
    assert "spins about its normal" in reason
    assert f"the yaw moment of 1 N·m on block exceeds the {0.02 * WEIGHT:.4g} N·m" in reason
    assert static_hold(*block_on_a_point(), turned_by(1.0)).margin == -np.inf


def check_certificate(robot, q, hold, load):
    """Power of the load less the most that contacts and torques take, by sampled forces."""
    y, rng = hold.certificate, np.random.default_rng(0)
    h = dynamics.gravity_torques(robot, q) + dynamics.external_torques(robot, q, load)
    assert y @ h > 0
    for contact in hold.contacts:
        rays = contacts.PointForces.of(hold.contacts, q).rays("inner", 16)
        J = dynamics.frame_jacobian(robot, q, contact.frame)
        twist = J @ y
        origin = dynamics.frame_placement(robot, q, contact.frame).translation
        at_zero = np.concatenate([twist[:3] - np.cross(twist[3:], origin), twist[3:]])
        assert (rng.random((50, len(rays))) @ rays @ at_zero >= -1e-6).all()
        assert (rays @ at_zero >= -1e-7).all()


def test_friction_margin_counts_torsional_friction():
    """Yaw alone on a soft point: γ may shrink by γ W / M."""
    hold = static_hold(*block_on_a_point(0.04), turned_by(0.5))
    assert hold.friction_margin() == pytest.approx(0.04 * WEIGHT / 0.5, rel=1e-3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"torsional_friction": -1}, "torsional_friction"),
        ({"torsional_friction": 0.1, "bilateral": True}, "no friction limit"),
    ],
)
def test_impossible_torsional_friction(given, says):
    with pytest.raises(ContactError, match=says):
        PointContact("toe", 0.5, **given)
    with pytest.raises(ContactError, match=says):
        SurfaceContact("sole", half_length=1, half_width=1, friction=0.5, **given)


def test_what_turns_must_rub():
    with pytest.raises(ContactError, match="positive friction"):
        PointContact("toe", 0.0, torsional_friction=0.1)
    with pytest.raises(ContactError, match="positive"):
        SoftFingerCone(0.0, 0.1)
    with pytest.raises(ContactError, match="above 0"):
        SoftFingerCone(0.5, 0.0)
    with pytest.raises(ContactError, match=r"expected \(4,\)"):
        SoftFingerCone(0.5, 0.1).violation([1, 2, 3])
