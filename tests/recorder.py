"""A viewer that only remembers its calls."""

from __future__ import annotations

from typing import Any


class Recorder:
    """What was drawn, {name: (kind, arguments, options)}, and the legend.

    Attributes:
        lines: of the legend, under its title.
        told: what else it was given.
    """

    scale = 2.0

    def __init__(self, robot: Any = None) -> None:
        self.robot, self.drawn, self.lines, self.told = robot, {}, {}, {}

    def __getattr__(self, kind: str) -> Any:
        def record(name: str, *arguments: Any, **options: Any) -> None:
            self.drawn[name] = (kind, arguments, options)

        return record

    def animate(self, times: Any, qs: Any, **options: Any) -> None:
        self.drawn["animation"] = ("animate", (times, qs), options)

    def legend(self, title: str = "", lines: Any = None, **more: Any) -> None:
        self.lines, self.told = {title: None, **(lines or {})}, more

    def of_kind(self, kind: str, prefix: str = "") -> dict[str, Any]:
        """Arguments by name, of drawings of one kind."""
        return {
            name: arguments
            for name, (drawn, arguments, _) in self.drawn.items()
            if drawn == kind and name.startswith(prefix)
        }
