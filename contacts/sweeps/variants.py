"""Scenarios with changed parameters: `friction`, `terrain[0].rises`, `contacts[*].friction`, …"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any

from ...errors import FootworkError, unknown
from ..scenario import schema as scenario_schema
from ..scenario.file import FLAGS, ScenarioError
from ..scenario.scenario import Scenario
from ..terrain.part_values import hashable

_OF_UNIT = {
    "m": "at anchor offset size rise depth width height thickness half_length half_width radius "
    "vertices cell heights com",
    "°": "heading tilt rises turn towards facing",
    "N": "force tension",
    "N·m": "moment",
    "kg": "mass",
    "m/s²": "gravity",
}
_UNITS = {name: unit for unit, names in _OF_UNIT.items() for name in names.split()}
_OF_JOINTS = {"joints": "° or m", "torque_limits": "N·m or N"}  # by whether they turn or slide
_STEP = re.compile(r"\.?([A-Za-z_][\w-]*)|\[(\d+|\*)\]")


def variant(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """Return the scenario with values of its file changed.

    What a change leaves alone is not worked out again: the robot stays loaded, and the posture
    solved unless a change can move it.

    Args:
        scenario: the one to change.
        changes: {key of the file: value}, as in {"friction": 0.4, "loads[0].force[1]": -30};
            `[*]` is every entry of a list.

    Raises:
        ScenarioError: no such key, or a value that it cannot have.
    """
    changed = written(scenario, changes)
    _ = changed.touching, changed.wrenches_at(changed.q0), changed.torque_bounds  # names exist
    return changed


def written(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """Return the scenario with other values: as `variant`, but nothing is looked for there."""
    changed, steps = scenario, {key: steps_of(key) for key in changes}
    # gravity at last: if the file gives none, entries of that of the robot may change
    for key in sorted(changes, key=lambda key: steps[key][0] == "gravity"):
        if steps[key][0] == "gravity" and not changed.gravity:
            usual = changed.described._model.gravity.linear
            changed = replace(changed, gravity=tuple(usual.tolist()))
        changed = _with(changed, key, steps[key], hashable(changes[key]))
    _ = scenario.machine
    changed.keep(scenario)
    if "machine" in vars(changed) and _same_posture(scenario, changed):
        changed.__dict__["q0"] = scenario.q0
        changed.__dict__["solved"] = scenario.solved
    return changed


def _same_posture(one: Scenario, other: Scenario) -> bool:
    """Whether both have the same posture: loads never move it, friction only one "inside"."""
    names = ("terrain", "posture", "start", "com", "self_collision")
    same = all(getattr(one, name) == getattr(other, name) for name in names)
    if one.contacts == other.contacts and one.friction == other.friction:
        return same
    smooth = [_without_friction(touch) for touch in one.contacts]
    return same and one.com != "inside" and smooth == [_without_friction(t) for t in other.contacts]


def _without_friction(touch: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(touch).items() if name != "friction"}


def steps_of(key: str) -> list[str | int]:
    """Return the steps of a key: "loads[0].force" has "loads", 0 and "force"; -1 is every entry.

    Raises:
        ScenarioError: an unknown key.
    """
    steps: list[str | int] = []
    position = 0
    for match in _STEP.finditer(key):
        if match.start() != position:
            break
        position = match.end()
        name, index = match.groups()
        steps.append(name if name else (-1 if index == "*" else int(index)))
    if position != len(key) or not key:
        raise ScenarioError(f"{key!r}: expected a key such as friction or loads[0].force[1]")
    return steps


def _with(old: Any, key: str, steps: list[str | int], value: Any) -> Any:
    """What is there with another value at the end of the steps; what they leave alone is shared."""
    if not steps:
        if isinstance(old, bool):
            return FLAGS.get(str(value).lower(), value)
        if isinstance(value, bool):
            raise ScenarioError(f"{key}: got {value}, expected a number or a text")
        return None if value == "free" and key.startswith("com[") else value
    step, *rest = steps
    if isinstance(step, int):
        every = range(len(_list(old, key, step)))
        chosen = every if step < 0 else [step]
        return tuple(_with(old[i], key, rest, value) if i in chosen else old[i] for i in every)
    if not is_dataclass(old) or isinstance(old, type):
        raise ScenarioError(f"{key}: no {step!r} in a {_kind(old)}")
    keys = scenario_schema.keys_of(type(old))
    if step not in keys:
        raise ScenarioError(f"{key}: {unknown('key', step, keys)}")
    now = getattr(old, keys[step])
    if step == "torque_limits" and rest:
        now = now if isinstance(now, tuple) else ()
    if step in ("joints", "torque_limits") and rest:
        new: Any = tuple((dict(now) | {str(rest[0]): value}).items())
    else:
        new = _with(now, key, rest, value)
    if step == "at" and type(old) in scenario_schema.PLACED:
        new = scenario_schema.on_level(new)
    try:
        return replace(old, **{keys[step]: new})
    except FootworkError as error:
        raise ScenarioError(f"{key}: {error}") from None


def _list(old: Any, key: str, index: int) -> tuple[Any, ...]:
    if old is None or old == ():
        raise ScenarioError(f"{key}: the scenario gives nothing there; give it in the file first")
    if not isinstance(old, tuple):
        raise ScenarioError(f"{key}: an index into what is no list, but a {_kind(old)}")
    if index >= len(old):
        raise ScenarioError(f"{key}: got entry {index} of a list of {len(old)}, from 0")
    return old


def _kind(value: Any) -> str:
    return (
        "sequence" if isinstance(value, tuple) else "mapping" if is_dataclass(value) else "scalar"
    )


def unit_of(key: str) -> str:
    """Return the unit of a key's numbers, "" of a share, a count or a direction."""
    steps = steps_of(key)
    names = [step for step in steps if isinstance(step, str)]
    if names[-1] == "heading" and steps[-1] != "heading":
        return ""  # a vector instead of an angle
    of_joint = next((_OF_JOINTS[name] for name in names[:-1] if name in _OF_JOINTS), "")
    return of_joint or _UNITS.get(names[-1], "")
