"""Inverse kinematics of marker trials: configurations of a robot that fit measured markers.

Frame by frame, least squares over the visible markers:

    min_q Σ_i ‖p_i(q) − m_i‖²,        p_i = o + R c_i of the link that carries marker i

by the Levenberg-Marquardt method on the robot's manifold, each frame initialised by the previous
one. Joints that move no marker keep their position. For robots of another size see `scaled_robot`,
for markers placed in a known posture `attach`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...dynamics.closures import require_no_closures
from ...dynamics.motions import Motion
from ...dynamics.spatial import skew
from ...dynamics.workspace import workspace_of
from ...errors import ConfigurationError
from ...progress import progress_bar, with_progress
from ...robots.configuration import as_vector, check_configuration
from ...robots.registration import registration
from ...robots.robot import Robot
from ...robots.values import array, instance, mapping
from .markers import Markers

Attachments = Mapping[str, tuple[str, ArrayLike]]  # {marker: (link, position on it (3,) [m])}

_STEPS = 60
_SMALL = 1e-10  # size of a step [m, rad] at which the iteration ends


@dataclass(frozen=True, eq=False, repr=False)
class MarkerFit:
    """Configurations that fit markers.

    Attributes:
        robot: the fitted robot.
        q: (n, nq).
        residuals: (n, m) distance of each marker from its measurement [m]; nan where missing.
        converged: (n,) whether the iteration converged; otherwise q is the best iterate.
        names: of the m markers.
        rate: frames a second [Hz].
    """

    robot: Robot
    q: Array
    residuals: Array
    converged: NDArray[np.bool_]
    names: tuple[str, ...]
    rate: float

    @cached_property
    def motion(self) -> Motion:
        """The motion through these configurations, as for `contacts.audit`; see `Motion.of`."""
        return Motion.of(self.robot, np.arange(len(self.q)) / self.rate, self.q)

    @property
    def rms(self) -> float:
        """Root mean square residual over all markers and frames [m]."""
        return float(np.sqrt(np.nanmean(self.residuals**2)))

    @property
    def worst(self) -> tuple[str, int, float]:
        """Marker and frame with the largest residual, and its size [m]."""
        i, j = np.unravel_index(np.nanargmax(self.residuals), self.residuals.shape)
        return self.names[j], int(i), float(self.residuals[i, j])

    def __repr__(self) -> str:
        marker, frame, gap = self.worst
        lost = int((~self.converged).sum())
        return (
            f"MarkerFit({self.robot.name!r}, {len(self.q)} frames, {1e3 * self.rms:.3g} mm rms, "
            f"worst {1e3 * gap:.3g} mm, {marker!r} in frame {frame}"
            + (f"; {lost} frames did not converge)" if lost else ")")
        )


def attach(robot: Robot, q: ArrayLike, links: Mapping[str, str], positions: Array) -> Attachments:
    """Return the positions of markers on their links from a posture q (nq,).

    Args:
        robot: in the same world as the positions.
        q: a configuration (nq,), or (n, nq) with positions (n, m, 3): the average of n frames.
        links: {marker: link}.
        positions: (m, 3) or (n, m, 3), of the markers in the order of `links` [m].

    Raises:
        ConfigurationError: a bad q, no such link, shapes that differ, a marker never seen.
    """
    Q = np.atleast_2d(array(q, "q", (robot.nq,), (None, robot.nq)))
    shapes = (len(links), 3), (None, len(links), 3)
    P = array(positions, "positions", *shapes, gaps=True).reshape(-1, len(links), 3)
    if len(P) != len(Q):
        raise ConfigurationError(f"got {len(Q)} postures and {len(P)} frames of positions")
    ids = [robot.frame_id(link) for link in links.values()]
    local = np.empty_like(P)
    data = workspace_of(robot).data
    for k, q_k in enumerate(Q):
        pin.framesForwardKinematics(robot._model, data, check_configuration(robot, q_k))
        local[k] = [data.oMf[i].actInv(p) for i, p in zip(ids, P[k], strict=True)]
    known = np.asarray(np.isfinite(local).all(axis=2).any(axis=0))
    lost = [marker for marker, ever in zip(links, known, strict=True) if not ever]
    if lost:
        raise ConfigurationError(f"markers {lost} were not seen in any of these frames")
    average = np.nanmean(local, axis=0)
    return {m: (link, c) for (m, link), c in zip(links.items(), average, strict=True)}


@with_progress
def fit_markers(
    robot: Robot,
    markers: Markers,
    attachments: Attachments,
    start: ArrayLike | None = None,
    *,
    progress: bool | None = None,
) -> MarkerFit:
    """Return the configurations of a robot that fit the markers of a trial.

    Args:
        robot: with z up; markers with another vertical axis are rotated.
        markers: of the trial; missing ones are left out of their frames.
        attachments: {marker: (link, position on it (3,) [m])}.
        start: initial configuration for the first frame (nq,); default the robot's posture,
            aligned with the markers as a rigid body.
        progress: draw a bar on stderr; when not given, if that is a terminal.

    Raises:
        ConfigurationError: no such marker or link, a frame without markers, or a bad start.
        ModelError: a robot with closures.
    """
    require_no_closures(robot, "fit_markers")
    instance(markers, "markers", Markers)
    if not mapping(attachments, "attachments", kind="marker"):
        raise ConfigurationError("attachments: got none; expected {marker: (link, where on it)}")
    seen = markers.turned("z").only(tuple(attachments))
    places = _places(robot, attachments)
    if start is None:
        q = _aligned(robot, robot.posture(), places, seen.positions[0])
    else:
        q = check_configuration(robot, start, "start").copy()
    Q, residuals = np.empty((len(seen), robot.nq)), np.empty((len(seen), len(attachments)))
    converged = np.zeros(len(seen), dtype=bool)
    for k in progress_bar(range(len(seen)), "markers"):
        there = np.isfinite(seen.positions[k]).all(axis=1)
        if not there.any():
            raise ConfigurationError(f"frame {k}: none of the markers was seen")
        q, converged[k] = _fit_one(robot, q, places, seen.positions[k], there)
        Q[k] = q
        gaps, _ = _gaps(robot, q, places, seen.positions[k])
        residuals[k] = np.linalg.norm(gaps, axis=1)
    return MarkerFit(robot, Q, residuals, converged, seen.names, seen.rate)


# (frame id, rows of its markers, positions on it (k, 3))
_Places = list[tuple[int, list[int], Array]]


def _places(robot: Robot, attachments: Attachments) -> _Places:
    """Return the markers of each link."""
    rows: dict[int, list[int]] = {}
    local = []
    for row, (name, (link, where)) in enumerate(attachments.items()):
        rows.setdefault(robot.frame_id(link), []).append(row)
        local.append(as_vector(where, 3, f"attachment of {name!r}", "where on its link [m]"))
    return [(i, r, np.stack([local[k] for k in r])) for i, r in rows.items()]


def brought_to(robot: Robot, q: ArrayLike, attachments: Attachments, markers: Markers) -> Array:
    """Return q (nq,) with the base aligned with the first frame's markers by least squares.

    Raises:
        ConfigurationError: no such marker or link, or a bad q.
    """
    seen = markers.turned("z").only(tuple(attachments)).positions[0]
    return _aligned(
        robot, check_configuration(robot, q, "start").copy(), _places(robot, attachments), seen
    )


def _aligned(robot: Robot, q: Array, places: _Places, seen: Array) -> Array:
    """Return q with the base moved by the rigid motion that best aligns the markers (m, 3)."""
    known = np.isfinite(seen).all(axis=1)
    if not robot.is_floating or known.sum() < 3:
        return q
    there = seen + _gaps(robot, q, places, seen)[0]
    T = registration(seen[known], there[known])[0] * pin.XYZQUATToSE3(q[:7])
    return np.concatenate([pin.SE3ToXYZQUAT(T), q[7:]])


def _gaps(robot: Robot, q: Array, places: _Places, seen: Array) -> tuple[Array, Array]:
    """Return p(q) − m (m, 3) and ∂p/∂v (m, 3, nv)."""
    model, data = robot._model, workspace_of(robot).data
    gaps, J = np.empty_like(seen), np.empty((len(seen), 3, robot.nv))
    pin.computeJointJacobians(model, data, q)
    for frame_id, rows, local in places:
        T = pin.updateFramePlacement(model, data, frame_id)
        lever = local @ T.rotation.T
        frame = pin.getFrameJacobian(model, data, frame_id, pin.LOCAL_WORLD_ALIGNED)
        frame = np.asarray(frame).reshape(6, -1)
        gaps[rows] = T.translation + lever - seen[rows]
        J[rows] = frame[:3] - skew(lever) @ frame[3:]
    return gaps, J


def _fit_one(
    robot: Robot, q: Array, places: _Places, seen: Array, there: Array
) -> tuple[Array, bool]:
    """Levenberg-Marquardt iteration from q: (JᵀJ + λ 1) step = −Jᵀ gap."""
    damping, cost, J, gap = 1e-9, np.inf, np.empty(0), np.empty(0)
    best = q
    for _ in range(_STEPS):
        gaps, jacobians = _gaps(robot, q, places, seen)
        new_gap = gaps[there].ravel()
        new_cost = float(new_gap @ new_gap)
        if new_cost <= cost * (1 + 1e-12):
            best, cost, gap = q, new_cost, new_gap
            J = jacobians[there].reshape(-1, robot.nv)
            damping = max(damping / 10, 1e-12)
        else:
            damping = 10 * max(damping, 1e-6)
        normal = J.T @ J + damping * np.eye(robot.nv)
        step = np.linalg.solve(normal, -J.T @ gap)
        if np.abs(step).max(initial=0.0) < _SMALL:
            return np.array(pin.integrate(robot._model, best, step)), True
        q = np.array(pin.integrate(robot._model, best, step))
    return best, False
