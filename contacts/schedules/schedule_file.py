"""Files of contact schedules, written: a row for each time of a foot, as YAML or as a table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ContactError
from ...files import as_path, write
from ..contact import Contact, PointContact
from ..contact_set import ContactSet
from ..scenario.file import written
from .intervals import Interval
from .timed_loads import AppliedWrench, CarriedMass, Load

VERSION = 1
ROW = ("foot", "frame", "name", "corners", "offset", "from", "to", "friction", "normal")
UP = (0.0, 0.0, 1.0)
FRICTION = 0.7
_HEAD = """\
# Which corners of which foot touch, from when to when, both included [s].
# corners: all, heel, toe, inner edge, outer edge, or their numbers, such as 1 3
"""


def save(
    path: str | Path,
    contacts: ContactSet,
    t: Array,
    intervals: Iterable[Interval],
    loads: Iterable[Load],
) -> Path:
    """Write intervals and loads; see `ContactSchedule.save`."""
    path = as_path(path, error=ContactError)
    for contact in contacts:
        _check_told(contact, known=contact.part_of or contact.name in contacts.robot.feet)
    rows, carried = [_row(contacts, each, _digits(t)) for each in intervals], list(loads)
    if path.suffix in (".yaml", ".yml"):
        return write(path, _as_yaml(contacts.robot.name, rows, carried))
    if path.suffix == ".csv":
        if carried:
            raise ContactError(f"{path}: a table has no place for loads; expected .yaml")
        return write(path, _as_table(rows))
    raise ContactError(f"path: got {str(path)!r}; expected one that ends in .yaml or .csv")


def _check_told(contact: Contact, known: object) -> None:
    """Refuse contacts of which a file would leave something out; of known feet it has all."""
    plain = PointContact(contact.frame, contact.friction, name=contact.name)
    told = {"frame", "friction", "name", "normal", "offset"}
    told |= {"radius", "part_of", "weight"} if known else set()
    if not isinstance(contact, PointContact):
        kind = type(contact).__name__
        raise ContactError(f"{contact.name}: got a {kind}, expected points: see `at_corners`")
    for name in contact.__dataclass_fields__:
        if name not in told and getattr(contact, name) != getattr(plain, name):
            raise ContactError(f"{contact.name}: files of schedules have no word for its {name}")
    if np.ndim(contact.friction):
        raise ContactError(f"{contact.name}: got two coefficients of friction, expected one")


def _digits(t: Array) -> int:
    """Decimals that tell samples apart: rounding moves times by less than a tenth of a step."""
    return max(3, math.ceil(-math.log10(step(t) / 5)))


def step(t: Array) -> float:
    """Return the shortest time between samples [s]."""
    return float(np.diff(t).min()) if len(t) > 1 else 1e-3


def _row(contacts: ContactSet, interval: Interval, digits: int) -> dict[str, Any]:
    """The cells of an interval, those that say nothing left out."""
    contact = contacts[interval.contacts[0]]
    row: dict[str, Any] = {}
    if contact.part_of or contact.name in contacts.robot.feet:
        row = {"foot": interval.foot, "corners": interval.corners}
    else:
        row = {"frame": contact.frame}
        if interval.foot != contact.frame:
            row["name"] = interval.foot
        if contact.centre_in_frame.any():
            row["offset"] = contact.centre_in_frame.tolist()
    row |= {"from": round(interval.start, digits), "to": round(interval.end, digits)}
    row["friction"] = interval.friction
    return row if interval.normal == UP else row | {"normal": list(interval.normal)}


def _as_yaml(robot: str, rows: list[dict[str, Any]], loads: list[Load]) -> str:
    lines = [_HEAD + f"version: {VERSION}", f"robot: {written(robot)}"]
    lines += ["contacts:" if rows else "contacts: []", *(f"- {written(row)}" for row in rows)]
    if loads:
        lines += ["loads:", *(f"- {written(_load_row(load))}" for load in loads)]
    return "\n".join(lines) + "\n"


def _load_row(load: Load) -> dict[str, Any]:
    at = {} if load.at is None else {"at": np.asarray(load.at).tolist()}
    if isinstance(load, CarriedMass):
        times = {"from": load.start, "to": load.end, "ramp": load.ramp or None}
        known = {key: value for key, value in times.items() if value is not None}
        return {"carry": load.frame, "mass": load.mass, **at, **known}
    if isinstance(load, AppliedWrench):
        names = ("t", "force", "moment")
        return {"push": load.frame, **at} | {
            n: np.asarray(getattr(load, n)).tolist() for n in names
        }
    raise ContactError(f"loads: files have no word for a {type(load).__name__}")


def _as_table(rows: Iterable[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    table = csv.DictWriter(text, ROW, restval="", lineterminator="\n")
    table.writeheader()
    for row in rows:
        cells = {k: " ".join(map(repr, v)) if isinstance(v, list) else v for k, v in row.items()}
        table.writerow(cells)
    return text.getvalue()
