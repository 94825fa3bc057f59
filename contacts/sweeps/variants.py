"""The same scenario with other values: `friction`, `terrain[0].rises`, `contacts[*].friction`, …"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import yaml

from ...errors import unknown
from ..scenario import file as scenario_file
from ..scenario import schema as scenario_schema
from ..scenario.file import ScenarioError
from ..scenario.scenario import Scenario

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
    entry = scenario_file.parse(_edited(scenario, changes), f"{scenario.name}, changed")
    values = scenario_schema.scenario(entry)
    changed = Scenario(**values, file=scenario.file, folder=scenario.folder)
    same = _same_machine(scenario, changed)
    if same:
        changed.__dict__["machine"] = scenario.machine
    if same and _same_posture(scenario, changed):
        changed.__dict__["q0"] = scenario.q0
        changed.__dict__["solved"] = scenario.solved
    _ = changed.touching, changed.wrenches_at(changed.q0)  # every name exists
    return changed


def _same_machine(one: Scenario, other: Scenario) -> bool:
    names = ("robot", "passive", "lock", "folder")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _same_posture(one: Scenario, other: Scenario) -> bool:
    """Whether both have the same posture: loads never move it, friction only one "inside"."""
    names = ("terrain", "posture", "start", "com")
    same = all(getattr(one, name) == getattr(other, name) for name in names)
    if one.contacts == other.contacts and one.friction == other.friction:
        return same
    smooth = [_without_friction(touch) for touch in one.contacts]
    return same and one.com != "inside" and smooth == [_without_friction(t) for t in other.contacts]


def _without_friction(touch: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(touch).items() if name != "friction"}


# --- the file as a tree of YAML's nodes ----------------------------------------------------------


def _edited(scenario: Scenario, changes: Mapping[str, Any]) -> str:
    tree = yaml.compose(scenario.as_text(), Loader=yaml.SafeLoader)
    for key, value in changes.items():
        _set(tree, key, list(_steps(key)), _node(value))
    return str(yaml.serialize(tree, allow_unicode=True))


def _steps(key: str) -> Iterator[str | int]:
    """Yield the steps of a key: "loads[0].force" has "loads", 0 and "force"; -1 is every entry."""
    position = 0
    for match in _STEP.finditer(key):
        if match.start() != position:
            break
        position = match.end()
        name, index = match.groups()
        yield name if name else (-1 if index == "*" else int(index))
    if position != len(key) or not key:
        raise ScenarioError(f"{key!r}: expected a key such as friction or loads[0].force[1]")


def _set(node: Any, key: str, steps: list[str | int], value: Any) -> None:
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        for index in _places(node, key, step):
            if rest:
                _set(node.value[index], key, rest, value)
            else:
                node.value[index] = value
        return
    if node.id != "mapping":
        raise ScenarioError(f"{key}: no {step!r} in a {node.id}")
    names = [name.value for name, _ in node.value]
    if rest:
        if step not in names:
            raise ScenarioError(f"{key}: {unknown('key', step, names)}")
        _set(node.value[names.index(step)][1], key, rest, value)
    else:
        kept = [pair for pair in node.value if pair[0].value != step]
        node.value = [*kept, (_node(step), value)]


def _places(node: Any, key: str, index: int) -> range:
    """Return the places of a list that an index names."""
    if node.id != "sequence":
        raise ScenarioError(f"{key}: an index into what is no list, but a {node.id}")
    if index >= len(node.value):
        raise ScenarioError(f"{key}: got entry {index} of a list of {len(node.value)}, from 0")
    return range(len(node.value)) if index < 0 else range(index, index + 1)


def _node(value: Any) -> Any:
    """Return a value as YAML's node; numbers are written to the last digit."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number or hasattr(value, "dtype"):
        return yaml.ScalarNode("tag:yaml.org,2002:float", repr(float(value)))
    return yaml.SafeDumper(StringIO()).represent_data(value)
