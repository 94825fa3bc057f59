"""The whole-body program: held to cvxpy, to constrained dynamics and to exact friction cones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import ConfigurationError, ContactError, contacts, control, dynamics
from footwork.contacts.point_forces import PointForces
from footwork.contacts.wrench_cones.wrench_cone import inner_faces
from footwork.control.dcm import DcmPlan, Phase
from footwork.control.program.contact_model import ContactModel
from footwork.control.references import between, between_postures, continued, swing
from footwork.control.tasks.dcm import DcmTask
from footwork.dynamics import State
from footwork.dynamics.kernels.toolchain import switched_off

ROBOTS = ("talos", "solo12", "go2", "biped")
BASE = {"talos": "base_link", "solo12": "base_link", "go2": "base", "biped": "pelvis"}
G = 9.81


def standing(robot, friction=0.6):
    """Contacts at the feet and a posture on them, centre of mass inside."""
    feet = contacts.at_feet(robot, friction)
    return feet, contacts.solve_posture(robot, feet, com="inside").q


def usual_tasks(robot, q, shift=(0.02, 0.01, -0.02)):
    """Centre of mass (moved a little), orientation of the base, posture."""
    base = control.trunk(robot)
    pose = dynamics.frame_placement(robot, q, base)
    return [
        control.ComTask(dynamics.com(robot, q) + shift, weight=10.0),
        control.FrameTask(pose, frame=base, rows_of="orientation", weight=5.0),
        control.PostureTask(q, weight=0.1, gain=50.0),
    ]


@pytest.fixture(scope="module")
def stand(load_robot):
    """Return make(name, **options) -> controller, q."""
    known = {}

    def make(name, **options):
        robot = load_robot(name, "floating")
        if name not in known:
            known[name] = standing(robot)
        feet, q = known[name]
        return control.WholeBodyController(robot, feet, usual_tasks(robot, q), **options), q.copy()

    return make


def moving(robot, seed, size=0.02):
    return size * np.random.default_rng(seed).standard_normal(robot.nv)


def agree(command, reference, robot):
    """Same accelerations, forces in units of the weight, torques in units of the largest."""
    a, w, tau = reference
    assert command.a == pytest.approx(a, abs=1e-6 * (1 + np.abs(a).max()))
    assert command.w == pytest.approx(w, abs=1e-6 * G * robot.mass)
    assert command.tau == pytest.approx(tau, abs=1e-6 * (1 + np.abs(tau).max()))


# --- the program -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_the_program_that_cvxpy_solves(stand, name, seed):
    controller, q = stand(name)
    robot, v = controller.robot, moving(controller.robot, seed)
    command = controller(q, v)
    assert command.status == "optimal"
    agree(command, control.by_cvxpy(controller, q, v), robot)


@pytest.mark.parametrize("sides", [3, 5, 8])
def test_any_number_of_sides_and_both_solvers(stand, sides):
    controller, q = stand("talos", sides=sides, solver="clarabel")
    v = moving(controller.robot, 3, 0.1)
    command = controller(q, v)
    agree(command, control.by_cvxpy(controller, q, v), controller.robot)
    other = stand("talos", sides=sides, solver="daqp")[0](q, v)
    assert other.solver == "daqp"
    assert other.tau == pytest.approx(command.tau, abs=1e-3)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_answer_checks_out(stand, name):
    """Residuals, exact cones, and the torques through constrained forward dynamics."""
    controller, q = stand(name)
    robot = controller.robot
    for seed in range(3):
        v = moving(robot, seed, 0.1)
        command = controller(q, v, t=float(seed))
        weight = G * robot.mass
        for kind, violation in command.residuals.items():
            assert violation < 1e-7 * weight, kind
        a, f = contacts.constrained_forward_dynamics(
            robot, q, v, command.tau, controller.contacts, kd=20.0
        )
        assert a == pytest.approx(command.a, abs=1e-7 * (1 + np.abs(a).max()))
        assert f == pytest.approx(command.f, abs=1e-6 * weight)


@pytest.mark.parametrize("name", ["talos", "solo12"])
def test_exact_cones_cost_no_more_than_inner_ones(stand, name):
    """The inner pyramid is part of the cone; where neither is touched they agree."""
    calm, q = stand(name)
    robot, v = calm.robot, np.zeros(calm.robot.nv)
    slippery = contacts.at_feet(robot, 0.1)
    controller = control.WholeBodyController(
        robot, slippery, usual_tasks(robot, q, (0.03, 0.02, 0.0))
    )
    command, P = controller(q, v), controller.program(q, v)
    assert any(name.startswith("friction") for name in command.active(1e-4))
    a, w, _ = control.by_cvxpy(controller, q, v, exact=True)
    assert P.cost(a, w) < P.cost(command.a, command.w) - 1e-3
    agree(calm(q, v), control.by_cvxpy(calm, q, v, exact=True), calm.robot)


def test_torque_limits_bind(stand):
    free, q = stand("talos", torque_limits=False)
    v = np.zeros(free.robot.nv)
    largest = np.abs(free(q, v).tau)
    limits = np.where(largest > 0.9 * largest.max(), 0.97 * largest, np.inf)
    controller, _ = stand("talos", torque_limits=limits)
    command = controller(q, v)
    assert command.status == "optimal"
    assert (np.abs(command.tau) <= limits + 1e-6).all()
    assert any(what.startswith("torque of") for what in command.active())
    agree(command, control.by_cvxpy(controller, q, v), controller.robot)


def test_without_contacts_the_robot_falls(stand):
    """No internal torque moves the centre of mass."""
    _, q = stand("talos")
    robot = stand("talos")[0].robot
    controller = control.WholeBodyController(robot, [], usual_tasks(robot, q))
    v = moving(robot, 0, 0.5)
    command = controller(q, v)
    assert command.status == "optimal"
    a_com = dynamics.com_jacobian(robot, q) @ command.a + dynamics.com_drift(robot, q, v)
    assert a_com == pytest.approx([0, 0, -G], abs=1e-8)
    agree(command, control.by_cvxpy(controller, q, v), robot)


@pytest.mark.parametrize("legs", [("lf_foot", "rh_foot"), ("lf_foot",)])
def test_fewer_feet_than_the_base_needs(stand, legs):
    """Two points cannot turn the base about their line: the equations lack rank."""
    four, q = stand("solo12")
    robot = four.robot
    feet = [c for c in four.contacts if c.name in legs]
    controller = control.WholeBodyController(robot, feet, usual_tasks(robot, q))
    command = controller(q, np.zeros(robot.nv))
    assert command.status == "optimal"
    assert max(command.residuals.values()) < 1e-6
    agree(command, control.by_cvxpy(controller, q, np.zeros(robot.nv)), robot)


def test_redundant_contacts(stand):
    """A patch and two of its corners: rows that follow from others."""
    controller, q = stand("talos")
    robot, sole = controller.robot, controller.contacts["l_foot"]
    corners = [
        contacts.PointContact(
            sole.frame, 0.6, offset=sole.placement.act(sole.centre + p), name=f"corner {i}"
        )
        for i, p in enumerate(sole.points[:2])
    ]
    many = control.WholeBodyController(
        robot, [*controller.contacts, *corners], usual_tasks(robot, q)
    )
    command = many(q, np.zeros(robot.nv))
    assert command.status == "optimal"
    assert command.residuals["contacts"] < 1e-8
    assert command.a == pytest.approx(controller(q, np.zeros(robot.nv)).a, abs=2e-2)


def test_a_fixed_base_and_other_contacts(load_robot):
    """An arm that pushes a wall with its tip, and a line contact on a block."""
    limb = load_robot("limb", "fixed")
    q = limb.posture()
    controller = control.WholeBodyController(
        limb, [], [control.PostureTask(q + 0.1, gain=25.0, damping=0.0)]
    )
    command = controller(q, np.zeros(limb.nv))
    assert command.a == pytest.approx(2.5, abs=1e-4)
    expected = dynamics.inverse_dynamics(limb, q, np.zeros(limb.nv), command.a)
    assert command.tau == pytest.approx(expected)
    biped = load_robot("biped", "floating")
    feet, q = standing(biped)
    edges = [
        contacts.LineContact(
            c.frame, half_length=0.05, friction=0.6, name=c.name,
            placement=c.placement * pin.SE3(np.eye(3), c.centre),
        )
        for c in feet
    ]  # fmt: skip
    controller = control.WholeBodyController(biped, edges, usual_tasks(biped, q))
    v = moving(biped, 5)
    command = controller(q, v)
    assert command.solved
    assert command.residuals["exact cones"] < 1e-5
    agree(command, control.by_cvxpy(controller, q, v), biped)


def every_task(robot, q):
    """Of each kind that the compiled pass knows, at rest and on the way, in odd rows and axes."""
    frame, base = robot.frame_names[-1], control.trunk(robot)
    here, pose = (dynamics.frame_placement(robot, q, f) for f in (frame, base))
    far = here * pin.SE3(pin.exp3(np.array([0.4, -0.2, 2.9])), np.array([0.1, 0.2, 0.0]))
    step = Phase(0.4, np.zeros(3), np.array([0.1, 0.2, 0.05]))
    return [
        control.ComTask(between(dynamics.com(robot, q), np.ones(3), 2.0), axes=("z", "x")),
        control.FrameTask(pose, frame=base, rows_of=("rz", "x"), axes="frame", damping=3.0),
        control.FrameTask(swing(here, far, 1.0, height=0.1), frame=frame, weight=np.arange(6.0)),
        control.FrameTask(far, frame=frame, name="far"),
        control.FrameTask(far, frame=frame, name="point", point=[0.1, -0.2, 0.05], axes="frame"),
        control.MomentumTask(np.arange(6.0), rows_of="both"),
        DcmTask(DcmPlan([step, step], 0.7), feedback=3.0, gain=49.0, begin=0.1, name="dcm"),
        control.PostureTask(q, weight=0.1),
        control.PostureTask(between_postures(robot, q, robot.neutral(), 3.0), name="second"),
    ]


@pytest.mark.parametrize("name", [*ROBOTS, "anymal"])
def test_the_compiled_rows_are_those_of_numpy(load_robot, random_state, name):
    """Every array of the program, what tasks ask and lack: two methods from the same state."""
    pytest.importorskip("numba")
    robot = load_robot(name, "floating")
    assert_compiled_as_in_numpy(robot, contacts.at_feet(robot, 0.6), random_state)


def test_the_compiled_rows_of_joints_of_several_axes_are_those_of_numpy(random_state):
    """Balls, as of the rods of Cassie, joints that slide to all sides, and both, in branches."""
    pytest.importorskip("numba")
    rng, model = np.random.default_rng(5), pin.Model()
    several = pin.JointModelSpherical(), pin.JointModelPlanar(), pin.JointModelTranslation()
    kinds = pin.JointModelFreeFlyer(), *several, pin.JointModelRX(), *several
    for i, kind in enumerate(kinds):
        placement = pin.SE3(pin.exp3(rng.standard_normal(3)), 0.4 * rng.standard_normal(3))
        joint = model.addJoint(1 if i == 5 else i, kind, placement, f"joint_{i}")
        model.appendBodyToJoint(joint, pin.Inertia.Random(), pin.SE3.Identity())
        model.addBodyFrame(f"link_{i}", joint, placement.inverse(), 0)
    model.upperEffortLimit = np.full(model.nv, 10.0)
    robot = fw.Robot("several", model, tuple(model.names)[2:], shapes=None)
    feet = [
        contacts.PointContact("link_4", friction=0.6),
        contacts.SurfaceContact("link_7", half_length=0.1, half_width=0.05, friction=0.6),
    ]
    assert_compiled_as_in_numpy(robot, contacts.ContactSet(robot, feet), random_state)


def assert_compiled_as_in_numpy(robot, feet, random_state):
    tasks = every_task(robot, robot.posture())
    fast = control.WholeBodyController(robot, feet, tasks)
    slow = control.WholeBodyController(robot, feet, tasks)
    assert fast._formulation.compiled_rows is not None
    for seed in range(3):
        q, v, _ = random_state(robot, seed)
        assert fast._formulation.update(State(robot, q, v), 0.3, {})
        with switched_off():
            assert slow._formulation.update(State(robot, q, v), 0.3, {})
        snapshots = [controller._formulation.snapshot() for controller in (fast, slow)]
        for field, value in vars(snapshots[1].program).items():
            size = 1e-12 * (1.0 + np.abs(value).max(initial=0.0, where=np.isfinite(value)))
            assert getattr(snapshots[0].program, field) == pytest.approx(value, rel=0, abs=size), (
                field
            )
        one, other = (snapshot.errors() for snapshot in snapshots)
        assert list(one) == list(other)
        for task, error in other.items():
            assert one[task] == pytest.approx(error, rel=0, abs=1e-10)


@pytest.mark.parametrize("name", ROBOTS)
def test_the_compiled_minimum_is_the_solvers(stand, name):
    """From any bounds to begin with, dependent ones too, at bounds of torques, friction, joints."""
    pytest.importorskip("numba")
    from footwork.control.program.reduction import minimum, reduced_program
    from footwork.control.program.solvers import Clarabel

    controller, q = stand(name)
    robot, rng, bounded = controller.robot, np.random.default_rng(3), 0
    limits = np.full(robot.na, 0.97 * np.abs(controller(q, np.zeros(robot.nv)).tau).max())
    limited = stand(name, torque_limits=limits)[0]
    formulation = limited._formulation
    for seed in range(8):
        P = limited.program(q, moving(robot, seed, 0.02 * (1 + seed)))
        small = reduced_program(P, formulation, accelerations=True)
        answer = Clarabel()(small.H, small.g, small.C, small.low, small.high)
        for share in (0.0, 0.02, 0.6):
            formulation.working_set[:] = rng.integers(-1, 2, len(formulation.working_set))
            formulation.working_set[rng.random(len(formulation.working_set)) >= share] = 0
            found = minimum(P, formulation)
            for one, other in zip(found.point, small.point(answer.y), strict=True):
                assert one == pytest.approx(other, abs=1e-5 * (1 + np.abs(other).max()))
            bounded += formulation.working_set.any()
    assert bounded >= 4


@pytest.mark.parametrize("name", ["talos", "go2"])
def test_the_compiled_minimum_proves_that_there_is_none(stand, name):
    """Where joints must not yield and their torques do not carry the weight, and only there."""
    pytest.importorskip("numba")
    from footwork.control.program.reduction import minimum, reduced_program
    from footwork.control.program.solvers import Clarabel

    controller, q = stand(name)
    robot = controller.robot
    most, found = np.abs(controller(q, np.zeros(robot.nv)).tau).max(), []
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        limited = stand(name, torque_limits=np.full(robot.na, share * most))[0]
        P, of = limited.program(q, moving(robot, 1, 0.02)), limited._formulation
        P.slowest, P.fastest = np.full(robot.na, -1.0), np.ones(robot.na)
        small = reduced_program(P, of, accelerations=True)
        answer = Clarabel()(small.H, small.g, small.C, small.low, small.high)
        fast = minimum(P, of)
        found.append(fast is not None and fast.status == "infeasible")
        assert found[-1] == (answer.status == "infeasible")
    assert found[0]
    assert not found[-1]


@pytest.mark.parametrize("name", ["go2", "anymal"])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_compiled_minimum_does_without_full_rank(stand, name, count):
    """Forces on two points have no moment about the line between them, on one none at all."""
    pytest.importorskip("numba")
    from footwork.control.program.reduction import minimum, reduced_program
    from footwork.control.program.solvers import Clarabel

    four, q = stand(name)
    robot = four.robot
    feet = [list(four.contacts)[i] for i in (0, 3)[:count]]
    controller = control.WholeBodyController(robot, feet, usual_tasks(robot, q))
    for seed in range(3):
        P = controller.program(q, moving(robot, seed, 0.05))
        found = minimum(P, controller._formulation).point
        small = reduced_program(P, controller._formulation, accelerations=True)
        answer = Clarabel()(small.H, small.g, small.C, small.low, small.high)
        cost = P.cost(*small.point(answer.y)[:2])
        assert P.cost(*found[:2]) == pytest.approx(cost, rel=1e-7, abs=1e-9)
        assert max(P.violations(*found[:2]).values()) < 1e-8
    agree(controller(q, P.d * 0), control.by_cvxpy(controller, q, P.d * 0), robot)


def test_an_uncompiled_controller_does_the_same(stand):
    fast, q = stand("talos")
    with switched_off():
        slow, _ = stand("talos")
    for seed in range(2):
        v = moving(fast.robot, seed, 0.1)
        with switched_off():
            uncompiled = slow(q, v, t=float(seed))
        commands = fast(q, v, t=float(seed)), uncompiled
        agree(commands[1], (commands[0].a, commands[0].w, commands[0].tau), fast.robot)


# --- its parts -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["talos", "go2", "solo12"])
def test_a_contact_model_is_its_contact_in_contact_axes(load_robot, random_state, name):
    robot = load_robot(name, "floating")
    q, v, _ = random_state(robot, 4)
    for contact in contacts.at_feet(robot, 0.5):
        model = ContactModel(robot, contact, 4)
        state = State(robot, q, v)
        J, k = model.constraint(state, damping=3.0)
        R = model.rotation(state)
        assert pytest.approx(contact.jacobian(robot, q), abs=1e-12) == R @ J
        drift = R @ (-k - 3.0 * J @ v)
        assert drift == pytest.approx(contact.drift(robot, q, v), abs=1e-10)


@pytest.mark.parametrize("sides", [3, 4, 7])
def test_faces_accept_only_what_friction_gives(load_robot, sides):
    """Every wrench of the inner cone, pushed onto its surface, is in Coulomb's."""
    rng = np.random.default_rng(0)
    robot = load_robot("talos", "floating")
    point = contacts.PointContact(robot.feet["l_foot"].frame, 0.7)
    for contact in (contacts.at_feet(robot, 0.7)["l_foot"], point):
        F = inner_faces(contact, sides)
        cone = contacts.WrenchCone(contact)
        for _ in range(10):
            w = np.zeros(contact.dim)
            w[2] = 1.0
            step = rng.standard_normal(contact.dim) * ([1] * 3 + [0.1] * (contact.dim - 3))
            slopes, room = F @ step, -F @ w
            w = w + step * (room[slopes > 0] / slopes[slopes > 0]).min()
            full = np.concatenate([w, np.zeros(6 - len(w))])
            assert cone.violation(full) < 1e-7


