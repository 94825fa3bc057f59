"""The gallery: a picture of every scenario, and the page that shows them: python docs/gallery.py.

Needs Chromium or Chrome, and Pillow to make the pictures small. `python docs/gallery.py --text`
writes the page alone.
"""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.cluster.vq import kmeans2

from footwork import contacts
from footwork.contacts import Hold, Scenario

FOLDER = Path(__file__).parent
ORDER = (
    "flat", "slope", "stairs", "foot-on-wall", "two-hands-and-a-foot", "gap", "push", "rope",
    "heels-over-the-edge", "tripod", "icy-ramp", "valley", "ladder", "too-heavy",
)  # fmt: skip

INTRODUCTION = """\
# Gallery

The scenarios that come with footwork, as the viewer draws them: friction cones in yellow, contact
forces in blue, loads in red, in teal where the centre of mass may be, and in purple the motion
that nothing stops when the answer is no. Each is a [YAML file](scenarios.md); its posture is
solved so that the contacts touch, and the verdict below is what `footwork hold` says.
`footwork show stairs` opens one in the browser, where a robot that does not hold falls along its
purple arrows. [Drawing everything](drawing.md) has the code of all that can be drawn.

This page and its pictures are made by `python docs/gallery.py`.
"""


def entry(scenario: Scenario, hold: Hold) -> str:
    """Return what the page says about a scenario."""
    verdict = {True: "Holds", False: "Does not hold", None: "At the edge"}[hold.feasible]
    lines = [
        f"## {scenario.title}",
        "",
        f"![{scenario.title}: {verdict.lower()}](pictures/scenario-{scenario.name}.png)",
        "",
        scenario.about,
        "",
    ]
    if hold.feasible:
        lines.append(
            f"**{verdict}**: every contact could spare {hold.margin:.3g} N; it takes a push of "
            f"{_newtons(hold.push_margin())} to topple it, friction and soles may shrink "
            f"{hold.friction_margin():.3g} times."
        )
    else:
        cause, motion = hold.reason.split("; ", 1)
        lines.append(f"**{verdict}**: {cause}. The way it goes: {motion}.")
    area = _area(scenario.region())
    lines += [
        "",
        f"The region {area}.",
        "",
        "```console",
        f"$ footwork hold {scenario.name}",
        "```",
    ]
    return "\n".join(lines) + "\n"


def _newtons(push: float) -> str:
    return "any size" if push == float("inf") else f"{push:.3g} N"


def _area(region: contacts.Region) -> str:
    if region.status == "empty":
        return "is empty: no place of the centre of mass would do"
    if region.status == "unbounded":
        return "is unbounded: hands that grip hold the robot wherever its centre of mass is"
    return f"has {1e4 * region.area:.0f} cm²"


def picture(scenario: Scenario) -> bytes:
    """Return a PNG of 256 colours."""
    from PIL import Image

    viewer = scenario.scene(animate=False)  # as it stands
    image = Image.open(io.BytesIO(viewer.screenshot(width=960, height=600))).convert("RGB")
    table = Image.new("P", (1, 1))
    table.putpalette(palette(np.asarray(image)).ravel().tolist())
    data = io.BytesIO()
    image.quantize(palette=table, dither=Image.Dither.NONE).save(data, "PNG", optimize=True)
    return data.getvalue()


def palette(pixels: np.ndarray, size: int = 256) -> np.ndarray:
    """Return colours (size, 3): k-means in which rare colours, such as arrows', count for more."""
    colors, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    share = counts**0.55 / np.sum(counts**0.55)
    sample = np.random.default_rng(0).choice(colors.astype(float), 20_000, p=share)
    means, _ = kmeans2(sample, size, minit="++", seed=0, iter=15)
    return np.clip(np.rint(means), 0, 255).astype(int)


def page() -> str:
    """Return the page."""
    warnings.simplefilter("ignore")
    loaded = [Scenario.load(name) for name in ORDER]
    return "\n".join([INTRODUCTION, *(entry(s, s.check()) for s in loaded)])


def main(*arguments: str) -> None:
    """Write the page, and the pictures unless told otherwise; or those of the names given."""
    (FOLDER / "gallery.md").write_text(page(), encoding="utf-8")
    names = [a for a in arguments if not a.startswith("-")] or ORDER
    for name in () if "--text" in arguments else names:
        path = FOLDER / "pictures" / f"scenario-{name}.png"
        path.write_bytes(picture(Scenario.load(name)))
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*sys.argv[1:])
