"""Live scenes: from the pointer's move to the changed picture, in a browser that nobody sees.

Feet, the hand, the centre of mass and a push of TALOS on stairs are dragged along circles by mouse
events of the DevTools protocol, 60 a second. The page measures from the time of the event to when
all that follows from it is applied: posture, verdict, margins, forces, cones and handles. Frames
are reported apart: software WebGL is slow.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import measuring
import numpy as np

import footwork as fw
from footwork.visualize.viewer.browser import open_page

SCENARIO = Path(__file__).parents[1] / "docs" / "talos-stairs.yaml"
HANDLES = {
    "a foot": "contact/l_foot",
    "the hand": "contact/hand",
    "the centre of mass": "com",
    "a push": "push/base_link",
}
RATE, RADIUS, TURN = 60.0, 28.0, 2.0  # events a second, pixels, seconds of a circle
WATCH = """(() => {
  window.spent = [];
  const apply = viewer.handle_command_bytearray.bind(viewer);
  let sum = 0;
  viewer.handle_command_bytearray = (bytes) => {
    const start = performance.now();
    apply(bytes);
    sum += performance.now() - start;
  };
  const told = footwork.commands.live;
  footwork.commands.live = (cmd) => {
    const start = performance.now();
    told(cmd);
    spent.push(sum + performance.now() - start);
    sum = 0;
  };
})()"""


class Stages:
    """Milliseconds that the steps of an update take in the program: {step: each time}."""

    def __init__(self, scene: Any) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        worker, picture = scene._worker, scene._picture
        worker._act = self.timed("posture", worker._act)
        show = self.timed("drawing", picture.show)

        def verdict(state: Any) -> None:
            hold = state.hold
            if hold is not None:
                _ = hold.margin, hold.contact_margins, hold.torque_margin, state.stance.least_push

        timed = self.timed("verdict, margins, least push", verdict)
        picture.show = lambda state: (timed(state), show(state))
        scene._tell = self.timed("panel", scene._tell)
        scene._viewer._server.send = self.timed("sending", scene._viewer._server.send)
        worker._settle = self.timed("region, twice a second", worker._settle)

    def timed(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*args: Any, **named: Any) -> Any:
            start = time.perf_counter()
            try:
                return call(*args, **named)
            finally:
                self.times[name].append(1e3 * (time.perf_counter() - start))

        return measured


def mouse(page: Any, kind: str, x: float, y: float) -> None:
    """Let the mouse do something, without waiting for what the page does of it."""
    held = {"button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1}
    page.post("Input.dispatchMouseEvent", type=kind, x=x, y=y, pointerType="mouse", **held)


def dragged(page: Any, handle: str, seconds: float) -> dict[str, Any]:
    """Drag a handle along circles; return what the page measured."""
    page.wait_for(f"footwork.live.screen_of({handle!r})")
    x, y = page.evaluate(f"footwork.live.screen_of({handle!r})")[:2]
    page.evaluate("footwork.live.latencies.length = footwork.live.painted.length = 0")
    mouse(page, "mousePressed", x, y)
    start, k = time.perf_counter(), 0
    while (now := time.perf_counter() - start) < seconds:
        angle = 2 * np.pi * now / TURN
        mouse(page, "mouseMoved", x + RADIUS * np.sin(angle), y + RADIUS * (np.cos(angle) - 1))
        k += 1
        page._connection.pause(max(0.0, k / RATE - (time.perf_counter() - start)))
    mouse(page, "mouseReleased", x, y)
    page._connection.pause(0.5)
    found = page.evaluate("({latencies: footwork.live.latencies, painted: footwork.live.painted})")
    page.evaluate("document.getElementById('reset').click()")
    page._connection.pause(0.3)
    return {"events": k, **found}


def row(name: str, found: dict[str, Any], seconds: float) -> list[str]:
    """The figures of a handle as cells."""
    times = np.array(found["latencies"] or [np.nan])
    painted = np.array(found["painted"] or [np.nan])
    figures = (np.median(times), np.percentile(times, 95), times.max(), np.median(painted))
    cells = [f"{value:.0f}" for value in figures]
    return [name, str(found["events"]), f"{len(times) / seconds:.0f}", *cells]


def main() -> None:
    """Drag everything, and print two tables."""
    options = measuring.flags(__doc__).parse_args()
    seconds = 2.0 if options.quick else 6.0
    with (
        fw.live(fw.Scenario.load(SCENARIO)) as scene,
        open_page(scene.url, 1280, 800, timeout=240.0) as page,
    ):
        found, times = measured(scene, page, seconds)
    rows = [row(name, each, seconds) for name, each in found.items()]
    rows.append(row("all", together(found.values()), len(found) * seconds))
    head = ["dragged", "moves of the mouse", "updates a second", "median [ms]", "95 % [ms]"]
    print(measuring.table([*head, "worst [ms]", "painted, median [ms]"], rows))
    print(f"\n{measuring.table(['step', 'median [ms]', '95 % [ms]'], steps(times))}")
    print(f"\n{measuring.machine()}; {measuring.load()}.")
    measuring.keep(options, {"dragged": found, "steps": times})


def measured(
    scene: Any, page: Any, seconds: float
) -> tuple[dict[str, dict[str, Any]], dict[str, list[float]]]:
    """Drag every handle; return what the page measured, and the steps of the updates."""
    page.settle()
    page.wait_for("footwork.live && footwork.live.state")
    page.evaluate(WATCH)
    for handle in HANDLES.values():  # what is compiled or loaded at first use
        dragged(page, handle, 0.5)
    stages = Stages(scene)
    page.evaluate("spent.length = 0")
    found = {name: dragged(page, handle, seconds) for name, handle in HANDLES.items()}
    if page.errors:
        raise SystemExit(f"the page reported: {page.errors}")
    return found, {**stages.times, "applying, in the page": page.evaluate("spent")}


def together(found: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What was measured of several handles as one."""
    lists: dict[str, Any] = {"events": 0, "latencies": [], "painted": []}
    for each in found:
        for key in lists:
            lists[key] += each[key]
    return lists


def steps(times: dict[str, list[float]]) -> list[list[str]]:
    """Where the time goes, as rows."""
    return [
        [name, f"{np.median(each):.1f}", f"{np.percentile(each, 95):.1f}"]
        for name, each in times.items()
    ]


if __name__ == "__main__":
    main()
