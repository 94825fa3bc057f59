"""The errors of the viewer."""

from __future__ import annotations

from ...errors import FootworkError, FootworkWarning


class ViewerError(FootworkError, ValueError):
    """Something that cannot be drawn: a value that is not finite, an unknown colour or name, …"""


class ServerError(FootworkError, RuntimeError):
    """The process that serves the page could not be started, has ended, or does not read."""


class BrowserError(FootworkError, RuntimeError):
    """No browser was found, it did not start, or the page reported an error."""


class MeshWarning(FootworkWarning):
    """Parts of a robot that cannot be drawn, or not as their file says."""
