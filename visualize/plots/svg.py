"""Plots of trajectories as SVG text: no plotting library, nothing but the numbers given.

`time_plot` draws series over time, `stick_figures` the poses of a chain in a plane. Each returns
the text of an SVG file; write it where you like.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...dynamics.kinematics import frame_placement
from ...dynamics.trajectory import Trajectory
from ...errors import ConfigurationError
from ...robots.robot import Robot

Array = NDArray[np.float64]

COLOURS = ("#1f5fbf", "#d9641e", "#2a8f4c", "#8a3fb0", "#b0243a", "#5b6470")
_WIDTH, _HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 40, 50


def time_plot(
    t: ArrayLike, series: Mapping[str, ArrayLike], *, title: str = "", unit: str = ""
) -> str:
    """Return an SVG of {name: values (n,)} over times t (n,) [s].

    Raises:
        ConfigurationError: series of another length than t, none at all, or values not finite.
    """
    times = np.asarray(t, dtype=float)
    curves = {name: np.asarray(y, dtype=float) for name, y in series.items()}
    for name, y in curves.items():
        if y.shape != times.shape or y.ndim != 1 or not np.isfinite(y).all():
            raise ConfigurationError(
                f"series {name!r}: got shape {y.shape}; expected {times.size} finite values"
            )
    if not curves or times.size < 2:
        raise ConfigurationError(f"got {len(curves)} series of {times.size} samples; expected some")
    values = np.concatenate(list(curves.values()))
    to_x = _scale(times.min(), times.max(), _LEFT, _WIDTH - _RIGHT)
    to_y = _scale(values.min(), values.max(), _HEIGHT - _BOTTOM, _TOP, margin=0.05)
    parts = _axes(to_x, to_y, title, "time [s]", unit)
    for i, (name, y) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        parts.append(_line(to_x(times), to_y(y), colour))
        parts.append(_text(_WIDTH - _RIGHT - 8, _TOP + 18 + 17 * i, name, "end", colour))
    return _svg(parts)


def stick_figures(
    robot: Robot,
    trajectory: Trajectory,
    frames: Sequence[str],
    *,
    times: ArrayLike | None = None,
    plane: str = "xz",
    title: str = "",
) -> str:
    """Return an SVG of the line through the origins of `frames`, at several times in one picture.

    Early poses are pale, late ones dark. `times` [s]: default 12 of them over the trajectory;
    `plane`: the two world axes to look at.

    Raises:
        ConfigurationError: fewer than two frames, no such frame or plane, a time outside.
    """
    if len(frames) < 2 or len(plane) != 2 or not set(plane) <= set("xyz"):
        raise ConfigurationError(
            f'got frames {list(frames)} and plane {plane!r}; expected two frames or more, and "xz"'
        )
    if times is None:
        times = np.linspace(trajectory.t[0], trajectory.t[-1], 12)
    poses, _ = trajectory.resampled(times)
    rows = ["xyz".index(axis) for axis in plane]
    chains = np.array(
        [[frame_placement(robot, q, f).translation[rows] for f in frames] for q in poses]
    )
    low, high = chains.min(axis=(0, 1)), chains.max(axis=(0, 1))
    middle, half = (low + high) / 2, 0.55 * max(float((high - low).max()), 1e-9)
    wide = half * (_WIDTH - _LEFT - _RIGHT) / (_HEIGHT - _TOP - _BOTTOM)
    to_x = _scale(middle[0] - wide, middle[0] + wide, _LEFT, _WIDTH - _RIGHT)
    to_y = _scale(middle[1] - half, middle[1] + half, _HEIGHT - _BOTTOM, _TOP)
    parts = _axes(to_x, to_y, title, f"{plane[0]} [m]", f"{plane[1]} [m]")
    for i, chain in enumerate(chains):
        opacity = 0.15 + 0.85 * (i + 1) / len(chains)
        x, y = to_x(chain[:, 0]), to_y(chain[:, 1])
        parts.append(_line(x, y, COLOURS[0], width=2.5, opacity=opacity))
        parts += [
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{COLOURS[1]}" opacity="{opacity:.2f}"/>'
            for a, b in zip(x, y, strict=True)
        ]
    return _svg(parts)


class _scale:
    """An axis: from values to pixels, with round ticks."""

    def __init__(
        self, low: float, high: float, start: float, end: float, margin: float = 0.0
    ) -> None:
        span = max(high - low, 1e-12 * max(abs(low), abs(high)), 1e-12)
        self.low, self.high = low - margin * span, low + span * (1 + margin)
        self.start, self.end = start, end

    def __call__(self, value: ArrayLike) -> Array:
        share = (np.asarray(value, dtype=float) - self.low) / (self.high - self.low)
        return np.asarray(self.start + share * (self.end - self.start))

    def ticks(self) -> list[float]:
        """About six round numbers."""
        rough = (self.high - self.low) / 6
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
        first = math.ceil(self.low / step)
        return [k * step for k in range(first, math.floor(self.high / step) + 1)]


def _axes(to_x: _scale, to_y: _scale, title: str, x_name: str, y_name: str) -> list[str]:
    bottom = _HEIGHT - _BOTTOM
    parts = [_text(_WIDTH / 2, 24, title, "middle", "#111", 16)]
    for x in to_x.ticks():
        at = float(to_x(x))
        parts.append(_rule(at, _TOP, at, bottom))
        parts.append(_text(at, bottom + 18, f"{x:.6g}", "middle"))
    for y in to_y.ticks():
        at = float(to_y(y))
        parts.append(_rule(_LEFT, at, _WIDTH - _RIGHT, at))
        parts.append(_text(_LEFT - 8, at + 4, f"{y:.6g}", "end"))
    parts.append(_text((_LEFT + _WIDTH) / 2, _HEIGHT - 12, x_name, "middle"))
    parts.append(
        f'<g transform="translate(18 {_HEIGHT / 2:.0f}) rotate(-90)">'
        + _text(0, 0, y_name, "middle")
        + "</g>"
    )
    return parts


def _svg(parts: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>\n"])


def _line(x: Array, y: Array, colour: str, width: float = 1.6, opacity: float = 1.0) -> str:
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    style = f'stroke="{colour}" stroke-width="{width}" opacity="{opacity:.2f}"'
    return f'<polyline points="{points}" fill="none" stroke-linejoin="round" {style}/>'


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#ddd"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#444", size: int = 12) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
    return f'<text {place} fill="{colour}">{escape(text)}</text>'
