"""The equations of motion of many states: the names of `dynamics`, a state a row."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.robot import Robot
from ...robots.values import one_of
from .. import equations
from ..closures import require_no_closures
from ..kernels import aba, crba, gravity, rnea
from ..kernels.scalars import LANES
from .running import run
from .term import Term

Layout = Literal["rows", "lanes"]


def _actuated(robot: Robot) -> tuple[Any, ...]:
    """The rows of v with a motor (na,)."""
    return (robot.actuated_rows.astype(np.int64),)


_INVERSE_DYNAMICS = Term(
    rnea.inverse_dynamics_rows, equations.inverse_dynamics, ("Q", "V", "A"), ("V",)
)
_BIAS = Term(rnea.bias_rows, equations.bias, ("Q", "V"), ("V",))
_GRAVITY = Term(gravity.gravity_torques_rows, equations.gravity_torques, ("Q",), ("V",))
_SQUARE = "V", "V"
_MASS_MATRIX = {
    "rows": Term(crba.mass_matrix_rows, equations.mass_matrix, ("Q",), _SQUARE),
    "lanes": Term(crba.mass_matrix_lanes, equations.mass_matrix, ("Q",), _SQUARE, in_lanes=True),
}
_FORWARD_DYNAMICS = Term(
    aba.forward_dynamics_rows,
    equations.forward_dynamics,
    ("Q", "V", "tau"),
    ("V",),
    tables=_actuated,
)


def inverse_dynamics(
    robot: Robot,
    Q: ArrayLike,
    V: ArrayLike,
    A: ArrayLike,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Return M a + vᵀC v − τ_g (N, nv) of each row. Recursive Newton-Euler.

    Args:
        robot: the robot.
        Q: configurations (N, nq).
        V: velocities (N, nv).
        A: accelerations (N, nv).
        out: where to put it, (N, nv); None: a new array.
        threads: how many share the rows.

    Raises:
        ConfigurationError: a bad value, with its row; the rows of `out` are then undefined.
    """
    return run(robot, _INVERSE_DYNAMICS, (Q, V, A), out, threads)


def bias(
    robot: Robot, Q: ArrayLike, V: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return b = vᵀC(q)v − τ_g(q) (N, nv) of each row, the torques that keep a = 0.

    Raises:
        ConfigurationError: a bad value, with its row.
    """
    return run(robot, _BIAS, (Q, V), out, threads)


def gravity_torques(
    robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return τ_g = m J_comᵀ g (N, nv) of each row, on the right-hand side.

    Raises:
        ConfigurationError: a bad value, with its row.
    """
    return run(robot, _GRAVITY, (Q,), out, threads)


def mass_matrix(
    robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1, layout: Layout = "rows"
) -> Array:
    """Return M (N, nv, nv) of each row, both halves filled. Composite rigid bodies.

    Writing N full matrices takes longer than reckoning them: reuse `out`, and where what follows
    can read it, ask for layout="lanes": (ceil(N/8), nv, nv, 8), the matrix of row 8 i + k being
    M[i, :, :, k] (`from_lanes` turns it into rows).

    Args:
        robot: the robot.
        Q: configurations (N, nq).
        out: where to put it; None: a new array. In lanes: zeros, or an earlier answer *for the same
            robot* (entries off a branch are not written).
        threads: how many share the rows.
        layout: "rows" or "lanes".

    Raises:
        ConfigurationError: a bad value, with its row, or another layout.
    """
    return run(robot, _MASS_MATRIX[one_of(layout, "layout", _MASS_MATRIX)], (Q,), out, threads)


def from_lanes(blocks: ArrayLike, count: int) -> Array:
    """Return (N, …) of an array in lanes, (ceil(N/8), …, 8), for N = count."""
    blocks = np.asarray(blocks, dtype=float)
    if blocks.ndim < 2 or blocks.shape[-1] != LANES or not 0 <= count <= LANES * len(blocks):
        raise ConfigurationError(
            f"blocks: got shape {blocks.shape} for {count} rows; expected (ceil(N/8), …, {LANES})"
        )
    rows = np.moveaxis(blocks, -1, 1)
    return np.ascontiguousarray(rows.reshape(LANES * len(rows), *rows.shape[2:])[:count])


def forward_dynamics(
    robot: Robot,
    Q: ArrayLike,
    V: ArrayLike,
    tau: ArrayLike,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Return a = M⁻¹ (Sᵀτ + τ_g − vᵀC v) (N, nv) of each row, without contacts. Articulated bodies.

    Args:
        robot: the robot.
        Q: configurations (N, nq).
        V: velocities (N, nv).
        tau: actuated torques (N, na).
        out: where to put it, (N, nv); None: a new array.
        threads: how many share the rows.

    Raises:
        ConfigurationError: a bad value, with its row.
        ModelError: M is singular in some row, or the robot has closures.
    """
    require_no_closures(robot, "batch.forward_dynamics")
    return run(robot, _FORWARD_DYNAMICS, (Q, V, tau), out, threads)
