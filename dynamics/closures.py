"""Closures in the equations of motion: their rows of a State, and motion that keeps them.

    M a + vᵀCv = Sᵀτ + τ_g + τ_ext + J_cᵀλ,        J_c a + J̇_c v = 0

Of all accelerations that the closures allow, the robot takes the one nearest to that of its tree in
the metric of M (Gauss).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ConfigurationError, ModelError
from ..robots.closures import OPEN, LoopClosure, coupling_law
from ..robots.configuration import check_robot
from ..robots.robot import Robot
from .body_points import BodyPoints
from .per_robot import per_robot
from .projection import Projection
from .spatial import cross
from .topology import carried_by

_RANK = 1e-9  # of singular values: in planar loops the rows across the plane are rounding


def require_no_closures(robot: Robot, what: str) -> None:
    """Refuse a robot with closures where only its tree is known.

    Raises:
        ModelError: it has some.
    """
    if check_robot(robot).closures:
        names = ", ".join(repr(closure.name) for closure in robot.closures[:4])
        raise ModelError(
            f"{what} does not know closures; {robot.name!r} has {len(robot.closures)} ({names}"
            f"{', …' if len(robot.closures) > 4 else ''}). Expected a robot without: "
            "robot.with_closures(()) is its tree alone"
        )


def require_no_ties(robot: Robot, what: str) -> None:
    """Refuse a robot that closures tie to the world, where contacts alone are known to hold it.

    Raises:
        ModelError: which closure does.
    """
    if tied := ties(robot):
        raise ModelError(
            f"{what} knows the forces of contacts alone; the closure {tied[0]!r} ties "
            f"{robot.name!r} to the world. Expected closures between its own bodies"
        )


def ties(robot: Robot) -> list[str]:
    """Return the names of the closures that tie a robot to the world."""
    loops = [closure for closure in robot.closures if isinstance(closure, LoopClosure)]
    frames = [(loop.name, loop.frame_1, loop.frame_2) for loop in loops]
    bodies = robot._model.frames
    return [
        name
        for name, *ends in frames
        if any(bodies[robot.frame_id(end)].parentJoint == 0 for end in ends)
    ]


def require_closed(state: Any) -> None:
    """Refuse a configuration in which closures are open by more than a millimetre or milliradian.

    Raises:
        ConfigurationError: which one, and by how much.
    """
    e = state.closure_error
    if len(e) and np.abs(e).max() > OPEN:
        name, by = state.robot._closure_rows.worst(e)
        raise ConfigurationError(
            f"q: the closure {name!r} of {state.robot.name!r} is open by {by:.3g} [m or rad]; "
            "expected a q in which the loops close: robot.close(q)"
        )


def require_motion(state: Any) -> None:
    """Refuse a state in which closures are open, or move apart by more than 1e-6 m/s or rad/s.

    Raises:
        ConfigurationError: which one, and by how much.
    """
    require_closed(state)
    name, by = state.robot._closure_rows.worst(state.closure_jacobian @ state.velocity)
    if by > 1e-6 * max(1.0, float(np.abs(state.velocity).max())):
        raise ConfigurationError(
            f"v: the closure {name!r} of {state.robot.name!r} moves apart at {by:.3g} m/s or rad/s;"
            " expected J_c v = 0: dynamics.closed(robot, q, v)"
        )


@per_robot
def _ends(robot: Robot) -> BodyPoints:
    """The ends of the loops, first and second of each."""
    rows = robot._closure_rows
    return BodyPoints(rows.joints.ravel(), rows.ends[..., :3, 3].reshape(-1, 3))


def jacobian(state: Any) -> Array:
    """Return J_c (m, nv), as `State.closure_jacobian` says."""
    rows = state.robot._closure_rows
    J: Array = rows.jacobian(state.q, state.joint_placements, state.joint_columns)
    return J


def drift(state: Any) -> Array:
    """Return J̇_c v (m,).

    Of end 2 as seen from end 1, with d from end 1 to end 2, in the axes of end 1:
    a_2 − a_1 − α_1 × d − ω_1 × (ω_1 × d) − 2 ω_1 × (v_2 − v_1 − ω_1 × d) and α_2 − α_1 − ω_1 × ω_2.
    """
    robot, rows = state.robot, state.robot._closure_rows
    out, v = np.zeros(rows.dim), state.velocity
    for coupling, row, _, leader in rows.couplings:
        if leader:
            out[row] = -coupling_law(coupling, leader.position(state.q))[2] * v[leader.row] ** 2
    if not rows.loops:
        return out
    T, ends = state.joint_placements, _ends(robot)
    y = ends.accelerations(T, state.joint_motions).reshape(-1, 2, 2, 3)
    places = rows.places(T)
    # the bodies' twists [v; ω], about the world's origin in its axes
    motions = ((carried_by(robot) * v) @ state.joint_columns.T)[rows.joints]
    # from here on (3, K), as `cross` has vectors
    (w_1, w_2), (p_1, p_2) = (
        motions[:, :, 3:].T.swapaxes(0, 1),
        places[:, :, :, 3].transpose(1, 2, 0),
    )
    relative, d = (motions[:, 1] - motions[:, 0]).T, p_2 - p_1
    slip = relative[:3] + cross(relative[3:], p_2)
    (a_1, alpha_1), (a_2, alpha_2) = y.transpose(1, 2, 3, 0)
    turning = cross(alpha_1, d) + cross(w_1, cross(w_1, d) + 2 * slip)
    seen = np.stack([a_2 - a_1 - turning, alpha_2 - alpha_1 - cross(w_1, w_2)]).transpose(2, 0, 1)
    local = seen @ places[:, 0, :, :3]  # rows times R_1
    out[rows.at] = local.reshape(-1)[rows.chosen]
    return out if rows.along is None else np.asarray(rows.along @ out)


def factors(state: Any) -> tuple[Array, Array, Array]:
    """Return U (m, r), s (r,) and B (r, nv), J_c = U diag(s) B of rank r: the singular values."""
    U, s, V = np.linalg.svd(state.closure_jacobian, full_matrices=False)
    r = int((s > _RANK * s.max(initial=0.0)).sum())
    return U[:, :r], s[:r], V[:r]


def independent(state: Any, damping: float = 0.0) -> tuple[Array, Array]:
    """Return B (r, nv) and k (r,), independent rows B a = k of J_c a = −J̇_c v − damping J_c v.

    A generalised force J_cᵀλ is Bᵀ(s Uᵀλ), with U and s of the singular values of J_c.
    """
    U, s, B = state.closure_factors
    wanted = -state.closure_drift - damping * (state.closure_jacobian @ state.velocity)
    return B, (U.T @ wanted) / s


def opposed(state: Any) -> Array:
    """Return orthonormal torques (na, p) that motors exert against each other through closures.

    Those with Sᵀτ = J_cᵀλ for some λ: they move nothing. None where no loop has more motors than
    freedoms.
    """
    robot, B = state.robot, state.closure_basis
    passive = ~robot.selection_matrix.any(axis=0)
    U, s, _ = np.linalg.svd(B[:, passive])
    K = U[:, int((s > _RANK).sum()) :]  # K z: multipliers without a force on passive joints
    return np.asarray(robot.selection_matrix @ B.T @ K)


def acceleration(state: Any, free: Array) -> Array:
    """Return the a (nv,) with J_c a + J̇_c v = 0 nearest to a free one, in the metric of M."""
    projection: Projection = state.closure_projection
    return projection.nearest(free, -state.closure_drift)[0]


def velocity(state: Any, v: Array | None = None) -> Array:
    """Return the velocity (nv,) with J_c v = 0 nearest to v, or to the state's, in the metric of M.

    Without closures v itself.
    """
    v = np.asarray(state.velocity if v is None else v)
    if not state.robot.closures:
        return v
    projection: Projection = state.closure_projection
    return projection.nearest(v, np.zeros(len(projection.J)))[0]


def freedoms(B: Array) -> Array:
    """Return N (nv, nv − r), orthonormal columns: the motions B N = 0 that rows B (r, nv) allow."""
    return np.linalg.svd(B)[2][len(B) :].T


def motor_accelerations(state: Any, wanted: Array) -> Array:
    """Return the a (nv,) that keeps the closures with S a nearest to `wanted` (na,)."""
    B, k = independent(state)
    N, S = freedoms(B), state.robot.selection_matrix
    a = k @ B
    return np.asarray(a + N @ np.linalg.lstsq(S @ N, wanted - S @ a, rcond=_RANK)[0])


def motor_map(state: Any) -> tuple[Array, Array]:
    """Return T (na, nv) and N (nv, k): the least-norm τ = T h with Sᵀτ + J_cᵀλ = h, for some λ.

    In the rows of joints that have a motor or are part of a closure; elsewhere, as in those of a
    floating base, the forces are others'. With N the motions of these joints that closures allow,
    NᵀSᵀτ = Nᵀh: virtual work. h are generalised forces (nv,).
    """
    robot, S = state.robot, state.robot.selection_matrix
    held = np.union1d(robot.actuated_rows, robot._closure_rows.columns)
    own = freedoms(state.closure_basis[:, held])
    N = np.zeros((robot.nv, own.shape[1]))
    N[held] = own
    return np.linalg.pinv((S @ N).T, rcond=_RANK) @ N.T, N


def motor_torques(state: Any, generalised: Array) -> Array:
    """Return the least-norm τ (na,) with Sᵀτ + J_cᵀλ = generalised forces (nv,), see `motor_map`.

    Raises:
        ConfigurationError: the motors cannot exert them.
    """
    robot, (T, N) = state.robot, motor_map(state)
    tau = T @ generalised
    left = np.abs(N @ (N.T @ (robot.selection_matrix.T @ tau - generalised)))
    if left.max(initial=0.0) > 1e-7 * (1.0 + np.abs(generalised[N.any(axis=1)]).max(initial=0.0)):
        joint = robot.joint_of_row[int(left.argmax())]
        raise ConfigurationError(
            f"{robot.name!r}: its motors cannot balance the forces on its closures; at this q "
            f"{joint!r} lacks {left.max():.3g} N·m or N. Expected motors for all that its loops "
            "can do, and loops away from their dead centres"
        )
    return np.asarray(tau)


def forces(state: Any, generalised: Array) -> dict[str, Array]:
    """Return {closure: λ (dim,)} with J_cᵀλ = generalised forces (nv,); the least-norm λ.

    Where no λ gives them, the nearest.
    """
    slices, given = state.robot._closure_rows.slices, multipliers(state, generalised)
    names = [closure.name for closure in state.robot.closures]
    return {name: given[rows] for name, rows in zip(names, slices, strict=True)}


def multipliers(state: Any, generalised: Array) -> Array:
    """Return the least-norm λ (m,) with J_cᵀλ = generalised forces (nv,), or nearest to them."""
    return np.asarray(np.linalg.lstsq(state.closure_jacobian.T, generalised, rcond=_RANK)[0])


def close(state: Any) -> tuple[Array, Array]:
    """Return (q, v) near a state with e(q) = 0 and J_c v = 0.

    q by `Robot.close`, from the joints without a motor; v is the nearest in the metric of M.

    Raises:
        ConfigurationError: the loops do not close near q.
    """
    there = type(state)(state.robot, state.robot.close(state.q))
    return there.q.copy(), velocity(there, state.velocity).copy()
