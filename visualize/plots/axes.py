"""Axes of plots: colours of series, labels, limits, legends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...errors import ConfigurationError, FootworkError
from ..viewer.series import TONES

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # Matplotlib is imported when something is drawn

SERIES = TONES
BAD = "#dc2626"
GRAY = "#9ca3af"


def axes_for(ax: Axes | None, x: str, y: str, title: str = "") -> Any:
    """Return `ax`, or the only axes of a new figure, with labels, a title and a quiet grid.

    Raises:
        FootworkError: Matplotlib is not installed.
    """
    if ax is None:
        ax = axes_grid(1, 1)[0, 0]
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if title:
        ax.set_title(title, fontsize="medium")
    ax.grid(visible=True, color="#e5e7eb", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def axes_grid(
    rows: int, columns: int, size: tuple[float, float] | None = None, **options: Any
) -> NDArray[Any]:
    """Return the axes (rows, columns) of a new figure of a size [inches].

    `options` are those of `pyplot.subplots`.

    Raises:
        FootworkError: Matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise FootworkError("plots need matplotlib: pip install 'footwork[plots]'") from error
    _, axes = pyplot.subplots(
        rows, columns, squeeze=False, figsize=size, layout="constrained", **options
    )
    return np.asarray(axes)


def polar(axes: NDArray[Any], column: int) -> None:
    """Make one of the axes (1, columns) of a figure polar."""
    figure = axes[0, column].figure
    axes[0, column].remove()
    axes[0, column] = figure.add_subplot(1, axes.shape[1], column + 1, projection="polar")


def finite(values: Array) -> Array:
    """Return values, nan for what is not finite, which leaves a gap."""
    return np.where(np.isfinite(values), values, np.nan)


def plot_series(
    t: ArrayLike,
    series: Mapping[str, ArrayLike],
    label: str,
    title: str = "",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw {name: values (n,)} over times t (n,) [s]; what is not finite leaves a gap.

    A sample alone, or between two gaps, is a dot.

    Args:
        t, series: as above.
        label: of the values, with their unit.
        title: of the axes; without one the names of the series stand above them.
        ax: to draw into.

    Raises:
        ConfigurationError: a series of another length than t.
    """
    times = np.asarray(t, dtype=float)
    curves = {name: np.asarray(values, dtype=float) for name, values in series.items()}
    for name, y in curves.items():
        if y.shape != times.shape or y.ndim != 1:
            raise ConfigurationError(
                f"series {name!r}: got shape {y.shape}, expected {times.shape} as of the times"
            )
    ax = axes_for(ax, "time [s]", label, title)
    for i, (name, y) in enumerate(curves.items()):
        alone = _alone(np.isfinite(y))
        dots: dict[str, Any] = {"marker": ".", "markevery": alone} if alone else {}
        ax.plot(times, finite(y), color=SERIES[i % len(SERIES)], linewidth=1.2, label=name, **dots)
    if len(times) > 1:
        ax.margins(x=0)
    ticks: Any = ax.yaxis.get_major_formatter()
    if hasattr(ticks, "set_useOffset"):  # those of logarithms have none
        ticks.set_useOffset(False)  # it would stand beside the title
    if title and curves:  # which is where the legend would be
        ax.legend(fontsize="small")
    elif curves:
        legend_above(ax)
    return ax


def _alone(known: NDArray[np.bool_]) -> list[int]:
    """Return the samples (n,) that no line reaches, as none beside them is known."""
    beside = np.concatenate([[False], known, [False]])
    found: list[int] = np.flatnonzero(known & ~beside[:-2] & ~beside[2:]).tolist()
    return found


def draw_cells(ax: Axes, x: Array, y: Array, values: Array, **how: Any) -> Any:
    """Draw values (ny, nx) as cells around x (nx,) and y (ny,) in any order; return the mesh.

    Of equal ones the first is drawn. `how`: as for `pcolormesh`.
    """
    (x, columns), (y, rows) = (np.unique(places, return_index=True) for places in (x, y))
    return ax.pcolormesh(_borders(x), _borders(y), values[np.ix_(rows, columns)], **how)


def _borders(places: Array) -> Array:
    """Borders (n + 1,) of cells around ascending places (n,); one alone has a cell too."""
    middles = (places[1:] + places[:-1]) / 2
    if len(middles) == 0:
        half = 0.1 * np.abs(places) + (places == 0)
        return np.concatenate([places - half, places + half])
    return np.concatenate([2 * places[:1] - middles[:1], middles, 2 * places[-1:] - middles[-1:]])


def legend_above(ax: Axes) -> Axes:
    """Write the legend above the axes, on the right, where it hides no curve."""
    ax.legend(
        fontsize="x-small", loc="lower right", bbox_to_anchor=(1, 1), ncols=4, frameon=False,
        borderaxespad=0.1,
    )  # fmt: skip
    return ax


def edges(ax: Axes, *limits: float, label: str | None = None) -> None:
    """Draw horizontal lines at limits, dashed and red."""
    for limit in limits:
        ax.axhline(limit, color=BAD, linewidth=1.0, linestyle="--", label=label)
