"""The gradient of the power yᵀτ of inverse dynamics in many states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...reprs import shapes
from ...robots.configuration import check_velocity
from ...robots.robot import Robot
from ..derivatives import inverse_dynamics_derivatives
from ..kernels.body_table import body_and_place
from ..kernels.rnea_gradient import Loads, inverse_dynamics_gradient_rows
from ..link_forces import LinkPlaces
from ..state import State
from ..topology import require_fixed_axes
from ..wrench import Wrench
from .running import as_rows, run_bound
from .term import BoundTerm, Term


class PowerGradient(NamedTuple):
    """The gradient of a power yᵀτ, each (N, nv).

    Attributes:
        q: along tangent directions.
        v, a: along velocities and accelerations.
    """

    q: Array
    v: Array
    a: Array

    def __repr__(self) -> str:
        return shapes(self)


def inverse_dynamics_gradient(
    robot: Robot,
    Q: ArrayLike,
    V: ArrayLike,
    A: ArrayLike,
    Y: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
    threads: int = 1,
) -> PowerGradient:
    """Return yᵀ ∂τ/∂q, yᵀ ∂τ/∂v and yᵀ ∂τ/∂a (= M y) of each row, for inverse dynamics τ.

    Products of a vector and the matrices of `dynamics.inverse_dynamics_derivatives`, without these:
    the adjoint of recursive Newton-Euler, as long as the tree.

    Args:
        robot: the robot.
        Q: configurations (N, nq).
        V: velocities (N, nv).
        A: accelerations (N, nv).
        Y: vectors (N, nv).
        wrenches: {frame: Wrench}, the same for all, as for `dynamics.inverse_dynamics`. Those in
            world axes stay as they are while q changes, at a point of the link or of the world.
        threads: how many share the rows.

    Raises:
        ConfigurationError: a bad value, with its row, or a wrench in the axes of a third frame.
        ModelError: a joint whose axes turn within its own body.
    """
    places, numbers = LinkPlaces.of(robot, wrenches)
    Q = as_rows(Q, robot.nq, "Q")
    W = np.tile(numbers.reshape(1, -1), (len(Q), 1))
    return with_loads(robot, (Q, V, A), Y, places, W, threads)[0]


def with_loads(
    robot: Robot,
    motion: tuple[ArrayLike, ArrayLike, ArrayLike],
    Y: ArrayLike,
    places: LinkPlaces,
    W: Array,
    threads: int = 1,
) -> tuple[PowerGradient, Array]:
    """Return the same for forces W (N, 6 L) on links, and the twists (N, L, 6) they work along.

    The motion is Q, V and A.
    """
    require_fixed_axes(robot)
    nv, L = robot.nv, len(places.joints)

    def single(robot: Robot, q: Array, v: Array, a: Array, y: Array, w: Array) -> Array:
        state, y = State(robot, q, v), check_velocity(robot, y, "Y")
        found, forces = inverse_dynamics_derivatives(robot, state, None, a), places.forces(state, w)
        dq = y @ (found.dq - forces.derivative(state))
        return np.concatenate([dq, y @ found.dv, y @ found.da, places.twists(state, y).ravel()])

    term = Term(
        inverse_dynamics_gradient_rows,
        single,
        ("Q", "V", "A", "Y", "W"),
        (3 * nv + 6 * L,),
        lambda robot: (_tables(robot, places),),
        widths={"Y": nv, "W": 6 * L},
    )
    found = run_bound(robot, BoundTerm(robot, term), (*motion, Y, W), None, threads)
    parts: Any = np.split(found[:, : 3 * nv], 3, axis=1)
    return PowerGradient(*parts), found[:, 3 * nv :].reshape(len(found), L, 6)


def _tables(robot: Robot, places: LinkPlaces) -> Loads:
    """Where forces act, in the axes of the kernels' bodies."""
    rows = zip(places.joints.tolist(), places.frames, strict=True)
    found = [body_and_place(robot, joint, frame) for joint, frame in rows]
    loads = Loads(
        np.array([body for body, _ in found], dtype=np.int64),
        np.array(places.stays, dtype=np.int64),
        np.array([place for _, place in found]).reshape(-1, 12),
    )
    for array in loads:  # kernels only read them
        array.setflags(write=False)
    return loads
