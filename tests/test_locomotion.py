"""Gaits at a commanded velocity: footholds on the path, start, stop, refusals."""

from functools import partial

import numpy as np
import pinocchio as pin
import pytest
from stances import standing

from footwork import cli, control, dynamics
from footwork.contacts import Box, ContactSet, SurfaceContact, Terrain
from footwork.control import gaits, judging
from footwork.control.gaits.foot import FootMode
from footwork.control.gaits.path import Path
from footwork.errors import ConfigurationError, ContactError

NOISE = control.Noise(velocities=0.05, base_velocity=0.03, base_orientation=0.005)


def middle(feet, q):
    return np.mean([T.translation for T in feet.placements(q).values()], axis=0)


def yaw(R):
    return float(np.arctan2(R[1, 0], R[0, 0]))


# --- the path --------------------------------------------------------------------------------


def test_a_path_is_the_integral_of_its_velocity():
    start, velocity = (
        pin.SE3(pin.rpy.rpyToMatrix(0, 0, 0.4), np.array([1.0, 2.0, 0.1])),
        [0.3, 0.2, 0.7],
    )
    path = Path(start, np.array(velocity), begin=0.5)
    assert path.at(0.2) == start
    x, angle, n = start.translation.copy(), 0.4, 4000
    h = 2.0 / n
    for _ in range(n):  # midpoint rule, of second order
        turned = angle + 0.5 * h * velocity[2]
        c, s = np.cos(turned), np.sin(turned)
        x[:2] += h * np.array([c * 0.3 - s * 0.2, s * 0.3 + c * 0.2])
        angle += h * velocity[2]
    assert path.at(2.5).translation == pytest.approx(x, abs=1e-7)
    assert yaw(path.at(2.5).rotation) == pytest.approx(angle)
    for wz in (0.7, -3e-9, 0.0):
        path = Path(start, np.array([0.3, 0.2, wz]), begin=0.5)
        for t in (0.2, 0.9, 2.5):
            twist = max(t - 0.5, 0.0) * np.array([0.3, 0.2, 0.0, 0.0, 0.0, wz])
            np.testing.assert_allclose(path.at(t), start * pin.exp6(twist), atol=1e-12)
    after = path.turned(2.5, np.zeros(3))
    assert after.at(2.5).isApprox(path.at(2.5))
    assert after.at(9.0).isApprox(path.at(2.5))


@pytest.mark.parametrize("name", gaits.gaits_on(2) + gaits.gaits_on(4))
@pytest.mark.parametrize("velocity", [(0.1, 0.02, 0.0), (0.0, 0.0, 0.15)])
def test_a_foot_lands_where_it_belongs_half_way_through_its_stance(name, velocity):
    """Over its stance the mean place of the robot, seen from the foot, is the nominal one."""
    robot, feet, q = standing("biped" if name == "walk" else "quadruped")
    gait = gaits.GAITS[name]
    walker = control.GaitController(robot, feet, q, name, velocity=velocity)
    walker(q, np.zeros(robot.nv), 10.0)  # stood long enough: it plans
    plan, period = walker.plan, (gait.swing + gait.double) / walker.plan.omega
    places = feet.placements(q)
    nominal = {n: walker.path.start.actInv(T) for n, T in places.items()}
    landings = [
        (walker.begin + plan.times[i + 1], phase.swings)
        for i, phase in enumerate(plan.phases)
        if phase.swings
    ]
    groups = gait.groups_of(len(feet))
    assert len(landings) >= len(groups)
    bow = 3e-3 if velocity[2] else 1e-9  # the mean of an arc is beside its middle
    carries = len(groups) * period - gait.swing / plan.omega
    for landed, swings in landings:
        for foot, T in swings.items():
            seen = [
                T.actInv(walker.path.at(t) * nominal[foot])  # the place, from the foot
                for t in landed + carries * (np.arange(50) + 0.5) / 50
            ]
            assert np.mean([p.translation for p in seen], axis=0) == pytest.approx(0, abs=bow)
            assert np.mean([yaw(p.rotation) for p in seen]) == pytest.approx(0, abs=1e-9)
    order = [{*swings} for _, swings in landings[: len(groups)]]
    by_place = gaits.feet_by_place(feet, q)
    assert order == [{by_place[place] for place in group} for group in groups]


def test_feet_are_named_by_where_they_are():
    _, feet, q = standing("quadruped")
    turned = q.copy()
    turned[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0, 0, 2.1)).coeffs()
    assert gaits.feet_by_place(feet, q) == gaits.feet_by_place(feet, turned)
    for place, name in gaits.feet_by_place(feet, q).items():
        x, y, _ = feet.placements(q)[name].translation - middle(feet, q)
        assert (x > 0) == ("front" in place)
        assert (y > 0) == ("left" in place)
    with pytest.raises(ContactError, match=r"got 4 \(.*'lf_foot'.*\) of .*, expected 2 feet"):
        gaits.feet_by_place(feet, q, 2)


