"""Whole-body control when something is wrong: safe torques, limits that give way and say so."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from stances import inside

from footwork import (
    ConfigurationError,
    ContactError,
    FootworkError,
    contacts,
    control,
    dynamics,
    robots,
)
from footwork.control.whole_body.failure import SafeTorques
from footwork.control.whole_body.torque_range import TorqueRange


@pytest.fixture(scope="module")
def talos():
    return inside("talos")


def controller_of(talos, tasks=(), **options):
    robot, feet, q = talos
    usual = [
        control.ComTask(dynamics.com(robot, q), weight=10.0),
        control.PostureTask(q, weight=0.1),
    ]
    return control.WholeBodyController(robot, feet, [*usual, *tasks], **options)


def broken_inputs(robot, q):
    """What may come in: q, v, t, now, and a word of the reason."""
    v, bad, twice = np.zeros(robot.nv), q.copy(), q.copy()
    bad[9] = np.nan
    twice[3:7] *= 2
    fast = v.copy()
    fast[3] = np.inf
    return [
        (bad, v, 1.0, None, "q: got nan"),
        (twice, v, 1.0, None, "quaternion"),
        (q, fast, 1.0, None, "v: got inf"),
        (q[:-1], v, 1.0, None, "shape"),
        (None, v, 1.0, None, "q"),
        (q, "fast", 1.0, None, "v"),
        (q, v, -1.0, None, "expected a later one"),
        (q, v, np.nan, None, "t: got nan"),
        (q, v, 1.0, 1.2, "late"),
    ]


@pytest.mark.parametrize("case", range(9))
@pytest.mark.parametrize("policy", ["hold", "damp", "raise"])
def test_no_input_stops_the_motion(talos, case, policy):
    robot, _, q = talos
    controller = controller_of(talos, on_failure=policy, deadline=0.01, damping=2.0)
    good = controller(q, np.zeros(robot.nv), t=0.0)
    q_in, v_in, t, now, reason = broken_inputs(robot, q)[case]
    if policy == "raise":
        with pytest.raises(FootworkError, match=reason):
            controller(q_in, v_in, t, now)
        return
    command = controller(q_in, v_in, t, now)
    assert reason in command.reason
    assert np.isfinite(command.tau).all()
    assert not command.solved
    assert np.isnan(command.a).all()
    assert np.isnan(command.f).all()
    assert command.residuals == {}
    if policy == "hold":
        assert command.status == "held"
        assert command.tau == pytest.approx(good.tau)
    else:
        assert command.status == "damped"
        assert command.tau == pytest.approx(0.0)  # nothing moves, or nobody knows
    after = controller(q, np.zeros(robot.nv), t=2.0)
    assert after.tau == pytest.approx(good.tau, abs=1e-5)


def test_damping_takes_power_out_within_the_limits(talos):
    robot, _, q = talos
    controller = controller_of(talos, on_failure="damp", damping=50.0)
    v = np.random.default_rng(0).standard_normal(robot.nv)
    v[8] = np.nan
    command = controller(q, v)
    speeds = robot.selection_matrix @ np.nan_to_num(v)
    assert (command.tau * speeds <= 0).all()
    assert (np.abs(command.tau) <= robot.torque_limits).all()
    assert np.abs(command.tau).max() > 10.0


def test_before_the_first_answer_there_is_nothing_to_hold(talos):
    robot = talos[0]
    command = controller_of(talos)(np.full(robot.nq, np.nan), np.ones(robot.nv))
    assert command.status == "damped"
    assert "damped" in repr(command)
    assert "nan" in command.explain()


@pytest.mark.parametrize("broken", ["raises", "nan", "shape"])
def test_references_that_break(talos, broken):
    """The user's own code in the loop."""
    robot, _, q = talos

    def reference(t):
        if t < 0.5:
            return np.zeros(3), np.zeros(3), np.zeros(3)
        if broken == "raises":
            raise KeyError("footstep 7")
        return (np.full(3, np.nan) if broken == "nan" else np.zeros(2)), np.zeros(3), np.zeros(3)

    task = control.ComTask(reference, name="mine")
    controller = controller_of(talos, [task])
    good = controller(q, np.zeros(robot.nv), t=0.0)
    command = controller(q, np.zeros(robot.nv), t=1.0)
    assert command.status == "held"
    assert command.tau == pytest.approx(good.tau)
    assert controller.safe.last is not None


