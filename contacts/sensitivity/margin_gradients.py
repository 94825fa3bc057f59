"""Gradients of the margins of many states: those of `margin_gradient`, in arrays, compiled.

A margin's slope along any parameter p follows from its optimal forces x and multipliers y = dε/dh,

    dε/dp = ∂/∂p yᵀ(h + A x + ε N) + Σ_k s_k f_n,k ∂μ_k/∂p,      h = τ_g + τ_ext − M a − vᵀCv

for q, v and a the gradient of a power of inverse dynamics with forces on links, by one sweep over
the tree (`dynamics.batch.inverse_dynamics_gradient`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array, Index
from ...dynamics import Wrench, batch
from ...dynamics.batch.gradient import PowerGradient, with_loads
from ...dynamics.kernels.rnea_gradient import AT_BODY
from ...dynamics.link_forces import LinkPlaces
from ...errors import ContactError, counted
from ...options import names_checked
from ...robots import Robot
from ...robots.values import whole_number
from ..contact_set import Contacts
from ..equilibrium.balance import weight
from ..equilibrium.saddle import friction_slopes
from ..equilibrium.saddles import ALONE, NONE, SEVERAL, UNTOLD, Saddles
from ..loads_along import Wrenches, about_base, is_rows, table
from ..motion_rows import MotionRows, SameContacts
from ..torque_limits import TorqueLimits, change_with_speed
from .balance_derivative import contact_places, slopes_of_twists

Rows = slice | Index

SMOOTH = ""
_KINDS = {
    ALONE: SMOOTH,
    SEVERAL: "several multipliers are optimal",
    UNTOLD: "whether other multipliers are optimal is not told",
}
_ENDLESS, _HOPELESS = "squeezing makes the margin infinite", "no pull helps, the margin is -inf"
_AIRBORNE, _UNSOLVED = "nothing touches", "the margin is not found"
_BENT = "a bound of a torque bends at this speed"
_FORCES = "several contact forces are optimal"
_TEXT = "<U64"
_ROWS = 1024  # at a time: they stay in the cache
_OTHER, _KINK = 1e-7, 1e-6  # of the weight: other wrenches, and slopes [N, N/m] that differ


@dataclass(frozen=True, eq=False, repr=False)
class MarginGradients:
    """Slopes of the margins ε of N states; what they are along is told at `MarginGradient`.

    Attributes:
        margin: (N,), ε [N]; ∓inf where no pull helps, or squeezing has no end.
        q, v, a: (N, nv), along tangent directions, velocities and accelerations, the contacts
            fixed to the robot. Those along v have what torque-speed envelopes change.
        friction: (N, C, 2), along μ of both tangents [N]; of a contact with one μ their sum is the
            slope. Of a frictionless one slopes to the right.
        placement: (N, C, 6), along translations and rotations of each contact in its axes.
        load: (N, nv), y = dε/dh, along generalised forces: of a force on a frame it is J y.
        wrenches: {frame: (N, 6)} along [force; moment] of external wrenches, in the axes in which
            these were given and about the same point; "" of wrenches about the centre of mass.
        torque_limits: (N, na), along the limit of each joint to both sides, |y|: to the upper bound
            where y > 0, to minus the lower one where y < 0.
        kinks: (N,), why a margin has no gradient there: empty where it has one. Slopes of an
            infinite margin, and along velocities at which a bound bends, are nan. Of several
            optimal multipliers or contact forces they are those of one; of contact forces alone
            slopes along v, a, loads and torque limits are the margin's.
    """

    margin: Array
    q: Array
    v: Array
    a: Array
    friction: Array
    placement: Array
    load: Array
    wrenches: dict[str, Array]
    torque_limits: Array
    kinks: NDArray[np.str_]

    def __repr__(self) -> str:
        """How many states and contacts, from which margin to which, and how many kinks."""
        states, count = (
            counted(len(self.margin), "state"),
            counted(self.friction.shape[1], "contact"),
        )
        low, high = self.margin.min(initial=np.inf), self.margin.max(initial=-np.inf)
        found = f"margins {low:.4g} to {high:.4g}, " if len(self.margin) else ""
        kinks = int((~self.smooth).sum()) or "none"
        return f"MarginGradients({states}, {count}, {found}kinks: {kinks})"

    @property
    def smooth(self) -> NDArray[np.bool_]:
        """(N,), whether the margin has a gradient."""
        return np.asarray(self.kinks == SMOOTH)

    def clear(self, rows: Index) -> None:
        """Make the slopes of some rows nan."""
        slopes = self.q, self.v, self.a, self.friction, self.placement, self.load
        for values in (*slopes, self.torque_limits, *self.wrenches.values()):
            values[rows] = np.nan

    def __len__(self) -> int:
        return len(self.margin)


@names_checked
def margin_gradients(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    contacts: Contacts,
    *,
    active: ArrayLike | None = None,
    friction: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
    torque_limits: TorqueLimits = True,
    threads: int = 1,
) -> MarginGradients:
    """Return how the margins of `batch.contact_forces` change, arguments as there.

    Slopes along friction and placements of contacts that do not touch in a row are zero.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other;
            wrenches in the axes of a third frame.
        ContactError: a robot with closures: ask `contacts.margin_gradient`, one by one.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    whole = whole_number(threads, "threads", at_least=1, exact=True, error=ContactError)
    given = contacts, active, friction, wrenches, torque_limits, whole
    asked = MotionRows.of(robot, (q, v, a), *given)
    if robot.closures:
        raise ContactError(
            f"{robot.name!r} has closures, which gradients in batches do not know; "
            "contacts.margin_gradient takes such a Hold"
        )
    loads = _Loads.of(robot, asked, wrenches)
    out = _nothing(asked, loads)
    for part in asked.by_contacts():
        if len(part.asked.contacts):
            _write(out, part, loads, whole)
        else:
            out.margin[part.rows] = part.in_flight().margin
    changing = change_with_speed(robot, torque_limits)
    if changing.any():
        _add_envelopes(robot, asked.v, out, changing)
    return out


