"""Exception hierarchy of footwork; `except FootworkError` catches all of them.

Every message states what was got, what was expected and, for names, what exists.
"""

from __future__ import annotations

import difflib
import re
import sys
import warnings
from collections.abc import Iterable
from types import FrameType


class FootworkError(Exception):
    """Root of every exception that footwork raises on purpose."""


class ModelError(FootworkError, ValueError):
    """A robot description that cannot be read, or that describes no physical robot."""


class ConfigurationError(FootworkError, ValueError):
    """A value that does not fit the robot: q, v, a, τ, or the name of a frame or joint."""


class ContactError(FootworkError, ValueError):
    """An invalid contact: a negative friction coefficient, a patch that is not convex, …"""


class SolverError(FootworkError, RuntimeError):
    """An optimisation problem without a verified solution from any solver."""


class DataError(FootworkError, ValueError):
    """A file of measurements that cannot be read, or measurements that do not fit together."""


class FootworkWarning(UserWarning):
    """Something doubtful that stops nothing, such as an implausible value in a robot
    description."""


def warn(text: str, category: type[Warning] = FootworkWarning) -> None:
    """Warn at the line outside of footwork from which this was reached."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and f"{frame.f_globals.get('__name__')}.".startswith("footwork."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number of things in words.

    >>> counted(1, "mesh", "meshes"), counted(2, "joint")
    ('1 mesh', '2 joints')
    """
    return f"{count} {one if count == 1 else several or f'{one}s'}"


def _words(name: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", name))


def unknown(kind: str, name: object, existing: Iterable[str]) -> str:
    """Return the message for a `name` that does not exist, with the nearest ones that do.

    >>> unknown("frame", "left_sole", ["left_sole_link", "torso"])
    "no frame 'left_sole'; did you mean 'left_sole_link'? There are 2: 'left_sole_link', 'torso'"
    """
    names, name = sorted(set(existing)), name if len(str(name)) <= 200 else f"{str(name)[:200]}…"
    lower = {n.lower()[:200]: n for n in names[:5000]}  # comparing takes time
    asked = str(name).lower()
    near = [lower[n] for n in difflib.get_close_matches(asked, lower, n=3, cutoff=0.5)]
    if not near and (words := _words(asked)):  # in another order, among others
        near = sorted((lower[n] for n in lower if words <= _words(n)), key=len)[:3]
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
    shown = names[:12] if len(names) <= 12 or not near else []
    more = ", …" if 0 < len(shown) < len(names) else ""
    listed = f": {', '.join(map(repr, shown))}{more}" if shown else ""
    return f"no {kind} {name!r}{hint} There are {len(names)}{listed}"
