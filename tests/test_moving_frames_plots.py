"""Paths that observers see, and the figure of them."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import biomechanics
from footwork import dynamics as dyn
from footwork.visualize.plots import moving_frames as plots

RATES = np.array([1.0, 2.0, 4.0])
CHAIN = ["joint_1", "joint_2", "joint_3", "tip"]
T = np.linspace(0, 2 * np.pi, 60)
MOTION = np.outer(T, RATES), np.tile(RATES, (len(T), 1)), np.zeros((len(T), 3))


def test_paths_of_the_limb(load_robot):
    """In the world the joints ride on circles at 1, 3 and 7 rad/s; from segment 1 at 2 and 6."""
    robot = load_robot("limb", "fixed")
    world = plots.seen_paths(robot, MOTION, CHAIN)
    first = plots.seen_paths(robot, MOTION, CHAIN, "segment_1")

    def circles(lengths, rates):
        l, w = np.array(lengths)[:, None], np.array(rates)[:, None]  # noqa: E741
        arms = 1j * l * np.exp(1j * w * T)
        return arms.sum(axis=0), np.abs((w * arms).sum(axis=0))

    for paths, offset, lengths, rates in (
        (world, 0.0, (0.8, 0.6, 0.4), (1, 3, 7)),
        (first, 0.8j, (0.6, 0.4), (2, 6)),
    ):
        place, speed = circles(lengths, rates)
        tip = paths["tip"]
        assert tip.places[:, 0] + 1j * tip.places[:, 1] == pytest.approx(place + offset, abs=1e-12)
        assert tip.speeds == pytest.approx(speed, abs=1e-12)
    assert first["joint_2"].speeds == pytest.approx(0, abs=1e-12)
    assert world["joint_2"].speeds == pytest.approx(0.8)


def test_observer_as_a_function(load_robot, random_state):
    robot = load_robot("biped", "floating")
    states = [random_state(robot, seed) for seed in range(3)]
    motion = tuple(np.array(part) for part in zip(*states, strict=True))
    frame = robot.frame_names[-1]

    def riding(q, v, a):
        return biomechanics.frame_motion(robot, q, v, a, frame, (0.0, 0.0, 1.0))

    seen = plots.seen_paths(robot, motion, [frame], riding)[frame]
    assert seen.places == pytest.approx(np.tile([0, 0, -1], (3, 1)), abs=1e-12)
    still = biomechanics.MovingFrame(pin.SE3(np.eye(3), np.array([1.0, 2.0, 3.0])))
    moved = plots.seen_paths(robot, motion, [frame], lambda q, v, a: still)[frame]
    places = [dyn.frame_placement(robot, q, frame).translation for q, _, _ in states]
    assert moved.places == pytest.approx(np.array(places) - [1, 2, 3], abs=1e-12)


def test_figure_has_a_panel_an_observer_in_the_colours_of_its_speeds(load_robot, tmp_path):
    robot = load_robot("limb", "fixed")
    views = {"world": "world", "thigh": "segment_1", "shank": "segment_2"}
    panels = plots.plot_seen_paths(robot, MOTION, CHAIN, views, poses=3)
    figure = panels[0].figure
    assert [ax.get_title() for ax in panels] == list(views)
    for ax, observer in zip(panels, views.values(), strict=True):
        paths = plots.seen_paths(robot, MOTION, CHAIN, observer)
        assert len(ax.collections) == len(CHAIN)
        for line, path in zip(ax.collections, paths.values(), strict=True):
            between = (path.speeds[1:] + path.speeds[:-1]) / 2
            assert np.asarray(line.get_array()) == pytest.approx(between)
            assert np.array(line.get_segments())[:, 0] == pytest.approx(path.places[:-1, :2])
            assert line.get_clim() == panels[0].collections[0].get_clim()
    assert "speed" in figure.axes[3].get_ylabel()
    figure.savefig(tmp_path / "paths.png", dpi=40)
    assert (tmp_path / "paths.png").stat().st_size > 5000


def test_refusals(load_robot):
    robot = load_robot("limb", "fixed")
    with pytest.raises(fw.ConfigurationError, match="expected two axes"):
        plots.plot_seen_paths(robot, MOTION, CHAIN, {"a": "world"}, plane="xw")
    with pytest.raises(fw.ConfigurationError, match="0 observers"):
        plots.plot_seen_paths(robot, MOTION, CHAIN, {})
    with pytest.raises(fw.ConfigurationError, match="expected as many"):
        plots.seen_paths(robot, (MOTION[0], MOTION[1][:3], MOTION[2]), CHAIN)
    with pytest.raises(fw.ConfigurationError, match="no frame 'segment_9'"):
        plots.seen_paths(robot, MOTION, CHAIN, "segment_9")
