"""Animations: how nodes of the page's tree move in time, and drawings that move.

The shapes of every frame are made one shape with a motion. A piece that keeps its object from frame
to frame (an arrow's shaft, a ball, a cone's side) only moves; one whose object changes (a polygon
with other corners, a label with another text) becomes several, of which each frame shows one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
import umsgpack  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ...arrays import Array
from .checks import channels
from .series import Series, lane
from .shapes import Piece, Shape


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
        if moves:
            clips.append(_clip(path, moves))
    if not clips:  # nothing moves; time passes all the same
        path, matrices = next(iter(poses.items()))
        clips.append(_clip(path, _moves(times, matrices)))
    return clips


TINT = 0.6  # share of a tint in a colour
GLOW = 0.25  # share of a tint that a surface has without light, so that black ones take it on


def tints(
    times: Array, tones: Sequence[int | None], surfaces: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return the clips that give meshes {path: own colour} a tone (n of them, None: none)."""
    kept = [
        i
        for i, tone in enumerate(tones)
        if i in (0, len(tones) - 1) or tone != tones[i - 1] or tone != tones[i + 1]
    ]
    there = np.array([[0.0 if tones[i] is None else 1.0] for i in kept])
    tint = np.array([_rgb(tones[i] or 0) for i in kept])
    glow = _track(".material.emissive", "color", times[kept], GLOW * tint, times[0])
    return [
        _clip(path, [_track(".material.color", "color", times[kept], mixed, times[0]), glow])
        for path, color in surfaces.items()
        for mixed in [_rgb(color) + TINT * there * (tint - _rgb(color))]
    ]


def _rgb(color: int) -> Array:
    return np.array(channels(color)) / 255


def player(times: Array, series: Sequence[Series]) -> dict[str, Any]:
    """Return what the player shows of an animation, for `commands.set_animation`."""
    start = float(times[0])
    lanes = [lane(one, start, _floats) for one in series]
    return {"start": start, "step": float(np.median(np.diff(times))), "lanes": lanes}


def _clip(path: str, moves: list[dict[str, Any]]) -> dict[str, Any]:
    # fps 1: the page divides the times by it
    return {"path": path, "clip": {"fps": 1, "name": "motion", "tracks": moves}}


def _moves(times: Array, matrices: Array) -> list[dict[str, Any]]:
    scales = np.linalg.norm(matrices[:, :3, :3], axis=1)
    quaternions = scipy.spatial.transform.Rotation.from_matrix(
        matrices[:, :3, :3] / scales[:, None, :]
    ).as_quat()
    moves = [
        _track(".position", "vector3", times, matrices[:, :3, 3]),
        _track(".quaternion", "quaternion", times, quaternions),
    ]
    if np.ptp(scales, axis=0).max() > 1e-9:
        moves.append(_track(".scale", "vector3", times, scales))
    return moves


def _track(
    name: str, kind: str, times: Array, values: NDArray[Any], start: float | None = None
) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "times": _floats(times - (times[0] if start is None else start)),
        "values": values.tolist() if kind == "bool" else _floats(values.ravel()),
    }


def _floats(values: Array) -> Any:
    return umsgpack.Ext(0x17, values.astype(np.float32).tobytes())  # a Float32Array in the page


@dataclass(frozen=True, eq=False)
class Motion:
    """How a piece moves.

    Attributes:
        matrices: (n, 4, 4), where it stands at every frame.
        visible: (n,), whether it is seen there.
    """

    matrices: Array
    visible: NDArray[np.bool_]


def merged(frames: Sequence[Mapping[str, Shape]]) -> dict[str, tuple[Shape, dict[str, Motion]]]:
    """Return {name: (shape at the first frame, {piece: its motion})} of drawings by frame."""
    names = dict.fromkeys(name for frame in frames for name in frame)
    return {name: _moving([frame.get(name) for frame in frames]) for name in names}


def _moving(shapes: Sequence[Shape | None]) -> tuple[Shape, dict[str, Motion]]:
    variants: dict[str, list[Piece | None]] = {}
    for i, shape in enumerate(shapes):
        for key, piece in (shape.pieces if shape else {}).items():
            variants.setdefault(_variant(variants, key, piece), [None] * len(shapes))[i] = piece
    motions = {key: _motion(pieces) for key, pieces in variants.items()}
    pieces = {
        key: replace(_first(variants[key]), matrix=m.matrices[0], visible=bool(m.visible[0]))
        for key, m in motions.items()
    }
    extent = np.vstack([shape.extent for shape in shapes if shape])
    return Shape(pieces, extent), motions


def _variant(variants: Mapping[str, Sequence[Piece | None]], key: str, piece: Piece) -> str:
    """Return the key under which the piece's object is known, or a new one."""
    count, name = 1, key
    while name in variants and _first(variants[name]).object != piece.object:
        count, name = count + 1, f"{key}~{count}"
    return name


def _motion(pieces: Sequence[Piece | None]) -> Motion:
    """Fill the frames without the piece with where it last was, or will first be."""
    matrices, last = [], _first(pieces)
    for piece in pieces:
        last = piece or last
        matrices.append(last.matrix)
    return Motion(np.array(matrices), np.array([piece is not None for piece in pieces]))


def _first(pieces: Sequence[Piece | None]) -> Piece:
    return next(piece for piece in pieces if piece is not None)
