"""Messages of the page of a live scene: JSON objects, read strictly into Actions.

    {"do": "drag", "handle": "contact/left_foot", "mode": "move",
     "ray": [ox, oy, oz, dx, dy, dz], "forward": [x, y, z], "stamp": 17}

Each has exactly the keys of what it does, and a `stamp`, a whole number that grows. World axes [m].
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import FootworkError
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
    keys, made = _ACTIONS[do]
    expected = {"do", "stamp", *keys}
    if set(message) != expected:
        raise LiveError(
            f"{do}: got the keys {', '.join(sorted(message)):.200}, "
            f"expected {', '.join(sorted(expected))}"
        )
    return made(message), _stamp(message["stamp"])


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


def _number(value: Any, name: str, largest: float) -> float:
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


def _unit(values: list[float], name: str) -> Array:
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


def _one_of(value: Any, name: str, options: tuple[str, ...]) -> Any:
    if not isinstance(value, str) or value not in options:
        raise LiveError(f"{name}: got {value!r:.40}, expected one of {', '.join(options)}")
    return value


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise LiveError(f"{name}: got {value!r:.40}, expected true or false")
    return value


def _pointer(message: dict[str, Any]) -> Pointer:
    ray = _numbers(message["ray"], "ray", 6)
    origin = np.array(ray[:3])
    if math.hypot(*ray[:3]) > FARTHEST:
        raise LiveError(f"ray: got an origin at {ray[:3]}, expected one within {FARTHEST:g} m")
    forward = _unit(_numbers(message["forward"], "forward", 3), "forward")
    return Pointer(origin, _unit(ray[3:], "ray"), forward)


# --- what they do ------------------------------------------------------------------------------


def _grab(message: dict[str, Any]) -> Action:
    return Grab(_name(message["handle"], "handle"), _pointer(message))


def _drag(message: dict[str, Any]) -> Action:
    mode = _one_of(message["mode"], "mode", MODES)
    return Drag(_name(message["handle"], "handle"), mode, _pointer(message))


def _drop(message: dict[str, Any]) -> Action:
    return Drop(_name(message["handle"], "handle"))


def _set(message: dict[str, Any]) -> Action:
    value = _number(message["value"], "value", LARGEST)
    return SetValue(_name(message["name"], "name"), value, _flag(message["final"], "final"))


def _command(message: dict[str, Any]) -> Action:
    return Command(message["do"])


def _command_of_handle(message: dict[str, Any]) -> Action:
    return Command(message["do"], _name(message["handle"], "handle"))


def _ask(message: dict[str, Any]) -> Action:
    return Ask(_one_of(message["what"], "what", TEXTS))


_ACTIONS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any]], Action]]] = {
    "grab": (("handle", "ray", "forward"), _grab),
    "drag": (("handle", "mode", "ray", "forward"), _drag),
    "drop": (("handle",), _drop),
    "set": (("name", "value", "final"), _set),
    "undo": ((), _command),
    "redo": ((), _command),
    "reset": ((), _command),
    "open": (("handle",), _command_of_handle),
    "close": (("handle",), _command_of_handle),
    "ask": (("what",), _ask),
}
