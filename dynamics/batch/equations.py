"""The equations of motion of many states: the names of `dynamics`, a state a row."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ConfigurationError, unknown
from ...robots.robot import Robot
from .. import equations
from ..kernels import aba, crba, gravity, rnea
from ..kernels.scalars import LANES
from ..per_robot import per_robot
from .running import Array, Work, run

Layout = Literal["rows", "lanes"]


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
    work = Work(
        rnea.inverse_dynamics_rows, lambda q, v, a: equations.inverse_dynamics(robot, q, v, a)
    )
    values = ("Q", Q, robot.nq), ("V", V, robot.nv), ("A", A, robot.nv)
    return run(robot, work, values, (robot.nv,), out, threads)


def bias(
    robot: Robot, Q: ArrayLike, V: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return b = vᵀC(q)v − τ_g(q) (N, nv) of each row, the torques that keep a = 0.

    Raises:
        ConfigurationError: a bad value, with its row.
    """
    work = Work(rnea.bias_rows, lambda q, v: equations.bias(robot, q, v))
    values = ("Q", Q, robot.nq), ("V", V, robot.nv)
    return run(robot, work, values, (robot.nv,), out, threads)


def gravity_torques(
    robot: Robot, Q: ArrayLike, out: Array | None = None, threads: int = 1
) -> Array:
    """Return τ_g = m J_comᵀ g (N, nv) of each row, on the right-hand side.

    Raises:
        ConfigurationError: a bad value, with its row.
    """
    work = Work(gravity.gravity_torques_rows, lambda q: equations.gravity_torques(robot, q))
    return run(robot, work, [("Q", Q, robot.nq)], (robot.nv,), out, threads)


def mass_matrix(
    robot: Robot,
    Q: ArrayLike,
    out: Array | None = None,
    threads: int = 1,
    layout: Layout = "rows",
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
    kernels = {"rows": crba.mass_matrix_rows, "lanes": crba.mass_matrix_lanes}
    if layout not in kernels:
        raise ConfigurationError(unknown("layout", layout, kernels))
    single = lambda q: equations.mass_matrix(robot, q)  # noqa: E731
    work = Work(kernels[layout], single, in_lanes=layout == "lanes")
    return run(robot, work, [("Q", Q, robot.nq)], (robot.nv, robot.nv), out, threads)


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
        ModelError: M is singular in some row.
    """

    def single(q: Any, v: Any, t: Any) -> Any:
        return equations.forward_dynamics(robot, q, v, t)

    work = Work(aba.forward_dynamics_rows, single, (_actuated(robot),))
    values = ("Q", Q, robot.nq), ("V", V, robot.nv), ("tau", tau, robot.na)
    return run(robot, work, values, (robot.nv,), out, threads)


@per_robot
def _actuated(robot: Robot) -> Any:
    """The rows of v with a motor (na,)."""
    return np.flatnonzero(robot.selection_matrix.any(axis=0)).astype(np.int64)
