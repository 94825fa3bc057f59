"""Viewer: a robot and drawings around it, in a page of the browser or in a file."""

from __future__ import annotations

import html
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ... import files
from ...arrays import Array
from ...options import names_checked
from ...robots.configuration import check_robot
from ...robots.robot import Robot
from ...robots.values import boolean, number, text, whole_number
from . import checks, commands, page
from .drawing import Drawing
from .errors import ViewerError
from .framing import Camera, default_camera
from .store import Entry

if TYPE_CHECKING:
    from .server import OnMessage, Server


@names_checked
class Viewer(Drawing):
    """Draws a robot, forces, cones, polygons, … and shows them: in a browser, a file, a picture.

    Everything is in world axes, z up, in metres. A drawing has a name; drawing again under the same
    name replaces it. "forces/left foot" lies in the folder "forces", which the page can hide as a
    whole. Sizes that are not given follow the robot's height (`scale`).

    No server and no browser is started before `url`, `open` or `screenshot` is used. The server
    listens on this machine alone, unless `host` says otherwise, and ends with the program. Not
    thread-safe.

    Args:
        robot: drawn where `display` puts it; until then in its standing posture. None for no robot.
        host: the address the page is served on; any but the loopback lets others see the picture.
        opacity: of the robot, in (0, 1]; below 1 what is inside is seen through it.
        detail: vertices of its meshes in one cube of this size [m] are drawn as one, for small
            pages; 0 keeps all, and those of Collada files are always kept.
        ground: height of the drawn ground [m], None for no ground.
        title: of the page.

    Attributes:
        robot, scale: as for `Drawing`.
        title: of the page.

    >>> viewer = Viewer(robot)
    >>> viewer.display(q)
    >>> viewer.arrow("push", point, 0.002 * force, color="red")
    >>> viewer.save_html("push.html")
    """

    _on_message: OnMessage | None = None  # is told what pages say

    def __init__(
        self,
        robot: Robot | None = None,
        *,
        host: str = "127.0.0.1",
        opacity: float = 1.0,
        detail: float = 0.0,
        ground: float | None = 0.0,
        title: str | None = None,
    ) -> None:
        self._server: Server | None = None
        self._held: list[Entry] | None = None  # what is to be sent at once
        self._lit: tuple[Array, float] = (np.zeros(3), 1.0)  # what the stage's light covers
        if robot is not None:
            check_robot(robot)
        detail = number(detail, "detail", at_least=0, unit="[m]", error=ViewerError)
        super().__init__(robot, opacity, detail)
        text(host, "host", error=ViewerError)
        if title is not None:
            text(title, "title", empty=True, error=ViewerError)
        self.title = title or (f"{robot.name} · footwork" if robot else "footwork")
        self._host = host
        self._ground = None if ground is None else float(checks.finite(ground, "ground", ()))
        self._camera: Camera | None = None

    # --- showing ---------------------------------------------------------------------------

    def set_camera(self, eye: ArrayLike, target: ArrayLike, *, field_of_view: float = 30.0) -> None:
        """Look from eye (3,) at target (3,) [m]; `field_of_view` is vertical, in degrees.

        Without it, the camera looks from the front right, and holds the robot and all drawings.
        """
        self._look(_camera(eye, target, field_of_view))

    def look_from(
        self, direction: ArrayLike, *, field_of_view: float = 30.0, left: float = 0.0
    ) -> None:
        """Look from `direction` (3,), seen from the scene, at all that is drawn by now.

        `left`, in [0, 0.8], is the share of the picture's width to leave free for the legend.
        """
        eye = checks.direction(direction, "direction")
        left = number(left, "left", at_least=0, at_most=0.8, error=ViewerError)
        field_of_view = checks.degrees(field_of_view, "field_of_view")
        eye = eye / np.linalg.norm(eye)
        self._look(default_camera(self._points(), 1.6, field_of_view, eye, left))

    def _look(self, camera: Camera) -> None:
        self._camera = camera
        self._send(camera.command())

    def _follow(self) -> None:
        if self._server is not None and len(self._robot_points):
            middle = (self._robot_points.min(axis=0) + self._robot_points.max(axis=0)) / 2
            center, size = self._lit
            if np.linalg.norm(middle - center) > size / 2:  # light and ground come along
                self._send(self._view(None)[0])

    @contextmanager
    def together(self) -> Iterator[None]:
        """Send what is drawn in the block at its end, at once: open pages show all of it or none.

        >>> with viewer.together():
        ...     viewer.display(q)
        ...     viewer.arrow("push", point, vector)
        """
        if self._held is not None:  # within such a block
            yield
            return
        self._held = []
        try:
            yield
        finally:
            held, self._held = self._held, None
            if held and self._server is not None:
                self._server.send(*held)

    @property
    def url(self) -> str:
        """The address of the page; the server is started if it is not yet running.

        It has a secret in it: who is not told the address cannot see the page.
        """
        if self._server is None:
            self._server = self._serve()
        return self._server.url

    @property
    def remote_url(self) -> str:
        """The address of the page for other devices; "" when `host` keeps it on this machine."""
        _ = self.url
        return "" if self._server is None else self._server.remote_url

    def open(self) -> bool:
        """Open the page in the default browser; returns whether there is one.

        The browser is given a file that only this user can read and that leads to the page: others
        on this machine can read its arguments.
        """
        _ = self.url
        return self._server is not None and webbrowser.open(self._server.redirect())

    def html(self) -> str:
        """Return the picture as one page that needs no server and no network."""
        return self._html(self._camera)

    def save_html(self, path: str | Path) -> Path:
        """Write the picture, animation included, to one file that opens offline."""
        return files.write(path, self.html())

    def screenshot(
        self,
        path: str | Path | None = None,
        *,
        width: int = 1280,
        height: int = 800,
        eye: ArrayLike | None = None,
        target: ArrayLike | None = None,
        field_of_view: float = 30.0,
        time: float | None = None,
        player: bool = False,
        timeout: float = 60.0,
    ) -> bytes:
        """Take a picture with a browser that nobody sees; returns the PNG, and writes it to a path.

        Args:
            path: of the file, None to write none.
            width, height: of the picture [pixels].
            eye, target, field_of_view: as for `set_camera`, for this picture only.
            time: of an animation [s]; its beginning when not given.
            player: whether the animation's player is in the picture.
            timeout: how long the browser may take [s].

        Raises:
            BrowserError: there is none (Chromium or Chrome; $FOOTWORK_BROWSER names another), it
                took too long, or the page reported an error.
        """
        from .browser import open_html

        if path is not None:
            path = files.as_path(path, error=ViewerError)
        width = whole_number(width, "width", at_least=1, error=ViewerError)
        height = whole_number(height, "height", at_least=1, error=ViewerError)
        field_of_view = checks.degrees(field_of_view, "field_of_view")
        number(timeout, "timeout", above=0, unit="[s]", largest=1e6, error=ViewerError)
        camera = self._camera
        if eye is not None or target is not None:
            default = default_camera(self._points(), width / height, field_of_view)
            camera = _camera(
                default.eye if eye is None else eye,
                default.target if target is None else target,
                field_of_view,
            )
        boolean(player, "player", error=ViewerError)
        at = -1e9 if time is None else number(time, "time", unit="[s]", error=ViewerError)
        with open_html(self._html(camera, width / height), width, height, timeout=timeout) as tab:
            tab.evaluate("footwork.unfold(true)")  # nobody can open the legend of a picture
            image = tab.screenshot(at, player=player)
        if path is not None:
            files.write(path, image)
        return image

    def close(self) -> None:
        """Stop the server, if there is one. The viewer can still save pages and pictures."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """Return the picture for a notebook: a frame that holds the whole page."""
        style = "width: 100%; height: 480px; border: none"
        return f'<iframe style="{style}" srcdoc="{html.escape(self.html())}"></iframe>'

    def __repr__(self) -> str:
        where = f"port {self._server.port}" if self._server else "not served"  # without the secret
        robot = self.robot.name if self.robot else "no robot"
        return f"Viewer({robot}, {len(self._shapes)} drawings, {where})"

    # --- inside ----------------------------------------------------------------------------

    def _put(self, entry: Entry) -> bool:
        changed = super()._put(entry)
        if changed or not entry.keep:
            self._send(entry)
        return changed

    def _page(self) -> str:
        """What is served, before any command."""
        return page.served_page(self.title)

    def _send(self, entry: Entry) -> None:
        if self._held is not None:
            self._held.append(entry)
        elif self._server is not None:
            self._server.send(entry)

    def _serve(self) -> Server:
        """Start a server of the picture."""
        from .server import Server  # the only part that needs tornado

        server = Server(self._host, self._page(), self._on_message)
        server.send(*self._view(self._camera), *self._store.entries())
        return server

    def _view(self, camera: Camera | None, aspect: float = 1.6) -> Sequence[Entry]:
        points = self._points()
        low, high = points.min(axis=0), points.max(axis=0)
        size = max(float(np.linalg.norm(high - low)) / 2, 1e-3)
        self._lit = (low + high) / 2, size
        stage = commands.stage(*self._lit, self._ground)
        return stage, (camera or default_camera(points, aspect)).command()

    def _html(self, camera: Camera | None, aspect: float = 1.6) -> str:
        view = [entry.data for entry in self._view(camera, aspect)]
        return page.offline_page([*view, *self._store.replay()], self.title)


def _camera(eye: ArrayLike, target: ArrayLike, field_of_view: float) -> Camera:
    eye, target = checks.vector(eye, "eye"), checks.vector(target, "target")
    if np.array_equal(eye, target):
        raise ViewerError(f"eye: got {eye.tolist()}, which is the target; expected another point")
    return Camera(eye, target, checks.degrees(field_of_view, "field_of_view"))
