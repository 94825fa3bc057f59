"""Validation of values that enter the viewer: arrays, colours, names."""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import unknown
from ...robots import values
from .errors import ViewerError

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

positive = partial(values.number, above=0, error=ViewerError)
text = partial(values.text, empty=True, error=ViewerError)
boolean = partial(values.boolean, error=ViewerError)
direction = partial(values.direction, error=ViewerError)
degrees = partial(values.number, at_least=1, at_most=150, unit="[degrees]", error=ViewerError)


def vector(value: ArrayLike, name: str) -> Array:
    """Return a finite (3,) array, or raise `ViewerError`."""
    return finite(value, name, (3,))


def finite(value: ArrayLike, name: str, shape: values.Shape) -> Array:
    """Return a finite float array of a shape (None: any length), a copy, or raise."""
    return values.array(value, name, shape, error=ViewerError).copy()


def points(value: ArrayLike, name: str, least: int) -> Array:
    """Return a finite (k, 3) array with k ≥ least, or raise `ViewerError`."""
    array = finite(value, name, (None, 3))
    if len(array) < least:
        raise ViewerError(f"{name}: got {len(array)} points; expected at least {least}")
    return array


def opacity(value: float) -> float:
    """Return a number in (0, 1], or raise `ViewerError`."""
    return values.number(value, "opacity", above=0, at_most=1, error=ViewerError)


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
    return packed(*(round(255 * float(part)) for part in (r, g, b)))


def css(value: Color) -> str:
    """Return "#rrggbb" for a colour as `color` takes it."""
    return f"#{color(value):06x}"


def packed(red: int, green: int, blue: int) -> int:
    """Return 0xRRGGBB of parts in 0…255."""
    return (red << 16) + (green << 8) + blue


def channels(color: int) -> tuple[int, int, int]:
    """Return red, green and blue in 0…255 of 0xRRGGBB."""
    return color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF


def overlay_path(name: str) -> str:
    """Return the path of a drawing in the page's tree; "a/b" lies in the folder "a"."""
    parts = name.split("/") if isinstance(name, str) else [""]
    if any(not part.strip() or part in ("<object>", "__proto__") for part in parts):
        raise ViewerError(f"name: got {name!r}; expected a text like 'force' or 'forces/left foot'")
    return f"/overlays/{name}"


def check_viewer(viewer: Any) -> None:
    """Raise `ViewerError` for what one cannot draw into: no `Viewer`, nor anything like it."""
    if not hasattr(viewer, "scale"):
        raise ViewerError(f"viewer: got {viewer!r:.80}, expected a Viewer")
