"""The contact scene: patches, cones, forces, centre of mass and support polygon, as drawings.

Turns contacts and their Hold into calls of a viewer; nothing is computed here that a Hold or a
Region does not know. Sizes follow the robot's height, so that nothing hides inside the feet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .. import dynamics
from ..dynamics import Wrench
from ..errors import ContactError
from ..robots import Robot
from .contact import Contact
from .contact_set import ContactSet
from .falling import animate_certificate
from .hold import Hold
from .regions.region import Region, static_equilibrium_polygon

if TYPE_CHECKING:
    from ..robots import Viewer

Array = NDArray[np.float64]

COLORS = {
    "patch": "gray",
    "cone": "yellow",
    "force": "blue",
    "load": "red",
    "com": "magenta",
    "region": "teal",
    "motion": "purple",
}
VERDICTS = {True: "holds", False: "does not hold", None: "at the edge"}
_VERDICT_COLORS = {True: "green", False: "red", None: "orange"}

# shares of the robot's height
_FORCE_OF_WEIGHT = 0.8  # an arrow as long as this carries the whole weight
_CONE = {3: 0.22, 4: 0.22, 5: 0.16, 6: 0.10}  # of a point, of each corner of a patch
_TILE = 0.10
_MOTION = 0.25


def view(hold: Hold, region: bool = True) -> Viewer:
    """Return a Viewer that shows a Hold: robot, contacts, cones, forces or the motion it falls in.

    A robot that does not hold moves along that motion, see `animate_certificate`.

    >>> view(static_hold(robot, q, contacts)).save_html("hold.html")
    """
    from ..robots import Viewer

    viewer = Viewer(hold.contacts.robot, ground=ground_height(hold.contacts, hold.q))
    viewer.display(hold.q)
    draw_hold(viewer, hold, region)
    if hold.certificate is not None:
        animate_certificate(viewer, hold)
    return viewer


def draw_hold(viewer: Viewer, hold: Hold, region: bool = True) -> None:
    """Draw a Hold into a viewer of its robot.

    Args:
        viewer: whose robot the hold is of.
        hold: with its contacts, configuration and loads.
        region: also the static-equilibrium polygon, on the ground.
    """
    if viewer.robot is not hold.contacts.robot:
        raise ContactError("viewer: got a viewer of another robot than the hold's")
    robot, q = hold.contacts.robot, hold.q
    draw_contacts(viewer, hold.contacts, q)
    draw_com(viewer, robot, q, ground_height(hold.contacts, q))
    draw_forces(viewer, hold)
    draw_loads(viewer, robot, q, hold.external)
    draw_motion(viewer, hold)
    if region and len(hold.contacts):
        polygon = static_equilibrium_polygon(robot, q, hold.contacts)
        draw_region(viewer, polygon, ground_height(hold.contacts, q))
    draw_legend(viewer, hold, region)


def draw_legend(viewer: Viewer, hold: Hold, region: bool = True, title: str = "") -> None:
    """Write the verdict, what the colours mean, and the reason for a "no"; the robot's name when
    there is no other title."""
    margin = f", margin {hold.margin:.1f} N" if np.isfinite(hold.margin) else ""
    verdict = VERDICTS[hold.feasible] + margin
    lines: dict[str, str | None] = {verdict: _VERDICT_COLORS[hold.feasible]}
    lines["centre of mass"] = COLORS["com"]
    lines["friction cones"] = COLORS["cone"]
    if hold.forces is not None:
        lines["contact forces"] = COLORS["force"]
    if hold.external:
        lines["external wrenches"] = COLORS["load"]
    if hold.certificate is not None:
        lines["the motion that nothing stops"] = COLORS["motion"]
    if region:
        lines["where the centre of mass may be"] = COLORS["region"]
    if hold.reason:
        lines[hold.reason.split(";")[0]] = None
    viewer.legend(title or hold.contacts.robot.name, lines)


def draw_contacts(viewer: Viewer, contacts: ContactSet, q: ArrayLike) -> None:
    """Draw the patch and the friction cones of every contact, along its real normal."""
    robot, scale = contacts.robot, viewer.scale
    for contact in contacts:
        T = contact.pose(robot, q)
        viewer.polygon(
            f"patches/{contact.name}", _patch(contact, T, scale), color=COLORS["patch"], opacity=0.6
        )
        if contact.bilateral:
            continue
        half_angle = float(np.arctan(contact.friction))
        height = (
            _CONE[contact.dim] * scale * np.cos(half_angle)
        )  # sides of one length, whatever the friction
        for k, apex in enumerate(contact.world_points(robot, q)):
            viewer.cone(
                f"cones/{contact.name}/{k}",
                apex,
                T.rotation[:, 2],
                half_angle,
                height,
                color=COLORS["cone"],
                opacity=0.35,
            )


def draw_forces(viewer: Viewer, hold: Hold) -> None:
    """Draw every contact's forces at its vertices, and their sum where it acts on the patch."""
    if hold.forces is None or hold.wrenches is None:
        return
    robot, q = hold.contacts.robot, hold.q
    metres = _FORCE_OF_WEIGHT * viewer.scale / hold.balance.weight
    for contact in hold.contacts:
        points, forces = contact.world_points(robot, q), hold.forces[contact.name]
        for k, (point, force) in enumerate(zip(points, forces, strict=True)):
            if len(points) > 1:
                radius = 0.003 * viewer.scale
                name = f"forces/{contact.name}/vertex {k}"
                viewer.arrow(name, point, metres * force, color=COLORS["force"], radius=radius)
        centre = _centre_of_pressure(hold.wrenches[contact.name], contact.pose(robot, q))
        total = forces.sum(axis=0)
        name = f"forces/{contact.name}/sum"
        viewer.arrow(name, centre, metres * total, color=COLORS["force"], on_top=True)


