"""Robots with closures on contacts, by reduced coordinates, other engines and virtual work."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import ConfigurationError, ModelError, Wrench, contacts, dynamics, robots
from footwork.contacts.falling import falling_path
from footwork.contacts.motion import constrained, operational_space
from footwork.robots import JointCoupling, LoopClosure

FIVE_BAR = """
<body name="{n}_front" pos="{x} {y} 0"><joint name="{n}_front" axis="0 1 0"/>
 <geom type="capsule" size=".015" fromto="0 0 0 -.06 0 -.15"/>
 <body name="{n}_foot" pos="-.06 0 -.15"><joint name="{n}_knee" axis="0 1 0"/>
  <geom type="capsule" size=".01" fromto="0 0 0 .06 0 -.2"/></body></body>
<body name="{n}_back" pos="{x} {y} 0"><joint name="{n}_back" axis="0 1 0"/>
 <geom type="capsule" size=".015" fromto="0 0 0 .06 0 -.15"/>
 <body name="{n}_rod" pos=".06 0 -.15"><joint name="{n}_rod" axis="0 1 0"/>
  <geom type="capsule" size=".01" fromto="0 0 0 -.06 0 -.2"/></body></body>
"""
FIVE_BARS = {"lf": (0.25, 0.15), "rf": (0.25, -0.15), "lh": (-0.25, 0.15), "rh": (-0.25, -0.15)}

# a leg with an ankle that two cranks on the shin turn by rods
LEG = """
<body name="{s}_hip" pos="0 {y} -.05"><joint name="{s}_hip_roll" axis="1 0 0"/>
 <geom type="sphere" size=".03"/>
 <body name="{s}_thigh"><joint name="{s}_hip_pitch" axis="0 1 0"/>
  <geom type="capsule" size=".04" fromto="0 0 0 0 0 -.3"/>
  <body name="{s}_shin" pos="0 0 -.3"><joint name="{s}_knee" axis="0 1 0"/>
   <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3"/>{rods}
   <body name="{s}_cross" pos="0 0 -.3"><joint name="{s}_ankle_pitch" axis="0 1 0"/>
    <geom type="sphere" size=".02"/>
    <body name="{s}_sole"><joint name="{s}_ankle_roll" axis="1 0 0"/>
     <geom type="box" size=".1 .05 .02" pos=".02 0 -.02"/></body></body></body></body></body>
"""
ROD = """
<body name="{s}_crank{i}" pos="0 {y} -.06"><joint name="{s}_crank{i}" axis="0 1 0"/>
 <geom type="capsule" size=".01" fromto="0 0 0 -.05 0 0"/>
 <body name="{s}_joint{i}" pos="-.05 0 0"><joint name="{s}_across{i}" axis="1 0 0"/>
  <geom type="sphere" size=".01"/>
  <body name="{s}_rod{i}"><joint name="{s}_along{i}" axis="0 1 0"/>
   <geom type="capsule" size=".006" fromto="0 0 0 0 0 -.22"/></body></body></body>
