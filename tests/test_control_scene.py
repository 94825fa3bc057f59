"""Closed loops seen: plots, animations, the command; and the usual way to stand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from footwork import ConfigurationError, ContactError, cli, contacts, control, load
from footwork.control import gaits, plots, scene


@pytest.fixture(scope="module")
def pushed():
    """A quadruped that is pushed while it stands."""
    robot = load("quadruped")
    controller, q = control.stand(robot)
    push = control.Push(control.trunk(robot), (0.0, 30.0, 0.0), 0.1)
    motion = control.simulate(
        robot, controller, q=q, duration=0.4, control_step=2e-3, disturbances=[push]
    )
    assert not motion.fell
    return motion


def test_margins_know_the_pushes(pushed):
    """The ground gives what the push leaves: positive all the way, less while it acts."""
    times, margins = pushed.margins(every=0.05)
    assert (margins > 0).all()
    calm, busy = margins[times < 0.09].min(), margins[(times > 0.11) & (times < 0.19)].min()
    assert busy < calm


def test_plots_show_torques_forces_margins_and_balance(pushed):
    robot = pushed.robot
    ax = plots.plot_torques(pushed)
    shares = np.concatenate([line.get_ydata() for line in ax.lines[:6]])
    assert np.abs(shares).max() <= 1.0
    assert len(ax.lines) == 8
    named = plots.plot_torques(pushed, [robot.actuated[2]])
    expected = pushed.tau[:, 2] / robot.torque_limits[2]
    assert named.lines[0].get_ydata() == pytest.approx(expected)
    ax = plots.plot_forces(pushed)
    total = sum(line.get_ydata() for line in ax.lines)
    assert total[50:].mean() == pytest.approx(1.0, abs=0.05)
    ax = plots.plot_margins(pushed, every=0.1)
    assert ax.lines[0].get_ydata() == pytest.approx(pushed.margins(0.1)[1])
    ax = plots.plot_centre(pushed, axis=1)
    assert ax.lines[0].get_ydata() == pytest.approx(pushed.com[:, 1])
    assert np.abs(ax.lines[1].get_ydata() - ax.lines[0].get_ydata()).max() < 0.2
    with pytest.raises(ConfigurationError, match="no joint"):
        plots.plot_torques(pushed, ["knee"])
    with pytest.raises(ConfigurationError, match="axis"):
        plots.plot_centre(pushed, axis=2)


class Drawn:
    """A viewer that only remembers."""

    def __init__(self):
        self.arrows, self.cones = [], []

    def arrow(self, name, point, vector, **_):
        self.arrows.append((name, point, vector))

    def cone(self, name, *_, **__):
        self.cones.append(name)

    def animate(self, times, qs, draw):
        assert len(times) == len(qs)
        for i in range(len(times)):
            draw(i)


def test_the_animation_has_an_arrow_for_each_foot(pushed, tmp_path):
    drawn = Drawn()
    assert scene.animate(pushed, rate=10.0, scale=0.01, viewer=drawn) is drawn
    names = {name for name, _, _ in drawn.arrows}
    assert names == {f"force of {name}" for name in pushed.contacts.names}
    assert len(drawn.cones) == len(drawn.arrows) == 4 * 4
    name, point, vector = drawn.arrows[0]
    foot = name.removeprefix("force of ")
    assert vector == pytest.approx(0.01 * pushed.forces[foot][0].sum(axis=0))
    place = pushed.contacts.placements(pushed.q[0])[foot].translation
    assert point == pytest.approx(place, abs=1e-6)
    page = scene.animate(pushed, rate=10.0).save_html(tmp_path / "pushed.html")
    assert page.stat().st_size > 10_000


def test_standing_needs_a_posture():
    robot = load("biped")
    controller, q = control.stand(robot, crouch=0.03)
    assert {task.name for task in controller.tasks} == {"com", "base", "posture"}
    straight = control.stand(robot)[1]
    assert q[2] < straight[2] - 0.02
    assert controller(q, np.zeros(robot.nv)).status == "optimal"
    with pytest.raises(ContactError, match="crouch"):
        control.stand(robot, crouch=5.0)
    feet = contacts.at_feet(robot, 0.4)
    assert control.stand(robot, feet, q)[0].contacts is feet
    assert gaits.footsteps(feet, q, 2)


def test_the_command(capsys, tmp_path):
    page, picture = tmp_path / "stands.html", tmp_path / "stands.png"
    flags = ["simulate", "quadruped", "--duration", "0.2", "--shove", "0.1"]
    assert cli.main([*flags, "--html", str(page), "--png", str(picture)]) == 0
    assert "is on its feet after 0.20 s" in capsys.readouterr().out
    assert page.stat().st_size > 10_000
    assert picture.stat().st_size > 10_000
    assert cli.main(["simulate", "quadruped", "--gait", "trot", "--steps", "2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ticks"].keys() == {"optimal"}
    assert not report["fell"]
    assert cli.main(["simulate", "limb"]) == 2
