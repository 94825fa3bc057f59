"""Walking subjects: stick figures, plates' forces, and a robot fitted to the motion."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...biomechanics.axes import turning
from ...biomechanics.gait import Gait
from ...biomechanics.lab.trial import Trial
from ...biomechanics.robot_gait import RobotGait
from ..viewer import Series, Viewer

METRES = 1 / 1000  # [m] of arrow per newton
RATE = 30.0  # pictures per second of an animation
SIDES = {"right": "red", "left": "blue"}


def view_gait(gait: Gait, every: float = 0.1) -> Viewer:
    """Return a Viewer that shows a subject's legs and the forces of the plates, every so often.

    Args:
        gait: the analysis.
        every: from one posture to the next [s].
    """
    viewer = Viewer(title=gait.trial.source)
    R, trial = turning(gait.trial.markers.up, "z"), gait.trial.turned("z")
    frames = range(0, len(gait.t), max(1, round(every * gait.trial.markers.rate)))
    for side, color in SIDES.items():
        if side in gait.names.legs:
            sticks = leg_sticks(gait, side) @ R.T
            for i in frames:
                viewer.path(f"{side} leg/{i}", sticks[i], color=color, radius=0.004)
    for i in frames:
        _draw_plates(viewer, trial, i, f"/{i}")
    lines = {f"{side} leg": color for side, color in SIDES.items() if side in gait.names.legs}
    viewer.legend(f"{gait.mass:g} kg", lines, shows={name: name for name in lines})
    return viewer


def view_robot_gait(found: RobotGait) -> Viewer:
    """Return a Viewer that plays a robot's motion, with the ground reaction forces over time."""
    viewer = Viewer(found.subject.robot)
    trial, rate = found.gait.trial.turned("z"), found.fit.rate
    frames = np.arange(0, len(found.fit.q), max(1, round(rate / RATE)))

    def draw(k: int) -> None:
        _draw_plates(viewer, trial, int(frames[k]))

    times = np.arange(len(found.fit.q)) / rate
    used = [plate for plate in trial.plates if plate.loaded.any()]
    forces = {f"plate {plate.name}": plate.force[: len(times), 2] for plate in used}
    series = [Series("vertical force", times, forces, "N")] if forces else []
    viewer.animate(times[frames], found.fit.q[frames], draw=draw, series=series)
    return viewer


def _draw_plates(viewer: Viewer, trial: Trial, i: int, suffix: str = "") -> None:
    """Draw the forces of the plates in one frame of a trial with z up."""
    for plate in trial.plates:
        if plate.loaded[i]:
            name = f"plate {plate.name}{suffix}"
            viewer.arrow(name, plate.centre_of_pressure[i], METRES * plate.force[i])


def leg_sticks(gait: Gait, side: str) -> Array:
    """Return (n, 6, 3): hip, knee, ankle, heel, toes and ankle again, in laboratory axes [m]."""
    motion, leg = gait.forces.motion, gait.names.legs[side]
    joints = [motion.origin[:, motion.index(f"{side} {s}")] for s in ("thigh", "shank", "foot")]
    markers = gait.trial.markers
    toes = (markers[leg["toe lateral"]] + markers[leg["toe medial"]]) / 2
    return np.stack([*joints, markers[leg["heel"]], toes, joints[-1]], axis=1)
