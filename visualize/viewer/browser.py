"""Headless browser: opens a page, evaluates JavaScript in it, takes screenshots.

Chromium or Chrome, driven through the DevTools protocol over a pair of pipes (no port is opened).
What the page throws or reports as an error is collected, and raised where a picture is taken: a
picture with a part missing is no picture.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
    "--disable-gpu-rasterization",  # the processor paints pages sooner than SwiftShader
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)

# A process between this one and the browser, which outlives both: it makes the folder of the
# browser's profile, starts the browser (commands come on descriptor 3, answers go to 4), waits for
# the end of its standard input, and then ends the browser and removes the folder, also where this
# process was killed.
_KEEPER = """
import os, shutil, signal, sys, tempfile, time
signals = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
for number in signals:
    signal.signal(number, signal.SIG_IGN)
a, b, place, *command = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
folder = tempfile.mkdtemp(prefix="footwork-", dir=place)
print(folder, flush=True)
browser = os.fork()
if browser == 0:
    os.setsid()
    for number in signals:
        signal.signal(number, signal.SIG_DFL)
    a, b = os.dup(a), os.dup(b)
    while min(a, b) < 5:
        a, b = os.dup(a), os.dup(b)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.dup2(a, 3); os.dup2(b, 4)
    os.execv(command[0], [*command, "--user-data-dir=" + folder])
os.close(a); os.close(b)
sys.stdin.read()
end = time.monotonic() + 0.5  # in which it ends by itself: its pipes are closed
while not (ended := os.waitpid(browser, os.WNOHANG)[0]) and time.monotonic() < end:
    time.sleep(0.01)
try:
    os.killpg(browser, signal.SIGKILL)
except ProcessLookupError:
    pass
if not ended:
    os.waitpid(browser, 0)
for _ in range(100):  # its helpers may still write
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.exists(folder):
        break
    time.sleep(0.02)
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
    with _browser(timeout) as (connection, _):
        yield _navigate(connection, text, width, height)


@contextmanager
def open_html(
    html: str, width: int = 1280, height: int = 800, *, timeout: float = 60.0
) -> Iterator[Page]:
    """Open a page given as text: see `open_page`."""
    with _browser(timeout) as (connection, folder):
        path = folder / "page.html"
        path.write_text(html, encoding="utf-8")
        yield _navigate(connection, path.as_uri(), width, height)


@contextmanager
def _browser(timeout: float) -> Iterator[tuple[Connection, Path]]:
    """Start a browser; yield its pipes and its folder, which go with it."""
    command = [find_browser(), *_FLAGS]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium's sandbox refuses to run as root
    command_out, command_in = os.pipe()
    answer_out, answer_in = os.pipe()
    passed = command_out, answer_in
    try:
        keeper = subprocess.Popen(
            [
                sys.executable,
                "-IS",
                "-c",
                _KEEPER,
                *map(str, passed),
                tempfile.gettempdir(),
                *command,
            ],
            pass_fds=passed,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
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
    with keeper:  # at the end its standard input is closed, and it is waited for
        connection = Connection(command_in, answer_out, timeout)
        try:
            folder = os.fsdecode(keeper.stdout.readline()).rstrip("\n")  # type: ignore[union-attr]
            if not folder:
                raise BrowserError(f"no folder for the browser in {tempfile.gettempdir()}")
            yield connection, Path(folder)
        finally:
            connection.close()


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
