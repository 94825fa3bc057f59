"""Animations: how nodes of the page's tree move in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import umsgpack  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ...arrays import Array


def tracks(
    times: Array, poses: Mapping[str, Array], visible: Mapping[str, NDArray[np.bool_]] | None = None
) -> list[dict[str, Any]]:
    """Return the clips that move nodes through poses, for `commands.set_animation`.

    Args:
        times: (n,) [s], increasing; the page's clock starts at the first.
        poses: path of a node -> (n, 4, 4): a scale along its axes, a rotation, a translation [m].
            Nodes that stay where they are get no clip.
        visible: path of a node -> (n,), whether it is seen, for nodes that come and go.
    """
    clips = []
    for path, matrices in poses.items():
        moves = _moves(times, matrices) if np.ptp(matrices, axis=0).max() > 1e-9 else []
        seen = (visible or {}).get(path)
        if seen is not None and not seen.all():
            moves.append(_track(".visible", "bool", times, seen))
        if moves:  # fps 1: the page divides the times by it
            clips.append({"path": path, "clip": {"fps": 1, "name": "motion", "tracks": moves}})
    return clips


def _moves(times: Array, matrices: Array) -> list[dict[str, Any]]:
    from scipy.spatial.transform import Rotation

    scales = np.linalg.norm(matrices[:, :3, :3], axis=1)
    quaternions = Rotation.from_matrix(matrices[:, :3, :3] / scales[:, None, :]).as_quat()
    moves = [
        _track(".position", "vector3", times, matrices[:, :3, 3]),
        _track(".quaternion", "quaternion", times, quaternions),
    ]
    if np.ptp(scales, axis=0).max() > 1e-9:
        moves.append(_track(".scale", "vector3", times, scales))
    return moves


def _track(name: str, kind: str, times: Array, values: NDArray[Any]) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "times": _floats(times - times[0]),
        "values": values.tolist() if kind == "bool" else _floats(values.ravel()),
    }


def _floats(values: Array) -> Any:
    return umsgpack.Ext(0x17, values.astype(np.float32).tobytes())  # a Float32Array in the page
