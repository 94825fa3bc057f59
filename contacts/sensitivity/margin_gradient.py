"""How the margin changes with friction, with the places of the contacts and with the posture.

A margin is the value of a convex program, the largest ε that A x + ε N + h = 0 allows. Its
Lagrangian L, at the optimal forces x and multipliers y (nv,) of the balance and s_k of the cones,
gives the slope along any parameter p without solving again (the envelope theorem):

    dε/dp = ∂L/∂p = yᵀ ∂(h + A x + ε N)/∂p + Σ_k s_k f_n,k ∂μ_k/∂p

−y = −dε/dh is a virtual velocity: of an infeasible robot a certificate, and of one that holds the
motion in which it would fall first. All derivatives are analytic. Where several forces or
multipliers are optimal the margin can have a kink, and no gradient: slopes to both sides find these
places out.

Source: A. V. Fiacco, "Introduction to sensitivity and stability analysis in nonlinear programming"
(1983).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics import Wrench
from ...errors import ContactError
from ...robots.configuration import check_velocity
from ..contact_set import ContactSet
from ..equilibrium.balance import load
from ..equilibrium.programs import Equilibrium
from ..hold import Hold
from .force_derivatives import force_derivative, load_derivative, moved_contact, placement_slope
from .margin_kinds import KINDS, Answer

Array = NDArray[np.float64]

_STEP = 1e-5  # of the slopes to both sides [rad, m, or of μ]
_KINK = 1e-3  # slopes that differ by more than this share are those of a kink


@dataclass(frozen=True, eq=False)
class MarginGradient:
    """Slopes of a margin ε of a Hold; nan where it has a kink.

    Attributes:
        margin: ε [N]; of the friction margin, which has no unit, newtons are left out below.
        q: (nv,), dε/dq along tangent directions, the contacts fixed to the robot [N/rad, N/m].
        friction: {contact: dε/dμ} [N]; of a frictionless one the slope to the right.
        placement: {contact: (6,)}, along translations [N/m] and rotations [N/rad] of the contact on
            its link, q fixed, in contact axes about its centre. A patch moves with its corners; of
            a point the rotation is that of the ground's normal.
        load: y = dε/dh (nv,), along generalised forces: of a force on a frame it is J y.
        torque_limits: (na,), along the limit of each actuated joint.
        kinks: what has entries without a derivative: "q", "load", "torque limits",
            "friction of …", "placement of …".
    """

    margin: float
    q: Array
    friction: dict[str, float]
    placement: dict[str, Array]
    load: Array
    torque_limits: Array
    kinks: tuple[str, ...]


def margin_gradient(
    hold: Hold,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    of: Literal["margin", "push", "friction"] = "margin",
    check: bool = True,
) -> MarginGradient:
    """Return how a margin of a Hold changes with q, friction, and placements of contacts.

    Args:
        hold: whose margin is finite, whether it holds or not.
        v, a: (nv,), of a Hold by `contact_forces`; zero by default.
        of: which one: `Hold.margin`, `Hold.push_margin` or `Hold.friction_margin`.
        check: whether kinks are looked for: by the slopes to both sides along a random direction of
            q, of each friction, of each placement, …, and where these differ, entry by entry. What
            jumps by less than a thousandth may pass. False leaves some slope there.

    Raises:
        ContactError: a margin that is infinite (a push margin of 0), v and a that are not those of
            the hold, no such `of`.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    if of not in KINDS:
        raise ContactError(f"of: got {of!r}, expected one of {', '.join(map(repr, KINDS))}")
    point = _Point.of(hold, v, a, of)
    robot, balance, q = point.contacts.robot, hold.balance, point.q
    found = KINDS[of](point.contacts, q, balance)
    y = found.velocity
    by_q = load_derivative(robot, q, point.v, point.a, point.external) + found.change
    for contact in point.contacts:
        by_q += force_derivative(robot, q, contact, found.wrenches[contact.name])
    slopes = {"q": y @ by_q}
    for i, contact in enumerate(point.contacts):
        name, of_points = contact.name, found.friction[balance.limits.owner == i]
        slopes[f"friction of {name}"] = np.array([of_points.sum()])
        wrench = found.wrenches[name]
        slopes[f"placement of {name}"] = placement_slope(robot, q, contact, wrench, y)
    slopes["load"] = y.copy()
    limited = np.isfinite(balance.torque_limits)
    slopes["torque limits"] = np.where(limited, np.abs(y[balance.actuated]), 0.0)
    kinks = tuple(_without_kinks(point, slopes, found)) if check else ()
    return MarginGradient(
        found.value,
        slopes["q"],
        {name: float(slopes[f"friction of {name}"][0]) for name in point.contacts.names},
        {name: slopes[f"placement of {name}"] for name in point.contacts.names},
        slopes["load"],
        slopes["torque limits"],
        kinks,
    )


