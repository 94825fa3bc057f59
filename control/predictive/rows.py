"""Rows of predictions: states, stances, references and wrenches as kernels read them.

A call of `Predictive` has one row, a batch M. What is the same for all may be given once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ...arrays import Array, Index
from ...dynamics import Wrench
from ...errors import ConfigurationError
from ...robots.values import ORTHONORMAL, check_finite, instance, rotation, sequence, table
from ..kernels.centroidal import Grid, Nominal, Reference
from .stances import Nodes
from .terms import repeated

Tuple = TypeVar("Tuple", bound=tuple[Any, ...])


def part(arrays: Tuple, rows: Index | int) -> Tuple:
    """Return a NamedTuple of arrays (M, …) of some rows, in their order, or of one."""
    return type(arrays)(*[x[rows] for x in arrays])


# --- nodes ----------------------------------------------------------------------------------------


def alike(grids: Sequence[Nodes], count: int) -> list[Index]:
    """Return which of so many rows have the same contacts at their nodes.

    Args:
        grids: of each row, or one for all.
        count: M.
    """
    if len(grids) == 1:
        return [np.arange(count)]
    groups: dict[Any, list[int]] = {}
    for i, grid in enumerate(grids):
        names = tuple([stance.names for stance in grid.own])
        groups.setdefault((grid.index.tobytes(), names), []).append(i)
    return [np.array(rows) for rows in groups.values()]


def grid_of(grids: Sequence[Nodes], numbers: Mapping[str, int], known: Array) -> Grid:
    """Return the nodes of rows.

    Args:
        grids: of each row, or one for all, with the same contacts at their nodes.
        numbers: of the robot's contacts, by name.
        known: [F; M] (M, 6) about the world's origin.
    """
    names = [stance.names for stance in grids[0].own]
    begin = np.array([0, *itertools.accumulate(map(len, names))])
    contact = np.array([numbers[name] for each in names for name in each], dtype=np.intp)
    poses = np.concatenate([stance.poses for each in grids for stance in each.own])
    poses = poses.reshape(len(grids), -1, 4, 4)
    durations = np.array([each.durations for each in grids])
    rows = [repeated(x, len(known)) for x in (durations, poses)]
    return Grid(rows[0], grids[0].index, begin, contact, rows[1], known)


# --- references -----------------------------------------------------------------------------------


def references_of(given: Any) -> list[Any]:
    """Return references, functions of times: one for all, or of each row.

    Raises:
        ConfigurationError: no functions.
    """
    each = [given] if callable(given) or not isinstance(given, Iterable) else list(given)
    for reference in each:
        if not callable(reference):
            raise ConfigurationError(
                f"reference: got {reference!r:.80}; expected a function of times, that returns a "
                "Reference"
            )
    return each


def targets_of(references: Sequence[Any], grids: Sequence[Nodes], count: int) -> Reference:
    """Return what references want of `count` rows.

    A function for all is called once, where all nodes last as long; its arrays may have rows.

    Raises:
        ConfigurationError: arrays of other shapes.
    """
    times = [grid.times for grid in grids]
    if len(references) == 1 and (np.array(times) == times[0]).all():
        wanted = [references[0](times[0])]
    else:
        pairs = zip(itertools.cycle(references), itertools.cycle(times), strict=False)
        wanted = [reference(each) for reference, each in itertools.islice(pairs, count)]
    return stacked(wanted, len(times[0]), count)


def _check_rotations(R: Array) -> None:
    """Refuse matrices (…, 3, 3) that are no rotations."""
    off = np.abs(R @ R.swapaxes(-1, -2) - np.eye(3)).max(axis=(-1, -2))
    wrong = np.argwhere((off > ORTHONORMAL) | (np.linalg.det(R) < 0))
    if len(wrong):
        at = tuple(wrong[0].tolist())
        rotation(R[at], f"reference: rotation[{', '.join(map(str, at))}]")


def stacked(wanted: Sequence[Reference], nodes: int, count: int) -> Reference:
    """Return the arrays of references at so many nodes' ends, with a first axis of `count`.

    Raises:
        ConfigurationError: no References, arrays of other shapes, values that are not finite.
    """
    for each in wanted:
        instance(each, "reference(times)", Reference)
    found = []
    for name in Reference._fields:
        shape = (nodes, 3, 3) if name == "rotation" else (nodes, 3)
        parts = [_as_rows(getattr(each, name), name, shape, len(wanted) == 1) for each in wanted]
        x = parts[0] if len(parts) == 1 else np.concatenate([np.empty((0, *shape)), *parts])
        if len(x) not in (1, count):
            raise ConfigurationError(
                f"reference: got {name} of {len(x)} rows, expected {count}, or one for all"
            )
        if not np.isfinite(x).all():
            check_finite(x, f"reference: {name}", ConfigurationError)
        if name == "rotation":
            _check_rotations(x)
        found.append(repeated(x, count))
    return Reference(*found)


def _as_rows(given: Any, name: str, shape: tuple[int, ...], many: bool) -> Array:
    """An array of a reference with a first axis, of one row unless there may be many."""
    nothing = given is None and name == "legs"
    x = np.zeros(shape) if nothing else np.asarray(given, dtype=float)
    x = x[None] if x.ndim == len(shape) else x
    if x.shape[1:] != shape or (len(x) > 1 and not many):
        raise ConfigurationError(
            f"reference: got {name} of shape {np.shape(given)}, expected {shape}"
        )
    return x


def about_targets(grid: Grid, targets: Reference, gravity: Array) -> Nominal:
    """Return what to linearise about before there is a prediction: the reference, at rest."""
    count, N = grid.h.shape
    times = np.zeros((count, N + 1))
    grid.h.cumsum(axis=1, out=times[:, 1:])
    forces = np.empty((count, N, 3))
    forces[:] = -gravity
    return Nominal(times, targets.com, forces)


# --- wrenches -------------------------------------------------------------------------------------


def known_wrench(wrenches: Any) -> Array:
    """Return [F; M] (6,) of known wrenches about the world's origin, in its axes."""
    found = np.zeros(6)
    if wrenches is None:
        return found
    for wrench in (
        [wrenches] if isinstance(wrenches, Wrench) else sequence(wrenches, "wrenches", Wrench)
    ):
        if wrench.point is None or wrench.axes != "world":
            raise ConfigurationError(
                f"wrenches: got {wrench!r}; expected wrenches at a point, in world axes"
            )
        found += wrench.at(np.zeros(3)).vector
    return found


def wrench_rows(wrenches: Any) -> Array | tuple[Wrench, ...]:
    """Return wrenches (M, 6) that are given as an array, or else those that all rows have."""
    if wrenches is None or isinstance(wrenches, Wrench):
        return () if wrenches is None else (wrenches,)
    if isinstance(wrenches, Iterable) and not isinstance(wrenches, np.ndarray):
        wrenches = tuple(wrenches)
        if not wrenches or any(isinstance(each, Wrench) for each in wrenches):
            return sequence(wrenches, "wrenches", Wrench)
    return table(wrenches, 6, "wrenches")


def about_origin(wrenches: Array, com: Array) -> Array:
    """Return wrenches (M, 6) about the world's origin that are given about the centre of mass."""
    force = wrenches[:, :3]
    return np.hstack([force, wrenches[:, 3:] + np.cross(com, force)])
