"""Closures: loops of bodies and coupled joints, in files, configurations and motions."""

import copy
import pickle

import numpy as np
import pinocchio as pin
import pytest
from differences import along, gradient

from footwork import ConfigurationError, ModelError, contacts, dynamics, load
from footwork.dynamics import State
from footwork.errors import FootworkWarning
from footwork.robots import JointCoupling, LoopClosure, conventions, diagnose

BODY = '<geom type="capsule" fromto="0 0 0 0 0 {0}" size=".02" mass="{1}"/>'
# a leg of five bars, a ball joint, sites, a slider and a polynomial: what <equality> knows
FILE = f"""<mujoco><compiler angle="degree"/><worldbody>
<body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .05" mass="5"/>
 <body name="thigh" pos="0 .1 0" euler="0 20 0"><joint name="hip" axis="0 1 0"/>
  {BODY.format(-0.3, 1)}
  <body name="shank" pos="0 0 -.3" euler="0 -40 0"><joint name="knee" axis="0 1 0" ref="10"/>
   {BODY.format(-0.3, 0.5)}<body name="foot" pos="0 0 -.3" euler="10 20 5">
    <joint name="ankle" type="ball"/><geom size=".03" mass=".2"/>
    <site name="s2" pos=".01 .02 .03" euler="10 20 30"/></body></body></body>
 <body name="crank" pos=".1 .1 0" euler="0 30 0"><joint name="c" axis="0 1 0"/>
  {BODY.format(-0.2, 0.3)}
  <body name="rod" pos="0 0 -.2" euler="0 -35 0"><joint name="r" axis="0 1 0"/>
   {BODY.format(-0.25, 0.2)}<site name="s1" pos=".01 0 -.1"/></body></body>
 <body name="tail" pos="-.2 0 0"><joint name="t1" axis="0 1 0"/>{BODY.format(-0.1, 0.2)}
  <body name="tip" pos="-.2 0 0"><joint name="t2" axis="0 1 0"/>
   <joint name="t3" type="slide" axis="1 0 0" ref=".1"/>{BODY.format(-0.1, 0.1)}</body></body>
</body></worldbody>
<actuator><motor joint="hip"/><motor joint="c"/><motor joint="t1"/></actuator>
<equality>{{}}</equality></mujoco>"""
EVERY = """<connect name="loop" body1="rod" body2="shank" anchor="0 0 -.25"/>
<weld name="w" body1="crank" body2="tail" relpose=".1 .2 .3 1 .1 .2 .3"/>
<connect name="sites" site1="s1" site2="s2"/><weld body1="foot"/>
<joint name="j" joint1="t2" joint2="t1" polycoef=".1 .5 .2 -.3 .1"/>
<joint joint1="t3" polycoef=".05 0 0 0 0"/><joint name="off" active="false" joint1="t1"/>"""
LOOP = EVERY.splitlines()[0] + EVERY.splitlines()[3]
# what TALOS' hands, legs and head are held by here, whatever that may mean
AT = [
    pin.SE3(pin.exp3(np.array(w)), np.array(p))
    for w, p in [((0.3, 2, 1), (0.1, 0, 0.2)), ((1, 0, -1), (0, 0.3, 0))]
]
HANDS = "gripper_left_base_link", "gripper_right_base_link"
CLOSURES = (
    LoopClosure("hands", *HANDS, "weld", *AT),
    LoopClosure("knees", "leg_left_3_link", "leg_right_2_link", "hinge", *AT),
    LoopClosure("hung", "universe", "torso_2_link", "point", *AT),
    JointCoupling("gear", "arm_left_3_joint", "arm_right_2_joint", (0.1, 2.0, -0.3, 0.4), 0.2, 0.1),
    JointCoupling("stop", "head_1_joint", None, (0.1,)),
)
# closures of e whose derivative is J_c also where they are open: all but angles of hinge and weld
EXACT = [0, 1, 2, 6, 7, 8, 11, 12, 13, 14, 15]


@pytest.fixture(scope="module")
def talos():
    return load("talos", meshes=False).with_closures(CLOSURES)


