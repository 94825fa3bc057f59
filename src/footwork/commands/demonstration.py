"""Demonstration: static equilibrium of a humanoid and a quadruped, with pages and pictures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .. import contacts, dynamics, registry, robots
from ..contacts import Hold, PointContact
from ..dynamics import Wrench
from ..errors import FootworkError
from ..robots import Robot
from . import terms

SLOPE = np.radians(25)


def run(out: Path, picture: bool = True, tell: Callable[[str], object] = print) -> bool:
    """Show a humanoid on two feet, pushed too hard, and a quadruped with a foot on a slope.

    Print the terms of the equations of motion and the verdicts; write a page for each verdict into
    `out`, and a picture if a browser is installed. Return whether every verdict is as expected.
    """
    out.mkdir(parents=True, exist_ok=True)
    humanoid, quadruped = _robot("talos", "biped"), _robot("solo12", "quadruped")
    tell(sizes(humanoid))
    standing = stand(humanoid)
    scenes = {
        f"{humanoid.name}-standing": (standing, True),
        f"{humanoid.name}-pushed": (pushed(humanoid, 1.5 * standing.push_margin()), False),
        f"{quadruped.name}-slope": (on_a_slope(quadruped), True),
    }
    for name, (hold, _) in scenes.items():
        tell(f"\n{hold.explain()}")
        picture = _save(hold, out / name, picture, tell)
    return all(hold.feasible is expected for hold, expected in scenes.values())


def sizes(robot: Robot) -> str:
    """Return the size of every term of M a + vᵀCv = Sᵀτ + τ_g in a random state, by two methods."""
    rng = np.random.default_rng(0)
    q, v = robot.random_configuration(rng), rng.standard_normal(robot.nv)
    return f"{robot}\n\n{terms.table(terms.rows(robot, q, v))}"


def stand(robot: Robot) -> Hold:
    """Return the verdict on the robot standing on its feet in its default posture."""
    return contacts.static_hold(robot, robot.posture(), contacts.at_feet(robot))


def pushed(robot: Robot, newtons: float) -> Hold:
    """Return the verdict under a horizontal push from behind, at the centre of mass."""
    q, base = robot.posture(), robot.frame_names[2]
    push = Wrench([newtons, 0.0, 0.0], [0.0, 0.0, 0.0], point=dynamics.com(robot, q))
    return contacts.static_hold(robot, q, contacts.at_feet(robot), {base: push})


def on_a_slope(robot: Robot) -> Hold:
    """Return the verdict with the ground under the first foot sloping up to the front."""
    normal = np.array([-np.sin(SLOPE), 0.0, np.cos(SLOPE)])
    level = np.array([0.0, 0.0, 1.0])
    feet = [
        PointContact(
            foot.frame,
            friction=0.7,
            normal=level if i else normal,
            offset=foot.placement.translation,
            radius=foot.radius,
            name=foot.name,
        )
        for i, foot in enumerate(robot.feet.values())
    ]
    return contacts.static_hold(robot, robot.posture(), feet)


def _robot(name: str, ours: str) -> Robot:
    """Return the robot of that name, or one of footwork's own where that is not installed."""
    installed = {info.name for info in robots.available() if info.installed}
    return robots.load(name if name in installed else ours)


def _save(hold: Hold, stem: Path, picture: bool, tell: Callable[[str], object]) -> bool:
    """Write page and picture; return whether pictures can be taken."""
    viewer = registry.view(hold)
    page = viewer.save_html(stem.with_suffix(".html"))
    tell(f"  page      {page}")
    if picture:
        try:
            viewer.screenshot(stem.with_suffix(".png"))
            tell(f"  picture   {stem.with_suffix('.png')}")
        except FootworkError as error:
            print(f"  no pictures: {error}", file=sys.stderr)
            return False
    return picture
