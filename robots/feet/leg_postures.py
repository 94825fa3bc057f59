"""Inverse kinematics of standing: legs of a fixed base with level feet.

The joints of the legs minimise

    Σ_i w_z² (z_i − z*)² + w_n² ‖n_i + e_z‖² + w_x² ‖x_i − x_i*‖² + w_q² ‖q − q_0‖² + w_e² ‖e‖²

within their ranges, with e(q) the closures of the robot, over the lowest points (x_i, z_i) and the
normals n_i of soles and toes (toes without the third term): first with z* out of reach, which
stretches the legs, then with z* higher by a share of their length, which bends the knees. Newton
steps level the feet, close the loops, and bring the feet around the centre of mass, to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...arrays import Array
from ..closure_rows import ClosureRows
from ..ranges import ranges
from .outlines import lowest, placed
from .parts import Part, pitches
from .sole_shapes import joint_axis
from .support import beside, com_of

LEVEL = 2e-3  # of the legs' length: how far lowest points may be from one plane
# of the legs' length, by which the hips come down from straight legs: robots that trot step farther
_BENT, _BENT_TO_TROT = 0.1, 0.2
_HEIGHT, _FLAT, _ACROSS, _REST = 30.0, 30.0, 1.0, 0.05  # weights, lengths in robot sizes
_CLOSED = 100.0  # of e, above all of them
_HIPS = (0.0, -0.4, 0.4, -1.2, 1.2, 1.57, -1.57, 2.6, -2.6)  # angles that are tried [rad]
_KNEES = (0.0, 0.8, -0.8, 1.6, -1.6)
_VERTICAL = 0.9  # cosine of an axis from which on it is one
_SPRAWLED = 0.1  # how far a leg goes out from it, from which on it is an insect's [its length]
_UP = np.array([0.0, 0.0, 1.0])
_STARTS = 4  # from which the joints are solved for
_ITERATIONS = 40
_ALONG = 1e-3  # of a step to the side, what one along the line of the feet counts


class LegPostures:
    """The legs of a robot whose base stays where it is.

    Args:
        model: `pin.Model` with a floating base.
        parts: of its feet.
        rest: (nq,), the configuration that the joints stay near.
        closures: of its loops and joints, e(q) = 0.
    """

    def __init__(
        self, model: Any, parts: Sequence[Part], rest: Array, closures: ClosureRows
    ) -> None:
        self.model, self.parts, self.rest, self.closures = model, parts, rest, closures
        self.feet = [part for part in parts if not part.is_toe]
        self.bend = _BENT if len(self.feet) <= 2 else _BENT_TO_TROT
        self.data = model.createData()
        data = placed(model, rest)
        owners = np.repeat(np.arange(model.njoints), model.nvs)
        held = owners[closures.moving].tolist()
        joints = sorted({j for part in parts for j in part.chain}.union(held))
        rows = [
            (model.idx_vs[j] + k, model.idx_qs[j] + k * (model.nqs[j] == model.nvs[j]))
            for j in joints
            for k in range(model.nvs[j])
        ]
        self.columns, self.entries = np.array(rows, dtype=int).reshape(-1, 2).T  # of v, of q
        self.lower, self.upper = ranges(model)
        self.pitches = [tuple(pitches(model, data, part)) for part in self.feet]
        self.size = max(part.leg.length for part in parts)
        self.across = np.array([_under_hip(model, part, data) for part in self.feet])

    # --- postures --------------------------------------------------------------------------

    def stretched(self) -> Array:
        """Return the joints (nq,) with the feet as low as they go."""
        low = self._lows(self.rest).min() - 2 * self.size
        self.starts = self._starts(low)
        found = [self._solved(start, low, 3) for start in self.starts]
        return min(found, key=lambda q: self._cost(q, low))

    def drop(self, q: Array) -> float:
        """Return the height of the lowest hip above the highest foot [m]."""
        return float(min(part.leg.hip[2] for part in self.feet) - self._lows(q).max())

    def bent(self, stretched: Array) -> Array:
        """Return the joints (nq,) with knees bent, as far as they can be with the soles level."""
        length, reach = self.drop(stretched), float(self._lows(stretched).max())
        best, least = stretched, np.inf
        for height in (reach + share * self.bend * length for share in (1.0, 0.5, 0.0)):
            for start in [*self.starts, stretched]:
                q = self._balanced(self._solved(start, height, 3), height)
                worse = max(self.unevenness(q) - LEVEL / 4, 0.0) + max(self._off(q) - LEVEL, 0.0)
                if (cost := self._cost(q, height) + 1e3 * worse) < least:
                    best, least = q, cost
            if self.unevenness(best) < LEVEL / 2 and self._off(best) < LEVEL:
                break
        return best

    def _off(self, q: Array) -> float:
        """How far the centre of mass is beside the lowest points of the feet, in robot sizes."""
        self._touch(q)
        places = [(self.data.oMi[part.joint], part) for part in self.feet]
        lowest_points = [T.act(p) for T, part in places for p in part.touching]
        com = com_of(self.model, self.data, q)
        return beside(np.array(lowest_points)[:, :2], com[:2]) / self.size

    def unevenness(self, q: Array) -> float:
        """How far the feet are from one level plane, in robot sizes; tilts count for a tenth."""
        lows = self._lows(q)  # and the joints' placements
        turned = [self.data.oMi[p.joint].rotation @ p.normal for p in self.feet if p.area > 0]
        tilt = max((float(np.linalg.norm(n + _UP)) for n in turned), default=0.0)
        return float(np.ptp(lows)) / self.size + tilt / 10

    # --- solving ---------------------------------------------------------------------------

    def _starts(self, height: float) -> list[Array]:
        """Return configurations from a grid over hips and knees, the best ones first."""
        grid = [self._turned(hip, knee) for hip in _HIPS for knee in _KNEES]
        costs = [self._cost(q, height) for q in grid]
        return [grid[i] for i in np.argsort(costs, kind="stable")[:_STARTS]]

    def _turned(self, hip: float, knee: float) -> Array:
        """Return the rest with all hips and knees turned about the lateral axis, ankles level."""
        step = np.zeros(self.model.nv)
        for of_leg in self.pitches:
            for (column, sign), angle in zip(of_leg, (hip, knee, -hip - knee), strict=False):
                step[column] = sign * angle
        return self._moved(self.rest, step[self.columns])

    def _solved(self, q: Array, height: float, rounds: int) -> Array:
        for _ in range(rounds):  # the lowest point of a foot moves as it turns
            self._touch(q)
            before = q
            q = self._minimised(q, height)
            if np.abs(pin.difference(self.model, before, q)).max() < 1e-4:
                break
        self._touch(q)
        return q

    def _balanced(self, q: Array, height: float) -> Array:
        """Return the joints with the feet around the centre of mass."""
        across = self.across.copy()
        for _ in range(3):
            com = com_of(self.model, self.data, q)[:2]
            shift = com - self._points(q)[:, :2].mean(axis=0)
            if np.linalg.norm(shift) < 1e-3 * self.size:
                break
            self.across = self.across + shift
            q = self._solved(q, height, 2)
        self.across = across
        return q

    def _minimised(self, q: Array, height: float) -> Array:
        """Levenberg-Marquardt over the joints of the legs, inside their ranges."""
        damping = 1e-3
        r, J = self._residual(q, height)
        for _ in range(_ITERATIONS):
            gradient = J.T @ r
            free = ~self._blocked(q, -gradient)
            A = J[:, free].T @ J[:, free]
            A[np.diag_indices_from(A)] += damping * (1 + np.diag(A))
            step = np.zeros(len(self.columns))
            step[free] = -np.linalg.solve(A, gradient[free])
            step *= min(1.0, 0.4 / max(np.abs(step).max(), 1e-9))
            tried = self._moved(q, step)
            r_tried, J_tried = self._residual(tried, height)
            if r_tried @ r_tried < r @ r:
                done = r @ r - r_tried @ r_tried < 1e-9 * (r @ r)
                q, r, J, damping = tried, r_tried, J_tried, max(0.3 * damping, 1e-9)
                if done:
                    break
            else:
                damping *= 8
                if damping > 1e6:
                    break
        return q

    def levelled(self, q: Array) -> Array:
        """Newton's steps of least norm to what should hold to rounding, as much as can."""
        for toes, balance in ((True, True), (False, True), (True, False), (False, False)):
            found = self._rooted(q, toes, balance)
            if found is not None:
                return found
        return q

    def _rooted(self, q: Array, toes: bool, balance: bool) -> Array | None:
        """Return q at the end of Newton's steps; None where it is not level there.

        What no joint moves of the centre of mass, such as to the side, stays.
        """
        for _ in range(12):
            r, J = self._conditions(q, toes, balance)
            step = np.linalg.lstsq(J, r, rcond=1e-6)[0]
            if np.abs(step).max() < 1e-10:
                break
            q = self._moved(q, -np.asarray(step, dtype=float))
        level = r[: len(r) - 2 * balance]
        return q if np.abs(level).max() < 1e-9 else None

    def _moved(self, q: Array, step: Array) -> Array:
        """Return q after a step of the legs' joints, cut off at the ends of their ranges."""
        dq = np.zeros(self.model.nv)
        dq[self.columns] = step
        moved = np.array(pin.integrate(self.model, q, dq))
        return np.asarray(np.clip(moved, self.lower, self.upper))

    def _blocked(self, q: Array, direction: Array) -> NDArray[np.bool_]:
        """Which columns would leave the range of their joint."""
        at, low, high = q[self.entries], self.lower[self.entries], self.upper[self.entries]
        return np.asarray((at <= low) & (direction < 0) | (at >= high) & (direction > 0))

    # --- what is minimised -----------------------------------------------------------------

    def _residual(self, q: Array, height: float) -> tuple[Array, Array]:
        """r and ∂r/∂q, (k,) and (k, columns)."""
        pin.computeJointJacobians(self.model, self.data, q)
        rows, slopes, targets = [], [], iter(self.across)
        for part in self.parts:
            place, J, tilt, J_tilt = self._touching(part)
            target = [*(place[:2] if part.is_toe else next(targets)), height]
            error = (place - target) / self.size
            far = error[2] > 0.5  # out of reach: a pull, not a place
            weights = np.array([_ACROSS, _ACROSS, _ACROSS if far else _HEIGHT])
            weights[:2] *= not part.is_toe
            rows += [weights * error, _FLAT * tilt]
            slopes += [weights[:, None] * J / self.size, _FLAT * J_tilt]
        moved = np.array(pin.difference(self.model, self.rest, q))[self.columns]
        e, J_closed = self.closures.of(q, self.data)
        rows += [_REST * moved, _CLOSED * e]
        slopes += [_REST * np.eye(len(self.columns)), _CLOSED * J_closed[:, self.columns]]
        return np.concatenate(rows), np.vstack(slopes)

    def _conditions(self, q: Array, toes: bool, balance: bool) -> tuple[Array, Array]:
        """What is zero on one level plane, in robot sizes, and its derivative."""
        self._touch(q)
        model, data = self.model, self.data
        pin.computeJointJacobians(model, data, q)
        parts = [part for part in self.parts if toes or not part.is_toe]
        touching = [self._touching(part) for part in parts]
        places, slopes = np.array([t[0] for t in touching]), np.array([t[1] for t in touching])
        feet = [not part.is_toe for part in parts]
        rows = [(places - places[feet].mean(axis=0))[:, 2] / self.size]
        J = [(slopes - slopes[feet].mean(axis=0))[:, 2] / self.size]
        for _, _, tilt, J_tilt in touching:
            rows.append(tilt)
            J.append(J_tilt)
        if balance:
            com = com_of(model, data, q)
            J_com = pin.jacobianSubtreeCenterOfMass(model, data, q, 1)[:, self.columns]
            axes = _across(places[feet])
            rows.append(axes @ (places[feet].mean(axis=0) - com)[:2] / self.size)
            J.append(axes @ (slopes[feet].mean(axis=0) - J_com)[:2] / self.size)
        e, J_closed = self.closures.of(q, data)
        return np.concatenate([e, *rows]), np.vstack([J_closed[:, self.columns], *J])

    def _touching(self, part: Part) -> tuple[Array, Array, Array, Array]:
        """Where a part touches (3,), n + e_z of its sole (3,) or (0,), and their derivatives."""
        T = self.data.oMi[part.joint]
        J = pin.getJointJacobian(self.model, self.data, part.joint, pin.LOCAL_WORLD_ALIGNED)
        J, arm = J[:, self.columns], T.rotation @ part.point
        place = T.translation + arm - [0.0, 0.0, part.radius]
        J_place = J[:3] - pin.skew(arm) @ J[3:]  # of the middle of its ball: it rolls
        if part.normal is None:
            return place, J_place, np.zeros(0), np.zeros((0, len(self.columns)))
        n = T.rotation @ part.normal
        return place, J_place, n + _UP, -pin.skew(n) @ J[3:]

    def _touch(self, q: Array) -> None:
        pin.forwardKinematics(self.model, self.data, q)
        for part in self.parts:
            part.touch(-np.array(self.data.oMi[part.joint].rotation[2]))

    def _cost(self, q: Array, height: float) -> float:
        self._touch(q)
        r, _ = self._residual(q, height)
        return float(r @ r)

    def _points(self, q: Array) -> Array:
        pin.forwardKinematics(self.model, self.data, q)
        places = [self.data.oMi[part.joint].act(part.point) for part in self.feet]
        return np.array(places)  # of balls the middle

    def _lows(self, q: Array) -> Array:
        pin.forwardKinematics(self.model, self.data, q)
        return np.array([lowest(part.shapes, self.data) for part in self.feet])


def _across(places: Array) -> Array:
    """Return axes (2, 2) across and along the line that feet (k, 3) are on; the second is short.

    Joints whose axes digits of the file tilt ("1.5708") move the centre of mass along that line by
    next to nothing: of what they leave there, least squares would take a part to the side.
    """
    x, y = np.linalg.svd(places[:, :2] - places[:, :2].mean(axis=0))[2][0]
    return np.array([[-y, x], [_ALONG * x, _ALONG * y]])


def _under_hip(model: Any, part: Part, data: Any) -> Array:
    """Below the joints of the leg, whose offsets to the side stay: (2,) [m].

    A leg that begins with a vertical axis, and goes out from there, as an insect's, stays in its
    plane: below the joint that is farthest out.
    """
    first, *_ = joints = part.leg.joints
    origins = np.array([data.oMi[j].translation for j in joints])
    out = np.linalg.norm((origins - origins[0])[:, :2], axis=1)
    vertical = (data.oMi[first].rotation @ joint_axis(model, first))[2]
    if abs(vertical) > _VERTICAL and out.max() > _SPRAWLED * part.leg.length:
        return np.asarray(origins[out.argmax(), :2])
    return np.array([origins[0, 0], max(origins[:, 1], key=abs)])
