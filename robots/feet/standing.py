"""Standing: a posture in which a robot stands on its legs, and the feet that it stands on.

With the base upright and fixed, the joints of the legs minimise

    Σ_i w_z² (z_i − z*)² + w_n² ‖n_i × e_z‖² + w_x² ‖x_i − x_i*‖² + w_q² ‖q − q_0‖²

within the limits of q, over the lowest points (x_i, z_i) and the normals n_i of the soles: first
with z* out of reach, which stretches the legs, then with z* a tenth of their length higher, which
bends the knees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from ...arrays import Array
from .foot import Foot
from .limbs import Leg, legs, legs_to, upright
from .outlines import Outline, lowest, placed
from .sole_shapes import joint_axis, lowest_balls, sole_normal, touching_foot, wheel

_BENT = 0.1  # of the legs' length, by which the hips come down from straight legs
_HEIGHT, _FLAT, _ACROSS, _REST = 30.0, 30.0, 1.0, 0.05  # weights, lengths in robot sizes
_LEVEL = 2e-3  # of the robot's size: how far lowest points may be from one plane
_CLEAR = 0.015  # of the robot's size: how far anything but the feet may be below them
_DROP = 0.15  # of the legs' length: feet that do not come down that far below the hips are none
_STARTS = 4  # from which the joints are solved for
_ITERATIONS = 40


@dataclass(frozen=True)
class Standing:
    """How a robot stands.

    Attributes:
        q: (nq,), with its feet on z = 0.
        feet: name -> Foot.
        problem: why it does not stand in q, else "".
    """

    q: Array
    feet: dict[str, Foot] = field(default_factory=dict)
    problem: str = ""


@dataclass
class _Foot:
    """A foot in the making: its body, and where it touches in the axes of its joint."""

    leg: Leg
    joint: int
    shapes: list[Outline]
    normal: Array | None  # of the sole, out of the foot; None where it ends in a point
    point: Array = field(default_factory=lambda: np.zeros(3))

    def touch(self, down: Array) -> None:
        """Take the middle of what is lowest when `down` (3,) points down in the joint's axes."""
        points, _ = lowest_balls(self.shapes, down if self.normal is None else self.normal)
        self.point = points.mean(axis=0)


def stand(model: Any, shapes: list[Outline], feet: Iterable[int] | None = None) -> Standing:
    """Return a posture in which a floating model stands on its legs, knees bent where they can be.

    `problem` says what stands against it: a robot without legs, legs that do not reach below the
    trunk, a centre of mass beside the feet.

    Args:
        model: `pin.Model`.
        shapes: of its bodies.
        feet: the joints whose bodies are the feet; the ends of the legs when not given.
    """
    q = upright(model, shapes)
    known = sorted({shape.joint for shape in shapes} & set(feet or ()))
    found = legs(model, shapes, q) if feet is None else legs_to(model, q, known)
    if not found:
        return _body(model, shapes, q)
    solver = _Legs(model, shapes, found, q)
    stretched = solver.stretched()
    if solver.drop(stretched) < _DROP * solver.size:
        return Standing(q, problem="its legs do not reach below its hips")
    return solver.result(solver.stand(stretched))


def _body(model: Any, shapes: list[Outline], q: Array) -> Standing:
    """Return how a body without joints lies on its lowest shapes; other robots do not stand."""
    if model.njoints != 2 or not shapes:
        return Standing(q, problem="it has no legs")
    data = placed(model, q)
    foot = touching_foot(model, data, shapes)
    q[2] -= lowest(shapes, data)
    return Standing(q, {foot.name: foot}, "it has no legs")


