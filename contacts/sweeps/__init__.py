"""One scenario, many times: over grids and samples, on many cores, with nothing lost."""

from __future__ import annotations

from .result import Sweep
from .run import sweep
from .variants import variant

__all__ = ["Sweep", "sweep", "variant"]