@pytest.mark.parametrize("sides", [4, 8])
def test_faces_of_a_sole_go_with_its_friction(load_robot, sides):
    """With any friction those of the hull of the rays at its corners; G1's are no rectangles."""
    feet = contacts.at_feet(load_robot("g1", "floating"), 0.7)
    for sole, friction in zip(feet, (0.7, 0.24), strict=True):
        sole = replace(sole, friction=friction)
        found = [inner_faces(sole, sides), PointForces.of_contact(sole).faces("inner", sides)]
        rows = [F[np.lexsort(np.round(F, 9).T)] for F in found]
        np.testing.assert_allclose(*rows, atol=1e-12)


@pytest.mark.parametrize("share", [0.6, 1.0])
def test_forces_act_on_a_share_of_a_sole(load_robot, share):
    """As on a sole that is so much smaller; points stay points."""
    rng = np.random.default_rng(1)
    robot = load_robot("talos", "floating")
    frame = robot.feet["l_foot"].frame
    whole = contacts.SurfaceContact(frame, half_length=0.1, half_width=0.05, friction=0.7)
    small = contacts.SurfaceContact(
        frame, half_length=share * 0.1, half_width=share * 0.05, friction=0.7
    )
    F, wanted = ContactModel(robot, whole, 4, share).faces, ContactModel(robot, small, 4).faces
    w = rng.standard_normal((2000, 6)) * [0.3, 0.3, 1, 0.05, 0.1, 0.05] + [0, 0, 1, 0, 0, 0]
    held = (w @ wanted.T <= 0).all(axis=1)
    assert 100 < held.sum() < 1900
    assert np.array_equal((w @ F.T <= 0).all(axis=1), held)
    point = contacts.PointContact(frame, 0.7)
    faces = [ContactModel(robot, point, 4, s).faces for s in (share, 1.0)]
    assert np.array_equal(*faces)


