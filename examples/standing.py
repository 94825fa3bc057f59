"""A robot standing on its feet: margins, torques, support region and a certificate of a fall.

python examples/standing.py [ROBOT]
"""

from __future__ import annotations

import sys

import footwork as fw
from footwork import contacts, dynamics


def main(name: str = "biped") -> None:
    """Print the verdicts, standing and pushed, and save the scene."""
    robot = fw.load(name)
    q = robot.posture()
    feet = fw.at_feet(robot, friction=0.7)

    hold = fw.static_hold(robot, q, feet)
    print(hold.explain())
    print(f"  push margin {hold.push_margin():.1f} N at the centre of mass, any direction")
    print(f"  friction and soles may shrink by a factor {hold.friction_margin():.2f}")

    # support polygon, and the distance of the centre of mass from its edge
    region = contacts.static_equilibrium_polygon(robot, q, feet)
    com = dynamics.com(robot, q)
    print(
        f"  {-region.distance(com):.3f} m from the edge of a support area of {region.area:.4f} m²"
    )

    # a push that is too strong: the reason, and the certificate of infeasibility
    trunk = robot.model.frames[2].name
    push = fw.Wrench([2 * hold.push_margin(), 0, 0], point=com)
    fall = fw.static_hold(robot, q, feet, {trunk: push})
    print(fall.explain())
    y = fall.certificate
    load = dynamics.gravity_torques(robot, q) + dynamics.external_torques(robot, q, {trunk: push})
    print(f"  the loads put {y @ load:.3g} W into a motion that contacts and motors cannot resist")

    print(f"  see {fw.view(hold).save_html(f'{robot.name}-standing.html')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