# --- walks -----------------------------------------------------------------------------------


def told(velocities):
    """The velocity of {since: (vx, vy, wz)} at a time."""
    return lambda t: next((v for since, v in reversed(velocities.items()) if t >= since), (0, 0, 0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "gait", "velocity", "duration"),
    [
        ("quadruped", "pace", (0.2, 0.1, 0.3), 2.6),
        ("quadruped", "bound", (0.2, 0.0, -0.2), 2.6),
        ("biped", "walk", (0.3, 0.05, 0.2), 3.2),
    ],
)
def test_it_walks_along_its_path_and_stops(name, gait, velocity, duration):
    robot, feet, q = standing(name, crouch=0.02 if gait == "walk" else 0.0)
    commands = told({0.1: velocity, duration - 1.4: (0, 0, 0)})
    walker = control.GaitController(robot, feet, q, gait, velocity=commands)
    motion = control.simulate(
        robot, walker, q=q, contacts=feet, duration=duration, control_step=2e-3, engine="mujoco",
        noise=NOISE, seed=3,
    )  # fmt: skip
    assert not motion.ended
    assert set(motion.statuses) == {"optimal"}
    P, end = walker.path.at(duration), motion.q[-1]
    way = np.linalg.norm(P.translation - middle(feet, q))
    assert way > 0.6 * np.linalg.norm(velocity[:2]) * (duration - 2.0)  # it went
    miss = np.linalg.norm((middle(feet, end) - P.translation)[:2])
    assert miss < 0.05 * way + 0.08 * walker.plan.height  # where it stops within
    turned = pin.Quaternion(end[3:7]).toRotationMatrix()
    assert yaw(turned) == pytest.approx(yaw(P.rotation), abs=0.05)
    assert not walker.path.velocity.any()
    assert len(walker.controller.contacts) == len(feet)


@pytest.mark.slow
def test_height_and_velocity_change_while_it_walks():
    robot, feet, q = standing("quadruped")
    commands = told({0.0: (0.2, 0, 0), 0.9: (-0.2, 0, 0), 1.6: (0, 0, 0)})
    walker = control.GaitController(robot, feet, q, "trot", velocity=commands)
    lower = 0.85 * walker.height
    walker.height = lower
    motion = control.simulate(
        robot, walker, q=q, contacts=feet, duration=2.6, control_step=2e-3, engine="mujoco"
    )
    assert not motion.ended
    ahead = motion.com[:, 0] - motion.com[0, 0]
    assert ahead.max() > 0.1
    assert ahead[-1] < ahead.max() - 0.05  # and back
    height = motion.com[-1, 2] - middle(feet, motion.q[-1])[2]
    assert height == pytest.approx(lower, rel=0.05)  # what the trunk and the posture leave of it


def test_the_gait_changes_while_it_walks():
    """From the next swing on; one that does not suit the robot or its velocity is refused."""
    robot, feet, q = standing("quadruped")
    walker = control.GaitController(robot, feet, q, "trot", velocity=(0.15, 0, 0))
    lifted = []

    def exchanged(q, v, t):
        if t >= 0.7 and walker.gait is gaits.GAITS["trot"]:
            walker.gait = "crawl"
        command = walker(q, v, t)
        swung = {foot.name for foot in walker._feet_in(FootMode.SWING)}
        if swung and (not lifted or lifted[-1] != swung):
            lifted.append(swung)
        return command

    exchanged.gives_commands = True
    motion = control.simulate(robot, exchanged, q=q, duration=2.0, control_step=2e-3)
    assert not motion.ended
    assert set(motion.statuses) == {"optimal"}
    count = [len(swung) for swung in lifted]
    assert count == sorted(count, reverse=True)
    assert {1, 2} == set(count)
    first = next(k for k, swung in enumerate(lifted) if len(swung) == 1)
    assert not lifted[first] & lifted[first - 1]  # one that has stood
    for gait, told in (("walk", "expected trot"), (gaits.Gait(gaits.Lags(), 1, 1, 1), "together")):
        with pytest.raises(ConfigurationError, match=told):
            walker.gait = gait
    walker.gait, walker.velocity = "trot", (0.4, 0, 0)
    with pytest.raises(ConfigurationError, match="expected at most"):
        walker.gait = "crawl"
    assert walker.gait is gaits.GAITS["trot"]


