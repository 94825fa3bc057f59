"""The scene of the first page, and its picture: python docs/front.py.

TALOS stands on stairs with a hand on the wall, and is pushed from the wall more and more. The
forces have the colours of their contacts' margins; when the push is too much, it falls along its
certificate.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from embedding import save_scene

import footwork as fw
from footwork import contacts
from footwork.contacts.falling import falling_path
from footwork.visualize import Band, Series
from footwork.visualize.colors import COLORS, margin_ramp
from footwork.visualize.scenes import hold as scene
from footwork.visualize.scenes import scenario as surroundings
from footwork.visualize.scenes.motion import draw_com, draw_wrenches

FOLDER = Path(__file__).parent
RATE = 12  # pictures a second
RISE, FALL, REST = 4.0, 1.0, 1.0  # of the push, of the robot, and at both ends [s]
DETAIL = 0.013  # of the meshes [m]
LARGEST = 200.0  # push [N]
CONTACTS = {"hand": "hand", "l_foot": "left foot", "r_foot": "right foot"}


def pushes(scenario: contacts.Scenario) -> list[contacts.Hold]:
    """Holds under pushes of the torso away from the wall, up to `LARGEST` [N]."""
    robot, q = scenario.machine, scenario.q
    sizes = np.linspace(0.0, LARGEST, round(RISE * RATE) + 1)
    return [
        fw.static_hold(
            robot, q, scenario.touching[0], {"torso_2_link": fw.Wrench([0.0, size, 0.0])}
        )
        for size in sizes
    ]


def colors_of(hold: contacts.Hold) -> dict[str, str]:
    """Colours by margin, in four steps, so that the page has few drawings."""
    ramp = margin_ramp(hold)
    step = (ramp.high - ramp.low) / 4
    margins = {name: np.nan_to_num(margin) for name, margin in hold.contact_margins.items()}
    return {name: ramp.color(step * round(margin / step)) for name, margin in margins.items()}


def film() -> fw.Viewer:
    """The whole of it."""
    scenario = contacts.Scenario.load(FOLDER / "talos-stairs.yaml")
    rest, holds = round(REST * RATE), pushes(scenario)
    fallen = next(hold for hold in holds if not hold.feasible)
    path = falling_path(fallen, 0.35, steps=round(FALL * RATE))
    last = holds.index(fallen)
    shown = [holds[0]] * rest + holds[:last] + [fallen] * (rest + len(path) + rest)
    still = [scenario.q] * (2 * rest + last)
    qs = [*still, *path, *[path[-1]] * rest]
    times = np.arange(len(qs)) / RATE
    viewer = fw.Viewer(scenario.machine, ground=0.0, detail=DETAIL, title="footwork")
    viewer.display(scenario.q)
    surroundings.draw_surroundings(viewer, scenario)

    def draw(i: int) -> None:
        scene.draw_contacts(viewer, shown[i].contacts, shown[i].q)
        scene.draw_forces(viewer, shown[i], colors_of(shown[i]))
        draw_com(viewer, scenario.machine, shown[i].q, 0.0)
        draw_wrenches(viewer, scenario.machine, shown[i].q, shown[i].external, folder="loads")
        scene.draw_motion(viewer, shown[i])

    force = [float(hold.external["torso_2_link"].force[1]) for hold in shown]
    margins = {"all at once": [hold.margin for hold in shown]}
    for name, words in CONTACTS.items():
        margins[words] = [hold.contact_margins[name] for hold in shown]
    falls = [Band(times[rest + last], times[-1], fallen.reason.split(";")[0], "red")]
    series = [
        Series("margin", times, margins, "N", falls, [0.0]),
        Series("push", times, {"away from the wall": force}, "N", (), (), (0.0, LARGEST)),
    ]
    viewer.animate(times, qs, draw=draw, series=series)
    ramp = margin_ramp(holds[0])
    lines = {"contact forces": ramp, "friction cones": COLORS["cone"], "push": COLORS["load"]}
    lines |= {"centre of mass": COLORS["com"], "falling motion": COLORS["motion"]}
    shows = {"contact forces": "forces", "friction cones": "cones", "push": "loads"}
    viewer.legend("TALOS, pushed from the wall", lines, shows=shows, ramp=ramp)
    viewer.look_from(scenario.view, left=0.1)
    return viewer


def main() -> None:
    """Write the scene, and its picture."""
    viewer = film()
    save_scene(viewer, "front")
    picture = FOLDER / "pictures" / "front.png"
    viewer.screenshot(picture, width=1000, height=760, time=3.5, player=True)


if __name__ == "__main__":
    main()
