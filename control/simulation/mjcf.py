"""Robot, contacts and terrain as MJCF, MuJoCo's format.

Contacts are balls at the corners of patches, or solid soles. MuJoCo refuses principal moments of
inertia of which one exceeds the sum of the others: `balanceinertia` makes these equal, and
`MujocoModel` puts in the robot's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import pinocchio as pin
from numpy.polynomial import Polynomial

from ...arrays import Array
from ...contacts import Contact, ContactSet, HeightMap, Terrain
from ...contacts.attachment import placement_on_joint
from ...contacts.geometry.polygon import convex_hull
from ...contacts.terrain.solids import Box, Plane
from ...errors import ContactError, ModelError
from ...robots.closures import JointCoupling
from ...robots.configuration import axis_of
from ...robots.ranges import ranges
from ...robots.robot import Robot
from .ground import Point, points_of

_BELOW = 1.0  # thickness of the ground below the lowest height of a map [m]
_FAR = 1e3  # stands for an infinite end of a range [rad or m]
CORNER = 0.005  # radius of the balls that stand for a patch's corners [m]
THICK = 0.02  # of solid soles [m]
_LEAST = 1e-12  # mass and inertia that MuJoCo asks of what moves [kg, kg·m²]
HINGE = 0.1  # between the two points of the axis of a hinge that closes a loop [m]
_STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'  # MuJoCo's limits
_HINGE = re.compile(r"R[XYZ]|RUB[XYZ]|Revolute(Unbounded)?Unaligned")
_SLIDE = re.compile(r"P[XYZ]|PrismaticUnaligned")
_TOUCH = 'mass="0" condim="3" contype="1" conaffinity="2"'


def as_mjcf(robot: Robot, contacts: ContactSet, terrain: Terrain, *, solid: bool = False) -> str:
    """Return the robot, its contacts, and the terrain as MJCF.

    Patches are balls at their corners, or solid soles of the thickness `THICK`; geoms are named
    "point i" by the (first of the) points that they stand for.
    """
    if not contacts.limits.isotropic:
        raise ContactError(
            "engine 'mujoco': got friction that differs along two tangents, expected one number "
            "for each contact; the default engine knows anisotropic friction"
        )
    _refuse_other_trees(robot._model)
    mu = iter(contacts.limits.friction[:, 0].tolist())
    carried: dict[int, str] = defaultdict(str)  # what is fixed to each joint's body, as MJCF
    assets, i = "", 0
    for contact in contacts:
        points, (joint, T) = points_of(robot, contact), placement_on_joint(robot, contact)
        frictions = [next(mu) for _ in points]
        if solid and len(convex_hull(contact.points[:, :2])) > 2:
            geom, asset = _sole(i, contact, T, frictions[0])
            carried[joint] += geom
            assets += asset
        else:
            # from a corner to the middle of the ball that stands for it
            up = np.zeros(3) if contact.axes_in_frame is None else CORNER * T.rotation[:, 2]
            for k, (point, friction) in enumerate(zip(points, frictions, strict=True)):
                carried[point.joint] += _ball(i + k, point, up, friction)
        i += len(points)
    assets += "".join(_height_map(solid) for solid in terrain.solids)
    equalities = _equalities(robot, carried)
    gravity = " ".join(f"{g:.17g}" for g in robot._model.gravity.linear)
    return (
        f'<mujoco><compiler angle="radian" balanceinertia="true" autolimits="false"/>'
        f'<option gravity="{gravity}" cone="elliptic" integrator="implicitfast" '
        'jacobian="dense">'  # MuJoCo 4.0.0's Newton solver is wrong with sparse contact Jacobians
        f'<flag autoreset="disable"/></option>'  # it would start anew in silence
        f"<asset>{assets}</asset>"
        f"<worldbody>{''.join(_solid(s) for s in terrain.solids)}{carried[0]}"
        f"{_body(robot, 1, carried)}</worldbody><equality>{equalities}</equality></mujoco>"
    )


def _refuse_other_trees(model: Any) -> None:
    others = [model.names[k] for k in range(2, model.njoints) if model.parents[k] == 0]
    if others:
        raise ModelError(
            f"joints on the world beside the base: {', '.join(map(repr, others))}; expected one "
            "tree of bodies for MuJoCo: lock=[…] welds the others where they are"
        )


def _sole(i: int, contact: Contact, T: Any, mu: float) -> tuple[str, str]:
    """A patch at T as a box, if it is a rectangle, or as a prism; and the prism's mesh."""
    corners = convex_hull(contact.points[:, :2], 1e-9)
    what = f'<geom name="point {i}" friction="{mu:.17g} 0 0" {_TOUCH}'
    if _is_rectangle(corners):
        along, across = corners[1] - corners[0], corners[3] - corners[0]
        length, width = float(np.linalg.norm(along)), float(np.linalg.norm(across))
        R = np.eye(3)
        R[:2, 0], R[:2, 1] = along / length, across / width
        T = T * pin.SE3(R, np.append(corners.mean(axis=0), THICK / 2))
        half = _numbers([length / 2, width / 2, THICK / 2])
        return f'{what} type="box" size="{half}" {_pose(T)}/>', ""
    prism = np.vstack([np.insert(corners, 2, z, axis=1) for z in (0.0, THICK)])
    mesh = f'<mesh name="sole {i}" vertex="{_numbers(prism.ravel())}"/>'
    return f'{what} type="mesh" mesh="sole {i}" {_pose(T)}/>', mesh