def test_a_solver_that_fails(talos, monkeypatch):
    robot, _, q = talos
    controller = controller_of(talos)
    good = controller(q, np.zeros(robot.nv))
    monkeypatch.setattr("footwork.control.whole_body.solving.minimum", lambda *_: None)
    monkeypatch.setattr("footwork.control.whole_body.solving.reduced_program", lambda *_: None)
    monkeypatch.setattr("footwork.control.whole_body.controller.relaxed", lambda *_: None)
    command = controller(q, np.zeros(robot.nv))
    assert command.status == "held"
    assert "neither the program nor its elastic form" in command.reason
    assert command.tau == pytest.approx(good.tau)


# --- what gives way --------------------------------------------------------------------------


def test_weak_joints_let_the_contacts_go(talos):
    """Torque limits, friction and dynamics are kept whatever is asked; contacts give way."""
    robot, _, q = talos
    controller = controller_of(talos, torque_limits=10.0)
    v = np.zeros(robot.nv)
    v[2] = 3.0  # the feet leave the ground: to stop them the ground would have to pull
    command = controller(q, v)
    assert command.status == "relaxed"
    assert any(what.startswith("contact") for what in command.gave_way)
    assert (np.abs(command.tau) <= 10.0 + 1e-9).all()
    residuals = command.residuals
    for kind in ("dynamics", "torques", "friction", "torque balance", "exact cones"):
        assert residuals[kind] < 1e-3, kind
    assert "gave way" in command.explain()


def test_nothing_gives_way_that_need_not(talos):
    """Asked of a feasible program, the elastic one gives its solution."""
    from footwork.control.program.elastic import relaxed

    robot, _, q = talos
    controller = controller_of(talos)
    v = 0.02 * np.random.default_rng(0).standard_normal(robot.nv)
    command = controller(q, v)
    found = relaxed(controller.program(q, v), robot.mass)
    assert found.a == pytest.approx(command.a, abs=1e-4)
    assert max(found.contacts.max(), found.joints.max(), found.normal.max()) < 1e-6


def test_contacts_that_contradict_each_other(talos):
    """The other foot is told to press where it cannot: the bound on its force gives way."""
    robot, feet, q = talos
    pressed = contacts.SurfaceContact(
        feet["l_foot"].frame,
        vertices=feet["l_foot"].corners,
        placement=feet["l_foot"].placement,
        friction=0.6,
        min_normal=1e5,
        name="l_foot",
    )
    tasks = [control.PostureTask(q)]
    controller = control.WholeBodyController(robot, [pressed, feet["r_foot"]], tasks)
    command = controller(q, np.zeros(robot.nv))
    assert command.status == "relaxed"
    assert "least normal force of l_foot" in command.gave_way
    assert command.residuals["torques"] < 1e-6


def test_ranges_and_speeds_are_kept(load_robot):
    """An arm asked to go far beyond its limits stops at them."""
    robot = load_robot("talos", "fixed")
    q = robot.posture()
    row = int(np.flatnonzero(robot.selection_matrix[:, :].any(axis=0))[10])
    far = q.copy()
    far[row] += 3.0
    controller = control.WholeBodyController(
        robot, [], [control.PostureTask(far, gain=400.0)], torque_limits=False
    )
    high = robot.model.upperPositionLimit[row]
    fast = robot.model.upperVelocityLimit[row]
    v, seen = np.zeros(robot.nv), []
    for k in range(400):
        command = controller(q, v, t=0.002 * k)
        assert command.status == "optimal"
        v = v + 0.002 * command.a
        q = robot.integrate(q, 0.002 * v)
        seen.append((q[row], v[row]))
    places, speeds = np.array(seen).T
    assert places.max() <= high + 1e-6
    assert places[-1] == pytest.approx(high, abs=0.02)
    assert speeds.max() <= fast + 1e-6


