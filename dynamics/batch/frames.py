"""Frames in many states: placements, Jacobians and drifts."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ...robots.robot import Robot
from .. import kinematics
from ..kernels import drifts, jacobians
from ..kernels.body_table import body_table, chain_and_place
from ..kinematics import LOCAL_WORLD_ALIGNED, as_reference
from ..per_robot import per_robot
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

    kernel, tables = _kernel(robot, frame, jacobians.frame_placement_rows)
    work = Work(kernel, single, tables)
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

    kernel, tables = _kernel(robot, frame, jacobians.frame_jacobian_rows)
    work = Work(kernel, single, (*tables, _REFERENCES[as_reference(reference).name]))
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

    kernel, tables = _kernel(robot, frame, drifts.frame_drift_rows)
    work = Work(kernel, single, (*tables, _REFERENCES[as_reference(reference).name]))
    values = ("Q", Q, robot.nq), ("V", V, robot.nv)
    return run(robot, work, values, (6,), out, threads)


def _kernel(robot: Robot, frame: str, kernel: Any) -> tuple[Any, tuple[Any, ...]]:
    """The kernel, if it can place this frame, and the chain and place that it reads."""
    on_world = robot.model.frames[robot.frame_id(frame)].parentJoint == 0
    if on_world and robot.is_floating:  # it does not move: no body of the table carries it
        return None, ()
    if body_table(robot) is None:
        return kernel, ()
    known = _known_frames(robot)
    if frame not in known:
        known[frame] = chain_and_place(robot, frame)
    return kernel, known[frame]


@per_robot
def _known_frames(robot: Robot) -> dict[str, tuple[Any, ...]]:
    """Chains and places of the frames that were asked for."""
    return {}