"""


def at(*p):
    return pin.SE3(np.eye(3), np.array(p, float))


def xml(name, trunk, bodies, motors):
    tags = "".join(f'<motor joint="{j}" ctrlrange="-40 40" ctrllimited="true"/>' for j in motors)
    return (
        f'<mujoco model="{name}"><worldbody><body name="trunk"><freejoint name="base"/>'
        f'<geom type="box" size="{trunk}" density="600"/>{bodies}</body></worldbody>'
        f"<actuator>{tags}</actuator></mujoco>"
    )


def of_bodies(*parts):
    return robots.load(xml(*parts))


def five_bar_parts():
    bodies = "".join(FIVE_BAR.format(n=n, x=x, y=y) for n, (x, y) in FIVE_BARS.items())
    motors = [f"{n}_{part}" for n in FIVE_BARS for part in ("front", "back")]
    return "five_bars", ".3 .12 .04", bodies, motors


@cache
def five_bars():
    """Four planar five-bar legs, motors at the upper links; 4 rows of 12 follow from the others."""
    ends = at(0.06, 0, -0.2), at(-0.06, 0, -0.2)
    return of_bodies(*five_bar_parts()).with_closures(
        LoopClosure(n, f"{n}_foot", f"{n}_rod", "point", *ends) for n in FIVE_BARS
    )


@cache
def mixed():
    """The same with hinges, whose forces have moments, and two joints coupled by a parabola."""
    turn = pin.utils.rotate("x", -np.pi / 2)  # z along the joints' axes
    ends = pin.SE3(turn, np.array([0.06, 0, -0.2])), pin.SE3(turn, np.array([-0.06, 0, -0.2]))
    loops = [LoopClosure(n, f"{n}_foot", f"{n}_rod", "hinge", *ends) for n in FIVE_BARS]
    bent = JointCoupling("bent", "lh_front", "rh_front", (0.0, 1.0, 0.7))
    return five_bars().with_closures([*loops, bent])


def on_five_bars(friction=0.6):
    return [contacts.PointContact(f"{n}_foot", friction, offset=(0.06, 0, -0.2)) for n in FIVE_BARS]


@cache
def ankles():
    """A biped whose ankles are turned by two cranks each."""
    bodies = ""
    for s, y in (("left", 0.1), ("right", -0.1)):
        rods = "".join(ROD.format(s=s, i=i, y=y) for i, y in ((1, 0.04), (2, -0.04)))
        bodies += LEG.format(s=s, y=y, rods=rods)
    parts = ("hip_roll", "hip_pitch", "knee", "crank1", "crank2")
    motors = [f"{s}_{part}" for s in ("left", "right") for part in parts]
    end = at(0, 0, -0.24)
    return of_bodies("ankles", ".08 .12 .2", bodies, motors).with_closures(
        LoopClosure(f"{s}{i}", f"{s}_rod{i}", f"{s}_sole", "point", end, at(-0.05, y, 0))
        for s in ("left", "right")
        for i, y in ((1, 0.04), (2, -0.04))
    )


def on_soles(friction=0.6):
    sole = {"half_length": 0.1, "half_width": 0.05, "placement": at(0.02, 0, -0.04)}
    soles = "left_sole", "right_sole"
    return [contacts.SurfaceContact(s, friction=friction, **sole) for s in soles]


@cache
def hands():
    """A humanoid with its forearms welded together: a loop of motors alone."""
    robot = robots.load("biped")
    state = dynamics.State(robot, robot.posture())
    left, right = (state.frame_placement(f"{s}_forearm") for s in ("left", "right"))
    weld = LoopClosure("grip", "left_forearm", "right_forearm", "weld", left.actInv(right))
    return robot.with_closures([weld])


def on_feet(friction=0.7):
    return list(contacts.at_feet(hands(), friction))


CASES = {
    "five_bars": (five_bars, on_five_bars),
    "mixed": (mixed, on_five_bars),
    "ankles": (ankles, on_soles),
    "hands": (hands, on_feet),
}
every = pytest.mark.parametrize("name", CASES)


def case(name):
    robot, on = CASES[name]
    return robot(), contacts.ContactSet(robot(), on())


def closed_state(robot, contact_set, seed, keep=True, far=0.1):
    """A closed state off the posture, moving; with `keep` so that its contacts stay."""
    rng = np.random.default_rng(seed)
    q = robot.close(robot.integrate(robot.posture(), far * rng.standard_normal(robot.nv)))
    at_q, v = dynamics.State(robot, q), rng.standard_normal(robot.nv)
    J = np.vstack([at_q.closure_jacobian, contact_set.jacobian(at_q)[: None if keep else 0]])
    return q, v - np.linalg.pinv(J, rcond=1e-10) @ (J @ v), 10 * rng.standard_normal(robot.na)


# --- constrained motion ---------------------------------------------------------------------------


def equations(robot, contact_set, q, v, tau):
    """Solve M a − Jᵀf − J_cᵀλ = Sᵀτ − b, J a = −J̇v, J_c a = −J̇_c v as they stand."""
    state = dynamics.State(robot, q, v)
    J = np.vstack([contact_set.jacobian(state), state.closure_jacobian])
    drift = np.append(contact_set.drift(state), state.closure_drift)
    forces = tau @ robot.selection_matrix - state.bias
    K = np.block([[state.mass_matrix, -J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(K, np.append(forces, -drift), rcond=1e-12)[0][: robot.nv]


@every
@pytest.mark.parametrize("seed", range(3))
def test_motion_keeps_contacts_and_closures(name, seed):
    robot, on = case(name)
    q, v, tau = closed_state(robot, on, seed)
    state = dynamics.State(robot, q, v)
    motion = contacts.constrained_motion(robot, q, v, tau, on)
    size = np.abs(motion.a).max()
    assert np.abs(motion.a - equations(robot, on, q, v, tau)).max() < 1e-9 * size
    assert np.abs(state.closure_jacobian @ motion.a + state.closure_drift).max() < 1e-9 * size
    inner = np.concatenate([motion.closure_forces[c.name] for c in robot.closures])
    given = on.jacobian(q).T @ motion.f + state.closure_jacobian.T @ inner
    needed = state.inverse_dynamics(motion.a) - tau @ robot.selection_matrix
    assert np.abs(given - needed).max() < 1e-9 * np.abs(needed).max()
    assert motion.f.shape == (on.dim,)
    assert motion.residual < 1e-8 * size
    own = np.linalg.matrix_rank(np.vstack([on.jacobian(q), state.closure_jacobian]), tol=1e-8)
    assert motion.rank == own - len(state.closure_basis)
    assert motion.rank == constrained.constraint_rank(robot, q, on)
    # virtual work: what closures do to motions that they allow, and to this one
    assert abs((state.closure_jacobian.T @ inner) @ v) < 1e-9 * np.abs(needed).max()
    tree = robot.with_closures(())
    a, _ = contacts.constrained_forward_dynamics(tree, q, v, tau, list(on))
    assert np.abs(state.closure_jacobian @ a + state.closure_drift).max() > 1e-3


@pytest.mark.parametrize("name", ["ankles", "hands"])
@pytest.mark.parametrize("seed", range(3))
def test_motion_is_that_of_pinocchio(name, seed):
    """Its own constrained dynamics, by a sparse Cholesky factor of the whole system."""
    robot, on = case(name)
    q, v, tau = closed_state(robot, on, seed)
    kinds = {"point": pin.ContactType.CONTACT_3D, "weld": pin.ContactType.CONTACT_6D}
    model = robot.model
    rigid, placed = pin.StdVec_RigidConstraintModel(), model.createData()
    pin.forwardKinematics(model, placed, q)

    def end(frame, placement):
        frame = model.frames[robot.frame_id(frame)]
        return frame.parentJoint, frame.placement * placement

    def add(kind, first, second):
        local = pin.ReferenceFrame.LOCAL
        rigid.append(pin.RigidConstraintModel(kinds[kind], model, *first, *second, local))

    for contact in on:
        joint, local = end(contact.frame, contact.placement)
        add("weld", (joint, local), (0, placed.oMi[joint] * local))
    for c in robot.closures:
        add(c.kind, end(c.frame_1, c.placement_1), end(c.frame_2, c.placement_2))
    data, datas = model.createData(), pin.StdVec_RigidConstraintData()
    for own in rigid:
        datas.append(own.createData())
    pin.initConstraintDynamics(model, data, rigid, datas)
    exact = pin.ProximalSettings(1e-14, 1e-12, 100)
    a = pin.constraintDynamics(model, data, q, v, tau @ robot.selection_matrix, rigid, datas, exact)
    ours, _ = contacts.constrained_forward_dynamics(robot, q, v, tau, on)
    assert np.abs(ours - a).max() < 1e-8 * np.abs(a).max()


def test_gains_bring_closures_back():
    robot, on = case("ankles")
    q, v, tau = closed_state(robot, on, 2)
    rng, row = np.random.default_rng(0), 6 + robot.joint_names.index("left_along1")
    q[row + 1] += 2e-4
    v = v + 1e-3 * rng.standard_normal(robot.nv)
    state, kp, kd = dynamics.State(robot, q, v), 100.0, 20.0
    targets = on.placements(q)
    motion = contacts.constrained_motion(robot, q, v, tau, on, kp=kp, kd=kd, targets=targets)
    asked = kd * state.closure_jacobian @ v + kp * state.closure_error
    got = state.closure_jacobian @ motion.a + state.closure_drift
    assert np.abs(asked).max() > 1e-2
    assert np.abs(got + asked).max() < 1e-8 * np.abs(motion.a).max()


def dense(robot, on, q):
    """M⁻¹ of the motions that closures allow, Nᵀ-reduced, and the contacts' rows."""
    state = dynamics.State(robot, q)
    N = np.linalg.svd(state.closure_jacobian)[2][len(state.closure_basis) :].T
    return N @ np.linalg.solve(N.T @ state.mass_matrix @ N, N.T), on.jacobian(state), N


