"""Contact wrenches from a log as an animation: measured forces in their cones, and the margin."""

from __future__ import annotations

import numpy as np

from ...contacts.equilibrium.balance import weight
from ...control.estimation.wrenches import ContactWrenches
from ..colors import COLORS, ramp_color
from ..viewer import Series, Viewer
from .audits import margin_ramp_of, picture_rows, touching_feet
from .cones import draw_friction_cone
from .motion import scale_of

RATE = 30.0  # pictures a second
_CONE = 0.14  # length of a cone, as a share of the robot's height


def view_wrenches(
    wrenches: ContactWrenches,
    *,
    rate: float = RATE,
    scale: float | None = None,
    viewer: Viewer | None = None,
) -> Viewer:
    """Return a Viewer that plays the motion as it was estimated, with the force on each contact.

    Forces act at the contacts' points and centres of pressure, inside of their friction cones,
    which have the colour of the margin. Below are contacts, normal forces, friction used, the
    margin, and the force that no contact explains, over time.

    Args:
        wrenches: of `control.contact_wrenches`.
        rate: pictures a second, at most [Hz].
        scale: length of an arrow [m/N]; the robot's weight is 0.8 of its height when not given.
        viewer: to draw in; a new one when not given.
    """
    robot, audit, limits = wrenches.robot, wrenches.audit, wrenches.contacts.limits
    if viewer is None:
        viewer = Viewer(robot, ground=float(wrenches.lowest), title=f"log · {robot.name}")
    rows, ramp = picture_rows(wrenches.motion, rate), margin_ramp_of(audit)
    length, side = scale_of(viewer, robot, scale), _CONE * viewer.scale

    def draw(i: int) -> None:
        row = int(rows[i])
        tone = ramp_color(ramp, float(audit.margin[row]))
        for k, (name, centres) in enumerate(wrenches.centres.items()):
            if not wrenches.touching[row, k] or np.isnan(centres[row]).any():
                continue
            axes, mu = wrenches.axes[name][row], limits.friction[limits.first[k]]
            draw_friction_cone(viewer, f"cones/{name}", axes, mu, centres[row], side, tone)
            vector, color = length * wrenches.forces[name][row], COLORS["force"]
            viewer.arrow(f"forces/{name}", centres[row], vector, color=color, on_top=True)

    viewer.animate(wrenches.t[rows], wrenches.q[rows], draw=draw, series=series_of(wrenches))
    words = f"measured below {wrenches.cutoff:g} Hz"
    viewer.legend("contact forces", {words: COLORS["force"]}, ramp=ramp)
    return viewer


def series_of(wrenches: ContactWrenches) -> list[Series]:
    """Return contacts, normal forces, friction used, margin, and what is left, over time."""
    t, audit = wrenches.t, wrenches.audit
    touching = {foot: share > 0 for foot, share in touching_feet(audit).items()}
    normals = {name: local[:, 2] for name, local in wrenches.local.items()}
    left = 100 * wrenches.unexplained[:, :3] / weight(wrenches.robot)
    return [
        Series("contacts", t, touching),
        Series("normal force", t, normals, "N"),
        Series("friction used", t, wrenches.friction_used, "of limit", (), [1.0], (0.0, 1.15)),
        Series("margin", t, {"margin": audit.margin}, "N", (), [0.0]),
        Series("unexplained", t, dict(zip("xyz", left.T, strict=True)), "% of weight", (), [0.0]),
    ]
