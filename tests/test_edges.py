"""Soles on edges of boxes and height maps, against the pendulum about the edge, and MuJoCo."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

from footwork import contacts, control, dynamics, robots
from footwork.contacts.geometry import polygon
from footwork.contacts.terrain.edges import Outline, under
from footwork.control.simulation.mujoco_model import MujocoModel
from footwork.control.simulation.simulate import simulate

G = 9.81
SIZE = (0.4, 0.2, 0.1)
TOP = 0.3  # of the board, whose edge is at x = 0, across x


def idle(t, q, v):
    return []


def board(kind="box"):
    """Ground that ends at x = 0: a box, or a map of heights with a riser of a centimetre."""
    if kind == "box":
        return contacts.Terrain([contacts.Box("board", (1.0, 1.0, TOP), (-0.5, 0, 0))])
    heights = np.zeros((61, 4))
    heights[:31] = TOP  # up to x = 0, and nothing from x = 2 cm on
    return contacts.Terrain([contacts.HeightMap("board", heights, 0.02)])


def on_board(beyond):
    """A block whose middle is so far beyond the edge."""
    robot = robots.block(3.0, SIZE)
    q = robot.neutral()
    q[0], q[2] = beyond, TOP + SIZE[2] / 2
    return robot, q


def tilt(q):
    """The angle by which x points down."""
    return -np.arcsin(pin.Quaternion(q[3:7]).toRotationMatrix()[2, 0])


def tipping(beyond, duration):
    """The angle of a block that tips about the edge x = 0: I θ̈ = m g (x cos θ + z sin θ)."""
    inertia = (SIZE[0] ** 2 + SIZE[2] ** 2) / 12 + beyond**2 + (SIZE[2] / 2) ** 2  # over m
    rate = lambda t, y: [  # noqa: E731
        y[1], G * (beyond * np.cos(y[0]) + SIZE[2] / 2 * np.sin(y[0])) / inertia
    ]  # fmt: skip
    return solve_ivp(rate, (0.0, duration), [0.0, 0.0], rtol=1e-9, atol=1e-12).y[0, -1]


@pytest.mark.parametrize("kind", ["box", "map"])
def test_a_block_stays_half_over_an_edge(kind):
    """Its middle over the board, by a centimetre; no corner of it is near the edge."""
    robot, q = on_board(-0.01)
    motion = simulate(robot, idle, board(kind), q=q, duration=0.15, friction=0.8)
    assert np.abs(motion.q[-1] - q).max() < 1e-5
    (forces,) = motion.forces.values()
    total = forces[-1].sum(axis=0)
    assert total == pytest.approx([0.0, 0.0, 3.0 * G], abs=1e-2)
    assert (forces[-1][:, 2] > -1e-9).all()
    (sole,) = motion.contacts
    points = sole.world_points(robot, motion.q[-1])
    assert forces[-1][:, 2] @ points[:, 0] / total[2] == pytest.approx(-0.01, abs=1e-4)


@pytest.mark.parametrize("kind", ["box", "map"])
def test_a_block_tips_about_the_edge_as_a_pendulum(kind):
    robot, q = on_board(0.04)
    motion = simulate(robot, idle, board(kind), q=q, duration=0.2, step=5e-4, friction=2.0)
    angle = tilt(motion.q[-1])
    assert angle > 0.1
    assert angle == pytest.approx(tipping(0.04, 0.2), rel=5e-3)
    (forces,) = motion.forces.values()
    (sole,) = motion.contacts
    for k in (50, 200, 390):  # what the ground gave acts at the edge
        points = sole.world_points(robot, motion.q[k])
        moment = np.cross(points - [0.0, 0.0, TOP], forces[k]).sum(axis=0)
        assert np.abs(moment).max() < 2e-3 * np.linalg.norm(forces[k].sum(axis=0))


def test_a_block_tips_as_in_mujoco():
    pytest.importorskip("mujoco")
    robot, q = on_board(0.04)
    feet = contacts.at_feet(robot, 2.0)
    there = MujocoModel(robot, feet, board(), solid=True)
    there.model.opt.timestep = 2e-4
    there.data.qpos[:], there.data.qvel[:] = there.to_mujoco(q, np.zeros(6))
    for _ in range(1000):
        there.mujoco.mj_step(there.model, there.data)
    theirs, _ = there.from_mujoco()
    motion = simulate(robot, idle, board(), q=q, duration=0.2, contacts=feet)
    assert tilt(motion.q[-1]) == pytest.approx(tilt(theirs), rel=0.02)
    assert motion.q[-1][:3] == pytest.approx(theirs[:3], abs=2e-3)


def test_a_block_slides_from_the_air_onto_a_board():
    """What hangs over an edge is no obstacle on the way back: v loses μ g t."""
    robot, q = on_board(-0.02)
    v = np.array([-0.5, 0.0, 0.0, 0.0, 0.0, 0.0])
    motion = simulate(robot, idle, board(), q=q, v=v, duration=0.3, friction=0.1)
    assert motion.v[-1][0] == pytest.approx(-0.5 + 0.1 * G * 0.3, abs=5e-3)
    assert motion.q[-1][2] == pytest.approx(q[2], abs=1e-4)


def test_a_block_rests_on_a_stone_smaller_than_itself():
    robot, q = on_board(0.01)
    stone = contacts.Box("stone", (0.06, 0.05, TOP), (0.0, 0.01, 0.0), heading=20.0)
    motion = simulate(robot, idle, contacts.Terrain([stone]), q=q, duration=0.15)
    assert np.abs(motion.q[-1] - q).max() < 1e-5


@pytest.mark.parametrize("deep", [1e-5, 1e-3])
def test_a_riser_that_a_toe_touches_has_no_edge_under_the_sole(deep):
    """Nor one whose toe is a little inside of it; an edge that is under it is as deep as it is."""
    robot, _ = on_board(0.0)
    (sole,) = contacts.at_feet(robot)
    outline = Outline.of(polygon.convex_hull(sole.points[:, :2]))
    front = SIZE[0] / 2 - deep
    for rise, beyond, count in ((0.03, 0.0, 0), (0.5 * deep, 0.0, 2), (0.03, -0.05, 2)):
        step = contacts.Box("step", (0.5, 1.0, rise), (front + beyond + 0.25, 0, 0))
        places, ends = under(step.edges, np.eye(3, 4), outline, 0.01)
        assert len(ends) == count
        assert places[:, 2] == pytest.approx(np.full(count, rise))
        assert places[:, 0] == pytest.approx(np.full(count, front + beyond))


def test_weights_of_corners_give_the_point():
    rng = np.random.default_rng(1)
    for _ in range(10):
        corners = polygon.convex_hull(rng.standard_normal((8, 2)))
        inside = rng.dirichlet(np.ones(len(corners)), 20) @ corners
        on_sides = 0.5 * (corners + np.roll(corners, -1, axis=0))
        points = np.vstack([inside, on_sides, corners])
        weights = polygon.barycentric(polygon.Fans.of(corners), points)
        assert (weights >= 0).all()
        assert weights.sum(axis=1) == pytest.approx(np.ones(len(points)), abs=1e-12)
        assert weights @ corners == pytest.approx(points, abs=1e-9)
        assert weights[-len(corners) :] == pytest.approx(np.eye(len(corners)), abs=1e-9)


# --- partly supported soles ------------------------------------------------------------------


def test_the_support_of_a_sole_is_what_it_shares_with_the_board():
    """By areas: shares of random points of the sole that have ground under them."""
    robot, rng = robots.block(3.0, SIZE), np.random.default_rng(0)
    (sole,) = contacts.at_feet(robot)
    for turn in (0.0, 30.0):
        T = pin.SE3(pin.utils.rotate("z", np.radians(turn)), np.array([0.05, 0.0, TOP]))
        cut = contacts.supported(sole, T, board())
        local = rng.uniform(-0.5, 0.5, (4000, 2)) * SIZE[:2]
        above = np.column_stack([local, np.zeros(len(local))]) @ T.rotation.T + T.translation
        share = (board().signed_distance(above - [0, 0, 1e-6]) < 0).mean()
        assert polygon.area(cut.corners) / (SIZE[0] * SIZE[1]) == pytest.approx(share, abs=0.03)
    T.translation[0] = 0.5
    assert contacts.supported(sole, T, board()) is None
    T.translation[0] = -0.5
    assert contacts.supported(sole, T, board()) is sole


def test_two_boards_carry_what_is_between_them():
    robot = robots.block(3.0, SIZE)
    (sole,) = contacts.at_feet(robot)
    boards = [contacts.Box(f"board {x}", (0.1, 1.0, TOP), (x, 0, 0)) for x in (-0.15, 0.1)]
    T = pin.SE3(np.eye(3), np.array([0.0, 0.0, TOP]))
    cut = contacts.supported(sole, T, contacts.Terrain(boards))
    assert np.sort(np.unique(cut.corners[:, 0].round(9))) == pytest.approx([-0.2, 0.15])


def test_a_biped_stands_on_the_front_halves_of_its_soles():
    """Its heels hang over an edge: a controller that knows of it stands on full soles there."""
    robot = robots.load("biped")
    feet = contacts.at_feet(robot, 0.7)
    q = contacts.solve_posture(robot, feet).q
    back = min(T.translation[0] for T in feet.placements(q).values())
    edge = contacts.Terrain([contacts.Box("board", (1.0, 1.0, 0.2), (back + 0.5, 0, -0.2))])
    known = contacts.ContactSet(
        robot, [contacts.supported(foot, T, edge) for foot, T in
                zip(feet, feet.placements(q).values(), strict=True)]
    )  # fmt: skip
    controller, start = control.stand(robot, known, q=q)
    motion = simulate(robot, controller, edge, q=start, contacts=feet, duration=0.2, step=2e-3)
    assert not motion.fell
    assert np.abs(motion.com[-1] - dynamics.com(robot, start)).max() < 5e-3
