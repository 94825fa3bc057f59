"""Postures whose contacts touch: seen by Pinocchio's own kinematics, not by the solver's errors."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import numpy as np
import pinocchio as pin
import pytest
from differences import gradient
from scipy.optimize import lsq_linear

import footwork as fw
from footwork import ContactError, contacts, dynamics, robots
from footwork.contacts.postures.inverse_kinematics import Goal, bounded_least_squares

SLOPES = {
    "level": pin.SE3.Identity(),
    "uphill": pin.SE3(pin.exp3(np.array([0, -np.deg2rad(10), 0])), np.array([0, 0, 0.1])),
    "across": pin.SE3(pin.exp3(np.array([np.deg2rad(10), 0, 0])), np.array([0.2, 0.1, 0])),
}


def feet_on(robot, ground):
    """The robot's feet; balls take the normal of the ground they stand on."""
    n = ground.rotation[:, 2]
    feet = contacts.at_feet(robot)
    return contacts.ContactSet(robot, [replace(c, normal=n) if c.dim == 3 else c for c in feet])


def placement(robot, q, frame):
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, q)
    return data.oMf[robot.frame_id(frame)]


def heights(robot, q, ground):
    """Of every sole corner, and of the lowest point of every ball, over the ground [m]."""
    found = []
    for foot in robot.feet.values():
        T = ground.inverse() * placement(robot, q, foot.frame) * foot.placement
        if foot.is_point:
            found.append(T.translation[2] - foot.radius)
        else:
            corners = np.column_stack([foot.vertices, np.zeros(len(foot.vertices))])
            found += list((corners @ T.rotation.T + T.translation)[:, 2])
    return np.array(found)


def stays_within_limits(robot, q):
    lower, upper = robot.model.lowerPositionLimit, robot.model.upperPositionLimit
    limited = (np.abs(lower) < 1e6) & (np.abs(upper) < 1e6) & (lower < upper)
    limited[: 7 if robot.is_floating else 0] = False
    for start, stop in robot.unit_blocks:
        limited[start:stop] = False
    return bool(((q >= lower) & (q <= upper))[limited].all())


def stand(robot, ground, **options):
    posture = contacts.solve_posture(robot, feet_on(robot, ground), ground=ground, **options)
    assert posture.converged, posture.reason
    assert posture.error < 1e-8
    assert heights(robot, posture.q, ground) == pytest.approx(0, abs=2e-8)
    assert stays_within_limits(robot, posture.q)
    return posture


# --- standing --------------------------------------------------------------------------------


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("name", ["biped", "quadruped", "block"])
def test_our_robots_stand(name, slope):
    robot = robots.load(name)
    posture = stand(robot, SLOPES[slope])
    assert posture.errors.keys() == set(robot.feet)
    assert np.abs(robot.difference(robot.posture(), posture.q)).max() < 0.5  # near where it was


WITHOUT_LEGS = "mechanism", "upper body"
LEGGED = [x for x in robots.available() if x.installed and x.kind not in WITHOUT_LEGS]


@pytest.mark.parametrize(
    ("info", "slope"),
    [*((info, "level") for info in LEGGED), *zip(LEGGED, cycle(["uphill", "across"]))],
    ids=lambda value: getattr(value, "name", value),
)
def test_every_legged_robot_stands(info, slope, load_robot):
    """On its feet, level and on one slope, in the catalogue's posture and with its centre of mass
    where they can hold it; which joints would be too weak for it is another question."""
    robot = load_robot(info.name, "floating")
    assert robot.feet
    stand(robot, SLOPES[slope])
    posture = stand(robot, SLOPES[slope], com="inside")
    hold = contacts.static_hold(robot, posture.q, posture.contacts, torque_limits=False)
    assert hold.feasible, hold.reason


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_stands_up_from_crooked_postures(name):
    robot = robots.load(name)
    for seed in range(5):
        step = 0.25 * np.random.default_rng(seed).standard_normal(robot.nv)
        stand(robot, SLOPES["level"], q0=robot.integrate(robot.posture(), step))


