"""Forward dynamics in matrix form, M q̈ = C + G + Q + E, in coordinates of one's choice.

All four on the right-hand side: C Coriolis and centrifugal, G gravity, Q actuators, E springs,
dampers and external wrenches. For a chain of parallel axes, the coordinates of paper and pencil are
absolute angles, θ = A q with A from `absolute_angles`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError, ModelError
from ..reprs import shapes
from ..robots.configuration import check_robot, check_torques
from ..robots.robot import Robot
from ..robots.values import array, instance
from .closures import require_no_closures
from .coriolis import structure_constants
from .kinematics import frame_jacobian
from .springs import JointSprings
from .state import State
from .topology import moved_by
from .wrench import Wrench


class MatrixForm(NamedTuple):
    """M (n, n) and the forces C, G, Q, E (n,) of M ẍ = C + G + Q + E."""

    M: Array
    C: Array
    G: Array
    Q: Array
    E: Array

    @property
    def acceleration(self) -> Array:
        """ẍ = M⁻¹ (C + G + Q + E) (n,)."""
        return np.asarray(np.linalg.solve(self.M, self.C + self.G + self.Q + self.E), dtype=float)

    def __repr__(self) -> str:
        return shapes(self)


def matrix_form(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    springs: JointSprings | None = None,
    wrenches: Mapping[str, Wrench] | None = None,
    coordinates: ArrayLike | None = None,
) -> MatrixForm:
    """Return the matrices of M ẍ = C + G + Q + E at (q, v), with ẋ = A v.

    Args:
        robot: the robot.
        q: configuration (nq,).
        v: velocity (nv,), in the robot's own coordinates.
        tau: actuated torques (na,); None: none.
        springs: springs and dampers in the joints.
        wrenches: {frame: Wrench} on links, as in `external_torques`.
        coordinates: A (nv, nv), constant and invertible; None: 1.

    Raises:
        ConfigurationError: a bad q, v, τ or A, or no such frame or joint.
        ModelError: a robot with closures.
    """
    require_no_closures(robot, "matrix_form")
    state = State.of(robot, q, v)
    tau = check_torques(robot, np.zeros(robot.na) if tau is None else tau)
    given = np.eye(robot.nv) if coordinates is None else coordinates
    A = array(given, "coordinates", (robot.nv, robot.nv))
    if not np.linalg.cond(A) < 1e12:
        raise ConfigurationError(
            f"coordinates: got a singular matrix; expected an invertible ({robot.nv}, {robot.nv})"
        )
    G = state.gravity_torques
    E = np.zeros(robot.nv)
    if springs is not None:
        E += instance(springs, "springs", JointSprings).forces(robot, state.q, state.velocity)
    if wrenches:
        E += state.external_torques(wrenches)
    C, Q = -state.coriolis_force, robot.selection_matrix.T @ tau
    back = np.linalg.inv(A)  # v = A⁻¹ ẋ, so forces in x are A⁻ᵀ times those in q
    return MatrixForm(back.T @ state.mass_matrix @ back, *(back.T @ f for f in (C, G, Q, E)))


def absolute_angles(robot: Robot) -> Array:
    """Return A (nv, nv), θ = A q: θ_i sums the joints from the root to i, the angle of link i.

    Raises:
        ModelError: a joint that is not a hinge, or axes that are not parallel.
    """
    check_robot(robot)
    hinges = all(j.shortname().startswith(("JointModelR", "Joint::R")) for j in robot._model.joints)
    if not hinges or structure_constants(robot).any() or robot.nq != robot.nv:
        raise ModelError(f"{robot.name!r}: absolute angles need a fixed base and hinges only")
    q = robot.neutral()
    columns = []
    for joint in robot.joint_names:
        frame_id = robot.joint_id(joint)
        columns.append(frame_jacobian(robot, q, joint)[3:, robot._model.joints[frame_id].idx_v])
    axes = np.stack(columns, axis=-1)
    if np.linalg.matrix_rank(axes, tol=1e-9) > 1:
        raise ModelError(f"{robot.name!r}: absolute angles need parallel axes")
    return moved_by(robot) * (axes.T @ axes).round(12)  # +1 for axes alike, −1 for opposite ones