def second_derivative(x, h=1e-4):
    """By central differences of x(t)."""
    return (x(h) - 2 * x(0.0) + x(-h)) / h**2


@pytest.mark.parametrize("name", ["talos", "go2"])
def test_rows_are_second_derivatives(load_robot, random_state, name):
    """A a − r = ẍ − (what is asked): along a motion with (v, a), by finite differences."""
    robot = load_robot(name, "floating")
    q, v, a = random_state(robot, 7)
    state = State(robot, q, v)
    frame = robot.frame_names[-1]
    here = dynamics.frame_placement(robot, q, frame)

    def at(t):  # ⊕ of a base twist: v(t) = v + a t to second order
        return robot.integrate(robot.integrate(q, t * v), 0.5 * t * t * a)

    def turn(t):
        R = dynamics.frame_placement(robot, at(t), frame).rotation
        return pin.log3(R @ here.rotation.T)

    none = {"gain": 0.0, "damping": 0.0}
    com = control.ComTask(np.zeros(3), **none)
    pose = control.FrameTask(here, frame=frame, **none)
    for task in (com, pose):
        task.bind(robot)
    rows = com.rows(state, 0.0)
    expected = second_derivative(lambda t: dynamics.com(robot, at(t)))
    assert rows.A @ a - rows.r == pytest.approx(expected, abs=1e-5)
    rows = pose.rows(state, 0.0)
    linear = second_derivative(lambda t: dynamics.frame_placement(robot, at(t), frame).translation)
    assert (rows.A @ a - rows.r)[:3] == pytest.approx(linear, abs=2e-4)
    assert (rows.A @ a - rows.r)[3:] == pytest.approx(second_derivative(turn), abs=2e-4)


