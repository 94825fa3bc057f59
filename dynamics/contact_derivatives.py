"""Derivatives of accelerations at frames, and of contact forces, with respect to q, v and τ.

With contacts that hold, J a + J̇v = 0 and M a + b = Sᵀτ + Jᵀf, the differentials obey

    [M  −Jᵀ] [da]   [−∂(M a + b − Jᵀf)]
    [J   0 ] [df] = [−∂(J a + J̇v)     ]

where a and f are held on the right. Source: R. Budhiraja, J. Carpentier, C. Mastalli, N. Mansard,
"Differential dynamic programming for multi-phase rigid contact dynamics" (2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError, ModelError
from ..options import names_checked
from ..reprs import shapes
from ..robots.configuration import check_torques, check_velocity
from ..robots.robot import Robot
from ..robots.values import mapping, whole_number
from .closures import require_no_closures
from .derivatives import inverse_dynamics_derivatives
from .spatial import cross
from .state import State
from .topology import require_fixed_axes
from .workspace import workspace_of
from .wrench import Wrench


class ContactDerivatives(NamedTuple):
    """Accelerations and forces of contacts that hold, and their derivatives.

    a (nv,), f (k,): in the rows of the contacts, world axes. da_d…, df_d…: with respect to q, v
    (…, nv) and τ (…, na).
    """

    a: Array
    f: Array
    da_dq: Array
    da_dv: Array
    da_dtau: Array
    df_dq: Array
    df_dv: Array
    df_dtau: Array

    def __repr__(self) -> str:
        return shapes(self)


def frame_acceleration_derivatives(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None, a: ArrayLike, frame: str
) -> tuple[Array, Array]:
    """Return ∂/∂q and ∂/∂v (6, nv) of J a + J̇v, the classical acceleration in world axes.

    Raises:
        ConfigurationError: a bad q, v or a, or no such frame.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    require_fixed_axes(robot)
    state = State.of(robot, q, v)
    q, v = state.q, state.velocity
    a, frame_id = check_velocity(robot, a, "a"), robot.frame_id(frame)
    model, data, local = robot._model, workspace_of(robot).data, pin.ReferenceFrame.LOCAL
    pin.computeForwardKinematicsDerivatives(model, data, q, v, a)
    R = np.array(pin.updateFramePlacement(model, data, frame_id).rotation)
    dv_dq, da_dq, da_dv, J = (
        np.array(d) for d in pin.getFrameAccelerationDerivatives(model, data, frame_id, local)
    )
    u = J @ v
    spatial = J @ a + state.frame_drift(frame, "LOCAL")
    classical = np.concatenate([spatial[:3] + cross(u[3:], u[:3]), spatial[3:]])
    dq, dv = (_classical(u, du, da) for du, da in ((dv_dq, da_dq), (J, da_dv)))
    dq[:3] += cross(J[3:], classical[:3, None])  # the frame turns: ω × (R x)
    dq[3:] += cross(J[3:], classical[3:, None])
    both = np.kron(np.eye(2), R)
    return both @ dq, both @ dv


@runtime_checkable
class Held(Protocol):
    """A contact that holds, J a + J̇v = 0, as those of `contacts` are."""

    def jacobian(self, state: State) -> Array:
        """Return J (k, nv), world axes."""

    def drift(self, state: State) -> Array:
        """Return J̇v (k,)."""

    def hessian(self, state: State) -> Array:
        """Return H (k, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction)."""

    def acceleration_derivatives(self, state: State, a: Array) -> tuple[Array, Array]:
        """Return ∂/∂q and ∂/∂v (k, nv) of J a + J̇v."""


@dataclass(frozen=True)
class HeldFrame:
    """The origin of a frame as a point (size 3), or as a surface that cannot turn either (6)."""

    frame: str
    size: int

    def jacobian(self, state: State) -> Array:
        """Return J (size, nv)."""
        return state.frame_jacobian(self.frame)[: self.size]

    def drift(self, state: State) -> Array:
        """Return J̇v (size,)."""
        return state.frame_drift(self.frame)[: self.size]

    def hessian(self, state: State) -> Array:
        """Return H (size, nv, nv)."""
        return state.frame_hessian(self.frame)[: self.size]

    def acceleration_derivatives(self, state: State, a: Array) -> tuple[Array, Array]:
        """Return ∂/∂q and ∂/∂v (size, nv) of J a + J̇v."""
        dq, dv = frame_acceleration_derivatives(state.robot, state, None, a, self.frame)
        return dq[: self.size], dv[: self.size]