@every
def test_operational_space_of_what_the_closures_leave(name):
    robot, on = case(name)
    q, _, _ = closed_state(robot, on, 3)
    inverse, J, _N = dense(robot, on, q)
    W = J @ inverse @ J.T
    assert np.abs(operational_space.delassus(robot, q, on) - W).max() < 1e-9 * W.max()
    inertia, expected = contacts.operational_space_inertia(robot, q, on), np.linalg.pinv(W, 1e-9)
    assert np.abs(inertia - expected).max() < 1e-9 * np.abs(expected).max()
    P = operational_space.dynamically_consistent_projector(robot, q, on)
    assert np.abs(dynamics.State(robot, q).closure_jacobian @ P).max() < 1e-9
    assert np.abs(J @ P).max() < 1e-9
    assert np.abs(P @ P - P).max() < 1e-9
    rows = np.vstack([J, dynamics.State(robot, q).closure_jacobian])
    free = np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows, tol=1e-8) :].T
    assert np.abs(P @ free - free).max() < 1e-9


@every
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_impacts_keep_the_closures(name, restitution):
    robot, on = case(name)
    q, v, _ = closed_state(robot, on, 4, keep=False)
    after, impulse = contacts.impact(robot, q, v, on, restitution)
    _, J, N = dense(robot, on, q)
    state, size = dynamics.State(robot, q), np.abs(impulse).max()
    assert np.abs(J @ after + restitution * J @ v).max() < 1e-9 * np.abs(after).max()
    assert np.abs(state.closure_jacobian @ after).max() < 1e-10
    given = state.mass_matrix @ (after - v) - J.T @ impulse
    assert np.abs(N.T @ given).max() < 1e-9 * size
    # least norm: nothing of it does nothing
    U, s, _ = np.linalg.svd(J @ N)
    idle = U[:, (s > 1e-8).sum() :]
    assert np.abs(idle.T @ impulse).max(initial=0.0) < 1e-9 * size


