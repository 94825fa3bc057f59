"""Animation of an infeasible Hold along its certificate."""

from __future__ import annotations

import numpy as np

from ... import dynamics
from ...arrays import Array
from ...contacts.falling import falling_path, missing_words
from ...contacts.hold import Hold
from ...errors import ContactError
from ..colors import COLORS
from ..viewer import Viewer

# seconds of the loop: rest, fall, rest, return
_REST, _FALL, _LIE, _RETURN = 0.5, 1.6, 0.8, 0.7


def animate_certificate(
    viewer: Viewer, hold: Hold, distance: float | None = None, play: bool = True
) -> None:
    """Let a robot that does not hold move along its certificate, in a loop, and say what lacks.

    The picture then has a time slider, in a file of `save_html` too. A `screenshot` catches the
    robot somewhere on its way, without `play` where it stands; `falling_path` has configurations to
    `display`.

    Args:
        viewer: of the hold's robot; draw the rest of the scene with `draw_hold`.
        hold: that is infeasible.
        distance: how far the fastest of contact points and centre of mass goes [m]; 12 % of the
            robot's height by default, less when a joint would turn by more than 0.35 rad.
        play: whether the page starts it by itself.

    Raises:
        ContactError: the hold has no certificate, or is one of another robot.
    """
    check_robot(viewer, hold)
    path = falling_path(hold, 0.12 * viewer.scale if distance is None else distance)
    times, shares = _loop()
    frames = np.rint(shares * (len(path) - 1)).astype(int)
    viewer.animate(times, path[frames], play=play, repeat=True)
    com = dynamics.com(hold.contacts.robot, hold.q)
    above = com + np.array([0.0, 0.0, 0.55 * viewer.scale])
    height = 0.016 * viewer.scale
    viewer.label("missing", above, missing_words(hold), height=height, color=COLORS["motion"])


def check_robot(viewer: Viewer, hold: Hold) -> None:
    """Raise `ContactError` for a viewer of another robot than the hold's."""
    if viewer.robot is not hold.contacts.robot:
        raise ContactError("viewer: got a viewer of another robot than the hold's")


def _loop() -> tuple[Array, Array]:
    """Times (n,) [s] of one loop and the share (n,) of the way done by then, eased."""
    times = np.linspace(0.0, _REST + _FALL + _LIE + _RETURN, 91)
    fall = np.clip((times - _REST) / _FALL, 0.0, 1.0)
    back = np.clip((times - _REST - _FALL - _LIE) / _RETURN, 0.0, 1.0)
    return times, fall**2 * (3 - 2 * fall) - back**2 * (3 - 2 * back)
