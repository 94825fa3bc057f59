"""A closed loop as an animation: the robot, forces of the ground, cones where it stands, pushes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...arrays import Array
from ...contacts import Contact
from ...contacts.equilibrium.balance import weight
from ...control.simulation.closed_loop import ClosedLoop
from ...dynamics import frame_placement
from ..colors import COLORS
from ..viewer import Band, Series, Viewer
from ..viewer.series import stretches
from .cones import draw_friction_cone
from .robot import picture_frames
from .terrain import draw_terrain, ground_height, look_past

_ESTIMATE = "estimate"


def view_closed_loop(
    motion: ClosedLoop,
    *,
    rate: float = 25.0,
    scale: float | None = None,
    viewer: Viewer | None = None,
) -> Viewer:
    """Return a Viewer that plays the motion, with what the ground does to each contact, and pushes.

    Where there was an estimator, a ghost is where it believed the robot to be. Below are the
    contacts' forces, the margin, and what the estimate was wrong by, over time.

    Args:
        motion: of `control.simulate`.
        rate: pictures a second [Hz].
        scale: length of an arrow [m/N]; the robot's weight is as long as its centre of mass is high
            when not given.
        viewer: to draw in; a new one when not given.
    """
    own = viewer is None
    if viewer is None:
        viewer = Viewer(motion.robot, ground=ground_height(motion.terrain))
    if motion.terrain is not None:
        draw_terrain(viewer, motion.terrain, motion.q[0][:3])
    times, qs = picture_frames(motion, rate)
    rows = np.searchsorted(motion.t, times, side="right") - 1
    height = float(motion.com[0][2]) or 1.0
    length = height / weight(motion.robot) if scale is None else scale
    cones = {c.name: motion.friction_axes(c) for c in motion.contacts or ()}

    def draw(i: int) -> None:
        for contact, point, force in _loaded(motion, int(rows[i]), qs[i]):
            name, vector = contact.name, length * force
            viewer.arrow(f"force of {name}", point, vector, color=COLORS["force"], on_top=True)
            axes, mu = (values[rows[i]] for values in cones[name])
            draw_friction_cone(viewer, f"cone of {name}", axes, mu, point, 0.14 * height)
        if motion.estimated_q is not None:
            believed = motion.estimated_q[rows[i]]
            viewer.ghost(_ESTIMATE, believed, opacity=0.35, color=COLORS["target"])
        for push in motion.pushes:
            if push.acts(float(times[i])):
                place = frame_placement(motion.robot, qs[i], push.frame).translation
                way, name = length * np.array(push.force), f"push on {push.frame}"
                viewer.arrow(name, place - way, way, color=COLORS["load"], on_top=True)

    viewer.animate(times, qs, draw=draw, series=_series(motion) if motion.contacts else ())
    if motion.estimated_q is not None:
        viewer.legend("closed loop", {"ghost: as it was estimated": COLORS["target"]})
    if own and motion.terrain is not None:
        look_past(viewer, motion.terrain, motion.com[rows[::10]])
    return viewer


def _series(motion: ClosedLoop) -> list[Series]:
    """Vertical forces of the contacts; margins, marked where the contacts cannot do the motion."""
    forces = {name: f.sum(axis=1)[:, 2] for name, f in motion.forces.items()}
    times, margins = motion.margins()
    touching = np.any([*motion.touching.values()], axis=0)[np.searchsorted(motion.t, times)]
    wrong = touching & ~(margins >= 0)
    bands = [Band(*ends, "in the air", "gray") for ends in stretches(times, ~touching)]
    bands += [Band(*ends, "the contacts cannot do this") for ends in stretches(times, wrong)]
    shown = [
        Series("vertical force", motion.t, forces, "N", span=_without_impulses(forces)),
        Series("margin", times, {"margin": margins}, "N", bands, [0.0]),
    ]
    if motion.estimated_q is not None:
        off = 100 * motion.estimate_errors["position"]
        shown.append(Series("estimate off", motion.t, dict(zip("xyz", off.T, strict=True)), "cm"))
    return shown


def _without_impulses(forces: Mapping[str, Array]) -> tuple[float, float] | None:
    """Ends of the forces' axis [N]: beside the short impulses of landings all else would be flat.

    Forces are cut where they are half as large again as those of all but 2 % of what loads a foot.
    """
    every = np.concatenate([*forces.values()])
    every = every[np.isfinite(every)]
    loads = every[every > 1e-3 * every.max(initial=0.0)]
    if not len(loads):
        return None
    low, high = min(every.min(), 0.0), min(every.max(), 1.5 * np.percentile(loads, 98))
    room = 0.05 * (high - low)
    return float(low - room), float(high + room)


def _loaded(motion: ClosedLoop, row: int, q: Array) -> Iterator[tuple[Contact, Array, Array]]:
    """Of each contact that carries more than a thousandth of the weight: (it, where, force)."""
    for contact in motion.contacts or ():
        forces, normal = motion.forces[contact.name][row], contact.cone(motion.robot, q).normal
        loads = forces @ normal
        if loads.sum() > 1e-3 * weight(motion.robot):
            centre = loads @ contact.world_points(motion.robot, q) / loads.sum()
            yield contact, centre, forces.sum(axis=0)
