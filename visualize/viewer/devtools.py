"""The DevTools protocol over pipes: JSON messages that end in a zero byte."""

from __future__ import annotations

import base64
import json
import os
import select
import time
from collections.abc import Callable
from typing import Any

from .errors import BrowserError

Message = dict[str, Any]


class Connection:
    """Talks to a browser through the descriptors of two pipes.

    Args:
        command: descriptor to write to.
        answer: descriptor to read from.
        timeout: for everything [s]; then `BrowserError`.
    """

    def __init__(self, command: int, answer: int, timeout: float) -> None:
        self._command, self._answer = command, answer
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout
        self._count = 0
        self._buffer = b""
        self.listeners: list[Callable[[Message], None]] = []

    def call(self, method: str, session: str | None = None, **params: object) -> Message:
        """Call a method and return its result.

        Raises:
            BrowserError: the browser refuses, has ended, or does not answer in time.
        """
        number = self.post(method, session, **params)
        while True:
            answer = self.read(self._deadline - time.monotonic())
            if answer is None:
                raise BrowserError(f"the browser took more than {self._timeout:g} s ({method})")
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error'].get('message')}")
                return dict(answer["result"])

    def post(self, method: str, session: str | None = None, **params: object) -> int:
        """Call a method without waiting for its end; returns the number of the call."""
        self._count += 1
        message: Message = {"id": self._count, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._write(json.dumps(message).encode() + b"\0")
        return self._count

    def read(self, timeout: float) -> Message | None:
        """Return the next message after telling the listeners; None when none comes in time [s]."""
        end = time.monotonic() + timeout
        while b"\0" not in self._buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._answer], [], [], left)[0]:
                return None
            piece = os.read(self._answer, 1 << 20)
            if not piece:
                raise BrowserError("the browser has ended: it could not start, or it crashed")
            self._buffer += piece
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: Message = json.loads(text)
        for listener in self.listeners:
            listener(message)
        return message

    def pause(self, seconds: float) -> None:
        """Listen for a while.

        Raises:
            BrowserError: the time for everything is up.
        """
        if time.monotonic() > self._deadline:
            raise BrowserError(f"the browser took more than {self._timeout:g} s")
        end = time.monotonic() + seconds
        while self.read(end - time.monotonic()) is not None:
            pass

    def close(self) -> None:
        """Close the pipes; the browser then ends."""
        os.close(self._command)
        os.close(self._answer)

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._command, data) :]
        except OSError as error:
            raise BrowserError(f"the browser has ended: {error}") from None


class Page:
    """An open page.

    Attributes:
        errors: what the page threw or reported as an error, oldest first.
        requests: addresses that it requested, oldest first.
    """

    def __init__(self, connection: Connection, session: str) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._connection, self._session = connection, session
        connection.listeners.append(self._note)

    def call(self, method: str, **params: object) -> Message:
        """Call a method of the DevTools protocol on this page and return its result."""
        return self._connection.call(method, self._session, **params)

    def post(self, method: str, **params: object) -> None:
        """Call a method without waiting for its end, as a mouse does not wait for a page."""
        self._connection.post(method, self._session, **params)

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression (awaited when it is a promise).

        Raises:
            BrowserError: it throws, or the time is up.
        """
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression!r} failed: {_thrown(answer['exceptionDetails'])}")
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until a JavaScript expression is true.

        Raises:
            BrowserError: it is not within the page's time; the message has what the page reported.
        """
        try:
            while not self.evaluate(f"!!({expression})"):
                self._connection.pause(0.02)
        except BrowserError as error:
            reported = "; ".join(self.errors[:3]) or "nothing"
            raise BrowserError(
                f"waiting for {expression!r}: {error}; the page reported: {reported}"
            ) from None

    def settle(self) -> None:
        """Wait until all that was sent is drawn."""
        self.wait_for("typeof footwork !== 'undefined' && footwork.state.ready")
        self.wait_for("footwork.state.loading.size === 0")
        self.wait_for("!viewer.needs_render || viewer.animator.playing")
        self.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        )

    def screenshot(self, time: float | None = None, *, player: bool = False) -> bytes:
        """Return the PNG of the page, once all is drawn.

        Args:
            time: of an animation, which then rests there [s]; None to take it as it is.
            player: whether the animation's player is in the picture.

        Raises:
            BrowserError: the page has reported an error.
        """
        self.settle()
        self.check()
        self.evaluate(f"footwork.player.still({json.dumps(time)}, {json.dumps(player)})")
        self.settle()
        answer = self.call("Page.captureScreenshot", format="png")
        self.evaluate("footwork.player.still(null, true)")
        return base64.b64decode(answer["data"])

    def check(self) -> None:
        """Raise `BrowserError` when the page has reported an error."""
        if self.errors:
            raise BrowserError(f"the page reported: {'; '.join(self.errors[:5])}")

    def _note(self, message: Message) -> None:
        method, params = message.get("method"), message.get("params", {})
        if message.get("sessionId") != self._session:
            return
        if method == "Runtime.exceptionThrown":
            self.errors.append(_thrown(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(_value(argument)) for argument in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])


def _thrown(details: Message) -> str:
    thrown = details.get("exception", {})
    return str(thrown.get("description") or thrown.get("value") or details.get("text"))


def _value(argument: Message) -> object:
    return argument.get("value", argument.get("description"))
