"""Placements of bodies: their axes and origins, seen from the root's origin.

Row i of `places` (n, 12) has the three axes of the world (or of the root) as body i sees them, that
is the rows of its rotation matrix, then its origin p. Positions count from the root's origin, so
that nothing is lost far from the world's.
"""

from __future__ import annotations

from .body_table import FREE, PRISMATIC
from .spatial import add, dot, joint_position, rotation, to_child_axes

HERE = 0.0, 0.0, 0.0
LEVEL = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def rows_of(R):
    """Rows of a rotation that is written row by row."""
    return (R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8])


def axes_of(places, i):
    """Rows of the rotation of body i."""
    return rows_of(places[i])


def origin_of(places, i):
    """Origin of body i."""
    return places[i, 9], places[i, 10], places[i, 11]


def put_place(places, i, axes, origin):
    """Body i is there."""
    for r in range(3):
        places[i, 3 * r], places[i, 3 * r + 1], places[i, 3 * r + 2] = axes[r]
        places[i, 9 + r] = origin[r]


def outwards(axes, x):
    """R x: a vector in the axes of a body, in those outside."""
    return dot(axes[0], x), dot(axes[1], x), dot(axes[2], x)


def inwards(axes, x):
    """Rᵀ x."""
    return (
        axes[0][0] * x[0] + axes[1][0] * x[1] + axes[2][0] * x[2],
        axes[0][1] * x[0] + axes[1][1] * x[1] + axes[2][1] * x[2],
        axes[0][2] * x[0] + axes[1][2] * x[1] + axes[2][2] * x[2],
    )


def joint_axis(places, i):
    """z of body i: the axis of its joint."""
    return places[i, 2], places[i, 5], places[i, 8]


def turned(x, y, z, w):
    """Rows of the rotation of a unit quaternion."""
    a, b, c = rotation(x, y, z, w)
    return (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])


def place_root(root, q, places):
    """The root in the axes of the world."""
    axes = LEVEL
    if root.kind == FREE:
        axes = turned(q[3], q[4], q[5], q[6])
    put_place(places, 0, axes, HERE)


def place_at_root(places):
    """The root in its own axes: for terms that do not depend on where it is."""
    put_place(places, 0, LEVEL, HERE)


def place_bodies(bodies, which, q, places):
    """The root and these bodies, each after its parent, in the axes of the world."""
    place_root(bodies[0], q, places)
    for i in which:
        place_body(bodies[i], q, places, i)


def place_body(body, q, places, i):
    """Body i from its parent: R_i = R_λ R Rz, p_i = p_λ + R_λ p."""
    above, joint = axes_of(places, body.parent), joint_position(body, q)
    axes = (
        to_child_axes(body, joint, above[0]),
        to_child_axes(body, joint, above[1]),
        to_child_axes(body, joint, above[2]),
    )
    origin = add(origin_of(places, body.parent), outwards(above, body.p))
    if body.kind == PRISMATIC:
        origin = add(origin, outwards(axes, (0.0, 0.0, joint[0][0])))
    put_place(places, i, axes, origin)


def root_origin(root, q):
    """The root's origin in the world."""
    origin = (0.0, 0.0, 0.0)
    if root.kind == FREE:
        origin = q[0], q[1], q[2]
    return origin