def held(robot: Robot, contacts: Mapping[str, int] | Iterable[Held]) -> list[Held]:
    """Return contacts that hold, in order.

    Raises:
        ConfigurationError: neither contacts nor {frame: 3 or 6}, or those of another robot.
    """
    if isinstance(contacts, Mapping):
        sizes = mapping(contacts, "contacts", robot.frame_names, kind="frame")
        for frame, size in sizes.items():
            if whole_number(size, f"contacts[{frame!r}]") not in (3, 6):
                raise ConfigurationError(f"contacts[{frame!r}]: got {size!r}; expected 3 or 6")
        return [HeldFrame(frame, int(size)) for frame, size in sizes.items()]
    found = list(contacts) if isinstance(contacts, Iterable) else [contacts]
    for contact in found:
        if not isinstance(contact, Held):
            raise ConfigurationError(
                f"contacts: got {contact!r:.80}, expected a ContactSet, or {{frame: 3 or 6}}"
            )
    own = getattr(contacts, "robot", robot)
    if own.name != robot.name or own.frame_names != robot.frame_names:
        raise ConfigurationError(
            f"contacts: got a set of the robot {own.name!r}, expected one of this {robot.name!r}"
        )
    return found


@names_checked
def contact_derivatives(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    tau: ArrayLike,
    contacts: Mapping[str, int] | Iterable[Held],
    wrenches: Mapping[str, Wrench] | None = None,
) -> ContactDerivatives:
    """Return a and f of a robot whose contacts hold, and how they change with q, v and τ.

    Args:
        robot: the robot.
        q: configuration (nq,).
        v: velocity (nv,).
        tau: actuated torques (na,).
        contacts: a ContactSet of this robot, or its contacts, on surfaces at rest; or {frame: 3 or
            6}: the frame's origin as a point, or a surface that cannot turn either.
        wrenches: external ones {frame: Wrench}, as for `forward_dynamics`.

    Raises:
        ConfigurationError: a bad q, v or τ, no such frame, or a contact that is not 3 or 6.
        ContactError: a contact on a moving surface.
        ModelError: contacts that depend on each other: forces are then not unique; closures.
    """
    require_no_closures(robot, "contact_derivatives")
    on, tau = held(robot, contacts), check_torques(robot, tau)
    state = State.of(robot, q, v)
    forces = robot.selection_matrix.T @ tau + state.external_torques(wrenches or {})
    J = np.vstack([np.zeros((0, robot.nv)), *(contact.jacobian(state) for contact in on)])
    drift = np.concatenate([np.zeros(0), *(contact.drift(state) for contact in on)])
    if np.linalg.matrix_rank(J, tol=1e-8) < len(J):
        raise ModelError(
            f"the {len(J)} rows of these contacts have rank {np.linalg.matrix_rank(J, tol=1e-8)}: "
            "forces are not unique; expected independent contacts"
        )
    kkt = np.block([[state.mass_matrix, -J.T], [J, np.zeros((len(J), len(J)))]])
    a, f = np.split(np.linalg.solve(kkt, np.concatenate([forces - state.bias, -drift])), [robot.nv])

    inverse = inverse_dynamics_derivatives(robot, state, None, a, wrenches)
    dq, dv, above = [inverse.dq.copy()], [inverse.dv], 0
    for contact in on:
        H = contact.hessian(state)
        dq[0] -= np.einsum("rjk,r->jk", H, f[above : above + len(H)])
        above += len(H)
        along_q, along_v = contact.acceleration_derivatives(state, a)
        dq.append(along_q)
        dv.append(along_v)
    by_tau = np.vstack([robot.selection_matrix.T, np.zeros((len(J), robot.na))])
    right = np.hstack([-np.vstack(dq), -np.vstack(dv), by_tau])
    solved = np.linalg.solve(kkt, right)
    pieces = np.split(solved, [robot.nv, 2 * robot.nv], axis=1)
    return ContactDerivatives(
        a, f, *(d[: robot.nv] for d in pieces), *(d[robot.nv :] for d in pieces)
    )


def _classical(u: Array, du: Array, da: Array) -> Array:
    """Return the derivative of [a + ω × v; α] from those of the twist u = [v; ω] and [a; α]."""
    d = da.copy()
    d[:3] += cross(du[3:], u[:3, None]) + cross(u[3:, None], du[:3])
    return d
