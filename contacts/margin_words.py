"""Margins in words, those that are infinite or unknown too."""

from __future__ import annotations

import math


def margin_words(margin: float) -> str:
    """Return `Hold.margin` in words."""
    if math.isfinite(margin):
        return f"margin {margin:.4g} N of normal force at every contact"
    if math.isnan(margin):
        return "margin not found by the solver"
    if margin > 0:
        return "margin without bound: whatever normal force is taken away, squeezing gives it back"
    return "no margin: no pull at the contacts, however large, would hold it"


def push_words(push: float) -> str:
    """Return `Hold.push_margin()` in words."""
    size = f"{push:.4g} N" if math.isfinite(push) else "more than a thousand times its weight"
    return f"push margin {size} at the centre of mass, any direction"


def friction_words(factor: float) -> str:
    """Return `Hold.friction_margin()` in words."""
    if math.isfinite(factor):
        return f"friction margin {factor:.4g} (may shrink by this factor)"
    return "friction margin without bound: it holds on ice, and on points in place of soles"
