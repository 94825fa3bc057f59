"""Quantities of a body and its joint: values, tolerances, and words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...arrays import Array
from .bodies import Body

_MASSLESS = 1e-9  # bodies below this mass have no centre of mass [kg]
_LEAST = 1e-9  # of masses, limits and the like, in their units: what files write for zero


class Quantity(NamedTuple):
    """A quantity that is compared.

    `of` gives its value, `near(x, y, tolerance)` tells whether two values are the same, `put(a, b)`
    gives the body a with the quantity of b. `unit` is that of joints that turn; `words` are for
    people (None: the numbers), `gap` says by how much two values differ.
    """

    name: str
    unit: str
    of: Callable[[Body], Array]
    near: Callable[[Array, Array, float], bool]
    gap: Callable[[Array, Array], str]
    put: Callable[[Body, Body], Body]
    words: Callable[[Array, Array], str] | None = None
    geometric: bool = False


def angle(x: Array, y: Array) -> float:
    """Return the angle between two directions (3,), or between two rotations (3, 3) [rad]."""
    if x.ndim == 2:
        return float(np.linalg.norm(pin.log3(x.T @ y)))
    return float(np.arctan2(np.linalg.norm(np.cross(x, y)), x @ y))


def offset(T: Any, U: Any) -> tuple[float, float]:
    """Return the distance [m] and the angle [rad] between two placements."""
    return _length(T.translation - U.translation), angle(T.rotation, U.rotation)


def _length(x: Array) -> float:
    return float(np.linalg.norm(x))


def close(x: Array, y: Array, tolerance: float) -> bool:
    """Whether values are the same, relative to their size."""
    return x.shape == y.shape and bool(np.isclose(x, y, rtol=tolerance, atol=_LEAST).all())


def beside(x: Array, y: Array, tolerance: float) -> bool:
    """Whether places [m] or positions [rad or m] are the same, in those units."""
    return x.shape == y.shape and bool(np.allclose(x, y, rtol=0, atol=tolerance))


def _parallel(x: Array, y: Array, tolerance: float) -> bool:
    return angle(x, y) <= tolerance


def _same_inertia(x: Array, y: Array, tolerance: float) -> bool:
    """Whether inertias are the same: each entry relative to the root of its two moments."""
    return bool((np.abs(x - y) <= tolerance * _moments(x, y) + 1e-12).all())


def _moments(x: Array, y: Array) -> Array:
    moments = np.maximum(np.maximum(np.diag(x), np.diag(y)), 0)
    return np.asarray(np.sqrt(np.outer(moments, moments)))


def degrees(radians: float) -> str:
    """Return an angle in words."""
    return f"{np.degrees(radians):.3g}°"


def metres(length: float) -> str:
    """Return a length in words."""
    return f"{1000 * length:.3g} mm" if length < 1 else f"{length:.3g} m"


def _distance(x: Array, y: Array) -> str:
    return metres(_length(x - y))


def _turned(x: Array, y: Array) -> str:
    return degrees(angle(x, y))


def _share(x: Array, y: Array) -> str:
    """Return y against x, in percent, where that says something."""
    finite = x.shape == y.shape and bool(np.isfinite([x, y]).all() and (x > 0).any())
    if not finite:
        return ""
    k = int(np.argmax(np.abs(y - x)))
    return f"{100 * (y[k] / x[k] - 1):+.3g} %" if x[k] > 0 else ""


def _nothing(x: Array, y: Array) -> str:
    return ""


def _entry(x: Array, y: Array) -> str:
    """Return the entry of an inertia that differs most, of the first of two."""
    scale = _moments(x, y)
    gaps = np.abs(x - y) / np.where(scale > 0, scale, 1.0)
    i, j = sorted(map(int, np.unravel_index(int(np.argmax(gaps)), gaps.shape)))
    return f"I{'xyz'[i]}{'xyz'[j]} {numbers(x[i, j], y[i, j])}"


def _roll_pitch_yaw(x: Array, y: Array) -> str:
    angles = (np.degrees(pin.rpy.matrixToRpy(R)) for R in (x, y))
    return f"rpy {numbers(*angles)}°"


def _range(x: Array, y: Array) -> str:
    return f"[{numbers(x, y).strip('()')}]"


def _rows(x: Array, y: Array) -> str:
    """Return the rows of a joint; once where they are all the same."""
    same = all(len(set(values.tolist())) == 1 for values in (x, y))
    return numbers(x[:1], y[:1]) if same else numbers(x, y)


def _inertia_gap(x: Array, y: Array) -> str:
    scale = _moments(x, y)
    gap = np.abs(x - y) / np.where(scale > 0, scale, 1.0)
    return f"{100 * gap.max():.3g} %"


def _inertial(mass: Body, com: Body, inertia: Body) -> Any:
    return pin.Inertia(mass.inertia.mass, com.inertia.lever, inertia.inertia.inertia)


def _same_com(x: Array, y: Array, tolerance: float) -> bool:
    return bool(np.isnan(x).any() or np.isnan(y).any()) or beside(x, y, tolerance)


def _com(body: Body) -> Array:
    known = body.inertia.mass > _MASSLESS
    return np.array(body.inertia.lever) if known else np.full(3, np.nan)


def _field(name: str) -> Callable[[Body, Body], Body]:
    return lambda a, b: replace(a, **{name: getattr(b, name)})


def off_axis(body: Body) -> Array:
    """Return the point (3,) of a joint's axis that is nearest to the body's origin [m]."""
    return np.asarray(body.point - body.axis * (body.axis @ body.point))


def kind_of(body: Body) -> str:
    """Return the kind of a body's joint, in the words of descriptions."""
    if body.kind == "hinge":
        return "continuous" if np.isinf(body.limits).all() else "revolute"
    return {"slide": "prismatic"}.get(body.kind, body.kind)


