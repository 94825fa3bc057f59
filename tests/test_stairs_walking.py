"""Walking on stairs: where feet may stand, how they get there, and robots that climb."""

from __future__ import annotations

from functools import partial

import numpy as np
import pinocchio as pin
import pytest
from stances import standing

from footwork import ConfigurationError, ContactError, contacts, control, dynamics, robots
from footwork.contacts.geometry.polygon import convex_hull, sides
from footwork.control import gaits, references
from footwork.control.gaits.foot import FootMode
from footwork.control.gaits.footholds import (
    CLEARANCE,
    CLIMB,
    FRACTIONS,
    foothold,
    near,
    over_ground,
    swept,
)
from footwork.control.gaits.gait import middle
from footwork.control.kernels.profiles import minimum_acceleration, minimum_jerk
from footwork.control.references import moved


def staircase(first, rise, depth, steps=3):
    """Steps that begin at x = `first`, and a floor on top."""
    flight = contacts.Stairs("stairs", steps, rise, depth, 1.5, (first, 0.0, 0.0))
    top = contacts.Box("top", (2.0, 1.5, steps * rise), (first + steps * depth + 1.0, 0.0, 0.0))
    return contacts.Terrain([contacts.Plane("ground"), flight, top])


def front(feet, q):
    return max(T.translation[0] for T in feet.placements(q).values())


@pytest.mark.parametrize("climb", [0.3, -0.4])
def test_a_climbing_swing_is_smooth_and_rises_first(climb):
    start, goal = pin.SE3.Identity(), pin.SE3(pin.rpy.rpyToMatrix(0, 0, 0.3), np.ones(3))
    way, h = references.swing(start, goal, 0.8, 1.0, 0.1, climb), 1e-5
    for t in np.linspace(0.9, 1.9, 40):
        _, velocity, acceleration = way(t)
        before, after = way(t - h), way(t + h)
        slope = (after.value.translation - before.value.translation) / (2 * h)
        assert velocity[:3] == pytest.approx(slope, abs=1e-7)
        change = (after.velocity - before.velocity) / (2 * h)
        assert acceleration == pytest.approx(change, abs=1e-4)
    x, _, z = way(1.4).value.translation - [0, 0, 0.1]  # half-way, where the bump is highest
    assert (z > x) == (climb > 0)
    assert way(1.0).value == start
    assert way(1.8).value.isApprox(goal)
    with pytest.raises(ConfigurationError, match="climb"):
        references.swing(start, goal, 0.8, climb=1.0)


@pytest.mark.parametrize("seed", range(5))
def test_feet_stand_away_from_edges(seed):
    """Any step near stairs becomes one on which all corners, and some room, find a level face."""
    robot, rng = robots.load("biped"), np.random.default_rng(seed)
    foot = next(iter(contacts.at_feet(robot)))
    terrain = staircase(0.5, 0.1, 0.3)
    T = pin.SE3(np.eye(3), np.array([rng.uniform(0, 0.3), 0.1, 0.0]))
    for _ in range(3):
        there = foothold(foot, T, np.array([0.25, 0.0, 0.0]), terrain)
        corners = np.array([there.act(p) for p in foot.points])
        assert terrain.signed_distance(corners) == pytest.approx(0.0, abs=1e-9)
        for aside in (CLEARANCE, -CLEARANCE):
            assert terrain.height(corners + np.array([aside, 0, 0])) == pytest.approx(
                there.translation[2]
            )
        assert 0.1 < there.translation[0] - T.translation[0] < 0.4
        T = there
    assert T.translation[2] > 0.05


def test_no_place_for_a_foot():
    robot = robots.load("biped")
    foot = next(iter(contacts.at_feet(robot)))
    narrow = staircase(0.2, 0.1, 0.12, 6)
    with pytest.raises(ContactError, match="finds no place"):
        foothold(foot, pin.SE3.Identity(), np.array([0.35, 0.0, 0.0]), narrow)
    island = contacts.Terrain([contacts.Box("island", (0.4, 0.4, 0.2))])
    with pytest.raises(ContactError, match="no ground"):
        foothold(foot, pin.SE3.Identity(), np.array([0.6, 0.0, 0.0]), island)