def _without_kinks(point: _Point, slopes: dict[str, Array], found: Answer) -> Iterator[str]:
    """Write nan over entries that have no derivative; yield the names of their groups."""
    rng = np.random.default_rng(0)
    for name, values in slopes.items():
        along = rng.standard_normal(len(values))
        if name.startswith("friction") and point.frictionless(name):
            continue
        if name == "torque limits" and not np.isfinite(point.balance.torque_limits).any():
            continue
        if _differentiable(point, name, values, along / np.linalg.norm(along), found):
            continue
        smooth = [_differentiable(point, name, values, e, found) for e in np.eye(len(values))]
        values[~np.array(smooth)] = np.nan
        yield name


def _differentiable(point: _Point, name: str, slopes: Array, along: Array, found: Answer) -> bool:
    """Whether the slopes to both sides along a direction are the one that was worked out.

    Those of a curved margin differ too, but less and less with smaller steps.
    """
    scale = point.balance.weight if name in ("load", "torque limits") else 1.0
    expected = float(slopes @ along)

    def off(step: float) -> float:
        right = (point.value_after(name, step * along) - found.value) / step
        left = (found.value - point.value_after(name, -step * along)) / step
        return float(max(abs(right - expected), abs(left - expected)))

    tolerance = _KINK * max(abs(expected), 0.1 * found.unit / scale)
    far = off(_STEP * scale)
    return far <= tolerance or off(0.1 * _STEP * scale) <= max(tolerance, 0.3 * far)


@dataclass(frozen=True, eq=False)
class _Point:
    """Where slopes are taken: the robot's motion, its contacts, its loads and torque limits."""

    contacts: ContactSet
    q: Array
    v: Array
    a: Array
    external: Mapping[str, Wrench]
    balance: Equilibrium
    kind: str

    @classmethod
    def of(cls, hold: Hold, v: ArrayLike | None, a: ArrayLike | None, kind: str) -> _Point:
        robot, zero = hold.contacts.robot, np.zeros(hold.contacts.robot.nv)
        v = zero if v is None else check_velocity(robot, v)
        a = zero if a is None else check_velocity(robot, a, "a")
        asked = load(robot, hold.q, v, a, hold.external)
        if np.abs(asked - hold.balance.load).max(initial=0.0) > 1e-9 * hold.balance.weight:
            raise ContactError(
                "v, a: got others than those of the hold; expected what contact_forces was given "
                "(zero for static_hold)"
            )
        return cls(hold.contacts, hold.q, v, a, hold.external, hold.balance, kind)

    def frictionless(self, name: str) -> bool:
        """Whether a group is the friction of a contact that has none: only more is possible."""
        return not np.any(self.contacts[name.removeprefix("friction of ")].friction)

    def value_after(self, name: str, step: Array) -> float:
        """Return the margin after a step of a group of parameters; nan where it has none."""
        robot, q, moved = self.contacts.robot, self.q, list(self.contacts)
        limits, more = self.balance.torque_limits, np.zeros(robot.nv)
        if name == "q":
            q = robot.integrate(q, step)
        elif name == "load":
            more = step
        elif name == "torque limits":
            limits = np.where(np.isfinite(limits), limits + step, limits)
        else:
            kind, contact = name.split(" of ", 1)
            i = self.contacts.names.index(contact)
            friction = float(step[0]) if kind == "friction" else 0.0
            twist = step if kind == "placement" else np.zeros(6)
            moved[i] = moved_contact(robot, q, moved[i], friction, twist)
        h = load(robot, q, self.v, self.a, self.external) + more
        contacts = ContactSet(robot, moved)
        balance = Equilibrium.of(contacts, q, h, limits)
        if self.kind == "margin":  # without multipliers
            return balance.margin().value
        try:
            return KINDS[self.kind](contacts, q, balance).value
        except ContactError:
            return float("nan")
