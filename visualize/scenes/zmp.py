"""Drawing of the zero-moment point."""

from __future__ import annotations

from ...contacts.hold import Hold
from ...contacts.zmp import zero_moment_point
from ..colors import COLORS
from ..viewer import Viewer


def draw_zmp(viewer: Viewer, hold: Hold, ground: float = 0.0) -> None:
    """Draw the zero-moment point of a Hold's forces in the plane at the height `ground` [m].

    Nothing without forces.
    """
    where = zero_moment_point(hold.wrenches or {}, ground)
    if where is not None:
        radius = 0.014 * viewer.scale
        viewer.point("zmp", where, color=COLORS["zmp"], radius=radius, on_top=True)
