"""The limb of n segments: its published closed forms, and the same limb as a Robot."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
import sympy as sp

import footwork as fw
from footwork import biomechanics
from footwork import dynamics as dyn
from footwork.biomechanics import symbolic as sy
from footwork.biomechanics.symbolic import t
from footwork.biomechanics.symbolic.closed_form import is_zero

Q, SIN, COS = sp.Rational, sp.sin, sp.cos
TIMES = np.linspace(0, 2 * np.pi, 7)  # q stays within the turns that the joints allow
RATES = np.array([1.0, 2.0, 4.0])  # periods 2π, π, π/2


@pytest.fixture(scope="module")
def limb():
    """The published case."""
    lengths, masses = [Q(4, 5), Q(3, 5), Q(2, 5)], [Q(7, 10), Q(1, 2), Q(3, 10)]
    return sy.Limb(3, angles=[t, 2 * t, 4 * t], lengths=lengths, masses=masses)


def numbers(wrench, time):
    return np.array(wrench.vector.subs(t, time), dtype=float).ravel()


def test_published_wrench_of_the_last_joint(limb):
    last = limb.joint_wrenches[2]
    x, y = (-Q(81, 50) * wave(4 * t) - Q(6, 25) * wave(6 * t) for wave in (SIN, COS))
    assert last.force == sp.ImmutableMatrix([x, y - Q(147, 50), 0])
    moment = Q(81, 250) * SIN(4 * t) + Q(6, 125) * SIN(6 * t)
    assert last.moment == sp.ImmutableMatrix([0, 0, moment])
    assert last.frame.name == "segment_3"


def test_joint_wrenches_in_the_world_by_hand(limb):
    """With point masses on steady circles, forces are sums of −m l φ̇² along the segments."""
    m, l, phi = (Q(7, 10), Q(1, 2), Q(3, 10)), (Q(4, 5), Q(3, 5), Q(2, 5)), (t, 3 * t, 7 * t)  # noqa: E741
    along = [sp.Matrix([-SIN(angle), COS(angle), 0]) for angle in phi]
    starts, accelerations, centres = [sp.zeros(3, 1)], [sp.zeros(3, 1)], []
    for i, rate in enumerate((1, 3, 7)):
        centres.append(starts[i] + l[i] / 2 * along[i])
        starts.append(starts[i] + l[i] * along[i])
        accelerations.append(accelerations[i] - l[i] * rate**2 * along[i])
    middles = [(accelerations[i] + accelerations[i + 1]) / 2 for i in range(3)]
    for i, joint in enumerate(limb.joint_wrenches):
        world = joint.express(sy.WORLD)
        forces = [m[j] * middles[j] for j in range(i, 3)]
        moments = [(centres[j] - starts[i]).cross(m[j] * middles[j]) for j in range(i, 3)]
        assert is_zero(world.force - sum(forces, sp.zeros(3, 1)))
        assert is_zero(world.moment - sum(moments, sp.zeros(3, 1)))
        assert is_zero(world.point - starts[i])


def test_published_fictitious_wrenches_of_the_last_segment(limb):
    """Seen from the frame of the segment before it, at the joint between them."""
    observer = limb.attachment(3)
    at_com = limb.bodies[2].fictitious_wrenches(observer)
    forces = {
        "dalembert": (Q(6, 25) * SIN(2 * t), Q(6, 25) * COS(2 * t) + Q(81, 50)),
        "euler": (0, 0),
        "centrifugal": (-Q(27, 50) * SIN(4 * t), Q(27, 50) * COS(4 * t)),
        "coriolis": (-Q(36, 25) * SIN(4 * t), Q(36, 25) * COS(4 * t)),
    }
    for name, (x, y) in forces.items():
        assert getattr(at_com, name).force == sp.ImmutableMatrix([x, y, 0]), name
    at_joint = at_com.translate((0, 0, 0))
    moment = -Q(6, 125) * SIN(6 * t) - Q(81, 250) * SIN(4 * t)
    assert at_joint.dalembert.moment == sp.ImmutableMatrix([0, 0, moment])
    # along the lever of the point mass: no moment
    for wrench in (at_joint.euler, at_joint.centrifugal, at_joint.coriolis):
        assert is_zero(wrench.moment)
    # and the balance closes: the last segment's joint wrench is the one of the inertial world
    dynamic = limb.bodies[2].dynamic_wrench(observer).translate((0, 0, 0))
    seen = dynamic - at_joint.total
    assert is_zero(seen.vector - limb.joint_wrenches[2].express(observer).vector)


def test_the_same_limb_as_a_robot(limb, load_robot):
    """Joint wrenches of `dynamics.joint_wrenches` in world and segment axes, without gravity."""
    robot = load_robot("limb", "fixed")
    still = np.zeros(3)
    for time in TIMES:
        q = RATES * time
        moving = dyn.joint_wrenches(robot, q, RATES, still)
        resting = dyn.joint_wrenches(robot, q, still, still)
        for i, ours in enumerate(limb.joint_wrenches, start=1):
            theirs = moving[f"joint_{i}"] - resting[f"joint_{i}"]
            T = dyn.frame_placement(robot, q, f"segment_{i}")
            local = theirs.expressed_in(f"segment_{i}", T.inverse())
            assert np.abs(numbers(ours, time) - local.vector).max() < 1e-12
            world = ours.express(sy.WORLD)
            assert np.abs(numbers(world, time) - theirs.vector).max() < 1e-12
            point = np.array(world.point.subs(t, time), float).ravel()
            assert np.abs(point - theirs.point).max() < 1e-12


def test_fictitious_wrenches_of_the_robot_are_the_published_ones(limb, load_robot):
    robot = load_robot("limb", "fixed")
    still = np.zeros(3)
    published = limb.bodies[2].fictitious_wrenches(limb.attachment(3)).translate((0, 0, 0))
    for time in TIMES:
        q = RATES * time
        before = biomechanics.frame_motion(robot, q, RATES, still, "segment_2", (0, 0.6, 0))
        found = biomechanics.fictitious_wrenches(robot, q, RATES, still, before)["joint_3"]
        for ours, theirs in zip(published, found.at(still), strict=True):
            assert np.abs(numbers(ours, time) - theirs.vector).max() < 1e-12


def planar_robot(lengths, masses, coms, inertias, gravity):
    model = pin.Model()
    model.gravity = pin.Motion(np.array([*gravity, 0, 0, 0], dtype=float))
    start = 0.0
    for i, (length, m, c, I) in enumerate(zip(lengths, masses, coms, inertias, strict=True)):  # noqa: E741
        place = pin.SE3(np.eye(3), np.array([0, start, 0]))
        joint = model.addJoint(i, pin.JointModelRZ(), place, f"joint_{i + 1}")
        inertia = pin.Inertia(m, np.array([0, c, 0]), np.diag([0, 0, I]))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        start = length
    tip = pin.SE3(np.eye(3), np.array([0, start, 0]))
    model.addFrame(pin.Frame("tip", len(lengths), tip, pin.FrameType.OP_FRAME))
    return fw.Robot("planar", model, actuated=tuple(model.names)[1:])


@pytest.mark.parametrize("n", [1, 2, 4])
def test_any_number_of_segments_with_inertia_gravity_friction_and_tip(n):
    rng = np.random.default_rng(n)
    lengths, masses, coms, inertias, viscous = rng.integers(1, 9, (5, n)) / 10
    rates, swings = rng.integers(1, 5, (2, n))
    angles = [k * t + Q(int(s), 5) * t**2 for k, s in zip(rates, swings, strict=True)]
    gravity, force, moment = (0.5, -9.81, 0), (3.0, -2.0, 1.0), (0.0, 1.0, 0.5)
    bodies = {"lengths": lengths, "masses": masses, "coms": coms, "inertias": inertias}
    forces = {"gravity": gravity, "tip": (force, moment), "viscous": viscous}
    limb = sy.Limb(n, angles=angles, **bodies, **forces)
    robot = planar_robot(**bodies, gravity=gravity)
    outside = {"tip": fw.Wrench(force, moment)}
    for time in (0.0, 0.7):
        q, v, a = (np.array([float(x.diff(t, k).subs(t, time)) for x in angles]) for k in range(3))
        theirs = dyn.joint_wrenches(robot, q, v, a, outside)
        for i, ours in enumerate(limb.joint_wrenches, start=1):
            vector = theirs[f"joint_{i}"].vector
            world = numbers(ours.express(sy.WORLD), time)
            assert np.abs(world - vector).max() < 1e-12 * (1 + np.abs(vector).max())
        moments = np.array(limb.joint_moments.subs(t, time), dtype=float).ravel()
        # friction resists: muscles have to add what it takes
        expected = dyn.inverse_dynamics(robot, q, v, a, outside) + viscous * v
        assert moments == pytest.approx(expected, abs=1e-11)


def test_limb_and_equations_of_motion_agree_in_symbols(load_robot):
    """τ of the recursion of wrenches is M θ̈ + C θ̇ − τ_g, as expressions of any θ(t)."""
    robot = load_robot("limb", "fixed")
    limb = sy.Limb(3, lengths=[0.8, 0.6, 0.4], masses=[0.7, 0.5, 0.3])
    equations = sy.from_robot(robot)
    theta = sp.Matrix(limb.angles)
    motion = dict(zip((*equations.q, *equations.v), (*theta, *theta.diff(t)), strict=True))
    torques = equations.M * theta.diff(t, 2) + equations.C * theta.diff(t) - equations.tau_g
    assert is_zero(torques.subs(motion) - limb.joint_moments)


def test_symbols_matrices_and_robot_agree_on_one_motion():
    """Three methods over a trial that speeds up: symbols, block matrices, a URDF's recursion."""
    lengths, masses = (0.5, 0.7, 0.3, 0.4), (1.1, 0.6, 0.9, 0.2)
    angles = [t, t**2 / 2, -t, Q(1, 3) * t**3]
    limb = sy.Limb(4, angles=angles, lengths=lengths, masses=masses)
    robot = fw.robots.limb(lengths, masses)
    times = np.linspace(0, 1.5, 6)
    q, v, a = (
        np.array([[float(x.diff(t, k).subs(t, s)) for x in angles] for s in times])
        for k in range(3)
    )
    segments = biomechanics.chain_of_robot(robot).segments
    chain = biomechanics.SegmentChain(segments, gravity=(0, 0, 0))
    blocks = chain.solve(biomechanics.motion_of_robot(robot, q, v, a))
    for i, ours in enumerate(limb.joint_wrenches, start=1):
        joint = f"joint_{i}"
        symbols = sp.lambdify(t, ours.express(sy.WORLD).vector)
        for k, time in enumerate(times):
            exact = np.asarray(symbols(time), dtype=float).ravel()
            matrices = blocks[joint][k].vector
            moving = dyn.joint_wrenches(robot, q[k], v[k], a[k])[joint]
            resting = dyn.joint_wrenches(robot, q[k], 0 * v[k], 0 * a[k])[joint]
            assert np.abs(exact - matrices).max() < 1e-11
            assert np.abs(exact - (moving - resting).vector).max() < 1e-11