class _Legs:
    """The legs of a robot whose base stays where it is."""

    def __init__(self, model: Any, shapes: list[Outline], found: Iterable[Leg], q: Array) -> None:
        self.model, self.shapes, self.rest = model, shapes, q
        self.data = model.createData()
        data = placed(model, q)
        self.feet = [_begun(model, data, shapes, leg) for leg in found]
        joints = sorted({j for foot in self.feet for j in _chain(model, foot.joint)})
        owners = [j for j in joints for _ in range(model.nvs[j])]
        columns = [
            c for j in joints for c in range(model.idx_vs[j], model.idx_vs[j] + model.nvs[j])
        ]
        self.columns = np.array(columns, dtype=int)
        single = np.array([model.nqs[j] == 1 for j in owners])
        self.entries = np.array([model.idx_qs[j] for j in owners])  # in q, of each column
        self.lower = np.where(single, np.asarray(model.lowerPositionLimit)[self.entries], -np.inf)
        self.upper = np.where(single, np.asarray(model.upperPositionLimit)[self.entries], np.inf)
        self.upper = np.maximum(self.lower, self.upper)
        self.single = single
        self.pitches = [_pitches(model, data, foot) for foot in self.feet]
        self.size = max(foot.leg.length for foot in self.feet)
        self.across = np.array([self._under_hip(foot, data) for foot in self.feet])

    def _under_hip(self, foot: _Foot, data: Any) -> Array:
        """Below the joints of the leg, whose offsets to the side stay: (2,) [m]."""
        origins = [data.oMi[j].translation for j in foot.leg.joints]
        return np.array([origins[0][0], max((o[1] for o in origins), key=abs)])

    # --- solving ---------------------------------------------------------------------------

    def stretched(self) -> Array:
        """Return the joints (nq,) with the feet as low as they go."""
        self.low = self._lows(self.rest).min() - 2 * self.size
        self.starts = self._starts(self.low)
        found = [self._solved(start, self.low, 3) for start in self.starts]
        return min(found, key=lambda q: self._cost(q, self.low))

    def drop(self, q: Array) -> float:
        """Return the height of the lowest hip above the highest foot [m]."""
        return float(min(foot.leg.hip[2] for foot in self.feet) - self._lows(q).max())

    def stand(self, stretched: Array) -> Array:
        """Return the joints (nq,) with knees bent, as far as they can be with the soles level."""
        length, reach = self.drop(stretched), float(self._lows(stretched).max())
        best, least = stretched, np.inf
        for height in (reach + _BENT * length, reach + 0.5 * _BENT * length, reach):
            for start in [*self.starts, stretched]:
                q = self._balanced(self._solved(start, height, 3), height)
                cost = self._cost(q, height) + 1e3 * max(self._error(q) - _LEVEL / 4, 0.0)
                if cost < least:
                    best, least = q, cost
            if self._error(best) < _LEVEL / 2:
                break
        return self._levelled(best)

    def _levelled(self, q: Array) -> Array:
        """Newton's steps of least norm to feet that are level to rounding, not to weights."""
        start = q
        for _ in range(8):
            self._touch(q)
            height = float(self._points(q)[:, 2].mean())
            r, J = self._residual(q, q, height)
            hard = np.concatenate([[False, False, True] + [True] * 2 * (f.normal is not None)
                                   for f in self.feet])  # fmt: skip
            r, J = r[: len(hard)][hard], J[: len(hard)][hard]
            if np.abs(r).max() < 1e-10:
                return q
            q = self._moved(q, -np.linalg.lstsq(J, r, rcond=1e-6)[0])
        return q if self._error(q) <= self._error(start) else start

    def _starts(self, height: float) -> list[Array]:
        """Return configurations from a grid over hips and knees, the best ones first."""
        grid = [
            self._bent(hip, knee)
            for hip in (0.0, -0.4, 0.4, -1.2, 1.2, 1.57, -1.57, 2.6, -2.6)
            for knee in (0.0, 0.8, -0.8, 1.6, -1.6)
        ]
        costs = [self._cost(q, height) for q in grid]
        return [grid[i] for i in np.argsort(costs, kind="stable")[:_STARTS]]

    def _bent(self, hip: float, knee: float) -> Array:
        """Return the rest with all hips and knees turned about the lateral axis, ankles level."""
        turned = np.zeros(self.model.nv)
        for pitches in self.pitches:
            for (column, sign), angle in zip(pitches, (hip, knee, -hip - knee), strict=False):
                turned[column] = sign * angle
        q = np.array(pin.integrate(self.model, self.rest, turned))
        return self._clipped(q)

    def _solved(self, q: Array, height: float, rounds: int) -> Array:
        for _ in range(rounds):  # the lowest point of a foot moves as it turns
            self._touch(q)
            before = q
            q = self._minimised(q, height)
            if np.abs(pin.difference(self.model, before, q)).max() < 1e-4:
                break
        self._touch(q)
        return q

    def _touch(self, q: Array) -> None:
        pin.forwardKinematics(self.model, self.data, q)
        for foot in self.feet:
            foot.touch(-np.array(self.data.oMi[foot.joint].rotation[2]))

    def _balanced(self, q: Array, height: float) -> Array:
        """Return the joints with the feet around the centre of mass."""
        across = self.across.copy()
        for _ in range(3):
            com = pin.centerOfMass(self.model, self.data, q)[:2]
            shift = com - self._points(q)[:, :2].mean(axis=0)
            if np.linalg.norm(shift) < 1e-3 * self.size:
                break
            self.across = self.across + shift
            q = self._solved(q, height, 2)
        self.across = across
        return q

    def _minimised(self, q: Array, height: float) -> Array:
        """Levenberg-Marquardt over the joints of the legs, inside their limits."""
        rest, damping = q.copy(), 1e-3
        r, J = self._residual(q, rest, height)
        for _ in range(_ITERATIONS):
            gradient = J.T @ r
            free = ~self._blocked(q, -gradient)
            A = J[:, free].T @ J[:, free]
            A[np.diag_indices_from(A)] += damping * (1 + np.diag(A))
            step = np.zeros(len(self.columns))
            step[free] = -np.linalg.solve(A, gradient[free])
            step *= min(1.0, 0.4 / max(np.abs(step).max(), 1e-9))
            tried = self._moved(q, step)
            r_tried, J_tried = self._residual(tried, rest, height)
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

    def _moved(self, q: Array, step: Array) -> Array:
        dq = np.zeros(self.model.nv)
        dq[self.columns] = step
        return self._clipped(np.array(pin.integrate(self.model, q, dq)))

    def _clipped(self, q: Array) -> Array:
        i = self.entries[self.single]
        q[i] = np.clip(q[i], self.lower[self.single], self.upper[self.single])
        return q

    def _blocked(self, q: Array, direction: Array) -> NDArray[np.bool_]:
        """Which columns would leave the range of their joint."""
        at = q[self.entries]
        below = (at <= self.lower) & (direction < 0)
        return np.asarray(below | (at >= self.upper) & (direction > 0))

    # --- what is minimised -----------------------------------------------------------------

    def _residual(self, q: Array, rest: Array, height: float) -> tuple[Array, Array]:
        model, data = self.model, self.data
        pin.computeJointJacobians(model, data, q)
        rows, columns = [], []
        for foot, across in zip(self.feet, self.across, strict=True):
            T = data.oMi[foot.joint]
            J = pin.getJointJacobian(model, data, foot.joint, pin.LOCAL_WORLD_ALIGNED)
            J = J[:, self.columns]
            arm = T.rotation @ foot.point
            Jp = J[:3] - pin.skew(arm) @ J[3:]
            error = (T.translation + arm - [*across, height]) / self.size
            weights = np.array([_ACROSS, _ACROSS, _HEIGHT])
            far = error[2] > 0.5  # out of reach: a pull, not a place
            weights[2] = _ACROSS if far else _HEIGHT
            rows.append(weights * error)
            columns.append(weights[:, None] * Jp / self.size)
            if foot.normal is not None:
                n = T.rotation @ foot.normal
                rows.append(_FLAT * n[:2])
                columns.append(_FLAT * (-pin.skew(n) @ J[3:])[:2])
        moved = np.array(pin.difference(model, self.rest, q))[self.columns]
        rows.append(_REST * moved)
        columns.append(_REST * np.eye(len(self.columns)))
        return np.concatenate(rows), np.vstack(columns)

    def _cost(self, q: Array, height: float) -> float:
        self._touch(q)
        r, _ = self._residual(q, self.rest, height)
        return float(r @ r)

    def _points(self, q: Array) -> Array:
        pin.forwardKinematics(self.model, self.data, q)
        return np.array([self.data.oMi[foot.joint].act(foot.point) for foot in self.feet])

    def _lows(self, q: Array) -> Array:
        pin.forwardKinematics(self.model, self.data, q)
        return np.array([lowest(foot.shapes, self.data) for foot in self.feet])

    def _error(self, q: Array) -> float:
        """How far the feet are from one level plane, in robot sizes."""
        return float(np.ptp(self._lows(q))) / self.size + max(self._tilts(q), default=0.0) / 10

    def _tilts(self, q: Array) -> list[float]:
        pin.forwardKinematics(self.model, self.data, q)
        return [
            float(np.linalg.norm((self.data.oMi[f.joint].rotation @ f.normal)[:2]))
            for f in self.feet
            if f.normal is not None
        ]

    # --- the answer ------------------------------------------------------------------------

    def result(self, q: Array) -> Standing:
        """Return the posture on the ground, its feet, and what stands against it."""
        data = placed(self.model, q)
        ground = min(lowest(foot.shapes, data) for foot in self.feet)
        q = q.copy()
        q[2] -= ground
        data = placed(self.model, q)
        feet = [touching_foot(self.model, data, foot.shapes, foot.normal) for foot in self.feet]
        feet = alike(feet, [data.oMf[_frame(self.model, foot.frame)] for foot in feet])
        return Standing(q, {foot.name: foot for foot in feet}, self._problem(q, data, feet))

    def _problem(self, q: Array, data: Any, feet: list[Foot]) -> str:
        uneven = self._error(q)
        if uneven > _LEVEL:
            return f"its feet reach no common ground: they are {uneven * self.size:.3g} m apart"
        own = {shape.joint for foot in self.feet for shape in foot.shapes}
        others = [shape for shape in self.shapes if shape.joint not in own]
        if others and (depth := -lowest(others, data)) > _CLEAR * self.size:
            low = min(others, key=lambda shape: lowest([shape], data))
            return f"{self.model.frames[low.link].name} is {depth:.3g} m below its feet"
        com = pin.centerOfMass(self.model, data, q)[:2]
        apart = beside(supports(self.model, data, feet), com)
        if apart > 0.02 * self.size:
            return f"its centre of mass stays {apart:.3g} m beside its feet"
        return ""


