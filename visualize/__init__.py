"""Pages, scenes and plots of robots, contacts and motions: everything that draws.

`fw.view(x)` and `fw.plot(x)` find the function that draws x (`src/footwork/registry.py`): a scene's
`view_…`, which returns a Viewer, or a plot's `plot_…`, which returns Matplotlib's Axes. A scene's
`draw_…` adds to a Viewer that is there.
"""

from __future__ import annotations

from .scenes.cones import draw_wrench_cone
from .scenes.hold import animate_holds, draw_contacts, draw_forces, draw_hold, draw_zmp
from .scenes.region import draw_acceleration_cone, draw_region
from .scenes.terrain import draw_terrain
from .viewer import Band, Series, Viewer

__all__ = [
    "Band",
    "Series",
    "Viewer",
    "animate_holds",
    "draw_acceleration_cone",
    "draw_contacts",
    "draw_forces",
    "draw_hold",
    "draw_region",
    "draw_terrain",
    "draw_wrench_cone",
    "draw_zmp",
]
