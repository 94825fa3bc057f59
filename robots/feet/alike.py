"""Soles of left and right feet made one: meshes are rarely tessellated alike on both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from ...arrays import Array
from .foot import Foot


def alike(feet: list[Foot], places: list[Any]) -> list[Foot]:
    """Return feet, those whose soles mirror each other within 1 cm with one sole: the smaller one.

    Meshes are rarely tessellated alike on both sides.

    Args:
        feet: of a robot whose median plane is y = 0.
        places: T_world_frame of each (`pin.SE3`).
    """
    soles = {i: f.points(places[i])[:, :2] for i, f in enumerate(feet) if not f.is_point}
    middles = {i: 0.5 * (s.min(axis=0) + s.max(axis=0)) for i, s in soles.items()}
    for i in soles:
        for j in soles:
            left, right = soles[i] - middles[i], soles[j] - middles[j]
            apart = np.abs(_box(left * [1, -1]) - _box(right)).max()
            if i < j and apart < 1e-2:
                small, large = (i, j) if _area(left) <= _area(right) else (j, i)
                mirrored = ((soles[small] - middles[small]) * [1, -1])[::-1]
                feet[large] = _with_sole(feet[large], places[large], middles[large] + mirrored)
    return feet


def _with_sole(foot: Foot, T_world_frame: Any, corners: Array) -> Foot:
    T = T_world_frame * foot.placement
    middle = corners.mean(axis=0)
    R, vertices = T.rotation, corners - middle
    across = np.column_stack([vertices, np.zeros(len(vertices))]) @ R
    T.translation = np.array([*middle, T.translation[2]])
    return replace(foot, placement=T_world_frame.inverse() * T, vertices=across[:, :2])


def _box(points: Array) -> Array:
    return np.array([points.min(axis=0), points.max(axis=0)])


def _area(corners: Array) -> float:
    return float(scipy.spatial.ConvexHull(corners).volume)
