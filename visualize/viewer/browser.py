"""A browser that nobody sees: opens a page, evaluates JavaScript in it, takes its picture.

Chromium or Chrome, driven through the DevTools protocol over a pair of pipes (no port is opened).
What the page throws or reports as an error is collected, and raised where a picture is taken: a
picture with a part missing is no picture.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .devtools import Connection, Page
from .errors import BrowserError

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",  # macOS puts none on the PATH
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)

_FLAGS = (
    "--headless=new",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--mute-audio",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)

# the browser reads commands from descriptor 3 and answers on 4
_LAUNCH = """
import os, sys
a, b = int(sys.argv[1]), int(sys.argv[2])
a, b = os.dup(a), os.dup(b)
while min(a, b) < 5:
    a, b = os.dup(a), os.dup(b)
os.dup2(a, 3); os.dup2(b, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


_LONGEST_FOLDER = 50  # letters


def find_browser() -> str:
    """Return the path of the browser: $FOOTWORK_BROWSER, else the first of `NAMES` on the PATH.

    Raises:
        BrowserError: there is none; the message says what was tried and what to install.
    """
    chosen = os.environ.get("FOOTWORK_BROWSER")
    for name in (chosen,) if chosen else NAMES:
        found = shutil.which(name)
        if found:
            return found
    tried = f"$FOOTWORK_BROWSER = {chosen!r}" if chosen else ", ".join(NAMES)
    raise BrowserError(
        f"no browser to take a picture with (tried {tried}); install Chromium (on Debian and "
        "Ubuntu: apt install chromium) or set FOOTWORK_BROWSER to one; save_html needs none"
    )


@contextmanager
def open_page(
    address: str | Path, width: int = 1280, height: int = 800, *, timeout: float = 60.0
) -> Iterator[Page]:
    """Open a page in a browser of its own, which is gone when the block ends.

    Args:
        address: of the page, "http://…", or the path of a file.
        width, height: of the page [pixels].
        timeout: for everything that is done with the page [s].

    Raises:
        BrowserError: there is no browser, it does not start, or the time is up.
    """
    text = str(address)
    if "://" not in text:
        text = Path(text).resolve(strict=True).as_uri()
    with tempfile.TemporaryDirectory(prefix="footwork-", ignore_cleanup_errors=True) as folder:
        process, connection = _start(find_browser(), folder, timeout)
        try:
            yield _navigate(connection, text, width, height)
        finally:
            connection.close()
            _end(process)


@contextmanager
def open_html(
    html: str, width: int = 1280, height: int = 800, *, timeout: float = 60.0
) -> Iterator[Page]:
    """Open a page given as text: see `open_page`."""
    with tempfile.TemporaryDirectory(prefix="footwork-") as folder:
        path = Path(folder, "page.html")
        path.write_text(html, encoding="utf-8")
        with open_page(path, width, height, timeout=timeout) as page:
            yield page


def _start(browser: str, folder: str, timeout: float) -> tuple[subprocess.Popen[bytes], Connection]:
    flags = [*_FLAGS, f"--user-data-dir={folder}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")  # Chromium's sandbox refuses to run as root
    command_out, command_in = os.pipe()
    answer_out, answer_in = os.pipe()
    try:
        process = subprocess.Popen(
            [
                sys.executable,
                "-IS",
                "-c",
                _LAUNCH,
                str(command_out),
                str(answer_in),
                browser,
                *flags,
            ],
            pass_fds=(command_out, answer_in),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=_environment(),
        )
    except BaseException:
        os.close(command_in)
        os.close(answer_out)
        raise
    finally:
        os.close(command_out)
        os.close(answer_in)
    return process, Connection(command_in, answer_out, timeout)


def _environment() -> dict[str, str]:
    """The browser's: where the folder for temporary files has too long a name, another one.

    The browser makes a socket in it, and the path of a socket has at most about 100 letters.
    """
    named = os.environ.get("TMPDIR", "")
    short = len(named) <= _LONGEST_FOLDER or not os.path.isdir("/tmp")
    return dict(os.environ) if short else {**os.environ, "TMPDIR": "/tmp"}


def _navigate(connection: Connection, url: str, width: int, height: int) -> Page:
    target = connection.call("Target.createTarget", url="about:blank")["targetId"]
    session = connection.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    page = Page(connection, session)
    for domain in ("Page", "Runtime", "Network", "Log"):
        page.call(f"{domain}.enable")
    page.call(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=height,
        deviceScaleFactor=1,
        mobile=False,
    )
    answer = page.call("Page.navigate", url=url)
    if "errorText" in answer:
        raise BrowserError(f"{url} cannot be opened: {answer['errorText']}")
    page.wait_for("document.readyState === 'complete'")
    return page


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the browser and all its helpers."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)  # it ends by itself when the pipes are closed
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
