"""Paths of points as several observers see them, coloured by the speed that each sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...biomechanics.frames.moving_frames import MovingFrame, frame_motion
from ...biomechanics.frames.moving_frames_balance import observer_of
from ...errors import ConfigurationError
from ...robots.robot import Robot
from .axes import axes_for, axes_grid
from .robot import plane_rows

# who looks at a state (q, v, a): "world", a frame of the robot, or what a function makes of it
Observer = str | Callable[[Array, Array, Array], MovingFrame]


class SeenPath(NamedTuple):
    """Where an observer sees a point, and how fast it moves there."""

    places: Array  # (n, 3) [m]
    speeds: Array  # (n,) [m/s]


def seen_paths(
    robot: Robot,
    motion: tuple[ArrayLike, ArrayLike, ArrayLike],
    frames: Sequence[str],
    observer: Observer = "world",
) -> dict[str, SeenPath]:
    """Return {frame: SeenPath} of the origins of frames along a motion.

    Args:
        robot: the robot.
        motion: q (n, nq), v (n, nv) and a (n, nv).
        frames: whose origins.
        observer: "world", a frame of the robot, or f(q, v, a) -> `MovingFrame`.

    Raises:
        ConfigurationError: no such frame, or states that are not the robot's.
    """
    states = _states(motion)
    places = np.zeros((len(frames), len(states), 3))
    speeds = np.zeros((len(frames), len(states)))
    for k, state in enumerate(states):
        looking = _looking(robot, state, observer)
        for i, frame in enumerate(frames):
            seen = frame_motion(robot, *state, frame).seen_from(looking)
            places[i, k], speeds[i, k] = seen.placement.translation, np.linalg.norm(seen.velocity)
    return {frame: SeenPath(places[i], speeds[i]) for i, frame in enumerate(frames)}


def plot_seen_paths(
    robot: Robot,
    motion: tuple[ArrayLike, ArrayLike, ArrayLike],
    frames: Sequence[str],
    observers: Mapping[str, Observer],
    *,
    plane: str = "xy",
    poses: int = 8,
) -> NDArray[Any]:
    """Return axes (observers,): paths as each sees them, coloured by the speeds that it sees.

    Thin lines join the origins of `frames` at some instants; every panel has the same colours.

    Args:
        robot, motion: as for `seen_paths`.
        frames: whose origins, from the root to the tip.
        observers: {title: observer}, each as for `seen_paths`.
        plane: two axes of the observer.
        poses: how many instants to draw the whole chain at.

    Raises:
        FootworkError: matplotlib is not installed.
        ConfigurationError: no observer, no such frame or plane, states that are not the robot's.
    """
    rows = plane_rows(plane)
    if not observers or poses < 1:
        raise ConfigurationError(
            f"got {len(observers)} observers and {poses} poses; expected one or more of both"
        )
    panels = {name: seen_paths(robot, motion, frames, who) for name, who in observers.items()}
    fastest = max(path.speeds.max() for paths in panels.values() for path in paths.values())
    size = (4.0 * len(panels) + 1.0, 5.6)
    axes = axes_grid(1, len(panels), size, sharex=True, sharey=True).ravel()
    for ax, (title, paths) in zip(axes, panels.items(), strict=True):
        lines = [
            _draw_path(ax, path.places[:, rows], path.speeds, fastest) for path in paths.values()
        ]
        chains = np.stack([path.places[:, rows] for path in paths.values()], axis=1)
        _draw_poses(ax, chains, list(paths), poses)
        axes_for(ax, f"{plane[0]} [m]", f"{plane[1]} [m]", title).set_aspect("equal")
    axes[0].figure.colorbar(lines[0], ax=axes, label="speed seen [m/s]", shrink=0.85)
    return axes


def _draw_path(ax: Any, places: Array, speeds: Array, fastest: float) -> Any:
    """A line whose pieces have the colour of the speed there; a dot where it stands still."""
    from matplotlib.collections import LineCollection

    pieces = np.stack([places[:-1], places[1:]], axis=1)
    line = LineCollection(list(pieces), cmap="plasma", linewidths=2.5, capstyle="round", zorder=3)
    line.set_array((speeds[:-1] + speeds[1:]) / 2)
    line.set_clim(0.0, fastest)
    ax.add_collection(line)
    if np.ptp(places, axis=0).max() < 1e-9:
        ax.plot(*places[0], "o", color="#444444", markersize=5, zorder=4)
    return line


def _draw_poses(ax: Any, chains: Array, names: Sequence[str], poses: int) -> None:
    """The chain (n, k, 2) at some instants, pale; the first one dark and with its names."""
    fractions = (np.arange(poses) + 0.38) / poses  # no round ones, where chains like to fold
    for k in (fractions * (len(chains) - 1)).astype(int)[1:]:
        ax.plot(*chains[k].T, ".-", color="#b8bec6", linewidth=0.9, markersize=4, zorder=2)
    first = chains[int(fractions[0] * (len(chains) - 1))]
    ax.plot(*first.T, "o-", color="#222222", linewidth=2, markersize=4.5, zorder=5)
    for place, name in zip(first, names, strict=True):
        text = ax.annotate(name, place, (6, 5), textcoords="offset points", fontsize=8, zorder=6)
        text.set_bbox({"facecolor": "white", "alpha": 0.75, "pad": 0.8, "linewidth": 0})
    ax.autoscale_view()


def _states(motion: tuple[ArrayLike, ArrayLike, ArrayLike]) -> list[tuple[Array, Array, Array]]:
    q, v, a = (np.atleast_2d(np.asarray(part, dtype=float)) for part in motion)
    if not len(q) == len(v) == len(a) or len(q) < 2:
        raise ConfigurationError(
            f"motion: got {len(q)} q, {len(v)} v and {len(a)} a; expected as many, two or more"
        )
    return list(zip(q, v, a, strict=True))


def _looking(robot: Robot, state: tuple[Array, Array, Array], observer: Observer) -> MovingFrame:
    return observer_of(robot, *state, observer(*state) if callable(observer) else observer)
