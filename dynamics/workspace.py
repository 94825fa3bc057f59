"""Scratch memory of each thread: that of kernels, and the `pin.Data` of each robot.

Pinocchio's Data is scratch memory: whoever fills it copies out at once what he needs, and nobody
relies on what an earlier call left there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..arrays import Array
from ..robots.robot import Robot


class KernelMemory(threading.local):
    """Where compiled kernels work: an array, a larger one in its place where one needs more.

    New pages of memory take longer than some kernels do.
    """

    def __init__(self) -> None:
        self.array = np.empty(2**14)

    def of(self, count: int) -> Array:
        """Return an array of so many numbers, or more."""
        if len(self.array) < count:
            self.array = np.empty(count)
        return self.array


KERNEL_MEMORY = KernelMemory()


class Workspace:
    """The scratch memory of one robot in one thread.

    Attributes:
        data: `pin.Data`.
        placements: placements() copies the joints' [R | p] (njoints, 3, 4), world, out of it.
        M, nle, g, J, Ag, Jcom, com: M() is the Data's own matrix of that name, to be copied.
        momentum, momentum_rate: momentum() is h_g (1, 6), to be copied; likewise ḣ_g.
    """

    def __init__(self, data: Any) -> None:
        self.data = data
        self.placements = _placements(data.oMi)
        self._twists, self._accelerations = _motions(data.v), _motions(data.a)
        self.momentum, self.momentum_rate = _motions([data.hg]), _motions([data.dhg])
        self.M, self.nle, self.g = (_matrix(partial(getattr, data, x)) for x in ("M", "nle", "g"))
        self.J, self.Ag, self.Jcom = (
            _matrix(partial(getattr, data, x)) for x in ("J", "Ag", "Jcom")
        )
        self.com = _matrix(lambda: data.com[0])

    def motions(self) -> Array:
        """Copy out the joints' twists and spatial accelerations (njoints, 2, 6), in their axes."""
        twists, accelerations = self._twists(), self._accelerations()
        found = np.empty((len(twists), 2, 6))
        found[:, 0], found[:, 1] = twists, accelerations
        return found


def workspace_of(robot: Robot) -> Workspace:
    """Return this thread's workspace of a robot."""
    local = robot.thread_local
    try:
        found: Workspace = local.workspace
    except AttributeError:
        found = local.workspace = Workspace(robot._model.createData())
    return found


def _placements(items: Any) -> Callable[[], Array]:
    """Return what stacks the placements: a copy of their memory, where it lies as expected.

    Reading them one by one takes half a microsecond each. Eigen keeps a placement as the columns of
    R and p, twelve numbers in a row; that every item lies where it then should is checked here.
    """
    columns = _in_a_row([item.rotation for item in items], (4, 3), (24, 8))
    if columns is None or not _follow([x.translation for x in items], columns[:, 3]):
        return lambda: np.array([item.homogeneous[:3] for item in items])
    return lambda: np.ascontiguousarray(columns.transpose(0, 2, 1))


def _motions(items: Any) -> Callable[[], Array]:
    """Return what stacks spatial motions (6,), linear before angular."""
    rows = _in_a_row([item.linear for item in items], (6,), (8,))
    if rows is None or not _follow([item.angular for item in items], rows[:, 3:]):
        return lambda: np.array([item.vector for item in items])
    return lambda: rows


def _matrix(read: Callable[[], Array]) -> Callable[[], Array]:
    """Return what gives a matrix: a view of its memory, which making anew takes a microsecond."""
    view = read()
    if view.flags.owndata or _address(view) != _address(read()):
        return read
    return lambda: view


def _in_a_row(parts: list[Array], shape: tuple[int, ...], strides: tuple[int, ...]) -> Array | None:
    """Return one view over items that lie end to end in memory; None if they do not."""
    size = 8 * int(np.prod(shape))
    start = _address(parts[0])
    if any(_address(part) != start + i * size for i, part in enumerate(parts)):
        return None
    if any(part.flags.owndata for part in parts):  # copies, not Pinocchio's own memory
        return None
    return as_strided(parts[0], (len(parts), *shape), (size, *strides))


def _follow(parts: list[Array], views: Array) -> bool:
    return all(_address(a) == _address(b) for a, b in zip(parts, views, strict=True))


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])
