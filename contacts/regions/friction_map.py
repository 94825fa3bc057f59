"""Friction maps: how rough the ground must be, for every place of the centre of mass.

    μ*(c) = the least μ, the same at all contacts, for which forces f_k with
            Σ f_k + m g + w_f = 0,   Σ p_k × f_k + c × m g + p × w_f + w_m = 0,   ‖f_t,k‖ ≤ μ f_n,k

A place is bracketed by answers that prove themselves. Forces that balance the load say "no more
than μ". A twist y, in which the contacts move with velocities u_k, proves "no less than
min_k u_n,k/‖u_t,k‖" at every place where the load's power yᵀh(c) is positive: friction takes none
out of it. One proof serves whole parts of the map.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import dynamics
from ...dynamics import Wrench
from ...errors import ContactError
from ...robots import Robot
from ..cones.friction_cone import finite_vector
from ..cones.point_forces import PointForces
from ..contact import Contact
from ..contact_set import ContactSet
from ..equilibrium.balance import weight

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FrictionMap:
    """The least friction that holds, over places of the centre of mass.

    Attributes:
        x: (nx,), of the places [m].
        y: (ny,), of the places [m].
        friction: (ny, nx), a friction with which it holds; inf where `most` does not.
        lower: (ny, nx), a friction up to which it surely does not hold; at most `tolerance` less.
        tolerance: largest gap between the two.
        most: the largest friction that was tried.
        com: (3,), of the robot at q [m].
    """

    x: Array
    y: Array
    friction: Array
    lower: Array
    tolerance: float
    most: float
    com: Array

    def at(self, point: ArrayLike) -> float:
        """Return the friction at the grid's place nearest to (x, y)."""
        px, py = np.asarray(point, dtype=float)[:2]
        return float(self.friction[np.abs(self.y - py).argmin(), np.abs(self.x - px).argmin()])


def friction_map(
    robot: Robot,
    q: ArrayLike,
    contacts: ContactSet | Contact | Iterable[Contact],
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    wrench: Wrench | None = None,
    height: float | None = None,
    tolerance: float = 1e-3,
    most: float = 2.0,
) -> FrictionMap:
    """Return the least friction that holds the robot still, for every place (x, y) of its CoM.

    The cones are exact; the friction of the contacts themselves plays no part.

    Args:
        robot: whose contacts and weight.
        q: configuration (nq,), for the places of the contacts.
        contacts: a ContactSet of this robot, or any contacts without bounds and torsional friction.
        x, y: (nx,), (ny,), the places [m]; by default 20 each, over the contacts and where the load
            shifts them, and a quarter more.
        wrench: a load in world axes at a point of the world, without a point at the CoM.
        height: of the centre of mass [m], the robot's at q by default; the load acts there.
        tolerance: of μ.
        most: the largest μ; what it does not hold is inf in the map.

    Raises:
        ContactError: a grid, a tolerance, a load that is none; contacts with other limits.
    """
    points = PointForces.of(ContactSet.of(robot, contacts), q)
    if not points.plain:
        raise ContactError(
            "contacts: got bounds on normal forces or torsional friction, expected contacts that "
            "friction alone limits"
        )
    com = dynamics.com(robot, q)
    z = float(com[2] if height is None else height)
    shift = _shift(points, z, wrench, weight(robot))
    xs, ys = (
        _grid(given, points.points[:, i], shift[i], "xy"[i]) for i, given in enumerate((x, y))
    )
    if not (np.isfinite([tolerance, most, z]).all() and 0 < tolerance < most):
        raise ContactError(
            f"tolerance, most, height: got {tolerance}, {most}, {height}, expected finite numbers, "
            "0 < tolerance < most"
        )
    places = np.stack([*np.meshgrid(xs, ys), np.full((len(ys), len(xs)), z)], axis=-1)
    loads = _loads(places.reshape(-1, 3), wrench, weight(robot))
    lower, upper = _Brackets(points, tolerance, most).solve(loads)
    shape = places.shape[:2]
    return FrictionMap(xs, ys, upper.reshape(shape), lower.reshape(shape), tolerance, most, com)


def _shift(points: PointForces, height: float, wrench: Wrench | None, unit: float) -> Array:
    """Where the load's line meets the ground (x, y), the CoM being above the origin."""
    fx, fy, fz, mx, my, _ = _loads(np.array([[0.0, 0.0, height]]), wrench, unit)[0]
    ground = float(points.points[:, 2].mean()) if len(points.points) else 0.0
    return np.array([ground * fx - my, mx + ground * fy]) / fz if fz < -0.1 else np.zeros(2)


def _grid(given: ArrayLike | None, along: Array, shift: float, name: str) -> Array:
    if given is None:
        low, high = (along.min(), along.max()) if len(along) else (-0.5, 0.5)
        low, high = low - max(shift, 0.0), high - min(shift, 0.0)
        wider = max(0.125 * (high - low), 0.02)
        return np.linspace(low - wider, high + wider, 20)
    values = np.asarray(given, dtype=float)
    if values.ndim != 1 or len(values) == 0 or not np.isfinite(values).all():
        raise ContactError(f"{name}: got shape {values.shape}, expected (n,) finite numbers [m]")
    return values


