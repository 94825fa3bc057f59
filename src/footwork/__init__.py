"""footwork: legged robots that stand, push and step on things.

    M(q) a + vᵀC(q)v = Sᵀτ + τ_g(q) + Σ_i J_i(q)ᵀ w_i + τ_ext          J_i a + vᵀH_i(q)v = 0

Four rooms, entered in one direction: `robots` → `dynamics` → `contacts` → `control`. The names that
most programs need are here too; nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import (
    ConfigurationError,
    ContactError,
    DataError,
    FootworkError,
    FootworkWarning,
    ModelError,
    SolverError,
)

if TYPE_CHECKING:
    from . import contacts, control, dynamics, robots
    from .contacts import (
        ContactSet,
        FrictionCone,
        Hold,
        PointContact,
        Scenario,
        SurfaceContact,
        at_feet,
        static_hold,
    )
    from .dynamics import Wrench
    from .robots import Robot, Viewer, load

__version__ = "0.1.0"

_ROOM_OF = {
    "load": "robots",
    "Robot": "robots",
    "Viewer": "robots",
    "Wrench": "dynamics",
    "PointContact": "contacts",
    "SurfaceContact": "contacts",
    "ContactSet": "contacts",
    "FrictionCone": "contacts",
    "Hold": "contacts",
    "Scenario": "contacts",
    "at_feet": "contacts",
    "static_hold": "contacts",
}
_ROOMS = ("robots", "dynamics", "contacts", "control")

__all__ = [
    "robots",
    "dynamics",
    "contacts",
    "control",
    "load",
    "Robot",
    "Viewer",
    "Wrench",
    "PointContact",
    "SurfaceContact",
    "ContactSet",
    "FrictionCone",
    "Hold",
    "Scenario",
    "at_feet",
    "static_hold",
    "FootworkError",
    "FootworkWarning",
    "ModelError",
    "ConfigurationError",
    "ContactError",
    "DataError",
    "SolverError",
    "__version__",
]


def _check_links(package: Path = Path(__file__).parent) -> None:
    """Say so when a checkout turned the links to the rooms into text files."""
    broken = [room for room in _ROOMS if (package / room).is_file()]
    if broken:
        raise ImportError(
            f"{', '.join(str(package / room) for room in broken)}: a text file where a symbolic "
            "link to the room should be. This checkout was made without symbolic links: run "
            "`git config core.symlinks true && git checkout -f -- src`, or install the wheel."
        )


_check_links()


def __getattr__(name: str) -> Any:
    """Import a room, or the name that lives in it, when it is first used (PEP 562)."""
    if name in _ROOMS:
        return importlib.import_module(f".{name}", __name__)
    if name in _ROOM_OF:
        return getattr(importlib.import_module(f".{_ROOM_OF[name]}", __name__), name)
    raise AttributeError(f"module 'footwork' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
