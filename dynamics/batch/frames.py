"""Frames in many states: placements, Jacobians and drifts."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ...robots.robot import Robot
from .. import kinematics
from ..kernels import drifts, jacobians
from ..kernels.body_table import body_table, chain_and_place
from ..kinematics import LOCAL_WORLD_ALIGNED, as_reference
from .running import Array, Work, run

_REFERENCES = {
    "LOCAL": jacobians.LOCAL,
    "WORLD": jacobians.WORLD,
    "LOCAL_WORLD_ALIGNED": jacobians.LOCAL_WORLD_ALIGNED,
}


def frame_placement(
    robot: Robot, Q: ArrayLike, frame: str, out: Array | None = None, threads: int = 1
) -> Array:
    """Return T_world_frame (N, 4, 4) of each row: [[R, p], [0, 1]], p in [m].

    Raises:
        ConfigurationError: a bad value, with its row, or no such frame.
    """

    def single(q: Any) -> Any:
        return kinematics.frame_placement(robot, q, frame).homogeneous

    work = Work(jacobians.frame_placement_rows, single, _chain(robot, frame))
    return run(robot, work, [("Q", Q, robot.nq)], (4, 4), out, threads)


def frame_jacobian(
    robot: Robot,
    Q: ArrayLike,
    frame: str,
    reference: Any = LOCAL_WORLD_ALIGNED,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Return J (N, 6, nv) of each row, linear rows first: J v is the frame's twist in `reference`.

    Raises:
        ConfigurationError: a bad value, with its row, no such frame, or no such reference.
    """

    def single(q: Any) -> Any:
        return kinematics.frame_jacobian(robot, q, frame, reference)

    tables = (*_chain(robot, frame), _REFERENCES[as_reference(reference).name])
    work = Work(jacobians.frame_jacobian_rows, single, tables)
    return run(robot, work, [("Q", Q, robot.nq)], (6, robot.nv), out, threads)


def frame_drift(
    robot: Robot,
    Q: ArrayLike,
    V: ArrayLike,
    frame: str,
    reference: Any = LOCAL_WORLD_ALIGNED,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Return J̇v (N, 6) [m/s²; rad/s²] of each row: the frame's acceleration that is there at a = 0.

    Classical in LOCAL_WORLD_ALIGNED, spatial in LOCAL and WORLD, as `dynamics.frame_drift`.

    Raises:
        ConfigurationError: a bad value, with its row, no such frame, or no such reference.
    """

    def single(q: Any, v: Any) -> Any:
        return kinematics.frame_drift(robot, q, v, frame, reference)

    tables = (*_chain(robot, frame), _REFERENCES[as_reference(reference).name])
    work = Work(drifts.frame_drift_rows, single, tables)
    values = ("Q", Q, robot.nq), ("V", V, robot.nv)
    return run(robot, work, values, (6,), out, threads)


def _chain(robot: Robot, frame: str) -> tuple[Any, ...]:
    """What a kernel needs to know of a frame; nothing where no kernel will ask."""
    robot.frame_id(frame)  # raises for names that do not exist
    return chain_and_place(robot, frame) if body_table(robot) is not None else ()
