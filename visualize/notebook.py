"""HTML of a display in a notebook: its texts, and below them the plot of `fw.plot`.

It holds no script and asks no network for anything; it takes the colours of letters and lines from
the notebook, so that it is read in bright and in dark themes.
"""

from __future__ import annotations

import base64
import html
import io
from typing import Any

import numpy as np

from .. import registry
from ..errors import FootworkError
from .displays import Display, Table, display_of

_BAR = "border-left: 6px solid {}; padding-left: 8px; margin: 4px 0; font-weight: bold"
_CELL = "text-align: left; padding: 1px 12px 1px 0"


def html_of(x: Any) -> str:
    """Return x in words and numbers, and its plot, if it has one and Matplotlib is installed."""
    display = display_of(x)
    facts = [(what, value) for what, value in display.facts.items() if value]
    parts = [_title(display), _table(Table((), facts))]
    parts += [_table(table) for table in display.tables]
    parts += [f'<pre style="overflow-x: auto">{html.escape(display.text)}</pre>'] * bool(
        display.text
    )
    parts.append(_picture(x if display.plotted is None else display.plotted))
    return f"<div>{''.join(parts)}</div>"


def _title(display: Display) -> str:
    return f'<div style="{_BAR.format(display.color or "gray")}">{html.escape(display.title)}</div>'


def _table(table: Table) -> str:
    """Return a table's HTML, folded when it has a caption; nothing when it has no rows."""
    if not table.rows:
        return ""
    rows = ["".join(_cell("td", text) for text in row) for row in table.rows]
    if table.columns:
        rows.insert(0, "".join(_cell("th", head) for head in table.columns))
    lines = "".join(f"<tr>{row}</tr>" for row in rows)
    made = f'<table style="border-collapse: collapse">{lines}</table>'
    if not table.caption:
        return made
    return f"<details><summary>{html.escape(table.caption)}</summary>{made}</details>"


def _cell(tag: str, text: str) -> str:
    return f'<{tag} style="{_CELL}">{html.escape(text)}</{tag}>'


def _picture(x: Any) -> str:
    """Return the plot of x as an image of some ten kilobytes; "" when there is none."""
    try:
        axes = registry.plot(x)
    except FootworkError:  # no Matplotlib, or no picture, as of a sweep over three axes
        return ""
    from matplotlib import pyplot

    figure, data = np.ravel(axes)[0].figure, io.BytesIO()
    figure.savefig(data, format="png", dpi=72)
    pyplot.close(figure)
    image = base64.b64encode(data.getvalue()).decode()
    return f'<img style="max-width: 100%" src="data:image/png;base64,{image}">'
