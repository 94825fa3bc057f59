"""Many verdicts at once: states, frictions and loads in arrays, each answer with its proof.

For contacts that only push, with Coulomb's cones, two compiled kernels share the work: an
interior-point method for the margin, whose multipliers are the motion along which the robot would
fall, and a Newton method in the dual for the least-norm forces. Neither is trusted: forces must
balance the robot inside their cones, motions must be such that nothing can brake them. Whatever
does not check out, and all that the kernels do not know (hand holds, torsional friction, bounds,
torque limits that bind), is asked of the conic solver, as `contacts.static_hold` does.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from .. import dynamics
from ..errors import ContactError, FootworkWarning
from ..robots import Robot
from .contact import Contact
from .contact_set import ContactSet, check_robot
from .equilibrium.balance import load
from .equilibrium.balances import Balances
from .equilibrium.certificate import EDGE, certificate, certificate_violation
from .equilibrium.programs import Equilibrium
from .forces import admissible_forces
from .limits import torque_limits_of

Array = NDArray[np.float64]

_STEPS = 50  # of Newton's method
_CHUNK = 4096  # questions whose torques are worked out together
_PROOF = 1e-8  # how far a motion may lie outside what nothing brakes [m/s]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The answers to N questions, entry by entry those of `Hold`.

    Attributes:
        feasible: (N,), 1 holds, 0 does not, −1 undecided: at the edge, or unsolved.
        margin: (N,), of normal force at every contact, torque limits kept [N]; ±inf as in `Hold`.
        forces: (N, K, 3), the least-norm admissible ones at the contacts' points, contact axes [N];
            nan where there are none.
        velocity: (N, nv), ‖y‖ = 1, along which nothing stops the robot; nan where it is not needed.
        residual: (N,), what the proof leaves open: of the balance, of those that hold [N, N·m]; of
            the contacts' speeds in the motion, of those that do not [m/s]; nan where undecided.
        compiled: (N,), True where the kernels answered, False where the conic solver did.
    """

    feasible: NDArray[np.int8]
    margin: Array
    forces: Array
    velocity: Array
    residual: Array
    compiled: NDArray[np.bool_]

    @classmethod
    def blank(cls, count: int, points: int, nv: int) -> Verdicts:
        """Return room for the answers, nothing decided."""
        return cls(
            np.full(count, -1, dtype=np.int8),
            np.full(count, np.nan),
            np.full((count, points, 3), np.nan),
            np.full((count, nv), np.nan),
            np.full(count, np.nan),
            np.zeros(count, dtype=bool),
        )

    def __len__(self) -> int:
        return len(self.feasible)

    def _part(self, start: int, stop: int) -> Verdicts:
        """Views of the answers start … stop − 1."""
        return Verdicts(*(getattr(self, k)[start:stop] for k in self.__dataclass_fields__))


