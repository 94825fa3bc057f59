"""Checks of times and threads at each tick of a controller."""

from __future__ import annotations

from numbers import Real
from threading import Lock
from typing import Any

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
    if not (isinstance(t, Real) and abs(float(t)) <= LATEST):
        raise ConfigurationError(f"t: got {t!r} s; expected a time within ±{LATEST:g} s")