@dataclass(frozen=True, eq=False)
class _Loads:
    """External wrenches of all rows, as forces on links.

    Attributes:
        places: where they act.
        numbers: (N, L, 6), as `LinkPlaces` takes them.
        names: of their frames; "" of wrenches about the centre of mass.
        points: (L, 3), about which they were given, seen from where `numbers` are about.
    """

    places: LinkPlaces
    numbers: Array
    names: tuple[str, ...]
    points: Array

    @classmethod
    def of(cls, robot: Robot, asked: MotionRows, wrenches: Wrenches | None) -> _Loads:
        """Return the loads of all rows."""
        count = len(asked.q)
        if wrenches is None or isinstance(wrenches, Mapping):
            given: dict[str, Any] = dict(wrenches or {})
            along = {f: table(w, 6, f"wrenches[{f!r}]") for f, w in given.items() if is_rows(w)}
            given |= dict.fromkeys(along, Wrench(np.zeros(3)))
            places, numbers = LinkPlaces.of(robot, given)
            rows, names = np.tile(numbers, (count, 1, 1)), tuple(given)
            for name, row in along.items():
                rows[:, names.index(name)] = row
            points = [np.zeros(3) if w.point is None else w.point for w in given.values()]
            return cls(places, rows, names, np.array(points).reshape(-1, 3))
        numbers = about_base(robot, asked.q, wrenches)[:, None]
        base = np.array([robot._model.getJointId(robot.base_joint)], dtype=np.intp)
        still = np.array([AT_BODY], dtype=np.int64)
        frames, here = np.eye(3, 4)[None], np.zeros((1, 3))
        return cls(LinkPlaces(base, frames, still), numbers, ("",), here)

    def with_contacts(self, links: LinkPlaces) -> LinkPlaces:
        """Return where contacts act, and then these."""
        pairs = zip(links, self.places, strict=True)
        return LinkPlaces(*(np.concatenate(pair) for pair in pairs))


def _nothing(asked: MotionRows, loads: _Loads) -> MarginGradients:
    """Return the gradients of margins of which nothing is known."""
    count, nv, C = len(asked.q), asked.v.shape[1], len(asked.contacts)
    na = asked.contacts.robot.na

    def none(*shape: int) -> Array:
        return np.full((count, *shape), np.nan)

    return MarginGradients(
        margin=none(),
        q=none(nv),
        v=none(nv),
        a=none(nv),
        friction=none(C, 2),
        placement=none(C, 6),
        load=none(nv),
        wrenches={name: none(6) for name in loads.names},
        torque_limits=none(na),
        kinks=np.full(count, _AIRBORNE, dtype=_TEXT),
    )


