"""Wrench cones of rectangles as other libraries document them, written anew from the mathematics.

Every function returns F (m, 6) with the cone = {w : F w ≤ 0}, for w = [force; moment] of the ground
on the foot at the centre of the sole, z the normal, X and Y the half sizes along x and y.
"""

from __future__ import annotations

import numpy as np


def tangent_rows(friction: float, angles: np.ndarray) -> np.ndarray:
    """f_x cos θ + f_y sin θ ≤ μ f_z for every angle."""
    rows = np.zeros((len(angles), 6))
    rows[:, 0], rows[:, 1], rows[:, 2] = np.cos(angles), np.sin(angles), -friction
    return rows


def pressure_rows(X: float, Y: float) -> np.ndarray:
    """f_z ≥ 0 and the centre of pressure inside: |m_x| ≤ Y f_z, |m_y| ≤ X f_z."""
    bounds = [[0, 0, -Y, s, 0, 0] for s in (1, -1)] + [[0, 0, -X, 0, s, 0] for s in (1, -1)]
    return np.array([[0, 0, -1, 0, 0, 0], *bounds], dtype=float)


def yaw_rows(X: float, Y: float, friction: float) -> np.ndarray:
    """The eight yaw rows of Caron, Pham and Nakamura (2015), for four-sided pyramids:

    ±m_z ≤ μ (X + Y) f_z − |Y f_x ± μ m_x| − |X f_y ± μ m_y|
    """
    rows = []
    for sign in (1, -1):
        for a in (1, -1):
            for b in (1, -1):
                across = [a * Y, b * X, -friction * (X + Y)]
                rows.append([*across, sign * a * friction, sign * b * friction, sign])
    return np.array(rows)


def caron_2015(X: float, Y: float, friction: float) -> np.ndarray:
    """Caron, Pham, Nakamura (ICRA 2015), proposition 3, with pyramids |f_x|, |f_y| ≤ μ f_z."""
    pyramid = tangent_rows(friction, np.pi / 2 * np.arange(4))
    return np.vstack([pyramid, pressure_rows(X, Y), yaw_rows(X, Y, friction)])


def crocoddyl(X: float, Y: float, friction: float, facets: int, inner: bool) -> np.ndarray:
    """crocoddyl 3.2.1, `WrenchCone(R, mu, box, nf, inner_appr)`: nf sides, μ cos(π/nf) if inner,
    the same μ in the yaw rows."""
    mu = friction * (np.cos(np.pi / facets) if inner else 1.0)
    sides = tangent_rows(mu, 2 * np.pi * np.arange(facets) / facets)
    return np.vstack([sides, pressure_rows(X, Y), yaw_rows(X, Y, mu)])


def bipedal_locomotion_framework(X: float, Y: float, friction: float, slices: int) -> np.ndarray:
    """bipedal-locomotion-framework, `ContactWrenchCone` (at 6cc6f94) with number_of_slices: the
    polygon of 4 slices corners on the circle, the full μ in the yaw rows."""
    count = 4 * slices
    middle = 2 * np.pi * (np.arange(count) + 0.5) / count
    sides = tangent_rows(friction * np.cos(np.pi / count), middle)
    return np.vstack([sides, pressure_rows(X, Y), yaw_rows(X, Y, friction)])


def placo(X: float, Y: float, friction: float) -> np.ndarray:
    """placo 0.10.2, unilateral planar contact: |f_x|, |f_y| ≤ μ f_z, centre of pressure, no yaw."""
    return np.vstack([tangent_rows(friction, np.pi / 2 * np.arange(4)), pressure_rows(X, Y)])
