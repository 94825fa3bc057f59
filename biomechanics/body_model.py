"""Segment chain of a subject: lengths from markers, masses and inertias from de Leva's table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.values import number
from .body_segment_tables import body_segment
from .chains.segment_tree import Segment
from .chains.segments import SegmentChain
from .frames.inertia import steiner
from .markers.anatomical_frames import Poses
from .markers.marker_sets import SIDES, MarkerSet
from .markers.markers import Markers
from .series.vectors import turn_back

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
    """Return the chain of the measured segments, with inertial parameters from de Leva's table.

    With a pelvis, the root is pelvis, trunk, arms and head as one body (`upper_body`); the legs
    are its children. Without, the root is the thigh, and the wrench of the trunk is the residual.

    Args:
        markers: filtered; lengths are averages over the trial.
        names: the marker set.
        poses: of the segments, from `segment_poses`.
        mass: of the subject [kg].
        sex: of the table: "male" or "female".
        gravity: (3,) [m/s²] in the laboratory's axes.

    Raises:
        ConfigurationError: an invalid mass, or no such table.
    """
    mass = number(mass, "mass", above=0, unit="[kg]")
    segments = []
    for side, leg in names.legs.items():
        heel = _average(poses[f"{side} foot"], markers[leg["heel"]])
        parts = leg_segments(side, *leg_lengths(poses, side), heel, mass, sex)
        if not names.pelvis:
            parts[0] = replace(parts[0], parent=None)
        segments += parts
    if names.pelvis:
        segments.append(upper_body(poses, mass, sex))
    return SegmentChain(segments, gravity)


def leg_segments(
    side: str, thigh: float, shank: float, heel: ArrayLike, mass: float, sex: str = "male"
) -> list[Segment]:
    """Return thigh, shank and foot of a leg that hangs on a "pelvis".

    Args:
        side: "right" or "left".
        thigh: its length, hip to knee [m].
        shank: its length, knee to ankle [m].
        heel: (3,) in the foot's axes, from the ankle [m].
        mass: of the subject [kg].
        sex: whose table.
    """
    lines = {name: body_segment(name, sex) for name in ("thigh", "shank", "foot")}
    foot = lines["foot"]
    # toes have no marker: the foot's length is scaled from the shank's
    foot_length = foot.length / lines["shank"].length * shank
    sole = np.array([foot.com * foot_length, 0.0, 0.0])
    parts = (
        ("thigh", thigh, "pelvis", [0.0, -lines["thigh"].com * thigh, 0.0]),
        ("shank", shank, f"{side} thigh", [0.0, -lines["shank"].com * shank, 0.0]),
        ("foot", foot_length, f"{side} shank", np.asarray(heel) + sole),
    )
    return [
        Segment(
            f"{side} {name}",
            lines[name].mass * mass,
            com,
            lines[name].inertia(mass, length, along="x" if name == "foot" else "y"),
            parent,
        )
        for name, length, parent, com in parts
    ]


def leg_lengths(poses: Poses, side: str) -> tuple[float, float]:
    """Return (thigh, shank) of a leg, on average, from the joint centres [m]."""
    hip, knee, ankle = (poses[f"{side} {name}"][1] for name in ("thigh", "shank", "foot"))
    return distance(hip, knee), distance(knee, ankle)


def upper_body(poses: Poses, mass: float, sex: str = "male") -> Segment:
    """Return pelvis, trunk, arms and head as one rigid segment, standing upright on the hips.

    The trunk has no markers: its length is scaled from the legs, the arms hang, and it rotates with
    the pelvis relative to the mean orientation of the trial. This is accurate enough to check
    whether the plates explain the motion (the residual), not to analyse the back.
    """
    measured = [sum(leg_lengths(poses, side)) for side in SIDES]
    average = body_segment("thigh", sex).length + body_segment("shank", sex).length
    standing = upper_body_segment(float(np.mean(measured)) / average, mass, sex)
    lean = _upright(poses["pelvis"][0])
    inertia = lean @ standing.inertia @ lean.T
    return Segment("pelvis", standing.mass, lean @ standing.com, inertia)


def upper_body_segment(scale: float, mass: float, sex: str = "male") -> Segment:
    """Return the same from its size relative to the average subject, y up, from the mid-hips."""
    parts = {n: body_segment(n, sex) for n in ("trunk 2", "head 2", "upper arm", "forearm", "hand")}
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
    inertia = np.zeros((3, 3))
    for (name, _, _), m, centre in zip(pieces, masses, centres, strict=True):
        inertia += parts[name].inertia(mass, scale * parts[name].length)
        inertia += steiner(m, centre - com)
    return Segment("pelvis", masses.sum(), com, inertia)


def _upright(R: Array) -> Array:
    """R_pelvis_upright (3, 3): axes that stand upright on average, in those of the pelvis."""
    x, y = R[..., 0].mean(axis=0), R[..., 1].mean(axis=0)
    up = np.eye(3)[np.abs(y).argmax()] * np.sign(y[np.abs(y).argmax()])
    x = x - (x @ up) * up
    x = x / np.linalg.norm(x)
    upright = np.stack([x, up, np.cross(x, up)], axis=-1)
    U, _, Vt = np.linalg.svd(R.mean(axis=0))  # the pelvis's own average
    return np.asarray((U @ Vt).T @ upright)


def distance(a: Array, b: Array) -> float:
    """Return how far points (n, 3) are from others, on average [m]."""
    return float(np.linalg.norm(a - b, axis=-1).mean())


def _average(pose: tuple[Array, Array], points: Array) -> Array:
    """Return where points (n, 3) are in a segment's axes, on average (3,)."""
    R, origin = pose
    return np.asarray(turn_back(R, points - origin).mean(axis=0))
