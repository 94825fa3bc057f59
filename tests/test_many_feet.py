"""Robots on any number of feet: places, tables of gaits, static stability, and walks."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pinocchio as pin
import pytest
from many_legs import RADIUS, SIX, around, urdf

import footwork as fw
from footwork import cli, contacts, control
from footwork.control import gaits, judging
from footwork.control.gaits.support import Support, room
from footwork.control.simulation.ground import Ground
from footwork.control.speed.cycle import cycle_of
from footwork.dynamics import State
from footwork.errors import ConfigurationError

HEXAPOD = urdf(SIX)
pytestmark = pytest.mark.filterwarnings("ignore:.*names no feet")


@cache
def standing(text):
    robot = fw.load(text)
    controller, q = control.stand(robot)
    return robot, controller.contacts, q


@cache
def on_two_points():
    """Bolt: two legs that end in points."""
    robot = fw.load("bolt")
    controller, q = control.stand(robot)
    return robot, controller.contacts, q


def laid_out(hips):
    """Feet of a robot whose legs are straight, each out from its hip."""
    robot = fw.load(urdf(hips))
    feet = [contacts.PointContact(f"{leg}_foot", 0.7, radius=RADIUS) for leg in hips]
    return contacts.ContactSet(robot, feet), robot.neutral()


def turned(q, angle):
    q = q.copy()
    q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0, 0, angle)).coeffs()
    return q


# --- standing --------------------------------------------------------------------------------


@pytest.mark.parametrize("hips", [SIX, around(3), around(5), around(6, 0.4)])
def test_legs_that_go_out_from_a_vertical_axis_stand_in_their_planes(hips):
    """No coxa is turned: each has its whole range to walk."""
    robot, feet, q = standing(urdf(hips))
    assert len(feet) == len(hips)
    joints = (robot.model.joints[robot.joint_id(f"{leg}_coxa_joint")] for leg in hips)
    assert max(abs(q[joint.idx_q]) for joint in joints) < 1e-3
    for foot, (x, y, yaw) in zip(feet.placements(q).values(), hips.values(), strict=True):
        out = foot.translation[:2] - [x, y]
        assert out / np.linalg.norm(out) == pytest.approx([np.cos(yaw), np.sin(yaw)], abs=1e-3)


def test_six_points_do_not_enter_the_ground():
    """Whatever the velocities before, no foot goes down after a step: 0.5 m/s, by PGS."""
    robot, feet, q = standing(HEXAPOD)
    ground = Ground(robot, feet, contacts.Terrain([contacts.Plane("ground")]))
    rng, J = np.random.default_rng(0), feet.jacobian(q)
    for _ in range(300):
        after = ground.step(q, rng.normal(size=robot.nv), np.zeros(robot.nv), 1e-3).v
        assert (J @ after)[2::3].min() > -1e-4
    assert ground.unsolved == 0


# --- places ----------------------------------------------------------------------------------


def test_places_of_six_feet_are_those_of_their_names():
    _, feet, q = standing(HEXAPOD)
    sides, rows = {"l": "left", "r": "right"}, {"f": "front", "m": "middle", "r": "hind"}
    for angle in (0.0, 2.1, -3.0):
        found = gaits.feet_by_place(feet, turned(q, angle))
        for place, name in found.items():
            assert place == f"{sides[name[0]]} {rows[name[1]]}"


@pytest.mark.parametrize("count", range(2, 11))
@pytest.mark.parametrize("first", [0.0, 0.3, np.pi / 2, 2.0])
def test_sides_are_halves_of_the_circle(count, first):
    """Of feet around a circle, the left ones follow each other and are on the left of the rest."""
    feet, q = standing("biped")[1:] if count < 3 else laid_out(around(count, first))
    by_place = gaits.feet_by_place(feet, q)
    assert sorted(by_place.values()) == sorted(feet.names)
    where = {n: T.translation[:2] for n, T in feet.placements(q).items()}
    left = np.mean([where[n][1] for p, n in by_place.items() if p.startswith("left")])
    right = np.mean([where[n][1] for p, n in by_place.items() if p.startswith("right")])
    assert left > right
    for side in ("left", "right"):  # from the front
        ahead = [where[n][0] for p, n in by_place.items() if p.startswith(side)]
        assert ahead == sorted(ahead, reverse=True) or count > 5  # arcs bend back at their ends


@pytest.mark.parametrize("first", [0.0, 0.3, np.pi / 6, 1.5])
def test_tripods_alternate_around_the_body(first):
    feet, q = laid_out(around(6, first))
    _, groups = gaits.gait_of(feet, q, "tripod")
    assert sorted(map(sorted, groups)) == [
        ["leg1_foot", "leg3_foot", "leg5_foot"], ["leg2_foot", "leg4_foot", "leg6_foot"]
    ]  # fmt: skip


# --- tables ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count", "order"),
    [
        ("walk", 2, "left, right"),
        ("trot", 4, "LF + RH, RF + LH"),
        ("pace", 4, "LF + LH, RF + RH"),
        ("bound", 4, "LF + RF, LH + RH"),
        ("crawl", 4, "LH, LF, RH, RF"),
        ("wave", 5, "LH, LM, LF, RH, RF"),
        ("tripod", 6, "LF + RM + LH, RF + LM + RH"),
        ("ripple", 6, "LH, RF, LM, RH, LF, RM"),
        ("wave", 6, "LH, LM, LF, RH, RM, RF"),
    ],
)
def test_groups_follow_from_lags(name, count, order):
    words = str.maketrans({"L": "left ", "R": "right ", "F": "front", "M": "middle", "H": "hind"})
    expected = [tuple(group.translate(words).split(" + ")) for group in order.split(", ")]
    assert list(gaits.GAITS[name].groups_of(count)) == expected


@pytest.mark.parametrize("count", range(2, 13))
def test_each_foot_swings_once_a_cycle_and_others_carry_meanwhile(count):
    names = gaits.gaits_on(count)
    assert names or count == 3
    for name in names:
        groups = gaits.GAITS[name].groups_of(count)
        swinging = [place for group in groups for place in group]
        assert len(swinging) == len(set(swinging)) == count
        assert max(map(len, groups)) <= count / 2


@pytest.mark.parametrize("name", ["tripod", "ripple", "wave", "crawl"])
def test_the_duty_factor_is_that_of_the_table(name):
    robot, feet, q = standing(HEXAPOD)
    gait = gaits.GAITS[name]
    walker = control.GaitController(robot, feet, q, name, velocity=(0.02, 0, 0))
    phases = walker.steady((0.02, 0, 0)).phases
    whole, count = sum(p.duration for p in phases), len(gait.groups_of(6))
    expected = 1 - gait.swing / (gait.swing + gait.double) / count
    for name in feet.names:
        on_ground = sum(p.duration for p in phases if name not in p.swings) / whole
        assert on_ground == pytest.approx(expected)


STABLE = [
    (HEXAPOD, "tripod"), (HEXAPOD, "ripple"), (HEXAPOD, "crawl"), (urdf(around(5)), "wave"),
    (urdf(around(8, 0.2)), "trot"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "gait"), STABLE)
@pytest.mark.parametrize("velocity", [(0.04, 0.04, 0), (0.0, 0.0, 0.3)])
def test_the_centre_of_mass_stays_inside_the_feet_that_carry(text, gait, velocity):
    """Walked without a sway: it could be stopped at any moment, and stand."""
    robot, feet, q = standing(text)
    walker = control.GaitController(robot, feet, q, gait, velocity=velocity)
    cycle = cycle_of(walker, np.array(velocity, dtype=float))
    heading = np.array([P.rotation[:2, 1] for P in cycle.path])
    beside = []
    for k, carry in enumerate(cycle.active):
        points, com = cycle.feet[k, carry, :2, 3], cycle.com[0, k, :2]
        assert inside(points, com) > 0.2 * walker.plan.height
        beside.append(heading[k] @ (com - cycle.path[k].translation[:2]))
    assert np.ptp(beside) < 0.1 * walker.plan.height


def inside(points, place):
    """How far a place is inside the polygon of points, by all lines through two of them [m]."""
    least = np.inf
    for i, a in enumerate(points):
        for b in points[i + 1 :]:
            normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
            others = (points - a) @ normal
            if others.min() > -1e-9 or others.max() < 1e-9:  # a side of the hull
                sign = 1.0 if others.min() > -1e-9 else -1.0
                least = min(least, sign * (place - a) @ normal)
    return least


# --- walks -----------------------------------------------------------------------------------

NOISE = control.Noise(velocities=0.05, base_velocity=0.03, base_orientation=0.005)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hips", "gait", "velocity", "engine"),
    [
        (SIX, "tripod", (0.0, 0.05, 0.3), "pinocchio"),
        (around(5), "wave", (0.04, 0.0, 0.0), "pinocchio"),
        (around(8), "trot", (0.1, 0.0, 0.0), "mujoco"),
    ],
)
def test_many_legs_walk_where_they_are_told(hips, gait, velocity, engine):
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    robot, feet, q = standing(urdf(hips))
    walker = control.GaitController(robot, feet, q, gait, velocity=velocity)
    motion = control.simulate(
        robot, walker, q=q, contacts=feet, duration=1.4, control_step=2e-3, engine=engine,
        noise=NOISE, seed=1,
    )  # fmt: skip
    assert not motion.fell
    where = np.mean([T.translation for T in feet.placements(motion.q[-1]).values()], axis=0)
    assert where[:2] == pytest.approx(walker.path.at(1.4).translation[:2], abs=0.05)


@pytest.mark.slow
def test_a_hexapod_is_judged_as_a_quadruped_is():
    pytest.importorskip("mujoco")
    robot, feet, q = standing(HEXAPOD)

    def make(robot, q, velocity):
        return judging.walker(robot, q, velocity, gait="tripod")

    asked = {"velocity": (0.1, 0, 0), "duration": 2.8, "q": q, "contacts": feet}
    found = judging.trial(robot, make, judging.World.real(), **asked)
    assert found.survived
    assert found.speed == pytest.approx(0.1, rel=0.15)


def test_gaits_that_a_robot_has_are_named():
    robot, feet, q = standing(urdf(around(5), "pentapod"))
    told = r"got 'trot'; 'pentapod' has left front, .*: expected wave or crawl$"
    with pytest.raises(ConfigurationError, match=told):
        control.GaitController(robot, feet, q, "trot")
    assert len(control.GaitController(robot, feet, q).gait.groups_of(5)) == 5
    robot, feet, q = standing(urdf(around(3), "tripod"))
    for gait in (None, "crawl"):
        with pytest.raises(ConfigurationError, match="left hind: expected a Gait of your own"):
            control.GaitController(robot, feet, q, gait)
    own = gaits.Gait(gaits.Lags(wave=-0.5, sides=0.5), 0.6, 0.2, step=0.1)
    assert control.GaitController(robot, feet, q, own).gait is own


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"swing": np.nan}, "swing: got nan"),
        ({"swing": -1.0}, "swing: got -1"),
        ({"double": 0.0}, "double: got 0"),
        ({"step": 0.0}, "step: got 0"),
        ({"feet": 6}, "feet: got 6"),
        ({"groups": gaits.Lags(rows=np.inf)}, "groups.rows: got inf"),
        ({"groups": ()}, r"groups: got \(\), expected Lags"),
        ({"groups": (("left front",), ())}, "expected Lags, or groups"),
        ({"groups": ("left front", "right hind")}, r"groups\[0\]: got 'left front'"),
    ],
)
def test_what_is_no_gait_is_refused(given, told):
    usual = {"groups": gaits.Lags(sides=0.5), "swing": 1.0, "double": 0.3, "step": 0.2}
    with pytest.raises(ConfigurationError, match=told):
        gaits.Gait(**(usual | given))


def test_points_in_a_line_have_no_room_between_them():
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert room(corner, np.array([0.2, 0.3])) == pytest.approx(0.2)
    assert room(corner, np.array([1.0, 1.0])) == 0.0
    for points in (corner[:2], corner[[0, 1, 0]], corner[[0, 0, 0]], corner[:1], corner[:0]):
        assert room(points, np.zeros(2)) == 0.0


def test_what_stands_on_two_points_falls_beside_their_line():
    """As soon as ξ is beside it by more than its noise; between them and along it, it does not."""
    robot, feet, q = on_two_points()
    state, support = State(robot, q), Support(1.0, beside=0.01)
    a, b = (T.translation[:2] for T in feet.placements(q).values())
    along = (b - a) / np.linalg.norm(b - a)
    beside = np.array([-along[1], along[0]])
    for share in (0.0, 0.3, 1.0):
        on = a + share * (b - a)
        for side in (-1, 1):
            assert not support.is_left(feet, state, on + side * 0.009 * beside)
            assert support.is_left(feet, state, on + side * 0.011 * beside)
    alone = contacts.ContactSet(robot, [next(iter(feet))])
    assert not support.is_left(alone, state, a + 1.0)


def test_a_foot_that_carries_alone_corrects_nothing():
    """On two points every error of ξ moves the next foothold; two of four feet correct 2 cm."""
    for (robot, feet, q), corrected in ((on_two_points(), 0.0), (standing("quadruped"), 0.02)):
        walker = control.GaitController(robot, feet, q, velocity=(0.1, 0.0, 0.0))
        still, t = np.zeros(robot.nv), 0.0
        while walker._feedback is None:
            assert walker(q, still, t).solved
            t += 2e-3
        assert walker._feedback._ankles == corrected


@pytest.mark.parametrize(
    ("speed", "predictive"), [(0.0, False), pytest.param(0.3, True, marks=pytest.mark.slow)]
)
def test_a_robot_on_two_points_keeps_its_feet(speed, predictive):
    """Where it is and on its way, with noise, other masses and half the friction.

    It falls within 1.8 s where it stands until a step cannot catch it any more, or where small
    errors of ξ move no foothold.
    """
    robot, feet, q = on_two_points()
    make = partial(judging.walker, gait="walk", predictive=predictive)
    given = {"velocity": (speed, 0.0, 0.0), "q": q, "contacts": feet, "duration": 2.6, "seed": 1}
    found = judging.trial(robot, make, judging.World.real(), **given)
    assert found.survived, found.ended
    assert found.path_error < 0.3
    assert found.speed == pytest.approx(speed, abs=0.15)


def test_some_feet_carry_meanwhile():
    robot, feet, q = standing(HEXAPOD)
    with pytest.raises(ConfigurationError, match="all feet of 'hexapod' swing together"):
        control.GaitController(robot, feet, q, gaits.Gait(gaits.Lags(), 1.0, 0.3, step=0.1))


def test_each_foot_swings():
    """One that never does holds the robot back."""
    robot, feet, q = standing("quadruped")
    front = gaits.Gait((("left front",), ("right front",)), 1.2, 0.2, step=0.2)
    with pytest.raises(ConfigurationError, match=r"left hind, right hind of .* never swing"):
        control.GaitController(robot, feet, q, front)


def test_the_command_walks_on_six_feet(tmp_path, capsys):
    (file := tmp_path / "hexapod.urdf").write_text(HEXAPOD)
    flags = ["--gait", "tripod", "--speed", "0.1", "--turn", "0.2", "--duration", "0.8"]
    assert cli.main(["simulate", str(file), *flags]) == 0
    assert "m beside the path" in capsys.readouterr().out
    assert cli.main(["simulate", str(file), "--gait", "bound", "--speed", "0.1"]) == 2
    assert "expected tripod or trot or wave or ripple or crawl" in capsys.readouterr().err