@every
@pytest.mark.parametrize("seed", range(2))
def test_frictional_steps_keep_the_closures(name, seed):
    robot, on = case(name)
    q, v, tau = closed_state(robot, on, seed, keep=False)
    v *= 0.3
    v[2] -= 1.0  # down
    step = contacts.frictional_forward_dynamics(robot, q, v, tau, on, 1e-3)
    assert step.converged
    assert step.residuals.momentum < 1e-9
    state, before = dynamics.State(robot, q), dynamics.State(robot, q, v)
    assert np.abs(state.closure_jacobian @ step.v).max() < 1e-10
    _, J, N = dense(robot, on, q)
    given = 1e-3 * (tau @ robot.selection_matrix - before.bias + J.T @ step.f)
    momentum = state.mass_matrix @ (step.v - v)
    assert np.abs(N.T @ (momentum - given)).max() < 1e-9
    assert {s for each in step.states.values() for s in each} - {"break"}


def test_motion_refuses_open_closures():
    robot, on = case("five_bars")
    q = robot.posture()
    q[8] += 0.1
    for call in (
        lambda: contacts.constrained_forward_dynamics(robot, q, np.zeros(22), np.zeros(8), on),
        lambda: contacts.impact(robot, q, np.zeros(22), on),
        lambda: contacts.frictional_forward_dynamics(robot, q, np.zeros(22), np.zeros(8), on, 1e-3),
        lambda: contacts.operational_space_inertia(robot, q, on),
    ):
        with pytest.raises(ConfigurationError, match="open by"):
            call()


ARM = """
<body name="thigh" pos="0 .2 0"><joint name="hip" axis="0 1 0"/>{halves}</body>
<body name="other" pos="0 -.2 0"><joint name="other" axis="0 1 0"/>
 <geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3"/></body>
"""
HALVES = (
    '<geom type="capsule" size=".03" fromto="0 0 0 0 0 -.3"/>',
    '<geom type="box" size=".05 .05 .02" pos=".1 0 -.3"/>',
)


def with_and_without(kind):
    """A robot whose second half is held to its first by a closure, and one of a single body."""
    thigh, foot = HALVES
    if kind == "weld":
        split = f'{thigh}<body name="half"><joint name="own" axis="1 0 0"/>{foot}</body>'
        apart = ARM.format(halves=split)
        closure = LoopClosure("one", "thigh", "half", "weld")
    else:
        own = f'<body name="half" pos="0 .2 0"><joint name="own" axis="0 1 0"/>{foot}</body>'
        apart = ARM.format(halves=thigh) + own
        closure = JointCoupling("one", "own", "hip")
    joints, trunk = ["hip", "other"], ".1 .1 .1"
    whole = of_bodies("whole", trunk, ARM.format(halves=thigh + foot), joints)
    return of_bodies("split", trunk, apart, joints).with_closures([closure]), whole


@pytest.mark.parametrize("kind", ["weld", "coupling"])
def test_what_a_closure_holds_moves_as_one_body(kind):
    robot, whole = with_and_without(kind)
    rng = np.random.default_rng(5)
    q = whole.integrate(whole.neutral(), 0.4 * rng.standard_normal(8))
    v, torques = rng.standard_normal(8), rng.standard_normal(whole.na)
    place = dict(zip(whole.joint_names, q[7:], strict=True))
    speed = dict(zip(whole.joint_names, v[6:], strict=True))
    place["own"], speed["own"] = (0, 0) if kind == "weld" else (place["hip"], speed["hip"])
    wide_q = np.append(q[:7], [place[j] for j in robot.joint_names])
    wide_v = np.append(v[:6], [speed[j] for j in robot.joint_names])
    rows = [*range(6), *(6 + robot.joint_names.index(j) for j in whole.joint_names)]

    def foot(r, link):
        return contacts.ContactSet(r, [contacts.PointContact(link, 0.5, offset=(0.1, 0, -0.32))])

    ours, one = foot(robot, "half"), foot(whole, "thigh")
    a, f = contacts.constrained_forward_dynamics(robot, wide_q, wide_v, torques, ours)
    b, g = contacts.constrained_forward_dynamics(whole, q, v, torques, one)
    assert np.abs(a[rows] - b).max() < 1e-8
    assert np.abs(f - g).max() < 1e-8
    step = contacts.frictional_forward_dynamics(robot, wide_q, wide_v, torques, ours, 1e-3)
    same = contacts.frictional_forward_dynamics(whole, q, v, torques, one, 1e-3)
    assert np.abs(step.v[rows] - same.v).max() < 1e-8


