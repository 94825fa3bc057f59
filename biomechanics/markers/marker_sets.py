"""Marker sets: correspondence of anatomical landmarks and marker names in files.

Landmarks of a leg: hip (its joint centre, if the file has one), knee lateral and medial (femoral
epicondyles), ankle lateral and medial (malleoli), heel, toe lateral and medial (heads of the fifth
and the first metatarsal). Of the pelvis: the anterior and posterior superior iliac spines (asis,
psis), right and left.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from ...errors import ConfigurationError, DataError, unknown
from ...robots.values import mapping, text
from .. import lab_text
from ..series.vectors import cross, dot
from .markers import Markers

OUTWARDS = {"right": 1.0, "left": -1.0}  # sign of the way away from the other leg along z
SIDES = tuple(OUTWARDS)
_STRETCH = 0.15  # of the length of a shank: skin makes 0.05
_KEYS = {"name", "legs", "pelvis"}

LEG = (
    "knee lateral",
    "knee medial",
    "ankle lateral",
    "ankle medial",
    "heel",
    "toe lateral",
    "toe medial",
)
PELVIS = ("right asis", "left asis", "right psis", "left psis")


@dataclass(frozen=True)
class MarkerSet:
    """Marker names of the landmarks of legs and pelvis.

    Attributes:
        name: of the convention.
        legs: {side: {landmark: marker}}, "right", "left" or both.
        pelvis: {landmark: marker}, or empty: then the legs have a "hip".
    """

    name: str
    legs: Mapping[str, Mapping[str, str]]
    pelvis: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        text(self.name, "name")
        mapping(self.pelvis, "pelvis", kind="landmark")
        for side, leg in mapping(self.legs, "legs", kind="side").items():
            mapping(leg, f"legs[{side!r}]", kind="landmark")
            if side not in SIDES:
                raise ConfigurationError(unknown("side", side, SIDES))
            for landmark in (*LEG, *(() if self.pelvis else ("hip",))):
                if landmark not in leg:
                    raise ConfigurationError(f"{self.name!r}: no marker for the {side} {landmark}")
        for landmark in PELVIS if self.pelvis else ():
            if landmark not in self.pelvis:
                raise ConfigurationError(f"{self.name!r}: no marker for the {landmark}")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the set that a YAML or JSON file describes.

        legs: {right: {knee lateral: RKNE, knee medial: RKNM, …}, left: {…}}, and
        pelvis: {right asis: RASI, …}, or a hip on every leg.

        Raises:
            DataError: no such file, or one with other contents.
            ConfigurationError: a landmark without a marker.
        """
        import yaml

        file, lines = lab_text.read_lines(path)
        try:
            content = yaml.safe_load("\n".join(lines))
        except yaml.YAMLError as error:
            raise DataError(f"{file}: {error}") from None
        tables = content if isinstance(content, dict) else {}
        legs, pelvis = tables.get("legs"), tables.get("pelvis") or {}
        nested = legs.values() if isinstance(legs, dict) else [None]
        if not all(isinstance(x, dict) for x in (pelvis, *nested)) or set(tables) - _KEYS:
            raise DataError(
                f"{file}: expected legs: {{right: {{landmark: marker}}}} and pelvis: "
                f"{{landmark: marker}}; got {list(tables) or type(content).__name__}"
            )
        named = {str(side): _words(leg) for side, leg in dict(legs or {}).items()}
        return cls(str(tables.get("name", file.stem)), named, _words(pelvis))

    @property
    def markers(self) -> tuple[str, ...]:
        """Names of all its markers."""
        names = [name for leg in self.legs.values() for name in leg.values()]
        return (*names, *self.pelvis.values())


def _words(table: Mapping[object, object]) -> dict[str, str]:
    return {str(k): str(v) for k, v in table.items()}


def _leg(pattern: str, names: str) -> dict[str, str]:
    return {k: pattern.format(n) for k, n in zip(LEG, names.split(), strict=True)}


ONE_LEG = MarkerSet("one leg", {"right": {"hip": "FH", **_leg("{}", "LE ME LM MM CA VM FM")}})
BOTH_LEGS = MarkerSet(
    "both legs",
    {
        side: _leg(side[0].upper() + ".{}", "Knee Knee.Medial Ankle Ankle.Medial Heel MT5 MT1")
        for side in SIDES
    },
    {
        f"{side} {spine}": f"{side[0].upper()}.{spine.upper()}"
        for side in SIDES
        for spine in ("asis", "psis")
    },
)
MARKER_SETS = (BOTH_LEGS, ONE_LEG)