@pytest.mark.parametrize("rows_of", ["angular", "linear", "both"])
def test_momentum_is_reached_at_the_rate_asked(stand, rows_of):
    controller, q = stand("talos")
    robot = controller.robot
    wanted = np.array([1.0, 2.0, 0.5, 0.3, -0.2, 0.1])
    task = control.MomentumTask(wanted, rows_of=rows_of, gain=5.0, weight=1e3)
    controller.set_tasks([task, control.PostureTask(q, weight=1e-6)])
    v = moving(robot, 1)
    command = controller(q, v)
    A, drift = dynamics.centroidal_map(robot, q), dynamics.centroidal_drift(robot, q, v)
    own = {"angular": slice(3, 6), "linear": slice(0, 3), "both": slice(0, 6)}[rows_of]
    rate, asked = (A @ command.a + drift)[own], 5.0 * (wanted - A @ v)[own]
    assert rate == pytest.approx(asked, abs=1e-3)


def test_frame_rows_and_axes(stand):
    controller, q = stand("talos")
    robot, frame = controller.robot, "torso_2_link"
    T = dynamics.frame_placement(robot, q, frame)
    state = State(robot, q, np.zeros(robot.nv))
    moved = T * pin.SE3(np.eye(3), np.array([0.1, 0, 0]))  # along the frame's own x
    world = control.FrameTask(moved, frame=frame, rows_of=("x", "rz"))
    own = control.FrameTask(moved, frame=frame, rows_of=("x", "rz"), axes="frame")
    assert (world.bind(robot), own.bind(robot)) == (2, 2)
    assert own.rows(state, 0.0).error == pytest.approx([0.1, 0.0], abs=1e-12)
    assert world.rows(state, 0.0).error == pytest.approx([0.1 * T.rotation[0, 0], 0.0], abs=1e-12)


