"""Feet given by hand: as text ("l_foot:0.22x0.10,r_foot:0.22x0.10"), as data, or in a YAML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ...errors import ConfigurationError, ModelError
from ..files.reading import read_file, read_yaml
from ..values import array, length, mapping, vector
from .foot import Foot, point_foot, rectangle, sole_foot

_KEYS = ("frame", "size", "radius", "vertices", "offset", "rpy")
SIZED = "LINK:LENGTHxWIDTH or LINK:RADIUS [m], 0 of a point"
_EXPECTED = f"LINK, {SIZED}"


@dataclass(frozen=True)
class GivenFoot:
    """A foot as it was given.

    Attributes:
        name: of the foot.
        frame: the link (or other frame) that carries it.
        size: (length, width) of a sole, in the place of the one that its shapes show [m]; (radius,)
            of a ball there; () for what the shapes show.
        foot: the foot itself, where it was given with its place.
    """

    name: str
    frame: str
    size: tuple[float, ...] = ()
    foot: Foot | None = None

    def on(self, shown: Foot | None) -> Foot:
        """Return the foot, with the place of what its shapes show, else at its frame's origin."""
        if self.foot is not None:
            return self.foot
        if shown is None and not self.size:
            raise ConfigurationError(
                f"feet: {self.frame!r} has no shape from which its contact could be found; "
                f"expected {_EXPECTED}"
            )
        T = shown.placement if shown is not None else pin.SE3.Identity()
        frame = self.frame if shown is None else shown.frame
        if not self.size and shown is not None:
            return Foot(self.name, frame, T, shown.vertices, shown.radius)
        if len(self.size) == 1:
            up = 0.0 if shown is None else self.size[0] - shown.radius
            return point_foot(self.name, frame, T.translation + T.rotation[:, 2] * up, self.size[0])
        x, y = 0.5 * self.size[0], 0.5 * self.size[1]
        if shown is not None and not shown.is_point:
            middle = 0.5 * (shown.vertices.min(axis=0) + shown.vertices.max(axis=0))
            T = T * pin.SE3(np.eye(3), np.array([*middle, 0.0]))
        elif shown is not None:
            T = T * pin.SE3(np.eye(3), np.array([0.0, 0.0, -shown.radius]))
        return sole_foot(self.name, frame, rectangle(-x, x, -y, y), T)


def given_feet(feet: Any) -> tuple[GivenFoot, ...]:
    """Return feet given as text, as the path of a YAML file, as a mapping, or as `Foot` values.

    Text: "LINK:LENGTHxWIDTH" is a sole, "LINK:RADIUS" a ball (0: a point), "LINK" what the shapes
    of that link show; with commas between. A mapping {name: {...}} has the keys `frame` (the name,
    when not given), `size: [length, width]`, `radius` or `vertices: [[x, y], ...]`, and for the
    place in the axes of the frame `offset: [x, y, z]` [m] and `rpy` [rad]; a YAML file has that
    mapping.

    Raises:
        ModelError: none of these.
    """
    if isinstance(feet, os.PathLike) or str(feet).endswith((".yaml", ".yml")):
        return _of_file(Path(feet))
    if isinstance(feet, str):
        return tuple(_of_text(part.strip()) for part in feet.split(","))
    if isinstance(feet, Mapping):
        return tuple(_of_data(str(name), value) for name, value in feet.items())
    if isinstance(feet, Iterable):
        found: list[GivenFoot] = []
        for foot in feet:
            if isinstance(foot, Foot):
                found.append(GivenFoot(foot.name, foot.frame, foot=foot))
            elif isinstance(foot, str):
                found += given_feet(foot)
            else:
                raise ModelError(f"feet: got {foot!r:.80}; expected {_EXPECTED}, or a Foot")
        return tuple(found)
    raise ModelError(f"feet: got {feet!r:.80}; expected text, a file, a mapping or Foot values")


def beside(path: Path | None) -> tuple[GivenFoot, ...]:
    """Return the feet of the file NAME.feet.yaml beside a description, if there is one."""
    file = path.with_suffix(".feet.yaml") if path is not None and path.name else None
    return _of_file(file) if file is not None and file.is_file() else ()


def _of_file(path: Path) -> tuple[GivenFoot, ...]:
    content = read_file(path)
    try:
        return given_feet(read_yaml(content, "feet, {name: {size: ...}}", ModelError))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def _of_text(part: str) -> GivenFoot:
    link, _, size = part.partition(":")
    try:
        numbers = tuple(float(word) for word in size.split("x")) if size else ()
    except ValueError:
        numbers = (-1.0,)
    sized = numbers == (0.0,) or all(0 < x < np.inf for x in numbers)
    if not link or len(numbers) > 2 or not sized:
        raise ModelError(f"feet: got {part!r}; expected {_EXPECTED}, as in 'l_foot:0.22x0.10'")
    return GivenFoot(link, link, numbers)


def _of_data(name: str, value: Any) -> GivenFoot:
    if isinstance(value, Foot):
        return GivenFoot(name, value.frame, foot=value)
    what = f"feet[{name!r}]"
    data = dict(mapping(value or {}, what, _KEYS, kind="key", error=ModelError))
    frame = str(data.get("frame", name))
    size: tuple[float, ...] = ()
    if "size" in data:
        size = tuple(array(data["size"], f"{what}['size']", (2,), error=ModelError).tolist())
    elif "radius" in data:
        size = (length(data["radius"], f"{what}['radius']", zero=True, error=ModelError),)
    if "size" in data and min(size) <= 0:
        raise ModelError(f"{what}: got the size {size}; expected positive lengths [m]")
    if not {"offset", "rpy", "vertices"} & set(data):
        return GivenFoot(name, frame, size)
    angles = vector(data.get("rpy", (0, 0, 0)), f"{what}['rpy']", error=ModelError)
    offset = vector(data.get("offset", (0, 0, 0)), f"{what}['offset']", error=ModelError)
    T = pin.SE3(pin.rpy.rpyToMatrix(*angles), offset)
    if "vertices" in data:
        corners = array(data["vertices"], f"{what}['vertices']", (None, 2), error=ModelError)
        return GivenFoot(name, frame, foot=sole_foot(name, frame, corners, T))
    if len(size) == 2:
        x, y = 0.5 * size[0], 0.5 * size[1]
        return GivenFoot(name, frame, foot=sole_foot(name, frame, rectangle(-x, x, -y, y), T))
    return GivenFoot(name, frame, foot=Foot(name, frame, T, radius=size[0] if size else 0.0))
