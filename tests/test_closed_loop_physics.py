"""Closed loops against physics: weights, cones, energy, landing on edges, rates, two engines."""

from __future__ import annotations

import numpy as np
import pytest

from footwork import contacts, control, dynamics, robots
from footwork.control.simulation.ground import Ground, _Impulses
from footwork.control.simulation.simulate import simulate

G = 9.81


def idle(t, q, v):
    return []


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_a_sliding_block_slows_down_by_mu_g(engine):
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    robot = robots.block(3.0, (0.4, 0.4, 0.04))
    q, v = robot.neutral(), np.zeros(6)
    q[2], v[:2] = 0.02, [0.9, 1.2]
    motion = simulate(robot, idle, q=q, v=v, duration=0.25, friction=0.4, engine=engine)
    speed = np.linalg.norm(motion.v[:, :2], axis=1)
    slope = np.polyfit(motion.t[20:], speed[20:], 1)[0]
    assert slope == pytest.approx(-0.4 * G, rel=1e-3 if engine == "pinocchio" else 0.03)
    assert (np.diff(motion.energy[20:]) < 1e-6).all()
    used = motion.friction_used[motion.contacts.names[0]]
    assert np.nanmax(used[20:-1]) == pytest.approx(1.0, abs=1e-3 if engine == "pinocchio" else 0.02)


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_what_stands_weighs_what_it_weighs(name):
    robot = robots.load(name)
    controller, q = control.stand(robot)
    motion = simulate(robot, controller, q=q, duration=0.3, step=2e-3)
    total = sum(forces.sum(axis=1) for forces in motion.forces.values())
    assert total[-1] == pytest.approx([0.0, 0.0, G * robot.mass], abs=1e-3 * G * robot.mass)
    assert motion.unsolved == 0
    for used in motion.friction_used.values():
        assert np.nanmax(used) <= 1 + 1e-6
    up = {contact.name: motion.forces[contact.name][-1][:, 2] for contact in motion.contacts}
    centre = sum(up[c.name] @ c.world_points(robot, motion.q[-1]) for c in motion.contacts)
    centre = centre / total[-1][2]
    assert centre[:2] == pytest.approx(motion.com[-1][:2], abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_forces_change_the_momentum(seed):
    """A thrown limp robot: the ground's forces and the weight are the momentum's rate."""
    robot, rng = robots.load("quadruped"), np.random.default_rng(seed)
    q, v = robot.posture(), np.zeros(robot.nv)
    v[:3] = rng.uniform(-1, 1, 3)
    limp = lambda t, q, v: np.zeros(robot.na)  # noqa: E731
    motion = simulate(robot, limp, q=q, v=v, duration=0.1, step=5e-4)
    total = sum(forces.sum(axis=1) for forces in motion.forces.values())
    states = list(zip(motion.q, motion.v, strict=True))
    momentum = np.array([dynamics.centroidal_momentum(robot, q, v)[:3] for q, v in states])
    energy = [
        dynamics.kinetic_energy(robot, q, v) + dynamics.potential_energy(robot, q)
        for q, v in states
    ]
    assert motion.energy == pytest.approx(energy, rel=1e-12)
    gained = momentum[-1] - momentum[0]
    weight = np.array([0.0, 0.0, -G * robot.mass])
    pushed = 5e-4 * (total[:-1] + weight).sum(axis=0)
    assert gained == pytest.approx(pushed, abs=2e-2 * robot.mass * 0.1 * G)
    for used in motion.friction_used.values():
        assert np.nanmax(used, initial=0.0) <= 1 + 1e-4


def test_a_ball_foot_rests_on_an_edge():
    """Balls touch edges as they touch faces: pushed away from them, not through them."""
    robot = robots.load("quadruped")
    feet = contacts.at_feet(robot, 0.7)
    q = contacts.solve_posture(robot, feet).q
    box = contacts.Box("step", (4.0, 4.0, 0.3))
    ground = Ground(robot, feet, contacts.Terrain([box]))
    radius = feet[feet.names[0]].radius
    assert radius > 0
    placed = feet.placements(q)[feet.names[0]].translation
    for over in (0.0, 0.5 * radius):
        aside = q.copy()
        aside[0] += 2.0 - placed[0] + over  # the foot's middle is so far beyond the edge
        aside[2] += 0.3 - (radius - np.sqrt(radius**2 - over**2))
        distances, normals, lowest = ground.distances(aside)
        assert distances[0] == pytest.approx(0.0, abs=1e-6)
        assert normals[0] == pytest.approx(
            [over / radius, 0.0, np.sqrt(1 - (over / radius) ** 2)], abs=1e-6
        )
        assert lowest[0][0] == pytest.approx(2.0, abs=1e-6)


def test_engines_agree_on_a_stand_under_a_push():
    pytest.importorskip("mujoco")
    robot = robots.load("biped")
    motions = []
    for engine in ("pinocchio", "mujoco"):
        controller, q = control.stand(robot)
        push = control.ForcePulse(control.trunk(robot), (0.0, 60.0, 0.0), 0.05)
        motions.append(
            simulate(
                robot, controller, q=q, duration=0.4, step=1e-3, control_step=2e-3,
                disturbances=[push], engine=engine,
            )
        )  # fmt: skip
    ours, theirs = motions
    moved = np.abs(ours.com - ours.com[0]).max()
    assert moved > 5e-3
    assert np.abs(ours.com - theirs.com).max() < 0.1 * moved + 1e-3
    total = [sum(f.sum(axis=1) for f in m.forces.values()) for m in motions]
    assert total[0][-20:].mean(axis=0) == pytest.approx(
        total[1][-20:].mean(axis=0), abs=0.02 * G * robot.mass
    )


def test_torques_are_held_between_ticks_of_the_controller():
    """The controller is asked at its own rate; a finer physics step changes little."""
    robot = robots.load("quadruped")
    asked = []

    def law(t, q, v):
        asked.append(t)
        return 20 * (target[7:] - q[7:]) - 0.5 * v[6:]

    target = robot.posture()
    coarse = simulate(robot, law, q=target, duration=0.1, step=1e-3, control_step=5e-3)
    assert asked == pytest.approx(np.arange(0, 0.1, 5e-3))
    assert len(coarse) == 21
    fine = simulate(robot, law, q=target, duration=0.1, step=2.5e-4, control_step=5e-3)
    assert len(fine) == 21
    assert fine.tau[0] == pytest.approx(coarse.tau[0])
    assert np.abs(fine.q - coarse.q).max() < 5e-3


def test_noise_is_what_was_asked_for():
    """Told states less true ones have the standard deviations given, rows by rows."""
    robot = robots.load("quadruped")
    noise = control.Noise(0.01, 0.02, 0.03, 0.04, 0.05)
    q, v, rng = robot.posture(), np.zeros(robot.nv), np.random.default_rng(0)
    told = [noise.measured(robot, q, v, rng) for _ in range(2000)]
    dq = np.array([robot.difference(q, a) for a, _ in told]).std(axis=0)
    dv = np.array([b for _, b in told]).std(axis=0)
    assert dq == pytest.approx(np.repeat([0.03, 0.04, 0.01], [3, 3, robot.na]), rel=0.08)
    assert dv == pytest.approx(np.repeat([0.05, 0.02], [6, robot.na]), rel=0.08)


def test_impulses_that_are_not_exact_are_counted(monkeypatch):
    robot = robots.load("quadruped")
    controller, q = control.stand(robot)
    solve = _Impulses.solve
    monkeypatch.setattr(_Impulses, "solve", lambda *given: (solve(*given)[0], False))
    motion = simulate(robot, controller, q=q, duration=0.02)
    assert motion.unsolved == 20


def test_redundant_corners_of_soles_are_solved_under_noise(load_robot):
    """ADMM ends just short of 1e-8 there; the second method's answer, a thousand times worse, was
    taken instead."""
    robot = load_robot("talos", "floating")
    controller, q = control.stand(robot)
    noise = control.Noise(1e-3, 1e-2, 1e-3, 1e-3, 1e-2)
    motion = simulate(robot, controller, q=q, duration=0.2, noise=noise, seed=0)
    assert motion.unsolved == 0
