"""YAML files of xacro descriptions: plain data, with units of length and angle as tags.

Dates are texts, as they are written.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ..files.reading import read_file
from .expressions import MAX_WORK, Budget, ExpressionError, evaluate

_UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180,
    "!meters": 1.0,
    "!millimeters": 1e-3,
    "!foot": 0.3048,
    "!inches": 0.0254,
}


def load_yaml(path: Path, budget: Budget) -> Any:
    """Return the data of a YAML file.

    Raises:
        ExpressionError: no YAML, values that are no data, too large.
    """
    import yaml

    def nothing(name: str) -> Any:
        raise KeyError(name)

    class Loader(yaml.SafeLoader):
        """Reads units; each file has constructors of its own."""

    def number(unit: float) -> Any:
        return lambda loader, node: unit * float(evaluate(node.value, nothing, budget))

    def as_written(loader: Any, node: Any) -> Any:
        return node.value

    Loader.add_constructor("tag:yaml.org,2002:timestamp", as_written)
    for tag, unit in _UNITS.items():
        Loader.add_constructor(tag, number(unit))
    data = read_file(path)
    budget.spend(10 * len(data))  # a megabyte takes seconds
    try:
        loader = Loader(data)
        node = loader.get_single_node()
        budget.spend(_size(node, {}))
        return budget.admit(None if node is None else loader.construct_document(node))
    except yaml.YAMLError as error:
        raise ExpressionError(f"{path}: no YAML: {' '.join(str(error).split())}") from None
    except (RecursionError, ValueError, TypeError) as error:
        raise ExpressionError(f"{path}: no data: {error}") from None


def _size(node: Any, known: dict[int, int]) -> int:
    """The nodes of a document, what is shared by aliases counted each time."""
    if id(node) not in known:
        known[id(node)] = MAX_WORK  # of one that holds itself
        parts = () if node is None or isinstance(node.value, str) else node.value
        inner = (x for part in parts for x in (part if isinstance(part, tuple) else (part,)))
        known[id(node)] = 1 + sum(_size(x, known) for x in inner)
    return known[id(node)]
