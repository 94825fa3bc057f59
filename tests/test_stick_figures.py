"""Series over time and stick figures: every line is where its numbers are."""

from __future__ import annotations

import numpy as np
import pytest

import footwork as fw
from footwork import dynamics as dyn
from footwork.visualize.plots.axes import plot_series
from footwork.visualize.plots.robot import plot_stick_figures

pyplot = pytest.importorskip("matplotlib.pyplot")


def lines(ax):
    return [np.column_stack(line.get_data()) for line in ax.lines]


def test_series_over_time(tmp_path):
    t = np.linspace(0, 2, 50)
    ax = plot_series(t, {"up <&>": t, "down": np.where(t > 1, np.nan, -t)}, "[rad]", "two lines")
    up, down = lines(ax)
    assert up == pytest.approx(np.column_stack([t, t]))
    assert np.array_equal(np.isnan(down[:, 1]), t > 1)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["up <&>", "down"]
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("two lines", "time [s]", "[rad]")
    ax.figure.savefig(tmp_path / "lines.svg")
    assert "<svg" in (tmp_path / "lines.svg").read_text()


def test_samples_that_no_line_reaches_are_dots():
    known = [0, 1, np.nan, 3, np.nan, np.inf, 6]
    (line,) = plot_series(np.arange(7.0), {"some": known}, "[N]").lines
    assert line.get_marker() == "."
    assert list(line.get_markevery()) == [3, 6]
    (line,) = plot_series([0.5], {"one": [2.0]}, "[N]").lines
    assert list(line.get_markevery()) == [0]


def test_stick_figures_keep_lengths(load_robot):
    robot = load_robot("double_pendulum", "fixed")
    run = dyn.simulate(robot, [1.0, 0.5], [0, 0], duration=1.0, step=0.01)
    frames = ["joint_1", "joint_2", robot.frame_names[-1]]
    ax = plot_stick_figures(robot, run.resampled([0, 0.5, 1.0])[0], frames)
    figures = lines(ax)
    assert len(figures) == 3
    lengths = np.array([np.linalg.norm(np.diff(f, axis=0), axis=1) for f in figures])
    assert np.ptp(lengths, axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)
    assert lengths[:, 0] / lengths[:, 1] == pytest.approx(2.0)
    assert ax.get_aspect() == 1.0  # the same scale in both directions
    assert np.abs(np.array(figures)[:, 0] - figures[0][0]).max() == 0  # it hangs from one point
    opacities = [line.get_alpha() for line in ax.lines]
    assert opacities == sorted(opacities)


@pytest.mark.parametrize("name", ["biped", "double_pendulum"])
def test_a_robot_is_drawn_through_its_joints(name, load_robot, random_state):
    robot = load_robot(name, "floating" if name == "biped" else "fixed")
    q, _, _ = random_state(robot, 2)
    ax = fw.plot(robot, q, plane="yz")
    points = np.vstack(lines(ax))
    for joint in robot.model.names[1:]:
        place = dyn.frame_placement(robot, q, joint).translation[1:]
        assert np.linalg.norm(points - place, axis=1).min() < 1e-12
    (com,) = [line for line in ax.lines if line.get_label() == "centre of mass"]
    assert np.ravel(com.get_data()) == pytest.approx(dyn.com(robot, q)[1:])
    for drawn, again in zip(ax.lines, fw.plot(dyn.State(robot, q), plane="yz").lines, strict=True):
        assert np.array_equal(drawn.get_data(), again.get_data())


def test_refusals(load_robot):
    with pytest.raises(fw.ConfigurationError, match=r"got shape \(2,\), expected \(3,\)"):
        plot_series([0, 1, 2], {"short": [1, 2]}, "")
    robot = load_robot("double_pendulum", "fixed")
    with pytest.raises(fw.ConfigurationError, match="expected two frames"):
        plot_stick_figures(robot, [[1.0, 0.5]], ["joint_1"])
    for plane in ("x", "xw", "xyz"):
        with pytest.raises(fw.ConfigurationError, match="expected two axes"):
            fw.plot(robot, plane=plane)
