"""The double pendulum in matrix form, M θ̈ = C + G + Q + E, in absolute angles from the vertical.

Two bars of 1 kg, 1 m and 0.5 m with large initial velocities: matrices against the textbook, energy
over 10 s, and a PID on the second bar's absolute angle. The motion is chaotic: 1e-9 rad grows to
many turns, and no digit is significant after about 12 s. Plots and animations go to FOLDER.

python examples/double_pendulum.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import footwork as fw
from footwork import control, dynamics
from footwork.visualize.plots.axes import plot_series
from footwork.visualize.plots.robot import plot_stick_figures

THETA, OMEGA = np.array([np.pi / 10, np.pi / 3]), np.array([2 * np.pi, -6 * np.pi])


def main(folder: str = ".") -> None:
    """Print the matrices and the energies; draw angles, stick figures and the motion."""
    robot = fw.robots.double_pendulum(l1=1.0, l2=0.5, m1=1.0, m2=1.0)
    A = dynamics.absolute_angles(robot)  # θ = A q
    q, v = np.linalg.solve(A, THETA), np.linalg.solve(A, OMEGA)

    form = dynamics.matrix_form(robot, q, v, coordinates=A)
    c, s = np.cos(THETA[0] - THETA[1]), np.sin(THETA[0] - THETA[1])
    M = np.array([[4 / 3, c / 4], [c / 4, 1 / 12]])
    C = 0.25 * s * np.array([-(OMEGA[1] ** 2), OMEGA[0] ** 2])
    G = -9.81 * np.array([1.5 * np.sin(THETA[0]), 0.25 * np.sin(THETA[1])])
    for name, ours, paper in zip("MCG", form, (M, C, G), strict=False):
        print(f"{name} = {ours.round(4).tolist()}, off paper by {np.abs(ours - paper).max():.0e}")

    free = dynamics.simulate(robot, q, v, duration=10, step=0.02, integrator="dop853")
    euler = dynamics.simulate(robot, q, v, duration=1, step=1e-4, integrator="explicit_euler")
    print(f"energy drifts by {np.ptp(free.energy):.0e} J in 10 s")
    print(f"with explicit Euler, steps of 0.1 ms: {np.ptp(euler.energy):.0e} J in the first second")
    target = np.linalg.solve(A, [0.0, np.pi / 3])
    pid = control.PID(robot, target, kp=[0, 30.0], kd=[0, 2.0], ki=[0, 3.0], watches=A)
    held = dynamics.simulate(robot, q, v, pid, duration=8, step=0.01)
    print(f"held by the PID, bar 2 ends at {(held.q @ A.T)[-1, 1]:.3f} rad; asked: {np.pi / 3:.3f}")

    frames = ["joint_1", "joint_2", robot.frame_names[-1]]
    for name, run in (("free", free), ("pid", held)):
        theta = dict(zip(("bar 1", "bar 2"), (run.q @ A.T).T, strict=True))
        angles = plot_series(run.t, theta, "angle [rad]", "absolute angles")
        angles.figure.savefig(Path(folder, f"double-pendulum-{name}-angles.svg"))
        poses, _ = run.resampled(np.linspace(0, 1, 16))
        sticks = plot_stick_figures(robot, poses, frames)
        sticks.figure.savefig(Path(folder, f"double-pendulum-{name}-sticks.svg"))
        fw.view(run).save_html(Path(folder, f"double-pendulum-{name}.html"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
