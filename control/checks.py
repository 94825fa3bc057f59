"""Checks of weights, gains, levels and threads, where they enter and at each tick."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from ..errors import ConfigurationError

# largest time [s]: beyond it a double does not resolve microseconds
LATEST = 1e10


class OneThread:
    """Held during a tick of a controller that remembers: a second thread is refused meanwhile.

    Raises:
        ConfigurationError: another thread is in a tick.
    """

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ConfigurationError(
                "controller: got a call while another thread is in one; expected one controller "
                "per thread, as of copy.deepcopy(controller)"
            )

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[OneThread], tuple[()]]:
        return OneThread, ()  # a copy of a controller has one of its own


def check_time(t: Any) -> None:
    """Refuse a time that is not finite or beyond `LATEST`.

    Raises:
        ConfigurationError: such a value.
    """
    if not abs(t) <= LATEST:
        raise ConfigurationError(f"t: got {t!r} s; expected a time within ±{LATEST:g} s")


def check_not_negative(value: Any, name: str) -> None:
    """Refuse what is not finite or below zero, a number or an array.

    Raises:
        ConfigurationError: such a value.
    """
    try:
        good = np.isfinite(value).all() and np.all(np.asarray(value) >= 0)
    except TypeError:
        good = False
    if not good:
        raise ConfigurationError(f"{name}: got {value!r}; expected finite, at least 0")


def check_level(level: Any) -> None:
    """Refuse what is no level of a hierarchy.

    Raises:
        ConfigurationError: neither 0 nor a positive integer.
    """
    if isinstance(level, bool) or level != int(level) or level < 0:
        raise ConfigurationError(f"level: got {level!r}; expected 0, 1, 2, …")
