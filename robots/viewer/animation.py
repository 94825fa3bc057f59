"""Animations: how nodes of the page's tree move in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import umsgpack  # type: ignore[import-untyped]
from numpy.typing import NDArray

Array = NDArray[np.float64]


def tracks(times: Array, poses: Mapping[str, Array]) -> list[dict[str, Any]]:
    """Return the clips that move nodes through poses, for `commands.set_animation`.

    Args:
        times: (n,) [s], increasing; the page's clock starts at the first.
        poses: path of a node -> (n, 4, 4), rotations and translations [m]. Nodes that stay where
        they
            are get no clip.
    """
    from scipy.spatial.transform import Rotation

    clips = []
    for path, matrices in poses.items():
        if np.ptp(matrices, axis=0).max() < 1e-9:
            continue
        quaternions = Rotation.from_matrix(matrices[:, :3, :3]).as_quat()
        moves = [
            _track(".position", "vector3", times, matrices[:, :3, 3]),
            _track(".quaternion", "quaternion", times, quaternions),
        ]
        # fps 1: the page divides the times by it
        clips.append({"path": path, "clip": {"fps": 1, "name": "motion", "tracks": moves}})
    return clips


def _track(name: str, kind: str, times: Array, values: Array) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "times": _floats(times - times[0]),
        "values": _floats(values.ravel()),
    }


def _floats(values: Array) -> Any:
    return umsgpack.Ext(0x17, values.astype(np.float32).tobytes())  # a Float32Array in the page
