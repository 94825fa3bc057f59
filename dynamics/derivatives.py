"""Derivatives of the dynamics with respect to q, v, a and τ.

Derivatives with respect to q are along tangent directions, those of `Robot.integrate`:
∂f/∂q [:, k] = d/dt f(q ⊕ t e_k). They are analytic (Pinocchio's), not differences.
Source: J. Carpentier, N. Mansard, "Analytical derivatives of rigid body dynamics algorithms"
(2018).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError
from ..reprs import shapes
from ..robots.configuration import check_velocity
from ..robots.robot import Robot
from .closures import require_no_closures
from .free_armature import centrifugal_derivative
from .loads import check_wrenches
from .spatial import skew
from .state import State
from .topology import require_depth_first, require_fixed_axes
from .workspace import workspace_of
from .wrench import Wrench


class InverseDerivatives(NamedTuple):
    """∂/∂q, ∂/∂v and ∂/∂a (which is M) of the torques of inverse dynamics, each (nv, nv)."""

    dq: Array
    dv: Array
    da: Array

    def __repr__(self) -> str:
        return shapes(self)


class ForwardDerivatives(NamedTuple):
    """∂/∂q, ∂/∂v (nv, nv) and ∂/∂τ (nv, na) of the acceleration of forward dynamics."""

    dq: Array
    dv: Array
    dtau: Array

    def __repr__(self) -> str:
        return shapes(self)


def inverse_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    a: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
) -> InverseDerivatives:
    """Return the derivatives of `inverse_dynamics(robot, q, v, a, wrenches)`.

    Raises:
        ConfigurationError: a bad q, v or a, no such frame, or a value that is no `Wrench`.
        ModelError: a joint whose axes turn within its own body, or branches that are not numbered
            one after the other (no URDF has either).
    """
    require_fixed_axes(robot)
    require_depth_first(robot)
    state, a = State.of(robot, q, v), check_velocity(robot, a, "a")
    data = workspace_of(robot).data
    found = pin.computeRNEADerivatives(robot._model, data, state.q, state.velocity, a)
    dq, dv, da = (np.array(d, order="C") for d in found)
    da = np.triu(da) + np.triu(da, 1).T
    dv += centrifugal_derivative(robot, state.velocity)
    if wrenches:
        dq -= external_torques_derivative(robot, state, wrenches)
    return InverseDerivatives(dq, dv, da)


def forward_dynamics_derivatives(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    tau: ArrayLike,
    wrenches: Mapping[str, Wrench] | None = None,
) -> ForwardDerivatives:
    """Return the derivatives of `forward_dynamics(robot, q, v, tau, wrenches)`.

    From those of inverse dynamics at the same motion: ∂a = −M⁻¹ ∂(inverse dynamics).

    Raises:
        ConfigurationError: a bad q, v or τ, no such frame, or a value that is no `Wrench`.
        ModelError: a singular M, a joint whose axes turn within its own body, or closures.
    """
    require_no_closures(robot, "forward_dynamics_derivatives")
    state = State.of(robot, q, v)
    a = state.forward_dynamics(tau, wrenches)
    inverse = inverse_dynamics_derivatives(robot, state, None, a, wrenches)
    columns = np.hstack([-inverse.dq, -inverse.dv, robot.selection_matrix.T])
    solved = np.linalg.solve(inverse.da, columns)
    return ForwardDerivatives(*np.split(solved, [robot.nv, 2 * robot.nv], axis=1))


def gravity_torques_derivative(robot: Robot, q: ArrayLike | State) -> Array:
    """Return ∂τ_g/∂q (nv, nv): minus the stiffness of gravity.

    Raises:
        ConfigurationError: a bad q.
        ModelError: a joint whose axes turn within its own body, or branches that are not numbered
            one after the other (no URDF has either).
    """
    require_fixed_axes(robot)
    require_depth_first(robot)
    q, data = State.of(robot, q).q, workspace_of(robot).data
    return -np.array(pin.computeGeneralizedGravityDerivatives(robot._model, data, q), order="C")


def external_torques_derivative(
    robot: Robot, q: ArrayLike | State, wrenches: Mapping[str, Wrench]
) -> Array:
    """Return ∂τ_ext/∂q (nv, nv) for {frame: Wrench} whose numbers stay as they are.

    A contact force f at a frame has ∂(Jᵀf)/∂q = Σ_r H[r]·f[r]. A world wrench with a point stays at
    that point of the world; a wrench in "local" axes turns and moves with the frame.

    Raises:
        ConfigurationError: a bad q, no such frame, no `Wrench`, or axes of a third frame.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    check_wrenches(robot, wrenches)
    state = State.of(robot, q)
    total = np.zeros((robot.nv, robot.nv))
    for frame, wrench in wrenches.items():
        J = state.frame_jacobian(frame)
        T_world_frame = state.frame_placement(frame)
        w, dw = _wrench_at_origin(frame, wrench, T_world_frame, J)
        total += np.einsum("rjk,r->jk", state.frame_hessian(frame), w) + J.T @ dw
    return total


def _wrench_at_origin(
    frame: str, wrench: Wrench, T_world_frame: pin.SE3, J: Array
) -> tuple[Array, Array]:
    """Return (w, ∂w): [f; m] (6,) at the frame's origin, world axes, and its derivative (6, nv)."""
    R, origin = T_world_frame.rotation, T_world_frame.translation
    if wrench.axes == "world":
        f, m, df = wrench.force, wrench.moment, np.zeros((3, J.shape[1]))
        dm = np.zeros_like(df)
        if wrench.point is not None:  # m + (p − o) × f, and the origin o moves
            m, dm = m + np.cross(wrench.point - origin, f), skew(f) @ J[:3]
    elif wrench.axes in ("local", frame):  # f and m turn with the frame: ∂f = ω × f
        local = wrench if wrench.point is None else wrench.at(np.zeros(3))
        f, m = R @ local.force, R @ local.moment
        df, dm = -skew(f) @ J[3:], -skew(m) @ J[3:]
    else:
        raise ConfigurationError(
            f'wrenches[{frame!r}]: got axes {wrench.axes!r}; expected "world" or "local" here'
        )
    return np.concatenate([f, m]), np.concatenate([df, dm])