def test_a_point_of_a_frame_moves_as_differences_say(load_robot, random_state):
    """J v and J̇v of its pose by central differences of where it is."""
    robot, h = load_robot("anymal", "floating"), 1e-5
    task = control.FrameTask(
        pin.SE3.Identity(), frame=robot.frame_names[-1], point=[0.1, -0.2, 0.05]
    )
    task.bind(robot)
    q, v, _ = random_state(robot, 3)

    def pose(s):
        return dynamics.frame_placement(robot, robot.integrate(q, s * v), task.frame) * task.local

    before, here, after = (pose(s) for s in (-h, 0.0, h))
    state = State(robot, q, v)
    rate = (after.translation - before.translation) / (2 * h)
    turn = pin.log3(after.rotation @ before.rotation.T) / (2 * h)
    bend = (after.translation - 2 * here.translation + before.translation) / h**2
    assert task.jacobian(state) @ v == pytest.approx(np.append(rate, turn), abs=1e-6)
    assert task.drift(state)[:3] == pytest.approx(bend, abs=1e-4)
    assert task.error(state, 0.0)[:3] == pytest.approx(-here.translation)


# --- forces ----------------------------------------------------------------------------------


def test_forces_are_as_asked(stand):
    controller, q = stand("talos")
    robot, tasks = controller.robot, controller.tasks
    v = np.zeros(robot.nv)
    force = control.ForceTask([0.0, 0.0, 0.7 * G * robot.mass], contact="l_foot", weight=1e-3)
    controller.set_tasks([*tasks, force])
    command = controller(q, v)
    assert command.w[2] == pytest.approx(0.7 * G * robot.mass, rel=0.1)
    agree(command, control.by_cvxpy(controller, q, v), robot)
    cop = control.CopTask([0.03, -0.02], contact="r_foot", weight=1.0)
    controller.set_tasks([*tasks, cop])
    w = controller(q, v).w[6:]
    assert [-w[4] / w[2], w[3] / w[2]] == pytest.approx([0.03, -0.02], abs=1e-3)