@dataclass(frozen=True, eq=False)
class _Sweep:
    """Rows of a motion with the same contacts, and the multipliers of their margins.

    Attributes:
        asked: the rows.
        found: their saddle points, zero where there are none.
        places: where contacts act, and then other loads.
        loads: (n, 6 L), these.
        threads: that share the work.
    """

    asked: MotionRows
    found: Saddles
    places: LinkPlaces
    loads: Array
    threads: int

    @cached_property
    def flat(self) -> Array:
        """(6 C, k), from unknowns x to the contacts' wrenches at their centres, contact axes."""
        rows = self.asked.contacts.limits.wrench_rows
        return rows.reshape(-1, rows.shape[2])

    @cached_property
    def wrenches(self) -> Array:
        """(n, 6 C), of the contacts at the optimum."""
        wrenches = np.asarray(self.found.unknowns @ self.flat.T)
        wrenches[:, 2::6] += self.found.margin[:, None] * self.asked.contacts.limits.pulls
        return wrenches

    @cached_property
    def _turned(self) -> Array:
        """(6 C, 6 C), from wrenches in contact axes to those that act on links."""
        return np.asarray(scipy.linalg.block_diag(*contact_places(self.asked.contacts).turned))

    def power(self, wrenches: Array, of: Rows) -> tuple[PowerGradient, Array, Array]:
        """Return what yᵀτ changes with q, v and a for contacts' wrenches (…, 6 C), of some rows.

        And the twists that contacts (…, C, 6) and loads (…, L, 6) work along.
        """
        given = np.hstack([wrenches @ self._turned.T, self.loads[of]])
        asked, robot = self.asked, self.asked.contacts.robot
        motion, C = (asked.q[of], asked.v[of], asked.a[of]), len(asked.contacts)
        y = self.found.velocity[of]
        power, twists = with_loads(robot, motion, y, self.places, given, self.threads)
        own = twists[:, :C].reshape(len(y), -1) @ self._turned
        return power, own.reshape(-1, C, 6), twists[:, C:]

    def along_friction(self, x: Array, twists: Array, of: Rows) -> Array:
        """Slopes (…, C, 2) along friction of unknowns x of some rows, of each contact's points."""
        limits, mu = self.asked.contacts.limits, self.asked.point_friction
        mu, K = mu if len(mu) == 1 else mu[of], limits.point_count
        rates = -(twists.reshape(len(x), -1) @ self.flat)
        if limits.whole_rows.A.size:
            rates += self.found.whole[of] @ limits.whole_rows.A
        f, z = (a[:, : 3 * K].reshape(-1, K, 3) for a in (x, rates))
        slopes = friction_slopes(f, z[:, :, :2], mu, limits.bilateral)
        return np.asarray(np.add.reduceat(slopes, limits.first, axis=1))


def _write(out: MarginGradients, part: SameContacts, loads: _Loads, threads: int) -> None:
    """Write the rows in which the same contacts touch."""
    asked, found = part.asked, Saddles.of(part.balances, threads)
    out.margin[part.rows], out.kinks[part.rows] = found.margin, _why(found)
    places = loads.with_contacts(contact_places(asked.contacts).links)
    none = found.kind == NONE
    found.clear(none, 0.0)
    numbers = loads.numbers.reshape(len(loads.numbers), -1)
    for start in range(0, len(none), _ROWS):
        cut = slice(start, start + _ROWS)
        rows = _as_slice(part.rows[cut])
        sweep = _Sweep(asked.at(cut), found.part(cut), places, numbers[rows], threads)
        _write_slopes(out, sweep, part, loads, rows)
    limited = np.isfinite(np.atleast_2d(asked.bounds.half))
    y = np.abs(found.velocity[:, asked.contacts.robot.actuated_rows])
    out.torque_limits[part.rows] = np.where(limited, y, 0.0)
    out.clear(part.rows[none])


def _as_slice(rows: Index) -> Rows:
    """Ascending rows as a slice where none is left out: views instead of copies."""
    whole = rows[-1] - rows[0] + 1 == len(rows)
    return slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows


