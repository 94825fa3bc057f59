"""Cones in a picture: friction cones at the points of contacts, and sections of wrench cones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...contacts.cones.friction_cone import finite_vector
from ...contacts.cones.wrench_cone import WrenchCone
from ...contacts.contact import Contact
from ...contacts.geometry import polygon
from ...errors import ContactError
from ...robots import Robot

if TYPE_CHECKING:
    from ..viewer import Viewer

Array = NDArray[np.float64]

COLOR = "yellow"
HEIGHTS = {3: 0.22, 4: 0.22, 5: 0.16, 6: 0.10}  # of the side, of the robot's height, by contact.dim
SIDES = 16  # of the pyramids whose sections are drawn


def draw_friction_cones(
    viewer: Viewer, contact: Contact, robot: Robot, q: ArrayLike, color: Any = COLOR
) -> None:
    """Draw the friction cone at every point of a contact, along its real normal.

    The sides of all cones have one length, whatever the friction. A bilateral contact has none.
    """
    if contact.bilateral:
        return
    axes = contact.pose(robot, q).rotation
    first, second = np.arctan(np.broadcast_to(contact.friction, 2)).tolist()
    half_angle = first if first == second else (first, second)
    height = HEIGHTS[contact.dim] * viewer.scale * np.cos(max(first, second))
    look = {"tangent": axes[:, 0], "color": color, "opacity": 0.35}
    for k, apex in enumerate(contact.world_points(robot, q)):
        viewer.cone(f"cones/{contact.name}/{k}", apex, axes[:, 2], half_angle, height, **look)


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
    color: Any = COLOR,
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
    if not (np.isfinite(normal_force) and normal_force > 0 and levels > 0):
        raise ContactError(
            f"normal_force, levels: got {normal_force!r} and {levels!r}, expected positive numbers"
        )
    T = contact.pose(robot, q)
    about = T.rotation.T @ finite_vector(moment, "moment")
    for k in range(levels):
        level = normal_force * (k + 1) / levels
        name = f"wrench cones/{contact.name}/{k}"
        forces = force_section(contact, level, about)
        if len(forces) >= 3:
            heights = np.full(len(forces), level)
            corners = T.translation + scale * np.column_stack([forces, heights]) @ T.rotation.T
            viewer.polygon(name, corners, color=color, opacity=0.22)


def force_section(contact: Contact, normal_force: float, moment: Array) -> Array:
    """Return corners (k, 2) of the tangential forces that a contact can give [N].

    With that normal force [N] and moment (3,) about its centre [N·m]; all in contact axes.
    """
    faces = WrenchCone(contact, "inner", SIDES).faces
    reach = 2.0 * (float(np.max(contact.friction)) + 1e-9) * normal_force
    corners = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for face in faces:
        offset = -(face[2] * normal_force + face[3:] @ moment)
        if np.linalg.norm(face[:2]) > 1e-9:
            corners = polygon.cut(corners, face[:2], offset)
        elif offset < -1e-9 * normal_force:  # whatever the tangential force
            return np.zeros((0, 2))
        if len(corners) == 0:
            return np.zeros((0, 2))
    return polygon.convex_hull(corners)
