"""Gradients of margins: by posture, friction, places of contacts, loads and torque limits.

A margin is the value of a convex program, the largest ε that A x + ε N + h = 0 allows. Its
Lagrangian L, at the optimal forces x and multipliers y (nv,) of the balance and s_k of the cones,
gives the slope along any parameter p without solving again (the envelope theorem):

    dε/dp = ∂L/∂p = yᵀ ∂(h + A x + ε N)/∂p + Σ_k s_k f_n,k ∂μ_k/∂p

−y = −dε/dh is a virtual velocity: of an infeasible robot a certificate, and of one that holds the
motion in which it would fall first. All derivatives are analytic. Where several forces or
multipliers are optimal the margin can have a kink: what is returned is then one element of its
subdifferential, and slopes to both sides tell.

Source: A. V. Fiacco, "Introduction to sensitivity and stability analysis in nonlinear programming"
(1983).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State, Wrench
from ...dynamics.link_forces import LinkForces, external_forces
from ...errors import ContactError
from ...options import names_checked
from ...robots.configuration import check_velocity
from ...robots.values import boolean, instance, one_of
from ..contact_set import ContactSet
from ..equilibrium.programs import Equilibrium
from ..hold import Hold
from .balance_derivative import balance_derivative, moved_contact, placement_slopes
from .margin_kinds import KINDS, Optimum

_STEP = 1e-5  # of the slopes to both sides [rad, m, or of μ]
_KINK = 1e-3  # slopes that differ by more than this share are those of a kink


@dataclass(frozen=True, eq=False, repr=False)
class MarginGradient:
    """Slopes of a margin ε of a Hold.

    Attributes:
        margin: ε [N]; of the friction margin, which has no unit, newtons are left out below.
        q: (nv,), dε/dq along tangent directions, the contacts fixed to the robot [N/rad, N/m]. Of a
            robot with closures along motions that they allow, J_c q = 0.
        friction: {contact: dε/dμ} [N]; of a frictionless one the slope to the right; (2,) along the
            two tangents where friction is a pair.
        placement: {contact: (6,)}, along translations [N/m] and rotations [N/rad] of the contact on
            its link, q fixed, in contact axes about its centre. A patch moves with its corners; of
            a point the rotation is that of the ground's normal.
        load: y = dε/dh (nv,), along generalised forces: of a force on a frame it is J y.
        torque_limits: (na,), along the limit of each actuated joint; where bounds are not
            symmetric, both moved apart as much.
        kinks: of a checked gradient, what has entries without a derivative, which are nan: "q",
            "load", "torque limits", "friction of …", "placement of …".
    """

    margin: float
    q: Array
    friction: dict[str, float | Array]
    placement: dict[str, Array]
    load: Array
    torque_limits: Array
    kinks: tuple[str, ...]
    _case: _Case
    _found: Optimum

    def __repr__(self) -> str:
        contacts, kinks = ", ".join(self.friction), ", ".join(self.kinks) or "none"
        return f"MarginGradient({self.margin:.4g}, contacts {contacts}, kinks: {kinks})"

    @cached_property
    def unique(self) -> bool:
        """Whether the margin is differentiable here; else these are of its slopes' subdifferential.

        Asked by slopes to both sides along a random direction of each group of parameters, when it
        is first asked for. What jumps by less than a thousandth may pass.
        """
        if self.kinks:
            return False
        case, rng = self._case, np.random.default_rng(0)
        return all(
            _differentiable(case, name, values, _unit(rng, len(values)), self._found)
            for name, values in self._groups.items()
            if case.varies(name)
        )

    @property
    def _groups(self) -> dict[str, Array]:
        groups = {"q": self.q, "load": self.load, "torque limits": self.torque_limits}
        groups |= {f"friction of {n}": np.atleast_1d(x) for n, x in self.friction.items()}
        return groups | {f"placement of {n}": x for n, x in self.placement.items()}


@names_checked
def margin_gradient(
    hold: Hold,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    of: Literal["margin", "push", "friction"] = "margin",
    check: bool = False,
) -> MarginGradient:
    """Return how a margin of a Hold changes with q, friction, and placements of contacts.

    Args:
        hold: whose margin is finite, whether it holds or not.
        v, a: (nv,), of a Hold by `contact_forces`; the hold's own v, and a = 0, by default.
        of: which one: `Hold.margin`, `Hold.push_margin` or `Hold.friction_margin`.
        check: whether entries without a derivative are looked for, and become nan: by slopes to
            both sides along a random direction of q, of each friction, of each placement, …, and
            where these differ, entry by entry. Without it, `unique` says whether there are any.

    Raises:
        ContactError: a margin that is infinite (a push margin of 0), v and a that are not those of
            the hold, no such `of`.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    instance(hold, "hold", Hold, error=ContactError)
    one_of(of, "of", KINDS, error=ContactError)
    boolean(check, "check", error=ContactError)
    case = _Case.of(hold, v, a, of)
    known = hold.saddle if of == "margin" or hold.multipliers is not None else None
    found = KINDS[of](case.state, case.balance, known)
    slopes, names = _slopes(case, found), case.contacts.names
    kinks = tuple(_without_kinks(case, slopes, found)) if check else ()
    friction = {name: slopes[f"friction of {name}"] for name in names}
    return MarginGradient(
        found.value,
        slopes["q"],
        {name: x if len(x) > 1 else float(x[0]) for name, x in friction.items()},
        {name: slopes[f"placement of {name}"] for name in names},
        slopes["load"],
        slopes["torque limits"],
        kinks,
        case,
        found,
    )


