"""Messages of the page of a live scene: JSON objects, read strictly into Actions.

    {"do": "drag", "handle": "contact/left_foot", "mode": "move",
     "ray": [ox, oy, oz, dx, dy, dz], "forward": [x, y, z], "stamp": 17}

Each has exactly the keys of what it does, and a `stamp`, a whole number that grows. World axes [m].
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import FootworkError
from ...robots.values import boolean, one_of
from .actions import Action, Ask, Command, Drag, Drop, Grab, Pointer, SetValue

MOST_BYTES = 2_048
LONGEST_NAME = 200
FARTHEST = 1e4  # [m], the origin of a ray from that of the world
LARGEST = 1e9  # of a slider's value
LAST_STAMP = 2**53  # whole numbers up to there are exact in the page

MODES = ("move", "turn", "lift")
TEXTS = ("scenario", "python", "page")


class LiveError(FootworkError, ValueError):
    """A message of a page that says nothing that a live scene knows."""


def action_of(data: bytes) -> tuple[Action, int]:
    """Return what a message asks for, and its stamp.

    Raises:
        LiveError: anything that is not exactly one message.
    """
    message = _object(data)
    do = message.get("do")
    if not isinstance(do, str) or do not in _ACTIONS:
        raise LiveError(f"do: got {do!r:.40}, expected one of {', '.join(_ACTIONS)}")
    made, keys = _ACTIONS[do]
    expected = {"do", "stamp", *keys}
    if set(message) != expected:
        raise LiveError(
            f"{do}: got the keys {', '.join(sorted(message)):.200}, "
            f"expected {', '.join(sorted(expected))}"
        )
    values = {key: _VALUES[key](message[key], key) for key in keys}
    if "ray" in values:
        origin, direction = values.pop("ray")
        values["pointer"] = Pointer(origin, direction, values.pop("forward"))
    given = {"what": do} if made is Command else {}
    return made(**given, **values), _stamp(message["stamp"])


def _object(data: bytes) -> dict[str, Any]:
    if not isinstance(data, bytes) or len(data) > MOST_BYTES:
        raise LiveError(f"a message: got {data!r:.40}, expected at most {MOST_BYTES} bytes")
    try:
        message = json.loads(
            data.decode(), parse_constant=_no_number, object_pairs_hook=_each_key_once
        )
    except LiveError:
        raise
    except (ValueError, RecursionError) as error:
        raise LiveError(f"a message: got no JSON: {error!s:.80}") from None
    if not isinstance(message, dict):
        raise LiveError(f"a message: got {type(message).__name__}, expected a JSON object")
    return message


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise LiveError("a message: got a key twice, expected each once")
    return found


def _no_number(word: str) -> Any:
    raise LiveError(f"a message: got {word}, expected finite numbers")


# --- values ------------------------------------------------------------------------------------


def _number(value: Any, name: str, largest: float = LARGEST) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -largest <= value <= largest:  # compares integers of any size
        raise LiveError(f"{name}: got {value!r:.40}, expected a number up to {largest:g}")
    return float(value)


def _stamp(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LAST_STAMP:
        raise LiveError(f"stamp: got {value!r:.40}, expected a whole number from 0 to 2^53")
    return value


def _numbers(value: Any, name: str, count: int) -> list[float]:
    if not isinstance(value, list) or len(value) != count:
        raise LiveError(f"{name}: got {value!r:.60}, expected a list of {count} numbers")
    return [_number(x, name, FARTHEST) for x in value]


def _unit(value: Any, name: str) -> Array:
    values = _numbers(value, name, 3)
    size = max(map(abs, values))
    if not size > 1e-9:
        raise LiveError(f"{name}: got {values}, expected a direction")
    scaled = np.array(values) / size
    return np.asarray(scaled / np.linalg.norm(scaled))


def _name(value: Any, name: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not value.isprintable():
        raise LiveError(
            f"{name}: got {value!r:.60}, expected 1 to {LONGEST_NAME} printable letters"
        )
    return value


def _ray(value: Any, name: str) -> tuple[Array, Array]:
    """Origin and direction of a ray [ox, oy, oz, dx, dy, dz]."""
    origin, direction = np.split(np.array(_numbers(value, name, 6)), 2)
    if math.hypot(*origin) > FARTHEST:
        raise LiveError(f"{name}: got an origin at {origin}, expected one within {FARTHEST:g} m")
    return origin, _unit(direction.tolist(), name)


# how the value of each key is read
_VALUES: dict[str, Callable[[Any, str], Any]] = {
    "handle": _name, "name": _name, "ray": _ray, "forward": _unit, "value": _number,
    "mode": partial(one_of, options=MODES, error=LiveError),
    "what": partial(one_of, options=TEXTS, error=LiveError),
    "final": partial(boolean, error=LiveError),
}  # fmt: skip
# what each message asks for, and the keys that it has
_ACTIONS: dict[str, tuple[Callable[..., Action], tuple[str, ...]]] = {
    "grab": (Grab, ("handle", "ray", "forward")),
    "drag": (Drag, ("handle", "mode", "ray", "forward")),
    "drop": (Drop, ("handle",)),
    "set": (SetValue, ("name", "value", "final")),
    "undo": (Command, ()),
    "redo": (Command, ()),
    "reset": (Command, ()),
    "open": (Command, ("handle",)),
    "close": (Command, ("handle",)),
    "ask": (Ask, ("what",)),
}
