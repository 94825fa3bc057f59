"""Scenarios with changed parameters: `friction`, `terrain[0].rises`, `contacts[*].friction`, …"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import yaml

from ...errors import unknown
from ..scenario import schema as scenario_schema
from ..scenario.file import Entry, ScenarioError
from ..scenario.scenario import Scenario

_STEP = re.compile(r"\.?([A-Za-z_][\w-]*)|\[(\d+|\*)\]")
_FLOAT, _TEXT = "tag:yaml.org,2002:float", "tag:yaml.org,2002:str"


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
    _ = changed.touching, changed.wrenches_at(changed.q0)  # every name exists
    return changed


def written(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """Return what the changed file says: as `variant`, but nothing is looked for on the ground."""
    tree = _tree(scenario.as_text())
    for key, value in changes.items():
        tree = _with(tree, key, steps_of(key), _node(value, tree.start_mark))
    values = scenario_schema.scenario(Entry(tree, "scenario", f"{scenario.name}, changed"))
    changed = Scenario(**values, file=scenario.file, folder=scenario.folder)
    same = _same_machine(scenario, changed)
    if same:
        changed.__dict__["machine"] = scenario.machine
    if same and _same_posture(scenario, changed):
        changed.__dict__["q0"] = scenario.q0
        changed.__dict__["solved"] = scenario.solved
    return changed


def _same_machine(one: Scenario, other: Scenario) -> bool:
    names = ("robot", "passive", "lock", "folder")
    return all(getattr(one, name) == getattr(other, name) for name in names)


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


# --- the file as a tree of YAML's nodes ----------------------------------------------------------


@lru_cache(maxsize=8)
def _tree(text: str) -> Any:
    return yaml.compose(text, Loader=yaml.SafeLoader)


def steps_of(key: str) -> list[str | int]:
    """Return the steps of a key: "loads[0].force" has "loads", 0 and "force"; -1 is every entry.

    Raises:
        ScenarioError: what is no key.
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


def _with(node: Any, key: str, steps: list[str | int], value: Any) -> Any:
    """A node with another value at the end of the steps; what they leave alone is shared."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        items = list(node.value) if node.id == "sequence" else []
        for index in _places(node, key, step):
            items[index] = _with(items[index], key, rest, value)
        return yaml.SequenceNode(node.tag, items, node.start_mark, node.end_mark)
    if node.id != "mapping":
        raise ScenarioError(f"{key}: no {step!r} in a {node.id}")
    names = [name.value for name, _ in node.value]
    if rest and step not in names:
        raise ScenarioError(f"{key}: {unknown('key', step, names)}")
    old = node.value[names.index(step)][1] if step in names else None
    kept = [pair for pair in node.value if pair[0].value != step]
    pair = (_node(step, node.start_mark), _with(old, key, rest, value))
    return yaml.MappingNode(node.tag, [*kept, pair], node.start_mark, node.end_mark)


def _places(node: Any, key: str, index: int) -> range:
    """Return the places of a list that an index names."""
    if node.id != "sequence":
        raise ScenarioError(f"{key}: an index into what is no list, but a {node.id}")
    if index >= len(node.value):
        raise ScenarioError(f"{key}: got entry {index} of a list of {len(node.value)}, from 0")
    return range(len(node.value)) if index < 0 else range(index, index + 1)


def _node(value: Any, mark: Any) -> Any:
    """Return a value as YAML's node; numbers are written to the last digit."""
    if isinstance(value, bool):
        return yaml.ScalarNode(_TEXT, str(value).lower(), mark, mark)
    if isinstance(value, int | float) or hasattr(value, "dtype"):
        return yaml.ScalarNode(_FLOAT, repr(float(value)), mark, mark)
    if isinstance(value, str):
        return yaml.ScalarNode(_TEXT, value, mark, mark, style='"')
    return yaml.compose(yaml.safe_dump(value), Loader=yaml.SafeLoader)