QUANTITIES = (
    Quantity(
        "mass", "kg", lambda x: np.array([x.inertia.mass]), close, _share,
        lambda a, b: replace(a, inertia=_inertial(b, a, a)),
    ),
    Quantity(
        "centre of mass", "m", _com, _same_com, _distance,
        lambda a, b: replace(a, inertia=_inertial(a, b, a)), geometric=True,
    ),
    Quantity(
        "inertia", "kg m²", lambda x: np.array(x.inertia.inertia), _same_inertia, _inertia_gap,
        lambda a, b: replace(a, inertia=_inertial(a, a, b)), _entry, geometric=True,
    ),
    Quantity(
        "placement", "m", lambda x: np.array(x.placement.translation), beside, _distance,
        lambda a, b: replace(
            a, placement=pin.SE3(a.placement.rotation, b.placement.translation)
        ), geometric=True,
    ),
    Quantity(
        "rotation", "", lambda x: np.array(x.placement.rotation), _parallel, _turned,
        lambda a, b: replace(
            a, placement=pin.SE3(b.placement.rotation, a.placement.translation)
        ), _roll_pitch_yaw, geometric=True,
    ),
    Quantity("axis", "", lambda x: x.axis, _parallel, _turned, _field("axis"), geometric=True),
    Quantity(
        "place of the axis", "m", off_axis, beside, _distance, _field("point"), geometric=True
    ),
    Quantity(
        "position limits", "rad", lambda x: x.limits, beside, _nothing, _field("limits"), _range
    ),
    Quantity(
        "velocity limit", "rad/s", lambda x: x.velocity, close, _share, _field("velocity"), _rows
    ),
    Quantity("torque limit", "N·m", lambda x: x.effort, close, _share, _field("effort"), _rows),
    Quantity("armature", "kg m²", lambda x: x.armature, close, _share, _field("armature"), _rows),
    Quantity("damping", "N·m s/rad", lambda x: x.damping, close, _share, _field("damping"), _rows),
    Quantity("friction", "N·m", lambda x: x.friction, close, _share, _field("friction"), _rows),
    Quantity(
        "motor", "", lambda x: np.array(x.motor), lambda x, y, _: bool(x == y), _nothing,
        _field("motor"), lambda x, y: "yes" if x else "no",
    ),
)  # fmt: skip

GEOMETRIC = tuple(quantity for quantity in QUANTITIES if quantity.geometric)

_OF_SLIDES = {
    "rad": "m", "rad/s": "m/s", "N·m": "N", "N·m s/rad": "N s/m",
}  # fmt: skip


def unit_for(quantity: Quantity, body: Body) -> str:
    """Return the unit of a quantity of a body."""
    if body.kind != "slide":
        return quantity.unit
    return "kg" if quantity.name == "armature" else _OF_SLIDES.get(quantity.unit, quantity.unit)


def both(x: Array, y: Array, words: Callable[[Array, Array], str] | None = None) -> tuple[str, str]:
    """Return two values in words, without their unit."""
    words = words or numbers
    return words(x, y), words(y, x)


def numbers(x: Array, y: Array) -> str:
    """Return the first of two values in words, to the digits in which they differ; "none": inf."""
    x, y = np.ravel(x), np.ravel(y)
    apart = np.abs(x - y)[np.isfinite(x) & np.isfinite(y)] if x.shape == y.shape else x[:0]
    gap = float(apart.max(initial=0.0))
    decimals = int(np.clip(2 - np.floor(np.log10(gap)), 0, 15)) if gap > 0 else 6
    texts = ["none" if np.isinf(v) else f"{round(v, decimals) + 0.0:.12g}" for v in x.tolist()]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