# --- contacts that come and go ---------------------------------------------------------------


def lifted(talos, ramp):
    """Torques of a robot that leans on its right foot while the left one is taken out."""
    robot, feet, q = talos
    right = feet["r_foot"].pose(robot, q).translation
    lean = contacts.solve_posture(robot, feet, com=(*right[:2], None), q0=q).q
    tasks = [
        control.ComTask(dynamics.com(robot, lean), weight=100.0),
        control.PostureTask(lean, weight=1.0),
    ]
    controller = control.WholeBodyController(robot, feet, tasks, force_weight=1.0)
    v, torques = np.zeros(robot.nv), []
    for k in range(140):
        if k == 10:
            controller.remove_contact("l_foot", ramp=ramp)
        command = controller(lean, v, t=1e-3 * k)
        assert command.status == "optimal"
        torques.append(command.tau)
    assert controller.contacts.names == ("r_foot",)
    controller.add_contact(feet["l_foot"], ramp=ramp)
    for k in range(140, 280):
        command = controller(lean, v, t=1e-3 * k)
        torques.append(command.tau)
    assert controller.contacts.names == ("r_foot", "l_foot")
    assert command.status == "optimal"
    return np.abs(np.diff(torques, axis=0)).max(axis=1)


def test_a_contact_leaves_and_comes_without_a_jump(talos):
    """The state stands still, so all change of the torques is the switch's own."""
    sudden, ramped = lifted(talos, 0.0), lifted(talos, 0.1)
    assert sudden.max() > 20.0  # N·m at one tick
    assert ramped.max() < 0.1 * sudden.max()


def leaning(talos):
    """A controller whose tasks want the left foot elsewhere, and a state that moves."""
    robot, feet, q = talos
    right = feet["r_foot"].pose(robot, q).translation
    lean = contacts.solve_posture(robot, feet, com=(*right[:2], None), q0=q).q
    bent = lean.copy()
    bent[7:] += 0.2
    tasks = [
        control.ComTask(dynamics.com(robot, lean), weight=100.0),
        control.PostureTask(bent, weight=1.0),
    ]
    controller = control.WholeBodyController(robot, feet, tasks, force_weight=1.0)
    return controller, lean, 0.02 * np.random.default_rng(0).standard_normal(robot.nv)


def test_constraints_fade_with_their_loads(talos):
    """The foot is wanted elsewhere: without fading, torques step by a third of their limits."""
    controller, q, v = leaning(talos)
    robot, foot, torques = controller.robot, controller.contacts["l_foot"], []
    changes = {
        10: lambda: controller.remove_contact("l_foot", 0.03),
        27: lambda: controller.add_contact(foot, 0.03),  # taken back half-way
        80: lambda: controller.remove_contact("l_foot", 0.03),
        130: lambda: controller.add_contact(foot, 0.03),
    }
    for k in range(180):
        changes.get(k, lambda: None)()
        command = controller(q, v, 1e-3 * k)
        assert command.status == "optimal"
        torques.append(command.tau)
        if k in (20, 35, 100, 145):
            _, _, tau = control.by_cvxpy(controller, q, v, 1e-3 * k)
            assert command.tau == pytest.approx(tau, abs=1e-4)
    steps = np.abs(np.diff(torques, axis=0)) / robot.torque_limits
    assert steps.max() < 0.03
    assert np.abs(torques[5] - torques[75]).max() < 1e-4
    assert np.abs(torques[5] - torques[125]).max() > 10.0
    assert controller.contacts.names == ("r_foot", "l_foot")


def test_what_is_not_leaving_is_not_added_twice(talos):
    controller, q, v = leaning(talos)
    foot = controller.contacts["l_foot"]
    with pytest.raises(ContactError):
        controller.add_contact(foot)
    controller.remove_contact("l_foot", 0.1)
    assert controller.leaving == ("l_foot",)
    controller(q, v, 0.0)
    controller(q, v, 0.05)
    controller.add_contact(foot)  # at once
    assert controller.leaving == ()
    taken = controller(q, v, 0.06)
    assert taken.contacts.names == ("l_foot", "r_foot")
    assert taken.tau == pytest.approx(leaning(talos)[0](q, v).tau, abs=1e-6)


