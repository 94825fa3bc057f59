"""Whole-body control of a standing robot under pushes, one quadratic program per tick.

python examples/whole_body.py [ROBOT] [SECONDS]
"""

from __future__ import annotations

import sys

import numpy as np

from footwork import control, load, view


def main(name: str = "biped", seconds: float = 1.0) -> None:
    """Print one tick, then a second of standing, and save it as a page."""
    robot = load(name)
    controller, q = control.stand(robot)

    # one tick, and its verification
    command = controller(q, np.zeros(robot.nv))
    print(f"{command.explain()}")
    print(f"largest constraint violation: {max(command.residuals.values()):.1e}")
    _, _, tau = control.by_cvxpy(controller, q, np.zeros(robot.nv))
    print(f"cvxpy's torques for the same program differ by {abs(tau - command.tau).max():.1e} N·m")

    # closed loop at 500 Hz, pushed twice, on ground with friction
    controller, q = control.stand(robot)
    base = control.trunk(robot)
    force = 0.15 * robot.mass / 0.1
    pushes = [
        control.ForcePulse(base, (force, 0.0, 0.0), 0.1 * seconds),
        control.ForcePulse(base, (0.0, force, 0.0), 0.5 * seconds),
    ]
    motion = control.simulate(
        robot, controller, q=q, duration=seconds, control_step=2e-3, disturbances=pushes
    )
    moved = np.linalg.norm(motion.com - motion.com[0], axis=1)
    _, margins = motion.margins(every=0.1 * seconds)
    print(f"pushed with {force:.0f} N for 0.1 s twice: {'fell' if motion.fell else 'stands'}")
    print(f"the centre of mass moved {1e3 * moved.max():.1f} mm, then {1e3 * moved[-1]:.1f} mm")
    print(f"smallest margin on the way {margins.min():.1f} N at every contact")
    print(f"see {view(motion).save_html(f'{robot.name}-pushed.html')}")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
