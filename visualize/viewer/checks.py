"""The values that enter the viewer: finite arrays of the right shape, colours, names."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import unknown
from .errors import ViewerError

Array = NDArray[np.float64]
Color = str | tuple[float, float, float]

COLORS = {  # quiet tones that stay apart on a white page
    "red": "#d62839",
    "orange": "#f08a24",
    "yellow": "#f2c230",
    "green": "#2a9d5c",
    "teal": "#1b998b",
    "cyan": "#2ab7ca",
    "blue": "#2667c9",
    "purple": "#7b4bb7",
    "magenta": "#c2308f",
    "pink": "#ee7fa8",
    "brown": "#8a5a3b",
    "black": "#1d2127",
    "gray": "#868e96",
    "grey": "#868e96",
    "silver": "#c9ced6",
    "white": "#ffffff",
}


def vector(value: ArrayLike, name: str) -> Array:
    """Return a finite (3,) array, or raise `ViewerError`."""
    return finite(value, name, (3,))


def points(value: ArrayLike, name: str, least: int) -> Array:
    """Return a finite (k, 3) array with k ≥ least, or raise `ViewerError`."""
    array = finite(value, name, (None, 3))
    if len(array) < least:
        raise ViewerError(f"{name}: got {len(array)} points; expected at least {least}")
    return array


def finite(value: ArrayLike, name: str, shape: tuple[int | None, ...]) -> Array:
    """Return a finite float array of a shape (None: any length), or raise `ViewerError`."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ViewerError(f"{name}: got {error}; expected numbers") from None
    wanted = tuple("k" if n is None else n for n in shape)
    if array.ndim != len(shape) or any(
        n is not None and n != m for n, m in zip(shape, array.shape, strict=True)
    ):
        raise ViewerError(f"{name}: got shape {array.shape}, expected {wanted}".replace("'", ""))
    if not np.isfinite(array).all():
        raise ViewerError(f"{name}: got {array.tolist()}; expected finite values")
    return array


def positive(value: float, name: str) -> float:
    """Return a finite number above 0, or raise `ViewerError`."""
    if not (isinstance(value, int | float | np.number) and math.isfinite(value) and value > 0):
        raise ViewerError(f"{name}: got {value!r}; expected a finite number above 0")
    return float(value)


def opacity(value: float) -> float:
    """Return a number in (0, 1], or raise `ViewerError`."""
    if not (isinstance(value, int | float | np.number) and 0 < value <= 1):
        raise ViewerError(f"opacity: got {value!r}; expected a number in (0, 1]")
    return float(value)


def color(value: Color) -> int:
    """Return 0xRRGGBB for a name of `COLORS`, "#rrggbb", "#rgb", or (r, g, b) in 0…1.

    Raises:
        ViewerError: neither of these; the message has the nearest names.
    """
    if isinstance(value, str):
        text = COLORS.get(value.lower(), value)
        digits = text[1:] if text.startswith("#") else ""
        digits = "".join(2 * c for c in digits) if len(digits) == 3 else digits
        if len(digits) == 6 and all(c in "0123456789abcdefABCDEF" for c in digits):
            return int(digits, 16)
        raise ViewerError(unknown("colour", value, COLORS) + "; or '#rrggbb', or (r, g, b) in 0…1")
    r, g, b = finite(value, "colour", (3,))
    if min(r, g, b) < 0 or max(r, g, b) > 1:
        raise ViewerError(f"colour: got {tuple(value)}; expected (r, g, b) in 0…1")
    red, green, blue = (round(255 * float(part)) for part in (r, g, b))
    return (red << 16) + (green << 8) + blue


def overlay_path(name: str) -> str:
    """Return the path of a drawing in the page's tree; "a/b" lies in the folder "a"."""
    parts = name.split("/") if isinstance(name, str) else [""]
    if any(not part.strip() or part in ("<object>", "__proto__") for part in parts):
        raise ViewerError(f"name: got {name!r}; expected a text like 'force' or 'forces/left foot'")
    return f"/overlays/{name}"
