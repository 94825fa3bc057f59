"""The schema of scenario files, version 1: from entries to values, and back to text.

Every kind of part is a table of keys and how to read them, in the words of its dataclass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from ...errors import FootworkError
from ..terrain.solids import Box, Plane, Stairs, Wall
from .file import Entry
from .loads import Payload, Push, Rope
from .parts import KINDS, ScenarioContact, Start

VERSION = 1
Readers = Mapping[str, Callable[[Entry], Any]]


def _point(entry: Entry) -> tuple[float, ...]:
    return entry.numbers([3], "[x, y, z]")


def _place(entry: Entry) -> tuple[float, ...]:
    """(x, y), on the ground z = 0, or (x, y, z)."""
    at = entry.numbers([2, 3], "[x, y] or [x, y, z] [m]")
    return at if len(at) == 3 else (*at, 0.0)


def _where(entry: Entry) -> tuple[float, ...]:
    return entry.numbers([2, 3], "[x, y] or [x, y, z] [m]")


def _spot(entry: Entry) -> Any:
    if entry.is_text:
        if entry.text() != "com":
            raise entry.expected("[x, y, z] in the frame's axes [m], or com")
        return "com"
    return _point(entry)


def _length(entry: Entry) -> float:
    return entry.number(1e-9, 1e6, "a positive length [m]")


def _amount(entry: Entry) -> float:
    return entry.number(0.0, what="a number of at least 0")


def _friction(entry: Entry) -> float:
    return entry.number(0.0, 1000.0, "a number from 0 to 1000")


def _frictions(entry: Entry) -> Any:
    """One coefficient, or two along two tangents."""
    if entry.is_text:
        return _friction(entry)
    return entry.numbers([2], "a number, or two along two tangents")


def _angle(entry: Entry) -> float:
    return entry.number(-1e6, 1e6, "an angle [degrees]")


def _heading(entry: Entry) -> Any:
    return entry.number(what="degrees or [x, y, z]") if entry.is_text else _point(entry)


def _count(entry: Entry) -> int:
    value = entry.number(1, 1000, "a whole number from 1 to 1000")
    if value != int(value):
        raise entry.expected("a whole number from 1 to 1000")
    return int(value)


def _corners(entry: Entry) -> tuple[tuple[float, ...], ...]:
    return tuple(corner.numbers([2], "[x, y] [m]") for corner in entry.items("a list of [x, y]"))


def _com(entry: Entry) -> Any:
    """(x, y) or (x, y, z) with None where it is free, or "inside"."""
    if entry.is_text:
        if entry.text() != "inside":
            raise entry.expected("[x, y], [x, y, z] with free where it is free, or inside")
        return "inside"
    items = entry.items()
    if len(items) not in (2, 3):
        raise entry.expected("[x, y] or [x, y, z] [m]")
    return tuple(None if i.is_text and i.node.value == "free" else i.number() for i in items)


def _names(entry: Entry) -> tuple[str, ...]:
    return tuple(item.text() for item in entry.items("a list of names"))


def _joints(entry: Entry) -> tuple[tuple[str, float], ...]:
    return tuple((name, value.number()) for name, value in entry.fields().items())


_TEXT: Callable[[Entry], Any] = Entry.text

TERRAIN: dict[str, tuple[type, Readers]] = {
    "plane": (Plane, {"at": _place, "rises": _angle, "towards": _angle, "friction": _friction}),
    "box": (Box, {"size": _point, "at": _place, "heading": _angle, "rises": _angle,
                  "friction": _friction}),
    "stairs": (Stairs, {"steps": _count, "rise": _length, "depth": _length, "width": _length,
                        "at": _place, "heading": _angle, "friction": _friction}),
    "wall": (Wall, {"at": _place, "facing": _angle, "width": _length, "height": _length,
                    "thickness": _length, "friction": _friction}),
}  # fmt: skip

LOADS: dict[str, tuple[type, Readers]] = {
    "push": (Push, {"force": _point, "moment": _point, "at": _spot}),
    "rope": (Rope, {"anchor": _point, "tension": _amount, "at": _spot}),
    "carry": (Payload, {"mass": _amount, "at": _spot}),
}

CONTACT: Readers = {
    "foot": _TEXT,
    "frame": _TEXT,
    "kind": lambda entry: entry.choice("kind of contact", KINDS),
    "half_length": _length,
    "half_width": _length,
    "vertices": _corners,
    "radius": _length,
    "offset": _point,
    "turn": _point,
    "surface": _TEXT,
    "at": _where,
    "heading": _heading,
    "friction": _frictions,
    "tangent": _point,
    "clip": Entry.flag,
    "bilateral": Entry.flag,
    "name": _TEXT,
}

START: Readers = {"at": _place, "heading": _angle, "joints": _joints}


def terrain_part(entry: Entry) -> Any:
    """Return a plane, box, stairs or wall."""
    return _of_kind(entry, TERRAIN, "name")


def load(entry: Entry) -> Any:
    """Return a push, a rope or a payload."""
    return _of_kind(entry, LOADS, "frame")


def contact(entry: Entry) -> ScenarioContact:
    """Return a `ScenarioContact`."""
    made: ScenarioContact = _made(entry, ScenarioContact, _filled(entry, ScenarioContact, CONTACT))
    return made


def start(entry: Entry) -> Start:
    """Return a `Start`."""
    where: Start = _made(entry, Start, _filled(entry, Start, START))
    return where


def _many(read: Callable[[Entry], Any]) -> Callable[[Entry], tuple[Any, ...]]:
    return lambda entry: tuple(read(item) for item in entry.items())


SCENARIO: Readers = {
    "title": _TEXT,
    "about": _TEXT,
    "robot": _TEXT,
    "passive": _names,
    "lock": _names,
    "posture": _TEXT,
    "start": start,
    "com": _com,
    "friction": _frictions,
    "terrain": _many(terrain_part),
    "contacts": _many(contact),
    "loads": _many(load),
    "self_collision": Entry.flag,
    "torque_limits": Entry.flag,
    "view": _point,
}


def scenario(entry: Entry) -> dict[str, Any]:
    """Return the values of a scenario by key.

    Raises:
        ScenarioError: with file, line and key.
    """
    given = entry.fields(["version", *SCENARIO])
    if "version" not in given:
        raise entry.error(f"no version; expected `version: {VERSION}`")
    if given["version"].number(what="a version") != VERSION:
        raise given["version"].expected(f"{VERSION}, the version that this footwork reads")
    if "robot" not in given:
        raise entry.error("no robot; expected `robot:` with a name or a file")
    return {key: read(given[key]) for key, read in SCENARIO.items() if key in given}


def lines(entry: Entry) -> dict[str, int]:
    """Return {key: line} of everything in the file."""
    found = {entry.key: entry.line}
    if entry.node.id == "mapping":
        inner = list(entry.fields().values())
    else:
        inner = entry.items() if entry.node.id == "sequence" else []
    for item in inner:
        found |= lines(item)
    return found


def _of_kind(entry: Entry, kinds: Mapping[str, tuple[type, Readers]], named: str) -> Any:
    """A mapping with one key that says what it is, and what it is called or acts on."""
    given = [key for key in entry.fields() if key in kinds]
    if len(given) != 1:
        got = " and ".join(given) or ", ".join(entry.fields()) or "nothing"
        raise entry.error(f"got {got}, expected exactly one of the keys {', '.join(kinds)}")
    kind = given[0]
    cls, readers = kinds[kind]
    values = _filled(entry, cls, {kind: _TEXT, **readers}, {named: kind})
    values[named] = values.pop(kind)
    return _made(entry, cls, values)


def _filled(
    entry: Entry, cls: type, readers: Readers, renamed: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The values of a mapping's keys, none missing."""
    given = entry.fields(readers)
    for field in fields(cls):
        key = (renamed or {}).get(field.name, field.name)
        if field.default is MISSING and key not in given:
            raise entry.error(f"no {key}; expected the keys {', '.join(readers)}")
    return {key: readers[key](value) for key, value in given.items()}


