"""Situation: one state as a controller's tick sees it, from one pass over the tree."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..dynamics import jacobian_sums, terms
from ..dynamics.topology import is_depth_first
from ..robots.robot import Robot

Array = NDArray[np.float64]

ALIGNED = pin.LOCAL_WORLD_ALIGNED


class Desk:
    """Where the situations of one controller are worked out: a `pin.Data` of its own."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.model = robot.model
        self.data = robot.model.createData()
        self.depth_first = is_depth_first(robot)
        self.gravity = np.array(robot.model.gravity.linear)
        welded = float(robot.model.inertias[0].mass)
        self.by_terms = not robot.is_floating or welded > 0 or robot.model.nvs[1] != 6

    def reckon(self, q: Array, v: Array) -> None:
        """Work out M, b, and the joints' places and columns in the world, and no more."""
        pin.crba(self.model, self.data, q, pin.Convention.WORLD)
        pin.nonLinearEffects(self.model, self.data, q, v)

    def situation(self, t: float, q: Array, v: Array) -> Situation:
        """Lay out the state; the last one's frames are gone then."""
        pin.computeAllTerms(self.model, self.data, q, v)
        return Situation(self, t, q, v)


class Situation:
    """What tasks and contacts ask of one state; good until the desk's next.

    Attributes:
        robot, t [s], q (nq,), v (nv,): the state.
        M (nv, nv), b (nv,): mass matrix, and bias b = vᵀCv − τ_g.
    """

    def __init__(self, desk: Desk, t: float, q: Array, v: Array) -> None:
        self.desk, self.robot, self.data = desk, desk.robot, desk.data
        self.t, self.q, self.v = t, q, v
        # symmetric: the transpose of Pinocchio's column-major copy is row-major
        self.M = (
            np.array(self.data.M).T
            if desk.depth_first
            else jacobian_sums.mass_matrix(desk.robot, q)
        )
        self.b = np.array(self.data.nle)

    # --- the centre of mass ------------------------------------------------------------------

    @cached_property
    def _terms(self) -> Any:
        """For bases that do not float: what is welded to the world has its share."""
        return terms(self.robot, self.q, self.v)

    @property
    def com(self) -> Array:
        """(3,) [m]."""
        return np.array(self._terms.com if self.desk.by_terms else self.data.com[0])

    @property
    def com_velocity(self) -> Array:
        """J_com v (3,) [m/s]."""
        return np.array(self._terms.com_velocity if self.desk.by_terms else self.data.vcom[0])

    @property
    def com_jacobian(self) -> Array:
        """(3, nv), world axes."""
        if self.desk.by_terms:
            return np.array(self._terms.com_jacobian)
        return np.array(self.data.Jcom)

    @property
    def com_drift(self) -> Array:
        """J̇_com v (3,) [m/s²].

        On a floating base its rows of b say it: m (J̇_com v − g) is the force that a = 0 takes.
        """
        if self.desk.by_terms:
            return np.array(self._terms.com_drift)
        R = self.data.oMi[1].rotation
        return np.asarray(R @ self.b[:3] / self.robot.mass + self.desk.gravity)

    @property
    def centroidal_map(self) -> Array:
        """A_g (6, nv), at the centre of mass, world axes."""
        return np.array(self._terms.centroidal_map if self.desk.by_terms else self.data.Ag)

    @property
    def centroidal_drift(self) -> Array:
        """Ȧ_g v (6,): the rate of the centroidal momentum at a = 0.

        On a floating base: the wrench of its rows of b, moved to the centre of mass, less gravity.
        """
        if self.desk.by_terms:
            return np.array(self._terms.centroidal_drift)
        T = self.data.oMi[1]
        force, moment = T.rotation @ self.b[:3], T.rotation @ self.b[3:6]
        moment = moment + np.cross(T.translation - self.com, force)
        force = force + self.robot.mass * self.desk.gravity
        return np.concatenate([force, moment])

    # --- frames, by Pinocchio's index --------------------------------------------------------

    def placement(self, frame: int) -> Any:
        """Return T_world_frame (`pin.SE3`)."""
        return pin.updateFramePlacement(self.desk.model, self.data, frame)

    def jacobian(self, frame: int, reference: Any = ALIGNED) -> Array:
        """Return J (6, nv); its placement must have been asked for before, unless LOCAL."""
        return np.asarray(pin.getFrameJacobian(self.desk.model, self.data, frame, reference))

    def velocity(self, frame: int, reference: Any = ALIGNED) -> Array:
        """Return J v (6,)."""
        return np.asarray(pin.getFrameVelocity(self.desk.model, self.data, frame, reference).vector)

    def drift(self, frame: int, reference: Any = ALIGNED) -> Array:
        """Return the classical acceleration at a = 0 (6,), which is J̇v in world-aligned axes."""
        found = pin.getFrameClassicalAcceleration(self.desk.model, self.data, frame, reference)
        return np.asarray(found.vector)
