"""Motion as drawings: centre of mass, divergent component, velocities, trails, wrenches.

Each function draws into a viewer of the robot, in folders that the page can hide: "com", "dcm",
"velocities", "trails", … Sizes follow the robot's height (`viewer.scale`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts.equilibrium.balance import weight
from ...dynamics.centroidal import com, com_jacobian
from ...dynamics.kinematics import frame_jacobian, frame_placement
from ...dynamics.per_robot import per_robot
from ...dynamics.state import State
from ...dynamics.wrench import Wrench
from ...errors import ConfigurationError
from ...robots import Robot
from ...robots.values import number
from ..colors import COLORS
from ..viewer import Viewer

# fractions of the robot's height
FORCE_OF_WEIGHT = 0.8  # an arrow as long as this carries the whole weight
LEVER = 0.3  # the weight at this lever has a moment whose arc is as large as that arrow is long
_FASTEST = 0.25  # how long the longest arrow of a velocity is


def draw_com(
    viewer: Viewer,
    robot: Robot,
    q: ArrayLike | State,
    ground: float = 0.0,
    color: Any = COLORS["com"],
) -> None:
    """Draw the centre of mass, and where its weight points to at the height `ground` [m]."""
    centre = com(robot, q)
    below = along_gravity(robot, centre, ground)
    viewer.point("com/centre", centre, color=color, on_top=True)
    viewer.path("com/plumb line", [centre, below], color=color, on_top=True)
    viewer.point("com/on the ground", below, color=color, on_top=True)


def along_gravity(robot: Robot, point: Array, ground: float) -> Array:
    """Return where the line through a point (3,) along gravity meets the plane at `ground` [m].

    Straight below where gravity is level, or none.
    """
    g = np.asarray(robot._model.gravity.linear)
    along = g / g[2] if abs(g[2]) > 1e-6 * np.linalg.norm(g) else np.array([0.0, 0.0, 1.0])
    return np.asarray(point + (ground - point[2]) * along)


def divergent_component(robot: Robot, q: ArrayLike, v: ArrayLike, ground: float = 0.0) -> Array:
    """Return the divergent component of motion ξ = c + ċ/ω (3,), ω² = −g_z/(c_z − ground) [m].

    Also called the extrapolated centre of mass: on the ground below it a foot that stops a linear
    inverted pendulum of that height has to push.

    Raises:
        ConfigurationError: the centre of mass is not above the ground, gravity does not point down.

    Source: J. Englsberger, C. Ott, A. Albu-Schäffer, "Three-dimensional bipedal walking control
    based on divergent component of motion" (2015).
    """
    c = com(robot, q)
    if not c[2] > ground:
        raise ConfigurationError(
            f"ground: got {ground!r}; expected a height below the centre of mass, {c[2]:.4g} m"
        )
    g = np.asarray(robot._model.gravity.linear)
    if not g[2] < 0:
        raise ConfigurationError(
            f"gravity of {robot.name!r}: got {g.tolist()} m/s², expected one that points down"
        )
    omega = np.sqrt(-g[2] / (c[2] - ground))
    return np.asarray(c + com_jacobian(robot, q) @ np.asarray(v, dtype=float) / omega)


def draw_dcm(viewer: Viewer, robot: Robot, q: ArrayLike, v: ArrayLike, ground: float = 0.0) -> None:
    """Draw the divergent component of motion, how it leads the centre of mass, and its foot."""
    xi = divergent_component(robot, q, v, ground)
    below = along_gravity(robot, xi, ground)
    style: dict[str, Any] = {"color": COLORS["dcm"], "on_top": True}
    viewer.path("dcm/lead", [com(robot, q), xi], **style)
    viewer.point("dcm/point", xi, **style)
    viewer.path("dcm/plumb line", [xi, below], **style)
    viewer.point("dcm/on the ground", below, **style)


def draw_velocities(
    viewer: Viewer,
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    frames: Sequence[str] | None = None,
    *,
    seconds: float | None = None,
    threshold: float = 0.0,
    rotations: bool = False,
) -> None:
    """Draw the velocities of the centre of mass and of frames as arrows from where they are.

    Args:
        viewer, robot: to draw into, and who moves.
        q, v: configuration (nq,) and velocity (nv,).
        frames: by name; one of every link that a joint moves by default.
        seconds: an arrow ends where its point would be then; by default so that the longest
            arrow is a quarter of the robot's height.
        threshold: speed below which there is no arrow [m/s].
        rotations: whether angular velocities are drawn too, as arcs, one rad/s at a radius of
            2.5 % of the robot's height.
    """
    velocity = np.asarray(v, dtype=float)
    moving = {"centre of mass": (com(robot, q), com_jacobian(robot, q) @ velocity, np.zeros(3))}
    for frame in link_frames(robot) if frames is None else frames:
        twist = frame_jacobian(robot, q, frame) @ velocity
        moving[frame] = (frame_placement(robot, q, frame).translation, twist[:3], twist[3:])
    fastest = max(float(np.linalg.norm(linear)) for _, linear, _ in moving.values())
    length = _FASTEST * viewer.scale / (fastest or 1.0) if seconds is None else seconds
    for name, (point, linear, angular) in moving.items():
        whole = name == "centre of mass"
        color, vector = COLORS["com" if whole else "velocity"], length * above(linear, threshold)
        viewer.arrow(f"velocities/{name}", point, vector, color=color, on_top=True)
        if rotations and not whole:
            arc = 0.025 * viewer.scale * angular
            viewer.moment(f"rotations/{name}", point, arc, color=COLORS["rotation"])


def draw_trails(
    viewer: Viewer, robot: Robot, qs: ArrayLike, frames: Sequence[str] = (), *, centre: bool = True
) -> None:
    """Draw the lines along which frames, and the centre of mass, go through qs (n, nq)."""
    configurations = np.atleast_2d(np.asarray(qs, dtype=float))
    for frame in frames:
        path = [frame_placement(robot, q, frame).translation for q in configurations]
        viewer.path(f"trails/{frame}", path, color=COLORS["trail"], opacity=0.8)
    if centre:
        path = [com(robot, q) for q in configurations]
        viewer.path("trails/centre of mass", path, color=COLORS["com"], opacity=0.8)


def draw_wrenches(
    viewer: Viewer,
    robot: Robot,
    q: ArrayLike | State,
    wrenches: Mapping[str, Wrench] | None,
    *,
    folder: str = "wrenches",
    scale: float | None = None,
    threshold: float = 0.0,
) -> None:
    """Draw each wrench at its point: the force as an arrow, the moment as an arc about it.

    Args:
        viewer, robot, q: to draw into, and where the frames are.
        wrenches: {frame: Wrench}, as for `external_torques`.
        folder: of the drawings; "<folder>/<frame>" is the force, with " moment" the moment.
        scale: length of an arrow [m/N]; by default the robot's weight is 0.8 of its height long. An
            arc's radius is that of its moment divided by a lever of 0.3 of the height.
        threshold: force [N], or moment divided by that lever, below which nothing is drawn.
    """
    metres = force_scale(viewer, robot) if scale is None else scale
    lever = LEVER * viewer.scale
    for frame, wrench in (wrenches or {}).items():
        point, force, moment = _in_world(robot, q, frame, wrench)
        arrow = metres * above(force, threshold)
        arc = metres / lever * above(moment, threshold * lever)
        viewer.arrow(f"{folder}/{frame}", point, arrow, color=COLORS["load"], on_top=True)
        viewer.moment(f"{folder}/{frame} moment", point, arc, color=COLORS["load"], on_top=True)


def force_scale(viewer: Viewer, robot: Robot) -> float:
    """Return the length of an arrow [m/N] at which the weight is 0.8 of the robot's height long."""
    return FORCE_OF_WEIGHT * viewer.scale / weight(robot)


