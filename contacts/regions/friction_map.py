"""Friction maps: how rough the ground must be, for every place of the centre of mass.

    μ*(c) = the least μ, the same at all contacts, for which forces f_k with
            Σ f_k + m g + w_f = 0,   Σ p_k × f_k + c × m g + p × w_f + w_m = 0,   ‖f_t,k‖ ≤ μ f_n,k

With Numba all places at once (`least_frictions.py`), without it one by one
(`friction_brackets.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ... import registry
from ...arrays import Array
from ...dynamics import State, Wrench
from ...dynamics.closures import require_no_ties
from ...errors import ContactError
from ...options import names_checked
from ...robots import Robot
from ...robots.values import array, number
from ..contact_set import Contacts, ContactSet
from ..point_forces import PointForces
from .friction_brackets import brackets
from .robust_region import check_disturbance, disturbed


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

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        ny, nx = self.friction.shape
        held = self.friction[np.isfinite(self.friction)]
        span = f", with friction from {held.min():.3g} to {held.max():.3g}" if len(held) else ""
        return f"FrictionMap({nx} × {ny} places: {len(held)} hold{span})"

    @property
    def range(self) -> tuple[float, float]:
        """From the least finite value on, for colours: to the largest, or ten tolerances more, as
        what differs by less than the tolerance is the same."""
        finite = self.friction[np.isfinite(self.friction)]
        low = float(finite.min(initial=self.most))
        return low, max(float(finite.max(initial=low)), low + 10 * self.tolerance)

    def at(self, point: ArrayLike) -> float:
        """Return the friction at the grid's place nearest to (x, y)."""
        px, py = np.asarray(point, dtype=float)[:2]
        return float(self.friction[np.abs(self.y - py).argmin(), np.abs(self.x - px).argmin()])


@names_checked
def friction_map(
    robot: Robot,
    q: ArrayLike | State,
    contacts: Contacts,
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
        q: configuration (nq,), or a State of this robot, for the places of the contacts.
        contacts: a ContactSet of this robot, or any contacts without bounds and torsional friction.
        x, y: (nx,), (ny,), the places [m]; by default 20 each, over the contacts and where the load
            shifts them, and a quarter more.
        wrench: a load in world axes at a point of the world, without a point at the CoM.
        height: of the centre of mass [m], the robot's at q by default; the load acts there.
        tolerance: of μ.
        most: the largest μ; what it does not hold is inf in the map.

    Raises:
        ContactError: an invalid grid, tolerance or load; contacts with other limits.
        ModelError: closures that tie the robot to the world.
    """
    state = State.of(robot, q)
    require_no_ties(robot, "friction_map")
    points = PointForces.of(ContactSet.of(robot, contacts), state)
    if not points.limits.plain:
        raise ContactError(
            "contacts: got bounds on normal forces or torsional friction, expected contacts that "
            "friction alone limits"
        )
    com = state.com
    z = number(com[2] if height is None else height, "height", unit="[m]", error=ContactError)
    most = number(most, "most", above=0, error=ContactError)
    tolerance = number(tolerance, "tolerance", above=0, error=ContactError)
    if not tolerance < most:
        raise ContactError(f"tolerance: got {tolerance}, expected less than most = {most}")
    if wrench is not None:
        check_disturbance(wrench, "wrench")
    load, columns = disturbed(robot, wrench, z)
    shift = _shift(points, load)
    xs, ys = (
        _grid(given, points.points[:, i], shift[i], "xy"[i]) for i, given in enumerate((x, y))
    )
    places = np.stack(np.meshgrid(xs, ys), axis=-1)
    loads = load + places.reshape(-1, 2) @ columns.T
    lower, upper = brackets(points, loads, tolerance, most)
    shape = places.shape[:2]
    return FrictionMap(xs, ys, upper.reshape(shape), lower.reshape(shape), tolerance, most, com)


def _shift(points: PointForces, load: Array) -> Array:
    """Where the line of a load (6,) meets the ground (x, y), the CoM being above the origin."""
    fx, fy, fz, mx, my, _ = load
    ground = float(points.points[:, 2].mean()) if len(points.points) else 0.0
    return np.array([ground * fx - my, mx + ground * fy]) / fz if fz < -0.1 else np.zeros(2)


def _grid(given: ArrayLike | None, along: Array, shift: float, name: str) -> Array:
    if given is None:
        low, high = (along.min(), along.max()) if len(along) else (-0.5, 0.5)
        low, high = low - max(shift, 0.0), high - min(shift, 0.0)
        wider = max(0.125 * (high - low), 0.02)
        return np.linspace(low - wider, high + wider, 20)
    values = array(given, name, (None,), meaning="places [m]", error=ContactError)
    if len(values) == 0:
        raise ContactError(f"{name}: got no places, expected some [m]")
    return values
