"""The commands of meshcat's page, and some of ours, as `Entry`s of a store.

Paths are "/robot/torso": each component is a folder of the page's scene tree. A node holds one
object (geometry and material), a transform and properties.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import umsgpack  # type: ignore[import-untyped]

from ...arrays import Array
from ...files import plain
from .ramp import ColorRamp
from .store import Entry
from .three import Object, Part


def set_object(path: str, data: Object) -> Entry:
    """Put an object at a path, in place of the one that was there."""
    command = {"type": "set_object", "path": path, "object": data}
    return _entry(path, "object", command, forget=f"{path}/<object>/")


def define(part: Part) -> Entry:
    """Make a geometry or an image known, for the objects that refer to it: see `three.shared`."""
    return _entry("", f"define/{part['uuid']}", {"type": "define", "part": part})


def set_color(path: str, colors: Mapping[str, int]) -> Entry:
    """Give the object at a path other colours, 0xRRGGBB: see `three.recolored`."""
    return _entry(f"{path}/<object>", "color", {"type": "set_color", "path": path, **colors})


def set_transform(path: str, matrix: Array) -> Entry:
    """Place a node in its parent: matrix (4, 4), a rotation, a scale and a translation [m]."""
    numbers = np.empty(16, dtype=_FLOATS)
    numbers["tag"], numbers["value"] = 0xCB, matrix.T.ravel()
    return Entry(f"{path}/#transform", "", _transform_of(path) + numbers.tobytes())


# The most frequent command, a picture has a hundred, is written as MessagePack has it: a list of
# 16 floats of 8 bytes, each behind its tag, after what depends on the path alone.
_FLOATS = np.dtype([("tag", "u1"), ("value", ">f8")])


@lru_cache(maxsize=4096)
def _transform_of(path: str) -> bytes:
    command = {"type": "set_transform", "path": path, "matrix": []}
    return bytes(umsgpack.packb(command))[:-1] + b"\xdc\x00\x10"


def set_property(path: str, name: str, value: object) -> Entry:
    """Set a property of a node, such as visible."""
    return _entry(
        path,
        f"property/{name}",
        {"type": "set_property", "path": path, "property": name, "value": value},
    )


def delete(path: str) -> Entry:
    """Delete a node and all below it."""
    return Entry(
        f"{path}/#delete", f"{path}/", umsgpack.packb({"type": "delete", "path": path}), keep=False
    )


def set_animation(
    tracks: Sequence[Mapping[str, Any]], player: Mapping[str, Any], *, play: bool, repeat: bool
) -> Entry:
    """Animate nodes: see `animation.tracks` and `animation.player`. The page gets a player."""
    options = {"play": play, "repetitions": 1_000_000_000 if repeat else 1}
    values = {"animations": list(tracks), "options": options, "player": dict(player)}
    return _entry("", "animation", {"type": "set_animation", **values})


def clear_animation() -> Entry:
    """Stop the animation and take the time slider away."""
    return Entry(
        "/#clear_animation", "/#animation", umsgpack.packb({"type": "clear_animation"}), False
    )


def camera(
    eye: Array, target: Array, field_of_view: float, aspect: float = 0.0, beside: float = 0.0
) -> Entry:
    """Look from eye (3,) to target (3,) [m, world], with a vertical field of view [degrees].

    In a window narrower than `aspect` (width / height), from farther away. `beside`: how far the
    target lies left of the middle [half heights], for a legend; narrow windows have no such room.
    """
    values = {"eye": eye.tolist(), "target": target.tolist(), "fov": float(field_of_view)}
    values |= {"aspect": float(aspect), "beside": float(beside)}
    return _entry("", "camera", {"type": "camera", **values})


def stage(center: Array, size: float, ground: float | None) -> Entry:
    """Light what lies within `size` [m] of center (3,); ground: its height [m], None for none."""
    values = {"center": center.tolist(), "size": float(size), "ground": ground}
    return _entry("", "stage", {"type": "stage", **values})


def legend(
    title: str, lines: Sequence[tuple[str, str, str]], ramp: ColorRamp | None = None
) -> Entry:
    """Show a title, lines (text, "#rrggbb", path that a click hides) and a bar of colours."""
    values: dict[str, object] = {"title": title, "lines": [list(line) for line in lines]}
    if ramp is not None:
        values["ramp"] = {"name": ramp.name, "ends": ramp.ends(), "colors": ramp.tones()}
    return _entry("", "legend", {"type": "legend", **values})


def live(**values: Any) -> Entry:
    """Show a live scene as it stands, its panel and handles: the last command of each update.

    Numbers that are not finite become None, as in "not known". World axes.

    Args:
        title: of the scene.
        verdict, color: "holds", "does not hold", "at the edge" or "no posture"; "#rrggbb".
        margin, weight: [N]; a negative margin is what lacks, −inf where no force suffices.
        history: margins so far, oldest first, at most 200.
        reason: why it does not hold.
        notice: what could not be done, shown for some seconds.
        push: the least horizontal push that is not held: {"least": [N], "direction": (2,)}.
        torque_margin: as a share of the limits.
        torques: {"joint", "value", "lower", "upper"} of each motor [N·m or N].
        handles: {"id", "kind", "label", "position", "normal", "color", "modes", "margin"}, where
            kind is "contact", "lifted", "com", "base", "push" or "payload", position and normal
            are (3,) [m], and modes are of "move", "turn", "lift".
        sliders: {"name", "label", "unit", "low", "high", "step", "value", "handle"}, where handle
            is the id of the handle that it belongs to, None for the scene.
        can_undo, can_redo: whether there is something to undo, and to do again.
        stamps: {browser: the newest of its messages that has been done}.
    """
    values["unbounded"] = values["margin"] == -math.inf  # a number that JSON does not have
    values["stamps"] = {str(browser): stamp for browser, stamp in values["stamps"].items()}
    # as JSON: MessagePack in Python takes ten times as long
    text = json.dumps(plain(values), allow_nan=False)
    return _entry("", "live", {"type": "live", "json": text})


def offer(what: str, name: str, kind: str, text: str) -> Entry:
    """Give a text to the browser that asked for it: "scenario", "python" (copied) or "page".

    Args:
        what: the kind of text that was asked for.
        name: of the file that the browser writes.
        kind: its type, such as "text/html".
        text: what is in it.
    """
    values = {"type": "offer", "what": what, "name": name, "kind": kind, "text": text}
    return Entry(f"/#offer/{what}", "", umsgpack.packb(values), keep=False)


def _entry(path: str, kind: str, command: Mapping[str, Any], forget: str = "") -> Entry:
    return Entry(f"{path}/#{kind}", forget, umsgpack.packb(command))