def _write_slopes(
    out: MarginGradients, sweep: _Sweep, part: SameContacts, loads: _Loads, rows: Rows
) -> None:
    """Write the slopes of some rows."""
    contacts, every = sweep.asked.contacts, slice(None)
    power, own, others = sweep.power(sweep.wrenches, every)
    for slopes, by in ((out.q, power.q), (out.v, power.v), (out.a, power.a)):
        slopes[rows] = -by
    out.load[rows] = sweep.found.velocity
    wrenches = sweep.wrenches.reshape(own.shape)
    placement = slopes_of_twists(contacts, own, wrenches)
    friction = sweep.along_friction(sweep.found.unknowns, own, every)
    if not part.pattern.all():  # along those that do not touch nothing changes
        placement, friction = (_spread(x, part.pattern) for x in (placement, friction))
    out.placement[rows], out.friction[rows] = placement, friction
    _note_other_forces(out, sweep, power.q, own, rows)
    _write_loads(out, loads, sweep, rows, others)


def _spread(slopes: Array, pattern: NDArray[np.bool_]) -> Array:
    """Slopes (n, …) of the contacts that touch among those of all, others zero."""
    out = np.zeros((len(slopes), len(pattern), slopes.shape[2]))
    out[:, pattern] = slopes
    return out


def _note_other_forces(
    out: MarginGradients, sweep: _Sweep, by_q: Array, twists: Array, rows: Rows
) -> None:
    """Tell where other contact forces are optimal too, with which slopes differ."""
    contacts, x = sweep.asked.contacts, sweep.found.others
    more, size = x @ sweep.flat.T, weight(contacts.robot)
    of = np.flatnonzero(np.abs(more).max(axis=1) > _OTHER * size)  # nan is not
    if not len(of):
        return
    changed, _, _ = sweep.power((sweep.wrenches + more)[of], of)
    moved = slopes_of_twists(contacts, twists[of], more[of].reshape(-1, len(contacts), 6))
    rubbed = sweep.along_friction(x[of], twists[of], of)
    off = [d.reshape(len(of), -1) for d in (changed.q - by_q[of], moved, rubbed)]
    differ = of[np.abs(np.hstack(off)).max(axis=1) > _KINK * size]
    there = np.arange(rows.start, rows.stop)[differ] if isinstance(rows, slice) else rows[differ]
    out.kinks[there[out.kinks[there] == SMOOTH]] = _FORCES


def _why(found: Saddles) -> Array:
    """Why margins have no gradient."""
    words = np.array([_KINDS[k] for k in range(NONE)] + [_UNSOLVED], dtype=_TEXT)[found.kind]
    words[found.margin == np.inf], words[found.margin == -np.inf] = _ENDLESS, _HOPELESS
    return words


def _write_loads(
    out: MarginGradients, loads: _Loads, sweep: _Sweep, rows: Rows, twists: Array
) -> None:
    """Write slopes along external wrenches, from the twists (n, L, 6) that they work along."""
    for k, name in enumerate(loads.names):
        u, w = twists[:, k, :3], twists[:, k, 3:]
        out.wrenches[name][rows] = np.hstack([u + np.cross(w, loads.points[k]), w])
    if loads.names == ("",):
        robot, q = sweep.asked.contacts.robot, sweep.asked.q
        f, w = sweep.loads[:, :3], twists[:, 0, 3:]
        out.wrenches[""][rows, :3] += np.cross(w, batch.com(robot, q) - q[:, :3])
        # the moment about the base is m + (c − p) × f: (f × ω)ᵀ ∂(c − p)/∂q more
        base = batch.frame_jacobian(robot, q, robot.base_joint)[:, :3]
        change = batch.com_jacobian(robot, q) - base
        out.q[rows] += (np.cross(f, w)[:, None] @ change)[:, 0]


def _add_envelopes(
    robot: Robot, v: Array, out: MarginGradients, changing: NDArray[np.bool_]
) -> None:
    """Add to slopes along v what bounds of torques change with it, of some joints (na,)."""
    y = np.where(changing, out.load[:, robot.actuated_rows], 0.0)
    lower, upper = robot.motors.slopes(v)
    used = np.where(y > 0, upper, np.where(y < 0, lower, 0.0)) * y
    # a joint without limit has y = 0 but for rounding
    out.v[:, robot.actuated_rows] += np.where(np.isfinite(y) & (out.torque_limits == 0), 0.0, used)
    bent = np.isnan(out.v).any(axis=1) & np.isfinite(out.margin)
    out.kinks[bent & (out.kinks == SMOOTH)] = _BENT
