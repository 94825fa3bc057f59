"""Parameter sweeps of a scenario: grids and samples, in parallel, with a journal."""

from __future__ import annotations

from .result import Sweep
from .run import sweep
from .variants import variant

__all__ = ["Sweep", "sweep", "variant"]
