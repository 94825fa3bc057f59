"""A humanoid on stairs: support region of the centre of mass, and the least friction.

python examples/stairs.py [SCENARIO]
"""

from __future__ import annotations

import sys
from dataclasses import replace

from footwork import contacts, dynamics, view


def main(name: str = "stairs") -> None:
    """Load a scenario, check it, change it, and save its page."""
    scenario = contacts.Scenario.load(name)
    posture = scenario.solved
    print(f"{scenario.title}: the contacts touch to {posture.error:.0e} m")

    hold = scenario.check()
    print(hold.explain())

    region, com = scenario.region(), dynamics.com(scenario.machine, scenario.q)
    print(f"support region of the centre of mass: {1e4 * region.area:.0f} cm²")
    print(f"distance of the centre of mass from its edge: {100 * abs(region.distance(com)):.1f} cm")

    print("\ncentre of mass moved forward, over the upper foot and beyond:")
    for x in (0.10, 0.25, 0.40, 0.55, 0.65):
        moved = replace(scenario, com=(x, 0.05))
        if not moved.solved.converged:
            print(f"  x = {x:.2f} m  {moved.solved.reason}")
            continue
        answer = moved.check()
        why = f": {answer.reason.split(';')[0]}" if answer.reason else ""
        print(f"  x = {x:.2f} m  {answer.status:<10} margin {answer.margin:7.1f} N{why}")

    page = view(scenario).save_html(f"{scenario.name}.html")
    print(f"see {page}; footwork hold {scenario.name} says the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