def test_it_stands_until_it_is_told_to_go():
    robot, feet, q = standing("quadruped")
    walker = control.GaitController(robot, feet, q, "crawl")
    for t in (0.0, 0.5, 3.0):
        assert walker(q, np.zeros(robot.nv), t).solved
    assert not any(phase.swings for phase in walker.plan.phases)
    assert walker.path.at(9.0).isApprox(walker.path.start)
    walker.velocity = lambda t: (0.1 if t > 3.1 else 0.0, 0, 0)
    walker(q, np.zeros(robot.nv), 3.1)
    assert not any(phase.swings for phase in walker.plan.phases)
    walker(q, np.zeros(robot.nv), 3.2)
    assert any(phase.swings for phase in walker.plan.phases)
    walker.velocity = (0, 0, 0)  # and no function any more
    walker(q, np.zeros(robot.nv), 3.3)
    assert not walker.velocity.any()


def test_legs_do_not_cross_where_it_goes_sideways():
    robot, feet, q = standing("biped", crouch=0.02)
    walker = control.GaitController(robot, feet, q, velocity=(0, -0.3, 0))
    walker(q, np.zeros(robot.nv), 10.0)
    places, by_place = dict(feet.placements(q)), gaits.feet_by_place(feet, q)
    wide = places[by_place["left"]].translation[1] - places[by_place["right"]].translation[1]
    swings = [phase.swings for phase in walker.plan.phases if phase.swings]
    assert by_place["right"] in swings[0]  # first the foot on whose side it goes
    for landed in swings:
        places.update(landed)
        apart = places[by_place["left"]].translation - places[by_place["right"]].translation
        assert apart[1] > 0.69 * wide


def test_it_stands_where_the_ground_ends_and_says_why():
    robot, feet, q = standing("quadruped")
    x, y, z = middle(feet, q)
    front = max(T.translation[0] for T in feet.placements(q).values())
    board = Box("board", size=(2 * (front - x) + 0.06, 2.0, 0.1), at=(x, y, z - 0.1))
    walker = control.GaitController(
        robot, feet, q, "trot", velocity=(0.5, 0, 0), terrain=Terrain([board])
    )
    assert walker(q, np.zeros(robot.nv), 10.0).solved
    assert "board" in walker.blocked or "no ground" in walker.blocked
    assert not walker.path.velocity.any()
    assert not any(phase.swings for phase in walker.plan.phases)


# --- refusals and the command ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("gait", "velocity", "told"),
    [
        ("trott", (0, 0, 0), "no gait 'trott'; did you mean 'trot'"),
        (
            "walk",
            (0, 0, 0),
            "has left front, .*: expected trot or pace or bound or crawl",
        ),
        (3, (0, 0, 0), "got 3; expected a Gait"),
        ("trot", (9, 0, 0), "at which a foot goes 9 m/s; expected at most"),
        ("trot", (0, 0, 99), "at which a foot goes"),
        ("trot", (0, 0), "velocity"),
        ("trot", (np.nan, 0, 0), "velocity"),
    ],
)
def test_what_cannot_be_is_refused(gait, velocity, told):
    robot, feet, q = standing("quadruped")
    with pytest.raises(ConfigurationError, match=told):
        control.GaitController(robot, feet, q, gait, velocity=velocity)


def test_a_gait_of_ones_own_is_a_table():
    robot, feet, q = standing("quadruped")
    amble = gaits.Gait(
        (("left hind",), ("left front",), ("right hind",), ("right front",)), 1.2, 0.2, step=0.4
    )
    walker = control.GaitController(robot, feet, q, amble, velocity=(0.1, 0, 0))
    walker(q, np.zeros(robot.nv), 10.0)
    assert sum(bool(phase.swings) for phase in walker.plan.phases) >= 4


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--speed", "0.2"], "--gait stand: got --speed"),
        (["--gait", "pace"], "expected one of --speed, --sideways, --turn"),
        (["--gait", "trot", "--speed", "0.2", "--steps", "4"], "--steps"),
        (["--gait", "trot", "--duration", "4"], "--duration"),
        (["--gait", "bound", "--speed", "7"], "at which a foot goes 7 m/s"),
    ],
)
def test_the_command_refuses(capsys, flags, told):
    assert cli.main(["simulate", "quadruped", *flags]) == 2
    assert told in capsys.readouterr().err


# --- what a gait asks of a robot -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["solo12", "quadruped"])
def test_swinging_feet_do_not_lift_the_robot(name):
    """Newton on the whole robot: forces bear its weight while two feet are swung up."""
    robot, feet, q = standing(name)
    walker = control.GaitController(robot, feet, q, "trot", velocity=(0.3, 0, 0))
    weight, shares = 9.81 * robot.mass, []
    for t in np.arange(0.0, 0.7, 0.01):
        command = walker(q, np.zeros(robot.nv), t)
        if len(walker.controller.contacts) == 2:
            shares.append(sum(w.force[2] for w in command.wrenches.values()) / weight)
    assert len(shares) >= 10
    assert shares == pytest.approx(np.ones(len(shares)), abs=0.4)