# --- verdicts -------------------------------------------------------------------------------------


class Reduced:
    """Nᵀ (Sᵀτ + Jᵀf + h) = 0 for motions N that closures allow, in cvxpy, from frames alone."""

    def __init__(self, robot, on, q, limits):
        import cvxpy as cp

        self.cp, self.limits = cp, limits
        state = dynamics.State(robot, q, np.zeros(robot.nv))
        N = np.linalg.svd(state.closure_jacobian)[2][len(state.closure_basis) :].T
        columns, normals, self.mu = [], [], []
        for contact in on:
            R, centre = contact.pose(robot, q).rotation, contact.pose(robot, q).translation
            J = dynamics.frame_jacobian(robot, q, contact.frame)
            origin = state.frame_placement(contact.frame).translation
            at_point = lambda p, J=J, o=origin: J[:3] - pin.skew(p - o) @ J[3:]  # noqa: E731
            columns += [(R.T @ at_point(p)).T for p in contact.world_points(robot, q)]
            self.mu += [contact.friction] * len(contact.world_points(robot, q))
            normals.append((R.T @ at_point(centre)).T[:, 2])
        self.weight = 9.81 * robot.mass
        self.A = N.T @ np.hstack(columns)
        self.S, self.n = N.T @ robot.selection_matrix.T, N.T @ np.sum(normals, axis=0)
        self.h = N.T @ -state.inverse_dynamics(np.zeros(robot.nv)) / self.weight
        self.f, self.tau = cp.Variable((len(self.mu), 3)), cp.Variable(robot.na)
        self.push = N.T @ state.com_jacobian[:2].T

    def solve(self, objective, more=(), extra=0.0):
        cp, mu = self.cp, np.array(self.mu)
        total = self.S @ self.tau + self.A @ cp.vec(self.f, order="C") + extra + self.h
        cones = cp.norm(self.f[:, :2], axis=1) <= cp.multiply(mu, self.f[:, 2])
        problem = cp.Problem(objective, [total == 0, cones, *more])
        tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-11)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says how far it came
            problem.solve(solver="CLARABEL", **tight)
        return problem.status, problem.value

    @property
    def kept(self):
        return [self.cp.abs(self.tau) <= self.limits / self.weight]

    def margin(self):
        epsilon = self.cp.Variable()
        status, value = self.solve(self.cp.Maximize(epsilon), self.kept, epsilon * self.n)
        return value * self.weight if "optimal" in status else -np.inf

    def torque_margin(self):
        s = self.cp.Variable()
        most = (1 - s) * self.limits / self.weight
        return self.solve(self.cp.Maximize(s), [self.cp.abs(self.tau) <= most])[1]

    def forces(self):
        self.solve(self.cp.Minimize(self.cp.sum_squares(self.f)), self.kept)
        return self.f.value * self.weight

    def push_along(self, direction):
        t = self.cp.Variable()
        _, most = self.solve(self.cp.Maximize(t), self.kept, t * (self.push @ direction))
        return self.weight * most


def held_case(name, seed):
    """A closed posture with limits that may be too weak for it."""
    robot, on = case(name)
    rng = np.random.default_rng(seed)
    far = 0.2 * np.r_[np.zeros(3), np.ones(robot.nv - 3)]
    q = robot.close(robot.integrate(robot.posture(), far * rng.standard_normal(robot.nv)))
    return robot, on, q, rng.choice([0.1, 0.4, 1.0]) * robot.torque_limits


