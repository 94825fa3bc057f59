"""YAML with the line and key of every value, for error messages.

YAML as data and nothing more: no tags, no anchors and aliases, each key once, limited in size and
depth. What a text means is decided by who reads it, not by its looks, so that a robot may be called
`on` or `1e3`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import files
from ...errors import FootworkError, unknown

MAX_BYTES = 200_000
MAX_DEPTH = 12
MAX_VALUES = 5_000

_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./ -]*[A-Za-z0-9_./]|[A-Za-z0-9_]")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
FLAGS = {"true": True, "yes": True, "false": False, "no": False}


class ScenarioError(FootworkError, ValueError):
    """A scenario that cannot be read, or that asks for something that does not exist."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A value of the file.

    Attributes:
        node: YAML's node.
        key: how to get there, as in "contacts[1].friction".
        file: for messages.
        whole: whether it is all of the file, and the key what kind of file that is.
    """

    node: Any
    key: str
    file: str
    whole: bool = False

    @property
    def line(self) -> int:
        """Counted from 1."""
        return int(self.node.start_mark.line) + 1

    def error(self, words: str) -> ScenarioError:
        """Return an error that says where."""
        return ScenarioError(f"{self.file}:{self.line}: {self.key}: {words}")

    def expected(self, what: str) -> ScenarioError:
        """Return the error of a value that is something else."""
        return self.error(f"got {_shown(self.node)}, expected {what}")

    @property
    def is_text(self) -> bool:
        """Whether it is a single value: no list, no mapping."""
        return bool(self.node.id == "scalar")

    def text(self, what: str = "a text") -> str:
        """Return a text of one to 500 letters."""
        if not self.is_text or not 0 < len(self.node.value.strip()) <= 500:
            raise self.expected(what)
        return str(self.node.value).strip()

    @property
    def is_number(self) -> bool:
        """Whether it is a finite number, without quotes."""
        plain = self.is_text and not self.node.style and _NUMBER.fullmatch(self.node.value)
        return bool(plain and np.isfinite(float(self.node.value)))

    def number(self, what: str = "a number") -> float:
        """Return a finite number."""
        if not self.is_number:
            raise self.expected(what)
        return float(self.node.value)

    def plain(self) -> Any:
        """Return a number, a text, or a tuple of numbers and of such tuples."""
        if self.is_text:
            return self.number() if self.is_number else str(self.node.value)
        items = self.items("a value, or a list")
        return tuple(item.number() if item.is_text else item.plain() for item in items)

    def flag(self, what: str = "true or false") -> bool:
        """Return true or false."""
        word = str(self.node.value).lower() if self.is_text else ""
        if word not in FLAGS:
            raise self.expected(what)
        return FLAGS[word]

    def items(self, what: str = "a list") -> list[Entry]:
        """Return the entries of a list."""
        if self.node.id != "sequence":
            raise self.expected(what)
        return [Entry(n, f"{self.key}[{k}]", self.file) for k, n in enumerate(self.node.value)]

    def fields(self, keys: Iterable[str] = ()) -> dict[str, Entry]:
        """Return the entries of a mapping by key; with `keys`, others are refused."""
        if self.node.id != "mapping":
            raise self.expected("keys with values")
        found: dict[str, Entry] = {}
        names = list(keys)
        for name, value in self.node.value:
            if name.id != "scalar":
                raise Entry(name, self.key, self.file).expected("a key that is a single word")
            key = str(name.value)
            where = key if self.whole else f"{self.key}.{key}"
            if key in found:
                first = found[key].line
                raise Entry(name, where, self.file).error(f"given twice (first in line {first})")
            if names and key not in names:
                raise Entry(name, where, self.file).error(unknown("key", key, names))
            found[key] = Entry(value, where, self.file)
        return found


def read(path: Path, largest: int = MAX_BYTES) -> str:
    """Return the text of a regular file of a reasonable size.

    Raises:
        ScenarioError: no such file, a folder, a pipe or device, too large, not UTF-8.
    """
    data = files.read(path, largest, "a scenario file", ScenarioError)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None


def parse(
    text: str, file: str, largest: int = MAX_BYTES, most: int = MAX_VALUES, kind: str = "scenario"
) -> Entry:
    """Return the one document of a text, which is a `kind` of file.

    Raises:
        ScenarioError: no YAML, or more of it than plain data: see above.
    """
    import yaml

    if len(text) > largest:
        raise ScenarioError(f"{file}: {len(text)} letters; at most {largest} are read")
    try:
        _refuse_more_than_data(text, file, most, kind)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{file}:{mark.line + 1}" if mark else file
        raise ScenarioError(f"{where}: no YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ScenarioError(f"{file}: no YAML: {str(error).splitlines()[0]}") from None
    if node is None:
        raise ScenarioError(f"{file}: empty, expected a {kind}")
    return Entry(node, kind, file, whole=True)


def _refuse_more_than_data(text: str, file: str, most: int, kind: str) -> None:
    """Look at the events only: nothing is built yet."""
    import yaml

    depth = count = documents = 0
    events: Iterable[Any] = yaml.parse(text, Loader=yaml.SafeLoader)
    for event in events:
        where = f"{file}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ScenarioError(f"{where}: anchors (&) and aliases (*) are not read; write it out")
        if getattr(event, "tag", None):
            raise ScenarioError(f"{where}: tags (!) are not read: got {event.tag!r}")
        documents += isinstance(event, yaml.DocumentStartEvent)
        if documents > 1:
            raise ScenarioError(f"{where}: a second document; expected one {kind} a file")
        count += isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent)
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH or count > most:
            raise ScenarioError(
                f"{where}: too deep or too long; at most {MAX_DEPTH} levels and {most} "
                "values are read"
            )


def _shown(node: Any) -> str:
    """A value as in the file, cut short."""
    if node.id == "scalar":
        value = str(node.value)
        return repr(value if len(value) <= 60 else f"{value[:57]}…") if value else "nothing"
    if node.id == "mapping":
        return "keys with values" if node.value else "nothing"
    parts = [_shown(item).replace("'", "") for item in node.value[:4]]
    return f"[{', '.join(parts)}{', …' if len(node.value) > 4 else ''}]"


def written(value: Any) -> str:
    """Return a value in one line of YAML, as `Entry` reads it.

    Args:
        value: a number, which is written in full; a text, True, False, None (`free`), a list, or a
            mapping, as a dictionary or as pairs (key, value).
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "free"
    if isinstance(value, int | float | np.number):
        short = f"{value:.12g}"
        return short if float(short) == value else repr(float(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], tuple) and isinstance(value[0][0], str):
            return written(dict(value))
        return f"[{', '.join(map(written, value))}]"
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
