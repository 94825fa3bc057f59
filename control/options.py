"""Options: keyword arguments that a function hands on, checked where they come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

from ..robots.values import mapping


def check_options(options: Mapping[str, Any], name: str, *takers: Callable[..., Any]) -> None:
    """Raise for options that none of the functions takes by keyword.

    Args:
        options: as `**options` has them.
        name: of the function that was called.
        takers: that function, and those that it hands them on to. A class stands for its `__init__`
            and those of its bases.

    Raises:
        ConfigurationError: with the nearest names.
    """
    functions = [c.__init__ for taker in takers for c in getattr(taker, "__mro__", ())]
    functions += [taker for taker in takers if not isinstance(taker, type)]
    taken = [p for function in functions for p in signature(function).parameters.values()]
    known = [p.name for p in taken if p.kind is Parameter.KEYWORD_ONLY]
    mapping(options, name, known, kind="option")
