"""The rows of contacts and tasks in NumPy, as they say them themselves: what reads best.

`by_kernels` gives the same in a fraction of the time, for the robots that it knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .qp import Array
from .situation import Situation

if TYPE_CHECKING:
    from .assembly import Layout


class NumpyRows:
    """Fills a layout's packing at each state."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.arrays: dict[str, Array] = layout.packing.arrays

    def fill(
        self, t: float, q: Array, v: Array, shares: dict[str, float]
    ) -> tuple[bool, Situation | None]:
        """Fill it; return whether all is finite, and the state as tasks see it."""
        now = self.layout.desk.situation(t, q, v)
        self.arrays["M"][:], self.arrays["b"][:] = now.M, now.b
        self._contacts(now)
        self._dense(now)
        self._entries(now)
        self.arrays["s"][:] = self.layout.even @ self.layout.even_share(q, shares)
        return all(bool(np.isfinite(self.arrays[x]).all()) for x in ("b", "k", "r", "p")), now

    def _contacts(self, now: Situation) -> None:
        """J (dim, nv) and k = −J̇v − damping J v (dim,)."""
        J, k, damping = self.arrays["J"], self.arrays["k"], self.layout.controller.contact_damping
        for footing, own in self.layout.contact_rows:
            J[own], drift, velocity = footing.rows(now)
            k[own] = -drift - damping * velocity

    def _dense(self, now: Situation) -> None:
        """A (m, nv), r (m,) and their weights (m,)."""
        for task, own in self.layout.packing.dense:
            rows = task.rows(now)
            self.arrays["A"][own], self.arrays["r"][own] = rows.A, rows.r
            self.arrays["e"][own], self.arrays["weight"][own] = rows.error, task.weight

    def _entries(self, now: Situation) -> None:
        """d and p (nv,): several tasks on one entry add up to one."""
        d, p = self.arrays["d"], self.arrays["p"]
        d[:], p[:] = self.layout.controller.regularisation, 0.0
        for task, own in self.layout.packing.single:
            asked, error = task.asked(now)
            self.arrays["asked"][own], self.arrays["entry_e"][own] = asked, error
            d[task.entries] += task.weight
            p[task.entries] += task.weight * asked
        p /= np.maximum(d, 1e-300)
