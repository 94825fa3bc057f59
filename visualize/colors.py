"""Colours of what is drawn, the same in every scene and plot, and colours by margin."""

from __future__ import annotations

import math

from ..contacts.hold import Hold
from .viewer.checks import css
from .viewer.ramp import ColorRamp

COLORS = {
    # contacts and what they do
    "patch": "gray",
    "cone": "yellow",
    "force": "blue",
    "load": "cyan",
    "motion": "purple",
    "region": "teal",
    "acceleration": "orange",
    "zmp": "orange",
    # the robot
    "com": "magenta",
    "dcm": "cyan",
    "velocity": "purple",
    "rotation": "pink",
    "trail": "blue",
    # what is around it
    "solid": "#cbbfae",
    "plane": "#d8d2c8",
    "rope": "brown",
    "payload": "#a8784e",
    "target": "orange",
    # verdicts
    "holds": "green",
    "does not hold": "red",
    "at the edge": "orange",
    # checks of an audit, and all others of them
    "contacts": "red",
    "torques": "orange",
    "flight": "purple",
    "other checks": "blue",
}
# `Hold.feasible` in words, each with its colour
VERDICTS = {True: "holds", False: "does not hold", None: "at the edge"}


def hex_of(thing: str) -> str:
    """Return "#rrggbb" of one of `COLORS`, as Matplotlib has it."""
    return css(COLORS[thing])


def cause_color(check: str) -> str:
    """Return the name of the colour of a check that refuses a sample of a motion."""
    return COLORS.get(check, COLORS["other checks"])


def margin_ramp(hold: Hold) -> ColorRamp:
    """Return the colours of a margin in newtons: red at 0, green at the weight's even share.

    The even share, m g divided by the number of contacts, is what a contact of a robot that stands
    squarely carries.
    """
    share = hold.balance.weight / max(len(hold.contacts), 1)
    return ColorRamp(0.0, share, "normal force that may go", "N")


def contact_colors(hold: Hold) -> dict[str, str]:
    """Return {contact: "#rrggbb"} by what each alone could lose, `hold.contact_margins`."""
    ramp = margin_ramp(hold)
    return {name: ramp_color(ramp, margin) for name, margin in hold.contact_margins.items()}


def margin_color(hold: Hold) -> str:
    """Return "#rrggbb" by the margin of all contacts together, for the centre of mass."""
    return ramp_color(margin_ramp(hold), hold.margin)


def ramp_color(ramp: ColorRamp, margin: float) -> str:
    """Return "#rrggbb" of a margin; one that was not found is drawn as one at the edge."""
    return ramp.color(ramp.low if math.isnan(margin) else margin)
