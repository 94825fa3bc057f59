"""Task of the centre of mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...options import names_checked
from ...robots.robot import Robot
from .task import AXES, ChosenRows, check_size, indices


@names_checked
@dataclass(eq=False)
class ComTask(ChosenRows):
    """The centre of mass: J_com a + J̇_com v = …

    Attributes:
        target: c* (3,), world axes [m], or a reference of it.
        axes: which of "x", "y", "z".
    """

    axes: Sequence[str] = field(default=("x", "y", "z"), kw_only=True)

    rates = 3
    terms = "com", "com_jacobian", "com_drift"

    def bind(self, robot: Robot) -> int:
        """Check target and axes."""
        self.chosen = indices(self.axes, AXES[:3])
        check_size(self.target, 3, self.name)
        return len(self.chosen)
