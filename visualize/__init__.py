"""Pages, scenes and plots of robots, contacts and motions: everything that draws.

`fw.view(x)` and `fw.plot(x)` find the function that draws x (`src/footwork/registry.py`): a scene's
`view_…`, which returns a Viewer, or a plot's `plot_…`, which returns Matplotlib's Axes. A scene's
`draw_…` adds to a Viewer that is there.
"""

from __future__ import annotations

from .colors import margin_ramp
from .scenes.cones import draw_wrench_cone
from .scenes.falling import animate_certificate
from .scenes.friction_map import draw_friction_map
from .scenes.hold import draw_contacts, draw_forces, draw_hold, view_hold
from .scenes.hold_animation import animate_holds
from .scenes.region import draw_acceleration_cone, draw_region
from .scenes.terrain import draw_terrain
from .scenes.zmp import draw_zmp
from .viewer import ColorRamp, Viewer

__all__ = [
    "Viewer",
    "ColorRamp",
    "animate_certificate",
    "animate_holds",
    "draw_acceleration_cone",
    "draw_contacts",
    "draw_forces",
    "draw_friction_map",
    "draw_hold",
    "draw_region",
    "draw_terrain",
    "draw_wrench_cone",
    "draw_zmp",
    "margin_ramp",
    "view_hold",
]
