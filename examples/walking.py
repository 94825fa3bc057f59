"""Walking in closed loop: a biped steps, a quadruped trots.

python examples/walking.py [ROBOT] [STEPS] [LENGTH]
"""

from __future__ import annotations

import sys

from footwork import control, load, view
from footwork.control import gaits


def main(name: str = "quadruped", steps: int = 4, length: float = 0.06) -> None:
    """Simulate a walk, print the distance, and save it as a page."""
    robot = load(name)
    biped = len(robot.feet) == 2
    controller, q = control.stand(robot, crouch=0.02 if biped else 0.0)
    feet = controller.contacts
    gait = gaits.footsteps if biped else gaits.trot
    walker = control.WalkingController(robot, feet, q, gait(feet, q, steps, length=length))
    print(f"{steps} steps of {length} m in {walker.plan.duration:.2f} s")
    print(f"the pendulum's ω is {walker.plan.omega:.2f} 1/s")

    motion = control.simulate(
        robot, walker, q=q, contacts=feet, duration=walker.plan.duration, control_step=2e-3
    )
    way = motion.com[-1] - motion.com[0]
    print(f"{robot.name} {'fell' if motion.fell else 'walked'} {way[0]:.3f} m ahead")
    print(
        f"its centre of mass stayed within {1e3 * abs(motion.com[:, 1]).max():.0f} mm of the line"
    )
    print(f"see {view(motion).save_html(f'{robot.name}-walks.html')}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*given[:1], *map(int, given[1:2]), *map(float, given[2:3]))
