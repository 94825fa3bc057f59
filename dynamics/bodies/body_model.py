"""A subject as a chain of segments: lengths from the markers, masses and inertias from a table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ConfigurationError
from .anatomical_frames import Poses
from .body_segment_tables import body_segment
from .marker_sets import MarkerSet
from .markers import Markers
from .segments import Segment, SegmentChain
from .series import turn_back

Array = NDArray[np.float64]

# of the average man; where hands hang, half their distance [m]
_HALF_SHOULDERS = 0.20


def body_model(
    markers: Markers,
    names: MarkerSet,
    poses: Poses,
    mass: float,
    sex: str = "male",
    gravity: ArrayLike = (0.0, -9.81, 0.0),
) -> SegmentChain:
    """Return the chain of the segments that were measured, as heavy as de Leva's table says.

    With a pelvis, the root is pelvis, trunk, arms and head as one body (`upper_body`); the legs
    hang on it. Without, the root is the thigh, and what the trunk does to it is left over.

    Args:
        markers: filtered; lengths are averages over the trial.
        names: which marker is what.
        poses: of the segments, from `segment_poses`.
        mass: of the subject [kg].
        sex: whose table: "male" or "female".
        gravity: (3,) [m/s²] in the laboratory's axes.

    Raises:
        ConfigurationError: a mass that is none, or no such table.
    """
    if not (np.ndim(mass) == 0 and np.isfinite(mass) and mass > 0):
        raise ConfigurationError(f"mass: got {mass!r}; expected the subject's mass [kg]")
    segments = []
    for side, leg in names.legs.items():
        segments += _leg(side, leg, markers, poses, mass, sex, root=not names.pelvis)
    if names.pelvis:
        segments.append(upper_body(poses, mass, sex))
    return SegmentChain(segments, gravity)


def _leg(
    side: str,
    leg: Mapping[str, str],
    markers: Markers,
    poses: Poses,
    mass: float,
    sex: str,
    root: bool,
) -> list[Segment]:
    thigh, shank, foot = (body_segment(name, sex) for name in ("thigh", "shank", "foot"))
    hip, knee, ankle = (poses[f"{side} {name}"][1] for name in ("thigh", "shank", "foot"))
    thigh_length, shank_length = _distance(hip, knee), _distance(knee, ankle)
    # toes have no marker: a foot is as long as the shank says
    foot_length = foot.length / shank.length * shank_length
    heel = _average(poses[f"{side} foot"], markers[leg["heel"]])
    parts = [
        (
            "thigh",
            thigh,
            thigh_length,
            None if root else "pelvis",
            (0, -thigh.com * thigh_length, 0),
        ),
        ("shank", shank, shank_length, f"{side} thigh", (0, -shank.com * shank_length, 0)),
        (
            "foot",
            foot,
            foot_length,
            f"{side} shank",
            heel + np.array([foot.com * foot_length, 0, 0]),
        ),
    ]
    return [
        Segment(
            f"{side} {name}",
            line.mass * mass,
            com,
            line.inertia(mass, length, along="x" if name == "foot" else "y"),
            parent,
        )
        for name, line, length, parent, com in parts
    ]


def upper_body(poses: Poses, mass: float, sex: str = "male") -> Segment:
    """Return pelvis, trunk, arms and head as one rigid segment, standing upright on the hips.

    The trunk has no markers of its own: it is as long as the legs say, its arms hang, and it leans
    as the pelvis does against its own average over the trial. Good enough to see whether the plates
    explain the motion (the residual), not to judge a back.
    """
    parts = {n: body_segment(n, sex) for n in ("trunk 2", "head 2", "upper arm", "forearm", "hand")}
    thigh, shank = body_segment("thigh", sex), body_segment("shank", sex)
    measured = [
        _distance(poses[f"{side} thigh"][1], poses[f"{side} shank"][1])
        + _distance(poses[f"{side} shank"][1], poses[f"{side} foot"][1])
        for side in ("right", "left")
    ]
    scale = float(np.mean(measured)) / (thigh.length + shank.length)
    neck, shoulder = parts["trunk 2"].length, body_segment("trunk 3", sex).length
    pieces = [("trunk 2", neck, 0.0), ("head 2", neck + parts["head 2"].length, 0.0)]
    for side in (-_HALF_SHOULDERS, _HALF_SHOULDERS):
        top = shoulder
        for name in ("upper arm", "forearm", "hand"):
            pieces.append((name, top, side))
            top -= parts[name].length
    masses = np.array([parts[name].mass * mass for name, _, _ in pieces])
    centres = scale * np.array(
        [(0.0, top - parts[n].com * parts[n].length, side) for n, top, side in pieces]
    )
    com = masses @ centres / masses.sum()
    inertia = sum(
        parts[n].inertia(mass, scale * parts[n].length) + m * _point_inertia(c - com)
        for (n, _, _), m, c in zip(pieces, masses, centres, strict=True)
    )
    lean = _upright(poses["pelvis"][0])
    return Segment("pelvis", masses.sum(), lean @ com, lean @ inertia @ lean.T)


def _upright(R: Array) -> Array:
    """R_pelvis_upright (3, 3): axes that stand upright on average, in those of the pelvis."""
    x, y = R[..., 0].mean(axis=0), R[..., 1].mean(axis=0)
    up = np.eye(3)[np.abs(y).argmax()] * np.sign(y[np.abs(y).argmax()])
    x = x - (x @ up) * up
    x = x / np.linalg.norm(x)
    upright = np.stack([x, up, np.cross(x, up)], axis=-1)
    U, _, Vt = np.linalg.svd(R.mean(axis=0))  # the pelvis's own average
    return np.asarray((U @ Vt).T @ upright)


def _point_inertia(r: Array) -> Array:
    return np.asarray((r @ r) * np.eye(3) - np.outer(r, r))


def _distance(a: Array, b: Array) -> float:
    return float(np.linalg.norm(a - b, axis=-1).mean())


def _average(pose: tuple[Array, Array], points: Array) -> Array:
    """Return where points (n, 3) are in a segment's axes, on average (3,)."""
    R, origin = pose
    return np.asarray(turn_back(R, points - origin).mean(axis=0))