def _begun(model: Any, data: Any, shapes: list[Outline], leg: Leg) -> _Foot:
    """Return the foot of a leg: the body of its end with the largest sole, else the last one."""
    bodies = {j: [s for s in shapes if s.joint == j] for j in leg.end}
    bodies = {j: own for j, own in bodies.items() if own}
    before = leg.joints[-2] if len(leg.joints) > 1 else model.parents[leg.joints[-1]]
    best: tuple[float, _Foot] | None = None
    for joint, own in bodies.items():
        T = data.oMi[joint]
        shank = data.oMi[leg.end[0]].translation - data.oMi[before].translation
        downs = [np.array([0.0, 0.0, -1.0])]
        if np.linalg.norm(shank) > 1e-3 and len(leg.joints) > 1:
            downs.append(shank / np.linalg.norm(shank))
        inside = T.actInv(data.oMi[leg.end[0]].translation)
        if wheel(model, data, own) is not None:
            return _Foot(leg, joint, own, None)
        normal = sole_normal(own, [T.rotation.T @ d for d in downs], inside)
        if normal is not None and not _distal(own, normal, inside, leg):
            normal = None
        area = 0.0 if normal is None else 1.0 + len(own)
        if best is None or area >= best[0]:
            best = area, _Foot(leg, joint, own, normal)
    if best is None:
        raise ValueError("a leg without shapes")  # limbs have them
    return best[1]


