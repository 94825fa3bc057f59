"""The scene of a scenario: its terrain, the robot on it, ropes, and what a Hold has to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ... import dynamics
from ...arrays import Array
from ...contacts.hold import Hold
from ...contacts.regions.region import Region
from ...contacts.scenario.loads import Payload, Rope
from ...contacts.scenario.scenario import Scenario
from ...contacts.terrain.draping import drape
from ..colors import COLORS
from ..viewer import Viewer
from . import hold as scene
from .hold import animate_certificate
from .region import draw_region, has_outline, on_ground
from .terrain import clear_view, draw_terrain, ground_height

_LEGEND = 0.27  # share of the picture's width that is left to the legend
_LONG_LEGEND = 0.36  # with a reason


def view_scenario(
    scenario: Scenario, region: Region | None = None, animate: bool = True, by_margin: bool = False
) -> Viewer:
    """Return a Viewer that shows a scenario: terrain, robot, contacts, loads and the verdict.

    A posture out of reach is drawn too, with where its contacts should be.

    Args:
        scenario: whose posture, terrain and loads.
        region: to draw on the terrain; where the weight points to in `scenario.region()` when not
            given.
        animate: whether a robot that does not hold moves along its certificate.
        by_margin: as for `draw_hold`.
    """
    hold = scenario.check() if scenario.solved.converged else None
    robot, q = scenario.machine, scenario.q
    viewer = Viewer(robot, ground=ground_height(scenario.ground), title=scenario.title or None)
    viewer.display(q)
    draw_surroundings(viewer, scenario)
    draw_loads(viewer, scenario, q)
    if hold is None:
        draw_targets(viewer, scenario)
        missed = {"no posture touches": "red", scenario.solved.reason: None}
        viewer.legend(scenario.title or scenario.name, missed)
    else:
        draw_answer(viewer, scenario, hold, by_margin)
        region = region or support_of(scenario, hold, scenario.region())
        draw_support(viewer, scenario, hold, region)
        draw_legend(viewer, scenario, hold, region, by_margin)
    if animate and hold is not None and hold.certificate is not None:
        animate_certificate(viewer, hold)
    left = _LEGEND if hold is not None and hold.feasible else _LONG_LEGEND
    viewer.look_from(view_of(scenario), left=left)
    return viewer


def view_of(scenario: Scenario) -> Sequence[float]:
    """Return where to look from: the scenario's `view`, or where least of its terrain is before the
    robot."""
    if scenario.view:
        return scenario.view
    com = dynamics.com(scenario.machine, scenario.q)
    places = scenario.touching[0].placements(scenario.q).values()
    limbs = (com + s * (T.translation - com) for T in places for s in (0.5, 0.9))
    return clear_view(scenario.ground, [com, *limbs])


def draw_surroundings(viewer: Viewer, scenario: Scenario) -> None:
    """Draw what does not move with the robot: the terrain, and what ropes are tied to."""
    draw_terrain(viewer, scenario.ground, _middle(scenario))
    for k, load in enumerate(scenario.loads):
        if isinstance(load, Rope):
            viewer.point(f"anchors/{k}", load.anchor, color=COLORS["rope"])


def draw_loads(viewer: Viewer, scenario: Scenario, q: Array) -> None:
    """Draw the ropes of a robot in a configuration q (nq,), and payloads as cubes of water."""
    for k, load in enumerate(scenario.loads):
        if isinstance(load, Rope):
            ends = np.array([load.wrench(scenario.machine, q).point, load.anchor], dtype=float)
            radius = 0.004 * viewer.scale
            viewer.path(f"ropes/{k}", ends, color=COLORS["rope"], radius=radius)
        elif isinstance(load, Payload) and load.mass > 0:
            point = np.asarray(load.wrench(scenario.machine, q).point)
            R = dynamics.frame_placement(scenario.machine, q, load.frame).rotation
            size = np.full(3, (load.mass / 1000) ** (1 / 3))
            viewer.box(f"payloads/{k}", pin.SE3(R, point), size, color=COLORS["payload"])
            height = 0.036 * viewer.scale
            viewer.label(f"masses/{k}", point, f"{load.mass:g} kg", height=height)


def draw_answer(
    viewer: Viewer,
    scenario: Scenario,
    hold: Hold,
    by_margin: bool = False,
    scale: float | None = None,
) -> None:
    """Draw a Hold's balance on the scenario's terrain, see `scenes.hold.draw_balance`.

    Payloads are no arrows: see `draw_loads`.
    """
    pulled = {frame: w for frame, w in hold.external.items() if frame in _pulled(scenario)}
    scene.draw_balance(viewer, hold, _ground_below(scenario, hold), pulled, by_margin, scale)


def support_of(scenario: Scenario, hold: Hold, region: Region) -> Region:
    """Return where the weight points to on the terrain for centres of mass in a region."""
    com = hold.state.com
    return on_ground(region, scenario.machine, com, _ground_below(scenario, hold))


def _ground_below(scenario: Scenario, hold: Hold) -> float:
    """Height of the terrain below the centre of mass, of the lowest contact where there is none."""
    below = float(scenario.ground.height(hold.state.com))
    return below if np.isfinite(below) else scene.ground_height(hold.contacts, hold.state)


def draw_support(viewer: Viewer, scenario: Scenario, hold: Hold, region: Region) -> None:
    """Draw a region of the plane, laid over the terrain."""
    com = hold.state.com
    drawn = has_outline(region)
    pieces = drape(scenario.ground, region.vertices, float(com[2])) if drawn else []
    for k, piece in enumerate(pieces):
        lifted = piece + np.array([0.0, 0.0, 0.003 * viewer.scale])
        viewer.polygon(f"region/{k}", lifted, color=COLORS["region"], opacity=0.35)
    if not pieces:
        draw_region(viewer, region, scene.ground_height(hold.contacts, hold.q))


def draw_legend(
    viewer: Viewer,
    scenario: Scenario,
    hold: Hold,
    region: Region,
    by_margin: bool = False,
    verdict: bool = True,
) -> None:
    """Write the verdict, what the colours mean, and the reason for a "no", as for a Hold."""
    loads = bool(_pulled(scenario))
    more: dict[str, Any] = {"by_margin": by_margin, "loads": loads, "verdict": verdict}
    scene.draw_legend(viewer, hold, has_outline(region), scenario.title, **more)


def _pulled(scenario: Scenario) -> set[str]:
    """The frames at which pushes and ropes act."""
    return {load.frame for load in scenario.loads if not isinstance(load, Payload)}


def draw_targets(viewer: Viewer, scenario: Scenario) -> None:
    """Draw where contacts should be and are not."""
    posture = scenario.solved
    contacts, targets = scenario.touching
    scene.draw_contacts(viewer, contacts, posture.q)
    for name, T in targets.items():
        here = contacts.placements(posture.q)[name].translation
        viewer.frame(f"targets/{name}", T, on_top=True)
        viewer.path(f"misses/{name}", [here, T.translation], color=COLORS["target"], on_top=True)


def _middle(scenario: Scenario) -> Array:
    """Amid the contacts, (3,)."""
    places = [T.translation for T in scenario.touching[1].values()]
    return np.mean(places, axis=0) if places else np.array(scenario.start.at)