@every
@pytest.mark.parametrize("seed", range(8))
def test_verdicts_are_those_of_reduced_coordinates(name, seed):
    robot, on, q, limits = held_case(name, seed)
    reduced, hold = Reduced(robot, on, q, limits), contacts.static_hold(robot, q, on, None, limits)
    W, margin = reduced.weight, reduced.margin()
    assert hold.margin == pytest.approx(margin, abs=1e-6 * W)
    assert hold.feasible is (margin > 0)
    assert hold.torque_margin == pytest.approx(reduced.torque_margin(), abs=1e-6)
    by_cvxpy = contacts.static_hold(robot, q, on, None, limits, solver="cvxpy")
    assert by_cvxpy.margin == pytest.approx(margin, abs=1e-6 * W)
    state = dynamics.State(robot, q)
    N = np.linalg.svd(state.closure_jacobian)[2][len(state.closure_basis) :].T
    if not hold.feasible:
        y = hold.certificate
        assert np.abs(state.closure_jacobian @ y).max() < 1e-12
        speeds = np.abs(robot.selection_matrix @ y)
        u = (reduced.A.T @ (N.T @ y)).reshape(-1, 3)
        slip = np.array(reduced.mu) * np.linalg.norm(u[:, :2], axis=1)
        assert (u[:, 2] - slip).min() > -1e-8
        assert y @ state.gravity_torques - limits @ speeds > 1e-7 * W
        assert hold.reason in hold.explain()
        return
    f = np.vstack(list(hold.forces.values()))
    own = reduced.forces()
    axes = np.repeat(hold.axes, np.bincount(on.limits.owner), axis=0)
    assert np.abs(f - np.einsum("kij,kj->ki", axes, own)).max() < 1e-4 * W
    wrenches = [hold.wrenches[c.name].vector[: c.dim] for c in on]
    given = robot.selection_matrix.T @ hold.torques + on.jacobian(q).T @ np.concatenate(wrenches)
    # virtual work along motions that the closures allow, then with their forces
    assert np.abs(N.T @ (given + state.gravity_torques)).max() < 1e-9 * W
    inner = np.concatenate([hold.closure_forces[c.name] for c in robot.closures])
    missing = given + state.closure_jacobian.T @ inner + state.gravity_torques
    assert np.abs(missing).max() < 1e-9 * W
    assert (np.abs(hold.torques) <= limits + 1e-6 * W).all()
    assert hold.residual < 1e-9 * W


@pytest.mark.parametrize("name", ["ankles", "hands"])
def test_certificates_without_torque_limits(name):
    """Joints of any strength, so that y moves none of them: the base, and what has no motor."""
    robot, on, q, _ = held_case(name, 2)
    hold, state = contacts.static_hold(robot, q, on, None, False), dynamics.State(robot, q)
    y = hold.certificate
    assert hold.feasible is False
    assert np.abs(robot.selection_matrix @ y).max() == 0
    assert np.abs(state.closure_jacobian @ y).max() < 1e-12
    u = (hold.balance.grasp.T @ y).reshape(-1, 3)
    assert (u[:, 2] - on[on.names[0]].friction * np.hypot(u[:, 0], u[:, 1])).min() > -1e-8
    assert y @ state.gravity_torques > 1e-6 * hold.balance.weight


@pytest.mark.parametrize(("name", "seed"), [("five_bars", 4), ("ankles", 0), ("hands", 3)])
def test_other_margins(name, seed):
    robot, on, q, limits = held_case(name, seed)
    reduced, hold = Reduced(robot, on, q, limits), contacts.static_hold(robot, q, on, None, limits)
    angles = np.linspace(0, 2 * np.pi, 91)
    pushes = [reduced.push_along(np.array([np.cos(a), np.sin(a)])) for a in angles]
    assert hold.push_margin() == pytest.approx(min(pushes), rel=2e-3)
    assert hold.push_margin() < min(pushes) + 1e-6 * reduced.weight
    factor = hold.friction_margin()
    shrunk = hold.balance.shrunk(factor * 0.999), hold.balance.shrunk(factor * 1.001)
    assert shrunk[0].margin().value > 0 > shrunk[1].margin().value
    assert hold.saddle.margin == pytest.approx(hold.margin, abs=1e-7 * reduced.weight)
    least = contacts.static_hold(robot, q, on, None, limits, objective="least_torque")
    cp = reduced.cp
    reduced.solve(cp.Minimize(cp.sum_squares(reduced.tau)), reduced.kept)
    best = reduced.weight * reduced.tau.value
    assert least.torques == pytest.approx(best, abs=1e-2 * np.abs(best).max())
    many = contacts.batch.static_hold(robot, np.stack([q, q]), on, torque_limits=limits)
    assert many.margin == pytest.approx(hold.margin, abs=1e-7 * reduced.weight)
    region = contacts.feasible_region(robot, q, on, None, limits)
    com, direction = dynamics.com(robot, q)[:2], np.array([0.6, 0.8])
    couple = np.cross(np.append(direction, 0.0), [0, 0, -reduced.weight])
    R = pin.Quaternion(q[3:7]).matrix()
    column, t = np.zeros(robot.nv), cp.Variable()
    column[3:6] = R.T @ couple / reduced.weight
    N = np.linalg.svd(dynamics.State(robot, q).closure_jacobian)[2]
    N = N[len(dynamics.State(robot, q).closure_basis) :].T
    reach = reduced.solve(cp.Maximize(t), reduced.kept, t * (N.T @ column))[1]
    assert region.contains(com + (reach - 2e-3) * direction)
    assert not region.contains(com + (reach + 1e-3) * direction)


