"""What all plots share: colours of series, and axes with labels and a title."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import FootworkError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SERIES = ("#0f766e", "#1d4ed8", "#b45309", "#7c3aed", "#be123c", "#4d7c0f")
BAD = "#dc2626"


def axes_for(ax: Axes | None, x: str, y: str, title: str = "") -> Any:
    """Return `ax`, or the only axes of a new figure, with labels, a title and a quiet grid.

    Raises:
        FootworkError: Matplotlib is not installed.
    """
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise FootworkError("plots need matplotlib: pip install 'footwork[plots]'") from error
        _, ax = pyplot.subplots(layout="constrained")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if title:
        ax.set_title(title, fontsize="medium")
    ax.grid(visible=True, color="#e5e7eb", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
