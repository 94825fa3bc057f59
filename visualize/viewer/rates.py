"""Rate limit of the messages from a browser."""

from __future__ import annotations

import time


class Rate:
    """At most `burst` at once, and `rate` a second after that.

    Args:
        rate: [1/s].
        burst: how many may come at once.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._then = burst, time.monotonic()

    def take(self) -> bool:
        """Count one; returns whether it is within the rate."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + self._rate * (now - self._then))
        self._then = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    @property
    def wait(self) -> float:
        """Seconds until the next one is within the rate, from the last count on."""
        return max(0.0, (1 - self._left) / self._rate)
