"""Options: keyword arguments whose names are checked where they come in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from .errors import ConfigurationError, unknown

Function = TypeVar("Function", bound=Callable[..., Any])


def names_checked(function: Function) -> Function:
    """Return a function, or a class, that answers an option it does not take by the nearest names.

    Raises:
        ConfigurationError: instead of Python's TypeError, which knows no others.
    """
    if isinstance(function, type):
        made: Any = function
        made.__init__ = _checked(made.__init__, function.__name__)
        return function
    checked: Any = _checked(function, function.__name__)
    return checked  # type: ignore[no-any-return]


def _checked(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    known = [p.name for p in signature(function).parameters.values() if p.name != "self"]
    taken = frozenset(known)

    @wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        if not options.keys() <= taken:
            _require(options, name, known)
        return function(*args, **options)

    return checked


def check_options(options: Mapping[str, Any], name: str, *functions: Callable[..., Any]) -> None:
    """Raise for options that none of the functions takes by keyword.

    Args:
        options: as `**options` has them.
        name: of the function that was called.
        functions: that function, and those that it hands them on to. A class stands for its
            `__init__` and those of its bases.

    Raises:
        ConfigurationError: with the nearest names, those of the first function's other arguments
            included.
    """
    known = [name for function in functions for name in _keywords(function)]
    if not options.keys() <= set(known):
        own = [
            p.name
            for p in signature(functions[0]).parameters.values()
            if p.kind != Parameter.VAR_KEYWORD
        ]
        _require({k: v for k, v in options.items() if k not in known}, name, [*known, *own])


@cache  # a signature takes tens of microseconds
def _keywords(function: Callable[..., Any]) -> list[str]:
    """The keyword-only arguments of a function, or of a class and its bases."""
    made = [c.__init__ for c in getattr(function, "__mro__", ())] or [function]
    found = [p for each in made for p in signature(each).parameters.values()]
    return [p.name for p in found if p.kind == Parameter.KEYWORD_ONLY]


def _require(options: Mapping[str, Any], name: str, known: Iterable[str]) -> None:
    for option in options:
        if option not in known:
            raise ConfigurationError(f"{name}: {unknown('option', option, known)}")
