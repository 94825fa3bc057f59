"""Contacts as motion constraints, against differences on the manifold."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
import pytest
from differences import gradient

from footwork import ConfigurationError, ContactError, contacts, dynamics, robots

NAMES = ["biped", "quadruped", "limb", "double_pendulum"]


@pytest.fixture(scope="module", params=NAMES)
def contact_set(request):
    """A point and a soft one off the frame's origin, a tilted, irregular patch, an edge."""
    robot = robots.load(request.param)
    rng = np.random.default_rng(len(request.param))
    first, second = robot.joint_names[-1], robot.joint_names[0]
    normal = rng.standard_normal(3)
    tilted = pin.SE3(pin.exp3(rng.standard_normal(3)), rng.standard_normal(3))
    at, finger = rng.standard_normal((2, 3))
    ground = {"friction": 0.5, "normal": normal / np.linalg.norm(normal)}
    placed = {"friction": 0.4, "placement": tilted}
    parts = [
        contacts.PointContact(first, **ground, offset=at),
        contacts.PointContact(
            second, **ground, offset=finger, torsional_friction=0.1, name="finger"
        ),
        contacts.SurfaceContact(second, vertices=rng.standard_normal((5, 2)), **placed),
        contacts.LineContact(first, half_length=0.3, **placed, name="edge"),
    ]
    return contacts.ContactSet(robot, parts)


def velocities_by_difference(contact, robot, q, h=1e-6):
    """Columns of J: how the pose moves along each tangent direction, in world axes."""
    columns = []
    for d in h * np.eye(robot.nv):
        before, after = (contact.pose(robot, robot.integrate(q, step)) for step in (-d, d))
        linear = (after.translation - before.translation) / (2 * h)
        angular = pin.log3(after.rotation @ before.rotation.T) / (2 * h)
        columns.append(np.concatenate([linear, angular]))
    full = np.stack(columns, axis=-1)
    if isinstance(contact, contacts.LineContact):
        across = contact.pose(robot, q).rotation[:, 1:].T
        return np.concatenate([full[:3], across @ full[3:]])
    if contact.dim == 4:  # the contact's axes stay with the ground: the link's own turning
        link = contacts.SurfaceContact(contact.frame, half_length=1, half_width=1, friction=1)
        turning = velocities_by_difference(link, robot, q)[3:]
        return np.vstack([full[:3], contact.normal @ turning])
    return full[: contact.dim]


@pytest.mark.parametrize("seed", range(3))
def test_jacobian_is_the_velocity_of_the_centre(contact_set, seed):
    robot = contact_set.robot
    q = robot.random_configuration(seed)
    expected = np.vstack([velocities_by_difference(c, robot, q) for c in contact_set])
    assert contact_set.jacobian(q) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_hessian_is_the_derivative_of_the_jacobian(contact_set, seed):
    robot = contact_set.robot
    q = robot.random_configuration(seed)
    expected = gradient(robot, q, contact_set.jacobian)
    assert contact_set.hessian(q) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_drift_is_the_hessian_applied_twice(contact_set, seed):
    robot, rng = contact_set.robot, np.random.default_rng(seed)
    q, v = robot.random_configuration(seed), rng.standard_normal(robot.nv)
    expected = contact_set.hessian(q) @ v @ v
    assert contact_set.drift(q, v) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_vertex_forces_and_wrench_do_the_same_work(contact_set, seed):
    """Σ J_kᵀ f_k = Jᵀ w with w the sum of the forces and of their moments about the centre."""
    robot, rng = contact_set.robot, np.random.default_rng(seed)
    q = robot.random_configuration(seed)
    for contact in contact_set:
        f = rng.standard_normal((len(contact.points), 3))
        arms = contact.world_points(robot, q) - contact.pose(robot, q).translation
        w = contact.grasp(robot, q) @ f.ravel()
        moment = np.cross(arms, f).sum(axis=0)
        if contact.dim == 5:  # about the line itself nothing acts
            y, z = contact.pose(robot, q).rotation[:, 1:].T
            moment = np.array([y @ moment, z @ moment])
        assert w == pytest.approx(np.concatenate([f.sum(axis=0), moment])[: contact.dim])
        back = contact.spread(robot, q, w)  # other forces, the least, of the same wrench
        assert contact.grasp(robot, q) @ back.ravel() == pytest.approx(w, abs=1e-10)
        assert np.sum(back * back) <= np.sum(f * f) + 1e-12
        assert np.sum(back * (f - back)) == pytest.approx(0, abs=1e-9)
        by_points = np.einsum("kin,ki->n", contact.point_jacobians(robot, q), f)
        assert by_points == pytest.approx(contact.jacobian(robot, q).T @ w, abs=1e-12)


