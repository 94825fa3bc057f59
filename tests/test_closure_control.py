"""Control of robots with closures: torques of the motors alone, on loops that stay closed."""

from __future__ import annotations

import pickle

import numpy as np
import pinocchio as pin
import pytest
from differences import slope

import footwork as fw
from footwork import cli, contacts, control, dynamics
from footwork.biomechanics import trial_dynamics
from footwork.contacts import Plane, Terrain
from footwork.control import gaits, gravity_compensation
from footwork.control.simulation.falls import Fall
from footwork.control.simulation.ground import Ground
from footwork.control.simulation.mjcf import as_mjcf
from footwork.dynamics import State
from footwork.robots import JointCoupling, LoopClosure

# --- linkages in the x-z plane: bars on hinges about +y, along their own −z ---------------------

BESIDE = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])  # z along the hinges


def box(mass, x, y, z):
    return mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])


def link(name, mass, inertia, at=(0, 0, 0)):
    place, (a, b, c) = " ".join(map(str, at)), inertia
    return (
        f'<link name="{name}"><inertial><origin xyz="{place}"/><mass value="{mass}"/><inertia '
        f'ixx="{a}" iyy="{b}" izz="{c}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )


def bar(name, parent, at, length, mass=0.5, effort=100.0, axis="0 1 0"):
    """A bar `name` on the hinge `name_joint`, at a point of its parent."""
    place, inertia = " ".join(map(str, at)), box(mass, 0.02, 0.02, length)
    return (
        f'{link(name, mass, inertia, (0, 0, -length / 2))}<joint name="{name}_joint" '
        f'type="revolute"><parent link="{parent}"/><child link="{name}"/><origin xyz="{place}"/>'
        f'<axis xyz="{axis}"/><limit lower="-3" upper="3" velocity="50" effort="{effort}"/></joint>'
    )


def pin_joint(name, frame_1, at_1, frame_2, at_2, kind="point"):
    ends = [pin.SE3(BESIDE, np.array(at, float)) for at in (at_1, at_2)]
    return LoopClosure(name, frame_1, frame_2, kind, *ends)


def loaded(parts, closures, base="fixed", motors=(), feet=None):
    text = f'<robot name="linkage">{"".join(parts)}</robot>'
    robot = fw.load(text, base=base, feet=feet)
    passive = [joint for joint in robot.joint_names if joint not in motors]
    return fw.load(text, base=base, feet=feet, passive=passive).with_closures(closures)


def four_bar(motors=("crank_joint",), kind="point", axis="0 1 0", beside=0.0):
    """Crank, coupler and rocker between two pivots of the world, closed at the rocker's end."""
    parts = [
        link("world_link", 0.0, (0, 0, 0)),
        bar("crank", "world_link", (0, 0, 0), 0.2),
        bar("coupler", "crank", (0, beside, -0.2), 0.5, 0.7, axis=axis),
        bar("rocker", "world_link", (0.45, 0, 0), 0.3, 0.4),
    ]
    closure = pin_joint("tip", "coupler", (0, 0, -0.5), "rocker", (0, 0, -0.3), kind)
    robot = loaded(parts, [closure], motors=motors)
    return robot, robot.close(np.array([0.4, -1.5, 0.3]))


def place(robot, joint):
    """Where the angle of a joint is in q."""
    return robot._model.joints[robot.joint_id(joint)].idx_q


def posed(robot, angles):
    q = robot.neutral()
    for name, angle in angles.items():
        q[place(robot, name)] = angle
    return q


def moving(robot, q, seed, size=1.0):
    """A velocity that the closures allow."""
    v = size * np.random.default_rng(seed).standard_normal(robot.nv)
    return dynamics.closed(robot, q, v)[1]


# --- joint controllers ----------------------------------------------------------------------


def test_the_motor_of_a_four_bar_holds_it_by_virtual_work():
    robot, q = four_bar()
    crank = robot.actuated_rows[0]
    (tau,) = gravity_compensation(robot, q)

    def height(angle):  # potential energy of the loop as a function of the crank alone
        moved = q.copy()
        moved[crank] += angle
        return dynamics.potential_energy(robot, robot.close(moved))

    assert tau == pytest.approx(slope(height), abs=1e-8)


@pytest.mark.parametrize("kind", ["point", "hinge"])
def test_gravity_compensation_keeps_a_loop_at_rest(kind):
    """A hinge has five rows of which two are independent in a plane; the torque is the same."""
    robot, q = four_bar(kind=kind)
    tau = gravity_compensation(robot, q)
    assert np.abs(dynamics.forward_dynamics(robot, q, np.zeros(robot.nv), tau)).max() < 1e-9
    assert tau == pytest.approx(gravity_compensation(four_bar()[0], q), abs=1e-9)


def test_of_two_motors_on_one_freedom_the_least_torques():
    robot, q = four_bar(motors=("crank_joint", "rocker_joint"))
    state, tau = State(robot, q, np.zeros(3)), gravity_compensation(robot, q)
    assert np.abs(state.forward_dynamics(tau)).max() < 1e-9
    (both,) = dynamics.closures.opposed(state).T
    assert tau @ both == pytest.approx(0.0, abs=1e-10)
    assert np.abs(state.forward_dynamics(tau + 20 * both)).max() < 1e-8  # they only strain


@pytest.mark.parametrize("kind", ["point", "hinge"])
@pytest.mark.parametrize("axis", ["0.0008 1 0.0004", "0 1 0"])
def test_digits_of_a_file_take_no_freedom(kind, axis):
    """An axis that "1.57" for π/2 tilts, a point beside the plane: they close nothing."""
    robot, q = four_bar(kind=kind, axis=axis, beside=2e-4)
    state = State(robot, q, np.zeros(3))
    assert len(state.closure_basis) == 2
    right = gravity_compensation(*four_bar(kind=kind))
    assert gravity_compensation(robot, q) == pytest.approx(right, rel=2e-3)
    v = moving(robot, q, 0)
    run = dynamics.simulate(robot, q, v, duration=0.2, step=0.01)
    assert np.abs(run.energy - run.energy[0]).max() < 1e-5
    state = State(robot, run.q[-1], run.v[-1])
    left = state.closure_jacobian @ state.accelerations(np.zeros(3)) + state.closure_drift
    assert np.abs(left).max() < 1e-9
    with pytest.raises(fw.ConfigurationError, match="stays open by"):
        four_bar(kind=kind, axis=axis, beside=0.005)


def test_a_loop_without_a_motor_cannot_be_held():
    robot, q = four_bar(motors=())
    with pytest.raises(fw.ConfigurationError, match="its motors cannot balance"):
        gravity_compensation(robot, q)
    with pytest.raises(fw.ConfigurationError, match="is open by"):
        gravity_compensation(four_bar()[0], np.array([0.4, 0.0, 0.3]))


def test_computed_torque_makes_the_motor_a_damped_spring():
    robot, start = four_bar()
    crank, goal = robot.actuated_rows[0], start.copy()
    goal[crank] += 0.5
    law = control.ComputedTorque(robot, robot.close(goal), kp=25.0)
    run = dynamics.simulate(robot, start, np.zeros(3), law, duration=0.3, step=0.002)
    left = run.q[:, crank] - goal[crank]
    assert left == pytest.approx(-0.5 * (1 + 5 * run.t) * np.exp(-5 * run.t), abs=1e-7)
    with pytest.raises(fw.ConfigurationError, match="0 actuators for 1 degrees"):
        control.ComputedTorque(four_bar(motors=())[0], start)


def test_pd_with_gravity_compensation_settles_a_loop():
    robot, q = four_bar()
    moved = q.copy()
    moved[robot.actuated_rows[0]] += 0.4
    gravity = lambda t, x, v: gravity_compensation(robot, x)  # noqa: E731
    law = control.PD(robot, q, 20.0, 4.0, feedforward=gravity)
    run = dynamics.simulate(robot, robot.close(moved), np.zeros(3), law, duration=3.0, step=0.01)
    assert np.abs(run.q[-1] - q).max() < 1e-4


# --- the whole-body controller --------------------------------------------------------------


def leg(side, y):
    """Roll and yaw of the hip; thigh and crank on one axis, a rod from the crank to the shank."""
    return [
        bar(f"roll_{side}", "body", (0, y, 0), 0.05, 1.0, axis="1 0 0"),
        bar(f"yaw_{side}", f"roll_{side}", (0, 0, 0), 0.05, 1.0, axis="0 0 1"),
        bar(f"thigh_{side}", f"yaw_{side}", (0, 0, 0), 0.4, 2.0),
        bar(f"crank_{side}", f"yaw_{side}", (0, 0, 0), 0.1, 0.3),
        bar(f"rod_{side}", f"crank_{side}", (0, 0, -0.1), 0.4, 0.3),
        bar(f"shank_{side}", f"thigh_{side}", (0, 0, -0.4), 0.4, 1.5),
        bar(f"ankle_{side}", f"shank_{side}", (0, 0, -0.4), 0.05, 0.3),
        bar(f"foot_{side}", f"ankle_{side}", (0, 0, 0), 0.05, 0.5, axis="1 0 0"),
    ]


def biped(kind="point"):
    """Two legs whose knees are moved by a motor at the hip, through a parallelogram."""
    sides = {"left": 0.12, "right": -0.12}
    parts = [link("body", 20.0, box(20.0, 0.2, 0.4, 0.4), (0, 0, 0.2))]
    for side, y in sides.items():
        parts += leg(side, y)
    closures = [
        pin_joint(f"loop_{s}", f"rod_{s}", (0, 0, -0.4), f"shank_{s}", (0, 0, -0.1), kind)
        for s in sides
    ]
    moved = "roll", "yaw", "thigh", "crank", "ankle", "foot"
    motors = [f"{part}_{s}_joint" for s in sides for part in moved]
    sole = {"size": [0.22, 0.14], "offset": [0.02, 0, -0.05]}
    feet = {s: {"frame": f"foot_{s}"} | sole for s in sides}
    robot = loaded(parts, closures, "floating", motors, feet)
    bent = {"thigh": -0.4, "crank": 0.4, "rod": -0.8, "shank": 0.8, "ankle": -0.4}
    q = posed(robot, {f"{part}_{s}_joint": bent[part] for s in sides for part in bent})
    q[2] = 0.8 * np.cos(0.4) + 0.05
    return robot, q


ASIDE = np.array([0.02, 0.01, -0.02])


def controller(robot, q, **options):
    """Centre of mass a little aside, the body level, the posture of all joints."""
    feet = contacts.at_feet(robot, 0.7) if robot.is_floating else []
    tasks = [control.PostureTask(q, weight=0.1, gain=50.0)]
    if robot.is_floating:
        pose = dynamics.frame_placement(robot, q, "body")
        tasks += [
            control.ComTask(dynamics.com(robot, q) + ASIDE, weight=10.0),
            control.FrameTask(pose, frame="body", rows_of="orientation", weight=5.0),
        ]
    options.setdefault("on_failure", "raise")
    return control.WholeBodyController(robot, feet, tasks, **options)


def unexplained(robot, command):
    """M a + b − Sᵀτ − Jᵀf − J_cᵀλ with the λ that leaves least, and J_c a + J̇_c v."""
    state = State(robot, command.q, command.v)
    left = state.inverse_dynamics(command.a) - robot.selection_matrix.T @ command.tau
    if command.contacts.dim:
        left -= command.contacts.jacobian(state).T @ command.f
    J = state.closure_jacobian
    left -= J.T @ np.linalg.lstsq(J.T, left, rcond=1e-9)[0]
    return np.abs(left).max(), np.abs(J @ command.a + state.closure_drift).max()


@pytest.mark.parametrize("kind", ["point", "hinge"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_program_is_that_of_cvxpy_and_keeps_the_equations(kind, seed):
    robot, q = biped(kind)
    law, v = controller(robot, q), moving(robot, q, seed, 0.1)
    command = law(q, v)
    assert command.status == "optimal"
    torques, kept = unexplained(robot, command)
    assert torques < 1e-8
    assert kept < 1e-10
    a, w, tau = control.by_cvxpy(law, q, v)
    assert command.a == pytest.approx(a, abs=1e-6 * (1 + np.abs(a).max()))
    assert command.w == pytest.approx(w[: law.contacts.dim], abs=1e-4)
    assert command.tau == pytest.approx(tau, abs=1e-4)
    assert max(command.residuals.values()) < 1e-7
    passive = ~robot.selection_matrix.any(axis=0)
    left = dynamics.inverse_dynamics(robot, q, v, command.a)
    left -= State(robot, q).closure_jacobian.T @ np.hstack([*command.closure_forces.values()])
    left -= law.contacts.jacobian(q).T @ command.f
    assert np.abs(left[passive]).max() < 1e-8  # joints without a motor, and the base


@pytest.mark.parametrize("kind", ["point", "hinge"])
def test_constrained_dynamics_under_its_torques_is_what_it_says(kind):
    robot, q = biped(kind)
    law, v = controller(robot, q), moving(robot, q, 2, 0.1)
    command = law(q, v)
    a, f = contacts.constrained_forward_dynamics(robot, q, v, command.tau, law.contacts, kd=20.0)
    assert a == pytest.approx(command.a, abs=1e-9)
    assert f == pytest.approx(command.f, abs=1e-9)


def test_a_body_that_a_closure_ties_to_the_world_hangs_on_it():
    robot, q = biped()
    there = dynamics.frame_placement(robot, q, "body")
    tie = LoopClosure("tie", "universe", "body", "weld", there)
    tied = robot.with_closures([*robot.closures, tie])
    law = control.WholeBodyController(tied, [], [control.PostureTask(q)], on_failure="raise")
    assert max(unexplained(tied, law(q, moving(tied, q, 0, 0.1)))) < 1e-10
    command = law(q, np.zeros(robot.nv))
    assert np.abs(command.a).max() < 1e-9
    assert command.tau == pytest.approx(gravity_compensation(tied, q), abs=1e-9)
    # the force of the world on the body, in the axes of the end in the world
    weight = there.rotation @ command.closure_forces["tie"][:3]
    assert weight == pytest.approx([0, 0, 9.81 * robot.mass], abs=1e-8)


def test_a_point_and_a_hinge_in_a_plane_are_one():
    commands = [controller(*biped(kind))(biped()[1], np.zeros(22)) for kind in ("point", "hinge")]
    assert commands[0].tau == pytest.approx(commands[1].tau, abs=1e-7)
    assert len(commands[0].multipliers) == len(commands[1].multipliers) == 4


ARM = ("left_shoulder_pitch", "left_shoulder_roll", "left_elbow")


def held_by(how, robot, q):
    """The arm's joints held where they are: by a weld of its end, or one by one."""
    if how == "weld":
        torso, hand = (dynamics.frame_placement(robot, q, f) for f in ("torso", "left_forearm"))
        return [LoopClosure("hold", "torso", "left_forearm", "weld", torso.inverse() * hand)]
    at = {name: q[place(robot, name)] for name in ARM}
    return [JointCoupling(f"hold {name}", name, None, (0.0,), at[name]) for name in ARM]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("how", ["weld", "coupling"])
def test_joints_that_closures_hold_are_joints_that_are_locked(load_robot, how, strict):
    whole = fw.load("biped", passive=ARM)
    q = whole.posture()
    closed = whole.with_closures(held_by(how, whole, q))
    locked = fw.load("biped", lock={name: float(q[place(whole, name)]) for name in ARM})
    rows = [i for i, name in enumerate(whole.joint_of_row) if name not in ARM]
    places = np.setdiff1d(np.arange(whole.nq), [i + 1 for i in range(whole.nv) if i not in rows])
    v = 0.05 * np.random.default_rng(0).standard_normal(whole.nv)
    v[[i for i in range(whole.nv) if i not in rows]] = 0.0

    def command(robot, q, v):
        tasks = [
            control.ComTask(dynamics.com(robot, q) + ASIDE, weight=10.0),
            control.PostureTask(q, weight=0.1, gain=50.0, level=1),
        ]
        feet = contacts.at_feet(robot, 0.7)
        return control.WholeBodyController(robot, feet, tasks, strict=strict)(q, v)

    one, other = command(closed, q, v), command(locked, q[places], v[rows])
    assert one.status == other.status == "optimal"
    assert one.a[rows] == pytest.approx(other.a, abs=1e-7)
    assert one.w == pytest.approx(other.w, abs=1e-4)
    assert one.tau == pytest.approx(other.tau, abs=1e-5)


def test_motors_that_share_a_freedom_share_its_load_within_their_limits():
    robot, q = four_bar(motors=("crank_joint", "rocker_joint"))
    least = gravity_compensation(robot, q)
    assert controller(robot, q)(q, np.zeros(3)).tau == pytest.approx(least, abs=1e-6)
    weak = np.where(np.abs(least) == np.abs(least).max(), 0.6 * np.abs(least), np.inf)
    law = controller(robot, q, torque_limits=weak)
    command = law(q, np.zeros(3))
    assert command.status == "optimal"
    assert (np.abs(command.tau) <= weak + 1e-9).all()
    assert np.abs(command.a).max() < 1e-4  # the other one takes the rest
    assert max(unexplained(robot, command)) < 1e-8
    assert command.tau == pytest.approx(control.by_cvxpy(law, q, np.zeros(3))[2], abs=1e-5)


def test_limits_bind_and_closures_do_not_give_way():
    robot, q = biped()
    free = np.abs(controller(robot, q)(q, np.zeros(22)).tau)
    limits = np.where(free > 0.8 * free.max(), 0.97 * free, np.inf)
    law = controller(robot, q, torque_limits=limits)
    command = law(q, np.zeros(22))
    assert command.status == "optimal"
    assert (np.abs(command.tau) <= limits + 1e-7).all()
    assert command.tau == pytest.approx(control.by_cvxpy(law, q, np.zeros(22))[2], abs=1e-4)


def test_contacts_give_way_before_closures_do():
    robot, q = biped()
    law, v = controller(robot, q, torque_limits=2.0), moving(robot, q, 0, 1.0)
    command = law(q, v)
    assert command.status == "relaxed"
    assert command.gave_way
    assert command.residuals["closures"] < 1e-6
    torques, kept = unexplained(robot, command)
    assert torques < 1e-4
    assert kept < 1e-6


def test_open_closures_are_refused_and_copies_are_controllers():
    robot, q = biped()
    law = controller(robot, q)
    bent = q.copy()
    bent[-3] += 0.1
    with pytest.raises(fw.ConfigurationError, match="is open by"):
        law(bent, np.zeros(22))
    copied, v = pickle.loads(pickle.dumps(law)), np.zeros(22)
    assert copied(q, v).tau == pytest.approx(law(q, v).tau, abs=1e-9)


# --- closed loop ----------------------------------------------------------------------------


def minitaur():
    """Four legs of five bars: two motors on one axis, two lower bars that meet at the foot."""
    corners = {"fl": (0.2, 0.12), "fr": (0.2, -0.12), "hl": (-0.2, 0.12), "hr": (-0.2, -0.12)}
    parts, closures, angles = [link("body", 6.0, box(6.0, 0.5, 0.2, 0.1))], [], {}
    for name, (x, y) in corners.items():
        for side, sign in (("a", 1.0), ("b", -1.0)):
            parts += [
                bar(f"upper_{name}_{side}", "body", (x, y, 0), 0.12, 0.2),
                bar(f"lower_{name}_{side}", f"upper_{name}_{side}", (0, 0, -0.12), 0.2, 0.1),
            ]
            angles[f"upper_{name}_{side}_joint"] = 1.4 * sign
            angles[f"lower_{name}_{side}_joint"] = -2.03 * sign
        ends = [(f"lower_{name}_{side}", (0, 0, -0.2)) for side in "ab"]
        closures.append(pin_joint(f"foot_{name}", *ends[0], *ends[1]))
    feet = {n: {"frame": f"lower_{n}_a", "radius": 0.015, "offset": [0, 0, -0.2]} for n in corners}
    motors = [joint for joint in angles if joint.startswith("upper")]
    robot = loaded(parts, closures, "floating", motors, feet)
    q = robot.close(posed(robot, angles))
    q[2] = 0.015 - dynamics.frame_placement(robot, q, "lower_fl_a").act(np.array([0, 0, -0.2]))[2]
    return robot, q


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_a_biped_with_loops_stands(engine):
    """Its centre of mass goes where its controller wants it."""
    robot, q = biped()
    law = controller(robot, q, on_failure="hold")
    options = {"duration": 0.6, "step": 2e-3, "engine": engine}
    run = control.simulate(robot, law, q=q, **options)
    assert (run.ended, run.fell, set(run.statuses)) == ("", False, {"optimal"})
    assert run.com[-1] - run.com[0] == pytest.approx(ASIDE, abs=8e-3)
    assert max(np.abs(State(robot, x).closure_error).max() for x in run.q[::10]) < 1e-12
    pairs = zip(run.q[::10], run.v[::10], strict=True)
    drift = [State(robot, *x).closure_jacobian @ x[1] for x in pairs]
    assert np.abs(drift).max() < 1e-12


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_legs_of_five_bars_stand_by_two_laws(engine):
    robot, q = minitaur()
    whole, _ = control.stand(robot, q=q)
    for law in (whole, control.PD(robot, q, 30.0, 1.0)):
        run = control.simulate(robot, law, q=q, duration=0.2, step=2e-3, engine=engine)
        assert run.ended == ""
        assert np.abs(run.q[-1] - q).max() < 0.06
        assert abs(run.com[-1, 2] - run.com[0, 2]) < 6e-3


@pytest.mark.slow
def test_a_biped_with_loops_walks():
    robot, q = biped()
    standing, q = control.stand(robot, q=q)
    feet = standing.contacts
    steps = gaits.footsteps(feet, q, 2, length=0.06, settle=0.4)
    walker = control.WalkingController(robot, feet, q, steps)
    options = {"contacts": feet, "duration": walker.plan.duration, "step": 2e-3}
    run = control.simulate(robot, walker, q=q, **options)
    assert (run.ended, set(run.statuses)) == ("", {"optimal"})
    assert run.com[-1, 0] - run.com[0, 0] > 0.05


def test_stops_hold_joints_of_loops():
    """A joint that runs into the end of its range gets there within the step, and no further."""
    robot, q = minitaur()
    q = q + np.eye(robot.nq)[2]
    ground = Ground(robot, contacts.at_feet(robot, 0.7), Terrain([Plane("ground")]))
    knee = robot._model.joints[robot.joint_id("lower_fl_a_joint")]
    (k,) = np.flatnonzero((ground.stops.rows == knee.idx_v) & (ground.stops.signs > 0))
    ground.stops._ends[k] = q[knee.idx_q] - 1e-4
    v = dynamics.closed(robot, q, -5.0 * np.eye(robot.nv)[knee.idx_v])[1]
    assert v[knee.idx_v] * 1e-3 < -5e-4
    after = ground.step(q, v, np.zeros(robot.nv), 1e-3)
    assert after.v[knee.idx_v] * 1e-3 == pytest.approx(-1e-4, rel=1e-4)
    assert np.abs(after.stops).max() > 0
    state = State(robot, q, v)
    kept = state.closure_jacobian @ (after.v - v) + 1e-3 * state.closure_drift
    assert np.abs(kept).max() < 1e-12


def in_flight(how):
    """Robots with closures of each kind, high above the ground."""
    if how == "continuous":
        parts = [link("body", 5.0, box(5.0, 0.3, 0.3, 0.1))]
        parts += [bar("a", "body", (0, 0, 0), 0.2), bar("b", "a", (0, 0, -0.2), 0.3)]
        parts += [bar("c", "body", (0.2, 0, 0), 0.2), bar("d", "c", (0, 0, -0.2), 0.1)]
        parts[2:4] = [part.replace('"revolute"', '"continuous"') for part in parts[2:4]]
        end = pin_joint("end", "b", (0, 0, -0.3), "c", (0, 0, -0.2))
        feet = {"foot": {"frame": "d", "radius": 0.01}}
        robot = loaded(parts, [end], "floating", ("a_joint", "d_joint"), feet)
        return robot, robot.close(robot.set(a_joint=0.4, b_joint=-1.4, c_joint=2.5))
    if how in ("point", "hinge"):
        return biped(how)
    robot = fw.load("biped", passive=ARM)
    q = robot.posture()
    if how in ("weld", "coupling"):
        return robot.with_closures(held_by(how, robot, q)), q
    bent = {name: q[robot._model.joints[robot.joint_id(name)].idx_q] for name in ARM}
    law = ("follow", ARM[2], ARM[0], (0.1, 0.5, -0.3, 0.2), bent[ARM[2]] - 0.1, bent[ARM[0]])
    robot = robot.with_closures([JointCoupling(*law)])
    return robot, robot.close(q)


@pytest.mark.parametrize("how", ["point", "hinge", "weld", "coupling", "polynomial", "continuous"])
def test_both_engines_keep_closures_alike(how):
    robot, q = in_flight(how)
    q = q + np.eye(robot.nq)[2]
    tau, v = np.random.default_rng(1).standard_normal(robot.na), moving(robot, q, 0)
    ends = {}
    for engine in ("pinocchio", "mujoco"):
        options = {"q": q, "v": v, "duration": 0.05, "engine": engine}
        ends[engine] = control.simulate(robot, lambda t, q, v: tau, **options).q[-1]
    assert np.abs(ends["pinocchio"] - q).max() > 0.2
    assert ends["mujoco"] == pytest.approx(ends["pinocchio"], abs=2e-5)


def test_steps_of_the_ground_converge_to_the_motion_without_it():
    robot, q = biped("hinge")
    q = q + np.eye(robot.nq)[2]
    tau, v = np.zeros(robot.na), moving(robot, q, 0, 0.5)
    right = dynamics.simulate(robot, q, v, tau, duration=0.05, step=1e-3).q[-1]
    far = [
        control.simulate(robot, lambda t, q, v: tau, q=q, v=v, duration=0.05, step=h).q[-1] - right
        for h in (1e-3, 5e-4)
    ]
    assert np.abs(far[1]).max() < 0.55 * np.abs(far[0]).max() < 0.02


def test_a_loop_that_carries_a_foot_may_touch_the_ground():
    robot, q = minitaur()
    fall = Fall(robot, contacts.at_feet(robot), Terrain([Plane("ground")]), q)
    names = {robot._model.names[joint] for joint in fall.limbs}
    assert names == set(robot.joint_names)


def keeps_closed(state):
    assert np.abs(state.closure_error).max() < 1e-11
    assert np.abs(state.closure_jacobian @ state.v).max() < 1e-12


def test_what_controllers_are_told_has_closed_loops():
    robot, q = biped()
    noise, rng = control.Noise(positions=1e-2, velocities=0.1), np.random.default_rng(0)
    read, v = noise.measured(robot, q, np.zeros(robot.nv), rng)
    assert np.abs(read - q).max() > 5e-3
    keeps_closed(State(robot, read, v))


def test_simulations_refuse_loops_that_are_open_or_come_apart():
    robot, q = biped()
    law = control.PD(robot, q, 1.0)
    with pytest.raises(fw.ConfigurationError, match="is open by"):
        control.simulate(robot, law, q=q + 0.1 * np.eye(robot.nq)[-3], duration=0.01)
    with pytest.raises(fw.ConfigurationError, match="moves apart"):
        control.simulate(robot, law, q=q, v=np.eye(robot.nv)[-3], duration=0.01)


def test_mujoco_has_polynomials_of_four_degrees():
    free = minitaur()[0]
    names = free.joint_names[:2]
    robot = free.with_closures([JointCoupling("c", *names, (0.0, 1.0, 0, 0, 0, 1.0))])
    turning, _ = in_flight("continuous")
    assert turning.nq == turning.nv + 3
    mixed = turning.with_closures([JointCoupling("c", "b_joint", "c_joint")])
    with pytest.raises(fw.ModelError, match="coupling of continuous joints"):
        as_mjcf(mixed, contacts.at_feet(mixed), Terrain([Plane("ground")]))
    with pytest.raises(fw.ModelError, match="degree 5"):
        as_mjcf(robot, contacts.at_feet(robot), Terrain([Plane("ground")]))


# --- what knows trees alone -------------------------------------------------------------------


def still(robot):
    """A log of two samples."""
    joints, tau, imu = np.zeros((2, robot.nv - 6)), np.zeros((2, robot.na)), np.zeros((2, 3))
    return control.SensorLog(robot, [0.0, 0.1], joints, joints, tau, imu, imu)


TREES_ALONE = {
    "joint_wrenches": lambda robot, q, v: dynamics.joint_wrenches(robot, q, v, v),
    "matrix_form": lambda robot, q, v: dynamics.matrix_form(robot, q, v),
    "MomentumObserver": lambda robot, q, v: dynamics.MomentumObserver(robot),
    "contact_wrenches": lambda robot, q, v: control.contact_wrenches(still(robot)),
    "chain_of_robot": lambda robot, q, v: fw.biomechanics.chain_of_robot(robot),
    "trial_dynamics": lambda robot, q, v: trial_dynamics(robot, np.tile(q, (20, 1)), 100.0),
    "fit_markers": lambda robot, q, v: fw.biomechanics.fit_markers(robot, None, None),
}


@pytest.mark.parametrize("what", TREES_ALONE)
def test_what_knows_trees_alone_refuses_closures(what):
    robot, q = biped()
    with pytest.raises(fw.ModelError, match=rf"{what} does not know closures; 'linkage' has 2"):
        TREES_ALONE[what](robot, q, np.zeros(robot.nv))


def test_motions_between_samples_are_closed():
    robot, q = four_bar()
    run = dynamics.simulate(robot, q, moving(robot, q, 0), duration=0.2, step=0.05)
    keeps_closed(State(robot, *run.at(0.12)))


# --- from a file to a robot that stands -------------------------------------------------------


def five_bar_file():
    """The quadruped of five-bar legs as MJCF, without feet, postures or keyframes."""

    def capsule(name, at, length, mass, inside):
        return (
            f'<body name="{name}" pos="{at}"><joint name="{name}" axis="0 1 0" range="-3 3"/>'
            f'<geom type="capsule" fromto="0 0 0 0 0 {-length}" size="0.012" mass="{mass}"/>'
            f"{inside}</body>"
        )

    legs, loops, motors = "", "", ""
    ball = {"a": '<geom type="sphere" size="0.02" pos="0 0 -0.2" mass="0.02"/>', "b": ""}
    corners = {"fl": ".2 .12 0", "fr": ".2 -.12 0", "hl": "-.2 .12 0", "hr": "-.2 -.12 0"}
    for leg, at in corners.items():
        for side in "ab":
            lower = capsule(f"lower_{leg}_{side}", "0 0 -0.12", 0.2, 0.1, ball[side])
            legs += capsule(f"upper_{leg}_{side}", at, 0.12, 0.2, lower)
            motors += f'<motor joint="upper_{leg}_{side}" ctrlrange="-20 20" ctrllimited="true"/>'
        ends = f'body1="lower_{leg}_a" body2="lower_{leg}_b"'
        loops += f'<connect name="{leg}" {ends} anchor="0 0 -0.2"/>'
    return (
        '<mujoco model="five bars"><compiler angle="radian" autolimits="true"/><worldbody><body '
        'name="body"><freejoint/><geom type="box" size="0.25 0.1 0.05" mass="6"/>'
        f"{legs}</body></worldbody><equality>{loops}</equality><actuator>{motors}</actuator></mujoco>"
    )


def test_a_leg_of_five_bars_has_one_foot_and_the_robot_stands_on_it(tmp_path, capsys):
    path = tmp_path / "five_bars.xml"
    path.write_text(five_bar_file())
    robot = fw.load(path)
    assert sorted(robot.feet) == [f"lower_{leg}_a" for leg in ("fl", "fr", "hl", "hr")]
    assert not robot.standing.problem
    q = robot.posture()
    assert np.abs(State(robot, q).closure_error).max() < 1e-11
    with pytest.warns(fw.FootworkWarning, match="by their shapes"):
        feet = contacts.at_feet(robot, 0.7)
    assert contacts.static_hold(robot, q, feet).feasible
    assert cli.main(["simulate", str(path), "--duration", "0.1"]) == 0
    assert "is on its feet after 0.10 s" in capsys.readouterr().out


def test_a_robot_whose_loops_do_not_close_says_so():
    robot = fw.load(five_bar_file())
    assert len(robot.with_closures(()).feet) == 8 == 2 * len(robot.feet)
    far = robot.with_closures([LoopClosure("far", "upper_fl_a", "upper_fr_a")])
    assert "does not close" in far.standing.problem