def test_a_posture_that_touches_already_is_kept():
    robot = robots.load("biped")
    feet, q0 = contacts.at_feet(robot), robot.posture()
    posture = contacts.solve_posture(robot, feet, targets=feet.placements(q0))
    assert posture.q == pytest.approx(q0, abs=0)
    assert posture.iterations == 0


def test_soles_keep_their_heading_and_places():
    robot = robots.load("biped")
    yaw = pin.exp3(np.array([0, 0, 0.4]))
    q0 = robot.posture()
    q0[:7] = pin.SE3ToXYZQUAT(pin.SE3(yaw, np.array([1.0, 2.0, q0[2] + 0.05])))
    before = contacts.at_feet(robot).placements(q0)
    posture = stand(robot, SLOPES["level"], q0=q0)
    for name, T in posture.contacts.placements(posture.q).items():
        assert T.translation[:2] == pytest.approx(before[name].translation[:2], abs=1e-8)
        assert yaw == pytest.approx(T.rotation, abs=1e-8)


def test_a_ball_touches_with_the_point_below_its_middle():
    robot = robots.load("quadruped")
    n = np.array([0.6, 0.0, 0.8])
    foot = robot.feet["lf_foot"]
    offset = foot.placement.translation
    ball = contacts.PointContact(foot.frame, 0.5, normal=n, offset=offset, radius=0.03)
    posture = contacts.solve_posture(robot, ball, targets={foot.frame: [0.4, 0.3, 0.2]})
    assert posture.converged
    middle = placement(robot, posture.q, foot.frame).act(offset)
    assert middle - 0.03 * n == pytest.approx([0.4, 0.3, 0.2], abs=1e-8)


def test_a_hand_on_a_wall_stays_there():
    robot = robots.load("biped")
    hand = contacts.PointContact("right_hand", 0.5, normal=(-1, 0, 0))
    both = contacts.ContactSet(robot, [*contacts.at_feet(robot), hand])
    wall = [0.35, -0.25, 1.0]
    posture = contacts.solve_posture(robot, both, targets={"right_hand": wall})
    assert posture.converged
    place = posture.contacts.placements(posture.q)["right_hand"].translation
    assert place == pytest.approx(wall, abs=1e-8)
    kept = contacts.postures.targets.ground_targets(both, robot.posture())["right_hand"].translation
    assert kept == pytest.approx(both.placements(robot.posture())["right_hand"].translation)


def test_an_edge_may_turn_about_itself():
    robot = robots.load("biped")
    sole = next(iter(contacts.at_feet(robot)))
    edge = contacts.LineContact(sole.frame, half_length=0.1, friction=0.5, placement=sole.placement)
    roll = pin.exp3(np.array([0.3, 0, 0]))
    target = pin.SE3(roll, np.array([0.1, 0.1, 0.0]))
    posture = contacts.solve_posture(robot, edge, targets={sole.frame: target})
    assert posture.converged
    T = posture.contacts.placements(posture.q)[sole.frame]
    assert T.translation == pytest.approx(target.translation, abs=1e-8)
    assert T.rotation[:, 0] == pytest.approx(roll[:, 0], abs=1e-7)  # along itself, however rolled


# --- centre of mass --------------------------------------------------------------------------


@pytest.mark.parametrize("slope", SLOPES)
def test_the_centre_of_mass_goes_where_it_is_asked(slope):
    robot = robots.load("biped")
    now = dynamics.com(robot, robot.posture())
    for com in [(now[0] + 0.03, now[1] - 0.04), (None, None, now[2] - 0.1), (None, 0.02, 0.6)]:
        posture = stand(robot, SLOPES[slope], com=com)
        reached = dynamics.com(robot, posture.q)
        for asked, got in zip(com, reached, strict=False):
            assert asked is None or got == pytest.approx(asked, abs=1e-8)
        assert posture.errors["com"] < 1e-8


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_inside_is_where_the_contacts_can_hold_it(name):
    robot = robots.load(name)
    feet, level = contacts.at_feet(robot), SLOPES["level"]
    x, y, _ = dynamics.com(robot, robot.posture())
    leaning = stand(robot, level, com=(x + 0.35, y)).q
    assert contacts.static_hold(robot, leaning, feet, torque_limits=False).feasible is False
    assert stand(robot, level, q0=leaning).q == pytest.approx(leaning)  # nobody asked
    posture = stand(robot, level, q0=leaning, com="inside")
    hold = contacts.static_hold(robot, posture.q, feet, torque_limits=False)
    assert hold.feasible
    assert hold.margin > 1.0


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_inside_is_where_the_contacts_can_hold_it_under_its_loads(name):
    robot = robots.load(name)
    feet, weight = contacts.at_feet(robot), 9.81 * robot.mass
    push = {robot.model.frames[2].name: fw.Wrench([0.0, 0.5 * weight, 0.0])}
    for wrenches, holds in ((None, False), (push, True)):
        posture = contacts.solve_posture(robot, feet, com="inside", wrenches=wrenches)
        hold = contacts.static_hold(robot, posture.q, feet, push, torque_limits=False)
        assert posture.converged
        assert hold.feasible is holds