def test_a_ball_rolls():
    """The point that touches stays below the centre; its material velocity is J v, and J moves."""
    robot = robots.load("quadruped")
    q, v = robot.random_configuration(1), np.random.default_rng(1).standard_normal(robot.nv)
    frame, n = robot.feet["lf_foot"].frame, np.array([0.6, 0, 0.8])
    ball = contacts.PointContact(frame, 0.5, normal=n, offset=(0.1, 0.2, 0.3), radius=0.05)
    centre = contacts.PointContact(frame, 0.5, normal=n, offset=(0.1, 0.2, 0.3))
    touch = ball.pose(robot, q).translation
    assert touch == pytest.approx(centre.pose(robot, q).translation - 0.05 * n)
    there = dynamics.frame_placement(robot, q, frame).actInv(touch)
    material = contacts.PointContact(frame, 0.5, offset=there)  # the point there now
    assert ball.jacobian(robot, q) == pytest.approx(material.jacobian(robot, q), abs=1e-12)
    expected = gradient(robot, q, lambda x: ball.jacobian(robot, x))
    assert ball.hessian(robot, q) == pytest.approx(expected, abs=1e-8)
    assert ball.drift(robot, q, v) == pytest.approx(expected @ v @ v, abs=1e-7)


def test_error_vanishes_at_the_target_and_grows_with_the_jacobian(contact_set):
    robot = contact_set.robot
    q = robot.random_configuration(1)
    targets = contact_set.placements(q)
    assert contact_set.error(q, targets) == pytest.approx(0, abs=1e-12)
    by_difference = gradient(robot, q, lambda x: contact_set.error(x, targets))
    J = contact_set.jacobian(q)
    J[contact_set.rows("finger")][3] = 0.0  # the spin of a soft point has no place
    assert by_difference == pytest.approx(J, abs=1e-7)


@dataclass(frozen=True, eq=False)
class Tip(contacts.Contact):
    """The least that a kind of contact declares: a hard point in the frame's origin."""

    points = np.zeros((1, 3))
    centre_in_frame = np.zeros(3)
    angular_rows = np.zeros((0, 3))
    axes_in_world = np.eye(3)
    torsion = 0.0


def test_a_kind_of_contact_declares_points_rows_axes_and_torsion():
    robot = robots.load("quadruped")
    q = robot.posture()
    own, usual = (
        contacts.ContactSet(robot, [kind(foot.frame, 0.6) for foot in robot.feet.values()])
        for kind in (Tip, contacts.PointContact)
    )
    assert own.dim == usual.dim
    np.testing.assert_array_equal(own.jacobian(q), usual.jacobian(q))
    hold, same = (contacts.static_hold(robot, q, kind) for kind in (own, usual))
    assert hold.status == same.status
    assert hold.margin == same.margin

    class NoAxes(Tip):
        axes_in_world = None

    with pytest.raises(ContactError, match="NoAxes: expected axes_in_frame or axes_in_world"):
        contacts.ContactSet(robot, [NoAxes(own.names[0], 0.6)]).jacobian(q)


class Pivot(Tip):
    """Rows of ω about an axis of the world and about one of the body."""

    axes_in_world = None
    axes_in_frame = np.eye(3)
    angular_rows = np.array([[0.0, 0.6, 0.8]])
    turning_axes = (1,)


def test_axes_of_the_world_and_of_the_body_in_one_contact():
    robot = robots.load("quadruped")
    rng = np.random.default_rng(6)
    contact = Pivot(next(iter(robot.feet.values())).frame, 0.6)
    q, (v, a) = robot.random_configuration(rng), rng.standard_normal((2, robot.nv))
    target = contact.pose(robot, robot.integrate(q, 0.3 * v))
    J = gradient(robot, q, lambda x: contact.error(robot, x, target))
    assert contact.error_jacobian(robot, q, target) == pytest.approx(J, abs=1e-7)
    dq, _ = contact.acceleration_derivatives(robot, q, v, a)

    def acceleration(x):
        return contact.jacobian(robot, x) @ a + contact.drift(robot, x, v)

    assert dq == pytest.approx(gradient(robot, q, acceleration), abs=1e-6)


def test_normals():
    robot = robots.load("quadruped")
    n = np.array([0.6, 0, 0.8])
    foot = contacts.PointContact(robot.feet[next(iter(robot.feet))].frame, 0.5, normal=n)
    T = foot.pose(robot, robot.random_configuration(3))
    assert T.rotation[:, 2] == pytest.approx(n)  # the ground's, whatever the robot does
    assert np.linalg.det(T.rotation) == pytest.approx(1)
    biped = robots.load("biped")
    q = biped.random_configuration(4)
    for sole in contacts.at_feet(biped):
        frame = biped.model.frames[biped.frame_id(sole.frame)]
        assert frame.name == sole.frame
        R = sole.pose(biped, q).rotation
        assert sole.cone(biped, q).normal == pytest.approx(R[:, 2])  # the sole's


