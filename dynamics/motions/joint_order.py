"""Correspondence of the joints in files to those of a robot.

Names count as the same that differ in case, signs and endings such as "_joint" or "_dof" only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ConfigurationError, DataError, counted, unknown
from ...robots.ranges import ranges
from ...robots.robot import Robot
from ...robots.values import texts
from ..kinematics import frame_placement
from .samples import Samples

_ENDINGS = re.compile(r"(_joint|_dof|_jnt|_pos|_position|_angle|_q)+$")
_BEGINNINGS = re.compile(r"^(q|joint|dof|jnt|dof_pos|joint_pos|observation|state)_(?=[a-z])")
_NEAR = 0.02  # [m] of links where an order of joints fits


def single_joints(robot: Robot) -> dict[str, Any]:
    """Return {name: joint} of the joints with one degree of freedom, in the robot's order."""
    names, joints = list(robot._model.names)[1:], list(robot._model.joints)[1:]
    return {name: joint for name, joint in zip(names, joints, strict=True) if joint.nv == 1}


def breadth_first(robot: Robot) -> tuple[str, ...]:
    """Return the names of single joints by their depth in the tree, as Isaac Lab orders them."""
    depth = {0: 0}
    for i, parent in enumerate(list(robot._model.parents)[1:], start=1):
        depth[i] = depth[parent] + 1
    ids = {name: robot._model.getJointId(name) for name in single_joints(robot)}
    return tuple(sorted(ids, key=lambda name: depth[ids[name]]))


def names_asked_for(robot: Robot, order: Any) -> tuple[str, ...]:
    """Return the names of `joint_order`: names, "robot", "breadth-first", or a file of names.

    Raises:
        ConfigurationError: no names.
    """
    if isinstance(order, str | Path):
        if str(order) in ("robot", "breadth-first"):
            return breadth_first(robot) if order == "breadth-first" else tuple(single_joints(robot))
        try:
            text = Path(order).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"joint_order: got {str(order)!r:.80}: {error}; expected names, 'robot', "
                "'breadth-first', or a file with names"
            ) from None
        return tuple(re.findall(r"[^\s,;\"'\[\]]+", text))
    return texts(order, "joint_order")


def joint_positions(
    robot: Robot, found: Samples, order: Any, missing: str, extra: str
) -> tuple[dict[str, Array], tuple[str, ...]]:
    """Return {joint: positions (n,)} of a file, and what is to be said of it.

    Args:
        robot: whose joints they are.
        found: the file's samples.
        order: names that the caller gives, or None.
        missing: "refuse", or "posture": joints that the file lacks stay as the robot stands.
        extra: "refuse", or "drop": columns of other joints are left out.

    Raises:
        ConfigurationError: joints that do not fit; which ones.
    """
    values, own = found.joints, single_joints(robot)
    names, said = _names(robot, found, order)
    values, more = _without_objects(values, len(names))
    if values.shape[1] != len(names):
        raise ConfigurationError(
            f"joints: got {counted(values.shape[1], 'column')} for {counted(len(names), 'joint')} "
            f"{'of the file' if found.names or order else f'of {robot.name!r}'}; expected "
            "joint_order= with a name for each column"
        )
    meant = _meant(names, own)
    columns = [meant[name] for name in names if name in meant]
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise ConfigurationError(f"joints: {twice[0]!r} has more than one column")
    others = [name for name in names if name not in meant]
    lacking = [name for name in own if name not in meant.values()]
    said += more + _left_out(robot, others, extra) + _filled(robot, lacking, missing, others)
    column = {name: i for i, name in enumerate(names)}
    found_values = {meant[name]: values[:, column[name]] for name in names if name in meant}
    return found_values, said + _doubts(robot, found_values)