def test_inside_changes_nothing_when_it_is_inside():
    robot = robots.load("quadruped")
    asked = stand(robot, SLOPES["level"], com="inside")
    assert asked.q == pytest.approx(stand(robot, SLOPES["level"]).q, abs=1e-8)


def test_contacts_that_can_hold_nothing_have_no_inside():
    robot = robots.load("quadruped")
    feet = [replace(c, normal=(0, 0, -1)) for c in contacts.at_feet(robot)]  # under a ceiling
    posture = contacts.solve_posture(robot, feet, com="inside")
    assert not posture.converged
    assert "no place of the centre of mass" in posture.reason


# --- out of reach ----------------------------------------------------------------------------


def test_a_foot_out_of_reach_is_named():
    robot = robots.load("biped")
    feet, q0 = contacts.at_feet(robot), robot.posture()
    targets = feet.placements(q0)
    targets["left_foot"] = pin.SE3(targets["left_foot"].rotation, np.array([0.0, 0.1, 3.0]))
    posture = contacts.solve_posture(robot, feet, targets=targets)
    assert not posture.converged
    assert "foot" in posture.reason
    assert posture.error > 0.1
    assert stays_within_limits(robot, posture.q)
    worst = max(posture.errors, key=posture.errors.get)
    misses = feet.error(posture.q, targets)
    assert posture.errors[worst] == pytest.approx(np.abs(misses[feet.rows(worst)]).max())
    # the nearest one: no small step inside the limits is nearer
    for seed in range(50):
        step = 1e-3 * np.random.default_rng(seed).standard_normal(robot.nv)
        q = robot.integrate(posture.q, step)
        if stays_within_limits(robot, q):
            there = feet.error(q, targets)
            assert np.linalg.norm(there) > 0.99 * np.linalg.norm(misses)


def test_the_limit_in_the_way_is_named():
    """Two hinged segments whose second may not bend: only a circle is in reach."""
    robot = robots.limb([1.0, 1.0], [1.0, 1.0])
    model = robot.model
    model.upperPositionLimit[1], model.lowerPositionLimit[1] = 0.5, -0.1
    robot = replace(robot, model=model)
    tip = contacts.PointContact("tip", 0.5, normal=(1, 0, 0))
    target = {"tip": [0.0, 0.8, 0.0]}
    posture = contacts.solve_posture(robot, tip, targets=target, q0=[0.1, 0.2])
    assert not posture.converged
    assert robot.joint_names[1] in posture.reason
    assert posture.q[1] == pytest.approx(0.5)  # as bent as it may be
    # by the cosine law, the nearest to the root that the tip can get
    assert posture.error <= np.sqrt(2 + 2 * np.cos(0.5)) - 0.8 + 1e-6
    free = contacts.solve_posture(robot, tip, targets=target, q0=[0.1, 0.2], limits=False)
    assert free.converged
    assert abs(free.q[1]) == pytest.approx(2 * np.arccos(0.4), abs=1e-7)


def test_straight_legs_are_no_dead_end():
    """From a stretched chain no small step brings the tip nearer: it starts again, a bit bent."""
    robot = robots.limb([1.0, 1.0], [1.0, 1.0])
    q0 = np.zeros(2)
    tip = contacts.PointContact("tip", 0.5)
    stretched = contacts.ContactSet(robot, [tip]).placements(q0)["tip"].translation
    posture = contacts.solve_posture(robot, tip, targets={"tip": 0.6 * stretched}, q0=q0)
    assert posture.converged
    assert abs(posture.q[1]) == pytest.approx(2 * np.arccos(0.6), abs=1e-7)


