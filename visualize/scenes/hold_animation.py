"""Sequences of Holds as an animation: forces, cones and regions move with the robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...contacts.hold import Hold
from ...errors import ContactError
from ...robots.values import boolean, text
from ..viewer import Viewer
from .hold import draw_hold, draw_legend, ground_height


def view_holds(holds: Sequence[Hold], times: ArrayLike | None = None, **options: Any) -> Viewer:
    """Return `animate_holds(times, holds)`; without times (n,) [s], one Hold every 0.1 s."""
    return animate_holds(0.1 * np.arange(len(holds)) if times is None else times, holds, **options)


def animate_holds(
    times: ArrayLike,
    holds: Sequence[Hold],
    *,
    region: bool = False,
    by_margin: bool = False,
    title: str = "",
    play: bool = True,
) -> Viewer:
    """Return a Viewer that plays Holds of one robot, with a time slider.

    Contacts may come and go from one to the next. The legend is that of the Hold with the least
    margin, which is what one looks for in a motion.

    Args:
        times: (n,), increasing [s].
        holds: n of them, as of `contact_forces` or `static_hold` along a motion.
        region, by_margin: as for `draw_hold`; a region that changes makes the page larger.
        title: of the legend, the robot's name by default.
        play: whether the page starts it by itself.

    Raises:
        ContactError: no holds, or of several robots.
    """
    for name, flag in (("region", region), ("by_margin", by_margin), ("play", play)):
        boolean(flag, name)
    text(title, "title", empty=True)
    robots = {id(hold.contacts.robot) for hold in holds}
    if len(robots) != 1:
        raise ContactError(f"holds: got those of {len(robots)} robots, expected one robot's")
    ground = min(ground_height(hold.contacts, hold.q) for hold in holds)
    viewer = Viewer(holds[0].contacts.robot, ground=ground)

    def draw(i: int) -> None:
        draw_hold(viewer, holds[i], region, by_margin=by_margin, legend=False)

    viewer.animate(times, [hold.q for hold in holds], draw=draw, play=play)
    worst = min(holds, key=lambda hold: np.nan_to_num(hold.margin, nan=-np.inf))
    draw_legend(viewer, worst, region, title, by_margin=by_margin)
    return viewer
