"""Results in a notebook: numbers, and below them the plot of `fw.plot`."""

from __future__ import annotations

import base64
import html
import io
from collections import Counter
from functools import singledispatch
from typing import Any

import numpy as np

from .. import registry
from ..contacts.audits.audit import Audit
from ..contacts.audits.table import AuditTable
from ..contacts.hold import Hold
from ..contacts.regions.friction_map import FrictionMap
from ..contacts.regions.region import Region
from ..contacts.sweeps.result import Sweep
from ..control.repairs.report import Repair
from ..errors import FootworkError, counted


def html_of(x: Any) -> str:
    """Return x in words and numbers, and its plot, if it has one and Matplotlib is installed."""
    words = f"<pre>{html.escape(numbers_of(x))}</pre>"
    try:
        axes = registry.plot(x)
    except FootworkError:  # no Matplotlib, or no picture, as of a sweep over three axes
        return words
    from matplotlib import pyplot

    figure, data = np.ravel(axes)[0].figure, io.BytesIO()
    figure.savefig(data, format="png", dpi=72)
    pyplot.close(figure)
    return f'{words}<img src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'


@singledispatch
def numbers_of(x: Any) -> str:
    """Return what a notebook writes of x."""
    return repr(x)


@numbers_of.register
def _(hold: Hold) -> str:
    return hold.explain()


@numbers_of.register
def _(audit: Audit | AuditTable) -> str:
    return audit.explain()


@numbers_of.register
def _(repair: Repair) -> str:
    return repair.explain()


@numbers_of.register
def _(region: Region) -> str:
    corners = counted(len(region.vertices), "vertex", "vertices")
    return f"{region.status} region of {region.area:.4g} m², {corners}"


@numbers_of.register
def _(friction: FrictionMap) -> str:
    held = friction.friction[np.isfinite(friction.friction)]
    span = f" with friction from {held.min():.3g} to {held.max():.3g}" if len(held) else ""
    return f"{len(held)} of {friction.friction.size} places hold{span}"


@numbers_of.register
def _(sweep: Sweep) -> str:
    counts = Counter(sweep.feasible.ravel().tolist())
    return f"{sweep.feasible.size} verdicts: {counts[1]} hold, {counts[0]} do not"
