"""LiveScene: a scenario in the browser whose feet, loads and centre of mass can be dragged."""

from __future__ import annotations

import atexit
import html
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ... import files
from ...arrays import Array
from ...contacts.hold import Hold
from ...contacts.scenario.scenario import Scenario
from ...errors import ContactError, FootworkError, warn
from ...robots.values import instance
from ..scenes.motion import force_scale
from ..scenes.terrain import ground_height
from ..viewer import commands
from ..viewer.errors import ServerError
from . import texts
from .actions import Action, Ask, Command, SetValue
from .history import History
from .inbox import Work
from .messages import action_of
from .panel import panel_of
from .picture import Picture
from .state import LiveState
from .viewer import LiveViewer
from .worker import Worker

_LAST = 200  # margins that the page plots
_BROWSERS = 16  # whose newest messages are told of


class LiveScene:
    """A scenario in a page of the browser, whose contacts, loads and centre of mass one drags.

    Whoever drags and whichever program acts, one thread does it all, one after the other; the scene
    may be used by several threads. A server is started when `url` or `open` is used first; it
    listens on this machine alone, unless `host` says otherwise.

    Args:
        scenario: to begin with.
        host: the address the page is served on; any but the loopback lets others see and drag.

    Attributes:
        dropped: how many messages of pages were dropped, because they say nothing that a live scene
            knows or because too many were waiting.

    Raises:
        ContactError, ScenarioError: no scenario, or one that does not load.

    >>> scene = fw.live("stairs")
    >>> scene.on_change(lambda scene: print(scene.margin))
    >>> scene.open()
    """

    def __init__(self, scenario: Scenario, *, host: str = "127.0.0.1") -> None:
        instance(scenario, "scenario", Scenario, error=ContactError)
        robot, ground = scenario.machine, ground_height(scenario.ground)
        title = scenario.title or robot.name
        self._viewer = LiveViewer(
            robot, host=host, ground=ground, title=title, on_message=self._hear
        )
        self._history = History.begin(scenario, force_scale(self._viewer, robot))
        self._margins: list[float] = []
        self._stamps: dict[int, int] = {}
        self._notice = ""  # what failed, until the next change
        self.dropped = 0
        self._callbacks: list[Callable[[], None]] = []
        self._closed = threading.Event()
        self._picture = Picture(self._viewer, self.state)
        self._shown = self.state
        self._tell()
        self._worker = Worker(self._act, self._failed, self._show, self._settle)
        atexit.register(self.close)

    # --- what it shows ---------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Of the scenario, or the robot's name."""
        return self._viewer.title

    @property
    def state(self) -> LiveState:
        """What there is now, a value that stays as it is."""
        return self._history.state

    @property
    def scenario(self) -> Scenario:
        """The scenario now; it starts in the posture that is seen."""
        return self.state.scenario

    @property
    def q(self) -> Array:
        """(nq,), the configuration now."""
        return self.state.q

    @property
    def hold(self) -> Hold | None:
        """The verdict now; None where no posture touches, or nothing does."""
        return self.state.hold

    @property
    def margin(self) -> float:
        """`hold.margin` [N]; nan without a verdict."""
        hold = self.hold
        return float("nan") if hold is None else hold.margin

    # --- what is done ----------------------------------------------------------------------

    def do(self, action: Action) -> str:
        """Do an action, as somebody in the page would, and wait until it is seen.

        Returns what could not be done, in words: empty when all is done.

        Raises:
            FootworkError: an action that there is not, a handle that does not exist; a scene that
                was closed.
        """
        instance(action, "action", Action, error=FootworkError)  # type: ignore[arg-type]
        return str(self._worker.do(action))

    def set(self, name: str, value: float) -> None:
        """Set a slider: "friction", "friction/NAME", "gravity", "payload/FRAME", …

        Raises:
            FootworkError: no such slider, or a value out of its bounds.
        """
        if problem := self.do(SetValue(name, value)):
            raise FootworkError(problem)

    def undo(self) -> None:
        """Go back to before the last change."""
        self.do(Command("undo"))

    def redo(self) -> None:
        """Take an `undo` back."""
        self.do(Command("redo"))

    def reset(self) -> None:
        """Go back to how it began."""
        self.do(Command("reset"))

    def on_change(self, call: Callable[[LiveScene], object]) -> Callable[[], None]:
        """Call `call(scene)` after each change; returns a function that ends this.

        It is called in the scene's own thread, and while it runs nobody can drag. An exception that
        it raises becomes a warning, once.
        """
        if not callable(call):
            raise FootworkError(f"call: got {call!r:.80}, expected a function of the scene")
        warned = False

        def callback() -> None:
            nonlocal warned
            try:
                call(self)
            except Exception as error:
                if not warned:
                    warn(f"on_change: {call!r:.80} raised {type(error).__name__}: {error}")
                warned = True

        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback) if callback in self._callbacks else None

    # --- what is taken away ----------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write the scenario as it stands; robots given by a file are found from there."""
        return self.scenario.save(path)

    def python(self) -> str:
        """Return a short program that loads what is seen and prints `hold.explain()`."""
        return texts.program(self.scenario)

    def html(self) -> str:
        """Return what is seen as one page that needs no server and no network."""
        return str(self._worker.do(self._alone))

    def save_html(self, path: str | Path) -> Path:
        """Write that page."""
        return files.write(path, self.html())

    def screenshot(self, path: str | Path | None = None, **options: Any) -> bytes:
        """Take a picture without the panels: see `Viewer.screenshot`."""
        shoot = partial(self._viewer.screenshot, path, **options)
        picture: bytes = self._worker.do(lambda: self._picture.alone(self._shown, shoot))
        return picture

    # --- where it is seen ------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The address of the page; the server is started if it is not yet running."""
        return str(self._worker.do(lambda: self._viewer.url))

    @property
    def remote_url(self) -> str:
        """The address of the page for other devices; "" when `host` keeps it on this machine."""
        return str(self._worker.do(lambda: self._viewer.remote_url))

    def open(self) -> bool:
        """Open the page in the default browser; returns whether there is one."""
        return bool(self._worker.do(self._viewer.open))

    def wait(self) -> None:
        """Wait until the scene is closed, or Ctrl-C is pressed."""
        while not self._closed.wait(3600):
            pass

    def close(self) -> None:
        """End page and thread; what the scene shows can still be asked. Twice does nothing."""
        self._worker.stop()
        self._viewer.close()
        self._closed.set()
        atexit.unregister(self.close)

    def __enter__(self) -> LiveScene:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """Return a frame with the live page, for a notebook; it ends with the kernel."""
        style = "width: 100%; height: 560px; border: none"
        allowed = 'allow="clipboard-write"'
        return f'<iframe style="{style}" {allowed} src="{html.escape(self.url)}"></iframe>'

    def __repr__(self) -> str:
        verdict = "no verdict" if self.hold is None else f"margin {self.margin:.4g} N"
        return f"LiveScene({self.title}, {verdict})"

    # --- inside: all of it in the worker's thread, but `_hear` -----------------------------

    def _hear(self, browser: int, data: bytes) -> None:
        """Take in a message of a page; called by the thread that reads them."""
        try:
            action, stamp = action_of(data)
        except FootworkError:
            self.dropped += 1
            return
        what = partial(self._offer, browser, action.what) if isinstance(action, Ask) else action
        if not self._worker.inbox.put(Work(what, {browser: stamp})):
            self.dropped += 1

    def _act(self, action: Action) -> str:
        self._notice = ""
        self._history = self._history.apply(action)
        return self.state.notice

    def _failed(self, error: Exception) -> None:
        """Say what went wrong; the last picture stays. A server that has ended is started anew by
        the next `url` or `open`."""
        self._notice = f"{type(error).__name__}: {error}"
        if isinstance(error, ServerError):
            self._viewer.close()

    def _show(self, stamps: dict[int, int]) -> None:
        """Show what a few actions came to, and tell of it."""
        self._stamps = dict(list((self._stamps | stamps).items())[-_BROWSERS:])
        state, shown = self.state, self._shown
        changed = state.stance is not shown.stance
        with self._viewer.together():
            if changed:
                self._shown = state
                try:
                    self._picture.show(state)
                except Exception as error:
                    self._failed(error)
            self._tell(changed)
        for callback in list(self._callbacks) if changed else ():
            callback()

    def _settle(self) -> None:
        with self._viewer.together():
            self._picture.settle(self._shown)

    def _tell(self, changed: bool = True) -> None:
        """Send the panel, last of each update."""
        if changed:
            self._margins = [*self._margins, self.margin][-_LAST:]
        values = panel_of(self._history)
        values["notice"] = values["notice"] or self._notice
        more: dict[str, Any] = {"history": self._margins, "stamps": self._stamps}
        self._viewer.tell(commands.live(title=self.title, **values, **more))

    def _alone(self) -> str:
        """The page that needs no program."""
        return self._picture.alone(self._shown, self._viewer.html)

    def _offer(self, browser: int, what: str) -> None:
        """Answer a browser that asks for a text."""
        made = self._alone if what == "page" else partial(texts.text_of, self.scenario, what)
        name, kind = texts.FILES[what]
        self._viewer.tell(commands.offer(what, name, kind, made()), browser)