def test_at_feet_knows_the_robots_feet():
    biped, quadruped = robots.load("biped"), robots.load("quadruped")
    soles, points = contacts.at_feet(biped, friction=0.4), contacts.at_feet(quadruped)
    assert soles.dim == 12
    assert points.dim == 12
    assert set(soles.names) == set(biped.feet)
    assert all(c.friction == 0.4 for c in soles)
    q = biped.posture()
    for name, T in soles.placements(q).items():  # the posture stands on flat soles at height 0
        assert T.translation[2] == pytest.approx(0, abs=1e-3), name
        assert T.rotation[:, 2] == pytest.approx([0, 0, 1], abs=1e-6)
    with pytest.raises(ContactError, match="no feet"):
        contacts.at_feet(robots.load("limb"))


def test_names():
    robot = robots.load("quadruped")
    frame = next(iter(robot.feet.values())).frame
    point = contacts.PointContact(frame, 0.5)
    numbered = contacts.ContactSet(robot, [point, point, point])
    assert numbered.names == (frame, f"{frame}#2", f"{frame}#3")
    assert numbered[f"{frame}#2"].frame == frame
    named = contacts.PointContact(frame, 0.5, name="toe")
    with pytest.raises(ContactError, match="twice"):
        contacts.ContactSet(robot, [named, named])
    with pytest.raises(ContactError, match=r"no contact 'to'; did you mean 'toe'"):
        contacts.ContactSet(robot, [named])["to"]


def test_empty_set():
    robot = robots.load("quadruped")
    empty, q, v = contacts.ContactSet(robot), robot.neutral(), np.zeros(robot.nv)
    assert empty.dim == 0
    assert empty.jacobian(q).shape == (0, robot.nv)
    assert empty.drift(q, v).shape == (0,)
    assert empty.hessian(q).shape == (0, robot.nv, robot.nv)


def test_patch_is_the_hull_of_its_vertices():
    """Points inside or on the sides, and the order, change neither the centre nor the patch."""
    plain = contacts.SurfaceContact("sole", half_length=0.1, half_width=0.05, friction=0.5)
    more = np.vstack([plain.corners[::-1], [[0, 0.05], [0.02, 0.01]]])
    dense = contacts.SurfaceContact("sole", vertices=more, friction=0.5)
    assert plain.centre == pytest.approx(dense.centre, abs=1e-15)
    assert {tuple(p) for p in plain.points} <= {tuple(p) for p in np.round(dense.points, 12)}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"half_length": 0.1, "half_width": 0.05}, "friction"),
        ({"half_length": 0.1, "friction": 0.5}, "both half sizes or the vertices"),
        ({"friction": 0.5}, "both half sizes or the vertices"),
        ({"half_length": -0.1, "half_width": 0.05, "friction": 0.5}, "above 0"),
        ({"half_length": np.nan, "half_width": 0.05, "friction": 0.5}, "above 0"),
        ({"half_length": 0.1, "half_width": 0.05, "friction": -1}, "at least 0"),
        ({"vertices": [[0, 0], [1, 1], [2, 2]], "friction": 0.5}, "one line"),
        ({"vertices": [[0, 0], [1, 1]], "friction": 0.5}, "k ≥ 3"),
        ({"vertices": [[0, 0], [1, np.inf], [0, 1]], "friction": 0.5}, "expected finite"),
        ({"vertices": [[0, 0, 0], [1, 0, 0.1], [0, 1, 0]], "friction": 0.5}, "x-y plane"),
        ({"half_length": 1, "half_width": 1, "friction": 1, "placement": np.eye(4)}, "SE3"),
    ],
)
def test_impossible_patches_are_refused(arguments, says):
    with pytest.raises((ContactError, TypeError), match=says):
        contacts.SurfaceContact("sole", **arguments)


def test_unknown_frames_and_foreign_sets():
    robot, other = robots.load("quadruped"), robots.load("biped")
    frame = next(iter(robot.feet.values())).frame
    with pytest.raises(ConfigurationError, match="did you mean"):
        contacts.ContactSet(robot, [contacts.PointContact(frame + "x", 0.5)])
    with pytest.raises(ContactError, match="expected one of"):
        contacts.static_hold(robot, robot.posture(), contacts.at_feet(other))
    for given in ([frame], frame, robot.feet):  # names and feet are no contacts yet
        with pytest.raises(ContactError, match=r"contacts\.at_feet\(robot\) has those of its feet"):
            contacts.static_hold(robot, robot.posture(), given)
    with pytest.raises(ContactError, match=r"contacts\[0\]: got 1, expected a Contact"):
        contacts.ContactSet(robot, [1])
    with pytest.raises(ContactError, match="targets"):
        contacts.at_feet(robot).error(robot.posture(), {})


