"""Words for people: counts, zeros without a sign, margins without a figure."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import contacts, dynamics, robots
from footwork.contacts.margin_words import friction_words, margin_words, push_words
from footwork.errors import counted

BARE = re.compile(r"\b(inf|nan)\b|-0\.0*\b(?!\d)|\b1 (meshes|joints|vertices|errors|lines)\b")


def test_one_is_one():
    assert [counted(n, "joint") for n in (0, 1, 2)] == ["0 joints", "1 joint", "2 joints"]
    assert counted(1, "mesh", "meshes") == "1 mesh"
    assert counted(3, "mesh", "meshes") == "3 meshes"


def test_findings_count_in_english():
    one = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="0"/></joint></robot>"""
    words = " ".join(map(str, robots.diagnose(one)))
    assert "1 joint with zero or no effort counts as unlimited" in words
    robot = fw.load(one, base="fixed")
    with pytest.warns(fw.FootworkWarning, match="no torque limit for 1 joint, taken"):
        contacts.static_hold(robot, robot.neutral(), [])


def test_margins_without_a_figure_are_told_in_words():
    for words in (margin_words, push_words, friction_words):
        assert "margin 12.5" in words(12.5)
        assert not BARE.search(words(np.inf))
    assert "no pull at the contacts" in margin_words(-np.inf)
    assert "not found" in margin_words(np.nan)


def test_verdicts_without_bounds_are_told_in_words():
    robot = fw.load("block")
    sole = contacts.SurfaceContact("block", half_length=0.1, half_width=0.1, friction=1.0)
    wall = contacts.PointContact("block", friction=1.0, normal=(1, 0, 0))
    for gripping, expected in (
        ([replace(sole, bilateral=True)], "margin without bound"),
        ([], "no pull at the contacts"),
        ([replace(wall, friction=0.0)], "no pull at the contacts"),
    ):
        hold = contacts.static_hold(robot, robot.neutral(), gripping)
        assert not np.isfinite(hold.margin)
        assert expected in hold.explain()
        assert not BARE.search(hold.explain())
        assert "inf N" not in repr(hold)


@pytest.mark.parametrize("push", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_directions_have_no_negative_zeros(push):
    robot = fw.load("quadruped")
    at = {"base": dynamics.Wrench([*(60.0 * np.array(push)), 0], np.zeros(3))}
    feet = contacts.at_feet(robot, 0.2)
    hold = contacts.static_hold(robot, robot.posture(), feet, at, torque_limits=False)
    assert "slips along" in hold.reason
    assert not BARE.search(hold.explain())


def test_the_command_prints_no_bare_infinities_and_negative_zeros(run):
    for words in (
        ["hold", "quadruped"],
        ["region", "quadruped"],
        ["simulate", "quadruped", "--duration", "0.02"],
        ["info", "quadruped"],
        ["check", "quadruped"],
    ):
        code, out, err = run(*words)
        assert code == 0
        assert not BARE.search(out + err), words
    assert "it holds on ice" in run("hold", "quadruped")[1]


def test_titles_of_plots_are_words():
    robot = fw.load("block")
    hold = contacts.static_hold(robot, robot.neutral(), [])
    title = fw.plot(hold)[0].figure.get_suptitle()
    assert title.startswith("block does not hold on nothing\nno margin")
    assert not BARE.search(title)


def test_rounding_noise_of_a_torque_is_no_torque():
    inertial = """<inertial><origin xyz="{}"/><mass value="5"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
    straight = f"""<robot name="post">
    <link name="top">{inertial.format("0.013 0 0.1")}</link>
    <link name="foot">{inertial.format("0 0 0")}</link>
    <joint name="knee" type="revolute"><parent link="top"/><child link="foot"/>
    <origin xyz="0.013 0 -0.5"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="50"/></joint></robot>"""
    robot = fw.load(straight)
    sole = fw.SurfaceContact("foot", half_length=0.13, half_width=0.07, friction=0.6)
    words = contacts.static_hold(robot, robot.neutral(), [sole]).explain()
    assert "knee is nearest to its limit, 0 of 50 N·m" in words


def test_forces_and_moments_of_small_robots_have_digits():
    """12 g on a sole, 1 mm beside its middle: 0.118 N and 0.118 N·mm."""
    robot = robots.block(mass=0.012, size=(0.02, 0.02, 0.02))
    place = pin.SE3(np.eye(3), np.array([0.001, 0.0, -0.01]))
    sole = fw.SurfaceContact(
        "block", half_length=0.005, half_width=0.005, friction=0.6, placement=place
    )
    words = contacts.static_hold(robot, robot.neutral(), [sole]).explain()
    assert "0.0000   0.0000   0.1177) N " in words
    assert "(0.000000 0.000118 0.000000) N·m" in words


def test_motors_of_slides_give_newtons():
    inertial = """<inertial><origin xyz="0 0 0"/><mass value="5"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
    text = f"""<robot name="post">
    <link name="top">{inertial}</link><link name="foot">{inertial}</link>
    <joint name="lift" type="prismatic"><parent link="top"/><child link="foot"/>
    <origin xyz="0 0 -0.5"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="60"/></joint></robot>"""
    robot = fw.load(text)
    sole = fw.SurfaceContact("foot", half_length=0.13, half_width=0.07, friction=0.6)

    def hold(load: float = 0.0, **how):
        down = {"top": fw.Wrench([0, 0, -load])}
        return contacts.static_hold(robot, robot.neutral(), [sole], down, **how)

    assert "lift is nearest to its limit, 49.05 of 60 N;" in hold().explain()
    assert "largest torque 49.05 N, lift" in hold(torque_limits=False).explain()
    assert "lift would need 79.05 of its 60 N even" in hold(30.0).reason
    free = fw.load(text, passive=["lift"])
    fall = contacts.static_hold(free, free.neutral(), [sole])
    assert "joints without a motor would have to hold: lift with 49.05 N;" in fall.reason
