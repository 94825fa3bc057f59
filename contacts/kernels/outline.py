"""Planar sets {x : A f + P x = w}: a point inside, the outline along rays from it, and hulls.

The point inside is where equal normal forces nearly balance, or if rays from there say that it is
not inside, the x₀ of the largest margin: without the part of the equations along P, x is free. Seen
from there each ray has ended at a point p_k of the boundary, with the normal n_k of a
line through it that the set does not cross. The hull of the points is inside the set; neighbouring
lines meet in the corners of a polygon around it. The next rays go to the corners that are too far
from the inner polygon; on polygons that is exact.

The refinement is that of T. Bretl, S. Lall, "Testing static equilibrium for legged robots" (2008),
with rays in place of directions.
"""

from __future__ import annotations

import math

import numpy as np

from ...dynamics.kernels.gauss import dot
from ...dynamics.kernels.toolchain import Kernel, read_only
from .hull import distance, hull

MORE, CLOSED, FAILED = range(3)

_PARALLEL = 1e-7  # sine of the angle between lines that are one
_ENDLESS = 1e12  # rays of this length count as unbounded


def guesses(n, w, P):
    """Return the x₀ (N, 2) for which equal normal forces are nearest to a balance.

    That is the least ‖s n + P x₀ − w‖ over s and x₀.

    Args:
        n: (m,), what they do; w: (N, m); P: (N, 2, m).
    """
    N, m = w.shape
    x, left = np.zeros((N, 2)), np.empty(m)
    for s in range(N):
        Q = P[s].copy()
        orthonormalise(Q)
        left[:] = n
        project_out(Q, left)
        square = dot(left, left)
        share = dot(left, w[s]) / square if square > 0 else 0.0
        for i in range(m):
            left[i] = w[s, i] - share * n[i]
        coordinates(Q, P[s], left, x[s])
    return x


def sections(A, n, w, P):
    """Return A f + ε n = w without its part along the columns of P: rows that x does not enter.

    Args:
        A: (m, k); n: (m,); w: (N, m).
        P: (N, 2, m).

    Returns:
        A (N, m k), n (N, m), w (N, m); and Q (N, 2, m), orthonormal, that P was made of: zero where
        its columns are parallel.
    """
    (m, k), N = A.shape, len(P)
    A_, n_, w_, Q = np.empty((N, m * k)), np.empty((N, m)), w.copy(), P.copy()
    for s in range(N):
        orthonormalise(Q[s])
        column = np.empty(m)
        for j in range(k):
            column[:] = A[:, j]
            project_out(Q[s], column)
            for i in range(m):
                A_[s, i * k + j] = column[i]
        n_[s] = n
        project_out(Q[s], n_[s])
        project_out(Q[s], w_[s])
    return A_, n_, w_, Q


def starts(A, n, w, P, Q, answers, f, least):
    """Return x₀ (N, 2) with A f + P x₀ + ε n = w, and whether ε > least (N,)."""
    N, m = w.shape
    x, inside = np.zeros((N, 2)), np.zeros(N, dtype=np.bool_)
    left = np.empty(m)
    for s in range(N):
        for i in range(m):
            left[i] = w[s, i] - dot(A[i], f[s]) - answers[s, 1] * n[i]
        if answers[s, 2] > 0 and least < answers[s, 1] < _ENDLESS:
            inside[s] = coordinates(Q[s], P[s], left, x[s])
    return x, inside


def orthonormalise(Q):
    """Make two rows orthonormal; the second zero where they are parallel."""
    length = math.sqrt(dot(Q[0], Q[0]))
    divide(Q[0], length)
    project_out(Q[:1], Q[1])
    left = math.sqrt(dot(Q[1], Q[1]))
    divide(Q[1], left if left > _PARALLEL * length else 0.0)


def coordinates(Q, P, left, x):
    """Write the x (2,) for which Pᵀx is nearest to `left`; whether P's rows are independent."""
    first, second = dot(Q[0], P[0]), dot(Q[1], P[1])
    if not (first > 0 and second > 0):
        return False
    x[1] = dot(Q[1], left) / second
    x[0] = (dot(Q[0], left) - dot(Q[0], P[1]) * x[1]) / first
    return True