def draw_com(viewer: Viewer, robot: Robot, q: ArrayLike, ground: float = 0.0) -> None:
    """Draw the centre of mass, and what lies below it at the height `ground` [m]."""
    com = dynamics.com(robot, q)
    below = np.array([com[0], com[1], ground])
    viewer.point("com/centre", com, color=COLORS["com"], on_top=True)
    viewer.path("com/plumb line", [com, below], color=COLORS["com"], on_top=True)
    viewer.point("com/on the ground", below, color=COLORS["com"], on_top=True)


def draw_loads(
    viewer: Viewer, robot: Robot, q: ArrayLike, wrenches: Mapping[str, Wrench] | None
) -> None:
    """Draw the force of each external wrench at its point, as long as a contact force would be."""
    weight = robot.mass * float(np.linalg.norm(robot.model.gravity.linear))
    metres = _FORCE_OF_WEIGHT * viewer.scale / (weight or 1.0)
    for frame, wrench in (wrenches or {}).items():
        T = pin.SE3.Identity()
        if wrench.axes != "world":
            axes = frame if wrench.axes == "local" else wrench.axes
            T = dynamics.frame_placement(robot, q, axes)
        origin = dynamics.frame_placement(robot, q, frame).translation
        point = origin if wrench.point is None else T.act(wrench.point)
        vector = metres * (T.rotation @ wrench.force)
        viewer.arrow(f"loads/{frame}", point, vector, color=COLORS["load"], on_top=True)


def draw_motion(viewer: Viewer, hold: Hold) -> None:
    """Draw the certificate's motion: which way the centre of mass and the contacts would go."""
    if hold.certificate is None:
        return
    robot, q, y = hold.contacts.robot, hold.q, hold.certificate
    points = [dynamics.com(robot, q)]
    velocities = [dynamics.com_jacobian(robot, q) @ y]
    for contact in hold.contacts:
        points += list(contact.world_points(robot, q))
        velocities += list(contact.point_jacobians(robot, q) @ y)
    fastest = max(float(np.linalg.norm(u)) for u in velocities)
    for k, (point, u) in enumerate(zip(points, velocities, strict=True)):
        if np.linalg.norm(u) > 0.02 * fastest:
            vector = _MOTION * viewer.scale * u / fastest
            viewer.arrow(f"motion/{k}", point, vector, color=COLORS["motion"], on_top=k == 0)


def draw_region(viewer: Viewer, region: Region, ground: float = 0.0) -> None:
    """Draw a region of the plane at the height `ground` [m]."""
    if len(region.vertices) == 0 or region.status == "unbounded":
        return
    height = ground + 0.002 * viewer.scale  # just above, so that both are seen
    corners = np.column_stack([region.vertices, np.full(len(region.vertices), height)])
    viewer.polygon("region", corners, color=COLORS["region"], opacity=0.35)


def _patch(contact: Contact, T: pin.SE3, scale: float) -> Array:
    """Corners of the patch; for a point a small square of its ground, seen under the foot."""
    if len(contact.points) > 1:
        order = np.argsort(np.arctan2(contact.points[:, 1], contact.points[:, 0]))
        local = contact.points[order]
    else:
        half = _TILE * scale
        local = half * np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]], dtype=float)
    return np.asarray(local @ T.rotation.T + T.translation)


def _centre_of_pressure(wrench: Wrench, T: pin.SE3) -> Array:
    """Where in the patch the force acts without tilting moment: (n × m)/f_n from the centre."""
    n = T.rotation[:, 2]
    normal_force = float(wrench.force @ n)
    if abs(normal_force) < 1e-9 * (1 + float(np.linalg.norm(wrench.force))):
        return np.asarray(T.translation)
    return np.asarray(T.translation + np.cross(n, wrench.moment) / normal_force)


def ground_height(contacts: ContactSet, q: ArrayLike) -> float:
    """Return the height of the lowest point of any contact, 0 without contacts [m]."""
    points = [contact.world_points(contacts.robot, q)[:, 2].min() for contact in contacts]
    return float(min(points, default=0.0))