def tilt_of_base(robot, q):
    up = pin.Quaternion(q[3:7]).matrix()[2, 2]
    return np.arccos(np.clip(up, -1, 1))


@pytest.mark.parametrize("com", [None, "inside"])
def test_a_robot_does_not_turn_over_to_lay_its_soles_flat(com):
    """Ankles that cannot roll: the soles lie flat in their places only under a fallen trunk."""
    robot = robots.load("biped", lock={"left_ankle_roll": 0.02, "right_ankle_roll": -0.02})
    posture = contacts.solve_posture(robot, contacts.at_feet(robot), com=com)
    assert not posture.converged
    assert "'left_foot' misses its target" in posture.reason
    assert posture.reason.endswith("the base would have to tilt by more than 75° from q0")
    assert tilt_of_base(robot, posture.q) < np.deg2rad(75)


def test_a_robot_turns_with_its_targets_and_from_how_it_lies():
    """By 180°, as asked of the base, of both feet on a ceiling, or back from lying on its back."""
    robot = robots.load("biped")
    feet, q = contacts.at_feet(robot), robots.load("biped").posture()
    over = pin.SE3(pin.exp3(np.array([np.pi, 0, 0])), np.array([0, 0, 1.5]))
    hanging = {name: over * T for name, T in feet.placements(q).items()}
    posture = contacts.solve_posture(robot, feet, targets=hanging)
    assert posture.converged
    assert tilt_of_base(robot, posture.q) > np.deg2rad(150)
    base = pin.SE3(pin.exp3(np.array([0, 3.0, 0])), np.zeros(3))
    turned = contacts.solve_posture(robot, [], frames={"pelvis": base})
    assert turned.converged
    lying = q.copy()
    lying[:7] = pin.SE3ToXYZQUAT(pin.SE3(pin.exp3(np.array([0, -2.0, 0])), np.array([0, 0, 0.3])))
    places = feet.placements(q)
    up = contacts.solve_posture(robot, feet, targets=places, q0=lying)
    assert up.converged
    assert tilt_of_base(robot, up.q) < np.deg2rad(75)


# --- its parts -------------------------------------------------------------------------------


