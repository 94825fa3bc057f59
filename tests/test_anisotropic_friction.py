"""Anisotropic friction: elliptic cones along two tangents, wherever limits are read."""

from __future__ import annotations

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest
from recorder import Recorder

from footwork import contacts, control, dynamics, robots
from footwork.contacts import (
    ContactSet,
    PointContact,
    PointForces,
    SoftFingerCone,
    SurfaceContact,
    WrenchCone,
    at_feet,
    batch,
    static_hold,
)
from footwork.contacts.equilibrium.reference import ReferenceEquilibrium
from footwork.contacts.wrench_cones.wrench_cone import inner_faces, rectangle_faces
from footwork.errors import ContactError
from footwork.visualize.plots.contacts import plot_force_course
from footwork.visualize.scenes.cones import draw_friction_cones

EXACT = {"solver": "CLARABEL", "tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
PAIR = (0.7, 0.3)
KINDS = ("inner", "outer")
RECTANGLE = SurfaceContact("sole", half_length=0.1, half_width=0.05, friction=PAIR)
# the programs by hand ask for more digits than they always get: their values are what counts
pytestmark = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
DIAGONAL = (1.0, 1.0, 0.0)


def standing(name, friction=PAIR, tangent=DIAGONAL, tilt=0.0):
    """A robot on its feet, on ground whose normal is tilted."""
    robot = robots.load(name)
    normal = np.array([0.0, np.sin(tilt), np.cos(tilt)])
    feet = at_feet(robot, friction, tangent=tangent)
    tilted = [replace(c, normal=normal) if c.dim == 3 else c for c in feet]
    return robot, robot.posture(), ContactSet(robot, tilted)


class ByHand:
    """The balance of a standing robot with elliptic cones, from Jacobians alone."""

    def __init__(self, robot, q, feet):
        self.h = dynamics.gravity_torques(robot, q)
        self.weight = robot.mass * 9.81
        self.free = np.setdiff1d(np.arange(robot.nv), robot.selection_matrix.argmax(axis=1))
        self.points, self.pull = [], np.zeros(robot.nv)
        for contact in feet:
            axes = contact.pose(robot, q).rotation
            n, mu = axes[:, 2], np.broadcast_to(contact.friction, 2)
            self.pull += contact.centre_jacobian(robot, q)[:3].T @ n
            given = getattr(contact, "tangent", None)
            t = axes[:, 0] if given is None else np.asarray(given, dtype=float)
            t = (t - (t @ n) * n) / np.linalg.norm(t - (t @ n) * n)
            across = np.cross(n, t)
            for J in contact.point_jacobians(robot, q):
                self.points.append((J, np.array([t / mu[0], across / mu[1]]), n))

    def program(self, objective, extra=0.0):
        """Forces in units of the weight, world axes."""
        f = [cp.Variable(3) for _ in self.points]
        total = self.h / self.weight + extra
        for (J, _, _), fk in zip(self.points, f, strict=True):
            total = total + J.T @ fk
        cones = [cp.norm(E @ fk) <= n @ fk for (_, E, n), fk in zip(self.points, f, strict=True)]
        return cp.Problem(objective(f), [total[self.free] == 0, *cones]), f

    def margin(self):
        epsilon = cp.Variable()
        pull = epsilon * self.pull
        problem, _ = self.program(lambda f: cp.Maximize(epsilon), pull)
        problem.solve(**EXACT)
        return float(epsilon.value) * self.weight

    def least_norm(self):
        problem, f = self.program(lambda f: cp.Minimize(sum(cp.sum_squares(fk) for fk in f)))
        problem.solve(**EXACT)
        return np.array([fk.value for fk in f]) * self.weight


@pytest.mark.parametrize("tilt", [0.0, 0.15])
@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_margin_and_forces_are_those_of_a_program_by_hand(name, tilt):
    robot, q, feet = standing(name, tilt=tilt)
    hold = static_hold(robot, q, feet, torque_limits=False)
    by_hand = ByHand(robot, q, feet)
    assert hold.feasible
    assert hold.margin == pytest.approx(by_hand.margin(), abs=1e-6 * by_hand.weight)
    forces = np.vstack(list(hold.forces.values()))
    assert np.abs(forces - by_hand.least_norm()).max() < 1e-6 * by_hand.weight
    reference = ReferenceEquilibrium.like(hold.balance)
    assert reference.margin().value == pytest.approx(hold.margin, rel=1e-6)


def test_certificates_hold_in_numpy():
    """Steep across the slippery tangent: it slips along it, and the cones take nothing out."""
    robot, q, feet = standing("quadruped", (0.9, 0.2), (1.0, 0.0, 0.0), tilt=0.3)
    hold = static_hold(robot, q, feet, torque_limits=False)
    assert hold.feasible is False
    y, by_hand = hold.certificate, ByHand(robot, q, feet)
    assert y @ by_hand.h > 0
    assert np.abs(robot.selection_matrix @ y).max() < 1e-8
    for contact in feet:
        axes, (mu, nu) = contact.pose(robot, q).rotation, contact.friction
        for J in contact.point_jacobians(robot, q):
            u = axes.T @ J @ y
            assert u[2] >= np.hypot(mu * u[0], nu * u[1]) - 1e-8
    assert "slips" in hold.reason
    assert static_hold(robot, q, standing("quadruped", (0.2, 0.9), (1.0, 0, 0), 0.3)[2]).feasible


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_two_equal_coefficients_are_one(name):
    robot, q, one = standing(name, 0.5)
    _, _, two = standing(name, (0.5, 0.5))
    ours, theirs = (static_hold(robot, q, feet, torque_limits=False) for feet in (two, one))
    scale = robot.mass * 9.81
    assert ours.margin == pytest.approx(theirs.margin, rel=1e-9)
    assert ours.push_margin() == pytest.approx(theirs.push_margin(), abs=1e-5 * scale)
    assert ours.friction_margin() == pytest.approx(theirs.friction_margin(), rel=1e-3)
    for contact in one:
        assert np.abs(ours.forces[contact.name] - theirs.forces[contact.name]).max() < 1e-9 * scale
        pair = two[contact.name], contact
        assert np.array_equal(*(WrenchCone(c, "inner", 8).faces for c in pair))
        assert np.array_equal(*(inner_faces(c, 4) for c in pair))
    mine, other = (
        contacts.static_equilibrium_polygon(robot, q, feet, kind="inner").vertices
        for feet in (two, one)
    )
    assert np.abs(mine - other).max() < 1e-9


def test_a_quarter_turn_of_the_tangent_swaps_the_pair():
    robot, q, feet = standing("quadruped", (0.7, 0.3), (1.0, 0.0, 0.0), 0.1)
    _, _, turned = standing("quadruped", (0.3, 0.7), (0.0, 1.0, 0.0), 0.1)
    one, other = (static_hold(robot, q, f, torque_limits=False) for f in (feet, turned))
    assert one.margin == pytest.approx(other.margin, rel=1e-9)
    assert one.push_margin() == pytest.approx(other.push_margin(), rel=1e-5)
    _, _, unswapped = standing("quadruped", (0.7, 0.3), (0.0, 1.0, 0.0), 0.1)
    assert abs(static_hold(robot, q, unswapped).margin - one.margin) > 1e-3 * one.margin


def test_batches_take_pairs():
    robot, q, feet = standing("quadruped", tangent=(1.0, 0.0, 0.0), tilt=0.2)
    pairs = np.array([[0.7, 0.3], [0.3, 0.7], [0.5, 0.5], [0.9, 0.1], [0.15, 0.6]])
    verdicts = batch.static_hold(robot, q, feet, friction=pairs, torque_limits=False)
    for i, (mu, nu) in enumerate(pairs):
        _, _, own = standing("quadruped", (mu, nu), (1.0, 0.0, 0.0), 0.2)
        hold = static_hold(robot, q, own, torque_limits=False)
        assert verdicts.feasible[i] == int(hold.feasible)
        assert verdicts.margin[i] == pytest.approx(hold.margin, abs=1e-6 * robot.mass * 9.81)
        held = batch.static_hold(robot, q, own, torque_limits=False)
        assert held.margin[0] == pytest.approx(hold.margin, abs=1e-6 * robot.mass * 9.81)
    with pytest.raises(ContactError, match="friction"):
        batch.static_hold(robot, q, feet, friction=np.ones((4, 3)))


def test_regions_are_those_of_a_program_by_hand():
    rng = np.random.default_rng(3)
    points = np.column_stack([rng.uniform(-0.4, 0.4, (4, 2)), np.zeros(4)])
    normals = np.array([0, 0, 1.0]) + 0.2 * rng.normal(size=(4, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    tangents, mu = rng.normal(size=(4, 3)), rng.uniform(0.2, 0.9, (4, 2))
    forces = PointForces.at(points, normals, mu, tangents)
    region = contacts.equilibrium_polygon(forces, 1e-6)
    f, c = [cp.Variable(3) for _ in points], cp.Variable(2)
    cones, moment = [], np.zeros(3)
    for p, n, t, (m1, m2), fk in zip(points, normals, tangents, mu, f, strict=True):
        x = (t - (t @ n) * n) / np.linalg.norm(t - (t @ n) * n)
        cones.append(cp.norm(np.array([x / m1, np.cross(n, x) / m2]) @ fk) <= n @ fk)
        skew = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
        moment = moment + skew @ fk
    gravity = cp.hstack([-c[1], c[0], 0.0])  # c × (0, 0, −1)
    balance = [sum(f) == np.array([0, 0, 1.0]), moment + gravity == 0]
    d = cp.Parameter(2)
    problem = cp.Problem(cp.Maximize(d @ c), [*cones, *balance])
    for angle in np.linspace(0, 6, 9):
        d.value = np.array([np.cos(angle), np.sin(angle)])
        problem.solve(**EXACT)
        inner, outer = ((d.value @ v.T).max() for v in (region.vertices, region.outer))
        assert inner - 1e-6 <= problem.value <= outer + 1e-6
        assert outer - inner < 1e-5
    shapes = [
        region.vertices,
        *(contacts.equilibrium_polygon(forces, kind=k, sides=8).vertices for k in KINDS),
    ]
    for angle in np.linspace(0, 6, 9):
        along = np.array([np.cos(angle), np.sin(angle)])
        exact, inner, outer = ((vertices @ along).max() for vertices in shapes)
        assert inner <= exact + 1e-6
        assert outer >= exact - 1e-6


def test_soft_points_share_one_ellipsoidal_cone():
    cone = SoftFingerCone((0.8, 0.4), 0.02, tangent=(1.0, 0.0, 0.0))
    rng = np.random.default_rng(1)
    for w in rng.normal(size=(200, 4)) * [1, 1, 1, 0.02] + [0, 0, 1, 0]:
        used = np.linalg.norm(w[[0, 1, 3]] / [0.8, 0.4, 0.02])
        assert cone.contains(w, 0.0) == (used <= w[2])
        p = cone.project(w)
        assert np.linalg.norm(p[[0, 1, 3]] / [0.8, 0.4, 0.02]) <= p[2] + 1e-12
    contact = PointContact("tip", (0.8, 0.4), torsional_friction=0.02, tangent=(1, 0, 0))
    exact, faces = WrenchCone(contact), inner_faces(contact, 4)
    for w in rng.normal(size=(50, 4)) * [0.6, 0.3, 0, 0.015] + [0, 0, 1, 0]:
        wrench = np.array([*w[:3], 0, 0, w[3]])
        assert exact.contains(wrench) == cone.contains(w)
        if (faces @ w <= 0).all():
            assert cone.contains(w)


def test_the_closed_form_of_a_rectangle():
    rng = np.random.default_rng(4)
    rays = WrenchCone(RECTANGLE, "inner", 4).rays
    assert (rays @ rectangle_faces(0.1, 0.05, PAIR).T <= 1e-12).all()
    faces = rectangle_faces(0.1, 0.05, np.array(PAIR) / np.sqrt(2))
    sole = WrenchCone(RECTANGLE)
    w = np.column_stack([rng.normal(0, 0.2, (60, 2)), np.ones(60), rng.normal(0, 0.03, (60, 3))])
    inside = (w @ faces.T <= 0).all(axis=1)
    assert inside.any()
    assert sole.contains(w[inside]).all()


BLOCK = robots.block(mass=2.0, size=(0.2, 0.2, 0.1))


def slid(velocity, pair):
    """A block after a millisecond from this velocity, and the sole on which it slides."""
    sole = SurfaceContact("block", half_length=0.1, half_width=0.1, friction=pair, name="sole")
    q, v, none = BLOCK.neutral(), np.array([*velocity, 0, 0, 0, 0.0]), np.zeros(BLOCK.na)
    motion = contacts.frictional_forward_dynamics(BLOCK, q, v, none, [sole], 1e-3)
    assert motion.converged
    return motion, sole


@pytest.mark.parametrize("pair", [(0.8, 0.4), (0.15, 0.5), (0.3, 0.0)])
def test_what_slides_dissipates_most(pair):
    """A block pushed aslant: of all forces in the cone, friction takes out the most power."""
    motion, sole = slid((0.5, 0.4), pair)
    assert motion.residual < 1e-9
    rng = np.random.default_rng(0)
    velocities = [J @ motion.v for J in sole.point_jacobians(BLOCK, BLOCK.neutral())]
    for u, impulse in zip(velocities, motion.impulses["sole"], strict=True):
        assert np.linalg.norm(u[:2]) > 0.1
        power, scaled = impulse[:2] @ u[:2], np.array(pair) * u[:2]
        assert power == pytest.approx(-impulse[2] * np.linalg.norm(scaled), abs=1e-9)
        for angle in rng.uniform(0, 2 * np.pi, 20):
            other = impulse[2] * np.array(pair) * [np.cos(angle), np.sin(angle)]
            assert other @ u[:2] >= power - 1e-9


def test_a_skate_glides_along_its_blade():
    motion, _ = slid((0.5, 0.002), (0, 0.9))
    assert motion.v[0] == pytest.approx(0.5, abs=1e-9)
    assert abs(motion.v[1]) < 1e-9


def test_friction_margins_shrink_both_coefficients():
    robot, q, feet = standing("quadruped", (0.9, 0.5), (1.0, 0.0, 0.0), 0.15)
    s = static_hold(robot, q, feet, torque_limits=False).friction_margin()
    for factor, holds in ((0.999 * s, True), (1.001 * s, False)):
        pair = (0.9 / factor, 0.5 / factor)
        less = standing("quadruped", pair, (1.0, 0.0, 0.0), 0.15)[2]
        assert static_hold(robot, q, less, torque_limits=False).feasible is holds


def test_slopes_along_friction():
    robot, q, feet = standing("quadruped", (0.6, 0.3), (1.0, 0.2, 0.0), 0.2)
    hold = static_hold(robot, q, feet, torque_limits=False)
    slopes = contacts.margin_gradient(hold, check=False).friction
    step, values = 1e-5, []
    for sign in (1, -1):
        pair = (0.6 + sign * step, 0.3 + sign * step)
        moved = standing("quadruped", pair, (1.0, 0.2, 0.0), 0.2)[2]
        values.append(static_hold(robot, q, moved, torque_limits=False).margin)
    expected = (values[0] - values[1]) / (2 * step)
    assert np.sum(list(slopes.values())) == pytest.approx(expected, rel=1e-3)


def test_controllers_stay_inside():
    robot, q, feet = standing("quadruped", (0.5, 0.25))
    aside = control.ComTask(dynamics.com(robot, q) + np.array([0.0, 0.05, 0.0]))
    tasks = [aside, control.PostureTask(q)]
    command = control.WholeBodyController(robot, feet, tasks)(q, np.zeros(robot.nv))
    assert command.solved
    assert max(command.cone_violations.values()) < 1e-6
    for name in feet.names:
        f = command.w[feet.rows(name)]
        assert np.hypot(f[0] / 0.5, f[1] / 0.25) <= f[2] + 1e-6, name


def test_cone_violations_of_soft_points_are_distances_to_the_elliptic_cone():
    """By a projection with cvxpy, moments counting as m μ/γ with the larger μ."""
    robot, mu, gamma = robots.load("quadruped"), np.array([0.5, 0.2]), 0.02
    feet = at_feet(robot, (0.5, 0.2), tangent=DIAGONAL, torsional_friction=gamma)
    q = robot.posture()
    tasks = [control.PostureTask(q)]
    command = control.WholeBodyController(robot, feet, tasks)(q, np.zeros(robot.nv))
    outside = command.w + np.tile([10.0, 20.0, 0.0, 0.5], 4)
    found = replace(command, w=outside).cone_violations
    for contact in feet:
        f, x = outside[feet.rows(contact.name)], cp.Variable(4)
        scaled = np.array([f[0], f[1], f[2], f[3] * mu.max() / gamma])
        local = cp.hstack([x[0] / mu[0], x[1] / mu[1], x[3] / mu.max()])
        problem = cp.Problem(cp.Minimize(cp.norm(x - scaled)), [cp.norm(local) <= x[2]])
        problem.solve(**EXACT)
        assert problem.value > 1.0
        assert found[contact.name] == pytest.approx(problem.value, rel=1e-6)


@pytest.mark.parametrize("turn", [0.0, 0.7, np.pi / 2])
def test_a_block_on_a_slope_slides_by_what_friction_leaves(turn):
    """Patch axes at an angle to the slope: f = −f_n M² u/‖M u‖ once it slides down along u."""
    mu, rises, g = np.array([0.5, 0.2]), np.deg2rad(35.0), 9.81
    robot = robots.block(2.0, (0.4, 0.2, 0.1))
    slope = contacts.Terrain([contacts.Plane("slope", rises=35.0)])
    own = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, turn), np.array([0.0, 0.0, -0.05]))
    size = {"half_length": 0.2, "half_width": 0.1}
    sole = SurfaceContact("block", friction=tuple(mu), placement=own, **size, name="sole")
    feet = ContactSet(robot, [sole])
    q = contacts.solve_posture(robot, feet, targets=slope.targets(feet, robot.neutral())).q
    limp = lambda t, q, v: np.zeros(0)  # noqa: E731
    motion = control.simulate(robot, limp, slope, contacts=feet, q=q, duration=0.02)
    used = motion.friction_used["sole"]
    axes, coefficients = motion.friction_axes(sole)
    assert coefficients == pytest.approx(np.tile(mu, (len(motion), 1)))
    f = axes[1].T @ motion.forces["sole"][1].sum(axis=0)
    assert np.hypot(*(f[:2] / mu)) / f[2] == pytest.approx(used[1], rel=1e-9)
    assert used[1:-1] == pytest.approx(1.0, abs=1e-4)
    assert f[2] == pytest.approx(2.0 * g * np.cos(rises), rel=1e-3)
    place = sole.world_points(robot, motion.q[-1]).mean(axis=0)
    slid = axes[-1].T @ (place - sole.world_points(robot, motion.q[-2]).mean(axis=0))
    assert np.linalg.norm(slid[:2]) > 1e-5
    expected = -(mu**2) * slid[:2] / np.linalg.norm(mu * slid[:2])
    assert f[:2] / f[2] == pytest.approx(expected, abs=0.02)


def test_friction_used_of_a_pair_and_on_ice():
    """By hand, of forces in the axes of two soles; the terrain's own coefficient counts alone."""
    robot = robots.load("biped")
    feet = at_feet(robot, (0.8, 0.4))
    q, weight, name = robot.posture(), robot.mass * 9.81, feet.names[0]
    R = feet[name].pose(robot, q).rotation
    local = weight * np.array([[0.4, 0.0, 1.0], [0.0, 0.4, 1.0], [0.24, 0.16, 0.5], [0, 0, 0]])
    forces = {n: np.zeros((4, len(feet[n].points), 3)) for n in feet.names}
    forces[name][:, 0] = local @ R.T
    t, nothing = np.arange(4.0), np.zeros((4, robot.nv))

    def used(terrain=None, contacts=feet):
        motion = (robot, t, np.tile(q, (4, 1)), nothing, nothing[:, 6:], 0 * t)
        loop = control.ClosedLoop(*motion, (), contacts, forces, terrain=terrain)
        return loop.friction_used[name]

    assert used() == pytest.approx([0.5, 1.0, np.hypot(0.6, 0.8), np.nan], nan_ok=True)
    rough = contacts.Terrain([contacts.Plane("floor", friction=0.5)])
    expected = [0.8, 0.8, np.hypot(0.24, 0.16) / 0.25, np.nan]
    assert used(rough) == pytest.approx(expected, nan_ok=True)
    ice = at_feet(robot, 0.0)
    assert used(contacts=ice)[0] == np.inf
    forces[name][:, 0] = local * [0, 0, 1] @ R.T
    assert used(contacts=ice) == pytest.approx([0, 0, 0, np.nan], nan_ok=True)


def test_plots_scale_forces_to_the_larger_coefficient():
    """A point lies on its contact's line exactly when its force is on the elliptic cone."""
    robot, q, feet = standing("quadruped", (0.8, 0.2), (1.0, 0.0, 0.0))
    name = feet.names[0]
    forces = np.array([[0.8, 0.0, 1.0], [0.0, 0.2, 1.0], [0.48, 0.16, 1.0], [0.1, 0.0, 1.0]])
    turned = forces @ feet[name].pose(robot, q).rotation.T
    ax = plot_force_course(feet, np.tile(q, (4, 1)), {name: turned[:, None]})
    dots, line = ax.get_lines()
    x, y = dots.get_data()
    assert x == pytest.approx([0.8, 0.8, 0.8, 0.1])
    slope = line.get_xdata()[1] / line.get_ydata()[1]
    assert slope == pytest.approx(0.8)
    assert y == pytest.approx(1.0)


def test_mujoco_refuses_pairs():
    pytest.importorskip("mujoco")
    robot, q, feet = standing("quadruped")
    law, _ = control.stand(robot, feet, q)
    with pytest.raises(ContactError, match="one number"):
        control.simulate(robot, law, contacts=feet, engine="mujoco", duration=0.01)


def test_scenarios_have_pairs(tmp_path):
    text = """
version: 1
robot: quadruped
contacts:
  - foot: lf_foot
    friction: [0.8, 0.4]
    tangent: [1, 0, 0]
  - {foot: rf_foot}
  - {foot: lh_foot}
  - {foot: rh_foot}
"""
    (tmp_path / "skates.yaml").write_text(text)
    scenario = contacts.Scenario.load(str(tmp_path / "skates.yaml"))
    foot = scenario.contact_set["lf_foot"]
    assert foot.friction == (0.8, 0.4)
    assert tuple(foot.tangent) == (1.0, 0.0, 0.0)
    assert scenario.check().feasible
    (tmp_path / "again.yaml").write_text(scenario.as_text())
    assert contacts.Scenario.load(str(tmp_path / "again.yaml")).contacts == scenario.contacts
    (tmp_path / "bad.yaml").write_text(text.replace("    tangent: [1, 0, 0]\n", ""))
    with pytest.raises(contacts.ScenarioError, match="tangent"):
        _ = contacts.Scenario.load(str(tmp_path / "bad.yaml")).contact_set


def test_pictures_have_elliptic_cones():
    robot, q, feet = standing("quadruped")
    viewer = Recorder()
    draw_friction_cones(viewer, feet["lf_foot"], robot, q)
    ((_, (_, _, half_angle, _), look),) = viewer.drawn.values()
    assert np.tan(half_angle) == pytest.approx(PAIR)
    assert look["tangent"] == pytest.approx(np.array(DIAGONAL) / np.sqrt(2))


def test_what_is_refused():
    along = {"tangent": (1, 0, 0)}
    for pair, more, words in (
        ((0.8, 0.4), {}, "tangent: got none"),
        ((0.8, 0.4), {"tangent": (0, 0, 2.0)}, "not along the normal"),
        ((0.8, 0.4), {"tangent": (0, np.nan, 0)}, "tangent"),
        ((0.8, -0.4), along, "friction"),
        ((0.8, 0.4, 0.2), along, "friction"),
        ((0.8, 0.0), along | {"torsional_friction": 0.01}, "positive friction"),
    ):
        with pytest.raises(ContactError, match=words):
            PointContact("tip", pair, **more)
    with pytest.raises(ContactError, match="one number"):
        contacts.Plane("floor", friction=(0.8, 0.4))
