"""footwork: legged robots that stand, push and step on things.

    M(q) a + vᵀC(q)v = Sᵀτ + τ_g(q) + Σ_i J_i(q)ᵀ w_i + τ_ext          J_i a + vᵀH_i(q)v = 0

Packages, imported in one direction: `robots` → `dynamics` → `contacts` → `control` → `visualize`,
and `biomechanics` on `dynamics`. The names that most programs need are here too; nothing heavy is
imported before it is used.
"""

from __future__ import annotations

import importlib
import sys
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
from .registry import MovedModules, live, plot, view

if TYPE_CHECKING:
    from . import biomechanics, contacts, control, dynamics, robots, visualize
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
    from .robots import Robot, load
    from .visualize import Viewer

__version__ = "0.1.0"

_PACKAGE_OF = {
    "load": "robots",
    "Robot": "robots",
    "Viewer": "visualize",
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
_PACKAGES = ("robots", "dynamics", "contacts", "control", "biomechanics", "visualize")

__all__ = [
    "robots",
    "dynamics",
    "contacts",
    "control",
    "biomechanics",
    "visualize",
    "load",
    "Robot",
    "Viewer",
    "view",
    "plot",
    "live",
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


def _check_links(folder: Path = Path(__file__).parent) -> None:
    """Say so when a checkout turned the links to the packages into text files."""
    broken = [folder / name for name in _PACKAGES if (folder / name).is_file()]
    if broken:
        raise ImportError(
            f"{', '.join(map(str, broken))}: a text file where a symbolic link to the package "
            "should be. This checkout was made without symbolic links: run "
            "`git config core.symlinks true && git checkout -f -- src`, or install the wheel."
        )


_check_links()
sys.meta_path.insert(0, MovedModules())


def __getattr__(name: str) -> Any:
    """Import a package, or the name that lives in it, when it is first used (PEP 562)."""
    if name in _PACKAGES:
        return importlib.import_module(f".{name}", __name__)
    if name in _PACKAGE_OF:
        return getattr(importlib.import_module(f".{_PACKAGE_OF[name]}", __name__), name)
    raise AttributeError(f"module 'footwork' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