def test_a_contact_is_taken_back_from_its_load_before_time_zero_too(talos):
    robot, feet, q = talos
    v, bounds = np.zeros(robot.nv), []
    for begin in (0.0, -5.0):
        controller = controller_of(talos)
        controller.remove_contact("l_foot", ramp=0.1)
        for t in (0.0, 0.05):
            controller(q, v, begin + t)
        controller.add_contact(feet["l_foot"], ramp=0.1)
        bounds.append(controller.program(q, v, t=begin + 0.05).upper)
    assert bounds[1] == pytest.approx(bounds[0], rel=1e-9)


def test_shares_follow_their_ramps(talos):
    robot, _, q = talos
    controller = controller_of(talos)
    controller.remove_contact("l_foot", ramp=0.1)
    seen = []
    for k in range(12):
        P = controller.program(q, np.zeros(robot.nv), t=0.01 * k)
        seen.append(P.upper[0] if len(P.upper) == 2 else 0.0)
    assert seen[-1] == 0.0
    assert (np.diff(seen) <= 0).all()
    assert seen[0] == pytest.approx(1.5 * 9.81 * robot.mass)


def test_loads_that_go_up_can_be_hastened(talos):
    """Continuously, and what is being unloaded, or loaded sooner, keeps its time."""
    robot, feet, q = talos
    controller, full = controller_of(talos), 1.5 * 9.81 * robot.mass

    def most(name, t):
        P = controller.program(q, np.zeros(robot.nv), t=t)
        return dict(zip(controller.contacts.names, P.upper / full, strict=True)).get(name, 0.0)

    controller.remove_contact("l_foot")
    controller.remove_contact("r_foot", ramp=0.1)
    controller(q, np.zeros(robot.nv), 0.0)
    controller.add_contact(feet["l_foot"], ramp=0.1)
    controller(q, np.zeros(robot.nv), 0.02)
    controller(q, np.zeros(robot.nv), 0.06)
    before = most("l_foot", 0.06)
    assert controller.loading == ("l_foot",)
    controller.hasten(0.1)
    assert most("l_foot", 0.06) == before
    controller.hasten(0.02)
    assert most("l_foot", 0.06) == pytest.approx(before)
    assert before < most("l_foot", 0.07) < 1.0
    assert 0.0 < most("r_foot", 0.07) < 1.0
    assert most("l_foot", 0.08) == np.inf
    with pytest.raises(ConfigurationError, match="ramp: got -1"):
        controller.hasten(-1)


def test_safe_torques_know_their_arguments(talos):
    robot = talos[0]
    with pytest.raises(FootworkError, match="hold"):
        SafeTorques(robot, "stop", 1.0, TorqueRange(robot, True))
    with pytest.raises(FootworkError, match="damping"):
        SafeTorques(robot, "damp", -1.0, TorqueRange(robot, True))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("broken", ["target", "weight", "weight of a force", "gain"])
def test_what_tasks_were_set_to_is_not_a_number(talos, broken, strict):
    """Tasks' attributes may be set at any time; nan there must not come out as torques."""
    robot, feet, q = talos
    force = control.ForceTask(np.zeros(3), contact=feet.names[0])
    com = control.ComTask(dynamics.com(robot, q))
    tasks = [com, control.PostureTask(q, weight=0.1), force]
    controller = control.WholeBodyController(robot, feet, tasks, strict=strict)
    good = controller(q, np.zeros(robot.nv))
    task, name = {
        "target": (force, "target"),
        "weight": (com, "weight"),
        "weight of a force": (force, "weight"),
        "gain": (com, "gain"),
    }[broken]
    before = getattr(task, name)
    setattr(task, name, np.nan * np.ones(3) if name == "target" else np.nan)
    held = controller(q, np.zeros(robot.nv))
    assert held.status == "held"
    assert (held.tau == good.tau).all()
    setattr(task, name, before)
    assert controller(q, np.zeros(robot.nv)).tau == pytest.approx(good.tau, abs=1e-6)


