"""Terms of one state by compiled kernels, as batches of one row.

A kernel checks what it is given itself. What it does not take (lists, integers, a State), what it
refuses and whatever is asked before it is at hand goes the usual way, which says what is wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Array
from ..robots.robot import Robot
from .kernels import aba, crba, rnea
from .kernels.body_table import body_table, unknown_joints
from .kernels.rows import DONE
from .kernels.toolchain import Kernel, Overload, obstacle, read_only
from .workspace import KERNEL_MEMORY

_ARRAY = np.ndarray

_OFTEN, _AT_FIRST = 1000, 5000  # calls until code is loaded; Numba's import takes half a second
_EACH = 1e-5  # about what a call takes without a kernel [s]


class SingleTerm:
    """A term of one state, compiled.

    Args:
        function: the kernel, called as function(table, *tables, *values, out, memory).
        inputs: how many values it takes.
        matrix: whether the term is (nv, nv) instead of (nv,).
        actuated: whether it reads the rows of v with a motor.
    """

    def __init__(
        self,
        function: Callable[..., int],
        inputs: int,
        *,
        matrix: bool = False,
        actuated: bool = False,
    ) -> None:
        self.kernel = Kernel(function, 1, each=_EACH)
        self.inputs, self.matrix, self.actuated = inputs, matrix, actuated
        self.key = f"_{function.__name__}"  # among a robot's attributes, as those of `per_robot`

    def __call__(self, robot: Robot, *values: Any) -> Array | None:
        """Return the term, the caller's own; None if it is to be worked out the usual way."""
        try:
            own = robot.__dict__[self.key]
        except KeyError:
            own = self.of(robot)
        except AttributeError:  # no robot
            return None
        kernel = own.kernel
        if kernel is None and (own.overload is None or (kernel := own.waiting()) is None):
            return None
        out = np.empty(own.shape)
        try:
            for value in values:
                if type(value) is not _ARRAY:  # a kernel would read what a masked array hides
                    return None
            if kernel(*own.tables, *values, out, KERNEL_MEMORY.array) == DONE:
                return out
        except (TypeError, IndexError, MemoryError):  # no arrays of floats, or a very large robot
            pass
        return None

    def of(self, robot: Robot) -> _OfRobot:
        """Return what is kept of it with a robot."""
        own: _OfRobot = robot.__dict__.setdefault(self.key, _OfRobot(self, robot))
        return own


class _OfRobot:
    """A term of one robot.

    Attributes:
        kernel: the compiled function, once it is at hand.
        tables: its first arguments.
        shape: of the term.
        overload: the kernel; None where there will be none.
    """

    kernel: Callable[..., int] | None = None
    overload: Overload | None = None

    def __init__(self, term: SingleTerm, robot: Robot) -> None:
        self.shape = (robot.nv, robot.nv) if term.matrix else (robot.nv,)
        self._calls = 0
        self.tables: tuple[Any, ...] = ()
        if unknown_joints(robot) or obstacle():
            return
        self.tables = (body_table(robot).view(np.uint8),)
        if term.actuated:
            self.tables += (robot.actuated_rows.astype(np.int64),)
        inputs = [read_only(1)] * term.inputs
        arguments = *self.tables, *inputs, np.empty(self.shape), np.empty(0)
        self.overload = term.kernel.overload(*arguments)

    def waiting(self) -> Callable[..., int] | None:
        """Count a call without a kernel; return the kernel when there were many."""
        self._calls += 1
        if self._calls < _OFTEN or self.overload is None:
            return None
        if self._calls < _AT_FIRST and "numba" not in sys.modules:
            return None
        self.select(1)
        if self.kernel is None:
            self.overload.record(self._calls, self._calls * _EACH)
        self._calls = 0
        return self.kernel

    def select(self, count: int) -> None:
        """Load the kernel if that is sooner for so many calls."""
        if self.kernel is None and self.overload is not None:
            found = self.overload.select(count)
            if found is not self.overload.kernel.function:  # that one is for stepping through
                self.kernel = found


MASS_MATRIX = SingleTerm(crba.mass_matrix_of, 1, matrix=True)
BIAS = SingleTerm(rnea.bias_of, 2)
INVERSE_DYNAMICS = SingleTerm(rnea.inverse_dynamics_of, 3)
FORWARD_DYNAMICS = SingleTerm(aba.forward_dynamics_of, 3, actuated=True)

TERMS = MASS_MATRIX, BIAS, INVERSE_DYNAMICS, FORWARD_DYNAMICS