@pytest.fixture(scope="module")
def leg():
    return load(FILE.format(LOOP))


def moving(robot, seed=0):
    """A state whose closures are closed, e = 0 and J_c v = 0."""
    rng = np.random.default_rng(seed)
    q = robot.close(robot.neutral() + 0) if seed is None else robot.random_configuration(rng)
    return State(robot, *dynamics.closed(robot, q, rng.standard_normal(robot.nv)))


# --- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_jacobian_and_drift_are_derivatives(talos, seed):
    rng = np.random.default_rng(seed)
    q = talos.with_closures(()).random_configuration(rng)
    v = rng.standard_normal(talos.nv)
    state = State(talos, q, v)
    J = gradient(talos, q, lambda p: State(talos, p).closure_error)
    np.testing.assert_allclose(state.closure_jacobian[EXACT], J[EXACT], atol=3e-9)
    drift = along(talos, q, v, lambda p: State(talos, p).closure_jacobian) @ v
    np.testing.assert_allclose(state.closure_drift, drift, atol=2e-8)


def test_angles_of_hinges_and_welds_move_with_their_rows_where_they_are_closed():
    """d log(R)/dt = ω at R = 1."""
    robot = load("talos", meshes=False)
    q, h = robot.posture("half_sitting"), 1e-6
    T = State(robot, q).relative_placement(HANDS[1], HANDS[0])
    for kind in ("hinge", "weld"):
        held = robot.with_closures([LoopClosure("hands", *HANDS, kind, AT[0], T.actInv(AT[0]))])
        state = State(held, q)
        np.testing.assert_allclose(state.closure_error, 0, atol=1e-15)
        for dq in h * np.eye(robot.nv)[10:20]:
            ahead, behind = (State(held, robot.integrate(q, s * dq)).closure_error for s in (1, -1))
            slope = (ahead - behind) / (2 * h)
            np.testing.assert_allclose(state.closure_jacobian @ dq / h, slope, atol=1e-9)


# --- files -----------------------------------------------------------------------------------