def static_hold(
    robot: Robot,
    q: ArrayLike,
    contacts: ContactSet | Contact | list[Contact],
    *,
    friction: ArrayLike | None = None,
    wrenches: ArrayLike | None = None,
    torque_limits: bool | ArrayLike = True,
    threads: int = 1,
) -> Verdicts:
    """Decide many static holds: `contacts.static_hold` for each entry of what is given in arrays.

    Args:
        robot: with a floating base, if wrenches are given.
        q: configurations (N, nq), or one (nq,) for all.
        contacts: a ContactSet of this robot, or any contacts.
        friction: instead of the contacts' own, μ of all of them: one number or (N,).
        wrenches: (N, 6) or (6,), of the environment on the base link: [force; moment about the
            centre of mass], world axes [N, N·m].
        torque_limits: as for `contacts.static_hold`.
        threads: that share the work of the kernels.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    check_robot(robot)
    contact_set, zero = ContactSet.of(robot, contacts), np.zeros(robot.nv)
    limits = torque_limits_of(robot, torque_limits)
    qs = _table(q, robot.nq, "q")
    states = [Equilibrium.of(contact_set, x, load(robot, x, zero, zero), limits) for x in qs]
    loads = np.stack([state.load for state in states])
    if wrenches is not None:
        loads = loads + pushed(robot, qs, _table(wrenches, 6, "wrenches"))
    mu = None if friction is None else _frictions(friction, states[0].point_count)
    return decide(Balances.of(states, loads, mu), threads)


def pushed(robot: Robot, qs: Array, wrenches: Array) -> Array:
    """Return what wrenches (N or 1, 6) about the centre of mass do to the robot, (N or 1, nv).

    They act on the base, whose velocities are in its own axes: Rᵀ f, Rᵀ (m + (c − p) × f).
    """
    if not robot.is_floating:
        raise ContactError(f"wrenches: {robot.name!r} has a fixed base; expected a floating one")
    if 1 != len(qs) != len(wrenches) != 1:
        raise ContactError(f"got {len(qs)} q and {len(wrenches)} wrenches; expected as many, or 1")
    R = np.stack([pin.Quaternion(q[3:7]).matrix() for q in qs])
    arms = np.stack([dynamics.com(robot, q) - q[:3] for q in qs])
    force, moment = wrenches[:, :3], wrenches[:, 3:]
    out = np.zeros((max(len(qs), len(wrenches)), robot.nv))
    out[:, :3] = (force[:, None] @ R)[:, 0]
    out[:, 3:6] = ((moment + np.cross(arms, force))[:, None] @ R)[:, 0]
    return out


def decide(balances: Balances, threads: int = 1) -> Verdicts:
    """Return the verdicts on many balances: by the kernels, and by the conic solver what is left.

    Without Numba the conic solver answers everything, which is said once.
    """
    first, count = balances.states[0], len(balances)
    out = Verdicts.blank(count, first.point_count, len(first.load))
    kernels = _kernels() if balances.plain and first.normals.any() else None
    widest = np.abs(first.columns[first.unactuated]).max(axis=1, initial=0.0)
    units = np.where(widest > 0, widest, 1.0)
    with tqdm(total=count, unit=" verdicts", disable=None, delay=1.0) as bar:
        for start in range(0, count, _CHUNK):
            stop = min(start + _CHUNK, count)
            chunk, answers = balances.part(start, stop), out._part(start, stop)
            if kernels is not None:
                _ask_kernels(kernels, _Scaled.of(chunk, units), answers, threads)
            for i in np.flatnonzero(~answers.compiled).tolist():
                _ask_solver(chunk.at(i), answers, i)
            bar.update(stop - start)
    return out


def _ask_solver(balance: Equilibrium, answers: Verdicts, i: int) -> None:
    """Write one answer of the conic solver, decided as `forces.decide` does.

    Of what the kernels have proved already, torque limits change the margin alone.
    """
    edge = EDGE * balance.weight
    margin, forces = balance.margin().value, None
    if (answers.feasible[i] == 1 and margin > edge) or (
        answers.feasible[i] == 0 and margin < -edge
    ):
        answers.margin[i] = margin
        return
    for values in (answers.forces, answers.velocity, answers.residual):
        values[i] = np.nan
    answers.feasible[i] = -1
    if not margin < -edge:
        forces = admissible_forces(balance)
        margin = -np.inf if margin == np.inf and forces is None else margin
    answers.margin[i] = margin
    if forces is not None:
        answers.forces[i] = balance.forces(forces)
    if margin > edge and forces is not None:
        answers.feasible[i] = 1
        answers.residual[i] = balance.residual(forces)
    elif margin < -edge and (y := certificate(balance)) is not None:
        answers.feasible[i], answers.velocity[i] = 0, y
        answers.residual[i] = certificate_violation(balance, y)


def _ask_kernels(kernels: Any, problem: _Scaled, answers: Verdicts, threads: int) -> None:
    """Write the answers of the kernels that check out; the others stay as they are.

    Where joints of any strength would not hold it, none do, and least-norm forces that the joints
    bear are the least; the margin stands if its own forces are borne.
    """
    edge = EDGE * problem.weight
    margin, forces, y = problem.margins(kernels.contact_margin, threads)
    answers.margin[:] = margin
    _write_holding(kernels, problem, answers, np.flatnonzero(margin > edge), threads)
    _write_falling(problem, answers, np.flatnonzero(margin < -edge), y)
    everything = np.arange(len(margin))
    stands = (margin == -np.inf) | problem.bears(forces, margin, everything)
    answers.compiled[:] = (answers.feasible >= 0) & stands


def _write_holding(
    kernels: Any, problem: _Scaled, answers: Verdicts, holds: NDArray[np.intp], threads: int
) -> None:
    """Write the least-norm forces that check out."""
    least = problem.least_norms(kernels.friction_newton, holds, threads)
    left = problem.residual(least, holds)
    borne = problem.bears(least, np.zeros(len(holds)), holds)
    good = borne & (left <= 1e-3 * EDGE * problem.weight)
    answers.feasible[holds[good]] = 1
    answers.forces[holds[good]], answers.residual[holds[good]] = least[good], left[good]


def _write_falling(problem: _Scaled, answers: Verdicts, falls: NDArray[np.intp], y: Array) -> None:
    """Write the motions that check out."""
    y = y[falls] / np.linalg.norm(y[falls], axis=1, keepdims=True)
    left, power = problem.unbraked(y, falls)
    good = (left <= _PROOF) & (power > EDGE * problem.weight)
    answers.feasible[falls[good]], answers.residual[falls[good]] = 0, left[good]
    rows = problem.many.states[0].unactuated
    answers.velocity[falls[good]] = 0.0
    answers.velocity[np.ix_(falls[good], rows)] = y[good]


@dataclass(frozen=True, eq=False)
class _Scaled:
    """The balances as the kernels see them, A f + ε n = w in numbers near one.

    Attributes:
        many: the balances.
        weight: the unit of force [N].
        units: (m,), of the unactuated rows.
        A: (N or 1, m, 3K), n: (N or 1, m), w: (N or 1, m), in these units.
    """

    many: Balances
    weight: float
    units: Array
    A: Array
    n: Array
    w: Array

    @classmethod
    def of(cls, many: Balances, units: Array) -> _Scaled:
        b = many.states[0]
        A, normals = many.stacked("columns", b.unactuated), many.stacked("normals", b.unactuated)
        w = -many.loads[:, b.unactuated] / (b.weight * units)
        pull = np.ascontiguousarray(normals.sum(axis=2) / units)
        return cls(many, b.weight, units, A / units[:, None], pull, w)

    def margins(self, kernel: Any, threads: int) -> tuple[Array, Array, Array]:
        """Return margins (N,) [N], forces (N, K, 3) that have them [N], multipliers (N, m)."""
        N, m = len(self.many), len(self.units)
        status, margin, y = np.zeros(N, dtype=np.int64), np.zeros(N), np.zeros((N, m))
        f = np.zeros((N, self.many.states[0].point_count, 3))
        arrays = self.A, self.w, self.n, self.many.friction

        def work(first: int, last: int) -> None:
            kernel.margins(*arrays, first, last, status, margin, f, y)

        _share(work, N, threads)
        return margin * self.weight, f * self.weight, y / self.units

    def least_norms(self, kernel: Any, chosen: NDArray[np.intp], threads: int) -> Array:
        """Return the least-norm forces (len(chosen), K, 3) [N]."""
        arrays = [x if len(x) == 1 else x[chosen] for x in (self.A, self.w, self.many.friction)]
        b = self.many.states[0]
        f, left = np.zeros((len(chosen), b.point_count, 3)), np.zeros(len(chosen))

        def work(first: int, last: int) -> None:
            kernel.least_norms(*arrays, b.bilateral, first, last, _STEPS, f, left)

        _share(work, len(chosen), threads)
        return f * self.weight

    def residual(self, f: Array, chosen: NDArray[np.intp]) -> Array:
        """Return the largest of what is left of the rows, and of the cones, (len(chosen),) [N]."""
        A, w, mu = (_rows(x, chosen) for x in (self.A, self.w, self.many.friction))
        rows = _times(A, f) - self.weight * w
        outside = np.linalg.norm(f[:, :, :2], axis=2) - mu * f[:, :, 2]
        worst = np.maximum(outside, -f[:, :, 2]).max(axis=1, initial=0.0)
        return np.asarray(np.maximum(np.abs(rows * self.units).max(axis=1, initial=0.0), worst))

    def bears(self, f: Array, margin: Array, chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return where the joints bear forces f, with `margin` of normal force more (not inf)."""
        b = self.many.states[0]
        limited = np.isfinite(b.limits)
        if not limited.any():
            return np.ones(len(f), dtype=bool)
        rows = b.actuated[limited]
        G, n = self.many.stacked("columns", rows), self.many.stacked("normals", rows).sum(axis=2)
        finite = np.isfinite(margin)
        extra = np.where(finite, margin, 0.0)[:, None] * _rows(n, chosen)
        torques = _rows(self.many.loads[:, rows], chosen) + _times(_rows(G, chosen), f) + extra
        return np.asarray((np.abs(torques) <= b.limits[limited]).all(axis=1) & finite)

    def unbraked(self, y: Array, chosen: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return how far y leaves the dual cones [m/s], and the power of the load in it [W]."""
        A, w, mu = (_rows(x, chosen) for x in (self.A, self.w, self.many.friction))
        scaled = y * self.units
        u = (scaled[:, None] @ A).reshape(len(y), A.shape[2] // 3, 3)
        slip = mu * np.linalg.norm(u[:, :, :2], axis=2)
        return (slip - u[:, :, 2]).max(axis=1, initial=0.0), -self.weight * (scaled * w).sum(axis=1)


def _rows(x: Array, chosen: NDArray[np.intp]) -> Array:
    return x if len(x) == 1 else x[chosen]


def _times(A: Array, f: Array) -> Array:
    """A f, (N, rows), of A (N or 1, rows, 3K) and f (N, K, 3)."""
    flat = f.reshape(len(f), 3 * f.shape[1])
    return flat @ A[0].T if len(A) == 1 else (A @ flat[:, :, None])[:, :, 0]


def _share(work: Any, count: int, threads: int) -> None:
    """Let threads work on equal parts of range(count)."""
    if threads <= 1 or count < 2 * threads:
        work(0, count)
        return
    ends = np.linspace(0, count, threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, ends[:-1], ends[1:]))


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
    """Return μ (N, K) of all points."""
    mu = np.atleast_1d(np.asarray(friction, dtype=float))
    if mu.ndim != 1 or not len(mu) or not np.isfinite(mu).all() or (mu < 0).any():
        raise ContactError(f"friction: got {friction!r}, expected (N,) finite values of at least 0")
    return np.repeat(mu[:, None], points, axis=1)


@cache
def _kernels() -> Any:
    """The compiled kernels; None without Numba, which is said once."""
    if find_spec("numba") is None:
        warnings.warn(
            "batches of verdicts: no Numba, the conic solver answers one by one; "
            "pip install 'footwork[fast]' makes them some twenty times faster",
            FootworkWarning,
            stacklevel=4,
        )
        return None
    from . import kernels
    from .kernels import contact_margin, friction_newton

    del contact_margin, friction_newton  # now in the package
    return kernels
