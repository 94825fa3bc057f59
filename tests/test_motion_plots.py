"""Plots of motions: every line where its numbers are, limits, energies, margins, forces."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

import footwork as fw
from footwork import dynamics
from footwork.errors import ConfigurationError, ContactError
from footwork.visualize.plots import contacts as contact_plots
from footwork.visualize.plots import dynamics as plots

pytest.importorskip("matplotlib")

T = np.linspace(0.0, 2.0, 80)


def swinging(robot):
    """Configurations and velocities of a smooth motion of all joints: (n, nq), (n, nv)."""
    way = np.zeros(robot.nv)
    way[6 if robot.is_floating else 0 :] = np.linspace(0.2, 0.6, robot.nv)[
        6 if robot.is_floating else 0 :
    ]
    qs = np.array([robot.integrate(robot.posture(), np.sin(3 * t) * way) for t in T])
    return qs, np.array([3 * np.cos(3 * t) * way for t in T])


def lines(ax):
    return {a.get_label(): a.get_ydata() for a in ax.lines if not a.get_label().startswith("_")}


@pytest.mark.parametrize("name", ["biped", "quadruped", "talos", "double_pendulum", "solo12"])
def test_joints_are_drawn_where_they_are(load_robot, name):
    robot = load_robot(name, "fixed" if name == "double_pendulum" else "floating")
    qs, vs = swinging(robot)
    tau = vs[:, -robot.na :]
    for draw, values in (
        (plots.plot_configuration, qs),
        (plots.plot_velocity, vs),
        (plots.plot_torque, tau),
    ):
        ax = draw(robot, T, values)
        assert len(lines(ax)) == min(6, robot.na)
        assert robot.name in ax.get_title()
        assert "[s]" in ax.get_xlabel()
        assert "[" in ax.get_ylabel()
        assert ax.get_legend() is not None
    chosen = robot.actuated[-1]
    joint = robot.model.joints[robot.model.getJointId(chosen)]
    assert lines(plots.plot_configuration(robot, T, qs, [chosen])) == {
        chosen: pytest.approx(qs[:, joint.idx_q])
    }
    assert lines(plots.plot_velocity(robot, T, vs, [chosen])) == {
        chosen: pytest.approx(vs[:, joint.idx_v])
    }
    assert lines(plots.plot_torque(robot, T, tau, [chosen])) == {chosen: pytest.approx(tau[:, -1])}


def test_limits_are_shaded_and_what_lies_beyond_them_is_marked(load_robot):
    robot = load_robot("biped", "floating")
    row, limit = 3, robot.torque_limits[3]
    tau = np.zeros((len(T), robot.na))
    tau[:, row] = 1.2 * limit * np.sin(3 * T)
    ax = plots.plot_torque(robot, T, tau, [robot.actuated[row]])
    heights = {round(float(a.get_ydata()[0]), 6) for a in ax.lines if a.get_linestyle() == "--"}
    assert heights == {round(-limit, 6), round(limit, 6)}
    spans = [patch.get_extents().transformed(ax.transData.inverted()) for patch in ax.patches]
    assert max(s.ymax for s in spans) == pytest.approx(ax.get_ylim()[1])
    assert min(s.ymin for s in spans) == pytest.approx(ax.get_ylim()[0])
    (marked,) = [a for a in ax.lines if a.get_marker() == "."]
    assert len(marked.get_xdata()) == (np.abs(tau[:, row]) > limit).sum() > 0
    quiet = plots.plot_torque(robot, T, 0.001 * tau, [robot.actuated[row]])
    assert not quiet.patches  # limits that are far away do not squeeze the line


def test_the_joints_nearest_to_their_limits_are_shown():
    values = {f"j{i}": np.array([0.0, i / 10]) for i in range(9)}
    bounds = {name: (-1.0, 1.0) for name in values} | {"j8": (-np.inf, np.inf)}
    assert plots.nearest(values, bounds) == ["j2", "j3", "j4", "j5", "j6", "j7"]


def test_a_continuous_joint_is_drawn_as_its_angle(load_robot):
    robot = load_robot("tree", "floating")
    joints = [j for j in robot.model.joints[1:] if j.nv == 1 and j.nq == 2]
    if not joints:
        pytest.skip("no continuous joint in the tree")
    joint = joints[0]
    angle = np.linspace(-1.0, 9.0, len(T))
    qs = np.tile(robot.neutral(), (len(T), 1))
    qs[:, joint.idx_q], qs[:, joint.idx_q + 1] = np.cos(angle), np.sin(angle)
    name = str(robot.model.names[joint.id])
    assert lines(plots.plot_configuration(robot, T, qs, [name]))[name] == pytest.approx(angle)


def test_the_sum_of_energies_of_a_free_pendulum_is_a_straight_line(load_robot):
    robot = load_robot("double_pendulum", "fixed")
    run = dynamics.simulate(robot, [1.0, 0.5], [0, 0], duration=0.5, step=1e-3)
    drawn = lines(plots.plot_energy(robot, run.t, run.q, run.v))
    assert drawn["sum"] == pytest.approx(np.full(len(run.t), drawn["sum"][0]), abs=1e-5)
    kinetic = [
        0.5 * v @ dynamics.mass_matrix(robot, q) @ v for q, v in zip(run.q, run.v, strict=True)
    ]
    assert drawn["kinetic"] == pytest.approx(np.array(kinetic))
    energy = fw.plot(run)[3]
    energy.figure.canvas.draw()
    assert energy.yaxis.get_offset_text().get_text() == ""  # it would hide the title
    assert np.ptp(drawn["potential, from the first"]) > 1.0
    energy.clear()
    energy.set_yscale("symlog")
    assert lines(plots.plot_energy(robot, run.t, run.q, run.v, ax=energy)).keys() == drawn.keys()


def test_recordings_of_closed_loops_are_plain_arrays():
    from footwork import control

    robot = fw.load("quadruped")
    controller, q = control.stand(robot)
    motion = control.simulate(robot, controller, q=q, duration=0.03, control_step=2e-3)
    ax = plots.plot_torque(robot, motion.t, motion.tau)
    for name, values in lines(ax).items():
        assert values == pytest.approx(motion.tau[:, robot.actuated.index(name)])
    plots.plot_configuration(robot, motion.t, motion.q)
    plots.plot_velocity(robot, motion.t, motion.v)
    plots.plot_energy(robot, motion.t, motion.q, motion.v)
    ax = contact_plots.plot_force_course(motion.contacts, motion.q, motion.forces)
    assert set(motion.forces) <= set(lines(ax))
    contact_plots.plot_margin_course(*motion.margins(every=0.01))


def test_what_motion_plots_refuse(load_robot, monkeypatch):
    robot = load_robot("biped", "floating")
    qs, _ = swinging(robot)
    with pytest.raises(ConfigurationError, match=r"q: got shape \(80, 3\).*expected \(n, "):
        plots.plot_configuration(robot, T, qs[:, :3])
    with pytest.raises(ConfigurationError, match="left_knee"):
        plots.plot_configuration(robot, T, qs, ["left_kne"])
    imports = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return imports(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(fw.FootworkError, match=r"pip install 'footwork\[plots\]'"):
        plots.plot_configuration(robot, T, qs)


# --- contacts ----------------------------------------------------------------------------------


def test_forces_of_a_motion_lie_in_their_cones(load_robot):
    robot = load_robot("quadruped", "floating")
    feet = fw.at_feet(robot, friction=0.6)
    pushes = np.linspace(-0.2, 0.2, 5) * robot.mass * 9.81
    q, base = robot.posture(), robot.model.frames[2].name
    holds = [fw.static_hold(robot, q, feet, {base: fw.Wrench([p, 0, 0])}) for p in pushes]
    forces = {name: np.array([hold.forces[name] for hold in holds]) for name in feet.names}
    ax = contact_plots.plot_force_course(feet, [q] * 5, forces)
    for name in feet.names:
        (dots,) = [a for a in ax.lines if a.get_label() == name]
        tangent, normal = dots.get_data()
        assert normal == pytest.approx(forces[name][:, 0, 2])
        assert tangent == pytest.approx(np.linalg.norm(forces[name][:, 0, :2], axis=1))
        assert (tangent <= 0.6 * normal + 1e-6).all()
    edges = [a for a in ax.lines if a.get_linestyle() == "--"]
    assert len(edges) == 4
    for edge in edges:
        assert edge.get_xdata()[-1] == pytest.approx(0.6 * edge.get_ydata()[-1])
    with pytest.raises(ContactError, match=r"got shape \(5, 2, 3\), expected \(5, 1, 3\)"):
        contact_plots.plot_force_course(feet, [q] * 5, {feet.names[0]: np.zeros((5, 2, 3))})


def test_margins_over_time_are_shaded_where_they_are_negative():
    y = 10 * np.cos(3 * T)
    y[5] = np.inf
    ax = contact_plots.plot_margin_course(T, {"left": y, "right": y + 20})
    drawn = lines(ax)
    assert set(drawn) == {"left", "right", "the edge"}
    assert np.isnan(drawn["left"][5])
    assert drawn["right"][6:] == pytest.approx(y[6:] + 20)
    below = [c.get_datalim(ax.transData).ymin for c in ax.collections if len(c.get_paths())]
    assert min(below) == pytest.approx(y.min())
    assert len(lines(contact_plots.plot_margin_course(T, y))) == 2
    with pytest.raises(ConfigurationError, match=r"got shape \(3,\), expected \(80,\)"):
        contact_plots.plot_margin_course(T, [1, 2, 3])
