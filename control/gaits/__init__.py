"""Gaits of legged robots: their tables and phases, footholds, and the controllers that walk.

To read: `gait` (which feet swing, and the phases of so many steps), `control.dcm` (the balance
of a plan), `footholds` and `foothold_program` (where feet land), `walking` (a controller that
follows phases), `locomotion` (one that plans them for a commanded velocity).
"""

from __future__ import annotations

from .gait import (
    GAITS,
    RISE,
    Gait,
    Lags,
    crawl,
    feet_by_place,
    footsteps,
    gait_of,
    gaits_on,
    heading,
    middle,
    swings_in_turn,
    trot,
    under_com,
)

__all__ = [
    "GAITS",
    "RISE",
    "Gait",
    "Lags",
    "crawl",
    "feet_by_place",
    "footsteps",
    "gait_of",
    "gaits_on",
    "heading",
    "middle",
    "swings_in_turn",
    "trot",
    "under_com",
]
