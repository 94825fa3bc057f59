"""The commands of meshcat's page, and some of ours, as `Entry`s of a store.

Paths are "/robot/torso": each component is a folder of the page's scene tree. A node holds one
object (geometry and material), a transform and properties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import umsgpack  # type: ignore[import-untyped]

from ...arrays import Array
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


def camera(eye: Array, target: Array, field_of_view: float, aspect: float = 0.0) -> Entry:
    """Look from eye (3,) to target (3,) [m, world], with a vertical field of view [degrees].

    In a window narrower than `aspect` (width / height), from farther away.
    """
    values = {"eye": eye.tolist(), "target": target.tolist(), "fov": float(field_of_view)}
    values["aspect"] = float(aspect)
    return _entry("", "camera", {"type": "camera", **values})


def stage(center: Array, size: float, ground: float | None) -> Entry:
    """Light what lies within `size` [m] of center (3,); ground: its height [m], None for none."""
    values = {"center": center.tolist(), "size": float(size), "ground": ground}
    return _entry("", "stage", {"type": "stage", **values})


def legend(
    title: str,
    lines: Sequence[tuple[str, str, str]],
    ramp: ColorRamp | None = None,
) -> Entry:
    """Show a title, lines (text, "#rrggbb", path that a click hides) and a bar of colours."""
    values: dict[str, object] = {"title": title, "lines": [list(line) for line in lines]}
    if ramp is not None:
        values["ramp"] = {"name": ramp.name, "ends": ramp.ends(), "colors": ramp.tones()}
    return _entry("", "legend", {"type": "legend", **values})


def live(values: Mapping[str, Any]) -> Entry:
    """Tell the page of a live scene what it shows: verdict, margins, handles, sliders, …"""
    return _entry("", "live", {"type": "live", **values})


def _entry(path: str, kind: str, command: Mapping[str, Any], forget: str = "") -> Entry:
    return Entry(f"{path}/#{kind}", forget, umsgpack.packb(command))
