"""Agreement of velocities with configurations, and of accelerations with velocities.

From sample to sample q moves by about h (v_i + v_{i+1})/2, wherever v is right. What is wrong in
files is often known: the axes of the base's velocity, degrees, a rate. Those are tried.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...robots.robot import Robot
from .curves import continuous, onto_manifold, tangent, world_turned

_APART = 0.25  # largest difference, as a share of the motion: impacts, coarse samples
_SLOW = 0.02  # differences of v up to this are ignored [m/s or rad/s]; of a up to ten times as much
_KEPT = 0.9  # share of the samples that count: jumps of v do not


def contradictions(robot: Robot, t: Array, q: Array, v: Array, a: Array | None) -> list[str]:
    """Return in words where v is not the derivative of q, or a (if any) not that of v."""
    if len(t) < 3:
        return []
    x = continuous(robot, q)
    h = np.diff(t)[:, None]
    middle = onto_manifold(robot, (x[1:] + x[:-1]) / 2)
    slope, mean = tangent(robot, middle, np.diff(x, axis=0)) / h, (v[1:] + v[:-1]) / 2
    base = 6 if robot.is_floating else 0
    said = _base(robot, middle, slope[:, :6], mean[:, :6]) if base else []
    said += _scaled("v of the joints", "q", slope[:, base:], mean[:, base:], _SLOW)
    if a is not None:
        slope = np.diff(v, axis=0) / h
        means = min((a[:-1], (a[1:] + a[:-1]) / 2), key=lambda given: _apart(slope, given))
        said += _scaled("a", "v", slope, means, 10 * _SLOW)
    return said


def _base(robot: Robot, x: Array, slope: Array, v: Array) -> list[str]:
    """What is wrong with the base's velocity."""
    if _both_agree(slope, v):
        return []
    turned = world_turned(x, v)
    tried = {
        "axes of the world": turned,
        "axes of the world in its linear part": np.hstack([turned[:, :3], v[:, 3:]]),
        "axes of the world in its angular part": np.hstack([v[:, :3], turned[:, 3:]]),
    }
    words = min(tried, key=lambda words: _apart(slope, tried[words]))
    if _both_agree(slope, tried[words]):
        return [f"v of the base contradicts q: it agrees in {words}; expected the base's axes"]
    linear, angular = slice(0, 3), slice(3, 6)
    return _scaled("v of the base's origin", "q", slope[:, linear], v[:, linear], _SLOW) + _scaled(
        "angular v of the base", "q", slope[:, angular], v[:, angular], _SLOW
    )


def _both_agree(slope: Array, v: Array) -> bool:
    """Whether linear and angular velocities agree, either of which may be much the larger."""
    return all(_agree(slope[:, k : k + 3], v[:, k : k + 3], _SLOW) for k in (0, 3))


def _scaled(name: str, of: str, slope: Array, given: Array, slow: float) -> list[str]:
    """What is wrong with rates that may be a multiple of what they should be."""
    if _agree(slope, given, slow):
        return []
    factor = float((given * slope).sum() / max((slope**2).sum(), 1e-30))
    said = f"{name} contradicts the derivative of {of}, by {100 * _apart(slope, given):.3g} %"
    if abs(factor) > 1e-6 and _agree(slope, given / factor, slow):
        degrees = abs(np.degrees(1.0) / factor - 1) < 0.05
        said += f": it is {factor:.3g} times as large" + (", as in degrees" if degrees else "")
    return [said]


def _agree(slope: Array, given: Array, slow: float) -> bool:
    errors = np.sort(np.abs(given - slope).max(axis=1, initial=0.0))[: int(_KEPT * len(slope)) + 1]
    return bool(errors[-1] <= slow or _apart(slope, given) <= _APART)


def _apart(slope: Array, given: Array) -> float:
    """Root mean square of given − slope, as a share of that of the larger; jumps left out."""
    errors = ((given - slope) ** 2).sum(axis=1)
    kept = np.argsort(errors)[: int(_KEPT * len(errors)) + 1]
    size = max((given[kept] ** 2).sum(), (slope[kept] ** 2).sum(), 1e-30)
    return float(np.sqrt(errors[kept].sum() / size))