def _loads(places: Array, wrench: Wrench | None, unit: float) -> Array:
    """h (n, 6) of every place (n, 3), in weights."""
    gravity = np.array([0.0, 0.0, -1.0])
    force, moment = np.zeros(3), np.cross(places, gravity)
    if wrench is not None:
        if not isinstance(wrench, Wrench) or wrench.axes != "world":
            raise ContactError(f"wrench: got {wrench!r}, expected a Wrench in world axes")
        force = wrench.force / unit
        arms = places if wrench.point is None else finite_vector(wrench.point, "point")
        moment = moment + np.cross(arms, force) + wrench.moment / unit
    return np.hstack([np.broadcast_to(gravity + force, places.shape), moment])


class _Brackets:
    """Brackets of μ*, place after place; proofs are kept for the places that follow."""

    def __init__(self, points: PointForces, tolerance: float, most: float) -> None:
        self.middle = points.points.mean(axis=0) if len(points.points) else np.zeros(3)
        seen = points.about(self.middle)
        self.size = seen.size
        self.program = _Forces(seen.scaled(1 / self.size))
        self.tolerance, self.most = tolerance, most
        self.twists, self.proven = np.zeros((0, 6)), np.zeros(0)

    def solve(self, loads: Array) -> tuple[Array, Array]:
        """Return (lower, upper) (n,) for loads (n, 6)."""
        from tqdm import tqdm

        seen = loads.copy()
        seen[:, 3:] = (loads[:, 3:] - np.cross(self.middle, loads[:, :3])) / self.size
        lower, upper = np.zeros(len(loads)), np.full(len(loads), np.inf)
        for i in tqdm(range(len(loads)), "friction map", disable=None, leave=False):
            lower[i], upper[i] = self._bracket(seen[i])
        return lower, upper

    def _bracket(self, h: Array) -> tuple[float, float]:
        """First just above what is known, which is often tight; then the most; then halves."""
        low, high, tries = self._known(h), np.inf, 0
        while low < self.most and high - low > self.tolerance:
            near = low + self.tolerance / 2
            trial = (near, self.most, (low + high) / 2)[min(tries, 2)]
            if tries > 2 and tries % 2 == 0:
                trial = near
            held, value = self._ask(min(trial, self.most), h)
            low, high = (low, value) if held else (max(low, value), high)
            tries += 1
        return (low, high) if low < self.most else (low, np.inf)

    def _known(self, h: Array) -> float:
        """The largest friction that earlier proofs rule out."""
        lifted = self.twists @ h > 1e-9
        return float(self.proven[lifted].max(initial=0.0))

    def _ask(self, mu: float, h: Array) -> tuple[bool, float]:
        """(True, a friction that holds) or (False, one that does not), at least as good as μ."""
        forces, y = self.program.solve(mu, h)
        if forces is not None:
            return True, mu
        if y is None:  # the solver could not tell: as near to the edge as it can see
            return False, mu
        proven = self.program.least_friction(y)
        self.twists, self.proven = np.vstack([self.twists, y]), np.append(self.proven, proven)
        return False, max(mu, proven)


class _Forces:
    """The program for one friction: forces in their cones that balance a load, or a proof."""

    def __init__(self, points: PointForces) -> None:
        import clarabel
        from scipy import sparse

        K = len(points.points)
        self.G, self.bilateral = points.grasp, points.bilateral
        held = np.flatnonzero(~points.bilateral)
        # rows [μ f_n; f_t] of each cone, negated; the μ are filled in by every call
        rows = np.arange(3 * len(held))
        columns = (3 * held[:, None] + np.array([2, 0, 1])).ravel()
        signs = -np.ones(len(rows))
        self.cone_rows = sparse.csc_matrix((signs, (rows, columns)), (len(rows), 3 * K))
        self.A = sparse.vstack([sparse.csc_matrix(self.G), self.cone_rows], format="csc")
        # where −μ stands in A.data: the normal of each held point, its column's last entry
        self.normals = self.A.indptr[3 * held + 3] - 1
        self.P = sparse.csc_matrix((3 * K, 3 * K))
        self.cones = [clarabel.ZeroConeT(6), *[clarabel.SecondOrderConeT(3)] * len(held)]
        self.settings = clarabel.DefaultSettings()
        self.settings.verbose = False

    def solve(self, mu: float, h: Array) -> tuple[Array | None, Array | None]:
        """Return forces (3K,), or a twist y (6,) that proves that there are none, or neither."""
        import clarabel

        self.A.data[self.normals] = -mu
        b = np.concatenate([-h, np.zeros(self.A.shape[0] - 6)])
        q = np.zeros(self.A.shape[1])
        answer = clarabel.DefaultSolver(self.P, q, self.A, b, self.cones, self.settings).solve()
        if answer.status == clarabel.SolverStatus.Solved:
            forces = np.array(answer.x)
            return (forces, None) if np.abs(self.G @ forces + h).max() < 1e-6 else (None, None)
        if answer.status == clarabel.SolverStatus.PrimalInfeasible:
            y = np.array(answer.z)[:6]
            y /= np.linalg.norm(y)
            return None, (y if y @ h > 1e-9 else None)
        return None, None

    def least_friction(self, y: Array) -> float:
        """Return min u_n/‖u_t‖ of the velocities u = Gᵀy at the points, up to which y proves."""
        u = (self.G.T @ y).reshape(-1, 3)[~self.bilateral]
        slip = np.linalg.norm(u[:, :2], axis=1)
        moving = np.maximum(slip, np.abs(u[:, 2])) > 1e-7
        return float((u[moving, 2] / np.maximum(slip[moving], 1e-12)).min(initial=np.inf))
