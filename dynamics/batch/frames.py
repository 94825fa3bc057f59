"""Frames in many states: placements, Jacobians and drifts."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ...arrays import Array
from ...robots.robot import Robot
from .. import kinematics
from ..kernels import drifts, jacobians
from ..kernels.body_table import chain_and_place
from ..per_robot import per_robot
from ..spatial import LOCAL_WORLD_ALIGNED, as_reference
from .running import run
from .term import Term

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
    return run(robot, _term(robot, jacobians.frame_placement_rows, frame), (Q,), out, threads)


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
    term = _term(robot, jacobians.frame_jacobian_rows, frame, as_reference(reference).name)
    return run(robot, term, (Q,), out, threads)


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
    term = _term(robot, drifts.frame_drift_rows, frame, as_reference(reference).name)
    return run(robot, term, (Q, V), out, threads)


def _term(robot: Robot, kernel: Any, frame: str, reference: str | None = None) -> Term:
    """What is done for one frame of one robot."""
    known, key = _known(robot), (kernel, frame, reference)
    try:
        return known[key]
    except (KeyError, TypeError):  # not asked for before, or no name at all
        return known.setdefault(key, _new_term(robot, kernel, frame, reference))


@per_robot
def _known(robot: Robot) -> dict[Any, Term]:
    """The frames that were asked for."""
    return {}


def _new_term(robot: Robot, kernel: Any, frame: str, reference: str | None) -> Term:
    on_world = robot._model.frames[robot.frame_id(frame)].parentJoint == 0
    more = () if reference is None else (_REFERENCES[reference],)

    def tables(robot: Robot) -> tuple[Any, ...]:
        return (*chain_and_place(robot, frame), *more)

    single, takes, shape = _ABOUT[kernel]

    def one(robot: Robot, *state: Any) -> Any:
        return single(robot, *state, frame, *(() if reference is None else (reference,)))

    if on_world and robot.is_floating:  # it does not move: no body of the table carries it
        kernel = None
    return Term(kernel, one, takes, shape, tables)


def _homogeneous(robot: Robot, q: Any, frame: str) -> Any:
    return kinematics.frame_placement(robot, q, frame).homogeneous


# kernel -> the function for one state, what both take, and the shape of what they give
_ABOUT: dict[Any, Any] = {
    jacobians.frame_placement_rows: (_homogeneous, ("Q",), (4, 4)),
    jacobians.frame_jacobian_rows: (kinematics.frame_jacobian, ("Q",), (6, "V")),
    drifts.frame_drift_rows: (kinematics.frame_drift, ("Q", "V"), (6,)),
}
