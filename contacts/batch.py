"""Many verdicts at once: states, frictions and loads in arrays, each answer with its proof.

For contacts that only push, with Coulomb's cones, two compiled kernels share the work, eight
problems side by side: an interior-point method for the margin, whose multipliers are the motion
along which the robot would fall, and a Newton method in the dual for the least-norm forces. Neither
is trusted: forces must balance the robot inside their cones, motions must be such that nothing can
brake them. Whatever does not check out, and all that the kernels do not know (hand holds, torsional
friction, bounds, torque limits that bind), is asked of the conic solver, as `contacts.static_hold`
does.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from ..dynamics import Wrench
from ..dynamics import batch as many_states
from ..dynamics.kernels.toolchain import obstacle
from ..errors import ContactError, FootworkWarning
from ..robots import Robot
from .contact import Contact
from .contact_set import ContactSet, check_robot
from .equilibrium.asked import Asked, Least
from .equilibrium.balances import Balances
from .equilibrium.certificate import EDGE, certificate, certificate_violation
from .equilibrium.programs import Equilibrium
from .equilibrium.pushes import pushed, torques_of
from .equilibrium.states import ContactStates, Indices, most_or, picked
from .equilibrium.verdicts import Verdicts
from .forces import admissible_forces
from .kernels.contact_margin import MARGINS
from .kernels.friction_newton import LEAST_NORMS
from .torque_limits import torque_limits_of

__all__ = ["Verdicts", "static_hold", "decide"]

Array = NDArray[np.float64]

_NEAR = 150_000  # numbers of A in the questions asked at a time: they stay near the processor
_CLOSE = 1e-3  # of the edge: what may be left of a balance
_PROOF = 1e-8  # how far a motion may lie outside what nothing brakes [m/s]


def static_hold(
    robot: Robot,
    q: ArrayLike,
    contacts: ContactSet | Contact | list[Contact],
    *,
    friction: ArrayLike | None = None,
    wrenches: Mapping[str, Wrench] | ArrayLike | None = None,
    torque_limits: bool | ArrayLike = True,
    margin: bool = True,
    threads: int = 1,
    out: Verdicts | None = None,
) -> Verdicts:
    """Decide many static holds: `contacts.static_hold` for each entry of what is given in arrays.

    Args:
        robot: with a floating base, if wrenches are given as an array.
        q: configurations (N, nq), or one (nq,) for all.
        contacts: a ContactSet of this robot, or any contacts.
        friction: instead of the contacts' own, μ of all of them: one number or (N,), or pairs
            (N, 2) along the contacts' two tangents.
        wrenches: {link: Wrench} as for `contacts.static_hold`, the same for all; or (N, 6) or
            (6,), of the environment on the base link: [force; moment about the centre of mass],
            world axes [N, N·m].
        torque_limits: as for `contacts.static_hold`.
        margin: False leaves margins out (nan), which takes half of the time where there are many
            contacts: whether it holds and with which forces, or along which motion it falls.
        threads: that share the work.
        out: verdicts to write to, such as those of an earlier call of the same size.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    check_robot(robot)
    contact_set, limits = ContactSet.of(robot, contacts), torque_limits_of(robot, torque_limits)
    qs = _table(q, robot.nq, "q")
    still = np.zeros((len(qs), robot.nv))
    loads = -many_states.inverse_dynamics(robot, qs, still, still)
    if isinstance(wrenches, Mapping):
        loads = loads + torques_of(robot, qs, wrenches)
    elif wrenches is not None:
        loads = loads + pushed(robot, qs, _table(wrenches, 6, "wrenches"))
    first = Equilibrium.of(contact_set, qs[0], loads[0], limits)
    points = first.limits.point_count
    mu = first.limits.friction[None] if friction is None else _frictions(friction, points)
    states = ContactStates(first, contact_set, qs, limits)
    return decide(Balances(states, loads, mu), threads, margin=margin, out=out)


