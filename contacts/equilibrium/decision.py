"""The verdict: balances and limits to status, margin, forces or a certificate, for one or many.

The kernel (`kernels/verdict.py`) answers with proofs; what it does not know (hand holds, cones
without end, closures), or leaves open, is answered by the conic solver, one problem at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...dynamics.kernels.toolchain import warn_without_kernels
from ...dynamics.state import State
from ...progress import progress_bar
from ..conic_solver import Solution
from ..contact_set import ContactSet
from ..kernels import compiled
from ..kernels.state_program import Answer
from ..kernels.verdict import MARGIN, STRICT, VERDICT
from ..torque_limits import TorqueBounds
from .balance import layout_of
from .balances import Balances
from .conic_verdict import conic_verdict
from .problems import Layout, Problems, decided, in_newtons
from .programs import Equilibrium
from .saddle import Multipliers
from .states import contact_frames
from .torque_margins import torque_margins
from .verdicts import Verdicts

KERNEL = "kernel"  # `Hold.solver` of verdicts by compiled kernels


class KernelVerdict(NamedTuple):
    """What the kernel proves about one state.

    Attributes:
        feasible: 1 holds, 0 does not, −1 not decided.
        margin: ε [N], ∓inf where no pull helps, or squeezing has no end.
        residual: of the equations of motion, where it holds [N, N·m].
        answer: forces, torques and multipliers.
        problem: the scaled problem.
    """

    feasible: int
    margin: float
    residual: float
    answer: Answer
    problem: Problems

    def suffices_for(self, objective: str) -> bool:
        """Whether nothing is left to ask for the forces of this objective."""
        return self.feasible == 0 or (self.feasible == 1 and objective == "least_norm")

    @property
    def certificate(self) -> Array | None:
        """(nv,), ‖y‖ = 1, along which it falls, where it does not hold."""
        y = self.answer.velocity
        return None if self.feasible else y / np.sqrt(y @ y)  # a proof at any length

    @property
    def multipliers(self) -> Multipliers | None:
        """Of the margin, where it is finite."""
        if abs(self.margin) == np.inf:
            return None
        return Multipliers(self.answer.critical, self.answer.velocity, self.answer.whole)

    @property
    def solution(self) -> Solution:
        """The margin, as the conic solver would answer."""
        status = {-np.inf: "infeasible", np.inf: "unbounded"}.get(self.margin, "optimal")
        return Solution(status, self.margin, velocity=self.answer.velocity)


def knows(contacts: ContactSet, torque_limits: TorqueBounds) -> bool:
    """Whether the kernel knows these contacts, of a robot without closures."""
    return not contacts.robot.closures and layout_of(contacts, torque_limits).known


def kernel_verdict(
    contacts: ContactSet, state: State, load: Array, torque_limits: TorqueBounds
) -> KernelVerdict | None:
    """Return what the kernel proves; None where it does not, or is not there yet."""
    layout = layout_of(contacts, torque_limits)
    kernels = compiled.select_of_state() if knows(contacts, torque_limits) else None
    if kernels is None:
        return None
    write_program, decide_one, write_answer = kernels
    frames, constants, work = contact_frames(contacts), layout.constants, layout.workspace()
    program, answer = layout.program(), layout.answer()
    shared = frames, constants, work, program, answer
    placed = state.joint_columns, state.joint_placements
    load = torque_limits.shifted(contacts.robot, load)
    write_program(*placed, load, torque_limits.rows, *shared)
    # the kernel's Newton method for least-norm forces takes circular cones only
    mode = VERDICT if layout.circular else MARGIN
    decide_one(program, mode, layout.sizes, work.found, 0, 1, work.memory)
    write_answer(load, *shared)
    feasible, margin, proof, _, residual = answer.numbers.tolist()
    if not torque_limits.symmetric:
        answer.torques[:] += torque_limits.middle
    # rows that contradict each other by rounding alone: no margin, but no motion that falls either
    if not proof or (margin == -np.inf and feasible != 0):
        return None
    return KernelVerdict(int(feasible), margin, residual, answer, Problems(layout, program))


# --- many ----------------------------------------------------------------------------------------

_NEAR = 150_000  # entries of A, of all problems that are solved at a time: they fit the cache


class Wanted(NamedTuple):
    """What is asked besides the verdict: the margin, the torque margin."""

    margin: bool = True
    torque_margin: bool = False


MARGINS = Wanted()


def decide(balances: Balances, threads: int = 1, wanted: Wanted = MARGINS) -> Verdicts:
    """Return the verdicts on many balances: by the kernel, and one by one what it leaves.

    Args:
        balances: to decide about.
        threads: that share the work.
        wanted: margins or not.
    """
    first, count, layout = balances.first, len(balances), balances.first.layout
    known = balances.known()
    sizes = count, first.limits.point_count, len(first.load), len(first.actuated)
    out = Verdicts.allocate(*sizes)

    def answer(start: int, stop: int) -> None:
        chunk, answers = balances.part(start, stop), out.part(start, stop)
        # by the problems still to come: compiling may pay for the batch, if not for a piece
        kernels = kernels_for(count - start) if known else None
        if kernels is not None:
            _write_by_kernel(kernels, chunk, layout, answers, wanted)
        with compiled.by_the_solver(stop - start, counts=known and kernels is None):
            for i in np.flatnonzero(~answers.compiled).tolist():
                _write_by_solver(chunk.at(i), answers, i, wanted)

    in_pieces(balances, threads, "verdicts", answer)
    return out


def in_pieces(
    balances: Balances, threads: int, unit: str, answer: Callable[[int, int], None]
) -> None:
    """Call answer(start, stop) for pieces of some balances that stay in the cache.

    At least one a thread, of about equal size; with a bar that tells how many `unit` are done.
    """
    count = len(balances)
    if not count:
        return
    most = max(_NEAR // max(balances.first.columns.size, 1), 1)
    pieces = -(-count // min(most, -(-count // threads)))
    ends = np.linspace(0, count, pieces + 1).astype(int).tolist()
    with progress_bar(total=count, unit=f" {unit}", delay=1.0) as bar:

        def answered(start: int, stop: int) -> None:
            answer(start, stop)
            bar.update(stop - start)

        if threads == 1 or pieces == 1:
            for start, stop in pairwise(ends):
                answered(start, stop)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(answered, ends[:-1], ends[1:]))


def kernels_for(count: int) -> Any:
    """The kernels for so many problems; None where the conic solver is sooner, or without Numba."""
    instead = "the conic solver decides batches one by one"
    if warn_without_kernels(instead, "some fifty times"):
        return None
    return compiled.select(max(count, 2))  # 1 would select the kernel for single problems


def _write_by_kernel(
    kernels: Any, balances: Balances, layout: Layout, answers: Verdicts, wanted: Wanted
) -> None:
    """Write the answers of the kernel; those it leaves stay as they are."""
    columns, problems = balances.problems(layout, kernels)
    mode = MARGIN if not balances.circular() else VERDICT if wanted.margin else STRICT
    found = decided(kernels.verdicts, problems.program, layout.sizes, mode)
    feasible, epsilon, proof, residual = found.verdict.T
    answers.feasible[:], answers.residual[:] = feasible, residual
    # a verdict may be proved where its margin is not: then the conic solver computes both anew
    answers.compiled[:] = (feasible >= 0) & ((proof > 0) | (not wanted.margin))
    if wanted.margin:
        answers.margin[:] = in_newtons(epsilon, layout.weight)
    holds, falls, K = feasible == 1, feasible == 0, layout.limits.point_count
    x = found.least[holds][:, layout.entries[: 3 * K]] * layout.weight
    answers.forces[holds] = x.reshape(-1, K, 3)
    those, h = (a if len(a) == 1 else a[holds] for a in (columns, balances.loads))
    answers.torques[holds] = layout.torques(those, h, found.least[holds])
    y = problems.velocity(found.y[falls], found.nu[falls])
    answers.velocity[falls] = y / np.linalg.norm(y, axis=1, keepdims=True)
    answers.clear(~answers.compiled)  # nothing without a proof is kept
    if wanted.torque_margin:
        limited = np.isfinite(balances.torque_limits).any(axis=1) & np.ones(len(balances), bool)
        given = kernels.verdicts, problems, limited, lambda i: balances.at(i).torque_margin().value
        answers.torque_margin[:] = np.where(answers.compiled, torque_margins(*given), np.nan)


def _write_by_solver(balance: Equilibrium, answers: Verdicts, i: int, wanted: Wanted) -> None:
    """Write one answer of the conic solver."""
    found = conic_verdict(balance)
    answers.margin[i] = found.margin if wanted.margin else np.nan
    answers.feasible[i] = -1 if found.feasible is None else int(found.feasible)
    answers.unsolved[i] = found.status == "unsolved"
    answers.residual[i] = found.residual(balance)
    if found.unknowns is not None:
        answers.forces[i] = balance.limits.forces(found.unknowns)
        answers.torques[i] = balance.torques(found.unknowns)
    if found.velocity is not None:
        answers.velocity[i] = found.velocity
    if wanted.torque_margin:
        limited = np.isfinite(balance.torque_limits).any()
        answers.torque_margin[i] = balance.torque_margin().value if limited else np.inf