def marker_set_of(markers: Markers) -> MarkerSet:
    """Return the known marker set whose markers are all present.

    Raises:
        ConfigurationError: no known set fits; define a `MarkerSet`.
    """
    lacking = {}
    for known in MARKER_SETS:
        lacking[known.name] = [name for name in known.markers if name not in markers]
        if not lacking[known.name]:
            return known
    told = "; ".join(f"{name!r} lacks {', '.join(names)}" for name, names in lacking.items())
    raise ConfigurationError(
        f"the markers {', '.join(markers.names)} belong to no known set: {told}; define a MarkerSet"
    )


def on_their_sides(markers: Markers, names: MarkerSet) -> tuple[MarkerSet, str | None]:
    """Return the set with corrected sides, and a note if they were swapped.

    On a right leg the lateral markers are to the right of the direction of the toes. Files may
    name sides wrongly or use left-handed axes; a single leg may be either.

    Raises:
        ConfigurationError: only one leg is on the wrong side: lateral and medial markers are
            confused.
    """
    wrong = [side for side, leg in names.legs.items() if _side(markers, leg) != side]
    if not wrong:
        return names, None
    if len(wrong) != len(names.legs):
        raise ConfigurationError(
            f"the {wrong[0]} leg's lateral markers are on its inner side, the other leg's are not: "
            "lateral and medial markers are confused"
        )
    swapped = replace(
        names,
        legs={_swapped(side): leg for side, leg in names.legs.items()},
        pelvis={_swapped(landmark): name for landmark, name in names.pelvis.items()},
    )
    told = f"the leg named {wrong[0]} is a {_swapped(wrong[0])} one"
    if len(wrong) == 2:
        told = "right and left are swapped: the leg named right is on the body's left"
    return swapped, f"{told} (x forwards, y up and z to the right); corrected"


def _side(markers: Markers, leg: Mapping[str, str]) -> str:
    """Return the side on which the lateral markers are, seen along the foot."""
    point = {landmark: markers[name] for landmark, name in leg.items()}
    forwards = (point["toe lateral"] + point["toe medial"]) / 2 - point["heel"]
    upwards = point["knee lateral"] + point["knee medial"]
    upwards = upwards - point["ankle lateral"] - point["ankle medial"]
    outwards = point["ankle lateral"] - point["ankle medial"]
    to_the_right = dot(cross(forwards, upwards), outwards)
    return "right" if np.nanmean(np.sign(to_the_right)) > 0 else "left"


def _swapped(landmark: str) -> str:
    """The same on the other side, of "right", "left asis", …"""
    side, space, place = landmark.partition(" ")
    return ("left" if side == "right" else "right") + space + place


def implausible(markers: Markers, names: MarkerSet) -> list[str]:
    """Return notes on joints wider than a joint is, and on shanks that change their length."""
    notes = []
    for side, leg in names.legs.items():
        found = [
            f"the {side} {joint}'s markers are {width:.3f} m apart: one of them is misplaced, and "
            f"with it the {joint}'s centre and the axes beside it"
            for joint, widest in (("knee", 0.18), ("ankle", 0.14))
            if (width := _width(markers, leg, joint)) > widest
        ]
        notes += found or _stretched(markers, leg, side)
    return notes


def _width(markers: Markers, leg: Mapping[str, str], joint: str) -> float:
    """Return the median distance of the two markers of a joint [m]."""
    gap = markers[leg[f"{joint} lateral"]] - markers[leg[f"{joint} medial"]]
    return float(np.nanmedian(np.linalg.norm(gap, axis=1)))


def _stretched(markers: Markers, leg: Mapping[str, str], side: str) -> list[str]:
    """Return a note if knee and ankle change their distance by more than skin moves markers."""
    knee, ankle = (
        (markers[leg[f"{joint} lateral"]] + markers[leg[f"{joint} medial"]]) / 2
        for joint in ("knee", "ankle")
    )
    low, length, high = np.nanpercentile(np.linalg.norm(knee - ankle, axis=1), [5, 50, 95])
    if high - low <= _STRETCH * length:
        return []
    return [
        f"the {side} knee is {low:.2f} to {high:.2f} m from the ankle: do their labels belong to "
        "other joints?"
    ]