def _names(robot: Robot, found: Samples, order: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if order is not None:
        return names_asked_for(robot, order), ("joints in the order asked for",)
    if found.names is not None:
        return found.names, ()
    own = tuple(single_joints(robot))
    said = f"the file names no joints: those of {robot.name!r} assumed, in its order"
    if found.bodies is None or found.joints.shape[1] != len(own) or not robot.is_floating:
        return own, (said,)
    return _by_bodies(robot, found, {"its order": own, "breadth-first order": breadth_first(robot)})


def _by_bodies(
    robot: Robot, found: Samples, orders: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The order of joints in which the robot's links are where the file has them.

    Raises:
        DataError: in none of them.
    """
    away = {words: _away(robot, found, names) for words, names in orders.items()}
    words = min(away, key=lambda words: away[words])
    if away[words] > _NEAR:
        raise DataError(
            f"the file names no joints, and its links fit none of the orders known (they are "
            f"{100 * away[words]:.2g} cm away); expected joint_order="
        )
    return orders[words], (f"the file names no joints: {words} of {robot.name!r}, as its links are "
                           f"where the file has them (to {1e3 * away[words]:.1f} mm)",)  # fmt: skip


def _away(robot: Robot, found: Samples, names: tuple[str, ...]) -> float:
    """Mean distance [m] of the file's links from the nearest of the robot's, in some rows."""
    rows = np.unique(np.linspace(0, len(found.joints) - 1, 5).astype(int))
    q = filled(robot, dict(zip(names, found.joints[rows].T, strict=True)), len(rows))
    turn = found.turn[rows][:, [1, 2, 3, 0]]  # type: ignore[index]
    q[:, :3], q[:, 3:7] = found.place[rows], turn / np.linalg.norm(turn, axis=1)[:, None]  # type: ignore[index]
    links = [frame.name for frame in robot._model.frames if str(frame.type) == "BODY"]
    gaps = []
    for x, theirs in zip(q, found.bodies[rows], strict=True):  # type: ignore[index]
        own = np.array([frame_placement(robot, x, link).translation for link in links])
        gaps.append(np.linalg.norm(theirs[:, None] - own[None], axis=-1).min(axis=1).mean())
    return float(np.mean(gaps))


def _without_objects(values: Array, joints: int) -> tuple[Array, tuple[str, ...]]:
    """Columns without sevens at their end, such as poses of objects that the robot carries."""
    more = values.shape[1] - joints
    if more <= 0 or more % 7:
        return values, ()
    return values[:, :joints], (
        f"{counted(more // 7, 'pose')} after the joints left out (objects)",
    )


def _meant(names: Iterable[str], own: Mapping[str, Any]) -> dict[str, str]:
    """{name in the file: name of the robot's joint}: of equal names, else of equal short ones."""
    short: dict[str, list[str]] = {}
    for name in own:
        short.setdefault(_short(name), []).append(name)
    meant = {}
    for name in names:
        near = short.get(_short(name), [])
        if name in own or len(near) == 1:
            meant[name] = name if name in own else near[0]
    return meant


def _short(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    while (shorter := _BEGINNINGS.sub("", _ENDINGS.sub("", plain))) != plain:
        plain = shorter
    return plain


def _left_out(robot: Robot, others: list[str], extra: str) -> tuple[str, ...]:
    if not others:
        return ()
    if extra != "drop":
        near = unknown("joint", others[0], single_joints(robot))
        raise ConfigurationError(
            f"joints: {robot.name!r} lacks {_few(others)} of the file ({near}); expected "
            "extra='drop' to leave them out"
        )
    return (f"left out: {_few(others)}, which {robot.name!r} lacks",)


def _filled(robot: Robot, lacking: list[str], missing: str, others: list[str]) -> tuple[str, ...]:
    if not lacking:
        return ()
    if missing != "posture":
        raise ConfigurationError(
            f"joints: the file lacks {_few(lacking)} of {robot.name!r}; expected missing='posture' "
            "to let them stay as it stands"
        )
    return (f"{_few(lacking)} not in the file: as {robot.name!r} stands",)


def _doubts(robot: Robot, joints: Mapping[str, Array]) -> tuple[str, ...]:
    """What to say of turning joints that are more than two turns away from zero, but have ends."""
    low, high = ranges(robot._model)
    own = single_joints(robot)
    largest = {
        name: float(np.abs(values).max(initial=0))
        for name, values in joints.items()
        if own[name].nq == 1
        and np.isfinite([low[own[name].idx_q], high[own[name].idx_q]]).all()
        and "JointModelR" in own[name].shortname()
    }
    worst = max(largest, key=lambda name: largest[name], default="")
    if not worst or largest[worst] < 4 * np.pi:
        return ()
    return (f"{worst} turns to {largest[worst]:.3g} rad: are the file's joints in degrees?",)


def _few(names: list[str]) -> str:
    return f"{', '.join(names[:6])}{f' and {len(names) - 6} more' if len(names) > 6 else ''}"


def filled(robot: Robot, joints: Mapping[str, Array], count: int) -> Array:
    """Return configurations (count, nq): the robot's posture with these joints moved."""
    q = np.tile(robot.posture(), (count, 1))
    own = single_joints(robot)
    for name, values in joints.items():
        at = own[name].idx_q
        if own[name].nq == 2:
            q[:, at], q[:, at + 1] = np.cos(values), np.sin(values)
        else:
            q[:, at] = values
    return q