def test_the_zero_moment_point_is_where_asked(stand):
    controller, q = stand("talos", torque_limits=False)
    robot = controller.robot
    p = dynamics.com(robot, q) * [1, 1, 0] + [0.02, 0.01, 0.0]
    controller.set_tasks([control.ZmpTask(p, weight=1e2), control.PostureTask(q, weight=1e-3)])
    command = controller(q, np.zeros(robot.nv))
    total = sum((w.at(p).moment for w in command.wrenches.values()), np.zeros(3))
    force = sum((w.force for w in command.wrenches.values()), np.zeros(3))
    assert np.abs(total[:2]).max() / force[2] < 1e-4  # [m]


def test_bounds_of_normal_forces_and_friction_zero(stand):
    controller, q = stand("solo12")
    robot = controller.robot
    slippery = control.WholeBodyController(
        robot, contacts.at_feet(robot, 0.0), usual_tasks(robot, q)
    )
    command = slippery(q, np.zeros(robot.nv))
    tangents = command.w.reshape(-1, 3)[:, :2]
    assert np.abs(tangents).max() < 1e-6
    assert command.residuals["exact cones"] < 1e-6


def test_two_walls_that_are_not_coplanar(load_robot):
    """Balance on two slopes that face each other: momentum tasks, exact cones."""
    robot = load_robot("biped", "floating")
    feet, q = standing(robot)
    tilted = []
    for contact, angle in zip(feet, (0.35, -0.35), strict=True):
        turn = pin.SE3(pin.exp3(np.array([angle, 0.0, 0.0])), np.zeros(3))
        tilted.append(
            contacts.SurfaceContact(
                contact.frame, vertices=contact.corners, friction=0.7, name=contact.name,
                placement=contact.placement * turn,
            )
        )  # fmt: skip
    tasks = [
        control.MomentumTask(np.zeros(6), rows_of="both", weight=1.0),
        control.PostureTask(q, weight=0.01),
    ]
    controller = control.WholeBodyController(robot, tilted, tasks)
    command = controller(q, np.zeros(robot.nv))
    assert command.status == "optimal"
    total = sum((w.force for w in command.wrenches.values()), np.zeros(3))
    assert total == pytest.approx([0, 0, G * robot.mass], abs=0.01 * G * robot.mass)
    assert command.residuals["exact cones"] < 1e-6
    hold = contacts.contact_forces(robot, q, np.zeros(robot.nv), command.a, tilted)
    assert hold.margin > -1e-6


