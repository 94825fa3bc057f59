"""terms(): everything a controller asks of one state, from one pass over the tree."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from functools import cached_property
from threading import get_ident
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..robots.configuration import check_configuration, check_velocity
from ..robots.robot import Robot
from . import centroidal, coriolis, jacobian_sums
from .columns import columns
from .kinematics import LOCAL_WORLD_ALIGNED, as_reference, drift_from, frame_hessian, is_depth_first

Array = NDArray[np.float64]


def terms(robot: Robot, q: ArrayLike, v: ArrayLike) -> Terms:
    """Return every term of the equations of motion at (q, v), in one pass.

    Cheaper than the functions one by one, and equal to them. Pinocchio's `computeAllTerms`.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: the robot has no mass.
    """
    q, v = check_configuration(robot, q).copy(), check_velocity(robot, v).copy()
    desk = _desk_of(robot)
    data = desk.data
    desk.lay(q, v)
    # symmetric: the transpose of Pinocchio's column-major copy is row-major
    M = np.array(data.M).T if desk.depth_first else jacobian_sums.mass_matrix(robot, q)
    if desk.all_moves:
        c, J_com, A = np.array(data.com[0]), columns(data.Jcom, "K"), columns(data.Ag, "K")
    else:
        c, J_com, A = centroidal.of_whole_robot(robot, data)
    b, tau_g = np.array(data.nle), -data.g
    force = b + tau_g
    for array in (q, v, M, b, tau_g, force, c, J_com, A):
        array.setflags(write=False)
    found = object.__new__(Terms)
    found.__dict__.update(  # at once: field by field, a frozen dataclass takes a microsecond
        robot=robot,
        q=q,
        v=v,
        mass_matrix=M,
        coriolis_force=force,
        gravity_torques=tau_g,
        bias=b,
        com=c,
        com_jacobian=J_com,
        centroidal_map=A,
        _desk=desk,
        _laid=desk.laid,
    )
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Terms:
    """The terms at one state: arrays of its own, read-only, that no later call changes.

    Each attribute and method has the name and the meaning of the function of `dynamics`; what is
    not there from the start is worked out when it is first asked for.

    Attributes:
        robot, q, v: the state.
        mass_matrix: M (nv, nv).
        coriolis_force: vᵀC v (nv,), the force of the Coriolis and centrifugal terms.
        gravity_torques: τ_g (nv,).
        bias: b = vᵀC v − τ_g (nv,).
        com: (3,) [m], com_jacobian: J_com (3, nv), world axes.
        centroidal_map: A_g (6, nv).
    """

    robot: Robot
    q: Array
    v: Array
    mass_matrix: Array
    coriolis_force: Array
    gravity_torques: Array
    bias: Array
    com: Array
    com_jacobian: Array
    centroidal_map: Array
    _desk: _Desk
    _laid: object

    @cached_property
    def com_velocity(self) -> Array:
        """J_com v (3,) [m/s], world axes."""
        return _read_only(self.centroidal_momentum[:3] / self.robot.mass)

    @cached_property
    def com_drift(self) -> Array:
        """J̇_com v (3,) [m/s²]: the acceleration of the centre of mass at a = 0."""
        return _read_only(self.centroidal_drift[:3] / self.robot.mass)

    @cached_property
    def coriolis_matrix(self) -> Array:
        """C @ v (nv, nv), the skew-consistent matrix."""
        return _read_only(coriolis.coriolis_matrix(self.robot, self.q, self.v))

    @cached_property
    def centroidal_momentum(self) -> Array:
        """h_g = A_g v (6,), at the centre of mass, world axes."""
        return _read_only(self.centroidal_map @ self.v)

    @cached_property
    def centroidal_drift(self) -> Array:
        """Ȧ_g v (6,): the rate of the centroidal momentum at a = 0."""
        desk = self._at_desk()
        data = desk.accelerate(self.q, self.v)
        rate = np.array(data.dhg.vector)
        return _read_only(centroidal.about_whole_robot(self.robot, data, rate))

    @cached_property
    def kinetic_energy(self) -> float:
        """½ vᵀM v [J]."""
        return float(0.5 * self.v @ self.mass_matrix @ self.v)

    @cached_property
    def potential_energy(self) -> float:
        """−m g·com [J]."""
        return float(-self.robot.mass * self.robot.model.gravity.linear @ self.com)

    def frame_placement(self, frame: str) -> Any:
        """Return T_world_frame, as `dynamics.frame_placement`."""
        frame_id, data = self.robot.frame_id(frame), self._at_desk().data
        return pin.SE3(pin.updateFramePlacement(self.robot.model, data, frame_id))

    def frame_jacobian(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return J (6, nv), as `dynamics.frame_jacobian`."""
        frame_id, reference = self.robot.frame_id(frame), as_reference(reference)
        model, data = self.robot.model, self._at_desk().data
        pin.updateFramePlacement(model, data, frame_id)
        return columns(pin.getFrameJacobian(model, data, frame_id, reference), "K")

    def frame_drift(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return J̇v (6,), as `dynamics.frame_drift`."""
        frame_id, reference = self.robot.frame_id(frame), as_reference(reference)
        desk = self._at_desk()
        return drift_from(self.robot, desk.accelerate(self.q, self.v), frame_id, reference)

    def frame_hessian(self, frame: str, reference: Any = LOCAL_WORLD_ALIGNED) -> Array:
        """Return H (6, nv, nv), as `dynamics.frame_hessian`."""
        return frame_hessian(self.robot, self.q, frame, reference)

    def _at_desk(self) -> _Desk:
        """The desk with this state on it, laid again if another state or thread came between."""
        desk = self._desk
        if desk.thread != get_ident():
            desk = _desk_of(self.robot)
            object.__setattr__(self, "_desk", desk)
            object.__setattr__(self, "_laid", None)
        if desk.laid is not self._laid:
            desk.lay(self.q, self.v)
            object.__setattr__(self, "_laid", desk.laid)
        return desk

    def __reduce__(self) -> tuple[Any, ...]:
        return terms, (self.robot, self.q, self.v)  # the desk stays here

    def __repr__(self) -> str:
        return f"Terms({self.robot.name!r}, nv={self.robot.nv})"


class _Desk:
    """A `pin.Data` apart from the robot's workspace, so that the state laid on it stays there."""

    def __init__(self, robot: Robot) -> None:
        self.model = robot.model
        self.data = robot.model.createData()
        self.thread = get_ident()
        self.at_zero = np.zeros(robot.nv)
        self.depth_first = is_depth_first(robot)
        self.all_moves = centroidal.moving_share(robot) == 1.0
        self.laid = object()  # a mark, new with every state: tells whose is there
        self._accelerated = False

    def lay(self, q: Array, v: Array) -> None:
        """Work out everything but accelerations at (q, v)."""
        self.laid = object()
        self._accelerated = False
        pin.computeAllTerms(self.model, self.data, q, v)

    def accelerate(self, q: Array, v: Array) -> Any:
        """Work out the accelerations at a = 0 of the state laid here; return the data with them."""
        if not self._accelerated:
            pin.computeCentroidalMomentumTimeVariation(self.model, self.data, q, v, self.at_zero)
            self._accelerated = True
        return self.data


class _Desks(threading.local):
    """One desk a robot and thread: the frames of the last terms cost no second pass."""

    def __init__(self) -> None:
        self.known: weakref.WeakKeyDictionary[Robot, _Desk] = weakref.WeakKeyDictionary()
        self.last: _Desk | None = None


_desks = _Desks()


def _desk_of(robot: Robot) -> _Desk:
    desk = _desks.last
    if desk is None or desk.model is not robot.model:
        desk = _desks.known.get(robot)
    if desk is None or not robot.model.check(desk.data):
        desk = _desks.known[robot] = _Desk(robot)
    _desks.last = desk
    return desk


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array
