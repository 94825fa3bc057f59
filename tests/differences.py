"""Central differences on the manifold of configurations, and answers that are close."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

STEP = 1e-6


def along(robot: Any, q: np.ndarray, v: np.ndarray, term: Callable, step: float = STEP) -> Any:
    """d/dt of term(q) along v."""
    forth, back = robot.integrate(q, step * v), robot.integrate(q, -step * v)
    return (term(forth) - term(back)) / (2 * step)


def gradient(robot: Any, q: np.ndarray, term: Callable, step: float = STEP) -> np.ndarray:
    """Derivatives of term(q) along every tangent direction, on a new last axis."""
    return np.stack([along(robot, q, e, term, step) for e in np.eye(robot.nv)], axis=-1)


def in_vector(x: np.ndarray, term: Callable, step: float = STEP) -> np.ndarray:
    """Derivatives of term(x) by the entries of x, on a new last axis."""
    ways = step * np.eye(len(x))
    return np.stack([(term(x + d) - term(x - d)) / (2 * step) for d in ways], axis=-1)


def close(x: Any, y: Any, tolerance: float = 1e-10) -> None:
    """Fail where x and y differ by more than a share of 1 + the largest entry."""
    scale = 1 + max(np.abs(x).max(initial=0), np.abs(y).max(initial=0))
    np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * scale)


def derivative(f: Callable, step: float = 2e-3) -> Any:
    """f'(0), of order 6."""
    terms = [w * (f(k * step) - f(-k * step)) for k, w in enumerate((45.0, -9.0, 1.0), 1)]
    return sum(terms) / (60 * step)


def slope(value: Callable, step: float = 1e-4) -> Any:
    """d value/dt at 0, of order 4."""
    near, far = (value(k * step) - value(-k * step) for k in (1, 2))
    return (8 * near - far) / (12 * step)
