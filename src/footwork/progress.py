"""Progress bars on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

_DRAWN: ContextVar[bool | None] = ContextVar("drawn", default=None)


def progress_bar(iterable: Any = None, desc: str | None = None, **options: Any) -> Any:
    """Return a bar of `tqdm` that vanishes at its end.

    Args:
        iterable, desc, options: of `tqdm`.
    """
    from tqdm import tqdm

    drawn = _DRAWN.get()
    hidden = None if drawn is None else not drawn  # None: where standard error is no terminal
    return tqdm(iterable, desc, disable=hidden, leave=False, **options)


def draw_bars(drawn: bool | None) -> Any:
    """Draw the bars from here on, or none; None: where standard error is a terminal."""
    return _DRAWN.set(drawn)


@contextmanager
def bars_drawn(drawn: bool | None) -> Iterator[None]:
    """Draw the bars of a block, or none of them; None: as around it."""
    token = draw_bars(_DRAWN.get() if drawn is None else drawn)
    try:
        yield
    finally:
        _DRAWN.reset(token)


def with_progress(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Return a function whose option `progress` holds for the bars of all that it calls."""

    @wraps(function)
    def drawing(*args: Arguments.args, **options: Arguments.kwargs) -> Answer:
        shown: Any = options.get("progress")
        with bars_drawn(shown):
            return function(*args, **options)

    return drawing
