"""Arguments of controllers, (q, v, t), (t, q, v) or readings, and their errors and estimates."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature, signature
from pathlib import Path
from traceback import extract_tb
from typing import Any, Literal

import numpy as np

from ..errors import ConfigurationError, FootworkError

Arguments = Literal["q, v, t", "t, q, v", "readings"]


def arguments_of(
    controller: Any, name: str, usual: Literal["t, q, v", "readings"] = "t, q, v"
) -> Arguments:
    """Return what a controller is to be called with.

    It is (q, v, t) for one that gives commands (`gives_commands`), else (t, q, v) or `Readings`, by
    how many arguments it takes.

    Args:
        controller: the controller.
        name: of the argument that it is.
        usual: for one that takes both, or does not tell.

    Raises:
        ConfigurationError: what cannot be called, or takes neither.
    """
    if not callable(controller):
        pair = isinstance(controller, tuple) and len(controller) == 2 and callable(controller[0])
        raise ConfigurationError(
            f"{name}: got a {type(controller).__name__}, expected a controller, which is called "
            f"with (q, v, t), (t, q, v) or readings"
            f"{' (control.stand returns one and q)' if pair else ''}"
        )
    if getattr(controller, "gives_commands", False):
        return "q, v, t"
    try:
        taken = signature(controller)
    except (TypeError, ValueError):  # of builtins
        return usual
    fits: list[Arguments] = [
        arguments for arguments in ("t, q, v", "readings") if takes(taken, arguments.count(",") + 1)
    ]
    if list(taken.parameters)[:3] == ["q", "v", "t"] or not fits:
        raise ConfigurationError(
            f"{name}: got {called(controller, taken)}, expected one that is called with (t, q, v) "
            "or readings and returns τ, or with (q, v, t), returns a Command and has "
            "gives_commands = True"
        )
    return usual if usual in fits else fits[0]


def raised(error: Exception) -> str:
    """Return an error of a controller in words, and where it comes from if it is not footwork's."""
    words = f"{type(error).__name__}: {error}"
    frames = extract_tb(error.__traceback__)
    if isinstance(error, FootworkError) or not frames:
        return words
    own = [frame for frame in frames if "site-packages" not in frame.filename]
    where = (own or frames)[-1]
    return f"{words} ({Path(where.filename).name}:{where.lineno})"


def check_estimator(estimator: Any) -> None:
    """Raise if an estimator is neither None nor called with readings."""
    if not (estimator is None or callable(estimator)):
        raise ConfigurationError(
            f"estimator: got {type(estimator).__name__}; expected one that is called with readings"
        )


def estimate_of(estimator: Any, readings: Any) -> tuple[Any, Any]:
    """Return copies of q and v by an estimator, or those of the readings without one.

    Raises:
        ConfigurationError: an answer without q and v.
    """
    if estimator is None:
        return readings.q, readings.v
    estimate = estimator(readings)
    try:
        return np.array(estimate.q), np.array(estimate.v)
    except AttributeError:
        raise ConfigurationError(
            f"estimator: got {estimate!r:.80}, expected an estimate with q and v"
        ) from None


def takes(taken: Signature, count: int) -> bool:
    """Return whether what has a signature can be called with so many arguments."""
    try:
        taken.bind(*[None] * count)
    except TypeError:
        return False
    return True


def called(controller: Callable[..., Any], taken: Signature) -> str:
    """Return its name and its arguments."""
    named = getattr(controller, "__name__", type(controller).__name__)
    return f"{named}({', '.join(map(str, taken.parameters))})"