@pytest.mark.parametrize(("highest", "least"), [(0.05, 0), (0.09, 1)])
def test_places_for_a_foot_are_searched_at_once(highest, least):
    """On the edge of a stair, a place that is not flat is not looked at: a tick has no time."""
    foot, asked = next(iter(contacts.at_feet(robots.load("biped")))), [0]

    class Counting(contacts.Terrain):
        def ground_under(self, *places):
            asked[0] += 1
            return super().ground_under(*places)

    terrain = Counting(staircase(0.0, 0.08, 0.35, 6).parts)
    there = pin.SE3(np.eye(3), np.array([0.02, 0.0, 0.0]))  # 10 cm are not enough to go back
    found = near(foot, there, np.array([0.2, 0.0, 0.0]), terrain, 0.105, highest)
    assert (found is not None) == bool(least)
    assert asked[0] <= 1 + least  # itself, and those beside it


def test_feet_keep_room_to_risers_where_there_is_some():
    """Nothing rises within `room` of a foot; where there is not as much, it stands all the same."""
    (foot, _), (rise, depth) = contacts.at_feet(robots.load("biped")), (0.12, 0.3)
    length, room = np.ptp(foot.points[:, 0]), 0.05
    terrain = staircase(0.5, rise, depth)
    T = pin.SE3(np.eye(3), np.zeros(3))
    for ahead in np.linspace(0.3, 0.7, 9):
        there = foothold(foot, T, np.array([ahead, 0.1, 0.0]), terrain, 0.4, room)
        around = np.array([there.act(p) for p in foot.points])
        around[:, 0] += room - 1e-6
        assert terrain.height(around) == pytest.approx(there.translation[2])
    short = staircase(0.5, rise, length + 2 * CLEARANCE + 0.02)  # no room on these treads
    near = foothold(foot, T, np.array([0.7, 0.1, 0.0]), short, 0.4)
    there = foothold(foot, T, np.array([0.7, 0.1, 0.0]), short, 0.4, room)
    assert there.isApprox(near)


def test_swings_last_longer_for_what_feet_climb():
    robot = robots.load("biped")
    feet = contacts.at_feet(robot)
    q, rise, climb = contacts.solve_posture(robot, feet).q, 0.12, 1.5
    places = dict(feet.placements(q))
    begin = front(feet, q) + 0.15
    phases = gaits.swings_in_turn(
        feet, places, [(name,) for name in [*feet.names, feet.names[0]]],
        lambda places, k, name: moved(places[name], np.array([0.35 if k else 0.0, 0.0, 0.0])),
        start=np.zeros(3), swing=0.5, double=0.2, first=0.4, last=0.4,
        terrain=staircase(begin, rise, 0.3), reach=0.4, climb=climb,
    )  # fmt: skip
    durations = [phase.duration for phase in phases if phase.swings]
    assert durations == pytest.approx([0.5, 0.5 + climb * rise, 0.5 + climb * rise])


def test_soles_are_used_to_near_their_edges_where_flat_ground_is_told():
    """There they lie on it whole; on ground that nobody told of, or that is rough, they may tip."""
    robot, feet, q = standing("g1")
    height = dynamics.com(robot, q)[2] - middle(feet.placements(q), feet.names)[2]
    heights = contacts.HeightMap("field", np.zeros((40, 40)), cell=0.1, at=(-2.0, -2.0, 0.0))

    def share(parts, **options):
        terrain = None if parts is None else contacts.Terrain(parts)
        return control.GaitController(
            robot, feet, q, terrain=terrain, **options
        ).controller.sole_share

    level = [contacts.Plane("ground")]
    nearest = min(sides(convex_hull(foot.points[:, :2]))[1].min() for foot in feet)
    assert (1 - share(level)) * nearest == pytest.approx(0.01 * height)
    assert (
        share(None)
        == share([])
        == share([heights])
        == share([*level, heights])
        < 0.5 * share(level)
    )
    assert share(level, sole_share=0.6) == 0.6