def _distal(shapes: list[Outline], normal: Array, inside: Array, leg: Leg) -> bool:
    """Whether a plane ends the leg: it is no side of a shank, which reaches beyond."""
    reach = max(float(np.linalg.norm(s.points - inside, axis=1).max()) + s.radius for s in shapes)
    distance = max(float(s.extents(normal).max()) for s in shapes) - float(inside @ normal)
    return reach < 0.3 * leg.length or distance > 0.8 * reach


def _frame(model: Any, link: str) -> int:
    return int(model.getFrameId(link, pin.FrameType.BODY))


def _pitches(model: Any, data: Any, foot: _Foot) -> list[tuple[int, float]]:
    """Return the columns of a leg's joints about the lateral axis, and their sense about +y."""
    found = []
    for j in _chain(model, foot.joint):
        if model.nvs[j] == 1:
            lateral = float((data.oMi[j].rotation @ joint_axis(model, j))[1])
            if abs(lateral) > 0.8:
                found.append((model.idx_vs[j], float(np.sign(lateral))))
    return found


def _chain(model: Any, joint: int) -> list[int]:
    """Return the joints from the base to `joint`, without the base."""
    chain = []
    while joint > 1:
        chain.append(joint)
        joint = model.parents[joint]
    return chain[::-1]