def test_arms_that_hold_each_other():
    """A load on one hand that its own arm cannot bear: the other arm bears it through the grip."""
    robot, on = case("hands")
    q, limits = robot.posture(), robot.torque_limits.copy()
    left = np.array(["left_" in j and ("shoulder" in j or "elbow" in j) for j in robot.actuated])
    limits[left] = 1.0
    load = {"left_forearm": Wrench([0.0, 0.0, -20.0], np.zeros(3))}
    alone = contacts.static_hold(robot.with_closures(()), q, list(on), load, limits)
    assert alone.feasible is False
    assert "torque" in alone.reason
    hold = contacts.static_hold(robot, q, on, load, limits)
    assert hold.feasible is True
    assert (np.abs(hold.torques[left]) <= 1 + 1e-8).all()
    # of all torques that go with these forces, none are less
    import cvxpy as cp

    state, tau = dynamics.State(robot, q, np.zeros(robot.nv)), cp.Variable(robot.na)
    N = np.linalg.svd(state.closure_jacobian)[2][len(state.closure_basis) :].T
    f = hold.balance.limits.forces(hold._unknowns).ravel()
    rest = hold.balance.load + hold.balance.grasp @ f
    balanced = N.T @ (robot.selection_matrix.T @ tau + rest) == 0
    problem = cp.Problem(cp.Minimize(cp.sum_squares(tau)), [balanced, cp.abs(tau) <= limits])
    problem.solve(solver="CLARABEL")
    assert hold.torques == pytest.approx(tau.value, abs=1e-5)
    weaker = contacts.static_hold(robot, q, on, load, 0.02 * limits)
    assert weaker.feasible is False
    assert np.abs(state.closure_jacobian @ weaker.certificate).max() < 1e-12


@pytest.mark.parametrize("kind", ["weld", "coupling"])
def test_what_a_closure_holds_stands_as_one_body(kind):
    robot, whole = with_and_without(kind)
    q = whole.neutral()
    wide = robot.neutral()
    q[7 + whole.joint_names.index("hip")] = wide[7 + robot.joint_names.index("hip")] = 0.2
    if kind == "coupling":
        wide[7 + robot.joint_names.index("own")] = 0.2

    def stands(r, link, at_q):
        corners = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
        points = [contacts.PointContact("trunk", 0.5, offset=p, name=str(p)) for p in corners]
        points.append(contacts.PointContact(link, 0.5, offset=(0.1, 0, -0.32)))
        return contacts.static_hold(r, at_q, points)

    ours, one = stands(robot, "half", wide), stands(whole, "thigh", q)
    weight = 9.81 * whole.mass
    assert (ours.feasible, one.feasible) == (True, True)
    assert ours.margin == pytest.approx(one.margin, abs=1e-8 * weight)
    assert ours.torque_margin == pytest.approx(one.torque_margin, abs=1e-7)
    forces = [np.vstack(list(h.forces.values())) for h in (ours, one)]
    assert forces[0] == pytest.approx(forces[1], abs=1e-6 * weight)
    assert ours.torques == pytest.approx(one.torques, abs=1e-6 * weight)


# --- postures, and what refuses -------------------------------------------------------------------


@every
@pytest.mark.parametrize("com", [None, "inside"])
def test_postures_close(name, com):
    robot, on = case(name)
    rng = np.random.default_rng(7)
    away = 0.2 * rng.standard_normal(robot.nv) * (np.arange(robot.nv) > 5)
    start = robot.integrate(robot.posture(), away)
    found = contacts.solve_posture(robot, on, com, q0=start)
    assert found.converged
    assert np.abs(dynamics.State(robot, found.q).closure_error).max() < 1e-9
    assert max(abs(p[2]) for c in on for p in c.world_points(robot, found.q)) < 1e-7
    assert set(found.errors) >= {f"closure {c.name}" for c in robot.closures}
    if com:
        assert contacts.static_hold(robot, found.q, on, torque_limits=False).feasible


def test_falls_along_the_closures():
    robot, on, q, limits = held_case("ankles", 1)
    hold = contacts.static_hold(robot, q, on, None, limits)
    path = falling_path(hold, 0.1)
    opened = [np.abs(dynamics.State(robot, there).closure_error).max() for there in path]
    assert max(opened) < 1e-6
    assert np.abs(path[-1] - path[0]).max() > 0.01


@pytest.mark.parametrize(
    ("name", "seed"), [("five_bars", 4), ("mixed", 0), ("ankles", 2), ("hands", 3), ("hands", 0)]
)
@pytest.mark.parametrize("of", ["margin", "push", "friction"])
def test_gradients_along_the_closures(name, seed, of):
    """Differences between closed configurations."""
    robot, on, q, limits = held_case(name, seed)
    load = {robot.frame_names[2]: Wrench([3.0, 2.0, 0.0])}

    def value(step):
        there = robot.close(robot.integrate(q, step))
        hold = contacts.static_hold(robot, there, on, load, limits)
        margins = {"push": hold.push_margin, "friction": hold.friction_margin}
        return margins[of](1e-9) if of in margins else hold.margin

    hold = contacts.static_hold(robot, q, on, load, limits)
    if of == "push" and not hold.feasible:
        return
    found, B = contacts.margin_gradient(hold, of=of), dynamics.State(robot, q).closure_basis
    N = np.linalg.svd(B)[2][len(B) :].T
    assert np.abs(B @ found.q).max() < 1e-9 * max(1.0, np.abs(found.q).max())
    rng = np.random.default_rng(0)
    for _ in range(2):
        along = N @ rng.standard_normal(N.shape[1])
        slope = (value(2e-4 * along) - value(-2e-4 * along)) / 4e-4
        scale = np.linalg.norm(found.q) * np.linalg.norm(along)
        rounding = 1e-9 * abs(found.margin) / 2e-4
        assert found.q @ along == pytest.approx(slope, abs=2e-5 * scale + 5 * rounding)