@pytest.mark.slow
def test_a_humanoid_with_short_soles_climbs_stairs():
    """G1, in the judge's real world."""
    pytest.importorskip("mujoco")
    terrain = staircase(0.2, 0.08, 0.3, 2)
    found = control.judging.trial(
        robots.load("g1"), partial(control.judging.walker, gait="walk", terrain=terrain),
        control.judging.World.real(terrain=terrain), velocity=(0.3, 0.0, 0.0), duration=3.6,
    )  # fmt: skip
    assert found.survived
    assert found.distance > 0.75


def test_a_plan_counts_on_the_ground_that_there_is():
    """Pushed back towards an edge: ξ is planned for where the foot can land."""
    robot, feet, q = standing("biped")
    back = min(T.translation[0] for T in feet.placements(q).values()) - 0.13
    ground = contacts.Terrain([contacts.Box("board", (4.0, 2.0, 1.0), (back + 2.0, 0.0, -1.0))])
    walker = control.GaitController(robot, feet, q, velocity=(0.2, 0.0, 0.0), terrain=ground)
    counted = []

    def watched(q, v, t):
        command = walker(q, v, t)
        if (program := walker._feedback) is not None:
            for foot in walker._feet_in(FootMode.SWING):
                goes = (foot.goal.translation - foot.planned.translation)[:2]
                aimed = walker.dcm.target.end(program.phase) - program.timed.end(program.phase)
                held = np.linalg.norm(walker._short) > 0.01
                counted.append([held, *(aimed[:2] - program.share * goes)])
        return command

    watched.gives_commands = True
    push = control.ForcePulse(control.trunk(robot), (-160.0, 0.0, 0.0), 1.0, 0.1)
    control.simulate(
        robot, watched, ground, q=q, contacts=feet, duration=1.5, step=2e-3, disturbances=[push]
    )
    held, *off = np.array(counted).T
    assert held.any()
    assert np.abs(off).max() < 4e-3  # footholds are moved by steps of 2 mm


@pytest.mark.parametrize("rises", [0.0, 10.0])
def test_given_footholds_are_moved_along_the_plane_that_they_are_on(rises):
    """Pushed back near an edge, or on a slope: what comes later is given with its heights."""
    robot = robots.load("biped")
    feet = contacts.at_feet(robot, 0.7)
    board = contacts.Box("board", (4.0, 2.0, 0.12), (2.0 - 0.13, 0.0, -0.12))
    solid = contacts.Plane("slope", rises=rises) if rises else board
    terrain = contacts.Terrain([contacts.Plane("ground", at=(0.0, 0.0, -0.12)), solid])
    _, q = control.stand(robot, feet, crouch=0.05, terrain=terrain)
    phases = gaits.footsteps(feet, q, 4, length=0.15, terrain=terrain)
    walker = control.WalkingController(robot, feet, q, phases, terrain=terrain)
    v, off, ways = -0.3 * np.eye(robot.nv)[0], [0.0], [0.0]
    for t in np.arange(0.0, walker.plan.duration, 0.01):
        walker(q, v, t)
        for foot in walker._feet_in(FootMode.SWING):
            off += np.abs(solid.signed_distance([foot.goal.act(p) for p in foot.points])).tolist()
            ways.append(np.linalg.norm(foot.goal.translation - foot.planned.translation))
    assert max(ways) > 0.05
    assert max(off) == pytest.approx(0.0, abs=1e-9)


def test_a_trunk_on_four_feet_is_inclined_as_known_ground():
    """Its z axis is across the ways between feet that stand on a plane; else it stays upright."""
    robot = robots.load("quadruped")
    controller, q = control.stand(robot)
    feet, level = controller.contacts, contacts.Terrain([contacts.Plane("ground")])
    for terrain in (level, None):
        walker = control.GaitController(robot, feet, q, velocity=(0.1, 0.0, 0.0), terrain=terrain)
        upright = walker._attitude(0.0).value.rotation
        places = [moved(T, np.array([0.0, 0.0, 0.2 * T.translation[0]]))
                  for T in feet.placements(q).values()]  # fmt: skip
        for _ in range(80):
            walker.ground.fit(places)
        z = walker._attitude(0.0).value.rotation @ upright.T @ np.array([0.0, 0.0, 1.0])
        ways = np.array([T.translation - places[0].translation for T in places[1:]])
        assert (np.abs(ways @ z).max() < 1e-6) == (terrain is not None)