def test_a_violation_that_is_not_a_number_is_not_none(talos):
    robot, _, q = talos
    program = controller_of(talos).program(q, np.zeros(robot.nv))
    left = program.violations(np.full(robot.nv, np.nan), np.zeros(program.dim))
    assert np.isnan(left["dynamics"])
    assert np.isnan(left["torques"])


# --- overload --------------------------------------------------------------------------------


def thrown(talos, height, **options):
    """Commands while the robot is thrown: feet leave the ground, which would have to pull."""
    robot, _, q = talos
    controller = controller_of(talos, **options)
    v, commands = np.zeros(robot.nv), []
    for k in range(40):
        v[2] = 0.0 if k < 5 else height * (1 + k % 2)
        commands.append(controller(q, v, 2e-3 * k))
    return controller, commands


@pytest.mark.parametrize("speed", [3.0, 50.0])
def test_torques_do_not_jump_while_limits_give_way(talos, speed):
    robot = talos[0]
    _, commands = thrown(talos, speed)
    assert commands[4].status == "optimal"
    assert {command.status for command in commands[5:]} <= {"relaxed", "unsafe"}
    most = robot.torque_limits * 2e-3 / 0.1
    assert all(rises_by(a.tau, b.tau, most) for a, b in pairwise(commands))


def rises_by(last, tau, most):
    """Whether torques go no farther from zero than by so much; they may fall to it."""
    ahead, kept = tau * np.sign(last), np.abs(last)
    return bool(
        (ahead <= kept + most + 1e-9).all() and (ahead >= np.minimum(kept - most, 0) - 1e-9).all()
    )


def test_it_is_said_when_it_is_not_safe_to_go_on(talos):
    _, mild = thrown(talos, 3.0)
    _, commands = thrown(talos, 500.0)
    assert all(command.safe for command in mild)
    assert commands[-1].status == "unsafe"
    assert "not safe" in commands[-1].reason
    assert commands[-1].solved
    assert not commands[-1].safe
    assert max(commands[-1].gave_way.values()) > 1e3


def test_joints_are_damped_where_it_is_not_safe(talos):
    robot, _, q = talos
    controller = controller_of(talos, torque_limits=False, damping=2.0)
    v = np.full(robot.nv, 0.1)
    v[2] = 500.0  # 1e4 m/s² would stop the feet
    command = controller(q, v)
    assert command.status == "unsafe"
    damping = -2.0 * v[robot.actuated_rows]
    elastic = command.program.torques(command.a, command._forces)
    share = 1 - 100.0 / max(x for name, x in command.gave_way.items() if "contact" in name)
    assert command.tau == pytest.approx((1 - share) * elastic + share * damping, rel=1e-6)


def test_a_rate_of_torques_is_kept(talos):
    """As a bound of the program: its optimum is cvxpy's, and forces belong to it."""
    robot, _, q = talos
    free, limited = controller_of(talos), controller_of(talos, torque_rate=500.0)
    v = np.zeros(robot.nv)
    last = free(q, v).tau
    for k in range(100):
        x = q if k < 3 else robot.integrate(q, np.full(robot.nv, 2e-3))
        command, other = limited(x, v, 1e-3 * k), free(x, v, 1e-3 * k)
        assert command.status == "optimal"
        if k == 3:
            assert np.abs(other.tau - last).max() > 1.0
            _, _, tau = control.by_cvxpy(limited, x, v, 1e-3 * k)
            assert command.tau == pytest.approx(tau, abs=1e-4)
        assert rises_by(last, command.tau, 0.5)
        last = command.tau
    assert command.tau == pytest.approx(other.tau, abs=1e-4)
    with pytest.raises(FootworkError, match="torque_rate"):
        controller_of(talos, torque_rate=-1.0)


