"""State: a configuration and velocity of a robot, and every term that follows from them.

    M(q) a + vᵀC(q)v = Sᵀτ + τ_g(q) + τ_ext

q and v are checked and copied once. A term is worked out when it is first asked for, and kept: the
functions of `dynamics` are a line each on a State, and whoever asks several things of one state
builds it once and hands it on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from .. import registry
from ..arrays import Array
from ..errors import ConfigurationError
from ..robots.configuration import (
    as_vector,
    check_configuration,
    check_robot,
    check_torques,
    check_velocity,
)
from ..robots.robot import Robot
from ..robots.unchecked import unchecked
from . import closures, coriolis_recursion, loads, recursions
from .body_points import BodyPoints, frame_origins
from .columns import columns
from .free_armature import centrifugal
from .once import once, once_moving
from .projection import Projection
from .spatial import (
    LOCAL_WORLD_ALIGNED,
    as_reference,
    cross,
    hessian_from,
    referred,
    skew,
    to_reference,
)
from .topology import (
    carried_by,
    frames_of,
    is_depth_first,
    masses_of,
    moving_share,
    read_only,
    require_fixed_axes,
    require_mass,
)
from .workspace import workspace_of
from .wrench import Wrench

_ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class State:
    """A configuration q (nq,) and velocity v (nv,) of a robot, and what follows from them.

    Attributes and methods have the names and meanings of the functions of `dynamics`. Arrays that
    are attributes are read-only and stay with the State; those that methods return are the
    caller's own. A State pickles as (robot, q, v) and may be shared by threads.

    Args:
        robot: the robot.
        q: configuration (nq,).
        v: velocity (nv,); None if nothing will be asked that depends on it.

    Attributes:
        robot: the robot.
        q: (nq,), a copy, read-only.
        v: (nv,), a copy, read-only; or None.

    Raises:
        ConfigurationError: a bad q or v; also when a term is asked for that needs a v which is not
            there.
    """

    robot: Robot
    q: Array
    v: Array | None

    def __init__(self, robot: Robot, q: ArrayLike, v: ArrayLike | None = None) -> None:
        own = self.__dict__
        own["q"] = read_only(check_configuration(robot, q).copy())
        own["v"] = None if v is None else read_only(check_velocity(robot, v).copy())
        own["robot"] = robot

    @classmethod
    def of(cls, robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> State:
        """Return q itself where it is a State of this robot, else State(robot, q, v).

        A velocity that is given with a State takes the place of its own.

        Raises:
            ConfigurationError: a bad q or v, or a State of another robot.
        """
        if not isinstance(q, State):
            return cls(robot, q, v)
        if q.robot is not robot:
            check_robot(robot)
            apart = ", which is another one; or state.q" if q.robot.name == robot.name else ""
            raise ConfigurationError(
                f"q: got a State of the robot {q.robot.name!r}, expected one of this "
                f"{robot.name!r}{apart}"
            )
        return q if v is None or v is q.v else q.with_velocity(v)

    def with_velocity(self, v: ArrayLike) -> State:
        """Return the State (q, v), with what is already known of q."""
        v = read_only(np.array(check_velocity(self.robot, v)))
        known = {n: term for n, term in list(self.__dict__.items()) if n not in _NEEDS_VELOCITY}
        return unchecked(State, **(known | {"v": v}))

    def filled(self) -> State:
        """Return itself, after one pass for M, b, A_g and the joints' placements and columns."""
        robot, space = self.robot, workspace_of(self.robot)
        data = space.data
        v = self.velocity if self.v is None else self.v
        pin.computeAllTerms(robot._model, data, self.q, v)
        bias = space.nle() + centrifugal(robot, v)
        found: dict[str, Any] = {"bias": bias, "gravity_torques": -space.g()}
        found["joint_placements"], found["joint_columns"] = space.placements(), columns(space.J())
        if is_depth_first(robot):
            found["mass_matrix"] = space.M().T.copy()  # symmetric: row-major, as it is read
        if robot.mass > 0:
            found["centroidal_map"] = self._about_com(columns(space.Ag()), data)
            if moving_share(robot) == 1.0:
                found["com"], found["com_jacobian"] = space.com().copy(), columns(space.Jcom())
        self._keep(found)
        return self

    @once_moving
    def velocity(self) -> Array:
        """v (nv,), where there is one."""
        return self.v  # type: ignore[return-value]

    # --- joints ------------------------------------------------------------------------------

    @once
    def joint_placements(self) -> Array:
        """T (njoints, 3, 4), each [R | p] in the world, by Pinocchio's index of the joint."""
        return self._pose_joints()[0]

    @once
    def joint_columns(self) -> Array:
        """S (6, nv): what a unit of each velocity does, about the world's origin, linear first."""
        return self._pose_joints()[1]

    def _pose_joints(self) -> tuple[Array, Array]:
        """Return the joints' placements and columns, both kept, from one pass over the tree."""
        space = workspace_of(self.robot)
        S = pin.computeJointJacobians(self.robot._model, space.data, self.q)
        found = {"joint_placements": space.placements(), "joint_columns": columns(S)}
        self._keep(found)
        return found["joint_placements"], found["joint_columns"]

    def _keep(self, found: dict[str, Array]) -> None:
        own = self.__dict__
        for name, value in found.items():
            value.setflags(write=False)
            own.setdefault(name, value)

    @once_moving
    def joint_motions(self) -> Array:
        """(njoints, 2, 6): twist and spatial acceleration at a = 0 of each joint, in its axes."""
        robot, space = self.robot, workspace_of(self.robot)
        pin.forwardKinematics(robot._model, space.data, self.q, self.v, np.zeros(robot.nv))
        return space.motions()

    # --- frames ------------------------------------------------------------------------------

    def frame_placement(self, frame: str) -> Any:
        """Return T_world_frame (`pin.SE3`)."""
        _, T = self._frame(frame)
        return pin.SE3(T[:, :3], T[:, 3])

    def frame_jacobian(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return J (6, nv), linear rows first: J v is the frame's twist in `reference`."""
        reference = as_reference(reference)
        if reference == _ALIGNED:
            origin = frame_origins(self.robot)[self.robot.frame_id(frame)]
            S, T = self.joint_columns, self.joint_placements
            J: Array = origin.jacobians(S, T, carried_by(self.robot))[0]
            return J
        joint, T = self._frame(frame)
        return self._columns_at(joint, T, reference)

    def frame_velocity(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return J v (6,) [m/s; rad/s]."""
        return self.frame_jacobian(frame, reference) @ self.velocity

    def frame_acceleration(
        self, a: ArrayLike, frame: str, reference: Any = LOCAL_WORLD_ALIGNED
    ) -> Array:
        """Return J a + J̇v (6,) [m/s²; rad/s²], see `frame_drift`."""
        moved = self.frame_jacobian(frame, reference) @ check_velocity(self.robot, a, "a")
        return moved + self.frame_drift(frame, reference)

    def frame_jacobian_derivative(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return dJ/dt (6, nv) along v."""
        robot, frame_id = self.robot, self.robot.frame_id(frame)
        reference = as_reference(reference)
        require_fixed_axes(robot)
        data = workspace_of(robot).data
        pin.computeJointJacobiansTimeVariation(robot._model, data, self.q, self.velocity)
        pin.updateFramePlacement(robot._model, data, frame_id)
        return columns(pin.getFrameJacobianTimeVariation(robot._model, data, frame_id, reference))

    def frame_drift(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return J̇v (6,): classical in LOCAL_WORLD_ALIGNED, spatial in the other references."""
        reference, frame_id = as_reference(reference), self.robot.frame_id(frame)
        origin, motions = frame_origins(self.robot)[frame_id], self.joint_motions
        if reference == _ALIGNED:
            return origin.accelerations(self.joint_placements, motions).ravel()
        joint, drift = origin.joints[0], origin.motions(motions)[0, 1].reshape(2, 3)
        if reference == pin.ReferenceFrame.LOCAL:
            R = frames_of(self.robot).placement[frame_id][:3, :3]
            return np.asarray(drift @ R).ravel()
        drift = drift @ self.joint_placements[joint, :, :3].T
        drift[0] += cross(self._frame(frame)[1][:, 3], drift[1])
        return np.asarray(drift.ravel())

    def frame_hessian(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return H (6, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction)."""
        reference = as_reference(reference)
        joint, T = self._frame(frame)
        require_fixed_axes(self.robot)
        J = self._columns_at(joint, T)
        return referred(hessian_from(self.robot, J), T, J, reference)

    def point_jacobian(self, frame: str, point: ArrayLike) -> Array:
        """Return J (3, nv), world axes, of a point (3,) in the coordinates of a frame."""
        return self._at_point(frame, point)[:3]

    def point_drift(self, frame: str, point: ArrayLike) -> Array:
        """Return J̇v (3,) of a point of a frame: its acceleration at a = 0, world axes."""
        coordinates = np.append(as_point(point, frame), 1.0)
        frame_id, table = self.robot.frame_id(frame), frames_of(self.robot)
        joint, r = table.joint[frame_id], (table.placement[frame_id] @ coordinates)[:3]
        there = BodyPoints(np.array([joint]), r[None])
        drift: Array = there.accelerations(self.joint_placements, self.joint_motions)[0, 0]
        return drift

    def point_hessian(self, frame: str, point: ArrayLike) -> Array:
        """Return H (3, nv, nv) of a point of a frame."""
        require_fixed_axes(self.robot)
        return hessian_from(self.robot, self._at_point(frame, point))[:3]

    def relative_placement(self, frame: str, seen_from: str) -> Any:
        """Return T_seen_from_frame (`pin.SE3`)."""
        return self.frame_placement(seen_from).actInv(self.frame_placement(frame))

    def relative_jacobian(self, frame: str, seen_from: str) -> Array:
        """Return J (6, nv): the motion of a frame as seen from another, in the axes of that one.

        v − v_o − ω_o × r and ω − ω_o, with r from the other's origin to that of the frame.
        """
        J, Jo = self.frame_jacobian(frame), self.frame_jacobian(seen_from)
        R, r = self._between(frame, seen_from)
        linear = J[:3] - Jo[:3] + skew(r) @ Jo[3:]
        return np.concatenate([R.T @ linear, R.T @ (J[3:] - Jo[3:])])

    def relative_drift(self, frame: str, seen_from: str) -> Array:
        """Return J̇v (6,) of `relative_jacobian`.

        Less the Euler, centrifugal and Coriolis accelerations of the axes that turn.
        """
        u, uo = self.frame_velocity(frame), self.frame_velocity(seen_from)
        a, ao = self.frame_drift(frame), self.frame_drift(seen_from)
        R, r = self._between(frame, seen_from)
        w, relative = uo[3:], u[:3] - uo[:3] - cross(uo[3:], r)
        euler, centrifugal = cross(ao[3:], r), cross(w, cross(w, r))
        linear = a[:3] - ao[:3] - euler - centrifugal - 2 * cross(w, relative)
        angular = a[3:] - ao[3:] - cross(w, u[3:])
        return np.concatenate([R.T @ linear, R.T @ angular])

    def _between(self, frame: str, seen_from: str) -> tuple[Array, Array]:
        """Return (R of `seen_from`, r from its origin to that of `frame`), world axes."""
        T, To = self._frame(frame)[1], self._frame(seen_from)[1]
        return To[:, :3], T[:, 3] - To[:, 3]

    def _frame(self, frame: str) -> tuple[int, Array]:
        """Return (joint that carries the frame, its [R | p] in the world)."""
        frame_id, table = self.robot.frame_id(frame), frames_of(self.robot)
        joint = table.joint[frame_id]
        return joint, self.joint_placements[joint].dot(table.placement[frame_id])

    def _columns_at(self, joint: int, T: Array, reference: Any = _ALIGNED) -> Array:
        """Return J (6, nv) of a frame at T = [R | p] on a joint; zero where it is not carried."""
        # dot: for matrices of this size half of matmul's time is its overhead
        J: Array = to_reference(T, reference).dot(self.joint_columns)
        J *= carried_by(self.robot)[joint]
        return J

    def _at_point(self, frame: str, point: ArrayLike) -> Array:
        """Return J (6, nv) of the frame moved to the point, world axes."""
        joint, T = self._frame(frame)
        there = np.empty((3, 4))
        there[:, :3], there[:, 3] = T[:, :3], T @ np.append(as_point(point, frame), 1.0)
        return self._columns_at(joint, there)

    # --- the centre of mass and the momenta --------------------------------------------------

    @once
    def _first_moments(self) -> Array:
        """(njoints, 3): mass times centre of mass of each body, in the world [kg m]."""
        return (self.joint_placements @ masses_of(self.robot).moments[:, :, None])[:, :, 0]

    @once
    def com(self) -> Array:
        """(3,) [m], of the whole robot with what a fixed base welds to the world."""
        require_mass(self.robot)
        moment: Array = self._first_moments.sum(axis=0)
        return moment / masses_of(self.robot).total

    @once
    def _momentum_columns(self) -> Array:
        """m J_com (3, nv): Σ m_i (l + ω × c_i) over the bodies that each motion carries."""
        masses, S = masses_of(self.robot), self.joint_columns
        h = masses.subtrees @ self._first_moments
        return masses.subtree * S[:3] + cross(S[3:], h.T)

    @once
    def com_jacobian(self) -> Array:
        """J_com (3, nv), world axes."""
        require_mass(self.robot)
        return self._momentum_columns / masses_of(self.robot).total

    @once_moving
    def com_velocity(self) -> Array:
        """J_com v (3,) [m/s], world axes: the linear momentum by the mass."""
        require_mass(self.robot)
        return self.centroidal_momentum[:3] / masses_of(self.robot).total

    @once_moving
    def com_drift(self) -> Array:
        """J̇_com v (3,) [m/s²]: the acceleration of the centre of mass at a = 0."""
        return self.centroidal_drift[:3] / self.robot.mass

    @once
    def com_hessian(self) -> Array:
        """H (3, nv, nv) of the centre of mass."""
        require_fixed_axes(self.robot)
        J = np.concatenate([self.com_jacobian, self.joint_columns[3:]])
        return hessian_from(self.robot, J)[:3]

    @once
    def centroidal_map(self) -> Array:
        """A_g (6, nv): A_g v is the linear and angular momentum at the centre of mass."""
        data = workspace_of(self.robot).data
        A = columns(pin.computeCentroidalMap(self.robot._model, data, self.q))
        return self._about_com(A, data)

    @once
    def angular_momentum_jacobian(self) -> Array:
        """The angular rows of A_g (3, nv)."""
        return self.centroidal_map[3:]

    @once_moving
    def centroidal_momentum(self) -> Array:
        """h_g = A_g v (6,), at the centre of mass, world axes."""
        if self.robot.nv == 0:  # Pinocchio has no centre of mass for what has no moving link
            return np.zeros(6)
        space = workspace_of(self.robot)
        pin.computeCentroidalMomentum(self.robot._model, space.data, self.q, self.v)
        return self._about_com(space.momentum()[0].copy(), space.data)

    @once_moving
    def centroidal_drift(self) -> Array:
        """Ȧ_g v (6,): the rate of the centroidal momentum at a = 0."""
        robot, space = self.robot, workspace_of(self.robot)
        data = space.data
        if robot.nv == 0:  # Pinocchio has no centre of mass for what has no moving link
            return np.zeros(6)
        at_zero = np.zeros(robot.nv)
        pin.computeCentroidalMomentumTimeVariation(robot._model, data, self.q, self.v, at_zero)
        rate = space.momentum_rate()[0].copy()
        self._keep({"joint_motions": space.motions()})  # from the same pass
        return self._about_com(rate, data)

    @once_moving
    def centroidal_map_derivative(self) -> Array:
        """dA_g/dt (6, nv) along v."""
        robot, data = self.robot, workspace_of(self.robot).data
        require_fixed_axes(robot)
        # Pinocchio (4.1) reads the velocity of the centre of mass, unset, below
        pin.centerOfMass(robot._model, data, self.q, self.v)
        rate = pin.computeCentroidalMapTimeVariation(robot._model, data, self.q, self.v)
        dA = self._about_com(columns(rate), data)
        welded = 1.0 - moving_share(robot)
        if welded > 0.0:  # the lever to the centre of the whole robot changes too
            A, lever_rate = columns(data.Ag), welded * np.array(data.vcom[0])
            dA[3:] += cross(lever_rate[:, None], A[:3])
        return dA

    @once
    def centroidal_hessian(self) -> Array:
        """H (6, nv, nv) of A_g: H @ v is dA_g/dt."""
        H = np.empty((6, self.robot.nv, self.robot.nv))
        for k, direction in enumerate(np.eye(self.robot.nv)):  # linear in v
            H[:, :, k] = self.with_velocity(direction).centroidal_map_derivative
        return H

    def _about_com(self, momentum: Array, data: Any) -> Array:
        """Move a momentum, its rate or its map (6, …) to the centre of mass of the whole robot.

        Pinocchio's are about the centre of the links that move.
        """
        if moving_share(self.robot) < 1.0:
            lever = np.array(data.com[0]) - self.com
            momentum[3:] += np.cross(lever, momentum[:3], axisb=0, axisc=0)
        return momentum

    # --- the equations of motion -------------------------------------------------------------

    @once
    def mass_matrix(self) -> Array:
        """M (nv, nv), both halves filled."""
        return recursions.mass_matrix(self.robot, self.q, pin.Convention.WORLD)

    @once
    def gravity_torques(self) -> Array:
        """τ_g = m J_comᵀ g (nv,)."""
        masses, S = masses_of(self.robot), self.joint_columns
        h, g = masses.subtrees @ self._first_moments, masses.gravity
        turning: Array = np.einsum("kr,rk->k", h @ skew(g), S[3:])  # ω · (h × g)
        return masses.subtree * (g @ S[:3]) + turning

    @once_moving
    def bias(self) -> Array:
        """b = vᵀCv − τ_g (nv,)."""
        return recursions.bias(self.robot, self.q, self.velocity)

    @once_moving
    def coriolis_force(self) -> Array:
        """vᵀCv (nv,)."""
        return self.bias + self.gravity_torques

    @once_moving
    def coriolis_matrix(self) -> Array:
        """C @ v (nv, nv), the skew-consistent matrix."""
        return coriolis_recursion.coriolis_matrix(self.robot, self.q, self.velocity)

    @once
    def coriolis_tensor(self) -> Array:
        """C (nv, nv, nv)."""
        return coriolis_recursion.coriolis_tensor(self.robot, self.q)

    @once_moving
    def mass_matrix_derivative(self) -> Array:
        """dM/dt (nv, nv) along v: C @ v plus its transpose."""
        return self.coriolis_matrix + self.coriolis_matrix.T

    @once
    def mass_matrix_gradient(self) -> Array:
        """∂M (nv, nv, nv): ∂M @ v is dM/dt."""
        return self.coriolis_tensor + self.coriolis_tensor.transpose(1, 0, 2)

    @once_moving
    def kinetic_energy(self) -> float:
        """½ vᵀM v [J]."""
        return float(0.5 * self.velocity @ self.mass_matrix @ self.velocity)

    @once
    def potential_energy(self) -> float:
        """−m g·com [J]."""
        masses = masses_of(self.robot)
        return -float(np.einsum("i,nij,nj", masses.gravity, self.joint_placements, masses.moments))

    def external_torques(self, wrenches: Mapping[str, Wrench]) -> Array:
        """Return τ_ext = Σ Jᵀw (nv,) of {frame: Wrench}."""
        loads.check_wrenches(self.robot, wrenches)
        tau = np.zeros(self.robot.nv)
        for frame, wrench in wrenches.items():
            tau += self._world_wrench(frame, wrench) @ self.frame_jacobian(frame)
        return tau

    def inverse_dynamics(self, a: ArrayLike, wrenches: Mapping[str, Wrench] | None = None) -> Array:
        """Return M a + vᵀCv − τ_g − τ_ext (nv,)."""
        a = check_velocity(self.robot, a, "a")
        tau = recursions.inverse_dynamics(self.robot, self.q, self.velocity, a)
        return tau if wrenches is None else tau - self.external_torques(wrenches)

    def forward_dynamics(
        self, tau: ArrayLike, wrenches: Mapping[str, Wrench] | None = None
    ) -> Array:
        """Return a = M⁻¹ (Sᵀτ + τ_g + τ_ext − vᵀCv) (nv,), without contacts."""
        tau = check_torques(self.robot, tau)
        if wrenches is None and not self.robot.closures:
            return recursions.forward_dynamics(self.robot, self.q, self.velocity, tau)
        closures.require_closed(self)
        return self.accelerations(
            tau @ self.robot.selection_matrix + self.external_torques(wrenches or {})
        )

    def accelerations(self, forces: ArrayLike) -> Array:
        """Return a = M⁻¹ (forces + τ_g − vᵀCv) (nv,) for generalised forces (nv,)."""
        forces = check_velocity(self.robot, forces, "forces")
        free = recursions.accelerations(self.robot, self.q, self.velocity, forces)
        return closures.acceleration(self, free) if self.robot.closures else free

    def joint_wrenches(
        self, a: ArrayLike, wrenches: Mapping[str, Wrench] | None = None
    ) -> dict[str, Wrench]:
        """Return {joint: Wrench}, parent on child, at the joint's origin, world axes."""
        closures.require_no_closures(self.robot, "joint_wrenches")
        robot, a, v = self.robot, check_velocity(self.robot, a, "a"), self.velocity
        outside, T = self._forces_on_joints(wrenches), self.joint_placements
        data = workspace_of(robot).data
        pin.rnea(robot._model, data, self.q, v, a, outside)
        transmitted = {}
        for joint in range(1, robot._model.njoints):
            R, f = T[joint, :, :3], data.f[joint]
            transmitted[robot._model.names[joint]] = Wrench(
                R @ f.linear, R @ f.angular, point=T[joint, :, 3]
            )
        return transmitted

    def _world_wrench(self, frame: str, wrench: Wrench) -> Array:
        """Return [f; m] (6,) of a wrench on a frame's link, world axes, at the frame's origin."""
        _, T = self._frame(frame)
        other = wrench.axes not in ("world", "local")
        axes = self._frame(wrench.axes)[1] if other else T
        return loads.world_wrench(wrench, T, axes)

    def _forces_on_joints(self, wrenches: Mapping[str, Wrench] | None) -> Any:
        """Return the wrenches as Pinocchio's f_ext: one `pin.Force` a joint, in its frame."""
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero()] * self.robot._model.njoints)
        loads.check_wrenches(self.robot, wrenches)
        for frame, wrench in (wrenches or {}).items():
            joint, T = self._frame(frame)
            place = self.joint_placements[joint]
            at_frame = pin.SE3(np.eye(3), T[:, 3]).act(pin.Force(self._world_wrench(frame, wrench)))
            forces[joint] += pin.SE3(place[:, :3], place[:, 3]).actInv(at_frame)
        return forces

    # --- closures ----------------------------------------------------------------------------

    @once
    def closure_error(self) -> Array:
        """e (m,), how far the robot's closures are open: zero where they close [m, rad]."""
        return self.robot._closure_rows.error(self.q, self.joint_placements)

    @once
    def closure_jacobian(self) -> Array:
        """J_c (m, nv), what the closures forbid: J_c v = 0.

        The motion of a loop's second end as seen from its first, in the axes of that one; of a
        coupling the joint's velocity less what its leader asks.
        """
        return closures.jacobian(self)

    @once_moving
    def closure_drift(self) -> Array:
        """J̇_c v (m,), so that J_c a + J̇_c v = 0."""
        return closures.drift(self)

    @once
    def closure_basis(self) -> Array:
        """B (r, nv), orthonormal rows that span those of J_c, of which r are independent."""
        return self.closure_factors[2]

    @once
    def closure_factors(self) -> tuple[Array, Array, Array]:
        """U (m, r), s (r,), B (r, nv) of J_c = U diag(s) B."""
        return closures.factors(self)

    @once
    def closure_projection(self) -> Projection:
        """The projection onto J_c v = 0 in the metric of M."""
        return Projection.of(self.robot, self.mass_matrix, self.closure_jacobian)

    # --- a value -----------------------------------------------------------------------------

    def __setattr__(self, name: str, *value: Any) -> None:
        raise AttributeError(f"{name}: a State does not change; build another one")

    __delattr__ = __setattr__

    def __reduce__(self) -> tuple[Any, ...]:
        return State, (self.robot, self.q, self.v)

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        return f"State({self.robot.name!r}, {'q' if self.v is None else 'q, v'})"


_NEEDS_VELOCITY = {
    name for name, term in vars(State).items() if isinstance(term, once) and term.needs_velocity
}


def as_point(point: ArrayLike, frame: str) -> Array:
    """Return a point (3,) in the coordinates of a frame."""
    return as_vector(point, 3, "point", f"a point in the coordinates of {frame!r}")
