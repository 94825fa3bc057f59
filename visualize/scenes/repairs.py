"""Repairs as animations: the motion that was found, and the one that was wanted as a ghost."""

from __future__ import annotations

from ...contacts.audits.audit import Audit
from ...control.repairs.report import Repair
from ..viewer import Series, Viewer
from .audits import RATE, animate_audit, margin_span, picture_rows, series_of, stage_of

_WANTED = "as wanted"
_TONE = "orange"  # of the motion that was wanted


def view_repair(
    repair: Repair, *, rate: float = RATE, scale: float | None = None, detail: float = 0.0
) -> Viewer:
    """Return a Viewer that plays the repaired motion, the one that was wanted as a ghost with it.

    Below are the margins of both and which samples do not hold, besides what `view_audit` plots.

    Args:
        repair: of `control.repair`.
        rate, scale, detail: as for `view_audit`.
    """
    after, before = repair.after, repair.before
    viewer = stage_of(after, detail)
    rows = picture_rows(after.motion, rate)

    def ghost(i: int) -> None:
        viewer.ghost(_WANTED, before.motion.q[rows[i]], opacity=0.3, color=_TONE)

    animate_audit(viewer, after, series_of_both(before, after), rate, scale, ghost)
    shares = [f"{100 * audit.share:.3g} %" for audit in (before, after)]
    viewer.legend(f"{shares[0]} → {shares[1]} hold", {_WANTED: _TONE}, shows={_WANTED: _WANTED})
    return viewer


def series_of_both(before: Audit, after: Audit) -> list[Series]:
    """Return the series of the repaired motion, with both margins, and what did not hold."""
    shown = {series.name: series for series in series_of(after)}
    margins = {"repaired": after.margin, _WANTED: before.margin}
    margin = shown["margin"]
    shown["margin"] = Series(
        "margin",
        after.t,
        margins,
        "N",
        margin.bands,
        [0.0],
        margin_span(before, after),
        {_WANTED: _TONE},
    )
    bad = {_WANTED: ~before.good, "repaired": ~after.good}
    colors = {_WANTED: _TONE, "repaired": "red"}
    shown["does not hold"] = Series("does not hold", after.t, bad, colors=colors)
    return list(shown.values())
