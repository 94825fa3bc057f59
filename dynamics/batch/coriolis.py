"""Coriolis matrices and tensors of many states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ModelError
from ...robots.robot import Robot
from .. import coriolis
from ..kernels import coriolis_chains as kernels
from ..kernels.body_table import ball_joints, unknown_joints, velocity_chains
from ..kernels.coriolis_matrix import coriolis_matrix_rows
from ..per_robot import per_robot
from ..topology import require_fixed_axes
from .running import run
from .term import Term


def coriolis_matrix(
    robot: Robot, Q: ArrayLike, V: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return C @ v (N, nv, nv) of each row: (C @ v) @ v is the force vᵀCv.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: a joint whose axes turn within its own body.
    """
    return run(robot, _MATRIX, (Q, V), out, threads)


def coriolis_tensor(
    robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return C (N, nv, nv, nv) of each row, as `dynamics.coriolis_tensor`.

    That is 440 kB a row for a humanoid, and mostly zeros and copies: `coriolis_chains` has the same
    in a thirteenth of the numbers, `coriolis_matrix` the product with v.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: a joint whose axes turn within its own body.
    """
    return run(robot, _TENSOR, (Q,), out, threads)


@dataclass(frozen=True, eq=False)
class CoriolisChains:
    """The Coriolis tensors of N states in the numbers that matter.

    Attributes:
        robot: whose.
        squares: (N, entries): of a floating base the block C[:6, :6, :6], then of each joint t the
            square X[b, a] = C[a, t, b] over the velocities a, b of its chain.
    """

    robot: Robot
    squares: Array

    def __len__(self) -> int:
        return len(self.squares)

    def tensor(self, row: int) -> Array:
        """Return C (nv, nv, nv) of one row."""
        robot, X = self.robot, self.squares[row]
        C, base = np.zeros((robot.nv,) * 3), 6 if robot.is_floating else 0
        C[:base, :base, :base] = X[: base**3].reshape(base, base, base)
        chains, starts = _chains(robot)
        at = base**3
        for first, last in pairwise(starts):
            chain, t = chains[first:last], chains[last - 1]
            d = len(chain)
            square = X[at : at + d * d].reshape(d, d)
            C[np.ix_(chain, [t], chain)] = square.T[:, None, :]
            C[np.ix_(chain, chain, [t])] = square.T[:, :, None]
            b, a = np.indices((d - 1, d - 1))
            earlier = (b <= a) | ((a < base) & (b < base))
            own = -np.where(earlier, square[:-1, :-1], square[:-1, :-1].T)
            C[np.ix_([t], chain[:-1], chain[:-1])] = own.T[None]
            at += d * d
        return C


def coriolis_chains(
    robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1
) -> CoriolisChains:
    """Return the Coriolis tensors of each row, in their sparse form.

    Args:
        robot: of hinges and sliders, with a fixed or a floating base.
        Q: configurations (N, nq).
        out: the `squares` of an earlier answer, to be written over; None: a new array.
        threads: how many share the rows.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: joints of other kinds.
    """
    if names := unknown_joints(robot) + ball_joints(robot):
        raise ModelError(
            f"{robot.name!r}: joints {', '.join(map(repr, names))}; expected hinges and sliders "
            "(on a free flyer, or none). coriolis_tensor holds for every robot"
        )
    return CoriolisChains(robot, run(robot, _CHAINS, (Q,), out, threads))


def _squares(robot: Robot, q: Any) -> Array:
    """The squares of one state, out of its dense tensor."""
    chains, starts = _chains(robot)
    base = 6 if robot.is_floating else 0
    C = coriolis.coriolis_tensor(robot, q)
    squares = [C[:base, :base, :base].ravel()]
    for first, last in pairwise(starts):
        chain = chains[first:last]
        squares.append(C[np.ix_(chain, [chain[-1]], chain)][:, 0, :].T.ravel())
    return np.concatenate(squares)


@per_robot
def _chains(robot: Robot) -> Any:
    """(chains, starts): chains[starts[i]:starts[i + 1]] are the velocities down to joint i + 1."""
    chains, starts = velocity_chains(robot)
    return chains, starts[1:]  # without the root


def _entries(robot: Robot) -> int:
    """How many numbers a row of squares has."""
    _, starts = _chains(robot)
    return (216 if robot.is_floating else 0) + int((np.diff(starts) ** 2).sum())


_term = partial(Term, requires=require_fixed_axes)
_MATRIX = _term(coriolis_matrix_rows, coriolis.coriolis_matrix, ("Q", "V"), ("V", "V"))
_TENSOR = _term(None, coriolis.coriolis_tensor, ("Q",), ("V", "V", "V"))
_CHAINS = Term(kernels.chain_squares_rows, _squares, ("Q",), (_entries,), tables=_chains)