def decide(
    balances: Balances, threads: int = 1, *, margin: bool = True, out: Verdicts | None = None
) -> Verdicts:
    """Return the verdicts on many balances: by the kernels, and by the conic solver what is left.

    Without Numba the conic solver answers everything, which is said once, and so it does while
    that is sooner than compiling. Arguments as for `static_hold`.
    """
    first, count = balances.first, len(balances)
    out = Verdicts.room(count, first.limits.point_count, len(first.load), out)
    plain = balances.plain and bool(first.normals.any())
    most = max(_NEAR // max(3 * first.limits.point_count * len(first.unactuated), 1), 1)
    pieces = -(-count // min(most, -(-count // _whole(threads))))
    ends = np.linspace(0, count, pieces + 1).astype(int).tolist()
    with tqdm(total=count, unit=" verdicts", disable=None, delay=1.0) as bar:

        def answer(start: int, stop: int) -> None:
            chunk, answers = balances.part(start, stop), out.part(start, stop)
            kernels = _kernels(count - start) if plain else None
            if kernels is not None:
                _ask_kernels(kernels, Asked.of(chunk), answers, margin)
            slowly = plain and kernels is None
            with MARGINS.uncompiled(stop - start) if slowly else nullcontext():
                for i in np.flatnonzero(~answers.compiled).tolist():
                    _ask_solver(chunk.at(i), answers, i, margin)
            bar.update(stop - start)

        if threads == 1 or pieces == 1:
            for start, stop in pairwise(ends):
                answer(start, stop)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(answer, ends[:-1], ends[1:]))
    return out


def _ask_solver(balance: Equilibrium, answers: Verdicts, i: int, wanted: bool) -> None:
    """Write one answer of the conic solver, decided as `forces.decide` does.

    Of what the kernels have proved already, torque limits change the margin alone.
    """
    edge = EDGE * balance.weight
    found = balance.margin()
    margin, forces = found.value, None
    known = answers.feasible[i]
    if (known == 1 and margin > edge) or (known == 0 and margin < -edge):
        answers.margin[i] = margin if wanted else np.nan
        return
    answers.clear(i)
    if not margin < -edge:
        forces = admissible_forces(balance)
        margin = -np.inf if margin == np.inf and forces is None else margin
    answers.margin[i] = margin if wanted else np.nan
    if forces is not None:
        answers.forces[i] = balance.limits.forces(forces)
    if margin > edge and forces is not None:
        answers.feasible[i] = 1
        answers.residual[i] = balance.residual(forces)
    elif not margin >= -edge and (y := certificate(balance, found.velocity)) is not None:
        answers.feasible[i], answers.velocity[i] = 0, y
        answers.residual[i] = certificate_violation(balance, y)


def _ask_kernels(kernels: _Kernels, asked: Asked, answers: Verdicts, wanted: bool) -> None:
    """Write the answers of the kernels that check out; the others stay as they are.

    Where joints of any strength would not hold it, none do, and least-norm forces that the joints
    bear are the least; the margin stands if its own forces are borne.
    """
    everything = np.arange(len(answers))
    if not wanted:
        _write_strict(kernels, asked, answers, everything)
    rest = np.flatnonzero(answers.feasible < 0)
    margin, forces, y = asked.margins(kernels.margins, rest)
    edge = EDGE * asked.weight
    falls, holds = margin < -edge, rest[margin > edge]
    _write_falling(asked, answers, rest[falls], y[falls])
    if not wanted:
        answers.compiled[:] = answers.feasible >= 0
        return
    some = most_or(holds, len(answers))
    least = asked.least(kernels.least_norms, some)
    _write_holding(asked, answers, some, least, margin[some] > edge)
    answers.margin[:] = margin
    answers.compiled[:] = (answers.feasible >= 0) & _stands(asked, margin, forces, y)


def _write_strict(kernels: _Kernels, asked: Asked, answers: Verdicts, chosen: Indices) -> None:
    """Write the least-norm forces of what holds by more than the edge.

    It does if the contacts can also do without that much normal force.
    """
    less = asked.least(kernels.least_norms, chosen, EDGE)
    left = asked.residual(less.forces, chosen, EDGE * asked.weight)
    strictly = left <= _CLOSE * EDGE * asked.weight
    some = most_or(chosen[strictly], len(chosen))
    least = asked.least(kernels.least_norms, some)
    _write_holding(asked, answers, some, least, strictly[some])


def _stands(asked: Asked, margin: Array, forces: Array, y: Array) -> NDArray[np.bool_]:
    """Return which margins are proved: by forces that have them, and a motion that allows no more.

    Infinite ones by forces that squeeze, which joints of limited strength cannot; and those of
    which no pull helps need no more than the motion.
    """
    stands: NDArray[np.bool_] = margin == -np.inf
    close = _CLOSE * EDGE * asked.weight
    endless = np.flatnonzero(margin == np.inf)
    squeezes = asked.residual(forces[endless], endless, asked.weight, load=0.0) <= close
    free = np.isinf(asked.many.first.torque_limits).all()
    stands[endless] = squeezes & free
    finite = most_or(np.flatnonzero(np.isfinite(margin)), len(margin))
    known = np.isfinite(margin[finite])
    e, f = np.where(known, margin[finite], 0.0), picked(forces, finite)
    least = asked.residual(f, finite, e) <= EDGE * asked.weight
    outside, power, rise = asked.unbraked(picked(y, finite), finite)
    most = np.abs(-power - e) + f[:, :, 2].sum(axis=1) * outside <= EDGE * asked.weight
    fair = np.abs(rise - 1) <= _PROOF
    stands[finite] |= known & least & most & fair & asked.bears(f, e, finite)
    return stands


def _write_holding(
    asked: Asked, answers: Verdicts, holds: Indices, least: Least, strictly: NDArray[np.bool_]
) -> None:
    """Write the least-norm forces that check out, of what holds strictly."""
    left = np.maximum(asked.residual(least.forces, holds), asked.not_least(least, holds))
    borne = asked.bears(least.forces, np.zeros(len(holds)), holds)
    good = strictly & borne & (left <= _CLOSE * EDGE * asked.weight)
    answers.feasible[holds[good]] = 1
    answers.forces[holds[good]], answers.residual[holds[good]] = least.forces[good], left[good]


def _write_falling(asked: Asked, answers: Verdicts, falls: Indices, y: Array) -> None:
    """Write the motions that check out."""
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    left, power, rise = asked.unbraked(y, falls)
    good = (left <= _PROOF) & (power > EDGE * asked.weight * np.maximum(rise, 1.0))
    answers.feasible[falls[good]], answers.residual[falls[good]] = 0, left[good]
    rows = asked.many.first.unactuated
    answers.velocity[falls[good]] = 0.0
    answers.velocity[np.ix_(falls[good], rows)] = y[good]


def _table(value: ArrayLike, width: int, name: str) -> Array:
    """Return (N, width) finite numbers, one row if one was given."""
    try:
        rows = np.atleast_2d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        rows = np.zeros((0, 0))
    if rows.ndim != 2 or rows.shape[1] != width or not len(rows) or not np.isfinite(rows).all():
        got = np.shape(value) if isinstance(value, np.ndarray) else f"{value!r:.80}"
        raise ContactError(f"{name}: got {got}, expected ({width},) or (N, {width}) finite numbers")
    return rows


def _frictions(friction: ArrayLike, points: int) -> Array:
    """Return μ (N, K, 2) of all points, from numbers (N,) or pairs (N, 2)."""
    mu = np.atleast_1d(np.asarray(friction, dtype=float))
    pairs = mu[:, None] if mu.ndim == 1 else mu
    if pairs.ndim != 2 or pairs.shape[1] not in (1, 2) or not len(mu) or not (mu >= 0).all():
        pairs = np.full((1, 1), np.nan)
    if not np.isfinite(pairs).all():
        raise ContactError(
            f"friction: got {friction!r}, expected (N,) or (N, 2) finite values of at least 0"
        )
    return np.tile(pairs[:, None] * np.ones(2), (1, points, 1))


def _whole(threads: Any) -> int:
    """Return threads, a whole number ≥ 1."""
    if not isinstance(threads, int | np.integer) or isinstance(threads, bool) or threads < 1:
        raise ContactError(f"threads: got {threads!r}, expected a whole number ≥ 1")
    return int(threads)


class _Kernels(NamedTuple):
    """The compiled kernels."""

    margins: Any
    least_norms: Any


def _kernels(count: int) -> _Kernels | None:
    """The compiled kernels; None where the conic solver is sooner, and without Numba."""
    if trouble := obstacle():
        _note_numba(trouble)
        return None
    found = _Kernels(MARGINS.select(count), LEAST_NORMS.select(count))
    return None if None in found else found


@cache
def _note_numba(reason: str) -> None:
    warnings.warn(
        f"batches of verdicts: {reason}, the conic solver answers one by one; "
        "pip install 'footwork[fast]' makes them more than a hundred times faster",
        FootworkWarning,
        stacklevel=6,
    )
