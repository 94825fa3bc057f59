"""Audits as pictures and pages: what they show is what the audit found."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
from motions_made import derivatives

import footwork as fw
from footwork import contacts, control, dynamics
from footwork.contacts.schedules.schedule import ContactSchedule
from footwork.dynamics.motions.motion import Motion
from footwork.visualize.plots import audits as plots
from footwork.visualize.scenes import audits as scenes
from footwork.visualize.scenes import repairs as repair_scenes
from footwork.visualize.viewer.triangles import coarser

pytest.importorskip("matplotlib")


def swaying(size):
    """A biped that stands for a second, then sways, a heel lifted meanwhile."""
    robot = fw.load("biped")
    t = np.linspace(2.0, 4.0, 41)
    qs = np.array([robot.posture()] * len(t))
    qs[:, 1] += size * np.clip(t - 3, 0, 1) * np.sin(12 * (t - 3))
    motion = Motion(robot, t, qs, *derivatives(robot, t, qs), "sways")
    corners = contacts.at_corners(robot, 0.8)
    touching = np.ones((len(t), len(corners)), dtype=bool)
    touching[t > 3.5, 0] = False
    return contacts.audit(motion, ContactSchedule(corners, t, touching, 1.0 * touching))


@pytest.fixture(scope="module")
def audit():
    return swaying(0.05)


@pytest.fixture(scope="module")
def repair(audit):
    """As if a motion that sways less had been found instead."""
    after = swaying(0.001)
    return control.Repair(after.motion, audit, after, {}, "made by hand", 1)


def spans(ax, row, tone=None):
    """[(begin, end)] of the bars in a row of axes, of one colour if given."""
    from matplotlib.colors import to_hex

    found = []
    for bars in ax.collections:
        for path, color in zip(bars.get_paths(), cycle(bars.get_facecolor()), strict=False):
            (left, low), (right, high) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            if low < row < high and tone in (None, to_hex(color)):
                found.append((left, right))
    return sorted(found)


def test_the_audit_has_good_samples_and_bad_ones(audit):
    assert 0.3 < audit.share < 0.8
    assert audit.good[:15].all()


def test_the_plot_shows_contacts_margin_and_checks(audit):
    axes = fw.plot(audit)
    begin, half = audit.t[0], 0.025
    assert spans(axes[0], 0) == pytest.approx(np.array([(begin, 3.5 + half), (3.5 + half, 4.0)]))
    assert spans(axes[0], 1) == pytest.approx(np.array([(begin, 4.0)]))
    names = [label.get_text() for label in axes[0].get_yticklabels()]
    assert names == ["left_foot", "right_foot"]
    line = axes[1].lines[0]
    finite = np.isfinite(audit.margin)
    assert line.get_ydata()[finite] == pytest.approx(audit.margin[finite])
    for row, check in enumerate(audit.checks.values()):
        shown = spans(axes[3], row, plots._REFUSES)
        for t, bad in zip(audit.t, check.bad, strict=True):
            assert any(b <= t <= e for b, e in shown) == bad, (check.name, t)
    assert f"{100 * audit.share:.1f} %" in axes[0].get_title(loc="left")


def test_the_page_plots_what_the_audit_found(audit):
    series = {one.name: one for one in scenes.series_of(audit)}
    assert set(series) == {"contacts", "margin", "used", "refused by"}
    assert series["contacts"].values["left_foot"].all()
    texts = {b.text for name in ("margin", "refused by") for b in series[name].bands}
    assert texts == {stretch.words for stretch in audit.stretches}
    for name, bad in series["refused by"].values.items():
        np.testing.assert_array_equal(bad, audit.checks[name].bad)
    used = series["used"].values
    assert (used["friction"][audit.good] <= 1 + 1e-6).all()
    k = 5  # at rest
    hold = contacts.contact_forces(
        audit.motion.robot, audit.motion.q[k], audit.motion.v[k], audit.motion.a[k],
        audit.schedule.contacts,
    )  # fmt: skip
    assert used["torques"][k] == pytest.approx(1 - hold.torque_margin, abs=1e-5)


def test_friction_is_that_of_a_foots_whole_force(audit):
    last = np.flatnonzero(audit.good & (audit.t > 3.05))[0]  # it moves
    forces = audit.forces.verdicts.world_forces[last].reshape(2, 4, 3).sum(axis=1)  # of two feet
    shares = np.linalg.norm(forces[:, :2], axis=1) / (0.8 * forces[:, 2])
    assert scenes.used(audit)["friction"][last] == pytest.approx(shares.max(), abs=1e-9)
    assert shares.max() > 0.01


def test_pictures_are_at_most_as_many_as_asked_for(audit):
    rows = scenes.picture_rows(audit.motion, 10.0)
    assert rows[0] == 0
    assert rows[-1] == len(audit.motion) - 1
    assert len(rows) == 21
    assert len(scenes.picture_rows(audit.motion, 1000.0)) == 41


@pytest.mark.browser
@pytest.mark.timeout(120)
def test_the_robot_has_the_colour_of_the_cause_and_forces_are_where_it_holds(
    audit, tab, visit, tmp_path
):
    viewer = fw.view(audit)
    visit(viewer.save_html(tmp_path / "audit.html").as_uri())
    tab.settle()
    tab.evaluate("footwork.player.pause()")
    good, bad = 5, int(np.flatnonzero([cause == "contacts" for cause in audit.causes])[0])
    meshes = (
        "(() => { const found = []; viewer.scene_tree.find(['robot']).object.traverse(o => "
        "o.material && found.push(o.material)); return found.map(m => "
        "[...m.color.toArray(), ...m.emissive.toArray()]); })()"
    )
    arrow = "viewer.scene_tree.find(['overlays', 'forces', 'left_foot']).object"
    caption = "document.getElementById('caption').innerText"

    def at(sample):
        tab.evaluate(f"footwork.player.seek({audit.t[sample] - audit.t[0]})")
        seen = f"Object.values({arrow}.children).some(c => c.visible)"
        return np.array(tab.evaluate(meshes)), tab.evaluate(seen), tab.evaluate(caption)

    own, pushed, said = at(good)
    assert (own[:, 3:] == 0).all()
    assert pushed
    assert said == ""
    red, pushed, said = at(bad)
    wanted = 0.4 * own[:, :3] + 0.6 * np.array([0xD6, 0x28, 0x39]) / 255
    np.testing.assert_allclose(red[:, :3], wanted, atol=1e-6)
    assert (red[:, 3] > 0.1).all()
    assert not pushed
    assert "left_foot" in said or "right_foot" in said
    np.testing.assert_allclose(at(good)[0], own, atol=1e-6)
    robot, q = audit.motion.robot, audit.motion.q[good]
    at(good)
    ball = "viewer.scene_tree.find(['overlays', 'touching', '3', 'ball']).object.position"
    point = audit.schedule.contacts.attachment.world_points(dynamics.State(robot, q))[3]
    np.testing.assert_allclose(tab.evaluate(f"{ball}.toArray()"), point, atol=1e-6)
    assert tab.errors == []


def test_a_repair_has_both_margins_and_what_did_not_hold(audit, repair):
    axes = fw.plot(repair)
    for line, one in zip(axes[0].lines, (audit, repair.after), strict=False):
        finite = np.isfinite(one.margin)
        assert line.get_ydata()[finite] == pytest.approx(one.margin[finite])
    bad = list(audit.checks).index("contacts")
    assert spans(axes[1], bad, plots._REFUSES)
    assert not spans(axes[2], bad, plots._REFUSES)
    series = {one.name: one for one in repair_scenes.series_of_both(audit, repair.after)}
    assert set(series["margin"].values) == {"repaired", "as wanted"}
    np.testing.assert_array_equal(series["does not hold"].values["as wanted"], ~audit.good)
    assert repair.after.share > audit.share


@pytest.mark.browser
@pytest.mark.timeout(120)
def test_the_ghost_of_a_repair_moves_as_was_wanted(audit, repair, tab, visit, tmp_path):
    visit(fw.view(repair).save_html(tmp_path / "repair.html").as_uri())
    tab.settle()
    tab.evaluate("footwork.player.pause()")
    ghost = "viewer.scene_tree.find(['overlays', 'as wanted', 'root_joint.pelvis_0']).object"
    robot = "viewer.scene_tree.find(['robot', 'root_joint']).object"
    seen = []
    for k in (0, 25, 33):
        tab.evaluate(f"footwork.player.seek({audit.t[k] - audit.t[0]})")
        seen.append(tab.evaluate(f"[{ghost}, {robot}].map(o => o.position.toArray())"))
    moved = np.diff(np.array(seen), axis=0)
    for column, one in enumerate((audit, repair.after)):
        wanted = np.diff(one.motion.q[[0, 25, 33], :3], axis=0)
        np.testing.assert_allclose(moved[:, column], wanted, atol=1e-6)
    assert tab.errors == []


def test_a_coarser_mesh_stays_near_the_shape():
    turn = np.linspace(0, 2 * np.pi, 81)[:-1]
    rise = np.linspace(0, np.pi, 41)
    grid = [[np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)] for b in rise for a in turn]
    vertices = 0.1 * np.array(grid)
    k = np.arange(40 * 80).reshape(40, 80)
    ahead = np.roll(k, -1, axis=1)
    faces = np.concatenate([np.dstack([k, ahead, k + 80]), np.dstack([ahead, ahead + 80, k + 80])])
    points, triangles = coarser(vertices, faces.reshape(-1, 3), 0.02)
    assert len(triangles) < 0.2 * faces.size / 3
    assert np.abs(np.linalg.norm(points, axis=1) - 0.1).max() < 0.02
    assert set(np.unique(triangles)) == set(range(len(points)))
    a, b, c = points[triangles].transpose(1, 0, 2)
    volume = abs(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6
    assert volume == pytest.approx(4 / 3 * np.pi * 0.1**3, rel=0.1)  # no holes, no face turned
