"""Joint centres and anatomical segment frames from markers: x forward, y up, z to the right.

The axes are those of the International Society of Biomechanics (G. Wu et al., J. Biomech. 35 (2002)
543) as far as skin markers permit: knee and ankle centres lie midway between their two markers; the
hip centre is predicted from the pelvis (M. Harrington et al., J. Biomech. 40 (2007) 595). Every
frame has its origin in the segment's upper joint; all arrays run over the frames of a trial.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...errors import ConfigurationError
from ..series.vectors import cross
from .marker_sets import OUTWARDS, MarkerSet
from .markers import Markers

Poses = dict[str, tuple[Array, Array]]


def axes_along_y(y: Array, right: Array) -> Array:
    """Return R (n, 3, 3): y along its vector, x perpendicular to it and to `right`, z = x × y."""
    y = _unit(y, "the joint centres of a segment coincide")
    x = _unit(cross(y, right), "a segment's markers are in line")
    return np.stack([x, y, cross(x, y)], axis=-1)


def axes_along_x(x: Array, right: Array) -> Array:
    """Return R (n, 3, 3): x along its vector, y perpendicular to it and to `right`, z = x × y."""
    x = _unit(x, "heel and toes coincide")
    y = _unit(cross(right, x), "a segment's markers are in line")
    return np.stack([x, y, cross(x, y)], axis=-1)


def hip_centres(R_pelvis: Array, spines: dict[str, Array]) -> dict[str, Array]:
    """Return {side: hip joint centre (n, 3)} from the iliac spines, by Harrington's regression.

    With the width w between the anterior spines and the depth d from the middle of the posterior
    ones to theirs, both averaged over the trial, from the middle of the anterior ones in metres:
    (−0.24 d − 0.0099, −0.30 w − 0.0109, ±(0.33 w + 0.0073)). Its error against magnetic
    resonance imaging is about half a centimetre.
    """
    front = (spines["right asis"] + spines["left asis"]) / 2
    back = (spines["right psis"] + spines["left psis"]) / 2
    width = np.linalg.norm(spines["right asis"] - spines["left asis"], axis=-1).mean()
    depth = np.linalg.norm(front - back, axis=-1).mean()
    x, y, z = -0.24 * depth - 0.0099, -0.30 * width - 0.0109, 0.33 * width + 0.0073
    return {side: front + R_pelvis @ np.array([x, y, sign * z]) for side, sign in OUTWARDS.items()}


def segment_poses(markers: Markers, names: MarkerSet) -> Poses:
    """Return {segment: (R (n, 3, 3), origin (n, 3))}: "right thigh", "right shank", … and "pelvis".

    The pelvis has its origin midway between the hips.

    Raises:
        ConfigurationError: an unknown marker, or one missing in some frame.
    """
    markers.require_whole(names.markers)
    poses: Poses = {}
    hips: dict[str, Array] = {}
    if names.pelvis:
        spines = {landmark: markers[name] for landmark, name in names.pelvis.items()}
        R = _pelvis_axes(spines)
        hips = hip_centres(R, spines)
        poses["pelvis"] = (R, (hips["right"] + hips["left"]) / 2)
    for side, leg in names.legs.items():
        points = {landmark: markers[name] for landmark, name in leg.items()}
        poses |= _leg_poses(side, points, hips.get(side, points.get("hip")))
    return poses


def _pelvis_axes(spines: dict[str, Array]) -> Array:
    """z from the left to the right anterior spine, x in the plane of all four, y up."""
    right = spines["right asis"] - spines["left asis"]
    front = (spines["right asis"] + spines["left asis"]) / 2
    back = (spines["right psis"] + spines["left psis"]) / 2
    z = _unit(right, "the anterior spines coincide")
    y = _unit(cross(z, front - back), "the iliac spines are in line")
    return np.stack([cross(y, z), y, z], axis=-1)


def _leg_poses(side: str, points: dict[str, Array], hip: Array | None) -> Poses:
    if hip is None:
        raise ConfigurationError(f"no hip centre on the {side}: neither a marker nor a pelvis")
    knee = (points["knee lateral"] + points["knee medial"]) / 2
    ankle = (points["ankle lateral"] + points["ankle medial"]) / 2
    toes = (points["toe lateral"] + points["toe medial"]) / 2
    right = {
        joint: OUTWARDS[side] * (points[f"{joint} lateral"] - points[f"{joint} medial"])
        for joint in ("knee", "ankle", "toe")
    }
    return {
        f"{side} thigh": (axes_along_y(hip - knee, right["knee"]), hip),
        f"{side} shank": (axes_along_y(knee - ankle, right["ankle"]), knee),
        f"{side} foot": (axes_along_x(toes - points["heel"], right["toe"]), ankle),
    }


def _unit(vectors: Array, when_zero: str) -> Array:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if (length < 1e-6).any():
        raise ConfigurationError(f"frame {int(length.ravel().argmin())}: {when_zero}")
    return np.asarray(vectors / length)
