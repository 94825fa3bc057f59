"""Attributes that are worked out when they are first asked for, then kept, read-only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

import numpy as np

from ..errors import ConfigurationError

Value = TypeVar("Value")


class once(Generic[Value]):
    """A term that is worked out when it is first asked for, then kept, read-only."""

    needs_velocity = False

    def __init__(self, term: Callable[[Any], Value]) -> None:
        self.term, self.name, self.__doc__ = term, term.__name__, term.__doc__

    @overload
    def __get__(self, state: None, owner: Any = None) -> once[Value]: ...

    @overload
    def __get__(self, state: Any, owner: Any = None) -> Value: ...

    def __get__(self, state: Any, owner: Any = None) -> Any:
        if state is None:
            return self
        if self.needs_velocity and state.v is None:
            raise ConfigurationError(
                f"{self.name.lstrip('_')}: got a State (or q) without a velocity, expected "
                "State(robot, q, v)"
            )
        value: Any = self.term(state)
        if type(value) is np.ndarray:
            value.setflags(write=False)
        # threads that ask at the same time may both work it out; all get the first one's
        return state.__dict__.setdefault(self.name, value)


class once_moving(once[Value]):
    """The same for a term that depends on v."""

    needs_velocity = True
