"""Picture: a live scene as it is drawn, again where it has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ...contacts.regions.region import Region
from ..colors import COLORS
from ..scenes.hold import region_of
from ..scenes.scenario import (
    draw_answer,
    draw_legend,
    draw_loads,
    draw_support,
    draw_surroundings,
    draw_targets,
    support_of,
    view_of,
)
from .state import LiveState
from .viewer import LiveViewer

T = TypeVar("T")

_FAINT = 0.4  # opacity of the least push
_LONGEST = 3.0  # arrow of the least push [robot's heights]: longer ones are in the panel alone
_LEGEND = 0.2  # share of the picture's width that the legend covers


class Picture:
    """Draws states into a viewer: `show` what follows the pointer, `settle` what may come later.

    Terrain and what ropes are tied to are drawn once.
    """

    def __init__(self, viewer: LiveViewer, state: LiveState) -> None:
        self.viewer = viewer
        self._region: Region | None = None
        draw_surroundings(viewer, state.scenario)
        self.show(state)
        self.settle(state)
        viewer.look_from(view_of(state.scenario), left=_LEGEND)

    def show(self, state: LiveState) -> None:
        """Draw robot, loads and verdict of a state."""
        self.viewer.robot = state.scenario.machine  # under another gravity another of equal shape
        self.viewer.display(state.q if state.hold is None else state.hold.state)
        self.viewer.redraw("answer", lambda: self._draw(state))

    def settle(self, state: LiveState) -> None:
        """Draw the region of a state, and write the legend, without the verdict of the panel."""
        hold = state.hold
        self._region = None
        if hold is not None:
            self._region = support_of(state.scenario, hold, region_of(hold))
        self.viewer.redraw("support", lambda: self._draw_support(state))
        self._write_legend(state, verdict=False)

    def alone(self, state: LiveState, make: Callable[[], T]) -> T:
        """Return what `make` makes of the picture without a panel: the legend has the verdict."""
        with self.viewer.unseen():
            self._write_legend(state, verdict=True)
            try:
                return make()
            finally:
                self._write_legend(state, verdict=False)

    def _write_legend(self, state: LiveState, verdict: bool) -> None:
        if state.hold is None or self._region is None:
            self.viewer.legend(state.scenario.title)
        else:
            shown = self.viewer, state.scenario, state.hold, self._region
            draw_legend(*shown, by_margin=True, verdict=verdict)

    def _draw_support(self, state: LiveState) -> None:
        if state.hold is not None and self._region is not None:
            draw_support(self.viewer, state.scenario, state.hold, self._region)

    def _draw(self, state: LiveState) -> None:
        viewer, scenario, hold = self.viewer, state.scenario, state.hold
        draw_loads(viewer, scenario, state.q)
        if not scenario.solved.converged:
            draw_targets(viewer, scenario)
        elif hold is not None:
            draw_answer(viewer, scenario, hold, by_margin=True, scale=state.stance.scale)
            push = state.stance.least_push
            length = 0.0 if push is None else state.stance.scale * push[0]
            if push is not None and push[1].any() and length < _LONGEST * viewer.scale:
                vector = length * np.array([*push[1], 0.0])
                style: dict[str, Any] = {"color": COLORS["load"], "opacity": _FAINT, "on_top": True}
                viewer.arrow("least push", hold.state.com, vector, **style)
