"""Whole-body motions of a gait's cycle: configurations, velocities and accelerations, all at once.

For each sample the legs take the feet to their places while the centre of mass c and the base's
orientation R are where they should be; what is no leg stays as it stands,

    x(q) = (R, c, p_1, …, p_C),    J v = ẋ,    J a = ẍ − J̇ v

by damped Gauss-Newton steps with all samples side by side. Where a leg is too short its foot
misses its place: the base's rows weigh more. By how much joints are beyond the ends of their ranges
is told, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts import Contact, ContactSet
from ...contacts.centres_along import centres_along
from ...contacts.postures.inverse_kinematics import joint_limits
from ...dynamics import batch
from ...dynamics.topology import plain_coordinates
from ..limbs import limbs_of

ROUNDS = 40  # steps at most; from where robots stand some six are enough
REACHED = 1e-9  # of an error, in metres and radians: rounding
BASE = 30.0  # weight of the rows of the base, beside the feet's
MISSED = 1e-3  # by how much a foot may miss its place [h]
LONGEST = 0.5  # step of a joint [rad]
# of all steps, and times the error and the height: legs that are too short by e overshoot where
# they are straight, but for a damping of e times their length
DAMPING = 1e-10, 0.2


class Wanted(NamedTuple):
    """What a motion should do in n samples, world axes.

    Attributes:
        rotation: of the floating base (n, 3, 3).
        spin: (2, n, 3), its angular velocity and acceleration.
        com: (3, n, 3), c, ċ, c̈.
        feet: (n, C, 4, 4), places T_world_contact.
        moving: (2, n, C, 6), their velocities and accelerations, linear first.
    """

    rotation: Array
    spin: Array
    com: Array
    feet: Array
    moving: Array

    def at(self, rows: NDArray[np.intp]) -> Wanted:
        """Return some samples."""
        return Wanted(
            self.rotation[rows], self.spin[:, rows], self.com[:, rows], self.feet[rows],
            self.moving[:, rows],
        )  # fmt: skip


class Motion(NamedTuple):
    """A motion of the whole body in n samples.

    Attributes:
        q, v, a: (n, nq), (n, nv), (n, nv).
        missed: (n, C, 3), from where feet are to where they should be [m].
        reached: (n,), whether none does.
    """

    q: Array
    v: Array
    a: Array
    missed: Array
    reached: NDArray[np.bool_]


class Legs:
    """Inverse kinematics of a robot on its feet.

    Args:
        contacts: the feet.
        height: of the centre of mass above them [m].
    """

    def __init__(self, contacts: ContactSet, height: float) -> None:
        self.contacts, self.robot, self.height = contacts, contacts.robot, height
        self.legs: NDArray[np.bool_] = np.asarray(limbs_of(contacts).moving.any(axis=0))
        self.columns = np.append(np.arange(6), np.flatnonzero(self.legs))
        self.lower, self.upper = joint_limits(self.robot)
        self.in_q, self.in_v = plain_coordinates(self.robot)
        self._dims = [6 if contact.dim == 6 else 3 for contact in contacts]
        self.weights = np.append(np.full(6, BASE), np.ones(sum(self._dims)))

    # --- q -------------------------------------------------------------------------------------

    def reach(self, wanted: Wanted, q: Array) -> tuple[Array, Array]:
        """Return configurations (n, nq) from others on, and what feet miss (n, C, 3) [m]."""
        q, left = q.copy(), np.arange(len(q))
        for _ in range(ROUNDS):
            want, here = wanted.at(left), q[left]
            error = self._errors(here, want) * self.weights
            most = np.abs(error).max(axis=1)
            left, here, error = (x[most > REACHED] for x in (left, here, error))
            if not len(left):
                break
            steps = zip(here, self._step(here, error), strict=True)
            q[left] = np.array([pin.integrate(self.robot._model, x, dx) for x, dx in steps])
        feet = self._errors(q, wanted)[:, 6:]
        first = np.concatenate([[0], np.cumsum(self._dims)])[:-1]
        return q, np.stack([feet[:, k : k + 3] for k in first], axis=1)

    def _step(self, q: Array, error: Array) -> Array:
        """The x of least ‖A x − e‖² + λ ‖x‖²."""
        A = self.rows(q)[:, :, self.columns] * self.weights[:, None]
        damping = DAMPING[0] + DAMPING[1] * self.height * np.linalg.norm(error, axis=1)
        square = A.transpose(0, 2, 1) @ A + damping[:, None, None] * np.eye(len(self.columns))
        x = np.linalg.solve(square, A.transpose(0, 2, 1) @ error[:, :, None])[:, :, 0]
        x *= np.minimum(1.0, LONGEST / np.maximum(np.abs(x).max(axis=1, keepdims=True), 1e-12))
        step = np.zeros((len(q), self.robot.nv))
        step[:, self.columns] = x
        return step

    def beyond(self, q: Array) -> Array:
        """Return by how much joints are beyond the ends of their ranges, below 0 inside (n, nv)."""
        found = np.full((len(q), self.robot.nv), -np.inf)
        x = q[:, self.in_q]
        found[:, self.in_v] = np.maximum(x - self.upper[self.in_v], self.lower[self.in_v] - x)
        return found

    # --- x(q), J, J̇ v --------------------------------------------------------------------------

    def _errors(self, q: Array, wanted: Wanted) -> Array:
        """What is left to x (n, m), of turns their vectors."""
        R = batch.frame_placement(self.robot, q, self.robot.base_joint)[:, :3, :3]
        found = [_turns(R, wanted.rotation), wanted.com[0] - batch.com(self.robot, q)]
        for c, contact in enumerate(self.contacts):
            T, goal = batch.frame_placement(self.robot, q, contact.frame), wanted.feet[:, c]
            found.append(goal[:, :3, 3] - contact.ball_arm - T[:, :3, 3] - _arm(contact, T))
            if contact.dim == 6:
                own = contact.axes_in_frame
                axes = T[:, :3, :3] if own is None else T[:, :3, :3] @ own
                found.append(_turns(axes, goal[:, :3, :3]))
        return np.hstack(found)

    def newtons(self, q: Array) -> Array:
        """Return what a unit of each of the contacts' forces, x of `ContactLimits`, does to the
        robot (n, nv, size) [1, m]."""
        forces, moments = [], []
        jacobians, axes, _ = centres_along(self.contacts, q)
        for c, contact in enumerate(self.contacts):
            J, R = jacobians[:, c], axes[:, c]
            for point in contact.points:
                at = J[:, :3] + np.cross(J[:, 3:], (R @ point)[:, :, None], axis=1)
                forces.append(at.transpose(0, 2, 1) @ R)
            if contact.dim == 4:  # a soft point's moment over γ
                moments.append(J[:, 3:].transpose(0, 2, 1) @ R[:, :, 2:] * contact.torsion)
        return np.concatenate([*forces, *moments], axis=2)

    def places(self, q: Array) -> Array:
        """Return where the feet are, of balls their middles (n, C, 3) [m]."""
        found = []
        for contact in self.contacts:
            T = batch.frame_placement(self.robot, q, contact.frame)
            found.append(T[:, :3, 3] + _arm(contact, T))
        return np.stack(found, axis=1)

    def rows(self, q: Array) -> Array:
        """Return J (n, m, nv)."""
        turning = batch.frame_jacobian(self.robot, q, self.robot.base_joint)[:, 3:]
        found = [turning, batch.com_jacobian(self.robot, q)]
        for contact, dim in zip(self.contacts, self._dims, strict=True):
            J = batch.frame_jacobian(self.robot, q, contact.frame)
            arm = _arm(contact, batch.frame_placement(self.robot, q, contact.frame))
            J[:, :3] += np.cross(J[:, 3:], arm[:, :, None], axis=1)
            found.append(J[:, :dim])
        return np.concatenate(found, axis=1)

    def drift(self, q: Array, v: Array) -> Array:
        """Return J̇ v (n, m)."""
        robot = self.robot
        turning = batch.frame_drift(robot, q, v, robot.base_joint)[:, 3:]
        found = [turning, batch.centroidal_drift(robot, q, v)[:, :3] / robot.mass]
        for contact, dim in zip(self.contacts, self._dims, strict=True):
            d = batch.frame_drift(robot, q, v, contact.frame)
            arm = _arm(contact, batch.frame_placement(robot, q, contact.frame))
            J = batch.frame_jacobian(robot, q, contact.frame)
            spin = (J[:, 3:] @ v[:, :, None])[:, :, 0]
            d[:, :3] += np.cross(d[:, 3:], arm) + np.cross(spin, np.cross(spin, arm))
            found.append(d[:, :dim])
        return np.hstack(found)

    def solved(self, q: Array, right: Array) -> Array:
        """Return the least x (n, nv, k) with J x = right (n, m, k), of base and legs alone."""
        A = self.rows(q)[:, :, self.columns] * self.weights[:, None]
        square = A.transpose(0, 2, 1) @ A + DAMPING[0] * np.eye(len(self.columns))
        b = A.transpose(0, 2, 1) @ (right * self.weights[:, None])
        x = np.linalg.solve(square, b)
        # once more, for what the damping left
        x += np.linalg.solve(square, b - square @ x + DAMPING[0] * x)
        found = np.zeros((len(q), self.robot.nv, right.shape[2]))
        found[:, self.columns] = x
        return found

    def following(self, q: Array, axes: Array) -> Array:
        """Return ∂v/∂ẏ (n, nv, 6): of turns of the base and ways of the com along axes (n, 3, 3),
        feet at rest."""
        right = np.zeros((len(q), len(self.weights), 6))
        right[:, :3, :3] = right[:, 3:6, 3:] = axes
        return self.solved(q, right)

    def motion(self, wanted: Wanted, start: Array) -> Motion:
        """Return the motion, looked for from configurations (n, nq) on."""
        q, error = self.reach(wanted, start)
        v = self._solved(q, self._stacked(wanted.spin[0], wanted.com[1], wanted.moving[0]))
        right = self._stacked(wanted.spin[1], wanted.com[2], wanted.moving[1])
        a = self._solved(q, right - self.drift(q, v))
        missed = np.linalg.norm(error, axis=2)
        return Motion(q, v, a, error, missed.max(axis=1) < MISSED * self.height)

    def _solved(self, q: Array, right: Array) -> Array:
        return self.solved(q, right[:, :, None])[:, :, 0]

    def _stacked(self, turn: Array, com: Array, feet: Array) -> Array:
        return np.hstack([turn, com, *(feet[:, c, :dim] for c, dim in enumerate(self._dims))])


def _arm(contact: Contact, T: Array) -> Array:
    """From a frame's origin to what its foot's place is of: of a ball, its middle (n, 3)."""
    return np.asarray(T[:, :3, :3] @ contact.centre_in_frame)


def _turns(R: Array, goal: Array) -> Array:
    """The axis of goal Rᵀ times the sine of its angle (n, 3), and never small at half a turn."""
    E = goal @ R.transpose(0, 2, 1)
    axis = 0.5 * np.stack(
        [E[:, 2, 1] - E[:, 1, 2], E[:, 0, 2] - E[:, 2, 0], E[:, 1, 0] - E[:, 0, 1]], axis=1
    )
    cosine = 0.5 * (np.trace(E, axis1=1, axis2=2) - 1)
    return np.asarray(axis / np.maximum(0.5 * (1 + cosine), 0.1)[:, None])