def _made(entry: Entry, cls: type, values: dict[str, Any]) -> Any:
    try:
        return cls(**values)
    except FootworkError as error:
        raise entry.error(str(error)) from None


# --- back to text ------------------------------------------------------------------------------


def as_text(value: Any) -> str:
    """Return the file of a scenario: what is not as usual, one key a line."""
    rows = [f"version: {VERSION}"]
    for key in SCENARIO:
        content, usual = getattr(value, key), _usual(type(value), key)
        if content == usual:
            continue
        if key in ("terrain", "contacts", "loads"):
            rows += ["", f"{key}:", *(row for part in content for row in _listed(part))]
        elif key == "start":
            rows += ["", "start:", *(f"  {row}" for row in _rows(content, {}))]
        else:
            rows.append(f"{key}: {_written(content)}")
    return "\n".join(rows) + "\n"


def _listed(part: Any) -> list[str]:
    """A part as an entry of a list."""
    kinds = {cls: (kind, named) for table, named in ((TERRAIN, "name"), (LOADS, "frame"))
             for kind, (cls, _) in table.items()}  # fmt: skip
    kind, named = kinds.get(type(part), ("", ""))
    rows = _rows(part, {named: kind})
    return [f"  {'-' if k == 0 else ' '} {row}" for k, row in enumerate(rows)]


def _rows(part: Any, renamed: Mapping[str, str]) -> list[str]:
    rows = []
    for field in fields(part):
        content = getattr(part, field.name)
        if field.name in renamed or content != field.default:
            rows.append(f"{renamed.get(field.name, field.name)}: {_written(content)}")
    return rows


def _usual(cls: type, key: str) -> Any:
    field = next(f for f in fields(cls) if f.name == key)
    return field.default if field.default_factory is MISSING else field.default_factory()


def _written(content: Any) -> str:
    if isinstance(content, bool):
        return "true" if content else "false"
    if content is None:
        return "free"
    if isinstance(content, int | float | np.number):
        short = f"{content:.12g}"
        return short if float(short) == content else repr(float(content))
    if isinstance(content, tuple):
        if content and isinstance(content[0], tuple) and isinstance(content[0][0], str):
            inner = (f"{_written(name)}: {_written(number)}" for name, number in content)
            return f"{{{', '.join(inner)}}}"
        return f"[{', '.join(map(_written, content))}]"
    text = str(content)
    plain = re.fullmatch(r"[A-Za-z0-9_./][A-Za-z0-9_./ -]*[A-Za-z0-9_./]|[A-Za-z0-9_]", text)
    return text if plain else json.dumps(text, ensure_ascii=False)
