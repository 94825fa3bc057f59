"""Options: keyword arguments whose names are checked where they come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from ..robots.values import mapping

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def names_checked(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return a function that answers an option it does not take by the nearest names.

    Raises:
        ConfigurationError: instead of Python's TypeError, which knows no others.
    """
    known = [p.name for p in signature(function).parameters.values()]

    @wraps(function)
    def checked(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        if not options.keys() <= set(known):
            mapping(options, function.__name__, known, kind="option")
        return function(*args, **options)

    return checked


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