def scale_of(viewer: Viewer, robot: Robot, scale: float | None) -> float:
    """Return the length of a force's arrow, the usual one if none is given [m/N]."""
    if scale is None:
        return force_scale(viewer, robot)
    return number(scale, "scale", above=0, unit="[m/N]")


def above(vector: Array, threshold: float) -> Array:
    """Return a vector, or zero, which is drawn as nothing, where it is not above a threshold."""
    return vector if np.linalg.norm(vector) > threshold else np.zeros(3)


@per_robot
def link_frames(robot: Robot) -> list[str]:
    """Return the frame of the first link of every joint, by name."""
    names: dict[int, str] = {}
    for frame in robot._model.frames:
        if frame.type == pin.FrameType.BODY and frame.parentJoint > 0:
            names.setdefault(frame.parentJoint, str(frame.name))
    return list(names.values())


def _in_world(
    robot: Robot, q: ArrayLike | State, frame: str, wrench: Wrench
) -> tuple[Array, Array, Array]:
    """Its point, force and moment there, (3,) each, in world axes."""
    T = pin.SE3.Identity()
    if wrench.axes != "world":
        T = frame_placement(robot, q, frame if wrench.axes == "local" else wrench.axes)
    origin = frame_placement(robot, q, frame).translation
    point = origin if wrench.point is None else T.act(wrench.point)
    return np.asarray(point), T.rotation @ wrench.force, T.rotation @ wrench.moment