# --- references ------------------------------------------------------------------------------


def test_references_are_their_own_derivatives(load_robot):
    robot = load_robot("talos", "floating")
    q0, q1 = robot.posture(), robot.random_configuration(3)
    pose = dynamics.frame_placement(robot, q0, robot.frame_names[-1])
    goal = pose * pin.SE3(pin.exp3(np.array([0.3, -0.2, 0.5])), np.array([0.2, 0.1, 0.0]))
    h = 1e-5
    for t in (0.13, 0.5, 0.77):
        ref = between([0.0, 1.0], [1.0, -1.0], 0.8, begin=0.1)
        (x0, v0, _), (_, v, a), (x1, v1, _) = ref(t - h), ref(t), ref(t + h)
        assert v == pytest.approx((x1 - x0) / (2 * h), abs=1e-7)
        assert a == pytest.approx((v1 - v0) / (2 * h), abs=1e-6)
        ref = between_postures(robot, q0, q1, 0.8, begin=0.1)
        (y0, _, _), (_, v, _), (y1, _, _) = ref(t - h), ref(t), ref(t + h)
        assert v == pytest.approx(robot.difference(y0, y1) / (2 * h), abs=1e-6)
        ref = swing(pose, goal, 0.8, begin=0.1, height=0.05)
        (T0, w0, _), (_, w, a), (T1, w1, _) = ref(t - h), ref(t), ref(t + h)
        assert w[:3] == pytest.approx((T1.translation - T0.translation) / (2 * h), abs=1e-6)
        assert w[3:] == pytest.approx(pin.log3(T1.rotation @ T0.rotation.T) / (2 * h), abs=1e-6)
        assert a == pytest.approx((w1 - w0) / (2 * h), abs=1e-5)
    for ref in (between([0.0], [1.0], 2.0), swing(pose, goal, 2.0, height=0.1)):
        for end in (0.0, 2.0):
            _, v, a = ref(end)
            assert np.abs(v).max() < 1e-12
            assert np.abs(a).max() < 1e-12
    assert swing(pose, goal, 2.0, height=0.1)(2.0).value.isApprox(goal, 1e-9)


