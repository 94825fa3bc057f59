"""Time series of vectors: validation and vector algebra over the frames of a trial."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.values import array, whole_number


def as_series(value: ArrayLike, shape: tuple[int, ...], name: str, frames: int | None) -> Array:
    """Return `value` as a finite float array (n, *shape); one without a time axis is constant.

    Args:
        value: (n, *shape), or (*shape) for the same value in every frame.
        shape: of one frame.
        name: for the message.
        frames: n, or None: any number.

    Raises:
        ConfigurationError: another shape, or a value that is not finite.
    """
    series = array(value, name, shape, (frames, *shape), gaps=True)
    if series.shape == shape:
        series = np.broadcast_to(series, (frames or 1, *shape))
    missing = np.flatnonzero(np.isnan(series).any(axis=tuple(range(1, series.ndim))))
    if len(missing):
        raise ConfigurationError(
            f"{name}: {len(missing)} of {len(series)} frames are not finite, the first is frame "
            f"{missing[0]}; fill or cut the gaps first"
        )
    return series


def unskew(matrices: Array) -> Array:
    """Return u (…, 3) of the skew-symmetric part of matrices (…, 3, 3)."""
    half = (matrices - np.swapaxes(matrices, -1, -2)) / 2
    return np.stack([half[..., 2, 1], half[..., 0, 2], half[..., 1, 0]], axis=-1)


def cross(a: Array, b: Array) -> Array:
    """Return a × b (…, 3), several times faster than `np.cross` on long series."""
    x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.stack([x, y, z], axis=-1)


def turn(R: Array, vectors: Array) -> Array:
    """Return R u (…, 3), frame by frame."""
    return np.asarray((R @ vectors[..., None])[..., 0])


def turn_back(R: Array, vectors: Array) -> Array:
    """Return Rᵀ u (…, 3), frame by frame."""
    return turn(np.swapaxes(R, -1, -2), vectors)


def dot(a: Array, b: Array) -> Array:
    """Return a·b (…), frame by frame."""
    return np.asarray((a * b).sum(axis=-1))


def rms(vectors: Array) -> float:
    """Return the root mean square of |u| over the frames, of vectors (n, 3)."""
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))


def between(first: int, last: int, count: int, what: str = "frames") -> slice:
    """Return the slice of the frames from first to last, both included.

    Raises:
        ConfigurationError: frames that are not among `count`.
    """
    first, last = (
        whole_number(first, f"first of the {what}"),
        whole_number(last, f"last of the {what}"),
    )
    if not 0 <= first <= last < count:
        raise ConfigurationError(
            f"{what} first to last: got {first} to {last}; expected some from 0 to {count - 1}"
        )
    return slice(first, last + 1)
