"""Closed loops seen: plots, animations, the command; and the usual way to stand."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from footwork import ConfigurationError, ContactError, DataError, cli, contacts, control, load, view
from footwork.control import gaits
from footwork.visualize.plots import control as plots


@pytest.fixture(scope="module")
def pushed():
    """A quadruped that is pushed while it stands."""
    robot = load("quadruped")
    controller, q = control.stand(robot)
    push = control.ForcePulse(control.trunk(robot), (0.0, 30.0, 0.0), 0.1)
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


def test_margins_of_a_trot_on_two_points():
    """The motion takes place, so there is a margin: two points need not explain rounding."""
    robot = load("quadruped")
    controller, q = control.stand(robot)
    walker = control.GaitController(robot, controller.contacts, q, "trot", velocity=(0.3, 0, 0))
    motion = control.simulate(robot, walker, q=q, duration=1.2, step=2e-3)
    _, margins = motion.margins(every=0.02)
    two = np.sum([*motion.touching.values()], axis=0)[:-1:10] == 2
    assert two.sum() > 20
    assert (margins > 0).mean() > 0.95
    assert (margins[two] > 0).all()
    rest = np.abs(motion.not_by_ground[:, :3]) / (9.81 * robot.mass)
    assert np.median(rest) < 1e-3


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


def test_plots_show_joints_within_their_limits(pushed):
    """Drawn shares, turned back into what was recorded."""
    robot, joint = pushed.robot, pushed.robot.actuated[1]
    low, high = robot.model.lowerPositionLimit[8], robot.model.upperPositionLimit[8]
    share = plots.plot_positions(pushed, [joint]).lines[0].get_ydata()
    assert (low + high) / 2 + share * (high - low) / 2 == pytest.approx(pushed.q[:, 8])
    share = plots.plot_velocities(pushed, [joint]).lines[0].get_ydata()
    assert share * robot.model.upperVelocityLimit[7] == pytest.approx(pushed.v[:, 7])
    for draw in (plots.plot_positions, plots.plot_velocities):
        assert len(draw(pushed).lines) == 8
    ax = plots.plot_energy(pushed)
    kinetic, potential, both = (line.get_ydata() for line in ax.lines)
    assert kinetic + potential == pytest.approx(both, abs=1e-9)
    assert both - both[0] == pytest.approx(pushed.energy - pushed.energy[0], abs=1e-9)


def test_the_plot_of_friction_has_what_is_used(pushed):
    lines = plots.plot_friction(pushed).lines
    assert len(lines) == 4 + 1
    for contact, line in zip(pushed.contacts, lines, strict=False):
        force = pushed.forces[contact.name][60].sum(axis=0)
        share = np.hypot(*force[:2]) / (contact.friction * force[2])
        assert line.get_ydata()[60] == pytest.approx(share)
        assert np.nanmax(line.get_ydata()) <= 1 + 1e-6


def test_margins_with_motors_are_no_larger(pushed):
    free, held = pushed.margins(every=0.1)[1], pushed.margins(every=0.1, torque_limits=True)[1]
    assert (held <= free + 1e-6).all()
    ax = plots.plot_margins(pushed, 0.1, torque_limits=True)
    assert ax.lines[1].get_ydata() == pytest.approx(held)
    with pytest.raises(ConfigurationError, match="every"):
        pushed.margins(every=0.0)


# --- files -----------------------------------------------------------------------------------


def test_a_recording_comes_back(pushed, tmp_path):
    path = control.save_motion(pushed, tmp_path / "pushed.npz")
    again = control.read_motion(path, pushed.robot, pushed.contacts)
    for name in ("t", "q", "v", "tau", "energy", "accelerations", "stops", "latency"):
        assert np.array_equal(getattr(again, name), getattr(pushed, name))
    for name, forces in pushed.forces.items():
        assert np.array_equal(again.forces[name], forces)
    assert again.statuses == pushed.statuses
    assert again.pushes == pushed.pushes
    assert (again.fell, again.ended) == (False, "")
    assert again.margins(0.1)[1] == pytest.approx(pushed.margins(0.1)[1])
    with np.load(path) as file:
        assert file["margin"] == pytest.approx(pushed.margins(0.1)[1])


def test_a_recording_says_why_it_ended(tmp_path):
    robot = load("quadruped")
    limp = lambda t, q, v: np.full(robot.na, np.nan if t > 0.015 else 0.0)  # noqa: E731
    motion = control.simulate(robot, limp, duration=0.1)
    path = control.save_motion(motion, tmp_path / "failed.npz")
    again = control.read_motion(path, robot, motion.contacts)
    assert (again.fell, again.ended) == (False, motion.ended)
    assert "got nan" in again.ended
    assert [event.name for event in again.events] == ["failed"]


def test_ctrl_c_keeps_the_recording(tmp_path):
    robot = load("quadruped")

    def interrupted(t, q, v):
        if t > 0.0155:
            raise KeyboardInterrupt
        return np.zeros(robot.na)

    motion = control.simulate(robot, interrupted, duration=0.1)
    assert motion.duration == pytest.approx(0.016)
    assert [event.name for event in motion.events] == ["interrupted"]
    path = control.save_motion(motion, tmp_path / "part.npz")
    again = control.read_motion(path, robot, motion.contacts)
    assert again.events[0].name == "interrupted"
    assert "interrupted" in again.ended
    with pytest.raises(KeyboardInterrupt):
        control.simulate(robot, interrupted, duration=0.1, on_failure="raise")


def test_a_recording_is_a_table(pushed, tmp_path):
    path = control.save_motion(pushed, tmp_path / "pushed.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    robot = pushed.robot
    assert len(rows) == len(pushed)
    assert len(set(rows[0])) == 1 + robot.nq + robot.nv + robot.na + 1 + 4 * 3 + 2
    row, joint = rows[7], robot.actuated[2]
    assert float(row["t"]) == pushed.t[7]
    assert float(row[f"q.{joint}"]) == pushed.q[7, 9]
    assert float(row[f"v.{joint}"]) == pushed.v[7, 8]
    assert float(row[f"tau.{joint}"]) == pushed.tau[7, 2]
    assert float(row["q.root_joint.qw"]) == pushed.q[7, 6]
    foot = pushed.contacts.names[1]
    assert float(row[f"f.{foot}.0.z"]) == pushed.forces[foot][7, 0, 2]
    known = [float(row["margin"]) for row in rows if row["margin"]]
    assert known == pytest.approx(pushed.margins()[1])


def test_bad_recordings_are_refused(pushed, tmp_path):
    with pytest.raises(ConfigurationError, match="csv"):
        control.save_motion(pushed, tmp_path / "pushed.mp4")
    with pytest.raises(DataError, match="no recording"):
        control.read_motion(tmp_path / "none.npz", pushed.robot)
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(DataError, match="no recording"):
        control.read_motion(tmp_path / "other.npz", pushed.robot)
    path = control.save_motion(pushed, tmp_path / "pushed.npz", every=10.0)
    with pytest.raises(ConfigurationError, match="biped"):
        control.read_motion(path, load("biped"))
    others = contacts.ContactSet(pushed.robot, list(pushed.contacts)[:3])
    with pytest.raises(ConfigurationError, match="contacts"):
        control.read_motion(path, pushed.robot, others)
    blind = control.read_motion(path, pushed.robot)
    with pytest.raises(ConfigurationError, match="friction"):
        plots.plot_friction(blind)


def test_damaged_recordings_are_refused(pushed, tmp_path):
    """Every flip and every cut is a DataError, or changes nothing that is read."""
    path, rng = tmp_path / "pushed.npz", np.random.default_rng(0)
    whole = control.save_motion(pushed, path, every=10.0).read_bytes()
    cuts = [whole[:n] for n in (0, 1, 100, *rng.integers(0, len(whole), 30), len(whole) - 1)]
    flips = [bytearray(whole) for _ in range(120)]
    places = [*rng.integers(0, len(whole), 60), *rng.integers(len(whole) - 2000, len(whole), 60)]
    for damaged, place in zip(flips, places, strict=True):
        damaged[place] ^= 1 << int(rng.integers(8))
    refused = 0
    for damaged in (*cuts, *flips):
        path.write_bytes(damaged)
        try:
            again = control.read_motion(path, pushed.robot, pushed.contacts)
        except DataError:
            refused += 1
        else:
            assert all(np.array_equal(getattr(again, x), getattr(pushed, x)) for x in ("q", "tau"))
            assert all(np.array_equal(again.forces[x], f) for x, f in pushed.forces.items())
    assert refused > 100
    with np.load(io.BytesIO(whole)) as file:
        data = dict(file)
    for wrong, words in (
        ({"v": data["v"][:-1]}, "damaged"),
        ({"q": data["q"][:, 0]}, "damaged"),
        ({"push_values": data["push_values"][:, :2]}, "damaged"),
        ({"version": np.array(99)}, "later version"),
    ):
        np.savez(path, **(data | wrong))
        with pytest.raises(DataError, match=f"pushed.npz: .*{words}"):
            control.read_motion(path, pushed.robot)


# --- collisions ------------------------------------------------------------------------------


def test_links_that_run_into_each_other_are_told(pushed):
    assert pushed.collisions(every=0.1) == ()
    q = pushed.q.copy()
    for i in (100, 150):  # the legs of one side folded through each other
        q[i, 7:] = 2.5 * np.tile([1.0, 0.0, 0.0], 4) * np.repeat([-1.0, 1.0], 6)
    crossed = replace(pushed, q=q)
    found = crossed.collisions(every=0.1)
    assert {round(c.t, 6) for c in found} <= {pushed.t[100], pushed.t[150]}
    assert any(isinstance(c.between, contacts.postures.self_collision.LinkPair) for c in found)
    for collision in found:
        assert " s" in str(collision)
    sunk = pushed.q.copy()
    sunk[:, 2] -= 0.2
    deep = replace(pushed, q=sunk).collisions(every=0.2)
    assert all(isinstance(c.between, contacts.terrain.penetration.Penetration) for c in deep)
    assert {c.t for c in deep} == set(pushed.t[[0, 100]])


class Drawn:
    """A viewer that only remembers."""

    scale = 1.0

    def __init__(self):
        self.arrows, self.cones, self.boxes, self.ghosts = [], [], [], []

    def arrow(self, name, point, vector, **_):
        self.arrows.append((name, point, vector))

    def cone(self, name, *_, **__):
        self.cones.append(name)

    def box(self, name, *_, **__):
        self.boxes.append(name)

    def ghost(self, name, q, **_):
        self.ghosts.append((name, q))

    def legend(self, *_):
        pass

    def animate(self, times, qs, draw, series):
        assert len(times) == len(qs)
        self.series = {one.name: one for one in series}
        for i in range(len(times)):
            draw(i)


def test_the_animation_has_an_arrow_for_each_foot(pushed, tmp_path):
    drawn = Drawn()
    assert view(pushed, rate=10.0, scale=0.01, viewer=drawn) is drawn
    (push,) = [arrow for arrow in drawn.arrows if arrow[0].startswith("push")]
    assert push[2] == pytest.approx([0.0, 0.3, 0.0])  # at the one picture while it acts
    drawn.arrows.remove(push)
    names = {name for name, _, _ in drawn.arrows}
    assert names == {f"force of {name}" for name in pushed.contacts.names}
    assert len(drawn.cones) == len(drawn.arrows) == 4 * 4
    name, point, vector = drawn.arrows[0]
    foot = name.removeprefix("force of ")
    assert vector == pytest.approx(0.01 * pushed.forces[foot][0].sum(axis=0))
    place = pushed.contacts.placements(pushed.q[0])[foot].translation
    assert point == pytest.approx(place, abs=1e-6)
    times, margins = pushed.margins()
    shown = drawn.series["margin"]
    np.testing.assert_array_equal(shown.values["margin"], margins)
    np.testing.assert_array_equal(shown.t, times)
    up = drawn.series["vertical force"].values[foot]
    np.testing.assert_array_equal(up, pushed.forces[foot].sum(axis=1)[:, 2])
    struck = {name: forces.copy() for name, forces in pushed.forces.items()}
    struck[foot][7, :, 2] += 1e4  # as of a landing: what else there is remains visible
    view(replace(pushed, forces=struck), rate=10.0, viewer=(again := Drawn()))
    most = max(forces.max() for forces in drawn.series["vertical force"].values.values())
    assert most < drawn.series["vertical force"].bounds()[1] < 1.2 * most
    assert most < again.series["vertical force"].bounds()[1] < 2.0 * most
    assert not drawn.boxes
    steps = contacts.Terrain([contacts.Stairs("stairs", 2, 0.1, 0.3, 1.0, (1.0, 0.0, 0.0))])
    view(replace(pushed, terrain=steps), viewer=drawn)
    assert drawn.boxes == ["terrain/stairs/1", "terrain/stairs/2"]
    page = view(pushed, rate=10.0).save_html(tmp_path / "pushed.html")
    assert page.stat().st_size > 10_000


def test_a_ghost_is_where_the_estimator_believed_the_robot_to_be(pushed):
    off = pushed.q.copy()
    off[:, 0] += np.linspace(0.0, 0.02, len(off))
    drawn = Drawn()
    estimated = replace(pushed, estimated_q=off, estimated_v=pushed.v)
    view(estimated, rate=10.0, viewer=drawn)
    assert {name for name, _ in drawn.ghosts} == {"estimate"}
    rows = [int(np.searchsorted(pushed.t, 0.1 * k, side="right")) - 1 for k in range(4)]
    assert [q[0] for _, q in drawn.ghosts] == pytest.approx(off[rows, 0].tolist())
    assert drawn.series["estimate off"].values["x"][-1] == pytest.approx(2.0)  # [cm]
    drawn = Drawn()
    view(pushed, rate=10.0, viewer=drawn)
    assert not drawn.ghosts
    assert "estimate off" not in drawn.series


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
