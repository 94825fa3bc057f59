"""Pictures of a live scene: python docs/live.py [wide] [narrow] [film].

A headless Chromium opens the scene. Two stills are of a wide and of a narrow window. In the film,
the moving picture of the README, its mouse drags a hand along the wall and off it, then the centre
of mass and a foot. Each frame is a screenshot once the page shows what was dragged, with a drawn
pointer, so that the film is smooth however slow the machine is. Needs Pillow.
"""

from __future__ import annotations

import base64
import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from gallery import palette
from PIL import Image, ImageDraw

import footwork as fw
from footwork import contacts
from footwork.visualize.viewer import browser

FOLDER = Path(__file__).parent
WIDTH, HEIGHT = 800, 480  # of the film [pixels]
RATE = 10  # frames a second
COLORS = 104
LARGEST = 2_000_000  # bytes
SHIFT = 8  # of the DevTools protocol's `modifiers`: dragging lifts
ARROW = np.array([[0, 0], [0, 17], [4, 13.5], [6.5, 19.5], [9, 18.5], [6.5, 12.5], [12, 12]])


class Film:
    """Frames of a page while its mouse moves, presses and drags."""

    def __init__(self, tab: Any) -> None:
        self.tab, self.at, self.pressed = tab, np.array([WIDTH * 0.45, HEIGHT * 0.85]), False
        self.frames: list[Image.Image] = []

    def mouse(self, kind: str, modifiers: int = 0) -> None:
        """Send a mouse event at the pointer's place."""
        x, y = self.at.tolist()
        held = int(self.pressed or kind == "mousePressed")
        button = "left" if held or kind == "mouseReleased" else "none"
        self.tab.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button,
            buttons=held, clickCount=int(kind != "mouseMoved"), modifiers=modifiers,
        )  # fmt: skip

    def rest(self, seconds: float) -> None:
        """Take frames without moving."""
        for _ in range(round(seconds * RATE)):
            self.take()

    def go(self, target: Any, seconds: float, modifiers: int = 0) -> None:
        """Move to a pixel, slowly at both ends."""
        start, count = self.at, max(1, round(seconds * RATE))
        for k in range(1, count + 1):
            s = k / count
            self.at = start + (3 * s**2 - 2 * s**3) * (np.asarray(target, float) - start)
            self.mouse("mouseMoved", modifiers)
            time.sleep(0.15 if self.pressed else 0.0)  # until the scene has answered
            self.take()

    def drag(self, way: Any, seconds: float, modifiers: int = 0) -> None:
        """Press here, move by so many pixels, release."""
        self.mouse("mousePressed", modifiers)
        self.pressed = True
        self.go(self.at + np.asarray(way, float), seconds, modifiers)
        self.pressed = False
        self.mouse("mouseReleased", modifiers)

    def take(self) -> None:
        """Add a frame, with the pointer."""
        frame = Image.open(io.BytesIO(picture(self.tab))).convert("RGB")
        draw = ImageDraw.Draw(frame)
        if self.pressed:
            draw.ellipse([*(self.at - 13), *(self.at + 13)], outline="#1d2127", width=2)
        draw.polygon([tuple(p) for p in self.at + ARROW], fill="white", outline="#1d2127")
        self.frames.append(frame)

    def handle(self, name: str) -> np.ndarray:
        """Where a handle is in the page (2,)."""
        where = f"footwork.live.screen_of({name!r})"
        self.tab.wait_for(where)  # it is drawn
        return np.array(self.tab.evaluate(where)[:2])


def play(film: Film) -> None:
    """A hand glides along the wall and leaves it; the centre of mass is brought over the feet."""
    film.rest(0.4)
    film.go(film.handle("contact/hand"), 0.6)
    film.drag([45, 15], 1.0)
    film.rest(0.2)
    film.drag([-130, 50], 1.4, SHIFT)
    film.rest(0.4)
    film.go(film.handle("com"), 0.5)
    film.drag([-2, 16], 1.2)
    film.rest(0.2)
    film.go(film.handle("contact/l_foot"), 0.4)
    film.drag([12, 3], 1.0)
    film.rest(0.8)


def write(frames: list[Image.Image], path: Path) -> None:
    """Write a GIF with one palette for all frames."""
    table = Image.new("P", (1, 1))
    table.putpalette(palette(np.stack(frames[::6]), COLORS).ravel().tolist())
    shown = [frame.quantize(palette=table, dither=Image.Dither.NONE) for frame in frames]
    later = {"save_all": True, "append_images": shown[1:], "loop": 0, "disposal": 1}
    shown[0].save(path, duration=round(1000 / RATE), optimize=False, **later)
    print(f"{path.name}: {len(frames)} frames, {path.stat().st_size / 1e6:.2f} MB")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path.name} has more than {LARGEST} bytes: fewer colours or frames")


def film(folder: Path) -> None:
    """Record the film."""
    with page(WIDTH, HEIGHT) as tab:
        film = Film(tab)
        play(film)
        tab.check()
    write(film.frames, folder / "live.gif")


def still(path: Path, width: int, height: int) -> None:
    """Take a picture of the window after a hand was dragged."""
    with page(width, height) as tab:
        film = Film(tab)
        film.go(film.handle("contact/hand"), 0.1)
        film.drag([0.05 * height, 0.02 * height], 1.0)
        time.sleep(2.0)  # the region follows at its own pace
        path.write_bytes(picture(tab))
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def picture(tab: Any) -> bytes:
    """Return the PNG of the window as it is, once all is drawn."""
    drawn = "new Promise(done => { footwork.frames.painted(done); setTimeout(done, 2000); })"
    tab.evaluate(f"{drawn}.then(() => 1)")
    return base64.b64decode(tab.call("Page.captureScreenshot", format="png")["data"])


@contextmanager
def page(width: int, height: int) -> Iterator[Any]:
    """A live scene in a browser's window."""
    scene = fw.live(contacts.Scenario.load(FOLDER / "talos-stairs.yaml"))
    try:
        with browser.open_page(scene.url, width, height, timeout=900) as tab:
            tab.settle()
            tab.evaluate("footwork.frames.hasty = () => false")  # sharp, however long it takes
            yield tab
    finally:
        scene.close()


def main(*names: str) -> None:
    """Take the pictures named, or all."""
    folder, wanted = FOLDER / "pictures", names or ("wide", "narrow", "film")
    if "wide" in wanted:
        still(folder / "live-wide.png", 1280, 800)
    if "narrow" in wanted:
        still(folder / "live-narrow.png", 390, 844)
    if "film" in wanted:
        film(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
