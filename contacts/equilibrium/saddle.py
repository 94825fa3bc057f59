"""Saddle points of margins: ε, optimal forces, and the multipliers of all constraints.

    maximise ε  subject to  A x + ε N + h = −Sᵀτ,  x ∈ K,  |τ| ≤ limits

N are newtons of normal force at every contact's centre, or another pull. The verdicts' kernel finds
x and the multipliers to the accuracy of an interior-point method,
`kernels/saddle_refinement.py` brings them to rounding; where these do not answer, the conic solver
does.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import ContactError
from ..kernels import compiled
from ..kernels.saddle_refinement import REFINE
from ..kernels.verdict import INFINITE, Found
from ..limits import ContactLimits
from . import problems
from .balance import Balance
from .conic_program import Programs
from .problems import Problems, decided

# what a proof may leave open, in weights: above the rounding at which the kernel ends, far below
# the band in which verdicts are at the edge
PROVEN = 1e-8
_PROVED = np.array([[1.0, 0.0, 1.0, 0.0]])  # a verdict with a margin that is proved


class Multipliers(NamedTuple):
    """A saddle point as far as it is needed to start from, in SI units.

    Attributes:
        unknowns: x (n,) that has the margin [N].
        velocity: (nv,), −dε/dh: a virtual velocity y with Nᵀy + gᵀν = 1, for N what a newton of the
            margin does; against it the robot would fall first.
        whole: ν (r,), of the rows of `ContactLimits.whole_rows`, as they are.
    """

    unknowns: Array
    velocity: Array
    whole: Array


@dataclass(frozen=True, eq=False)
class Saddle:
    """Optimal forces and multipliers of a margin's program.

    Attributes:
        margin: ε [N].
        unknowns: x (n,), as in `Balance`, of what the cones are asked of [N].
        velocity: y = dε/dh (nv,): against it an infeasible robot falls, and one that holds would
            fall first.
        rates: s (n,), the multipliers of the cones, in their duals: what −y and the multipliers of
            the other limits move along x.
        whole: (r,), the multipliers of `ContactLimits.whole_rows`.
        alone: whether no other multipliers do; None: that is not told.
    """

    margin: float
    unknowns: Array
    velocity: Array
    rates: Array
    whole: Array
    alone: bool | None = None

    def friction(self, limits: ContactLimits) -> Array:
        """Return dε/dμ (K, 2) along both tangents of each point [N]."""
        f, z = limits.forces(self.unknowns), limits.forces(self.rates)[:, :2]
        return friction_slopes(f, z, limits.friction, limits.bilateral)

    @property
    def multipliers(self) -> Multipliers:
        """To start from."""
        return Multipliers(self.unknowns, -self.velocity, self.whole)


def friction_slopes(f: Array, z: Array, mu: Array, bilateral: NDArray[np.bool_]) -> Array:
    """Return dε/dμ (…, K, 2) along both tangents of each point: s f_i²/(μ_i³ ‖M⁻¹f_t‖) [N].

    s is the multiplier of ‖M⁻¹f_t‖ ≤ f_n. As z_i = −s f_i/(μ_i² ‖M⁻¹f_t‖) are the rates it is
    −z_i f_i/μ_i. Along a tangent without friction f_i is zero and the slope to the right is
    |z_i| √(f_n² − (f_j/μ_j)²), along two ‖z_t‖ f_n for both.

    Args:
        f: (…, K, 3), forces.
        z: (…, K, 2), tangential parts of the rates.
        mu: (…, K, 2); bilateral: (K,).
    """
    limited = np.isfinite(mu) & ~bilateral[:, None]
    smooth = limited & (mu == 0)  # the formula divides by μ: the limit from the right is taken
    used = np.divide(f[..., :2], mu, out=np.zeros_like(z), where=limited & ~smooth)
    slopes = -z * used
    if smooth.any():
        # forces on the cone's boundary leave −ε of rounding under the root
        left = np.sqrt(np.maximum(f[..., 2] ** 2 - (used**2).sum(axis=-1), 0.0))
        length = np.linalg.norm(z, axis=-1)
        share = np.abs(z) / np.where(length > 0, length, 1.0)[..., None]
        both = share**2 * (length * f[..., 2])[..., None]
        one = np.abs(z) * left[..., None]
        right = np.where(smooth.all(axis=-1)[..., None], both, one)
        slopes = np.where(smooth, right, slopes)
    return slopes


def saddle_point(
    balance: Balance, pull: Array | None = None, near: Multipliers | None = None
) -> Saddle:
    """Return the margin with its multipliers: the largest ε that A x + ε N + h = 0 allows.

    Args:
        balance: of h by A x.
        pull: N (nv,), what a unit of ε does to the robot; a normal force at every contact's centre,
            which upper bounds count too, if not given.
        near: the saddle point to the accuracy of verdicts, or that of a similar balance.

    Raises:
        ContactError: the margin is infinite.
    """
    problem = balance.problem
    if not balance.layout.known:
        return by_conic_solver(balance, pull)
    if problem is None or REFINE.select(1) is None:
        return _uncompiled(balance, pull)
    found = solved(problem if pull is None else problem.pulled(pull[None]), near, exact=True)
    return by_conic_solver(balance, pull) if found is None else found


def solved(
    problem: Problems, near: Multipliers | None = None, exact: bool = False
) -> Saddle | None:
    """Return the saddle point of one problem by the kernels; None where it is not proved.

    Args:
        problem: of which contacts.
        near: where to start from; then to rounding.
        exact: to rounding, or as exact as verdicts are.
    """
    refine = REFINE.select(1) if exact or near is not None else None
    if refine is not None and near is not None:
        found = refined(problem, refine, *problem.start(*near))
        if found is not None:
            return found
    kernels = compiled.select(1)
    if kernels is None or (exact and refine is None):
        return None
    answer = decided(kernels.verdicts, problem.program, problem.layout.sizes)
    _, margin, proved, _ = answer.verdict[0].tolist()
    if not proved or abs(margin) >= INFINITE:
        return None
    f, y, nu = answer.forces[0], answer.y[0], answer.nu[0]
    return (
        _read(problem, margin, f, y, nu) if refine is None else refined(problem, refine, f, y, nu)
    )


def refined(problem: Problems, kernel: Any, f: Array, y: Array, nu: Array) -> Saddle | None:
    """Return the saddle point of one problem to rounding; None where it is not proved.

    Args:
        problem: of which f (D K,), y (m,), nu (R,) are about the forces and multipliers. They are
            overwritten.
        kernel: `kernels.saddle_refinement.refine`, compiled or not.
    """
    found = Found(_PROVED.copy(), f[None], y[None], nu[None], np.empty((1, len(f))))
    proofs = problems.refined(kernel, problem.program, problem.layout.sizes, found)
    margin, left, alone = proofs[0].tolist()
    return _read(problem, margin, f, y, nu, alone > 0) if left <= PROVEN else None


def _read(
    problem: Problems, margin: float, f: Array, y: Array, nu: Array, alone: bool | None = None
) -> Saddle:
    layout, (m, D, K, R) = problem.layout, problem.layout.sizes
    A, G = problem.program.A.reshape(m, D * K), problem.program.G.reshape(R, D * K)
    x, rates = f[layout.entries] * layout.weight, (y @ A + nu @ G)[layout.entries]
    velocity, whole = -problem.velocity(y, nu), problem.of_whole(nu)
    return Saddle(margin * layout.weight, x, velocity, rates, whole, alone)


def _uncompiled(balance: Balance, pull: Array | None) -> Saddle:
    """The conic solver's answer brought to rounding; its time counts as what kernels would save."""
    with ExitStack() as stack:
        for kernel in (compiled.VERDICT, compiled.COLUMNS, compiled.SCALE, REFINE):
            stack.enter_context(kernel.uncompiled(1))
        found = by_conic_solver(balance, pull)
        problem = balance.scaled_problem(compiled.SCALE.function)
        problem = problem if pull is None else problem.pulled(pull[None])
        return refined(problem, REFINE.function, *problem.start(*found.multipliers)) or found


def by_conic_solver(balance: Balance, pull: Array | None = None) -> Saddle:
    """Return the same by the conic solver."""
    given = Programs.of(balance) if pull is None else Programs.besides(balance, pull[:, None])
    answer, whole = given.saddle()
    if answer.unknowns is None or answer.velocity is None:
        raise ContactError(
            f"hold: got a margin of {answer.value} N, expected a finite one: there is no slope"
        )
    rates = answer.velocity @ balance.columns + whole @ balance.limits.whole_rows.A
    return Saddle(answer.value, answer.unknowns, -answer.velocity, rates, whole)