def test_margins_grow_along_the_closures():
    robot, on = case("mixed")
    first = contacts.solve_posture(robot, on, (0.04, 0.0))
    on_from = {"q0": first.q, "targets": first.targets, "torque_limits": False}
    best = contacts.solve_posture(robot, on, maximize="margin", **on_from)
    assert first.converged
    assert best.converged
    assert np.abs(dynamics.State(robot, best.q).closure_error).max() < 1e-9
    margins = [contacts.static_hold(robot, p.q, on, None, False).margin for p in (first, best)]
    assert margins[1] > margins[0] + 0.01 * 9.81 * robot.mass
    assert best.margins[-1] == pytest.approx(margins[1], abs=1e-6)


def test_open_closures_are_refused():
    robot, on, q, _ = held_case("five_bars", 0)
    q = q.copy()
    q[8] += 0.1
    for call in (contacts.static_hold, contacts.batch.static_hold, contacts.feasible_region):
        with pytest.raises(ConfigurationError, match="open by"):
            call(robot, q, on)


def test_regions_of_contacts_alone_refuse_ties_to_the_world():
    robot, _ = case("five_bars")
    q = robot.posture()
    p = dynamics.frame_placement(robot, q, "trunk").translation
    rope = LoopClosure("rope", "universe", "trunk", "point", at(*p))
    tied = robot.with_closures([*robot.closures, rope])
    on = on_five_bars()
    for region in (
        contacts.static_equilibrium_polygon,
        contacts.zmp_support_area,
        contacts.com_acceleration_cone,
        contacts.friction_map,
        lambda r, q, c: contacts.robust_equilibrium_polygon(r, q, c, contacts.Pushes(1.0)),
    ):
        region(robot, robot.close(q), on)
        with pytest.raises(ModelError, match="'rope' ties"):
            region(tied, q, on)
    # what shows a Hold leaves the region out
    hold = contacts.static_hold(tied, q, on)
    fw.view(hold)
    fw.plot(hold)
    # what knows closures lets it hang
    assert contacts.static_hold(tied, q, []).feasible is not False
    assert contacts.static_hold(robot, robot.close(q), []).feasible is False


def test_files_with_closures_stand(tmp_path):
    """From MJCF to scenario, verdict and sweep, where joints and bodies share their names."""
    ties = "".join(
        f'<connect name="{n}" body1="{n}_foot" body2="{n}_rod" anchor=".06 0 -.2"/>'
        for n in FIVE_BARS
    )
    text = xml(*five_bar_parts()).replace("</mujoco>", f"<equality>{ties}</equality></mujoco>")
    (tmp_path / "five.xml").write_text(text)
    feet = "\n".join(
        f"  - frame: {n}_foot\n    kind: point\n    offset: [0.06, 0, -0.2]" for n in FIVE_BARS
    )
    (tmp_path / "stands.yaml").write_text(
        f"version: 1\nrobot: five.xml\nterrain:\n  - plane: ground\ncontacts:\n{feet}\n"
        "loads:\n  - push: trunk\n    force: [0, 1, 0]\n"
    )
    scenario = contacts.Scenario.load(tmp_path / "stands.yaml")
    robot, on = scenario.machine, scenario.contact_set
    assert {c.name for c in robot.closures} == set(FIVE_BARS)
    hold = scenario.check()
    assert hold.feasible
    assert np.abs(hold.state.closure_error).max() < 1e-9
    pushes = [0.0, 10.0, 40.0]
    found = contacts.sweep(tmp_path / "stands.yaml", {"loads[0].force[1]": pushes})
    for push, margin in zip(pushes, found["margin"], strict=True):
        load = {"trunk": Wrench([0.0, push, 0.0])}
        reduced = Reduced(robot, on, hold.q, robot.torque_limits)
        N = np.linalg.svd(hold.state.closure_jacobian)[2][len(hold.state.closure_basis) :].T
        reduced.h += N.T @ dynamics.external_torques(robot, hold.q, load) / reduced.weight
        assert margin == pytest.approx(reduced.margin(), abs=1e-6 * reduced.weight)