def test_joints_stop_as_quickly_as_the_gait_is():
    """The feet of a quick gait are not held up by ranges whose ends are far away."""
    robot, feet, q = standing("go2")
    trial = judging.trial(
        robot, partial(judging.walker, gait="crawl"), judging.World.real(), velocity=(0.2, 0, 0),
        duration=1.8, q=q, contacts=feet,
    )  # fmt: skip
    assert trial.survived
    assert trial.slip < 0.015


@pytest.mark.parametrize(
    ("push", "hurries"), [(0.0, False), (0.3, False), (1.5, True), (-1.5, True)]
)
def test_the_next_foot_is_unloaded_at_once_where_xi_is_beside_all_feet(push, hurries):
    robot, feet, q = standing("biped")
    walker = control.GaitController(robot, feet, q, velocity=(0.2, 0.0, 0.0))
    for t in (0.0, 0.3, 0.302):
        walker(q, np.zeros(robot.nv), t)
    lifts = walker.begin + walker.plan.times[1]
    t = lifts - 0.9 * walker._pause
    v = np.zeros(robot.nv)
    v[1] = push
    walker(q, v, t)
    now = walker.begin + walker.plan.times[1]
    assert now == pytest.approx(t + walker.ramp if hurries else lifts)


@pytest.mark.parametrize("name", ["biped", "talos"])
def test_the_pressure_of_soles_stays_away_from_their_edges(name):
    """By 0.03 of the height of the centre of mass."""
    robot, feet, q = standing(name)
    height = float(dynamics.com(robot, q)[2] - middle(feet, q)[2])
    share = control.GaitController(robot, feet, q).controller.sole_share
    for foot in feet:
        x, y, _ = foot.points.T
        # from the centre to each side, by the areas of the triangles between
        areas = x * np.roll(y, -1) - y * np.roll(x, -1)
        room = np.abs(areas) / np.hypot(np.roll(x, -1) - x, np.roll(y, -1) - y)
        assert (1 - share) * room.min() == pytest.approx(0.03 * height)
    assert control.GaitController(robot, feet, q, sole_share=0.9).controller.sole_share == 0.9


def test_of_narrow_soles_a_third_may_be_used():
    robot, feet, q = standing("biped")
    soles = [
        SurfaceContact(foot.frame, half_length=0.1, half_width=0.01, friction=0.7) for foot in feet
    ]
    narrow = ContactSet(robot, soles)
    assert control.GaitController(robot, narrow, q).controller.sole_share == 0.35


@pytest.mark.parametrize(("name", "waist"), [("g1", 3), ("talos", 2), ("biped", 1), ("go2", 0)])
def test_joints_of_a_waist_are_held_more_firmly(name, waist):
    """It carries no foot, but the upper body."""
    robot, feet, q = standing(name)
    _, _, posture, _ = control.GaitController(robot, feet, q).tasks
    weights = posture.weight
    assert np.unique(weights).size == (2 if waist else 1)
    firm = weights > weights.min()
    assert firm.sum() == waist
    names = [robot.joint_of_row[row] for row in robot.actuated_rows[firm]]
    assert all("waist" in name or "torso" in name for name in names)


def test_narrow_soles_that_are_told_to_stand_do_not_step():
    """Only a part of them is used, but ξ may be beyond it for a while: G1 took six steps."""
    robot, _, _ = standing("g1")
    _, q = control.stand(robot, crouch=0.02)
    made = []

    def make(*given):
        made.append(judging.walker(*given, gait="walk"))
        return made[-1]

    found = judging.trial(robot, make, judging.World(), velocity=(0, 0, 0), duration=1.2, q=q)
    assert not found.ended
    assert made[-1].controller.steps == 0


@pytest.mark.slow
def test_a_humanoid_of_other_masses_does_not_fall_behind_its_path():
    """Errors of ξ that its soles cannot correct are left to them no more."""
    pytest.importorskip("mujoco")
    robot, _, q = standing("talos", crouch=0.0)
    found = judging.trial(
        robot, partial(judging.walker, gait="walk"), judging.World.real(),
        velocity=(0.6, 0.0, 0.0), duration=4.0, q=q,
    )  # fmt: skip
    assert found.survived
    assert found.distance > 1.45  # 0.5 m behind 0.6 m/s by its first steps


@pytest.mark.slow
def test_a_humanoid_walks_as_fast_as_it_is_told():
    """Its legs have 0.43 of its mass: they move ξ off the plan of a point mass at each step.

    And its hands pass beside them.
    """
    pytest.importorskip("mujoco")
    robot, _, q = standing("g1", crouch=0.02)
    found = judging.trial(
        robot, partial(judging.walker, gait="walk"), velocity=(0.3, 0.0, 0.0), duration=7.0, q=q
    )
    assert found.survived
    assert found.speed == pytest.approx(0.3, abs=0.02)
    assert found.overlaps == {}
