"""Plots are SVG that a parser reads, with every curve where its numbers are."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import footwork as fw
from footwork import dynamics as dyn
from footwork.visualize.plots import svg as plots

SVG = "{http://www.w3.org/2000/svg}"


def lines(svg):
    found = ElementTree.fromstring(svg).iter(f"{SVG}polyline")
    return [
        np.array([p.split(",") for p in line.get("points").split()], dtype=float) for line in found
    ]


def test_time_plot():
    t = np.linspace(0, 2, 50)
    svg = plots.time_plot(t, {"up <&>": t, "down": -t}, title="two lines", unit="[rad]")
    up, down = lines(svg)
    assert (np.diff(up[:, 0]) > 0).all()
    assert (np.diff(up[:, 1]) < 0).all()  # pixels grow downwards
    assert (np.diff(down[:, 1]) > 0).all()
    assert up[0] == pytest.approx(down[0])
    words = [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {"two lines", "up <&>", "down", "0.5", "time [s]", "[rad]"} <= set(words)


def test_stick_figures_keep_lengths(load_robot):
    robot = load_robot("double_pendulum", "fixed")
    run = dyn.simulate(robot, [1.0, 0.5], [0, 0], duration=1.0, step=0.01)
    frames = ["joint_1", "joint_2", robot.frame_names[-1]]
    figures = lines(plots.stick_figures(robot, run, frames, times=[0, 0.5, 1.0]))
    assert len(figures) == 3
    lengths = np.array([np.linalg.norm(np.diff(f, axis=0), axis=1) for f in figures])
    assert lengths.std(axis=0).max() < 0.2  # pixels: the same scale in both directions
    assert (lengths[:, 0] / lengths[:, 1]).mean() == pytest.approx(2.0, rel=0.01)
    assert np.abs(np.array(figures)[:, 0] - figures[0][0]).max() == 0  # it hangs from one point


def test_refusals(load_robot):
    with pytest.raises(fw.ConfigurationError, match="expected 3 finite values"):
        plots.time_plot([0, 1, 2], {"short": [1, 2]})
    with pytest.raises(fw.ConfigurationError, match="expected some"):
        plots.time_plot([0, 1, 2], {})
    robot = load_robot("double_pendulum", "fixed")
    run = dyn.simulate(robot, [1.0, 0.5], [0, 0], duration=0.1, step=0.01)
    with pytest.raises(fw.ConfigurationError, match="expected two frames"):
        plots.stick_figures(robot, run, ["joint_1"])
