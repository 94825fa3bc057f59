"""Picture: a live scene as it is drawn, again where it has changed."""

from __future__ import annotations

import numpy as np

from ...contacts.hold import Hold
from ...contacts.regions.region import static_equilibrium_polygon
from ..colors import COLORS
from ..scenes.scenario import (
    VIEW,
    draw_answer,
    draw_legend,
    draw_loads,
    draw_support,
    draw_surroundings,
    draw_targets,
)
from ..viewer import Viewer
from .state import LiveState

_FAINT = 0.4  # opacity of the least push
_PANELS = 0.25  # share of the picture's width that panels cover


class Picture:
    """Draws states into a viewer: `show` what follows the pointer, `settle` what may come later.

    Terrain and what ropes are tied to are drawn once.
    """

    def __init__(self, viewer: Viewer, state: LiveState) -> None:
        self.viewer = viewer
        draw_surroundings(viewer, state.scenario)
        self.show(state)
        self.settle(state)
        viewer.look_from(state.scenario.view or VIEW, left=_PANELS)

    def show(self, state: LiveState) -> None:
        """Draw robot, loads and verdict of a state."""
        self.viewer.display(state.q)
        self.viewer.redraw("answer", lambda: self._draw(state))

    def settle(self, state: LiveState) -> None:
        """Draw the region of a state, and write the legend."""
        scenario, hold = state.scenario, state.hold
        if hold is None:
            self.viewer.redraw("support", lambda: None)
            self.viewer.legend(state.scenario.title)
            return
        region = static_equilibrium_polygon(scenario.machine, hold.state, hold.contacts)
        self.viewer.redraw("support", lambda: draw_support(self.viewer, scenario, hold, region))
        draw_legend(self.viewer, scenario, hold, region, by_margin=True)

    def _draw(self, state: LiveState) -> None:
        viewer, scenario, hold = self.viewer, state.scenario, state.hold
        draw_loads(viewer, scenario, state.q)
        if not scenario.solved.converged:
            draw_targets(viewer, scenario)
        elif hold is not None:
            draw_answer(viewer, scenario, hold, by_margin=True, scale=state.stance.scale)
            self._draw_least_push(hold, state.stance.scale)

    def _draw_least_push(self, hold: Hold, scale: float) -> None:
        newtons, direction = hold.least_push()
        if 0 < newtons < np.inf:
            vector = scale * newtons * np.array([*direction, 0.0])
            self.viewer.arrow(
                "least push",
                hold.state.com,
                vector,
                color=COLORS["load"],
                opacity=_FAINT,
                on_top=True,
            )
