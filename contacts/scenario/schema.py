"""The schema of scenario files, version 1: from entries to values, and back to text.

The keys of every kind of part are the attributes of its dataclass, which checks their values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeVar

from ...errors import ContactError, FootworkError
from ..terrain.height_map import HeightMap, read_heights
from ..terrain.solids import Box, Plane, Stairs, Wall
from .file import Entry, written
from .loads import Payload, Push, Rope
from .parts import ScenarioContact, Start

Part = TypeVar("Part")

VERSION = 1

# parts that begin with their kind, whose value is the name of a solid, or the frame of a load
TERRAIN: Mapping[str, type] = {
    "plane": Plane,
    "box": Box,
    "stairs": Stairs,
    "wall": Wall,
    "map": HeightMap,
}
LOADS: Mapping[str, type] = {"push": Push, "rope": Rope, "carry": Payload}
_KINDS = {cls: (kind, "name") for kind, cls in TERRAIN.items()} | {
    cls: (kind, "frame") for kind, cls in LOADS.items()
}
PLACED = (Start, *TERRAIN.values())  # whose `at` may be (x, y)
# the order of a file that is written
_ORDER = (
    "title about robot passive lock motors posture start com friction terrain contacts loads "
    "self_collision torque_limits gravity view"
)


def keys_of(cls: type) -> dict[str, str]:
    """Return {key of the file: attribute} of a part, or of the scenario."""
    kind, named = _KINDS.get(cls, ("", ""))
    names = [field.name for field in fields(cls) if field.compare]
    return {kind if name == named else name: name for name in names}


def scenario(entry: Entry, cls: type[Part], **more: Any) -> Part:
    """Return the scenario of a file, an instance of `cls` with the attributes `more` besides.

    Raises:
        ScenarioError: with file, line and key.
    """
    given = entry.fields(["version", *keys_of(cls)])
    if "version" not in given:
        raise entry.error(f"no version; expected `version: {VERSION}`")
    if given["version"].number("a version") != VERSION:
        raise given["version"].expected(f"{VERSION}, the version that this footwork reads")
    return _made(entry, cls, given, **more)


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


def _made(entry: Entry, cls: type[Part], given: Mapping[str, Entry], **more: Any) -> Part:
    """What the entries of a mapping make; what it refuses is told of the entry that is wrong."""
    keys = keys_of(cls)
    attributes = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
    for key, name in keys.items():
        field = attributes[name]
        if field.default is field.default_factory is MISSING and key not in given:
            raise entry.error(f"no {key}; expected the keys {', '.join(keys)}")
    own = {keys[key]: item for key, item in given.items() if key in keys}
    for name, item in own.items():
        read = _READERS.get(name, _BY_TYPE.get(attributes[name].type, Entry.plain))
        more[name] = read(item)
        if name == "at" and cls in PLACED:
            more[name] = on_level(more[name])
    try:
        return cls(**more)
    except FootworkError as error:
        found = re.fullmatch(r"(\w+): got .*, expected (.*)", str(error), re.DOTALL)
        if found and found[1] in own:
            raise own[found[1]].expected(_in_words(found[2])) from None
        raise entry.error(str(error)) from None


def _in_words(expected: str) -> str:
    """The shapes of arrays as a file has them."""
    for shape, words in (("(2,)", "[x, y]"), ("(3,)", "[x, y, z]"), ("(n, 2)", "a list of [x, y]")):
        expected = expected.replace(shape, words)
    return expected.replace("3 numbers", "[x, y, z]")


def _part(cls: type) -> Callable[[Entry], Any]:
    return lambda entry: _made(entry, cls, entry.fields(keys_of(cls)))


def _parts(kinds: Mapping[str, type]) -> Callable[[Entry], tuple[Any, ...]]:
    """Parts with one key that says what each is, and what it is called or acts on."""

    def read(entry: Entry) -> Any:
        given = [key for key in entry.fields() if key in kinds]
        if len(given) != 1:
            got = " and ".join(given) or ", ".join(entry.fields()) or "nothing"
            raise entry.error(f"got {got}, expected exactly one of the keys {', '.join(kinds)}")
        return _part(kinds[given[0]])(entry)

    return _many(read)


def _many(read: Callable[[Entry], Any]) -> Callable[[Entry], tuple[Any, ...]]:
    return lambda entry: tuple(read(item) for item in entry.items())


def on_level(at: Any) -> Any:
    """Return (x, y) as a place on the level z = 0; anything else as it is."""
    return (*at, 0.0) if isinstance(at, tuple) and len(at) == 2 else at


def _com(entry: Entry) -> Any:
    """(x, y) or (x, y, z) with None where it is free, or a text."""
    if entry.is_text:
        return entry.text()
    return tuple(
        None if i.is_text and i.node.value == "free" else i.number() for i in entry.items()
    )


def _heights(entry: Entry) -> Any:
    """A table, or the file of one, relative to that of the scenario."""
    if not entry.is_text:
        return entry.plain()
    try:
        return read_heights(Path(entry.file).parent / entry.text("a table, or its file"))
    except ContactError as error:
        raise entry.error(str(error)) from None


def _joints(entry: Entry) -> tuple[tuple[str, Any], ...]:
    """A number each, or several where the joint's q has several."""
    given = entry.fields().items()
    return tuple((name, v.number() if v.is_text else v.plain()) for name, v in given)


def _torque_limits(entry: Entry) -> Any:
    """true, false, a share of them, or {joint: limit}."""
    if not entry.is_text:
        return _joints(entry)
    if entry.is_number:
        return entry.number()
    return entry.flag("true, false, a share of them in [0, 1], or joints with limits [N·m]")


_READERS: Mapping[str, Callable[[Entry], Any]] = {
    "start": _part(Start),
    "torque_limits": _torque_limits,
    "joints": _joints,
    "com": _com,
    "heights": _heights,
    "terrain": _parts(TERRAIN),
    "contacts": _many(_part(ScenarioContact)),
    "loads": _parts(LOADS),
}
_BY_TYPE: Mapping[Any, Callable[[Entry], Any]] = {
    "str": Entry.text,
    "bool": Entry.flag,
    "tuple[str, ...]": _many(Entry.text),
}


# --- back to text ------------------------------------------------------------------------------


def as_text(value: Any) -> str:
    """Return the file of a scenario: what is not as usual, one key a line."""
    rows, usual = [f"version: {VERSION}"], {f.name: f.default for f in fields(value)}
    for key in _ORDER.split():
        content = getattr(value, key)
        if content == usual[key]:
            continue
        if key in ("terrain", "contacts", "loads"):
            rows += ["", f"{key}:"]
            for part in content:
                first, *rest = _rows(part)
                rows += [f"  - {first}", *(f"    {row}" for row in rest)]
        elif key == "start":
            rows += ["", "start:", *(f"  {row}" for row in _rows(content))]
        else:
            rows.append(f"{key}: {written(content)}")
    return "\n".join(rows) + "\n"


def _rows(part: Any) -> list[str]:
    """The lines of a part, its kind and what is not as usual."""
    usual = {field.name: field.default for field in fields(part)}
    values = {key: (name, getattr(part, name)) for key, name in keys_of(type(part)).items()}
    kept = {k: v for k, (name, v) in values.items() if k != name or v != usual[name]}
    return [f"{key}: {written(content)}" for key, content in kept.items()]
