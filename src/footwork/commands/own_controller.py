"""Function of a Python file that makes a controller, as `footwork judge --controller` names it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..errors import ConfigurationError, unknown

if TYPE_CHECKING:
    from ..arrays import Array
    from ..robots import Robot


@dataclass(frozen=True)
class OwnController:
    """A `make_controller` of `control.judge` by FILE:FUNCTION; each process runs the file once.

    Raises:
        ConfigurationError: no such file or function, or an error of the file.
    """

    name: str

    def __post_init__(self) -> None:
        _function(self.name)

    @property
    def __name__(self) -> str:
        return self.name.rpartition(":")[2]

    def __call__(self, robot: Robot, q: Array, velocity: Array) -> Any:
        """Return the controller of a trial."""
        return _function(self.name)(robot, q, velocity)


@cache
def _function(name: str) -> Callable[[Robot, Array, Array], Any]:
    file, _, function = name.rpartition(":")
    path = Path(file).resolve()
    if not (file.endswith(".py") and function and path.is_file()):
        missing = "" if path.is_file() or not file else f"; there is no file {file!r}"
        raise ConfigurationError(
            f"--controller: got {name!r}, expected FILE.py:FUNCTION, a function of (robot, q, "
            f"velocity) that returns a controller{missing}"
        )
    # the same in each process, and another for another file of that stem
    module = ModuleType(f"{path.stem}_{crc32(bytes(path)):08x}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # as dataclasses and pickle look it up
    sys.path.append(str(path.parent))  # for what lies beside it
    try:
        SourceFileLoader(module.__name__, str(path)).exec_module(module)
    except Exception as error:
        from ..control.calling import raised

        raise ConfigurationError(f"--controller: {file}: {raised(error)}") from error
    found = {key: value for key, value in vars(module).items() if callable(value)}
    if function not in found:
        raise ConfigurationError(f"--controller: {file}: {unknown('function', function, found)}")
    made: Callable[[Robot, Array, Array], Any] = found[function]
    return made
