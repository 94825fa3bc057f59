"""Files of contact schedules, read: rows of a file as contacts and when they touch."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ContactError, FootworkError, unknown
from ...files import as_path
from ...robots import Foot, Robot
from ..contact import Contact, PointContact
from ..contact_set import ContactSet, at_feet
from ..scenario.file import Entry, ScenarioError, parse, read
from .corners import corner_points, on_grounds
from .masks import Mask
from .schedule_file import FRICTION, ROW, UP, VERSION, step
from .soles import Sole, soles_of
from .timed_loads import AppliedWrench, CarriedMass, Load

_BYTES, _VALUES = 50_000_000, 2_000_000  # of a file


def load(
    path: str | Path, robot: Robot, t: Array, feet: Mapping[str, Foot] | None = None
) -> tuple[ContactSet, Mask, tuple[Load, ...]]:
    """Return contacts, which touch at times t (n, C), and loads; see `ContactSchedule.load`."""
    path, loads = as_path(path, error=ContactError), []
    if path.suffix == ".csv":
        entries = _entries_of_table(read(path, _BYTES), str(path))
    elif path.suffix in (".yaml", ".yml"):
        whole = parse(read(path, _BYTES), str(path), _BYTES, _VALUES, "contact schedule")
        fields = whole.fields(("version", "robot", "contacts", "loads"))
        _check_head(fields, robot, str(path))
        entries = [e.fields(ROW) | {"": e} for e in fields["contacts"].items()]
        loads = [_load(e, robot) for e in (fields["loads"].items() if "loads" in fields else [])]
    else:
        raise ContactError(f"path: got {str(path)!r}; expected one that ends in .yaml or .csv")
    reading = _Reading(robot, t, feet)
    for row in entries:
        reading.add(row)
    return *reading.contacts(), tuple(loads)


def _check_head(fields: Mapping[str, Entry], robot: Robot, file: str) -> None:
    for name in ("version", "contacts"):
        if name not in fields:
            raise ScenarioError(f"{file}: no {name}; expected the keys version and contacts")
    if fields["version"].number("a version") != VERSION:
        raise fields["version"].expected(f"{VERSION}, the version that this footwork reads")
    if "robot" in fields and fields["robot"].text() != robot.name:
        raise fields["robot"].expected(f"{robot.name!r}, the robot that moves")


def _entries_of_table(text: str, file: str) -> list[dict[str, Entry]]:
    """The cells of a table as values of YAML at their lines, so that one reader does for both."""
    import yaml

    rows = csv.reader(io.StringIO(text))
    head = [cell.strip() for cell in next(rows, [])]
    for name in head:
        if name not in ROW:
            raise ScenarioError(f"{file}:1: {unknown('column', name, ROW)}")
    found = []
    for cells in rows:
        mark = yaml.Mark(file, 0, rows.line_num - 1, 0, None, 0)
        if len(cells) > len(head):
            raise ScenarioError(
                f"{file}:{rows.line_num}: got {len(cells)} cells, expected the {len(head)} columns "
                f"{', '.join(head)}"
            )

        def entry(value: str, key: str, mark: Any = mark) -> Entry:
            words = value.split()
            parts = [yaml.ScalarNode("", word, mark, mark) for word in words]
            listed = key in ("normal", "offset") and len(words) > 1
            node: Any = yaml.SequenceNode("", parts, mark, mark) if listed else (
                yaml.ScalarNode("", value.strip(), mark, mark))  # fmt: skip
            return Entry(node, key, file)

        row = {
            key: entry(cell, key) for key, cell in zip(head, cells, strict=False) if cell.strip()
        }
        if row:
            found.append(row | {"": entry("", "row")})
    return found


class _Reading:
    """Intervals of a file as they become contacts, in the order of feet, grounds and corners."""

    def __init__(self, robot: Robot, t: Array, feet: Mapping[str, Foot] | None) -> None:
        self.robot, self.t, self.feet = robot, t, feet
        self.points: dict[str, list[Contact]] = {}  # of feet and frames that occur
        self.soles: dict[str, Sole] = {}
        self.masks: dict[str, dict[tuple[float, ...], Mask]] = {}  # of their grounds: (n, corners)

    def contacts(self) -> tuple[ContactSet, Mask]:
        """Return the contacts, and which touch (n, C)."""
        order = [name for name in self.known if name in self.points]
        found: list[Contact] = []
        columns: list[Mask] = []
        for name in [*order, *(name for name in self.points if name not in order)]:
            for contact, _, column in on_grounds(self.points[name], self.masks[name].items()):
                found.append(contact)
                columns.append(column)
        touching = np.array(columns, dtype=bool).reshape(len(found), len(self.t)).T
        return ContactSet(self.robot, found), touching

    def add(self, row: Mapping[str, Entry]) -> None:
        """Take in a row {key: entry}."""
        for key in ("from", "to"):
            if key not in row:
                raise row[""].error(f"no {key}; expected the keys {', '.join(ROW)}")
        name = self._contacts(row)
        start, end = (row[key].number("a time [s]") for key in ("from", "to"))
        if end < start:
            raise row["to"].expected(f"a time from {start:g} s on, when it begins")
        room = step(self.t) / 4
        rows = (self.t >= start - room) & (self.t <= end + room)
        if not rows.any():
            raise row["from"].expected(
                f"times with a sample of {self.t[0]:g} to {self.t[-1]:g} s between them"
            )
        which = self._corners(name, row)
        normal = row["normal"].plain() if "normal" in row else UP
        friction = row["friction"].number("μ") if "friction" in row else FRICTION
        try:
            ground = (*PointContact("any", friction, np.array(normal)).normal.tolist(), friction)
        except FootworkError as error:
            raise row["normal" if "normal" in str(error) else "friction"].error(
                str(error)
            ) from None
        masks = self.masks.setdefault(name, {})
        mask = masks.setdefault(ground, np.zeros((len(self.t), len(which)), dtype=bool))
        masks[ground] = mask | (rows[:, None] & which)

    def _contacts(self, row: Mapping[str, Entry]) -> str:
        """The name of a foot or frame, whose points are known from now on."""
        if ("foot" in row) == ("frame" in row):
            raise row[""].error("expected a foot or a frame, one of both")
        if "foot" in row:
            name, feet = row["foot"].text(), self.known
            if name not in feet:
                raise row["foot"].error(unknown("foot", name, feet))
            self.points.setdefault(name, corner_points(feet[name]))
            return name
        frame = row["frame"].text()
        if frame not in self.robot.frame_names:
            raise row["frame"].error(unknown("frame", frame, self.robot.frame_names))
        name = row["name"].text() if "name" in row else frame
        offset = row["offset"].plain() if "offset" in row else (0.0, 0.0, 0.0)
        try:
            point = PointContact(frame, FRICTION, offset=np.array(offset), name=name)
        except FootworkError as error:
            raise row["offset"].error(str(error)) from None
        self.points.setdefault(name, [point])
        return name

    def _corners(self, name: str, row: Mapping[str, Entry]) -> Any:
        word = "all"
        if "corners" in row:
            given = row["corners"].plain() if row["corners"].node.id == "sequence" else None
            word = row["corners"].text() if given is None else " ".join(f"{x:g}" for x in given)
        if name not in self.soles:
            self.soles |= soles_of(ContactSet(self.robot, self.points[name]))
        try:
            return self.soles[name].corners(word)
        except ContactError as error:
            raise row["corners"].error(str(error)) from None

    @cached_property
    def known(self) -> dict[str, Contact]:
        """The contacts of the feet."""
        if self.feet is None and not self.robot.feet:
            return {}
        return {contact.name: contact for contact in at_feet(self.robot, feet=self.feet)}


def _load(entry: Entry, robot: Robot) -> Load:
    """A payload or a wrench of a file."""
    keys = ("carry", "mass", "at", "from", "to", "ramp", "push", "t", "force", "moment")
    row = entry.fields(keys)
    kind = next((key for key in ("carry", "push") if key in row), None)
    if kind is None:
        raise entry.error("expected carry: FRAME or push: FRAME")
    frame = row[kind].text()
    if frame not in robot.frame_names:
        raise row[kind].error(unknown("frame", frame, robot.frame_names))
    names = {"from": "start", "to": "end"}
    values = {names.get(k, k): e.plain() for k, e in row.items() if k != kind}
    cls: Any = CarriedMass if kind == "carry" else AppliedWrench
    allowed = set(cls.__dataclass_fields__)
    for key in row:
        if key != kind and names.get(key, key) not in allowed:
            raise row[key].error(f"not of {kind}")
    try:
        return cls(frame, **values)  # type: ignore[no-any-return]
    except (FootworkError, TypeError) as error:
        raise entry.error(str(error)) from None