def alike(feet: list[Foot], places: list[Any]) -> list[Foot]:
    """Return feet, those whose soles mirror each other within 1 cm with one sole: the smaller one.

    Meshes are rarely tessellated alike on both sides.

    Args:
        feet: of a robot whose median plane is y = 0.
        places: T_world_frame of each (`pin.SE3`).
    """
    soles = {i: _corners(foot, places[i]) for i, foot in enumerate(feet) if not foot.is_point}
    middles = {i: 0.5 * (s.min(axis=0) + s.max(axis=0)) for i, s in soles.items()}
    for i in soles:
        for j in soles:
            left, right = soles[i] - middles[i], soles[j] - middles[j]
            apart = np.abs(_box(left * [1, -1]) - _box(right)).max()
            if i < j and apart < 1e-2:
                small, large = (i, j) if _area(left) <= _area(right) else (j, i)
                mirrored = ((soles[small] - middles[small]) * [1, -1])[::-1]
                feet[large] = _with_sole(feet[large], places[large], middles[large] + mirrored)
    return feet


def _corners(foot: Foot, T_world_frame: Any) -> Array:
    T = T_world_frame * foot.placement
    corners = np.column_stack([foot.vertices, np.zeros(len(foot.vertices))])
    return np.asarray((corners @ T.rotation.T + T.translation)[:, :2])


def _with_sole(foot: Foot, T_world_frame: Any, corners: Array) -> Foot:
    T = T_world_frame * foot.placement
    middle = corners.mean(axis=0)
    R, vertices = T.rotation, corners - middle
    across = np.column_stack([vertices, np.zeros(len(vertices))]) @ R
    T.translation = np.array([*middle, T.translation[2]])
    return replace(foot, placement=T_world_frame.inverse() * T, vertices=across[:, :2])


def _box(points: Array) -> Array:
    return np.array([points.min(axis=0), points.max(axis=0)])


def _area(corners: Array) -> float:
    return float(ConvexHull(corners).volume)


def supports(model: Any, data: Any, feet: Iterable[Foot]) -> Array:
    """Return the points (k, 2) of feet in the plane, their frames placed by `pin.Data` [m]."""
    points = []
    for foot in feet:
        T = data.oMf[_frame(model, foot.frame)] * foot.placement
        corners = (
            np.zeros((1, 3)) if foot.is_point else np.c_[foot.vertices, 0 * foot.vertices[:, 0]]
        )
        points.append((corners @ T.rotation.T + T.translation)[:, :2])
    return np.vstack(points)


def beside(points: Array, x: Array) -> float:
    """Return how far x (2,) is outside of the convex hull of points (k, 2) [m]."""
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):  # a point, or points on a line
        a, b = points[points[:, 0].argmin()], points[points[:, 0].argmax()]
        if np.ptp(points[:, 1]) > np.ptp(points[:, 0]):
            a, b = points[points[:, 1].argmin()], points[points[:, 1].argmax()]
        along = b - a
        s = np.clip((x - a) @ along / max(along @ along, 1e-12), 0, 1)
        return float(np.linalg.norm(x - a - s * along))
    return max(float((hull.equations[:, :2] @ x + hull.equations[:, 2]).max()), 0.0)
