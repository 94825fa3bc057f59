"""Stepping: how swing feet of walking controllers move, and what their footholds count on."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.profiles import minimum_jerk
from ..references import Profile


class Stepping(NamedTuple):
    """What differs between gaits that follow a plan of ξ and those that follow a prediction.

    Attributes:
        profile: of swing feet along the ground: s, s', s'' by the share of their time.
        bends: whether the robot gets lower where steps are long, so that no leg is longer at either
            end of its stance than it is where the robot stands. If so, more than two feet reach as
            far from beneath it, wherever it has been pushed to, see `Reach`.
        ankles: errors of ξ that soles correct without moving footholds [h]. Larger ones last, as p
            cannot correct them in most soles: at 0.065 TALOS fell 0.5 m behind its path in 10 s. At
            0.02 footholds answer what swinging legs do to ξ, and torques of the biped step by 2.8
            instead of 1.9 % of their limits.
        braking: share of the friction that footholds of soles count on: ground may be half as
            rough as told.
        lift: how high a foot on a point is lifted over a riser, as a multiple of how high it
            swings; soles twice as high. Without a prediction, three times as high throws robots.
        steps: longest step, in the gait's.
        shorter: by how much all feet stand shorter between two swings where steps are longest, so
            that legs swing no quicker than they must: joints have their largest speeds.
        adaptive_clearance: whether feet swing higher on ground that nobody told of, by as much as
            they have stood above or below where they were to land. A prediction knows what legs
            that are thrown higher do to the base; without one, small robots fall over them.
    """

    profile: Profile = minimum_jerk
    bends: bool = False
    ankles: float = 0.03
    braking: float = 0.5
    lift: float = 2.0
    steps: float = 1.0
    shorter: float = 0.0
    adaptive_clearance: bool = False
