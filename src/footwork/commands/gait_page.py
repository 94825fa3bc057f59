"""Page of `footwork gait --robot`: animation of a robot fitted to the subject's motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..biomechanics.robot_gait import RobotGait

_RATE = 30.0  # frames per second of the animation
_METRES = 1 / 1000  # [m] of arrow per newton


def write_page(found: RobotGait, path: Path) -> Path:
    """Write the motion as a page that opens offline, with the ground reaction forces as arrows."""
    from ..visualize import Viewer

    viewer = Viewer(found.subject.robot)
    plates = found.gait.trial.turned("z").plates
    every = max(1, round(found.fit.rate / _RATE))
    frames = np.arange(0, len(found.fit.q), every)

    def draw(k: int) -> None:
        i = frames[k]
        for plate in plates:
            if plate.loaded[i]:
                force = _METRES * plate.force[i]
                viewer.arrow(f"plate {plate.name}", plate.centre_of_pressure[i], force)

    viewer.animate(frames / found.fit.rate, found.fit.q[frames], draw=draw)
    return viewer.save_html(path)