def _is_rectangle(corners: Array) -> bool:
    if len(corners) != 4:
        return False
    a, b, c, d = corners
    middles, diagonals = a + c - b - d, np.linalg.norm(a - c) - np.linalg.norm(b - d)
    return bool(np.abs(middles).max() < 1e-9 and abs(diagonals) < 1e-9)


def _equalities(robot: Robot, carried: dict[int, str]) -> str:
    """The robot's closures; adds the sites at their ends to what the bodies carry."""
    found, rows = "", robot._closure_rows
    for k, (loop, _) in enumerate(rows.loops):
        # a hinge is two points of its axis
        arms = [0.0, HINGE] if loop.kind == "hinge" else [0.0]
        for n, arm in enumerate(arms):
            sites = [f"closure {k} {n} {end}" for end in (1, 2)]
            for site, joint, end in zip(sites, rows.joints[k], rows.ends[k], strict=True):
                T = pin.SE3(end) * pin.SE3(np.eye(3), np.array([0.0, 0.0, arm]))
                carried[int(joint)] += f'<site name="{site}" {_pose(T)}/>'
            kind = "weld" if loop.kind == "weld" else "connect"
            found += f'<{kind} site1="{sites[0]}" site2="{sites[1]}" {_STIFF}/>'
    return found + "".join(_coupling(robot, coupling) for coupling, *_ in rows.couplings)


def _coupling(robot: Robot, coupling: JointCoupling) -> str:
    """y = y_0 + Σ c_k (x − x_0)^k as a polynomial in x."""
    law = Polynomial(coupling.coefficients or (0.0,))(Polynomial([-coupling.leader_at, 1.0]))
    if len(law.coef) > 5:
        raise ModelError(
            f"closure {coupling.name!r}: got a polynomial of degree {len(law.coef) - 1}; expected "
            "one of at most 4 for MuJoCo"
        )
    if robot._closure_rows.turning:  # a pair (cos, sin) forgets whole turns, MuJoCo does not
        raise ModelError(
            f"closure {coupling.name!r}: got a coupling of continuous joints, expected joints with "
            "ranges for MuJoCo"
        )
    terms = np.zeros(5)
    terms[: len(law.coef)] = law.coef
    terms[0] += coupling.joint_at
    leader = f"joint2={quoteattr(coupling.leader)}" if coupling.leader else ""
    names = f"joint1={quoteattr(coupling.joint)} {leader}"
    return f'<joint {names} polycoef="{_numbers(terms)}" {_STIFF}/>'


def about_com(inertia: Any) -> Array:
    """Return the inertia of a body about its centre of mass (3, 3), at least what MuJoCo asks."""
    own = np.asarray(inertia.inertia)
    if inertia.mass < _LEAST or np.linalg.eigvalsh(own)[0] < _LEAST:
        own = own + _LEAST * np.eye(3)  # the first of several hinges moves no mass
    return own


def body_name(joint: int) -> str:
    """Return the name that the body of a joint of Pinocchio has."""
    return f"body {joint}"