def in_mujoco(text, robot, *states, ctrl=0.0):
    """MuJoCo's data of a file at rest in each state, and how it turns velocities there."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    for q in states:
        data.qpos[:], data.qvel[:] = conventions.to_mujoco(robot, q, np.zeros(robot.nv))
        data.ctrl[:] = ctrl
        mujoco.mj_forward(model, data)
        turned = [conventions.to_mujoco(robot, q, e)[1] for e in np.eye(robot.nv)]
        yield data, np.transpose(turned)


def rows_of_mujoco(data, nv):
    return np.array(data.efc_J).reshape(-1, nv)[: data.ne]


@pytest.mark.filterwarnings("ignore:(?s).*do not close")  # nor need they, for their rows
def test_equalities_of_mjcf_are_those_of_mujoco():
    """Rows and errors of couplings as they are; of loops up to the axes that they are seen in."""
    text = FILE.format(EVERY)
    robot = load(text)
    assert [c.name for c in robot.closures] == ["loop", "w", "sites", "weld_3", "j", "joint_5"]
    assert robot.kept["closures"] == (6, 7)
    found = diagnose(text)
    assert any("'off': the constraint is left out: it is not active" in f.message for f in found)
    states = [robot.with_closures(()).random_configuration(seed) for seed in range(4)]
    for q, (data, turned) in zip(states, in_mujoco(text, robot, *states), strict=True):
        J, e, state = rows_of_mujoco(data, robot.nv) @ turned, data.efc_pos, State(robot, q)
        np.testing.assert_allclose(J[18:], state.closure_jacobian[18:], atol=1e-12)
        np.testing.assert_allclose(e[18:20], state.closure_error[18:], atol=1e-12)
        for k in (0, 3, 9, 12):  # positions
            expected = np.linalg.norm(state.closure_error[k : k + 3])
            assert np.linalg.norm(e[k : k + 3]) == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:(?s).*do not close")  # nor need they, for their rows
@pytest.mark.parametrize(
    ("weld", "kind"),
    [
        ('anchor=".01 .02 .1" relpose=".3 .02 0 .9 .1 .2 .3"', "weld"),
        ('anchor=".01 .02 .1" torquescale="0"', "point"),
        ('anchor=".01 .02 .1" relpose=".3 .02 0 .9 .1 .2 .3" torquescale="0"', "point"),
    ],
)
def test_the_anchor_and_the_torquescale_of_a_weld_count_as_in_mujoco(weld, kind):
    text = FILE.format(f'<weld body1="crank" body2="tail" {weld}/>')
    robot = load(text)
    (closure,) = robot.closures
    assert closure.kind == kind
    q = robot.with_closures(()).random_configuration(3)
    ((data, _),) = in_mujoco(text, robot, q)
    error = State(robot, q).closure_error
    assert np.linalg.norm(error[:3]) == pytest.approx(np.linalg.norm(data.efc_pos[:3]), abs=1e-12)
    assert bool(data.efc_pos[3:6].any()) == (kind == "weld")


def test_closed_loops_span_the_rows_of_mujoco(leg):
    """Where they are closed, J_c of both forbid the same motions."""
    q = leg.close(leg.neutral(), leg.joint_names)
    ((data, turned),) = in_mujoco(FILE.format(LOOP), leg, q)
    J = rows_of_mujoco(data, leg.nv) @ turned
    B = State(leg, q).closure_basis
    np.testing.assert_allclose(J - J @ B.T @ B, 0, atol=1e-9)
    assert np.linalg.matrix_rank(J, tol=1e-9) == len(B)


def test_forward_dynamics_is_that_of_mujoco_with_hard_constraints(leg):
    hard = EVERY.splitlines()[0].replace("/>", ' solimp=".99999 .99999 .001 .5 2"/>')
    robot, text = load(FILE.format(hard)), FILE.format(hard)
    q = robot.close(robot.neutral())
    ((data, turned),) = in_mujoco(text, robot, q, ctrl=(3.0, -2.0, 0.5))
    tau = np.array([{"hip": 3.0, "c": -2.0, "t1": 0.5}[name] for name in robot.actuated])
    a = dynamics.forward_dynamics(robot, q, np.zeros(robot.nv), tau)
    # at rest both accelerations are the same but for the axes of the base
    expected = np.linalg.solve(turned, data.qacc)
    np.testing.assert_allclose(a, expected, atol=2e-3 * np.abs(a).max())


URDF = """<robot name="linkage">
<link name="a">{0}</link><link name="b">{0}</link><link name="c">{0}</link><link name="d">{0}</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>{1}</joint>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0 0 -1"/>
<axis xyz="0 1 0"/>{1}<mimic joint="j" multiplier="-2" offset="0.3"/></joint>
<joint name="l" type="prismatic"><parent link="a"/><child link="d"/><axis xyz="1 0 0"/>{1}
<mimic joint="k" multiplier="0.1"/></joint>{2}</robot>""".format(
    '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>',  # noqa: E501
    '<limit lower="-2" upper="2" effort="9" velocity="9"/>',
    "{}",
)


def test_mimic_joints_follow_their_leaders():
    robot = load(URDF.format(""), base="fixed")
    assert robot.actuated == ("j",)
    assert robot.kept["closures"] == (2, 2)
    q = robot.close([0.2, 0.0, 0.0])
    np.testing.assert_allclose(q, [0.2, 0.3 - 0.4, 0.1 * (0.3 - 0.4)], atol=1e-12)
    locked = load(URDF.format(""), base="fixed", lock={"j": 0.5})
    np.testing.assert_allclose(locked.close([0, 0]), [0.3 - 1.0, -0.07], atol=1e-12)
    assert load(URDF.format(""), base="fixed", mimic="lock").nv == 1
    assert not load(URDF.format(""), base="fixed", mimic="independent").closures


def test_continuous_joints_follow_beyond_half_a_turn():
    text = URDF.format("").replace('name="k" type="revolute"', 'name="k" type="continuous"')
    robot = load(text, base="fixed")
    for x in (-1.9, 0.3, 1.9):
        q = robot.close([x, 1.0, 0.0, 0.0])
        np.testing.assert_allclose(q[1:3], [np.cos(0.3 - 2 * x), np.sin(0.3 - 2 * x)], atol=1e-11)
        np.testing.assert_allclose(State(robot, q).closure_error, 0, atol=1e-11)


def test_a_mimic_joint_has_the_dynamics_of_its_transmission():
    """M and τ of the one freedom left: with q = g(x), m = gᵀM g, and m ẍ + … = τ_j."""
    robot = load(URDF.format(""), base="fixed")
    g = np.array([1.0, -2.0, -0.2])
    q = robot.close([0.4, 0.0, 0.0])
    a = dynamics.forward_dynamics(robot, q, 0.7 * g, [3.0])
    state = State(robot, q, 0.7 * g)
    expected = (3.0 - g @ state.bias) / (g @ state.mass_matrix @ g)
    np.testing.assert_allclose(a, expected * g, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:(?s).*do not close")  # nor need they, for their rows
def test_loop_joints_are_read():
    end = '<link1 link="c" xyz="0 0 -1"/><link2 link="a" xyz="0 0 -1" rpy="0 0 0"/>'
    kinds = {"continuous": "hinge", "fixed": "weld", "ball": "point", "": "hinge"}
    for given, kind in kinds.items():
        typed = f'type="{given}"' if given else ""
        loop = f'<loop_joint name="rod" {typed}>{end}<axis xyz="0 1 0"/></loop_joint>'
        (rod, *_) = load(URDF.format(loop), base="fixed").closures
        assert (rod.name, rod.frame_1, rod.frame_2, rod.kind) == ("rod", "c", "a", kind)
        np.testing.assert_allclose(rod.placement_1.rotation[:, 2], [0, 1, 0], atol=1e-15)
    lost = '<loop_joint name="rod"><link1 link="c"/><link2 link="nobody"/></loop_joint>'
    with pytest.warns(FootworkWarning, match="'rod': .* left out: 'nobody' is no link"):
        assert len(load(URDF.format(lost)).closures) == 2
    flat = f'<loop_joint name="rod">{end}<axis xyz="0 0 0"/></loop_joint>'
    with pytest.raises(ModelError, match="its axis has no length"):
        load(URDF.format(flat))


@pytest.mark.filterwarnings("ignore:(?s).*do not close")  # nor need they, for their rows
def test_locked_ends_and_joints_leave_no_row_behind():
    fixed = load(FILE.format(EVERY), lock=["t1", "t2", "c", "r"])
    assert "j" not in [closure.name for closure in fixed.closures]
    with pytest.warns(FootworkWarning, match="'t2' is locked, 't1' is not"):
        load(FILE.format(EVERY.splitlines()[3]), lock=["t2"])
    (stands,) = load(FILE.format(EVERY.splitlines()[3]), lock={"t1": 0.5}).closures
    assert stands.leader is None
    assert stands.coefficients[0] == pytest.approx(0.1 + 0.25 + 0.05 - 0.0375 + 0.00625)


# --- configurations --------------------------------------------------------------------------


def test_joints_without_a_motor_close_the_loops(leg):
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = leg.neutral()
        q[7:] += 0.1 * rng.standard_normal(leg.nq - 7) * (leg.nq > 0)
        q[:7] = leg.with_closures(()).random_configuration(rng)[:7]
        loop = leg.with_closures([leg.closures[0]])
        tree = loop.with_closures(())
        q = tree.integrate(tree.neutral(), 0.1 * rng.standard_normal(tree.nv))
        closed = loop.close(q)
        np.testing.assert_allclose(State(loop, closed).closure_error, 0, atol=1e-12)
        moved = np.flatnonzero(np.abs(tree.difference(q, closed)) > 1e-9)
        assert {tree.joint_of_row[i] for i in moved} <= {"knee", "r"}


def test_what_cannot_close_is_said(leg):
    pairs = zip("ab", AT, strict=True)
    two = [LoopClosure(name, "universe", "foot", placement_1=T) for name, T in pairs]
    far = leg.with_closures(two)
    with pytest.raises(ConfigurationError, match=r"'(a|b)' stays open by"):
        far.close(far.neutral())
    with pytest.raises(ConfigurationError, match=r"open by .*robot\.close"):
        dynamics.forward_dynamics(far, far.neutral(), np.zeros(far.nv), np.zeros(far.na))


def test_loops_that_close_nowhere_are_told_when_they_are_loaded():
    """A rod of a metre between points that are ten metres apart."""
    far = '<link1 link="c"/><link2 link="a" xyz="0 0 9"/>'
    text = URDF.format(f'<loop_joint name="rod">{far}</loop_joint>')
    with pytest.warns(FootworkWarning, match="its loops do not close.*'rod' stays open by"):
        load(text)
    assert [f.level for f in diagnose(text) if "do not close" in f.message] == ["warning"]
    with pytest.raises(ModelError, match="do not close"):
        load(text, strict=True)
    key = '<keyframe><key name="open" qpos="0 0 0 1 0 0 0 1 3 1 0 0 0 3 3 0 0 0.1"/></keyframe>'
    short = FILE.format(EVERY.splitlines()[0]).replace('anchor="0 0 -.25"', 'anchor="0 0 -.25"')
    assert load(short.replace("</mujoco>", key + "</mujoco>")).closures


def test_what_a_lock_or_a_file_leaves_out_of_couplings_is_said():
    with pytest.warns(FootworkWarning, match="'k'.*is locked, but its leader 'j' is not"):
        assert load(URDF.format(""), lock=["k"]).kept["closures"] == (1, 2)
    end = '<link1 link="c"><origin xyz="0 0 1"/></link1><link2 link="a" xzy="0 0 1"/>'
    words = " ".join(f.message for f in diagnose(URDF.format(f"<loop_joint>{end}</loop_joint>")))
    assert "origin" in words
    assert "xzy" in words


def test_closures_of_what_is_not_there_are_refused(talos):
    for bad in (LoopClosure("x", "hand", "torso_2_link"), JointCoupling("x", "elbow", None)):
        with pytest.raises(ConfigurationError, match=r"hand|elbow"):
            talos.with_closures([bad])
    with pytest.raises(ConfigurationError, match="'stop' twice"):
        talos.with_closures([CLOSURES[-1], CLOSURES[-1]])
    with pytest.raises(ConfigurationError, match="'point', 'hinge' or 'weld'"):
        LoopClosure("x", "a", "b", "glue")
    again = pickle.loads(pickle.dumps(talos))
    q = talos.neutral()
    for twin in (again, copy.deepcopy(talos)):
        np.testing.assert_array_equal(State(twin, q).closure_error, State(talos, q).closure_error)


FIVE_BARS = """<body name="{0}_a" pos="{1} {2} 0" euler="0 60 0">
 <joint name="{0}_a" axis="0 1 0" range="-90 90"/>{a}
 <body name="{0}_al" pos="0 0 -.1" euler="0 -90 0">
 <joint name="{0}_al" axis="0 1 0" range="-90 90"/>{b}<geom size=".03" pos="0 0 -.2" mass=".02"/>
 <site name="{0}_b" pos="0 0 -.2"/></body></body>