def test_a_line_lets_turn_and_a_disc_lies_between_its_polygons():
    """On an edge a block is held only with its weight above it; discs nest."""
    robot = robots.block(mass=2.0, size=(0.4, 0.4, 0.2))
    q, frame = robot.neutral(), robot.model.frames[2].name

    def below(y):
        return pin.SE3(np.eye(3), np.array([0.0, y, -0.1]))

    def edge(y):
        return contacts.LineContact(frame, half_length=0.2, friction=0.5, placement=below(y))

    assert contacts.static_hold(robot, q, edge(0.0)).feasible is True
    assert contacts.static_hold(robot, q, edge(0.05)).feasible is False
    assert contacts.static_hold(robot, q, [edge(0.1), edge(-0.1)]).feasible is True
    tilted = robot.integrate(q, np.array([0, 0, 0, 0.4, 0.13, 0.0]))
    disc = {"radius": 0.1, "friction": 3.0, "placement": below(0.0)}
    discs = [
        contacts.DiscContact(frame, **disc, kind=kind, sides=sides)
        for kind, sides in [("inner", 6), ("inner", 24), ("outer", 24), ("outer", 6)]
    ]
    margins = [contacts.static_hold(robot, tilted, disc).margin for disc in discs]
    assert (np.diff(margins) >= -1e-6).all()
    assert margins[-1] > margins[0] + 1e-3
    for wrong in ({"radius": -1}, {"radius": 0.1, "sides": 2}, {"radius": 0.1, "kind": "middle"}):
        with pytest.raises(ContactError):
            contacts.DiscContact(frame, friction=0.5, **wrong)
    with pytest.raises(ContactError, match="half_length"):
        contacts.LineContact(frame, half_length=0.0, friction=0.5)


NONSENSE = [None, "x", np.nan, np.inf, -1, [], [1, -2], {}, object(), 1j, np.ones(4)]
VALUES = {
    contacts.PointContact: {"friction": 0.5, "normal": (0, 0, 1), "offset": (0, 0, 0), "radius": 0},
    contacts.SurfaceContact: {"friction": 0.5, "half_length": 0.1, "half_width": 0.1},
    contacts.LineContact: {"friction": 0.5, "half_length": 0.1},
    contacts.DiscContact: {"friction": 0.5, "radius": 0.1, "sides": 8, "kind": "inner"},
}
OPTIONS = {"bilateral": False, "torsional_friction": 0.1, "min_normal": 1.0, "max_normal": 2.0}


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("value", NONSENSE, ids=lambda value: type(value).__name__)
def test_nonsense_is_refused_with_a_contacts_error(kind, value):
    """Every argument in turn, also those of all contacts, where None means "not given"."""
    for name in (*VALUES[kind], *OPTIONS, "surface", "frame", "name"):
        optional = name in (*OPTIONS, "surface") and name != "bilateral"
        if (value is None and optional) or (isinstance(value, str) and name in ("frame", "name")):
            continue
        arguments = {"frame": "foot", **VALUES[kind], **OPTIONS, name: value}
        with pytest.raises(ContactError):
            kind(**arguments)


def test_contacts_of_another_robot_are_refused():
    robot, other = robots.load("biped"), robots.load("quadruped")
    other_frames = robots.Robot("biped", other.model, other.actuated, feet=other.feet)
    for given, says in (
        (contacts.at_feet(other), "of the robot 'quadruped', expected one of this 'biped'$"),
        (contacts.at_feet(other_frames), "'biped' with other frames, expected one of this"),
    ):
        with pytest.raises(ContactError, match=says):
            contacts.static_hold(robot, robot.posture(), given)


def test_contacts_go_with_a_robot_that_is_loaded_again_or_carries_something():
    robot = robots.load("biped")
    feet, q = contacts.at_feet(robot), robot.posture()
    again = pickle.loads(pickle.dumps(robot))
    one, other = (contacts.static_hold(which, q, feet).margin for which in (again, robot))
    assert one == other
    laden = robot.with_payload("torso", 10.0)
    hold = contacts.static_hold(laden, q, feet)
    assert hold.contacts.robot is laden
    carried = sum(f[:, 2].sum() for f in hold.forces.values())
    assert carried == pytest.approx((robot.mass + 10.0) * 9.81)
    assert contacts.static_equilibrium_polygon(laden, q, feet).status == "bounded"