def test_symbols_where_nothing_is_given():
    """One point mass on a rod: the textbook's force and moment."""
    limb = sy.Limb(1, gravity=(0, -sp.Symbol("g"), 0))
    theta, g = limb.angles[0], sp.Symbol("g")
    (l,), m = limb.lengths, limb.bodies[0].mass  # noqa: E741
    moment = m * l**2 / 4 * theta.diff(t, 2) - m * g * l / 2 * SIN(theta)
    assert is_zero(limb.joint_moments[0] - moment)
    pull = limb.joint_wrenches[0].force[1]
    assert is_zero(pull - m * g * COS(theta) + m * l / 2 * theta.diff(t) ** 2)
    assert r"\theta_{1}" in limb.joint_wrenches[0].latex()


def test_refusals(limb):
    for n in (0, -1, 2.0, True):
        with pytest.raises(fw.ConfigurationError, match="number of segments"):
            sy.Limb(n)
    for n, given, words in (
        (3, {"lengths": [1, 2]}, "lengths: got 2; expected 3"),
        (1, {"masses": ["heavy"]}, "masses: got 'heavy'"),
        (1, {"tip": (1, 2, 3)}, "a force"),
    ):
        with pytest.raises(fw.ConfigurationError, match=words):
            sy.Limb(n, **given)
    with pytest.raises(fw.ConfigurationError, match="from 2 to 3"):
        limb.attachment(1)
