"""Linearisation of a robot's motion around a state, free or with contacts that hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..options import names_checked
from ..reprs import shapes
from ..robots.configuration import check_torques
from ..robots.robot import Robot
from ..robots.values import number
from .contact_derivatives import Held, contact_derivatives
from .coriolis import structure_constants
from .derivatives import ForwardDerivatives, forward_dynamics_derivatives
from .state import State
from .wrench import Wrench


class Linearisation(NamedTuple):
    """ξ̇ = A ξ + B δτ, or ξ⁺ = A ξ + B δτ with a step: ξ = [q ⊖ q₀; v − v₀] (2 nv,)."""

    A: Array
    B: Array

    def __repr__(self) -> str:
        return shapes(self)


@names_checked
def linearise(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    tau: ArrayLike,
    step: float | None = None,
    *,
    wrenches: Mapping[str, Wrench] | None = None,
    contacts: Mapping[str, int] | Iterable[Held] | None = None,
) -> Linearisation:
    """Return (A, B) of the motion near (q, v) under torques near τ, on the manifold.

    The state is ξ = [q ⊖ q₀; v − v₀] (2 nv,), seen from the undisturbed motion (q₀, v₀)(t).

    - Without a step, ξ̇ = A ξ + B δτ. The upper rows are δv − [v, δq]: a disturbed base is seen in
      axes that move with the undisturbed one.
    - With a step [s], ξ⁺ = A ξ + B δτ of one step of semi-implicit Euler,
      v⁺ = v + h a, q⁺ = q ⊕ h v⁺: exact derivatives of that step.

    Contacts keep J δq = 0 and, at rest, J δv = 0. What leaves that subspace is not controllable, so
    a regulator is designed on it, with a basis Z of the null space of J: of a robot at rest, with
    N = diag(Z, Z), for Nᵀ A N and Nᵀ B, and its gain is K Nᵀ.

    Args:
        robot, q, v, tau: as for `forward_dynamics`.
        step: h [s].
        wrenches: as for `forward_dynamics`; see `external_torques_derivative` for what stays.
        contacts: that hold, a ContactSet or {frame: 3 or 6}, as for `contact_derivatives`: then a
            is that of J a + J̇v = 0.

    Raises:
        ConfigurationError: a bad q, v, τ or contact, no such frame, a value that is no `Wrench`, or
            a step that is not positive.
        ModelError: a singular M, a joint whose axes turn within its own body, contacts that depend
            on each other, or closures.
    """
    state = State.of(robot, q, v)
    q, v = state.q, state.velocity
    check_torques(robot, tau)
    a, d = _accelerations(robot, state, tau, wrenches, contacts)
    if step is None:
        turning = np.einsum("ijk,j->ik", structure_constants(robot), v)
        A = np.block([[-turning, np.eye(robot.nv)], [d.dq, d.dv]])
        return Linearisation(A, np.vstack([np.zeros((robot.nv, robot.na)), d.dtau]))
    step = number(step, "step", above=0, unit="[s]")
    along_q, along_v = pin.dIntegrate(robot._model, q, step * (v + step * a))
    by_q, by_v, by_tau = step * d.dq, np.eye(robot.nv) + step * d.dv, step * d.dtau
    h = step * along_v
    A = np.block([[along_q + h @ by_q, h @ by_v], [by_q, by_v]])
    return Linearisation(A, np.vstack([h @ by_tau, by_tau]))


def _accelerations(
    robot: Robot,
    state: State,
    tau: ArrayLike,
    wrenches: Mapping[str, Wrench] | None,
    contacts: Mapping[str, int] | Iterable[Held] | None,
) -> tuple[Array, ForwardDerivatives]:
    """a (nv,) and its derivatives."""
    if contacts is None:
        d = forward_dynamics_derivatives(robot, state, None, tau, wrenches)
        return state.forward_dynamics(tau, wrenches), d
    found = contact_derivatives(robot, state, None, tau, contacts, wrenches)
    return found.a, ForwardDerivatives(found.da_dq, found.da_dv, found.da_dtau)
