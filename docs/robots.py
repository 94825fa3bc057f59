"""Picture sheets of robots on their feet: python docs/robots.py [FOLDER].

One of the catalogue, one of the models in packages that people have; those that are not installed
are left out, and named. Needs Chromium or Chrome, and Pillow.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import footwork as fw

COLUMNS, WIDTH, HEIGHT, LABEL = 6, 200, 220, 34  # of a cell [px], with its label below
PACKAGES = {
    "gymnasium": [
        f"envs/mujoco/assets/{name}.xml"
        for name in ("ant", "humanoid", "humanoidstandup", "walker2d_v5", "hopper", "half_cheetah")
    ],
    "dm_control": [
        *(
            f"suite/{name}.xml"
            for name in ("humanoid", "humanoid_CMU", "quadruped", "dog", "walker", "hopper")
        ),
        "suite/cheetah.xml",
        "locomotion/walkers/assets/rodent.xml",
        "locomotion/walkers/assets/fruitfly_v2/fruitfly.xml",
    ],
    "pybullet_data": [
        "a1/a1.urdf",
        "aliengo/aliengo.urdf",
        "laikago/laikago_toes_zup.urdf",
        "mini_cheetah/mini_cheetah.urdf",
        "quadruped/minitaur.urdf",
        "quadruped/spirit40.urdf",
        "quadruped/vision60.urdf",
        "mjcf/humanoid.xml",
        "r2d2.urdf",
    ],
}
FLOATING = ("pybullet_data/mjcf/humanoid.xml",)  # put on a free joint by who loads them
Model = tuple[str, str, str]  # what `load` takes, and two lines below the picture


def of_the_catalogue() -> Iterator[Model]:
    """The robots that load by name; those without their package are told."""
    for info in fw.robots.available():
        if not info.installed:
            print(f"left out: {info.name} ({info.source} is not installed)")
        else:
            yield info.name, info.name, info.kind


def of_packages() -> Iterator[Model]:
    """The models in packages; those that are not installed are told."""
    for package, paths in PACKAGES.items():
        found = find_spec(package)
        if found is None or found.origin is None:
            print(f"left out: {len(paths)} models of {package}, which is not installed")
            continue
        for path in paths:
            yield str(Path(found.origin).parent / path), Path(path).stem, package


def sheet(models: list[Model]) -> Image.Image:
    """Return the pictures of robots in rows, their names below."""
    rows = -(-len(models) // COLUMNS)
    whole = Image.new("RGB", (COLUMNS * WIDTH, rows * (HEIGHT + LABEL)), "white")
    draw = ImageDraw.Draw(whole)
    for i, (source, name, kind) in enumerate(models):
        x, y = i % COLUMNS * WIDTH, i // COLUMNS * (HEIGHT + LABEL)
        whole.paste(picture(source), (x, y))
        for line, size, colour, below in ((name, 14, "#222", 9), (kind, 11, "#777", 25)):
            font, at = ImageFont.load_default(size), (x + WIDTH // 2, y + HEIGHT + below)
            draw.text(at, line, colour, font, anchor="mm")
    return whole


def picture(source: str) -> Image.Image:
    """Return a robot on its feet, where it has any, soles and points in colour."""
    viewer = fw.view(fw.load(source, base="floating" if source.endswith(FLOATING) else None))
    image = Image.open(io.BytesIO(viewer.screenshot(width=2 * WIDTH, height=2 * HEIGHT)))
    return image.convert("RGB").resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def main(folder: Path = Path(__file__).parent / "pictures") -> None:
    """Write the sheets."""
    warnings.simplefilter("ignore", fw.FootworkWarning)
    sheets = {"robots-catalogue": of_the_catalogue(), "robots-packages": of_packages()}
    for name, models in sheets.items():
        if chosen := list(models):
            path = folder / f"{name}.webp"
            sheet(chosen).save(path, quality=80, method=6)
            print(f"{path.name}: {len(chosen)} robots, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
