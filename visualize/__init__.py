"""Pages, scenes and plots of robots, contacts and motions: everything that draws."""

from __future__ import annotations

from .margin_colors import margin_ramp
from .scenes.closed_loop import animate
from .scenes.cones import draw_wrench_cone
from .scenes.falling import animate_certificate
from .scenes.friction_map import draw_friction_map
from .scenes.hold import draw_contacts, draw_forces, draw_hold, view_hold
from .scenes.hold_animation import animate_holds
from .scenes.region import draw_acceleration_cone, draw_region
from .scenes.scenario import draw_terrain, view_scenario
from .scenes.zmp import draw_zmp
from .viewer import ColorRamp, Viewer

__all__ = [
    "Viewer",
    "ColorRamp",
    "animate",
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
    "view_scenario",
]
