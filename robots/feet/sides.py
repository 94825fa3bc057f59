"""Sides of feet, by their names."""

from __future__ import annotations

import re

PARTS = re.compile("(leg|foot|ankle|sole|toe|wheel)$")  # that a side may be written with
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of snake_case and of CamelCase
ROWS = "fhrbm"  # of feet: front, hind, rear, back, middle


def side(name: str) -> int:
    """Return 1 where a name tells a foot on the left, −1 on the right, 0 where it tells neither.

    As in left_foot, l_sole, LAnkle, LLEG_5, FL_foot, foot_RR or LF: of two letters one is a row.
    """
    for word in WORDS.findall(name):
        letters = PARTS.sub("", word.lower())
        if letters in ("left", "l") or _of_row(letters, "l"):
            return 1
        if letters in ("right", "r") or _of_row(letters, "r"):
            return -1
    return 0


def _of_row(letters: str, side: str) -> bool:
    """Whether two letters are this side and a row."""
    return len(letters) == 2 and side in letters and letters.replace(side, "", 1) in ROWS
