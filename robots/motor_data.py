"""Data about motors: mappings, YAML and CSV files with the motors of joints, read into `Motor`s."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConfigurationError, ModelError, unknown
from .files.reading import read_file, read_yaml
from .motor import Motor
from .values import array, mapping, number

_TORQUE = {"N·m": 1.0, "Nm": 1.0, "N*m": 1.0, "N m": 1.0, "N": 1.0}
_SPEED = {"rad/s": 1.0, "m/s": 1.0, "deg/s": np.pi / 180, "°/s": np.pi / 180, "rpm": np.pi / 30}
_ONE = {"": 1.0, "1": 1.0, "-": 1.0}

# keys -> their units, of each way to say what a motor gives
_PEAK = {"peak": _TORQUE, "no_load": _SPEED, "corner": _SPEED, "braking": _TORQUE}
_DC = {"saturation_effort": _TORQUE, "effort_limit": _TORQUE, "velocity_limit": _SPEED}
_MEASURED = {"X1": _SPEED, "X2": _SPEED, "Y1": _TORQUE, "Y2": _TORQUE}
_TABLE = {"driving": _TORQUE, "braking": _TORQUE}
_ALWAYS = {"continuous": _TORQUE, "gear": _ONE, "efficiency": _ONE}
_UNITS = _PEAK | _DC | _MEASURED | _TABLE | _ALWAYS
_WAYS: tuple[tuple[dict[str, Any], Callable[..., Motor]], ...] = (
    (_PEAK, Motor.of),
    (_DC, Motor.dc),
    (_MEASURED, Motor.measured),
)
_ROW = {"speed": _SPEED, "torque": _TORQUE, "braking": _TORQUE}  # of a table in a CSV file
_EXPECTED = (
    "peak (with no_load, corner, braking), saturation_effort with effort_limit and velocity_limit, "
    "X1, X2, Y1 (with Y2), or driving (with braking) as [[speed, torque], …]"
)


def motors_of(data: Any, joints: Iterable[str], others: Iterable[str] = ()) -> dict[str, Motor]:
    """Return joint -> Motor for joints, from data whose keys are names or patterns with `*`.

    A joint's own name counts before patterns, and these before "*"; two patterns for one joint are
    refused.

    Args:
        data: a mapping {joint or pattern: Motor, or a mapping as `motor_of` takes it}, or the path
            of a YAML or CSV file with it.
        joints: those with motors.
        others: further names that may be there, of joints that are locked.

    Raises:
        ConfigurationError: names that no joint has, values that are no motor's.
        ModelError: a file that cannot be read.
    """
    if isinstance(data, str | os.PathLike):
        return _of_file(Path(data), tuple(joints), tuple(others))
    names, found = tuple(dict.fromkeys(joints)), dict[str, Motor]()
    given = mapping(data, "motors", kind="joint")
    motors = {str(key): motor_of(value, f"motors[{key!r}]") for key, value in given.items()}
    for key in motors:
        if key not in others and not any(fnmatchcase(name, key) for name in names):
            kind = "actuated joint that matches" if "*" in key else "actuated joint"
            raise ConfigurationError(f"motors: {unknown(kind, key, names)}")
    for name in names:
        patterns = [key for key in motors if key != "*" and fnmatchcase(name, key)]
        own = [name] if name in motors else patterns
        if len(own) > 1:
            raise ConfigurationError(
                f"motors: {name!r} is meant by {' and '.join(map(repr, own))}; expected one "
                "pattern a joint, or its name"
            )
        if own or "*" in motors:
            found[name] = motors[own[0] if own else "*"]
    return found


def motor_of(value: Any, name: str) -> Motor:
    """Return a Motor given as one, or as a mapping of what it gives.

    Numbers are in SI units, text has its unit: 139, "139 N·m", "300 rpm". Besides what `Motor.of`,
    `Motor.dc`, `Motor.measured` or a table (`driving`, `braking`) ask for: `continuous`, and for
    values of the motor itself `gear`, with its `efficiency`.

    Raises:
        ConfigurationError: unknown keys or units, values that no motor has.
    """
    if isinstance(value, Motor):
        return value
    given = mapping(value, name, _UNITS, kind="key")
    behind: dict[str, Any] = {"gear": 1, "efficiency": 1}
    behind |= {key: given.pop(key) for key in behind if key in given}
    try:
        motor = _motor(given).geared(_number(behind, "gear"), _number(behind, "efficiency"))
    except ConfigurationError as error:
        raise ConfigurationError(f"{name}: {error}") from None
    return motor


def _motor(given: dict[str, Any]) -> Motor:
    most: dict[str, Any] = {}
    if "continuous" in given:
        most["continuous"] = _number(given, "continuous")
    asked = set(given) - {"continuous"}
    if "driving" in asked and asked <= set(_TABLE):
        return Motor(*(given[key] for key in _TABLE if key in given), **most)
    for keys, make in _WAYS:
        if asked and asked <= set(keys):
            values = {key: _number(given, key) for key in asked}
            try:
                return make(**values, **most)
            except TypeError:  # too few
                break
    raise ConfigurationError(f"got {', '.join(given) or 'nothing'}; expected {_EXPECTED}")


def _number(given: Mapping[str, Any], key: str) -> float:
    """A value in SI units, from a number, or a text with a unit."""
    return quantity(given[key], key, _UNITS[key])


def quantity(value: Any, key: str, units: Mapping[str, float]) -> float:
    """Return a number, or a text of a number and one of the units, in SI units."""
    if not isinstance(value, str):
        return number(value, key, infinite=True)
    parts = re.fullmatch(r"\s*([-+.\deE]+)\s*(.*?)\s*", value)
    try:
        size = float(parts[1]) if parts else np.nan
    except ValueError:
        size = np.nan
    if parts is None or not np.isfinite(size) or (parts[2] and parts[2] not in units):
        known = ", ".join(unit for unit in units if unit)
        raise ConfigurationError(f"{key}: got {value!r:.80}, expected a number, or one in {known}")
    return size * units.get(parts[2], 1.0)


# --- files ---------------------------------------------------------------------------------------


def _of_file(path: Path, joints: tuple[str, ...], others: tuple[str, ...]) -> dict[str, Motor]:
    readers = {".yaml": _yaml, ".yml": _yaml, ".csv": _csv}
    if path.suffix not in readers:
        raise ModelError(f"{path}: expected a file of motors, .yaml or .csv")
    content = read_file(path)
    try:
        return motors_of(readers[path.suffix](content), joints, others)
    except (ConfigurationError, UnicodeDecodeError, csv.Error) as error:
        raise ModelError(f"{path}: {error}") from None


def _yaml(content: bytes) -> Any:
    return read_yaml(content, "motors, {joint: {peak: …}}", ConfigurationError)


def _csv(content: bytes) -> dict[str, Any]:
    """{joint: …} of a table with a header, units in brackets: "joint", "peak [N·m]", …

    Or of one with "speed", "torque" and perhaps "braking": then all rows of a joint are its table.
    """
    lines = [line for line in csv.reader(content.decode("utf-8-sig").splitlines()) if any(line)]
    header = [_column(text) for text in lines[0]] if lines else []
    names = [name for name, _ in header]
    if "joint" not in names:
        raise ConfigurationError(
            f"got the columns {', '.join(names)}; expected joint, and {_EXPECTED}"
        )
    table = "torque" in names
    known = {"joint": _ONE} | (_ROW | {"continuous": _TORQUE} if table else _UNITS)
    mapping(dict(header), "columns", known, kind="column")
    rows: dict[str, list[dict[str, Any]]] = {}
    for place, line in enumerate(lines[1:], 2):
        if len(line) != len(header):
            raise ConfigurationError(
                f"line {place}: got {len(line)} values, expected {len(header)}"
            )
        row = {
            name: f"{value} {unit}".strip()
            for (name, unit), value in zip(header, map(str.strip, line), strict=True)
            if value
        }
        rows.setdefault(row.pop("joint", ""), []).append(row)
    if not table and (twice := [name for name, found in rows.items() if len(found) > 1]):
        raise ConfigurationError(f"got {twice[0]!r} twice, expected each joint once")
    return {name: _table(found) if table else found[0] for name, found in rows.items()}


def _column(text: str) -> tuple[str, str]:
    """Name and unit of "peak [N·m]"."""
    name, _, unit = text.strip().partition("[")
    return name.strip(), unit.rstrip("] ").strip()


def _table(rows: list[dict[str, str]]) -> dict[str, Any]:
    """The curves of the rows of one joint."""
    found: dict[str, Any] = {}
    if any("speed" not in row for row in rows):
        raise ConfigurationError("speed: got a row without one, expected one in each")
    for key, column in (("driving", "torque"), ("braking", "braking")):
        points = [
            (quantity(row["speed"], "speed", _SPEED), quantity(row[column], column, _TORQUE))
            for row in rows
            if column in row
        ]
        if points:
            found[key] = array(points, key, (None, 2)).tolist()
    most = {row["continuous"] for row in rows if "continuous" in row}
    if len(most) > 1:
        raise ConfigurationError(f"continuous: got {', '.join(sorted(most))}; expected one")
    return found | {"continuous": most.pop()} if most else found
