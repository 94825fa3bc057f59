"""Segment chains: matrix method, recursion and URDF method agree; derivatives; axes; power."""

from __future__ import annotations

import sys

import numpy as np
import pinocchio as pin
import pytest

from footwork import biomechanics, robots
from footwork import dynamics as dyn
from footwork.biomechanics import SegmentChain
from footwork.biomechanics.chains import joint_coordinates
from footwork.dynamics.motions import differences
from footwork.errors import ConfigurationError

ROBOTS = ["tree", "biped", "quadruped", "human", "talos"]
FRAMES = 12


@pytest.fixture(params=ROBOTS)
def robot(request, load_robot):
    return load_robot(request.param, "floating")


def random_trial(robot, seed=0):
    rng = np.random.default_rng(seed)
    q = np.array([robot.random_configuration(rng) for _ in range(FRAMES)])
    return q, *rng.standard_normal((2, FRAMES, robot.nv))


def trial_of(robot, seed=0):
    """Its chain of segments, and a random motion of them."""
    motion = biomechanics.motion_of_robot(robot, *random_trial(robot, seed))
    return biomechanics.chain_of_robot(robot), motion


def loads(chain):
    """Wrenches on three segments, two of them on one."""
    rng = np.random.default_rng(1)
    names = [chain.names[0], chain.names[-1], chain.names[len(chain.names) // 2]]

    def draw():
        return biomechanics.WrenchSeries(*rng.standard_normal((3, FRAMES, 3)))

    return {names[0]: draw(), names[1]: [draw(), draw()], names[2]: draw()}


def largest_difference(one, other):
    return max(
        np.abs(x - y).max()
        for j in one.wrenches
        for x, y in [(one[j].force, other[j].force), (one[j].moment, other[j].moment)]
    )


def test_matrix_and_recursion_agree(robot):
    chain, motion = trial_of(robot)
    external = loads(chain)
    one, other = chain.solve(motion, external), chain.recurse(motion, external)
    assert largest_difference(one, other) < 1e-10
    assert largest_difference(one, chain.solve(motion)) > 0.1


def test_the_chain_of_a_robot_has_its_joint_wrenches(robot):
    """Segments with the robot's inertias: Newton and Euler against Pinocchio's recursion."""
    (q, v, a), (chain, motion) = random_trial(robot), trial_of(robot)
    forces = chain.solve(motion)
    for t in range(FRAMES):
        truth = dyn.joint_wrenches(robot, q[t], v[t], a[t])
        for joint, wrench in truth.items():
            scale = 1 + np.abs(wrench.vector).max()
            assert np.abs(forces[joint][t].vector - wrench.vector).max() < 1e-10 * scale


def test_inverse_dynamics_projects_the_wrenches(robot):
    """τ = Σ J_jᵀ (what the joint carries): the chain's wrenches, through the robot's Jacobians."""
    (q, v, a), (chain, motion) = random_trial(robot, seed=3), trial_of(robot, seed=3)
    external = loads(chain)
    forces = chain.solve(motion, external)
    model, data = robot.model, robot.model.createData()
    for t in range(FRAMES):
        pin.computeJointJacobians(model, data, q[t])
        tau = dyn.inverse_dynamics(robot, q[t], v[t], a[t]) - model.armature * a[t]
        for name, wrenches in external.items():
            i = model.getJointId(name)
            J = pin.getJointJacobian(model, data, i, pin.LOCAL_WORLD_ALIGNED)
            for w in [wrenches] if isinstance(wrenches, biomechanics.WrenchSeries) else wrenches:
                tau = tau - J.T @ w[t].at(data.oMi[i].translation).vector
        for i in range(1, model.njoints):
            joint = model.joints[i]
            rows = slice(joint.idx_v, joint.idx_v + joint.nv)
            J = pin.getJointJacobian(model, data, i, pin.LOCAL_WORLD_ALIGNED)[:, rows]
            carried = J.T @ forces[model.names[i]][t].vector
            assert np.abs(carried - tau[rows]).max() < 1e-10 * (1 + np.abs(tau).max())


def test_the_wrench_left_over_may_be_anywhere(robot):
    """Wherever the held end is, the residual is the same wrench; all joints balance."""
    chain, motion = trial_of(robot, seed=5)
    external = loads(chain)
    at_root = chain.solve(motion, external)
    for name in chain.names[1 :: max(1, len(chain.names) // 4)]:
        one = chain.solve(motion, external, residual_on=name)
        assert largest_difference(one, chain.recurse(motion, external, residual_on=name)) < 1e-10
        assert np.abs((one.residual - at_root.residual).force).max() < 1e-10
        assert np.abs((at_root.residual - one.residual).moment).max() < 1e-9
        assert not one[chain.names[0]].force.any()  # nobody holds the root
        assert one.residual_on == name


def test_forces_that_explain_the_motion_close_it():
    """The residual given to the chain as an external wrench leaves nothing over."""
    chain, motion = trial_of(robots.load("biped"))
    first = chain.solve(motion)
    assert first.closing()[0] > 1.0
    foot = chain.names[-1]
    force, moment = chain.solve(motion, {foot: first.residual}).closing()
    assert force < 1e-9
    assert moment < 1e-9


def test_the_block_form_reads_as_written():
    """M [a; ω̇] = C + G + A [F; M_j] + E holds with the solution put in."""
    robot = robots.load("biped")
    chain, motion = trial_of(robot)
    motion = motion.ordered(chain.names)
    form = biomechanics.chains.block_form.block_form(chain, motion, loads(chain))
    forces = form.solve()
    joints = [
        np.concatenate([forces.force(j), forces.moment(j, "segment")], axis=1) for j in chain.names
    ]
    x = np.concatenate(joints, axis=1)
    right = form.C + form.G + form.E + (form.A @ x.ravel()).reshape(x.shape)
    np.testing.assert_allclose(form.acceleration @ form.M.T, right, atol=1e-10)
    assert form.A.nnz < 0.1 * np.prod(form.A.shape)


def test_long_trials_are_solved_piece_by_piece(monkeypatch):
    """Frames have no say in one another's equations."""
    chain, motion = trial_of(robots.load("biped"))
    at_once = chain.solve(motion, loads(chain))
    monkeypatch.setattr(sys.modules["footwork.biomechanics.chains.block_form"], "_AT_ONCE", 5)
    assert largest_difference(at_once, chain.solve(motion, loads(chain))) == 0


def limb_published(t):
    """The last joint's wrench of the published three-segment limb, in its segment's axes."""
    zero = np.zeros_like(t)
    x, y = (-81 / 50 * wave(4 * t) - 6 / 25 * wave(6 * t) for wave in (np.sin, np.cos))
    z = 81 / 250 * np.sin(4 * t) + 6 / 125 * np.sin(6 * t)
    return np.stack([x, y - 147 / 50, zero], axis=-1), np.stack([zero, zero, z], axis=-1)


def limb_trial():
    """Angles t, 2 t, 4 t: the sum at segment i is its world angle; joints turn relatively."""
    robot = robots.limb(lengths=(0.8, 0.6, 0.4), masses=(0.7, 0.5, 0.3))
    t = np.linspace(0, 2 * np.pi, 60)
    rates = np.array([1.0, 2.0, 4.0])
    q = np.array([robot.integrate(robot.neutral(), rates * s) for s in t])
    return robot, t, q, np.tile(rates, (60, 1)), np.zeros((60, 3))


def test_the_published_limb():
    """Matrix method, recursion and URDF method of m = (0.7, 0.5, 0.3) kg, l = (0.8, 0.6, 0.4) m."""
    robot, t, q, v, a = limb_trial()
    chain = biomechanics.chain_of_robot(robot)
    chain = SegmentChain(chain.segments, gravity=(0, 0, 0))
    forces = chain.solve(biomechanics.motion_of_robot(robot, q, v, a))
    f, m = limb_published(t)
    last = chain.names[-1]
    np.testing.assert_allclose(forces.force(last, "segment"), f, atol=1e-12)
    np.testing.assert_allclose(forces.moment(last, "segment"), m, atol=1e-12)


def test_symbols_matrices_and_urdf_agree_on_one_motion():
    """A limb that swings unevenly under gravity: closed form, block matrices, recursion, robot."""
    sympy = pytest.importorskip("sympy")
    symbolic = biomechanics.symbolic
    s = symbolic.t
    angles = [sympy.sin(s), s**2 / 4]
    lengths, masses = ([sympy.Rational(x, 10) for x in pair] for pair in ((8, 6), (7, 5)))
    down = (0, 0, -sympy.Rational(981, 100))
    limb = symbolic.Limb(2, angles=angles, lengths=lengths, masses=masses, gravity=down)
    times = np.linspace(0.1, 3.0, 7)
    q, v, a = (
        np.array([[float(x.diff(s, k).subs(s, time)) for x in angles] for time in times])
        for k in range(3)
    )
    robot = robots.limb(lengths=(0.8, 0.6), masses=(0.7, 0.5))
    chain = biomechanics.chain_of_robot(robot)
    motion = biomechanics.motion_of_robot(robot, q, v, a)
    solved, recursed = chain.solve(motion), chain.recurse(motion)
    for joint, wrench in zip(chain.names, limb.joint_wrenches, strict=True):
        world = sympy.lambdify(s, list(wrench.express(symbolic.WORLD).vector))
        for i, time in enumerate(times):
            closed = np.array(world(time), dtype=float)
            urdf = dyn.joint_wrenches(robot, q[i], v[i], a[i])[joint].vector
            for method in (solved[joint][i].vector, recursed[joint][i].vector, urdf):
                np.testing.assert_allclose(method, closed, atol=1e-11)


def test_power_is_what_the_energy_gains():
    """Σ joint powers + gravity's and the loads' = d/dt of the kinetic energy."""
    robot = robots.load("biped")
    (q, v, a), (chain, motion) = random_trial(robot), trial_of(robot)
    forces = chain.solve(motion)
    power = sum(forces.power(j) for j in chain.names)
    for t in range(FRAMES):
        drawn = dyn.inverse_dynamics(robot, q[t], v[t], a[t]) - robot.model.armature * a[t]
        assert abs(power[t] - drawn @ v[t]) < 1e-9 * (1 + abs(power[t]))


def two_segments(seed=0):
    rng = np.random.default_rng(seed)
    rate, t = 200.0, np.arange(400) / 200.0
    turns = [
        np.array([pin.exp3(0.5 * np.sin(s + axis) * axis) for s in t])
        for axis in rng.standard_normal((2, 3))
    ]
    origins = [np.outer(np.sin(t), rng.standard_normal(3)) for _ in range(2)]
    shank, foot = np.diag([0.05, 0.01, 0.05]), np.diag([1, 4, 4.0]) * 1e-3
    segments = [
        biomechanics.Segment("shank", 3.0, (0, -0.2, 0), shank),
        biomechanics.Segment("foot", 1.0, (0.05, -0.03, 0), foot, "shank"),
    ]
    chain = SegmentChain(segments, gravity=(0, -9.81, 0))
    poses = {"shank": (turns[0], origins[0]), "foot": (turns[1], origins[1])}
    return chain, biomechanics.SegmentMotion.from_poses(poses, rate), rate


def test_joint_coordinates_do_the_joint_s_work():
    """M·(ω_c − ω_p) = Σ (M·e_k) θ̇_k, and R_pᵀ R_c = Rz Rx Ry of the angles."""
    chain, motion, rate = two_segments()
    forces = chain.solve(motion)
    R_p, R_c = motion.R[:, 0], motion.R[:, 1]
    angles = joint_coordinates.joint_angles(R_p, R_c)
    for t in (0, 100, 399):
        z, x, y = angles[t]
        product = pin.utils.rotate("z", z) @ pin.utils.rotate("x", x) @ pin.utils.rotate("y", y)
        np.testing.assert_allclose(product, R_p[t].T @ R_c[t], atol=1e-12)
    rates = biomechanics.differentiate(angles, rate)
    projected = forces.moment("foot", "joint")
    world = (forces.moment("foot") * (motion.omega[:, 1] - motion.omega[:, 0])).sum(axis=1)
    np.testing.assert_allclose((projected * rates).sum(axis=1), world, atol=1e-8)


def test_results_in_other_axes_and_about_other_points():
    chain, motion, _ = two_segments(1)
    forces = chain.solve(motion)
    for axes, R in (("segment", motion.R[:, 1]), ("proximal", motion.R[:, 0])):
        back = np.einsum("nij,nj->ni", R, forces.moment("foot", axes))
        np.testing.assert_allclose(back, forces.moment("foot"), atol=1e-12)
    point = np.array([1.0, 2.0, 3.0])
    lever = forces["foot"].point - point
    moved = forces.moment("foot") + np.cross(lever, forces.force("foot"))
    np.testing.assert_allclose(forces.moment("foot", point=point), moved, atol=1e-12)
    assert forces["foot"][7].at(point).moment == pytest.approx(moved[7])


def test_angular_velocity_and_acceleration_of_a_spinning_body():
    """R = exp([a ×] θ(t)) about a fixed axis: ω = a θ̇, ω̇ = a θ̈."""
    rate, axis = 150.0, np.array([0.6, 0.0, 0.8])
    t = np.arange(300) / rate
    R = np.array([pin.exp3(axis * np.sin(3 * s)) for s in t])
    omega, alpha = (
        biomechanics.angular_velocity(R, rate),
        biomechanics.angular_acceleration(R, rate),
    )
    np.testing.assert_allclose(omega, np.outer(3 * np.cos(3 * t), axis), atol=1e-9)
    np.testing.assert_allclose(alpha, np.outer(-9 * np.sin(3 * t), axis), atol=1e-6)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_differences_are_exact_for_polynomials(order):
    rate, t = 10.0, np.arange(25) / 10.0
    p = np.polynomial.Polynomial([1, -2, 0.5, 1, -0.3, 0.2, -0.05, 0.01, 0.002])
    found = biomechanics.differentiate(p(t), rate, order)
    np.testing.assert_allclose(found, p.deriv(order)(t), rtol=1e-8, atol=1e-7)
    assert differences.stencil_weights([-1, 0, 1], 2) == pytest.approx([1, -2, 1])


BAD = {
    "a parent that is not there": lambda s: SegmentChain([s("a"), s("b", parent="aa")]),
    "two roots": lambda s: SegmentChain([s("a"), s("b")]),
    "a loop": lambda s: SegmentChain([s("a"), s("b", parent="c"), s("c", parent="b")]),
    "a name twice": lambda s: SegmentChain([s("a"), s("a", parent="a")]),
    "no segments": lambda s: SegmentChain([]),
    "negative mass": lambda s: s("a", mass=-1),
    "an inertia no body has": lambda s: s("a", inertia=np.diag([1.0, 1.0, -3.0])),
    "moments that break the triangle": lambda s: s("a", 1.0, inertia=np.diag([1.0, 1.0, 3.0])),
    "an inertia without mass": lambda s: s("a", 0.0, inertia=np.eye(3)),
    "an inertia of two numbers": lambda s: s("a", inertia=[1.0, 2.0]),
    "nan": lambda s: s("a", com=[0, np.nan, 0]),
    "no segments at all": lambda s: SegmentChain(["foot"]),
    "no name": lambda s: s(None),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_chain_is_refused(what):
    def segment(name, mass=1.0, **rest):
        return biomechanics.Segment(name, mass, **rest)

    with pytest.raises(ConfigurationError, match=r"got|expected|form a cycle|did you mean"):
        BAD[what](segment)


def test_what_does_not_fit_the_motion_is_refused():
    chain, motion, _ = two_segments()
    wrench = biomechanics.WrenchSeries(np.zeros((7, 3)), np.zeros(3), np.zeros(3))
    for external, told in (
        ({"foot": wrench}, "7 frames; the motion has 400"),
        ({"fot": wrench}, "did you mean 'foot'"),
        ({"foot": [np.zeros(6)]}, "WrenchSeries"),
        ({"foot": None}, "got None, expected a WrenchSeries"),
        ([1], "external: got list"),
    ):
        with pytest.raises(ConfigurationError, match=told):
            chain.solve(motion, external)
    with pytest.raises(ConfigurationError, match="expected a SegmentMotion"):
        chain.solve({})
    with pytest.raises(ConfigurationError, match=r"expected \(R, origin\)"):
        biomechanics.SegmentMotion.from_poses({"foot": 3}, 100.0)
    with pytest.raises(ConfigurationError, match="no axes 'prox'"):
        chain.solve(motion).force("foot", "prox")
    with pytest.raises(ConfigurationError, match="no parent"):
        chain.solve(motion).force("shank", "proximal")
    for factor, told in ((2, "= 3 and det R = 8"), (-1, "= 0 and det R = -1")):
        R = np.where(np.arange(20)[:, None, None] == 3, factor, 1) * np.eye(3)
        with pytest.raises(ConfigurationError, match=f"frame 3 is no rotation.*{told}"):
            biomechanics.angular_velocity(R, 10)
    with pytest.raises(ConfigurationError, match="the first is frame 2"):
        biomechanics.WrenchSeries([[0, 0, 0], [0, 0, 0], [0, np.nan, 0]], np.zeros(3), np.zeros(3))
    with pytest.raises(ConfigurationError, match="or more to take derivatives"):
        biomechanics.differentiate(np.zeros(5), 100.0)
