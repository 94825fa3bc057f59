"""A humanoid on a turntable: margin over angular velocity and acceleration, and failure modes.

python examples/turntable.py [ROBOT]
"""

from __future__ import annotations

import sys

import numpy as np

import footwork as fw
from footwork import contacts


def ride(robot: fw.Robot, speed: float, start: float = 0.0, **limits: float) -> contacts.Hold:
    """Return the verdict on a robot that stands on the table, 0.8 m from its axis.

    With the joints at rest the base alone moves: J v = s, the velocity of the table under the feet,
    and J a + (dJ/dt) v = its rate.
    """
    table = contacts.MovingSurface(
        angular=[0, 0, speed], angular_acceleration=[0, 0, start], point=[-0.8, 0, 0]
    )
    feet = contacts.at_feet(robot, 0.4, surface=table, **limits)
    q, v, a = robot.posture(), np.zeros(robot.nv), np.zeros(robot.nv)
    J = feet.jacobian(q)[:, :6]
    v[:6] = np.linalg.lstsq(J, feet.surface_velocity(q))[0]
    a[:6] = np.linalg.lstsq(J, feet.surface_acceleration(q, v) - feet.drift(q, v))[0]
    return contacts.contact_forces(robot, q, v, a, feet)


def main(name: str = "biped") -> None:
    """Print margins over the speed, and the reason at the first infeasible one."""
    robot = fw.load(name)
    for speed in np.arange(0.0, 4.0, 0.25):
        hold = ride(robot, speed)
        print(f"{speed:5.2f} rad/s   margin {hold.margin:7.1f} N   {hold.reason}")
        if not hold.feasible:
            break
    for torsion in (None, 0.005, 0.001):
        limits = {} if torsion is None else {"torsional_friction": torsion}
        hold = ride(robot, 0.0, start=1.0, **limits)
        print(f"start with 1 rad/s², torsional friction {torsion}: margin {hold.margin:.1f} N")


if __name__ == "__main__":
    main(*sys.argv[1:])
