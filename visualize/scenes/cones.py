"""Friction cones at the points of contacts, and sections of wrench cones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts.contact import Contact
from ...contacts.geometry import polygon
from ...contacts.limits import ContactLimits
from ...contacts.wrench_cones.wrench_cone import WrenchCone
from ...dynamics.state import State
from ...errors import ContactError
from ...robots import Robot
from ...robots.values import instance, number, vector, whole_number
from ..colors import COLORS
from ..viewer import Viewer
from ..viewer.checks import check_viewer

HEIGHTS = {3: 0.22, 4: 0.22, 5: 0.16, 6: 0.10}  # of the side, of the robot's height, by contact.dim


def view_wrench_cone(
    cone: WrenchCone, normal_force: float = 1.0, moment: ArrayLike = (0.0, 0.0, 0.0)
) -> Viewer:
    """Return a Viewer that shows a wrench cone's section of given moment, in contact axes.

    Args:
        cone: of any kind; exact ones by an inner pyramid of `SIDES` sides.
        normal_force: of the highest slice [N]; it is drawn 1 m above the contact's centre.
        moment: m (3,) about the contact's centre, contact axes [N·m].
    """
    viewer = Viewer(title="wrench cone")
    viewer.frame("contact", pin.SE3.Identity(), length=0.2, on_top=True)
    about = vector(moment, "moment")
    _draw_slices(viewer, "", cone, pin.SE3.Identity(), normal_force, 1 / normal_force, about)
    return viewer


def draw_friction_cones(
    viewer: Viewer,
    contact: Contact,
    robot: Robot,
    q: ArrayLike | State,
    color: Any = COLORS["cone"],
) -> None:
    """Draw the friction cone at every point of a contact, along its real normal.

    The sides of all cones have one length, whatever the friction. A bilateral contact has none.
    """
    if contact.bilateral:
        return
    axes, friction = contact.pose(robot, q).rotation, ContactLimits.of([contact]).friction
    side = HEIGHTS[contact.dim] * viewer.scale
    for k, (apex, mu) in enumerate(zip(contact.world_points(robot, q), friction, strict=True)):
        draw_friction_cone(viewer, f"cones/{contact.name}/{k}", axes, mu, apex, side, color)


def draw_friction_cone(
    viewer: Viewer,
    name: str,
    axes: Array,
    friction: Array,
    apex: ArrayLike,
    side: float,
    color: Any = COLORS["cone"],
) -> None:
    """Draw the cone ‖(f_1/μ_1, f_2/μ_2)‖ ≤ f_n from apex (3,), its longest side `side` long [m].

    Args:
        viewer, name, color: as for `Viewer.cone`.
        axes: (3, 3), columns t₁, t₂, n, world axes.
        friction: (2,), μ_1 and μ_2.
        apex, side: as above.
    """
    angles = np.arctan(friction).tolist()
    half_angle = angles[0] if angles[0] == angles[1] else tuple(angles)
    height = side * float(np.cos(max(angles)))
    look = {"tangent": axes[:, 0], "color": color, "opacity": 0.35}
    viewer.cone(name, apex, axes[:, 2], half_angle, height, **look)


def draw_wrench_cone(
    viewer: Viewer,
    contact: Contact,
    robot: Robot,
    q: ArrayLike,
    normal_force: float,
    scale: float,
    moment: ArrayLike = (0.0, 0.0, 0.0),
    *,
    levels: int = 4,
    color: Any = COLORS["cone"],
) -> None:
    """Draw a wrench cone's section of given moment: the forces that a contact can give with it.

    {f : (f, m) ∈ K} in slices of constant normal force, up to `normal_force`: the force's arrow
    from the centre, to the same scale, pierces its slice exactly when the contact can give that
    wrench. A moment that tilts or twists takes the lower slices away, and narrows the others.

    Args:
        viewer, robot, q: to draw into, and where the contact is.
        contact: of any kind without bounds on its normal force.
        normal_force: of the highest slice [N].
        scale: length of an arrow [m/N], `scenes.motion.force_scale(viewer, robot)` or another.
        moment: m (3,) about the contact's centre, world axes [N·m].
        levels: number of slices.
        color: of the slices.
    """
    check_viewer(viewer)
    instance(contact, "contact", Contact, error=ContactError)  # type: ignore[type-abstract]
    T = contact.pose(robot, q)
    about = T.rotation.T @ vector(moment, "moment")
    cone = WrenchCone(contact, "inner", SIDES)
    _draw_slices(viewer, contact.name, cone, T, normal_force, scale, about, levels, color)


def _draw_slices(
    viewer: Viewer,
    name: str,
    cone: WrenchCone,
    T: pin.SE3,
    normal_force: float,
    scale: float,
    moment: Array,
    levels: int = 4,
    color: Any = COLORS["cone"],
) -> None:
    normal_force = number(normal_force, "normal_force", above=0, unit="[N]", error=ContactError)
    scale = number(scale, "scale", above=0, unit="[m/N]", error=ContactError)
    levels = whole_number(levels, "levels", at_least=1, error=ContactError)
    for k in range(levels):
        level = normal_force * (k + 1) / levels
        forces = force_section(cone, level, moment)
        if len(forces) >= 3:
            heights = np.full(len(forces), level)
            corners = T.translation + scale * np.column_stack([forces, heights]) @ T.rotation.T
            path = "/".join(filter(None, ("wrench cones", name, str(k))))
            viewer.polygon(path, corners, color=color, opacity=0.22)


SIDES = 16  # of the inner pyramids whose sections stand for exact cones


def force_section(cone: WrenchCone, normal_force: float, moment: Array) -> Array:
    """Return corners (k, 2) of the tangential forces of a wrench cone [N].

    With that normal force [N] and moment (3,) about its centre [N·m]; all in contact axes. Exact
    cones by inner pyramids of `SIDES` sides.
    """
    cone = with_faces(cone)
    pushing = cone.rays[cone.rays[:, 2] > 1e-12]
    steepest = np.linalg.norm(pushing[:, :2], axis=1) / pushing[:, 2]
    reach = 2.0 * (steepest.max(initial=0.0) + 1e-9) * normal_force
    corners = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for face in cone.faces:
        offset = -(face[2] * normal_force + face[3:] @ moment)
        if np.linalg.norm(face[:2]) > 1e-9:
            corners = polygon.cut(corners, face[:2], offset)
        elif offset < -1e-9 * normal_force:  # whatever the tangential force
            return np.zeros((0, 2))
        if len(corners) == 0:
            return np.zeros((0, 2))
    return polygon.convex_hull(corners)


def with_faces(cone: WrenchCone) -> WrenchCone:
    """Return a cone itself if it is linear, of an exact one the inner pyramid of `SIDES` sides."""
    return cone if cone.kind != "exact" else WrenchCone.of(cone.generators, "inner", SIDES)
