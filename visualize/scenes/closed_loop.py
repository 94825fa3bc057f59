"""A closed loop as an animation: the robot, forces of the ground, cones where it stands, pushes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...contacts import Plane
from ...control.closed_loop import ClosedLoop
from ...dynamics import frame_placement
from ..viewer import Viewer
from .scenario import draw_terrain

Array = NDArray[np.float64]


def animate(
    motion: ClosedLoop,
    *,
    rate: float = 25.0,
    scale: float | None = None,
    viewer: Viewer | None = None,
) -> Viewer:
    """Return a viewer that plays the motion, with what the ground does to each contact, and pushes.

    Args:
        motion: of `control.simulate`.
        rate: pictures a second [Hz].
        scale: length of an arrow [m/N]; the robot's weight is as long as its centre of mass is high
            when not given.
        viewer: to draw in; a new one when not given.
    """
    viewer = _new(motion) if viewer is None else viewer
    if motion.terrain is not None:
        draw_terrain(viewer, motion.terrain, motion.q[0][:3])
    times = np.arange(motion.t[0], motion.t[-1], 1.0 / rate)
    qs, _ = motion.resampled(times)
    rows = np.searchsorted(motion.t, times, side="right") - 1
    height = float(motion.com[0][2]) or 1.0
    length = height / (9.81 * motion.robot.mass) if scale is None else scale

    def draw(i: int) -> None:
        for name, (point, force, cone) in _pushes(motion, int(rows[i]), qs[i]).items():
            viewer.arrow(f"force of {name}", point, length * force, color="blue", on_top=True)
            normal, angle = cone
            viewer.cone(f"cone of {name}", point, normal, angle, 0.12 * height, color="yellow")
        for push in motion.pushes:
            if push.acts(float(times[i])):
                place = frame_placement(motion.robot, qs[i], push.frame).translation
                way = length * np.array(push.force)
                viewer.arrow(f"push on {push.frame}", place - way, way, color="red", on_top=True)

    viewer.animate(times, qs, draw=draw)
    return viewer


def _new(motion: ClosedLoop) -> Viewer:
    """A viewer whose ground is the terrain's."""
    if motion.terrain is None:
        return Viewer(motion.robot)
    planes = [solid for solid in motion.terrain.solids if isinstance(solid, Plane)]
    levels = [plane.at[2] for plane in planes if plane.faces[0].normal[2] > 1 - 1e-9]
    return Viewer(motion.robot, ground=float(levels[0]) if levels else None)


def _pushes(motion: ClosedLoop, row: int, q: Array) -> dict[str, tuple[Array, Array, Any]]:
    """Of each contact that is pushed: where (centre of pressure), by how much, in which cone."""
    found: dict[str, tuple[Array, Array, Any]] = {}
    for contact in motion.contacts or ():
        forces = motion.forces[contact.name][row]
        total, normal = forces.sum(axis=0), contact.cone(motion.robot, q).normal
        shares = forces @ normal
        if shares.sum() <= 1e-3 * motion.robot.mass:
            continue
        points = contact.world_points(motion.robot, q)
        centre = shares @ points / shares.sum()
        found[contact.name] = (centre, total, (normal, float(np.arctan(contact.friction))))
    return found
