"""The scene of a scenario: its terrain, the robot on it, ropes, and what a Hold has to show."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ... import dynamics
from ...arrays import Array
from ...contacts.hold import Hold
from ...contacts.regions.region import Region
from ...contacts.scenario.loads import Payload, Rope
from ...contacts.scenario.scenario import Scenario
from ...contacts.terrain.draping import drape
from ..colors import COLORS, margin_color
from ..viewer import Viewer
from . import hold as scene
from .hold import animate_certificate
from .motion import draw_com
from .region import draw_region
from .terrain import draw_terrain, ground_height

VIEW = (1.0, -0.85, 0.4)  # from the scene to the eye, when the scenario has none
_LEGEND = 0.27  # share of the picture's width that is left to the legend
_LONG_LEGEND = 0.36  # with a reason


def view_scenario(
    scenario: Scenario,
    region: Region | None = None,
    animate: bool = True,
    by_margin: bool = False,
) -> Viewer:
    """Return a Viewer that shows a scenario: terrain, robot, contacts, loads and the verdict.

    A posture out of reach is drawn too, with where its contacts should be.

    Args:
        scenario: whose posture, terrain and loads.
        region: to draw on the terrain, `scenario.region()` when not given.
        animate: whether a robot that does not hold moves along its certificate.
        by_margin: as for `draw_hold`.
    """
    hold = scenario.check() if scenario.solved.converged else None
    robot, q, terrain = scenario.machine, scenario.q, scenario.ground
    viewer = Viewer(robot, ground=ground_height(terrain), title=scenario.title or None)
    viewer.display(q)
    draw_terrain(viewer, terrain, _middle(scenario))
    _draw_ropes(viewer, scenario, q)
    _draw_payloads(viewer, scenario, q)
    if hold is None:
        _draw_targets(viewer, scenario)
    else:
        _draw_answer(viewer, scenario, hold, region or scenario.region(), by_margin)
    if animate and hold is not None and hold.certificate is not None:
        animate_certificate(viewer, hold)
    left = _LEGEND if hold is not None and hold.feasible else _LONG_LEGEND
    viewer.look_from(scenario.view or VIEW, left=left)
    return viewer


def _draw_answer(
    viewer: Viewer, scenario: Scenario, hold: Hold, region: Region, by_margin: bool
) -> None:
    """What a Hold has to show, and the region laid over the terrain."""
    lowest = scene.ground_height(hold.contacts, hold.q)
    scene.draw_hold(viewer, hold, region=False, by_margin=by_margin, legend=False)
    pulled = {load.frame for load in scenario.loads if not isinstance(load, Payload)}
    for frame in hold.external.keys() - pulled:  # payloads are drawn as such
        viewer.delete(f"loads/{frame}")
    com = dynamics.com(scenario.machine, hold.q)
    below = float(scenario.ground.height(com))
    color = margin_color(hold) if by_margin else COLORS["com"]
    draw_com(viewer, scenario.machine, hold.q, below if np.isfinite(below) else lowest, color)
    bounded = region.status in ("bounded", "flat")
    pieces = drape(scenario.ground, region.vertices, float(com[2])) if bounded else []
    for k, piece in enumerate(pieces):
        lifted = piece + np.array([0.0, 0.0, 0.003 * viewer.scale])
        viewer.polygon(f"region/{k}", lifted, color=COLORS["region"], opacity=0.35)
    if not pieces:
        draw_region(viewer, region, lowest)
    title, drawn = scenario.title, bool(pulled)
    scene.draw_legend(viewer, hold, bounded, title, by_margin=by_margin, loads=drawn)


def _draw_ropes(viewer: Viewer, scenario: Scenario, q: Array) -> None:
    for k, load in enumerate(scenario.loads):
        if isinstance(load, Rope):
            begin = load.wrench(scenario.machine, q).point
            radius = 0.004 * viewer.scale
            ends = np.array([begin, load.anchor], dtype=float)
            viewer.path(f"ropes/{k}", ends, color=COLORS["rope"], radius=radius)
            viewer.point(f"anchors/{k}", load.anchor, color=COLORS["rope"])


def _draw_payloads(viewer: Viewer, scenario: Scenario, q: Array) -> None:
    """As cubes of water of their mass."""
    height = 0.036 * viewer.scale
    for k, load in enumerate(scenario.loads):
        if isinstance(load, Payload) and load.mass > 0:
            point = np.asarray(load.wrench(scenario.machine, q).point)
            R = dynamics.frame_placement(scenario.machine, q, load.frame).rotation
            size = np.full(3, (load.mass / 1000) ** (1 / 3))
            viewer.box(f"payloads/{k}", pin.SE3(R, point), size, color=COLORS["payload"])
            viewer.label(f"masses/{k}", point, f"{load.mass:g} kg", height=height)


def _draw_targets(viewer: Viewer, scenario: Scenario) -> None:
    """Where contacts should be and are not."""
    posture = scenario.solved
    contacts, targets = scenario.touching
    scene.draw_contacts(viewer, contacts, posture.q)
    for name, T in targets.items():
        here = contacts.placements(posture.q)[name].translation
        viewer.frame(f"targets/{name}", T, on_top=True)
        viewer.path(f"misses/{name}", [here, T.translation], color=COLORS["target"], on_top=True)
    title = scenario.title or scenario.name
    viewer.legend(title, {"no posture touches": "red", posture.reason: None})


def _middle(scenario: Scenario) -> Array:
    """Amid the contacts, (3,)."""
    places = [T.translation for T in scenario.touching[1].values()]
    return np.mean(places, axis=0) if places else np.array(scenario.start.at)
