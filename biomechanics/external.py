"""External wrenches on the segments of a chain, such as ground reactions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..errors import ConfigurationError
from .segment_motion import SegmentMotion
from .segment_tree import External, SegmentTree
from .wrench_series import WrenchSeries


def at_centres(
    chain: SegmentTree, motion: SegmentMotion, external: External | None
) -> tuple[Array, Array]:
    """Return the sums of forces and of moments about the centres of mass, each (n, k, 3), world.

    Raises:
        ConfigurationError: no such segment, no `WrenchSeries`, or one of another length.
    """
    if not isinstance(external or {}, Mapping):
        raise ConfigurationError(
            f"external: got {type(external).__name__}; expected {{segment: WrenchSeries}}"
        )
    centres = motion.points(chain.coms)
    forces, moments = np.zeros_like(centres), np.zeros_like(centres)
    for name, given in (external or {}).items():
        i = chain.index(name)
        for item in given if isinstance(given, (list, tuple)) else [given]:
            wrench = _checked(item, name, len(motion))
            moved = wrench.at(centres[:, i]) if len(wrench) > 1 else _spread(wrench, centres[:, i])
            forces[:, i] += moved.force
            moments[:, i] += moved.moment
    return forces, moments


def _checked(wrench: object, name: str, frames: int) -> WrenchSeries:
    if not isinstance(wrench, WrenchSeries):
        raise ConfigurationError(
            f"external[{name!r}]: got {type(wrench).__name__}; expected a WrenchSeries"
        )
    if len(wrench) not in (1, frames):
        raise ConfigurationError(
            f"external[{name!r}]: got {len(wrench)} frames; the motion has {frames}"
        )
    return wrench


def _spread(wrench: WrenchSeries, points: Array) -> WrenchSeries:
    """One frame: the same in every frame."""
    force, moment, point = (
        np.broadcast_to(x[0], points.shape) for x in (wrench.force, wrench.moment, wrench.point)
    )
    return WrenchSeries(force, moment, point).at(points)