def _body(robot: Robot, joint: int, carried: dict[int, str]) -> str:
    model = robot._model
    inertia, T = model.inertias[joint], model.jointPlacements[joint]
    full = about_com(inertia)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    below = [k for k in range(1, model.njoints) if model.parents[k] == joint]
    return (
        f'<body name="{body_name(joint)}" {_pose(T)}>{_joint(model, joint)}'
        f'<inertial pos="{_numbers(inertia.lever)}" mass="{max(inertia.mass, _LEAST):.17g}" '
        f'fullinertia="{_numbers(full)}"/>{carried[joint]}'
        f"{''.join(_body(robot, k, carried) for k in below)}</body>"
    )


def _joint(model: Any, joint: int) -> str:
    kind = model.joints[joint].shortname().removeprefix("JointModel")
    if kind == "FreeFlyer":
        armature = float(model.armature[model.joints[joint].idx_v])
        return f'<joint name="base" type="free" armature="{armature:.17g}"/>'
    name, at = quoteattr(model.names[joint]), model.joints[joint].idx_q
    armature = float(model.armature[model.joints[joint].idx_v])
    if kind == "Spherical":
        return f'<joint name={name} type="ball" armature="{armature:.17g}"/>'
    what = "hinge" if _HINGE.fullmatch(kind) else "slide" if _SLIDE.fullmatch(kind) else ""
    if not what:
        raise ModelError(
            f"joint {model.names[joint]!r}: got {kind}; expected hinges, slides and ball joints "
            "for MuJoCo"
        )
    axis = _numbers(axis_of(model.joints[joint]))
    low, high = (float(ends[at]) for ends in ranges(model))
    limited = np.isfinite(low) or np.isfinite(high)
    low, high = max(low, -_FAR), min(high, _FAR)
    ends = f'limited="true" range="{low:.17g} {high:.17g}"' if limited else ""
    return f'<joint name={name} type="{what}" axis="{axis}" armature="{armature:.17g}" {ends}/>'


def _ball(i: int, point: Point, up: Array, mu: float) -> str:
    radius = point.radius or CORNER
    return (
        f'<geom name="point {i}" type="sphere" size="{radius:.17g}" '
        f'pos="{_numbers(point.place + up)}" friction="{mu:.17g} 0 0" {_TOUCH}/>'
    )


def _solid(solid: Any) -> str:
    touch = 'contype="2" conaffinity="1" condim="3"'
    own = "0 0 0" if solid.friction is None else f"{solid.friction:.17g} 0 0"
    priority = "0" if solid.friction is None else "1"
    rest = f'friction="{own}" priority="{priority}" {touch}/>'
    if isinstance(solid, Plane):
        return f'<geom type="plane" size="0 0 1" {_pose(solid.faces[0].placement)} {rest}'
    if isinstance(solid, HeightMap):
        middle = solid.placement * pin.SE3(np.eye(3), np.array([0.0, 0.0, solid.grid.min()]))
        return f'<geom type="hfield" hfield={quoteattr(solid.name)} {_pose(middle)} {rest}'
    if isinstance(solid, Box):
        half = _numbers(np.array(solid.size) / 2)
        return f'<geom type="box" size="{half}" {_pose(solid.placement)} {rest}'
    raise ModelError(f"terrain: got {solid!r}; expected planes, boxes and height maps for MuJoCo")


def _height_map(solid: Any) -> str:
    """The table of a height map, whose rows are along y in MuJoCo, from left to right."""
    if not isinstance(solid, HeightMap):
        return ""
    rows, columns = solid.grid.shape
    size = _numbers([*solid.half_size, max(np.ptp(solid.grid), _LEAST), _BELOW])
    table = _numbers(solid.grid.T[::-1].ravel())
    return (
        f'<hfield name={quoteattr(solid.name)} nrow="{columns}" ncol="{rows}" size="{size}" '
        f'elevation="{table}"/>'
    )


def _pose(T: Any) -> str:
    x, y, z, w = pin.Quaternion(T.rotation).coeffs()
    return f'pos="{_numbers(T.translation)}" quat="{_numbers([w, x, y, z])}"'


def _numbers(values: Any) -> str:
    return " ".join(f"{float(x):.17g}" for x in values)
