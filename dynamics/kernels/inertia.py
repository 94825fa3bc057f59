"""Inertias seen from another frame: symmetric matrices are xx, xy, yy, xz, yz, zz.

Source: R. Featherstone (2008), section 2.13.
"""

from __future__ import annotations

from .body_table import BALL, PRISMATIC
from .places import rows_of, turned
from .spatial import add, dot, scale, symmetric, to_parent_axes


def add_symmetric(A, B):
    """A + B."""
    return A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5]


def plus_diagonal(I, a):
    """I + a 1."""
    return I[0] + a, I[1], I[2] + a, I[3], I[4], I[5] + a


def turned_about_z(joint, I):
    """R I Rᵀ for a joint that turns about z."""
    c, s = joint[0][0], joint[0][1]
    e = s * (I[0] - I[2]) + 2.0 * c * I[1]
    return I[0] - s * e, c * e - I[1], I[2] + s * e, c * I[3] - s * I[4], s * I[3] + c * I[4], I[5]


def symmetric_to_parent_axes(body, joint, I):
    """R I Rᵀ from the child's axes to the parent's."""
    I = I[0], I[1], I[2], I[3], I[4], I[5]
    if body.kind < PRISMATIC:
        I = turned_about_z(joint, I)
    if body.turn == 0:
        return I
    if body.turn == 1:  # the parent's x, y, z are z, x, y
        return I[5], I[3], I[0], I[4], I[1], I[2]
    if body.turn == 2:
        return I[2], I[4], I[5], I[1], I[3], I[0]
    if body.kind == BALL:
        I = in_axes(turned(joint[0][0], joint[0][1], joint[1][0], joint[1][1]), I)
    return in_axes(rows_of(body.R), I)


def in_axes(axes, I):
    """R I Rᵀ for R with these rows."""
    x, y, z = axes
    a, b, c = symmetric(I, x), symmetric(I, y), symmetric(I, z)
    return dot(x, a), dot(x, b), dot(y, b), dot(x, c), dot(y, c), dot(z, c)


def shift(mass, h, r):
    """What I about the origin gains when the body moves by r: Steiner's terms.

    Σ m (|x + r|² 1 − (x + r)(x + r)ᵀ) − Σ m (|x|² 1 − x xᵀ), with Σ m x = h.
    """
    k = add(h, add(h, scale(mass, r)))  # 2 h + m r, so that the trace is r · k
    t = dot(r, k)
    return (
        t - r[0] * k[0],
        -(r[0] * h[1] + r[1] * h[0]) - mass * (r[0] * r[1]),
        t - r[1] * k[1],
        -(r[0] * h[2] + r[2] * h[0]) - mass * (r[0] * r[2]),
        -(r[1] * h[2] + r[2] * h[1]) - mass * (r[1] * r[2]),
        t - r[2] * k[2],
    )


def inertia_to_parent(body, joint, mass, h, I):
    """First moment and inertia of a (composite) body about the parent's origin, in its axes."""
    if body.kind == PRISMATIC:
        along = 0.0, 0.0, joint[0][0]
        I = add_symmetric(I, shift(mass, h, along))
        h = h[0], h[1], h[2] + mass * joint[0][0]
    h, I = to_parent_axes(body, joint, h), symmetric_to_parent_axes(body, joint, I)
    I = add_symmetric(I, shift(mass, h, body.p))
    return add(h, scale(mass, body.p)), I