<body name="{0}_b" pos="{1} {2} 0" euler="0 -60 0"><joint name="{0}_b" axis="0 1 0" range="-90 90"/>
 {a}<body name="{0}_bl" pos="0 0 -.1" euler="0 90 0">
 <joint name="{0}_bl" axis="0 1 0" range="-90 90"/>{b}
 <site name="{0}_al" pos="0 0 -.2"/></body></body>"""
PLACES = {"fl": (0.2, 0.12), "fr": (0.2, -0.12), "hl": (-0.2, 0.12), "hr": (-0.2, -0.12)}


def five_bar_quadruped():
    """Two motors and two passive knees a leg; its sites have names of bodies, as files may."""
    bars = {"a": BODY.format(-0.1, 0.1), "b": BODY.format(-0.2, 0.05)}
    legs = "".join(FIVE_BARS.format(leg, *place, **bars) for leg, place in PLACES.items())
    loops = "".join(f'<connect name="{n}" site1="{n}_b" site2="{n}_al"/>' for n in PLACES)
    motors = "".join(f'<motor joint="{n}_{k}" ctrlrange="-5 5"/>' for n in PLACES for k in "ab")
    return load(
        '<mujoco model="five bars"><worldbody><body name="trunk" pos="0 0 .5"><freejoint/>'
        f'<geom type="box" size=".25 .1 .03" mass="4"/>{legs}</body></worldbody>'
        f"<actuator>{motors}</actuator><equality>{loops}</equality></mujoco>"
    )


def test_a_robot_stands_on_legs_of_closed_loops():
    """One foot a leg, although two chains of joints lead to each; motors hold it."""
    robot = five_bar_quadruped()
    assert robot.stance == "standing (solved: on its feet, joints within their ranges)"
    assert sorted(robot.feet) == ["fl_al", "fr_al", "hl_al", "hr_al"]
    q = robot.posture()
    np.testing.assert_allclose(State(robot, q).closure_error, 0, atol=1e-9)
    hold = contacts.static_hold(robot, q, contacts.at_feet(robot, feet=dict(robot.feet)))
    assert hold.feasible
    # a leg's two motors carry a quarter of the weight: by symmetry they pull alike
    np.testing.assert_allclose(hold.torques[::2], -hold.torques[1::2], atol=1e-9)


ON_THE_WORLD = """<mujoco><default><site pos="0 0 .1"/></default><worldbody>
<frame pos="0 0 1" euler="0 30 0"><site name="hook" pos=".2 0 0"/></frame>
<body name="wall" pos="1 0 0" euler="0 90 0"><geom size=".1"/><site name="nail"/></body>
<body><joint axis="0 1 0"/><geom size=".1"/><body pos="1 0 0"><joint axis="0 1 0"/><geom size=".1"/>
<site name="tip" pos="0 0 -.5"/></body></body></worldbody>
<equality><connect site1="tip" site2="{0}"/></equality></mujoco>"""


@pytest.mark.parametrize("site", ["hook", "nail"])
def test_a_loop_may_end_at_a_site_of_the_world_or_of_scenery(site):
    mujoco = pytest.importorskip("mujoco")
    text = ON_THE_WORLD.format(site)
    robot, model = load(text), mujoco.MjModel.from_xml_string(text)
    data, q = mujoco.MjData(model), np.array([0.3, -0.7])
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    apart = np.linalg.norm(data.site("tip").xpos - data.site(site).xpos)
    assert np.linalg.norm(State(robot, q).closure_error) == pytest.approx(apart)
    with pytest.raises(ModelError, match="no site 'hock'; did you mean 'hook'"):
        load(ON_THE_WORLD.format("hock"))


# --- motion ----------------------------------------------------------------------------------


def test_forward_dynamics_keeps_the_closures_and_does_no_work(talos):
    """J_c a + J̇_c v = 0; what is left of the equations of motion is in the rows of J_c."""
    held = talos.with_closures([CLOSURES[3], CLOSURES[2]])
    for seed in range(3):
        state = moving(held, seed)
        tau = np.random.default_rng(seed).standard_normal(held.na)
        a = state.forward_dynamics(tau)
        kept = state.closure_jacobian @ a + state.closure_drift
        np.testing.assert_allclose(kept, 0, atol=1e-9)
        left = state.inverse_dynamics(a) - held.selection_matrix.T @ tau
        B = state.closure_basis
        np.testing.assert_allclose(left, B.T @ (B @ left), atol=1e-9)
        assert left @ state.v == pytest.approx(0, abs=1e-9)  # power of the closures' forces
        np.testing.assert_allclose(dynamics.forward_dynamics(held, state.q, state.v, tau), a)


@pytest.mark.parametrize("kind", ["point", "weld"])
def test_forward_dynamics_is_pinocchios_constrained_one(kind):
    robot = load("talos", meshes=False)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        q = robot.random_configuration(rng)
        T = State(robot, q).relative_placement(HANDS[1], HANDS[0])
        held = robot.with_closures([LoopClosure("hands", *HANDS, kind, T)])
        q, v = dynamics.closed(held, q, rng.standard_normal(robot.nv))
        tau = rng.standard_normal(robot.na)
        model = robot.model
        one, two = (model.frames[robot.frame_id(end)] for end in HANDS)
        size = {"point": "CONTACT_3D", "weld": "CONTACT_6D"}[kind]
        rigid = pin.RigidConstraintModel(
            getattr(pin.ContactType, size), model, one.parentJoint, one.placement * T,
            two.parentJoint, two.placement, pin.ReferenceFrame.LOCAL,
        )  # fmt: skip
        data = model.createData()
        rigids, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        rigids.append(rigid)
        datas.append(rigid.createData())
        pin.initConstraintDynamics(model, data, rigids, datas)
        forces = robot.selection_matrix.T @ tau
        settings = pin.ProximalSettings(1e-14, 0.0, 30)
        a = pin.constraintDynamics(model, data, q, v, forces, rigids, datas, settings)
        mine = dynamics.forward_dynamics(held, q, v, tau)
        np.testing.assert_allclose(mine, a, atol=1e-8 * np.abs(a).max())


def test_a_weld_is_a_fixed_joint():
    """A side branch that is welded to the trunk accelerates as if it were part of it."""
    text = FILE.format("")
    tree = load(text)
    q = tree.neutral()
    T = State(tree, q).relative_placement("shank", "trunk")
    held = tree.with_closures([LoopClosure("w", "trunk", "shank", "weld", T)])
    fixed = load(text, lock={"hip": 0.0, "knee": 0.0}, passive=["ankle"])
    tau = np.array([0.0, 2.0, 0.5])
    a = dynamics.forward_dynamics(held, q, np.zeros(held.nv), tau)
    rows = [i for i, n in enumerate(held.joint_of_row) if n not in ("hip", "knee")]
    assert [held.joint_of_row[i] for i in rows] == list(fixed.joint_of_row)
    motors = np.array([tau[held.actuated.index(name)] for name in fixed.actuated])
    expected = dynamics.forward_dynamics(fixed, fixed.neutral(), np.zeros(fixed.nv), motors)
    np.testing.assert_allclose(a[rows], expected, atol=1e-9)


def test_simulation_keeps_loops_and_energy(leg):
    loop = leg.with_closures([leg.closures[0]])
    q, v = dynamics.closed(loop, loop.posture(), np.ones(loop.nv))
    motion = dynamics.simulate(loop, q, v, duration=0.3, step=1e-3)
    for i in (100, 300):
        state = State(loop, motion.q[i], motion.v[i])
        np.testing.assert_allclose(state.closure_error, 0, atol=1e-12)
        np.testing.assert_allclose(state.closure_jacobian @ state.v, 0, atol=1e-10)
    assert np.ptp(motion.energy) < 1e-6 * abs(motion.energy[0])
    with pytest.raises(ConfigurationError, match="moves apart at"):
        dynamics.simulate(loop, q, v + 1, duration=0.1, step=1e-2)


def test_what_knows_the_tree_alone_says_so(leg):
    q, v, tau = leg.posture(), np.zeros(leg.nv), np.zeros(leg.na)
    calls = [
        lambda: dynamics.linearise(leg, q, v, tau),
        lambda: dynamics.forward_dynamics_derivatives(leg, q, v, tau),
        lambda: dynamics.batch.forward_dynamics(leg, q[None], v[None], tau[None]),
        lambda: dynamics.contact_derivatives(leg, q, v, tau, {"foot": 3}),
    ]
    for call in calls:
        with pytest.raises(ModelError, match=r"does not know closures.*with_closures\(\(\)\)"):
            call()
