"""Colours by margin: red where nothing can be spared, green where much can."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..contacts.hold import Hold

if TYPE_CHECKING:
    from .viewer import ColorRamp


def margin_ramp(hold: Hold) -> ColorRamp:
    """Return the colours of a margin in newtons: red at 0, green at the weight's even share.

    The even share, m g divided by the number of contacts, is what a contact of a robot that stands
    squarely carries.
    """
    from .viewer import ColorRamp

    share = hold.balance.weight / max(len(hold.contacts), 1)
    return ColorRamp(0.0, share, "normal force that may go", "N")


def contact_colors(hold: Hold) -> dict[str, str]:
    """Return {contact: "#rrggbb"} by what each alone could lose, `hold.contact_margins`."""
    ramp = margin_ramp(hold)
    return {name: _color(ramp, margin) for name, margin in hold.contact_margins.items()}


def margin_color(hold: Hold) -> str:
    """Return "#rrggbb" by the margin of all contacts together, for the centre of mass."""
    return _color(margin_ramp(hold), hold.margin)


def _color(ramp: ColorRamp, margin: float) -> str:
    """A margin that was not found is drawn as one at the edge."""
    return ramp.color(ramp.low if math.isnan(margin) else margin)
