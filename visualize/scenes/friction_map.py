"""Regions and friction maps on the ground of a picture."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts.regions.friction_map import FrictionMap
from ...errors import ContactError
from ..colors import COLORS
from ..viewer import Viewer

# from the least friction to the most
SHADES = (
    *("#440154", "#46327e", "#365c8d", "#277f8e"),
    *("#1fa187", "#4ac16d", "#a0da39", "#fde725"),
)


def view_friction_map(friction: FrictionMap, ground: float = 0.0) -> Viewer:
    """Return a Viewer that shows a friction map on the ground [m], and the centre of mass above."""
    viewer = Viewer(ground=ground, title="least friction")
    viewer.scale = float(max(np.ptp(friction.x), np.ptp(friction.y))) or 1.0
    draw_friction_map(viewer, friction, ground)
    viewer.point("com", friction.com, color=COLORS["com"])
    return viewer


def draw_friction_map(
    viewer: Viewer, friction: FrictionMap, ground: float = 0.0, legend: bool = True
) -> None:
    """Draw a friction map on the ground, in eight shades; places that nothing holds stay empty.

    Args:
        viewer: to draw into.
        friction: as `friction_map` returns it, of at least two places each way.
        ground: height of the ground [m].
        legend: whether the legend becomes that of the shades.

    Raises:
        ContactError: a map of a single row or column.
    """
    if min(friction.friction.shape) < 2:
        raise ContactError(f"friction: got {friction.friction.shape} places, expected two each way")
    edges, shades = _shades(friction.friction)
    x, y = _borders(friction.x), _borders(friction.y)
    height = ground + 0.003 * viewer.scale
    for j, row in enumerate(shades):
        for shade, cells in _runs(row):
            x0, x1, (y0, y1) = x[cells[0]], x[cells[-1] + 1], y[j : j + 2]
            corners = [(x0, y0, height), (x1, y0, height), (x1, y1, height), (x0, y1, height)]
            viewer.polygon(
                f"friction map/{j}/{cells[0]}",
                corners,
                color=SHADES[shade],
                opacity=0.8,
                radius=2e-4 * viewer.scale,
            )
    if legend:
        viewer.legend(
            "least friction μ",
            {f"up to {edge:.3g}": SHADES[i] for i, edge in enumerate(edges)},
        )


def _runs(row: NDArray[np.intp]) -> list[tuple[int, list[int]]]:
    """[(shade, its neighbouring columns), …] along a row, without those that nothing holds."""
    columns = groupby(range(len(row)), key=row.tolist().__getitem__)
    return [(shade, list(run)) for shade, run in columns if shade >= 0]


def _shades(values: Array) -> tuple[Array, NDArray[np.intp]]:
    """Upper edges of the shades, and the shade of every place, −1 where nothing holds."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    count = len(SHADES) if high - low > 1e-9 else 1
    edges = low + (high - low) * np.arange(1, count + 1) / count
    shades = np.minimum(
        np.searchsorted(edges, np.where(np.isfinite(values), values, 0.0)), count - 1
    )
    return edges, np.where(np.isfinite(values), shades, -1)


def _borders(centres: Array) -> Array:
    """Borders (n + 1,) between places (n,), half-way, and as far beyond the ends."""
    middle = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])
