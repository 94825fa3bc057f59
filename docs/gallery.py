"""Generator of docs/gallery.md and its pictures of the shipped scenarios: python docs/gallery.py.

Needs Chromium or Chrome, and Pillow to make the pictures small. `python docs/gallery.py --text`
writes the page alone.
"""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path

import numpy as np
from embedding import save_scene
from scipy.cluster.vq import kmeans2

from footwork import contacts, view
from footwork.contacts import Hold, Scenario

FOLDER = Path(__file__).parent
ORDER = (
    "flat", "slope", "stairs", "foot-on-wall", "two-hands-and-a-foot", "gap", "push", "rope",
    "heels-over-the-edge", "tripod", "icy-ramp", "valley", "ladder", "too-heavy",
)  # fmt: skip

INTRODUCTION = """\
# Gallery

![Twelve of the scenarios of this page, side by side](pictures/gallery.webp)

The scenarios shipped with footwork: friction cones in yellow, contact forces in blue, loads in
cyan, the support region of the centre of mass in teal and, for infeasible ones, the certificate of
infeasibility (the motion of the fall) in purple. Each is a [YAML file](scenarios.md) whose posture
is found by inverse kinematics; the verdicts are those of `footwork hold`. `footwork show stairs`
opens one in the browser, where an infeasible scenario is animated along its purple arrows; so does
a click on a picture here.
[Scenes and plots](drawing.md) has the code.

This page, its pictures and scenes are made by `python docs/gallery.py`.
"""


def _factor(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "without bound"


def entry(scenario: Scenario, hold: Hold) -> str:
    """Return the entry of a scenario."""
    verdict = {True: "Feasible", False: "Infeasible", None: "At the edge"}[hold.feasible]
    lines = [
        f"## {scenario.title}",
        "",
        f"[![{scenario.title}: {verdict.lower()}](pictures/scenario-{scenario.name}.png)]"
        f"(animations/scenario-{scenario.name}.html)",
        "",
        scenario.about,
        "",
    ]
    if hold.feasible:
        lines.append(
            f"**{verdict}**: margin {hold.margin:.3g} N at every contact, push margin "
            f"{_newtons(hold.push_margin())}, friction margin {_factor(hold.friction_margin())}."
        )
    else:
        cause, motion = hold.reason.split("; ", 1)
        lines.append(f"**{verdict}**: {cause}. Motion of the fall: {motion}.")
    area = _area(scenario.region())
    lines += [
        "",
        f"The support region {area}.",
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
        return "is empty: no position of the centre of mass is feasible"
    if region.status == "unbounded":
        return (
            "is unbounded: with bilateral contacts every position of the centre of mass is feasible"
        )
    return f"has {1e4 * region.area:.0f} cm²"


def picture(scenario: Scenario) -> bytes:
    """Return a PNG of 256 colours."""
    from PIL import Image

    viewer = view(scenario, animate=False)  # without the animation of a fall
    image = Image.open(io.BytesIO(viewer.screenshot(width=960, height=600))).convert("RGB")
    table = Image.new("P", (1, 1))
    table.putpalette(palette(np.asarray(image)).ravel().tolist())
    data = io.BytesIO()
    image.quantize(palette=table, dither=Image.Dither.NONE).save(data, "PNG", optimize=True)
    return data.getvalue()


def sheet() -> bytes:
    """Return a WebP of all pictures, four in a row."""
    from PIL import Image

    pictures = [Image.open(FOLDER / "pictures" / f"scenario-{name}.png") for name in ORDER[:12]]
    whole = Image.new("RGB", (4 * 300, 3 * 188))
    for i, image in enumerate(pictures):
        small = image.convert("RGB").resize((300, 188), Image.Resampling.LANCZOS)
        whole.paste(small, (i % 4 * 300, i // 4 * 188))
    data = io.BytesIO()
    whole.save(data, "WEBP", quality=70, method=6)
    return data.getvalue()


def palette(pixels: np.ndarray, size: int = 256) -> np.ndarray:
    """Return colours (size, 3): k-means with a larger weight for rare colours."""
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
        save_scene(view(Scenario.load(name)), f"scenario-{name}")
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
    (FOLDER / "pictures" / "gallery.webp").write_bytes(sheet())


if __name__ == "__main__":
    main(*sys.argv[1:])