def test_a_rate_of_torques_is_kept_after_failures(talos):
    """While no state is told, torques are held: they rise from there, not from long ago."""
    robot, _, q = talos
    limited, v = controller_of(talos, torque_rate=500.0), np.zeros(robot.nv)
    last = limited(q, v, 0.0).tau
    for k in range(1, 200):
        assert limited(np.full(robot.nq, np.nan), v, 1e-3 * k).status == "held"
    for broken in (np.nan, -1.0, "now"):  # no times to go on from
        assert limited(q, v, broken).status == "held"
    down = np.where(np.arange(robot.nv) == 2, -1.0, 0.0)
    command = limited(q, down, 0.2)
    assert rises_by(last, command.tau, 0.5)
    assert not rises_by(last, command.tau, 0.4)


@pytest.mark.parametrize("overloaded", [False, True])
def test_torques_rise_slowly_and_fall_at_once(talos, overloaded):
    """So that zero is always within the range: a foot that is let go is not thrown."""
    robot = talos[0]
    kept = TorqueRange(robot, True, 500.0)
    last = robot.torque_limits * np.where(np.arange(robot.na) % 2, 0.9, -0.5)
    kept.remember(last, 0.0)
    if overloaded:
        kept.slow_down(0.0)
    lower, upper = kept.at(np.zeros(robot.nv), 1e-3)
    farther = np.minimum(np.abs(last) + 0.5, robot.torque_limits)
    assert np.where(last > 0, upper, -lower) == pytest.approx(farther)
    assert (np.where(last > 0, lower, -upper) <= 0).all()
    assert (np.where(last > 0, lower, -upper) >= -0.5).all()


def test_links_that_end_in_no_frame_reach_as_far_as_their_centres_of_mass():
    """A shin without a foot's frame had no length: the remark said that its knee needs 0 N·m."""
    from footwork.robots.torque_need import largest_need

    link = (
        '<inertial><origin xyz="0 0 -{0}"/><mass value="1"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    joint = (
        '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>'
        '<origin xyz="0 0 -0.3"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="1" effort="{3}" velocity="1"/></joint>'
    )
    text = '<robot name="leg">' + "".join(
        f'<link name="{name}">{link.format(arm)}</link>'
        for name, arm in (("trunk", 0), ("thigh", 0.1), ("shin", 0.2))
    )
    text += joint.format("hip", "trunk", "thigh", 1e4) + joint.format("knee", "thigh", "shin", 1e4)
    robot = robots.load(text + "</robot>", base="floating")
    wanted = robot.weight * np.array([0.3 + 0.2, 0.2])
    assert largest_need(robot)[robot.actuated_rows] == pytest.approx(wanted)


def test_torque_limits_that_are_none_are_said(load_robot):
    """1000 N·m on a robot of 2.5 kg; the bound by hand: the weight on the stretched leg."""
    from footwork.robots.torque_need import largest_need

    robot = load_robot("solo12", "floating")
    (found,) = [f for f in robots.diagnose("solo12") if f.code == "effort"]
    assert "1000" in found.message
    assert "none in practice" in found.message
    legs = [robot.model.jointPlacements[i].translation for i in range(2, robot.model.njoints)]
    leg = sum(np.linalg.norm(p) for p in legs) / 4
    hips = largest_need(robot)[robot.actuated_rows].max() / (9.81 * robot.mass)
    assert 0.3 < hips < leg + 0.2  # the foot's frame comes on top
    for name in ("talos", "go2", "anymal"):
        assert not [f for f in robots.diagnose(name) if f.code == "effort"]
    feet = contacts.at_feet(robot, 0.6)
    q = contacts.solve_posture(robot, feet, com="inside").q
    controller = control.WholeBodyController(robot, feet, [control.PostureTask(q)])
    v = np.zeros(robot.nv)
    v[2] = 50.0
    assert "none in practice" in controller(q, v).reason
    assert "none in practice" in contacts.static_hold(robot, q, feet).explain()
    own = contacts.static_hold(robot, q, feet, torque_limits=np.full(robot.na, 100.0))
    assert "none in practice" not in own.explain()