def _slopes(case: _Case, found: Optimum) -> dict[str, Array]:
    """The slopes along each group of parameters: "q", "load", "friction of …", ….

    Of the margin's program at its optimum, with multipliers y: ∂ε/∂p = yᵀ ∂(h + Σ_c J_cᵀ w_c)/∂p.
    """
    contacts, state, balance, y = case.contacts, case.state, case.balance, found.velocity
    given = found.wrenches, case.loads, found.inner
    by_q = y @ balance_derivative(contacts, state, case.a, *given)
    if found.push is not None:
        by_q += y @ np.tensordot(found.push, state.com_hessian[:2], axes=1)
    by_q = _allowed(state, by_q)
    limited = np.isfinite(balance.torque_limits)
    slopes = {
        "q": by_q,
        "load": y.copy(),
        "torque limits": np.where(limited, np.abs(y[balance.actuated]), 0.0),
    }
    places = placement_slopes(contacts, state, found.wrenches, y)
    friction_of = np.zeros((len(contacts), 2))
    np.add.at(friction_of, balance.limits.owner, found.friction)
    for i, contact in enumerate(contacts):
        both = friction_of[i]
        slopes[f"friction of {contact.name}"] = (
            both if np.ndim(contact.friction) else both.sum()[None]
        )
        slopes[f"placement of {contact.name}"] = places[i]
    return slopes


def _allowed(state: State, along: Array) -> Array:
    """The part of a direction or slope (nv,) along motions that closures allow."""
    if not state.robot.closures:
        return along
    B = state.closure_basis
    return np.asarray(along - B.T @ (B @ along))


def _without_kinks(case: _Case, slopes: dict[str, Array], found: Optimum) -> Iterator[str]:
    """Write nan over entries that have no derivative; yield the names of their groups."""
    rng = np.random.default_rng(0)
    for name, values in slopes.items():
        along = _unit(rng, len(values))
        if not case.varies(name) or _differentiable(case, name, values, along, found):
            continue
        smooth = [_differentiable(case, name, values, e, found) for e in np.eye(len(values))]
        values[~np.array(smooth)] = np.nan
        yield name


def _unit(rng: np.random.Generator, size: int) -> Array:
    along = rng.standard_normal(size)
    return np.asarray(along / np.linalg.norm(along))


def _differentiable(case: _Case, name: str, slopes: Array, along: Array, found: Optimum) -> bool:
    """Whether the slopes to both sides along a direction are the one that was worked out.

    Those of a curved margin differ too, but less and less with smaller steps.
    """
    scale = case.balance.weight if name in ("load", "torque limits") else 1.0
    expected = float(slopes @ along)

    def off(step: float) -> float:
        right = (case.value_after(name, step * along) - found.value) / step
        left = (found.value - case.value_after(name, -step * along)) / step
        return float(max(abs(right - expected), abs(left - expected)))

    tolerance = _KINK * max(abs(expected), 0.1 * found.unit / scale)
    far = off(_STEP * scale)
    return far <= tolerance or off(0.1 * _STEP * scale) <= max(tolerance, 0.3 * far)


@dataclass(frozen=True, eq=False)
class _Case:
    """Where slopes are taken: the robot's motion, its contacts, its loads and torque limits."""

    contacts: ContactSet
    state: State
    a: Array
    external: Mapping[str, Wrench]
    loads: LinkForces | None
    balance: Equilibrium
    kind: str

    @classmethod
    def of(cls, hold: Hold, v: ArrayLike | None, a: ArrayLike | None, kind: str) -> _Case:
        robot, zero = hold.contacts.robot, np.zeros(hold.contacts.robot.nv)
        state = hold.state
        if v is not None or state.v is None:
            state = state.with_velocity(zero if v is None else v)
        a = zero if a is None else check_velocity(robot, a, "a")
        asked, loads = -state.inverse_dynamics(a), external_forces(state, hold.external)
        if loads is not None:
            asked = asked + loads.generalised(state)
        given = hold.balance.bounds.shifted(robot, asked)
        if np.abs(given - hold.balance.load).max(initial=0.0) > 1e-9 * hold.balance.weight:
            raise ContactError(
                "v, a: got others than those of the hold; expected what contact_forces was given "
                "(zero for static_hold)"
            )
        return cls(hold.contacts, state, a, hold.external, loads, hold.balance, kind)

    def varies(self, name: str) -> bool:
        """Whether a group can change to both sides: not friction 0, nor infinite limits."""
        if name == "torque limits":
            return bool(np.isfinite(self.balance.torque_limits).any())
        if name.startswith("friction of "):
            return bool(np.all(self.contacts[name.removeprefix("friction of ")].friction))
        return True

    def value_after(self, name: str, step: Array) -> float:
        """Return the margin after a step of a group of parameters; nan where it has none."""
        robot, q, moved = self.contacts.robot, self.state.q, list(self.contacts)
        bounds, more = self.balance.bounds, np.zeros(robot.nv)
        if name == "q":
            q = robot.integrate(q, _allowed(self.state, step))
            q = robot.close(q) if robot.closures else q
        elif name == "load":
            more = step
        elif name == "torque limits":
            limited = np.isfinite(bounds.half)
            half = np.where(limited, bounds.half + step, bounds.half)
            bounds = bounds.with_half(half)
        else:
            kind, contact = name.split(" of ", 1)
            i = self.contacts.names.index(contact)
            friction = step if kind == "friction" else np.zeros(1)
            twist = step if kind == "placement" else np.zeros(6)
            moved[i] = moved_contact(self.state, moved[i], friction, twist)
        state, contacts = State(robot, q, self.state.velocity), ContactSet(robot, moved)
        h = more - state.inverse_dynamics(self.a, self.external)
        balance = Equilibrium.of(contacts, state, h, bounds)
        try:
            return KINDS[self.kind](state, balance).value
        except ContactError:
            return float("nan")
