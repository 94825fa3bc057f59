"""Plots say what the numbers say: read back from the artists, on a canvas that nobody sees."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from stances import posed

import footwork as fw
from footwork import ContactError, Wrench, contacts, dynamics, robots
from footwork.visualize.plots import contacts as plots

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def standing():
    robot = robots.load("biped")
    return contacts.static_hold(robot, robot.posture(), contacts.at_feet(robot))


def labels(ax):
    return ax.get_legend_handles_labels()[1]


def line(ax, label):
    (found,) = [a for a in ax.lines if a.get_label() == label]
    return np.column_stack(found.get_data())


def test_regions_with_patches_com_and_zmp(standing):
    robot, q, feet = standing.contacts.robot, standing.q, standing.contacts
    static = contacts.static_equilibrium_polygon(robot, q, feet)
    robust = contacts.robust_equilibrium_polygon(robot, q, feet, contacts.Pushes(20.0, corners=6))
    ax = plots.plot_regions({"static": static, "robust": robust}, feet, q, zmp=(0.01, 0.02))
    assert {"static", "robust", "centre of mass", "ZMP"} == set(labels(ax))
    filled = {p.get_label(): p.get_xy() for p in ax.patches}
    assert filled["static"][:-1] == pytest.approx(static.vertices)
    assert filled["robust"][:-1] == pytest.approx(robust.vertices)
    assert line(ax, "centre of mass")[0] == pytest.approx(dynamics.com(robot, q)[:2])
    assert line(ax, "ZMP")[0] == pytest.approx([0.01, 0.02])
    outlines = [np.column_stack(a.get_data()) for a in ax.lines if a.get_linestyle() == "--"]
    assert any(len(o) == len(static.outer) + 1 for o in outlines)
    for contact in feet:  # each patch is drawn where it is
        corners = contact.world_points(robot, q)[:, :2]
        assert any(
            all(np.linalg.norm(drawn - c, axis=1).min() < 1e-12 for c in corners)
            for drawn in (np.column_stack(a.get_data()) for a in ax.lines)
        )
    assert {t.get_text() for t in ax.texts} == set(feet.names)
    assert ax.get_xlabel() == "x [m]"
    assert ax.get_aspect() == 1.0


def test_contacts_alone_have_a_title(standing):
    ax = plots.plot_contacts(standing.contacts, standing.q)
    assert ax.get_title() == "Contacts, from above"
    regions = plots.plot_regions({}, standing.contacts, standing.q)
    assert regions.get_title() == "Regions, from above"


def test_a_region_that_is_a_point_has_room_about_it(standing):
    """Of a single point contact; the axes were 1e-34 m wide."""
    robot, q = standing.contacts.robot, standing.q
    toe = contacts.PointContact("left_foot", 0.5)
    ax = plots.plot_regions(contacts.static_equilibrium_polygon(robot, q, [toe]))
    ax.figure.canvas.draw()
    assert np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1).min() > 0.1


def test_holds_without_contacts_are_drawn():
    fixed = robots.load("double_pendulum")
    axes = plots.plot_hold(fw.static_hold(fixed, np.zeros(2), []))
    axes[0].figure.canvas.draw()
    assert axes[1].get_legend() is None


def test_names_of_feet_at_the_corners_are_not_cut_off():
    robot, feet, q = posed("quadruped")
    ax = plots.plot_hold(fw.static_hold(robot, q, feet))[0]
    ax.figure.canvas.draw()
    for name in ax.texts:
        box = name.get_window_extent()
        assert ax.bbox.x0 <= box.x0
        assert box.x1 <= ax.bbox.x1


def test_regions_without_area_are_named():
    robot = robots.load("quadruped")
    two = list(contacts.at_feet(robot))[:2]
    flat = contacts.static_equilibrium_polygon(robot, robot.posture(), two)
    none = contacts.Region(np.zeros((0, 2)), np.zeros((0, 2)), "empty")
    ax = plots.plot_regions({"two feet": flat, "nothing": none})
    assert labels(ax) == ["two feet (flat)", "nothing (empty)"]
    assert line(ax, "two feet (flat)") == pytest.approx(flat.vertices)
    assert labels(plots.plot_regions(none)) == ["region (empty)"]


def test_a_friction_map_has_its_values_and_a_colour_bar(standing):
    robot, q, feet = standing.contacts.robot, standing.q, standing.contacts
    push = Wrench((40.0, 0, 0), np.zeros(3))
    x, y = np.linspace(-0.3, 0.3, 5), np.linspace(-0.3, 0.3, 4)
    found = contacts.friction_map(robot, q, feet, x, y, push)
    ax = plots.plot_friction_map(found, feet, q)
    values = ax.collections[0].get_array()
    assert values.shape == (4, 5)
    assert (np.ma.getmaskarray(values) == np.isinf(found.friction)).all()
    assert values.compressed() == pytest.approx(found.friction[np.isfinite(found.friction)])
    bar = [other for other in ax.figure.axes if other is not ax]
    assert [b.get_ylabel() for b in bar] == ["least friction μ [-]"]
    assert ax.get_xlabel() == "x of the centre of mass [m]"
    places = [0.1, 0.0, 0.05], [0.02]  # in any order, and one alone
    few = contacts.friction_map(robot, q, feet, *places, push)
    cells = plots.plot_friction_map(few).collections[0]
    np.testing.assert_allclose(cells.get_coordinates()[0, :, 0], [-0.025, 0.025, 0.075, 0.125])
    np.testing.assert_allclose(cells.get_array()[0], few.friction[0, [1, 2, 0]])


def test_forces_lie_in_their_cones(standing):
    ax = plots.plot_forces(standing)
    total = 0.0
    for contact in standing.contacts:
        points = line(ax, contact.name)
        assert len(points) == len(contact.points)
        assert (points[:, 0] <= contact.friction * points[:, 1] + 1e-6).all()
        forces = standing.forces[contact.name]
        assert points[:, 1] == pytest.approx(forces[:, 2])  # level ground
        assert points[:, 0] == pytest.approx(np.linalg.norm(forces[:, :2], axis=1))
        total += points[:, 1].sum()
    assert total == pytest.approx(9.81 * standing.contacts.robot.mass)
    edges = [np.column_stack(a.get_data()) for a in ax.lines if a.get_linestyle() == "--"]
    assert len(edges) == len(standing.contacts)
    for edge in edges:
        assert edge[1, 0] == pytest.approx(0.7 * edge[1, 1])
    assert "[N]" in ax.get_xlabel()
    assert "[N]" in ax.get_ylabel()


def test_margins_as_bars(standing):
    ax = plots.plot_margins(standing)
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == pytest.approx(list(standing.contact_margins.values()))
    assert [t.get_text() for t in ax.get_xticklabels()] == list(standing.contacts.names)
    assert line(ax, "all together: the margin")[:, 1] == pytest.approx([standing.margin] * 2)


def test_infinite_margins_are_written():
    robot = robots.load("biped")
    hands = [contacts.PointContact(f"{s}_hand", 0.5, bilateral=True) for s in ("left", "right")]
    hold = contacts.static_hold(robot, robot.posture(), hands, torque_limits=False)
    ax = plots.plot_margins(hold)
    assert {t.get_text() for t in ax.texts} == {"∞"}
    assert [bar.get_height() for bar in ax.patches] == [0.0, 0.0]


def test_they_draw_where_they_are_told(standing):
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2)
    assert plots.plot_forces(standing, ax=left) is left
    assert plots.plot_margins(standing, ax=right) is right
    assert plots.plot_contacts(standing.contacts, standing.q).figure is not figure


def test_refusals(standing, monkeypatch):
    robot = robots.load("block")
    falling = contacts.static_hold(robot, robot.posture(), [])
    with pytest.raises(ContactError, match="expected one with forces"):
        plots.plot_forces(falling)
    region = contacts.Region(np.eye(2), np.eye(2), "flat")
    with pytest.raises(ContactError, match="expected both or none"):
        plots.plot_regions(region, standing.contacts)
    with pytest.raises(ContactError, match="contacts: got"):
        plots.plot_regions(region, list(standing.contacts), standing.q)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(fw.FootworkError, match=r"pip install 'footwork\[plots\]'"):
        plots.plot_margins(standing)
