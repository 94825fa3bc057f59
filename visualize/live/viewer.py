"""LiveViewer: a viewer that receives messages from its page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...robots import Robot
from ..viewer import Viewer, page
from ..viewer.server import OnMessage, Server
from ..viewer.store import Entry


class LiveViewer(Viewer):
    """A `Viewer` that passes on what its pages say.

    Args:
        robot, options: as for `Viewer`.
        on_message: called with (number of the browser, message), in a thread of the server's.
    """

    def __init__(self, robot: Robot, on_message: OnMessage, **options: Any) -> None:
        super().__init__(robot, **options)
        self._on_message = on_message
        self._told: Entry | None = None

    def tell(self, entry: Entry, browser: int | None = None) -> None:
        """Send a command that is no part of the picture, to all browsers, also later ones, or one.

        It is not in the page of `html`.
        """
        if browser is None:
            self._told = entry
            self._send(entry)
        elif self._server is not None:
            self._server.send(entry, to=browser)

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Draw within the block for pages and pictures that are made there, not for browsers."""
        server, self._server = self._server, None
        try:
            yield
        finally:
            self._server = server

    def _page(self) -> str:
        return page.live_page(self.title)

    def _serve(self) -> Server:
        server = super()._serve()
        if self._told is not None:
            server.send(self._told)
        return server