def test_a_swing_goes_on_from_where_it_is():
    """With its value, velocity and acceleration; along the ground with the least jerk."""
    start, goal = pin.SE3.Identity(), pin.SE3(np.eye(3), np.array([0.3, 0.1, 0.02]))
    old, t, end, h = swing(start, goal, 0.4, height=0.05), 0.1, 0.3, 1e-5
    same = continued(old, old, t, 0.4)
    for time in (0.1, 0.25, 0.35, 0.4, 0.5):
        assert same(time).value.isApprox(old(time).value, 1e-12)
    there = pin.SE3(np.eye(3), np.array([0.4, -0.1, 0.0]))
    new = continued(old, swing(start, there, end, height=0.05), t, end)
    for was, goes_on in zip(old(t)[1:], new(t)[1:], strict=True):
        assert goes_on == pytest.approx(was)
    for time in (0.15, 0.25):
        before, now, after = (new(time + k * h) for k in (-1, 0, 1))
        rate = (after.value.translation - before.value.translation) / (2 * h)
        assert now.velocity[:3] == pytest.approx(rate, abs=1e-6)
        rate = (after.velocity - before.velocity) / (2 * h)
        assert now.acceleration == pytest.approx(rate, abs=1e-4)
    assert new(end).value.isApprox(there)
    assert np.abs(np.concatenate(new(end)[1:])).max() < 1e-9
    # six conditions make the polynomial of the fifth degree, of least jerk
    rows = [[i == j for j in range(6)] for i in range(2)] + [[0, 0, 2, 0, 0, 0]]
    T = end - t
    rows += [[T**j for j in range(6)], [j * T ** max(j - 1, 0) for j in range(6)]]
    rows += [[j * (j - 1) * T ** max(j - 2, 0) for j in range(6)]]
    x, v, a = old(t).value.translation[0], old(t).velocity[0], old(t).acceleration[0]
    c = np.linalg.solve(np.array(rows, dtype=float), [x, v, a, 0.4, 0, 0])
    for time in (0.12, 0.2, 0.29):
        assert new(time).value.translation[0] == pytest.approx(c @ (time - t) ** np.arange(6))


# --- what does not fit -----------------------------------------------------------------------


def test_bad_arguments_are_refused(stand):
    controller, q = stand("talos")
    robot, feet = controller.robot, controller.contacts
    posture = control.PostureTask(q)

    def refused(*tasks, match, **options):
        with pytest.raises((ConfigurationError, ContactError), match=match):
            control.WholeBodyController(robot, feet, list(tasks), **options)

    refused(posture, control.PostureTask(q), match="twice")
    refused(control.FrameTask(pin.SE3.Identity(), frame="torso_3"), match="torso_2")
    refused(control.FrameTask(np.eye(4), frame="torso_2_link"), match="SE3")
    refused(
        control.FrameTask(pin.SE3.Identity(), frame="torso_2_link", rows_of="w"), match="no row"
    )
    refused(control.ComTask([0.0, np.nan, 0.0]), match="finite")
    refused(control.PostureTask(q, joints=["leg_left_9"]), match="leg_left_")
    refused(posture, match="sides", sides=2)
    refused(posture, match="on_failure", on_failure="panic")
    refused(posture, match="solver", solver="qpoases")
    refused(posture, match="regularisation", regularisation=-1.0)
    for bad in ({"gain": -1.0}, {"weight": np.nan}, {"damping": -1.0}, {"level": 0.5}):
        with pytest.raises(ConfigurationError):
            control.ComTask(np.zeros(3), **bad)
    with pytest.raises(ConfigurationError, match="did you mean 'posture'"):
        controller.task("postur")
    with pytest.raises(ContactError, match="l_foot"):
        controller.remove_contact("l_fot")
    with pytest.raises(ConfigurationError):
        fw.control.references.between([0.0], [1.0], 0.0)