def project_out(Q, x):
    """Take from x what lies along orthonormal rows, twice for rounding."""
    for _ in range(2):
        for q in Q:
            part = dot(q, x)
            for i in range(len(x)):
                x[i] -= part * q[i]


def divide(x, length):
    """x/length in place; zero for a length of zero."""
    for i in range(len(x)):
        x[i] = x[i] / length if length > 0 else 0.0


def refined(points, normals, rays, answers, y, P, tolerance):
    """Add the ends of rays to an outline; return how it stands, and the rays to the next corners.

    Args:
        points, normals: (k, 2), of the outline, counter-clockwise.
        rays: (j, 2), units.
        answers, y: (j, 4), (j, m), of the kernel of verdicts, for the margin along each ray.
        P: (2, m), what a unit of each x does to the equations: P y is normal to the set.
        tolerance: of the gap between both polygons.

    Returns:
        MORE, CLOSED (no ray is wanted) or FAILED (a ray without proof or length, an outline that
        stays open); points and normals; the next rays (i, 2); the inner and the outer polygon.
    """
    k, j = len(points), len(rays)
    p, n = np.empty((k + j, 2)), np.empty((k + j, 2))
    p[:k], n[:k] = points, normals
    for r in range(j):
        if not ray_end(rays[r], answers[r], y[r], P, p[k + r], n[k + r]) > tolerance:
            return FAILED, p, n, p[:0], p[:0], p[:0]
    sort_by_angle(p, n)
    corners, wanted = np.empty((k + j, 2)), np.empty((k + j, 2))
    count, closed = next_rays(p, n, tolerance, corners, wanted)
    if count > 0 or not closed:
        return MORE if count > 0 else FAILED, p, n, wanted[:count], p[:0], p[:0]
    return CLOSED, p, n, p[:0], hull(p, 1e-3 * tolerance), hull(corners, 0.0)


def ray_end(ray, answer, y, P, p, n):
    """Write where a ray ends and the unit normal there; return its length, 0 without a proof."""
    u, v = 0.0, 0.0
    for i in range(len(y)):
        u += P[0, i] * y[i]
        v += P[1, i] * y[i]
    length, t = math.hypot(u, v), answer[1]
    if not (answer[2] > 0 and t < _ENDLESS and length > 0):
        return 0.0
    p[0], p[1], n[0], n[1] = t * ray[0], t * ray[1], u / length, v / length
    return t


def sort_by_angle(p, n):
    """Sort points and their normals counter-clockwise."""
    angles = np.empty(len(p))
    for i in range(len(p)):
        x, y, u, v = p[i, 0], p[i, 1], n[i, 0], n[i, 1]
        angle, k = math.atan2(y, x), i
        while k > 0 and angles[k - 1] > angle:
            angles[k], p[k], n[k] = angles[k - 1], p[k - 1], n[k - 1]
            k -= 1
        angles[k], p[k, 0], p[k, 1], n[k, 0], n[k, 1] = angle, x, y, u, v


def next_rays(p, n, tolerance, corners, wanted):
    """Write where neighbouring lines meet, and the rays to those corners that are too far.

    Returns how many rays there are, and whether the outer polygon is closed: lines that do not meet
    between their rays leave the set open there, for all that is known, and a ray goes halfway.
    """
    count, closed, k = 0, True, len(p)
    for i in range(k):
        q, c = p[(i + 1) % k], corners[i]
        meet(p[i], n[i], q, n[(i + 1) % k], c)
        slack = tolerance * math.hypot(c[0], c[1])
        along = c[0] * (p[i, 0] + q[0]) + c[1] * (p[i, 1] + q[1])
        between = cross(p[i], c) >= -slack and cross(c, q) >= -slack and along > 0
        if not between and math.hypot(c[0] - p[i, 0], c[1] - p[i, 1]) > tolerance:
            closed = False
        if distance(c, p[i], q) > tolerance:
            first, last = math.hypot(p[i, 0], p[i, 1]), math.hypot(q[0], q[1])
            x = c[0] if between else p[i, 0] / first + q[0] / last
            y = c[1] if between else p[i, 1] / first + q[1] / last
            wanted[count, 0], wanted[count, 1] = x / math.hypot(x, y), y / math.hypot(x, y)
            count += 1
    return count, closed


