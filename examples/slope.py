"""A quadruped with one foot on a slope of increasing inclination: verdicts and margins.

python examples/slope.py [ROBOT]
"""

from __future__ import annotations

import sys

import numpy as np

import footwork as fw

FRICTION = 0.5


def feet_on(robot: fw.Robot, slope: float) -> list[fw.PointContact]:
    """Return contacts at the feet; the ground under the first is inclined by `slope`."""
    feet = list(robot.feet.values())
    normals = [(-np.sin(slope), 0.0, np.cos(slope))] + [(0.0, 0.0, 1.0)] * (len(feet) - 1)
    return [
        fw.PointContact(
            foot.frame,
            FRICTION,
            normal=normal,
            offset=foot.placement.translation,
            radius=foot.radius,
            name=foot.name,
        )
        for foot, normal in zip(feet, normals, strict=True)
    ]


def main(name: str = "quadruped") -> None:
    """Print the verdict for every slope, and save the scene of one."""
    robot = fw.load(name)
    q = robot.posture()
    print(f"friction {FRICTION}: alone it slips beyond {np.degrees(np.arctan(FRICTION)):.1f}°")
    for degrees in (0, 15, 25, 35, 50, 70):
        hold = fw.static_hold(robot, q, feet_on(robot, np.radians(degrees)))
        print(
            f"{degrees:3d}°  {hold.status:<12} margin {hold.margin:7.2f} N, "
            f"push margin {hold.push_margin():6.2f} N"
        )
        if hold.wrenches:
            force = next(iter(hold.wrenches.values())).force
            print(f"      force on that foot {np.array2string(force, precision=2)} N")
        else:
            print(f"      {hold.reason}")
    hold = fw.static_hold(robot, q, feet_on(robot, np.radians(25)))
    print(f"see {fw.view(hold).save_html(f'{robot.name}-slope.html')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