@pytest.mark.parametrize("up", [True, False])
def test_swings_keep_clear_of_steps(up):
    """From two treads below to two above, or back: no corner enters a step, however it starts."""
    terrain, corners = staircase(0.0, 0.17, 0.3), 0.1 * np.array([[1.0, 0, 0], [-1.0, 0, 0]])
    places = [pin.SE3(np.eye(3), np.array(p)) for p in ([0.15, 0, 0.169], [0.75, 0, 0.51])]
    start, goal = places if up else places[::-1]
    way = over_ground(corners, start, goal, 0.8, 0.0, 0.05, terrain)
    plain = references.swing(start, goal, 0.8, 0.0, 0.05)

    def deepest(way):
        poses = [way(t).value for t in np.linspace(0, 0.8, 200)]
        return min(terrain.signed_distance([T.act(p) for p in corners]).min() for T in poses)

    assert deepest(plain) < -0.02
    assert deepest(way) > -3e-3
    level = over_ground(corners, start, pin.SE3(np.eye(3), start.translation), 0.8, 0.0, 0.05)
    assert level(0.4).value.translation[2] - start.translation[2] == pytest.approx(0.05)


@pytest.mark.parametrize("along", [minimum_jerk, minimum_acceleration])
@pytest.mark.parametrize("rise", [-0.1, 0.0, 0.1])
def test_the_way_that_is_looked_at_for_clearance_is_that_of_the_swing(along, rise):
    rng, climb = np.random.default_rng(1), CLIMB * np.sign(rise)
    start, goal = (pin.SE3(pin.exp3(rng.normal(size=3)), rng.normal(size=3)) for _ in range(2))
    goal.translation[2] = start.translation[2] + rise
    corners = rng.normal(size=(3, 3))
    for end in (goal, pin.SE3(start.rotation, goal.translation)):
        way = over_ground(corners, start, end, 1.0, 0.0, 0.0, None, along)
        poses = [way(share).value for share in FRACTIONS]
        wanted = [[T.act(corner) for corner in corners] for T in poses]
        assert swept(corners, start, end, climb, along) == pytest.approx(
            np.array(wanted), abs=1e-12
        )


def climbed(name, crouch, gait, first, rise, steps=3, **options):
    """The motion of a robot up some steps, and where its feet are then, off the last footholds."""
    robot = robots.load(name)
    controller, q = control.stand(robot, crouch=crouch)
    feet = controller.contacts
    terrain = staircase(front(feet, q) + first, rise, 0.3, steps)
    phases = gait(feet, q, terrain=terrain)
    walker = control.WalkingController(robot, feet, q, phases, terrain=terrain)
    motion = control.simulate(
        robot, walker, terrain, q=q, contacts=feet, duration=walker.plan.duration + 0.2,
        step=2e-3, **options,
    )  # fmt: skip
    goals = {name: T for phase in phases for name, T in phase.swings.items()}
    places = walker.controller.contacts.placements(motion.q[-1])
    return motion, [places[name].translation - T.translation for name, T in goals.items()]


@pytest.mark.slow
def test_a_biped_climbs_two_steps():
    pytest.importorskip("mujoco")
    gait = partial(gaits.footsteps, count=3, length=0.3, swing=0.7, settle=0.4)
    motion, off = climbed("biped", 0.04, gait, 0.15, 0.12, 2, engine="mujoco")
    assert not motion.fell
    assert set(motion.statuses) == {"optimal"}
    assert np.abs(off).max() < 0.01
    assert motion.com[-1][2] - motion.com[0][2] == pytest.approx(0.24, abs=0.01)


@pytest.mark.slow
def test_a_quadruped_climbs_a_step():
    gait = partial(gaits.crawl, count=16, length=0.16, swing=0.25, double=0.15, settle=0.4)
    motion, off = climbed("quadruped", 0.0, gait, 0.05, 0.08, 1)
    assert not motion.fell
    assert set(motion.statuses) == {"optimal"}
    assert np.abs(off).max() < 0.01