def test_the_jacobian_is_the_derivative_of_the_error():
    """Of a ball, a patch and an edge, far from their targets, and of the centre of mass."""
    robot = robots.load("biped")
    rng = np.random.default_rng(0)
    tilted = pin.SE3(pin.exp3(rng.standard_normal(3)), rng.standard_normal(3))
    edge = {"half_length": 0.1, "friction": 0.5, "placement": tilted}
    parts = [
        contacts.PointContact("left_hand", 0.5, offset=(0.1, 0.2, 0.3), radius=0.05),
        contacts.SurfaceContact("right_foot", half_width=0.1, **edge),
        contacts.LineContact("left_foot", **edge),
    ]
    contact_set = contacts.ContactSet(robot, parts)
    targets = contact_set.placements(robot.random_configuration(1))
    goal = Goal(contact_set, targets, np.array([np.nan, 0.1, 0.2]), 1.0)
    q = robot.random_configuration(2)
    assert goal.jacobian(q) == pytest.approx(gradient(robot, q, goal.error), abs=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_bounded_least_squares_is_scipys(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 40, size=2)
    A = np.vstack([rng.standard_normal((m, n)), 10.0 ** rng.uniform(-4, 0) * np.eye(n)])
    b = np.concatenate([rng.standard_normal(m), np.zeros(n)])
    lower, upper = rng.uniform(-0.2, 0.0, n), rng.uniform(0.01, 0.2, n)
    x = bounded_least_squares(A, b, lower, upper)
    assert ((lower <= x) & (x <= upper)).all()
    expected = lsq_linear(A, b, (lower, upper), method="bvls", tol=1e-14).x
    assert np.sum((A @ x - b) ** 2) == pytest.approx(np.sum((A @ expected - b) ** 2), rel=1e-8)


def test_bounded_least_squares_keeps_what_cannot_move():
    A, b = np.eye(3), np.array([1.0, 2.0, -3.0])
    x = bounded_least_squares(A, b, np.array([-1.0, 0.0, -1.0]), np.array([0.5, 0.0, 1.0]))
    assert x == pytest.approx([0.5, 0.0, -1.0])


def test_frames_go_where_they_are_asked_and_touch_nothing():
    robot = robots.load("biped")
    feet = contacts.at_feet(robot)
    q = contacts.solve_posture(robot, feet).q
    left, pelvis = (dynamics.frame_placement(robot, q, f) for f in ("left_sole", "pelvis"))
    moved = left.translation + np.array([0.05, 0.02, 0.1])
    up = pin.SE3(pin.utils.rotate("y", 0.2) @ left.rotation, moved)
    lower = pelvis.translation - [0.02, 0.0, 0.03]
    right, frames = feet["right_foot"], {"left_sole": up, "pelvis": lower}
    posture = contacts.solve_posture(robot, right, q0=q, frames=frames, restarts=0)
    assert posture.converged
    assert list(posture.errors) == ["right_foot", "frame left_sole", "frame pelvis"]
    assert posture.contacts.names == ("right_foot",) == tuple(posture.targets)
    sole, base = (placement(robot, posture.q, frame) for frame in ("left_sole", "pelvis"))
    assert pin.log6(sole.actInv(up)).vector == pytest.approx(0, abs=1e-8)
    assert base.translation == pytest.approx(lower, abs=1e-8)
    # "inside" means what the foot alone can hold
    inside = contacts.solve_posture(robot, right, "inside", None, q, frames={"left_sole": up})
    assert fw.static_hold(robot, inside.q, right, torque_limits=False).feasible


@pytest.mark.parametrize(
    ("way", "unit"), [((0, 0, 0.4, 0, 0, 0), "m"), ((0, 0, 0, 0.4, 0, 0), "rad")]
)
def test_what_misses_its_target_says_by_how_many_metres_or_radians(way, unit):
    """Arms that turn about z neither rise nor roll."""
    robot, q = robots.limb([0.4, 0.3], [1, 1]), np.array([0.3, 0.5])
    T = dynamics.frame_placement(robot, q, "tip") * pin.exp6(np.array(way))
    posture = contacts.solve_posture(robot, [], q0=q, frames={"tip": T})
    assert f" misses its target by {posture.error:.3g} {unit}; " in posture.reason
    assert posture.missed == ("frame tip", posture.error, unit, ())
    reached = contacts.solve_posture(robot, [], q0=q, frames={"tip": T * pin.exp6(-np.array(way))})
    assert reached.converged
    assert reached.missed is None


def test_without_restarts_a_no_takes_one_attempt():
    robot = robots.load("biped")
    far = {"frames": {"pelvis": np.array([0.0, 0.0, 3.0])}, "restarts": 0, "iterations": 20}
    posture = contacts.solve_posture(robot, contacts.at_feet(robot), **far)
    assert not posture.converged
    assert posture.iterations <= 20
    assert "'frame pelvis' misses its target" in posture.reason


def test_bad_input_is_refused():
    robot = robots.load("biped")
    feet = contacts.at_feet(robot)
    upside_down = pin.SE3(pin.exp3(np.array([np.pi, 0, 0])), np.zeros(3))
    places = [(1,), (1, 2, 3, 4), "outside", (np.inf, 0), 3.0, (0, "here")]
    for asked, words in (
        *(({"com": com}, r"com(\[\d\])?: got") for com in places),
        ({"targets": {"left_fot": pin.SE3.Identity()}}, "left_foot"),
        ({"targets": {"left_foot": [0, 0, 0]}}, "SE3"),
        ({"ground": upside_down}, "points up"),
        ({"frames": {"pelvs": [0, 0, 0]}}, "no frame 'pelvs'; did you mean 'pelvis'"),
        ({"frames": {"pelvis": [0, 0]}}, r"frames\['pelvis'\]: got"),
        ({"ground": 0.1}, "ground: got"),
    ):
        with pytest.raises(ContactError, match=words):
            contacts.solve_posture(robot, feet, **asked)