def disc(points, normals, ends, lines, tolerance):
    """Add the ends of rays to an outline; return the disc about the origin that it leaves.

    Args:
        points, normals: (k, 2), of the outline, counter-clockwise.
        ends, lines: (j, 2), of rays, and normals of lines there that the set does not cross.
        tolerance: of the radius.

    Returns:
        The radius of the largest disc inside the polygon of the points, negative where the origin
        is not in the set; the normal (2,) of the nearest line; points and normals; the next rays
        (i, 2), none where the nearest line is as far as the radius.
    """
    k, j = len(points), len(ends)
    p, n = np.empty((k + j, 2)), np.empty((k + j, 2))
    p[:k], p[k:], n[:k], n[k:] = points, ends, normals, lines
    sort_by_angle(p, n)
    k, nearest, offset = k + j, 0, math.inf
    for i in range(k):
        height = n[i, 0] * p[i, 0] + n[i, 1] * p[i, 1]
        if height < offset:
            nearest, offset = i, height
    if not offset > 0:
        return -1.0, n[nearest], p, n, p[:0]
    rays, count, radius, corner = np.empty((k + 1, 2)), 0, math.inf, np.empty(2)
    for i in range(k):
        after = (i + 1) % k
        length = math.hypot(p[after, 0] - p[i, 0], p[after, 1] - p[i, 1])
        # of points as near as that the ends are as far as the side
        reach = cross(p[i], p[after]) / length if length > tolerance else math.inf
        radius = min(radius, reach)
        if reach < offset - tolerance:
            meet(p[i], n[i], p[after], n[after], corner)
            between(p[i], corner, p[after], rays[count])
            count += 1
    if offset - radius <= tolerance:
        return radius, n[nearest], p, n, p[:0]
    rays[count] = n[nearest]  # where a disc of that radius would touch the line
    return radius, n[nearest], p, n, rays[: count + 1]


def between(a, x, b, ray):
    """Write the unit vector along x; halfway from a to b where x is not well between them."""
    first = math.atan2(a[1], a[0])
    wide = (math.atan2(b[1], b[0]) - first) % (2 * math.pi)
    turn = (math.atan2(x[1], x[0]) - first) % (2 * math.pi)
    if not 1e-3 * wide < turn < 0.999 * wide:
        turn = 0.5 * wide
    ray[0], ray[1] = math.cos(first + turn), math.sin(first + turn)


def meet(p, n, q, m, corner):
    """Write the corner n·x = n·p, m·x = m·q; p where both lines are one, or do not meet."""
    det = cross(n, m)
    same = abs(det) < _PARALLEL and n[0] * m[0] + n[1] * m[1] > 0
    corner[0], corner[1] = p[0], p[1]
    if not same and abs(det) >= 1e-12:
        a, b = n[0] * p[0] + n[1] * p[1], m[0] * q[0] + m[1] * q[1]
        corner[0], corner[1] = (a * m[1] - b * n[1]) / det, (b * n[0] - a * m[0]) / det


def cross(a, b):
    """a × b of plane vectors."""
    return a[0] * b[1] - a[1] * b[0]


GUESSES = Kernel(
    guesses, 1, arrays=True, example=lambda: (read_only(1), read_only(2), read_only(3))
)
SECTIONS = Kernel(
    sections,
    1,
    arrays=True,
    example=lambda: (read_only(2), read_only(1), read_only(2), read_only(3)),
)
DISC = Kernel(
    disc,
    1,
    arrays=True,
    fastmath=(),
    example=lambda: (*[read_only(2)] * 4, 1.0),
    each=5e-4,
)
STARTS = Kernel(
    starts,
    1,
    arrays=True,
    example=lambda: (
        *(read_only(2), read_only(1), read_only(2), read_only(3), read_only(3)),
        *(read_only(2), read_only(2), 1.0),
    ),
)
REFINED = Kernel(
    refined,
    1,
    arrays=True,
    fastmath=(),  # which of three points lies between the others is a matter of rounding
    example=lambda: (*[read_only(2)] * 6, 1.0),
    each=2e-3,
)
