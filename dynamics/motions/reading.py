"""Reading of motion files as motions of a robot."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ...arrays import Array
from ...errors import ConfigurationError, DataError, FootworkError
from ...files import as_path
from ...robots.configuration import UNIT_TOLERANCE, check_robot
from ...robots.robot import Robot
from ...robots.values import number, one_of, text
from . import joint_order as joints
from . import poses
from .files import contents
from .layouts import samples
from .motion import Motion
from .samples import Samples
from .saving import own_arrays
from .smoothing import AUTO

_TALLEST = 20.0  # [m]: a base is lower


def read_motion(
    path: str | Path,
    robot: Robot,
    *,
    rate: float | None = None,
    joint_order: str | Path | Iterable[str] | None = None,
    quaternion: str | None = None,
    layout: str | None = None,
    entry: str | None = None,
    missing: str = "refuse",
    extra: str = "refuse",
    cutoff: float | str | None = AUTO,
) -> Motion:
    """Return the motion in a file: .npz, .npy, .pkl (none of its code is run) or .csv.

    Read are files of `Motion.save` and of `control.save_motion`, arrays t, q[, v, a] in a .npz, and
    the layouts that people publish (`layouts.LAYOUTS`, `tables.LAYOUTS`). Joints go by their names.
    Velocities of other layouts are not used: v and a are derived of q, as `Motion.of` does. What
    was assumed is in the motion's `notes`.

    Args:
        path: the file.
        robot: who moves.
        rate: samples a second [Hz], where the file does not say.
        joint_order: names of the file's joints, where it has none (or others): a sequence; a file
            with them; "robot", in its order; "breadth-first", as Isaac Lab orders them.
        quaternion: order of the base's, "xyzw" or "wxyz"; found if not given.
        layout: by name; found by keys or header if not given.
        entry: which motion of a file with several.
        missing: "refuse" files that lack a joint of the robot; "posture": it stays as it stands.
        extra: "refuse" files with other joints; "drop": they are left out.
        cutoff: of the filter [Hz], "auto" or None, as in `Motion.of`.

    Raises:
        DataError: no such file, a layout that is not known, damaged, or values that cannot be.
        ConfigurationError: a motion that does not fit the robot, or a bad argument.
    """
    path, robot = as_path(path), check_robot(robot)
    if rate is not None:
        rate = number(rate, "rate", above=0, at_most=1e6, unit="samples a second")
    for name, value, options in (("missing", missing, "posture"), ("extra", extra, "drop")):
        one_of(value, name, ("refuse", options))
    for name, given in (("layout", layout), ("entry", entry)):
        if given is not None:
            text(given, name)
    data = contents(path)
    try:
        own = own_arrays(robot, data) if layout is None else None
        if own is not None:
            arrays, said = own
            _refuse_what_is_known(rate=rate, joint_order=joint_order, entry=entry)
            arrays, more = _kept(robot, arrays, quaternion)
            said += more
            return Motion.of(robot, **arrays, cutoff=cutoff, name=path.stem, notes=said)
        found = samples(data, layout, entry)
        values, said = joints.joint_positions(robot, found, joint_order, missing, extra)
        _check_lengths(found)
        q = joints.filled(robot, values, len(found.joints))
        said = (f"layout {found.layout!r}", *found.notes, *said)
        q, more = _with_base(robot, found, q, quaternion)
        t, late = _times(found, rate, len(q))
        return Motion.of(robot, t, q, cutoff=cutoff, name=path.stem, notes=(*said, *more, *late))
    except FootworkError as error:
        raise type(error)(f"{path}: {error}") from None


def _check_lengths(found: Samples) -> None:
    """Refuse arrays of several lengths."""
    series = {"joints": found.joints, "base": found.place, "quaternions": found.turn,
              "times": found.times}  # fmt: skip
    lengths = {name: len(x) for name, x in series.items() if x is not None}
    if len(set(lengths.values())) > 1 or not lengths["joints"]:
        told = ", ".join(f"{count} of the {name}" for name, count in lengths.items())
        raise DataError(f"got samples: {told}; expected one number of them, 1 or more")


def _refuse_what_is_known(**given: object) -> None:
    """Refuse what is asked of a file that says it itself."""
    for name, value in given.items():
        if value is not None:
            raise ConfigurationError(
                f"{name}: got {value!r:.80}; expected None: a file with t and q says it"
            )


def _kept(
    robot: Robot, arrays: dict[str, Array], quaternion: str | None
) -> tuple[dict[str, Array], tuple[str, ...]]:
    """Arrays of a file with t and q, the base's quaternion in our order, its rounding mended."""
    q = arrays["q"]
    said: tuple[str, ...] = ()
    if quaternion is not None and robot.is_floating:
        turn, said = poses.in_order(robot, q[:, 3:7], quaternion, None)
        q = np.hstack([q[:, :3], turn, q[:, 7:]])
    for start, stop in robot.unit_blocks:
        norms = np.linalg.norm(q[:, start:stop], axis=1)
        if np.abs(norms - 1).max(initial=0) > UNIT_TOLERANCE:
            turn, rounded = poses.unit(q[:, start:stop])
            q = np.hstack([q[:, :start], turn, q[:, stop:]])
            said += rounded
    return arrays | {"q": q}, said


def _with_base(
    robot: Robot, found: Samples, q: Array, quaternion: str | None
) -> tuple[Array, tuple[str, ...]]:
    """Configurations with the base's pose of the file, and what is to be said of it."""
    if not robot.is_floating:
        said = (
            (f"the base's pose left out: {robot.name!r} is fixed",)
            if found.turn is not None
            else ()
        )
        return q, said
    if found.place is None or found.turn is None:
        raise ConfigurationError(
            f"{robot.name!r} has a floating base, and the file none; expected a base's place and "
            "quaternion, or the robot loaded with base='fixed'"
        )
    turn, rounded = poses.unit(found.turn)
    turn, ordered = poses.in_order(robot, turn, quaternion, found.order)
    q[:, :3], q[:, 3:7] = found.place, turn
    return q, (*_doubtful_height(q[:, 2]), *rounded, *ordered)


def _doubtful_height(z: Array) -> tuple[str, ...]:
    """What to say of a base that is as high above the origin as no robot stands."""
    height = float(np.median(np.abs(z))) if len(z) else 0.0
    if height < _TALLEST:
        return ()
    return (f"the base is {height:.3g} m from z = 0: are the file's lengths in mm or cm?",)


def _times(found: Samples, rate: float | None, count: int) -> tuple[Array, tuple[str, ...]]:
    """Times of the samples [s], and what is to be said of them."""
    if rate is not None:
        known = found.rate or (None if found.times is None else "times")
        said = (
            ()
            if known in (None, rate)
            else (f"{rate:g} Hz as asked, in place of the file's {known}",)
        )
        return np.arange(count) / rate, said
    if found.times is not None:
        return found.times, ()
    if found.rate is None:
        raise DataError("the file has no frame rate; expected rate=, samples a second [Hz]")
    return np.arange(count) / number(found.rate, "rate of the file", above=0, error=DataError), ()
