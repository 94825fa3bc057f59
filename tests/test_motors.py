"""Motors whose torques depend on their speed: their bounds, and verdicts within them."""

import pickle
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

from footwork import contacts, control, dynamics, robots
from footwork.errors import ConfigurationError, FootworkError, ModelError

EXAMPLE = Path(__file__).parents[1] / "examples" / "g1_motors.yaml"
KNEE = {"peak": 100.0, "no_load": 20.0, "corner": 8.0, "braking": 120.0, "continuous": 30.0}


@pytest.fixture(scope="module", params=["g1", "go2", "talos"])
def robot(request, load_robot):
    """A robot whose motors give less at speed, all of them other ones."""
    plain = load_robot(request.param, "floating")
    shares = np.random.default_rng(3).uniform(0.4, 0.9, plain.na)
    each = zip(plain.actuated, plain.torque_limits, shares, strict=True)
    return plain.with_motors({
        name: robots.Motor.of(x * most, 14.0, 2.0, braking=most)
        for name, most, x in each if np.isfinite(most)
    })  # fmt: skip


def with_knees(plain, **motor):
    """A biped with other knees."""
    return plain.with_motors({"*_knee": motor or KNEE})


# --- bounds --------------------------------------------------------------------------------------


MOTORS = [
    robots.Motor.of(40.0, 20.0, 5.0, braking=50.0),
    robots.Motor.of(40.0),
    robots.Motor.dc(60.0, 45.0, 20.0),
    robots.Motor.measured(10.0, 18.0, 40.0, 55.0),
    robots.Motor([(0, 50), (3, 45), (8, 10)], [(1, 60), (9, 30)]),
    robots.Motor.of(2.0, 300.0).geared(20.0, 0.9),
]


@pytest.mark.parametrize("motor", MOTORS)
def test_bounds_are_the_curves_in_four_quadrants(biped, motor):
    speeds = np.concatenate([np.linspace(-40, 40, 801), [s for s, _ in motor.driving]])
    V = np.tile(speeds[:, None], (1, biped.nv))
    lower, upper = biped.with_motors({"*": motor}).motors.bounds(V)
    curves = motor.driving, motor.braking
    driving, braking = (np.interp(abs(speeds), *np.transpose(c))[:, None] for c in curves)
    for found, brakes in ((upper, speeds < 0), (-lower, speeds > 0)):
        expected = np.where(brakes[:, None], braking, driving) * np.ones(biped.na)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_a_dc_motor_is_that_of_isaac_lab(biped):
    s, limit, v0, V = 60.0, 45.0, 20.0, np.linspace(-60, 60, 501)
    near = np.clip(V, -v0 * (1 + limit / s), v0 * (1 + limit / s))
    motors = biped.with_motors({"*": robots.Motor.dc(s, limit, v0)}).motors
    lower, upper = motors.bounds(np.tile(V[:, None], (1, biped.nv)))
    np.testing.assert_allclose(upper[:, 0], np.minimum(s * (1 - near / v0), limit), atol=1e-12)
    np.testing.assert_allclose(lower[:, 0], np.maximum(s * (-1 - near / v0), -limit), atol=1e-12)


def test_the_slopes_of_bounds_are_their_differences(biped):
    motors = biped.with_motors(dict(zip(biped.actuated, MOTORS, strict=False))).motors
    V, h = np.random.default_rng(0).uniform(-30, 30, (200, biped.nv)), 1e-6
    before, after = np.array(motors.bounds(V - h)), np.array(motors.bounds(V + h))
    np.testing.assert_allclose(motors.slopes(V), (after - before) / (2 * h), atol=1e-6)
    corner = np.zeros(biped.nv)
    corner[biped.actuated_rows[0]] = 5.0
    assert np.isnan(motors.slopes(corner)[1]).tolist()[:2] == [True, False]
    assert np.isnan(motors.slopes(0 * corner)[1])[0]  # braking jumps to driving


def test_continuous_torques_are_the_motors_own(biped):
    robot = biped.with_motors({"*": robots.Motor.of(40.0, 20.0, continuous=12.0)})
    V = np.zeros((2, biped.nv))
    V[1] = 17.0
    lower, upper = robot.motors.bounds(V, continuous=True)
    np.testing.assert_allclose(upper[:, 0], [12.0, 6.0])
    np.testing.assert_allclose(lower, -12.0)
    with pytest.raises(ConfigurationError, match="not known of left_hip"):
        with_knees(biped).motors.bounds(V, continuous=True)


def test_without_data_everything_is_as_the_limits_say(biped):
    V = 30 * np.random.default_rng(0).standard_normal((5, biped.nv))
    lower, upper = biped.motors.bounds(V)
    np.testing.assert_array_equal(upper, np.tile(biped.torque_limits, (5, 1)))
    np.testing.assert_array_equal(lower, -upper)
    peaks = zip(biped.actuated, biped.torque_limits, strict=True)
    level = biped.with_motors({name: {"peak": most} for name, most in peaks})
    q, v, pair = biped.posture(), 0.5 * V[0] / 30, (-upper[0], upper[0])
    plain = contacts.contact_forces(biped, q, v, 0 * v, contacts.at_feet(biped))
    for robot, limits in ((level, True), (biped, biped.torque_limits), (biped, pair)):
        feet = contacts.at_feet(robot)
        ours = contacts.contact_forces(robot, q, v, 0 * v, feet, torque_limits=limits)
        assert (ours.margin, ours.torque_margin) == (plain.margin, plain.torque_margin)
        np.testing.assert_array_equal(ours.torques, plain.torques)


def test_motors_stay_with_the_robot(biped):
    robot = with_knees(biped)
    row = biped.actuated.index("left_knee")
    assert robot.torque_limits[row] == 120.0  # the largest at any speed
    for other in (pickle.loads(pickle.dumps(robot)), robot.with_payload(biped.frame_names[1], 2.0)):
        assert other.motors.bounds(np.zeros(biped.nv))[1][row] == 100.0
    again = robot.with_motors({"left_knee": {"peak": 70}})
    assert again.motors.bounds(np.zeros(biped.nv))[1][row] == 70.0
    assert again.motor_data["right_knee"] == robot.motor_data["right_knee"]


# --- mappings and files --------------------------------------------------------------------------


FILES = {
    "motors.yaml": """
        "*_knee": {peak: 100 N·m, no_load: 20 rad/s, corner: 8, braking: 120, continuous: 30 Nm}
        left_hip_pitch: {saturation_effort: 60, effort_limit: 45, velocity_limit: 300 rpm}
        "*": {driving: [[0, 50], [9, 0]], gear: 2}
    """,
    "motors.csv": """joint,peak [N·m],no_load [rpm],corner [rad/s],braking,continuous
        *_knee,100,190.98593171027440,8,120,30
        left_hip_pitch,60,300,,,
        *,50,90,0,,
    """,
    "table.csv": """joint,speed [rad/s],torque [N·m],braking [N·m],continuous
        *_knee,0,100,120,30
        *_knee,8,100,120,30
        *_knee,20,0,120,
    """,
}


@pytest.mark.parametrize("name", FILES)
def test_files_have_motors_of_joints_and_patterns(biped, tmp_path, name):
    path = tmp_path / name
    path.write_text("\n".join(line.strip() for line in FILES[name].splitlines()))
    robot = robots.load("biped", motors=path)
    V = np.random.default_rng(0).uniform(-25, 25, (50, biped.nv))
    row = biped.actuated.index("right_knee")
    ours, theirs = (np.array(r.motors.bounds(V))[:, :, row] for r in (robot, with_knees(biped)))
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert robot.motor_data["right_knee"].continuous == 30
    assert ("right_hip_pitch" in robot.motor_data) == (name != "table.csv")


@pytest.mark.parametrize(
    ("motors", "words"),
    [
        ({"left_kne": {"peak": 1}}, "did you mean 'left_knee'"),
        ({"*_kne": {"peak": 1}}, "no actuated joint that matches '\\*_kne'"),
        ({"*knee": {"peak": 1}, "left*": {"peak": 1}}, "is meant by '\\*knee' and 'left\\*'"),
        ({"*": {"peek": 1}}, "did you mean 'peak'"),
        ({"*": {"peak": 1, "X1": 2}}, "got peak, X1; expected peak"),
        ({"*": {"peak": "3 furlong"}}, "expected a number, or one in N·m"),
        ({"*": {"peak": -1}}, "expected a finite number above 0"),
        ({"*": {"peak": 5, "no_load": 3, "corner": 4}}, "no_load: got 3"),
        ({"*": {"peak": 5, "corner": 4}}, "no_load: got none"),
        ({"*": {"X1": 1, "X2": 2}}, "expected peak"),
        ({"*": {"driving": [[1, 5], [0, 2]]}}, "expected them ascending"),
        ({"*": {"driving": [[0, 5], [1, -6]]}}, "expected braking of at least −driving"),
        ({"*": 3}, "got 3, expected a mapping"),
        ("nowhere.yaml", "no such file"),
        ("motors.txt", "expected a file of motors"),
    ],
)
def test_what_is_no_motor_is_refused_in_words(biped, motors, words):
    with pytest.raises(FootworkError, match=words):
        biped.with_motors(motors)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.yaml", "", "an empty file"),
        ("a.yaml", "a: [", "no YAML"),
        ("a.csv", "peak\n3", "expected joint"),
        ("a.csv", "joint,peek\n*,3", "no column 'peek'"),
        ("a.csv", "joint,peak\n*,3,4", "line 2: got 3 values"),
        ("a.csv", "joint,peak\n*,3\n*,4", "twice"),
        ("a.csv", "joint,peak [oz]\n*,3", "expected a number, or one in"),
        ("a.csv", "joint,speed,torque\n*,,4", "speed: got a row without one"),
        ("a.csv", "joint,peak\nknee,4", "no actuated joint 'knee'"),
    ],
)
def test_files_that_have_no_motors_are_refused_in_words(biped, tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match=words):
        biped.with_motors(tmp_path / name)


def test_the_motors_of_g1_in_the_examples(load_robot):
    robot = load_robot("g1", "floating").with_motors(EXAMPLE)
    left = {name for name in robot.actuated if name not in robot.motor_data}
    ankles = {name for name in left if "ankle" in name}
    assert left - ankles == {"waist_roll_joint", "waist_pitch_joint"}
    assert len(ankles) == 4
    lower, upper = robot.motors.bounds(np.full(robot.nv, 20.0))
    knee = robot.actuated.index("left_knee_joint")
    assert upper[knee] == pytest.approx(111 * (22.7 - 20) / (22.7 - 14.5))
    assert lower[knee] == pytest.approx(-131 * (22.7 - 20) / (22.7 - 14.5))


def test_motors_of_locked_joints_may_be_in_the_file():
    robot = robots.load("biped", lock=["left_knee"], motors={"left_knee": KNEE, "right_knee": KNEE})
    assert set(robot.motor_data) == {"right_knee"}


def test_the_flag_of_the_command(run, tmp_path):
    (tmp_path / "weak.yaml").write_text("'*': {peak: 1}")
    code, out, _ = run("hold", "biped", "--motors", str(tmp_path / "weak.yaml"))
    assert code == 1
    assert "torque limits" in out


# --- verdicts ------------------------------------------------------------------------------------


def moving(robot, seed, share):
    """A state with fast joints, and an acceleration that asks motors for a share of their torques.

    M a + vᵀCv − τ_g is that at rest, and the share in the joints.
    """
    rng = np.random.default_rng(seed)
    v = np.concatenate([0.1 * rng.standard_normal(6), 5 * rng.standard_normal(robot.nv - 6)])
    q = robot.integrate(robot.posture(), 0.03 * rng.standard_normal(robot.nv))
    limits = np.where(np.isfinite(robot.torque_limits), robot.torque_limits, 10.0)
    asked = robot.selection_matrix.T @ (share * limits * rng.uniform(-1, 1, robot.na))
    fast = dynamics.bias(robot, q, v) - dynamics.bias(robot, q, 0 * v)
    return q, v, np.linalg.solve(dynamics.mass_matrix(robot, q), asked - fast)


def margins_by_hand(robot, q, v, a, feet, lower, upper):
    """ε and the torque margin, written with cvxpy as the equations stand."""
    weight, S = robot.mass * 9.81, robot.selection_matrix
    tau, epsilon, slack = cp.Variable(robot.na), cp.Variable(), cp.Variable()
    given, pull, cones = S.T @ tau, np.zeros(robot.nv), []
    for contact in feet:
        J, T = dynamics.frame_jacobian(robot, q, contact.frame), contact.pose(robot, q)
        origin = dynamics.frame_placement(robot, q, contact.frame).translation
        for point in contact.world_points(robot, q):
            f = cp.Variable(3)
            given = given + (J[:3] + np.cross(J[3:].T, point - origin).T).T @ T.rotation @ f
            cones.append(cp.norm(f[:2]) <= contact.friction * f[2])
        centre = J[:3] + np.cross(J[3:].T, T.translation - origin).T
        pull += centre.T @ T.rotation[:, 2]
    asked = dynamics.inverse_dynamics(robot, q, v, a) / weight
    low, high, bounded = lower / weight, upper / weight, np.isfinite(upper)
    within = [tau[bounded] <= high[bounded], tau[bounded] >= low[bounded]]
    left = cp.multiply(((high - low) / 2)[bounded], slack)
    narrow = [tau[bounded] <= high[bounded] - left, tau[bounded] >= low[bounded] + left]
    squeezed = cp.Problem(cp.Maximize(epsilon), [given + epsilon * pull == asked, *cones, *within])
    strong = cp.Problem(cp.Maximize(slack), [given == asked, *cones, *narrow])
    how = {"solver": "CLARABEL", "tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11}
    return weight * squeezed.solve(**how), strong.solve(**how)


@pytest.mark.parametrize(("seed", "share"), [(0, 0.3), (1, 0.3), (2, 0.8)])
def test_verdicts_at_speed_are_those_of_a_program_written_by_hand(robot, seed, share):
    feet, (q, v, a) = contacts.at_feet(robot, 0.7), moving(robot, seed, share)
    lower, upper = robot.motors.bounds(v)
    epsilon, slack = margins_by_hand(robot, q, v, a, feet, lower, upper)
    for solver in (None, "clarabel", "cvxpy"):
        hold = contacts.contact_forces(robot, q, v, a, feet, solver=solver)
        if np.isfinite(epsilon):
            assert hold.margin == pytest.approx(epsilon, abs=1e-6)
        else:
            assert not hold.margin > -np.inf  # nan where a solver does not find it
        assert hold.torque_margin == pytest.approx(slack, abs=1e-6)
        assert hold.feasible == (epsilon > 0)
        if hold.feasible:
            assert (hold.torques >= lower - 1e-9).all()
            assert (hold.torques <= upper + 1e-9).all()
        else:
            speeds = robot.selection_matrix @ hold.certificate
            least = np.minimum(lower * speeds, upper * speeds)[np.isfinite(upper)].sum()
            assert least - hold.certificate @ dynamics.inverse_dynamics(robot, q, v, a) > 0


def test_batches_ask_the_motors_of_every_row(robot):
    feet = contacts.at_feet(robot, 0.7)
    rows = [np.array(x) for x in zip(*(moving(robot, i, 0.2 * i) for i in range(5)), strict=True)]
    many = contacts.batch.contact_forces(robot, *rows, feet, torque_margin=True)
    for i, row in enumerate(zip(*rows, strict=True)):
        one = contacts.contact_forces(robot, *row, feet)
        assert many.feasible[i] == one.feasible
        assert many.torque_margin[i] == pytest.approx(one.torque_margin, abs=1e-6)
        if one.feasible:
            np.testing.assert_allclose(many.torques[i], one.torques, atol=1e-6)


def uneven(robot, share=0.25, seed=0):
    """Bounds that are not symmetric, and narrow."""
    rng = np.random.default_rng(seed)
    most = share * np.where(np.isfinite(robot.torque_limits), robot.torque_limits, 50.0)
    return -most * rng.uniform(0.4, 1, robot.na), most * rng.uniform(0.4, 1, robot.na)


def bent(robot, seed):
    """A posture that is a little off the one to stand in."""
    step = 0.05 * np.random.default_rng(seed).standard_normal(robot.nv)
    return robot.integrate(robot.posture(), step)


def test_regions_keep_to_bounds_that_are_not_symmetric(biped):
    """Its corners hold, and no line of the outer polygon can be crossed, by the margin by hand."""
    q, feet, zero = biped.posture(), contacts.at_feet(biped, 0.7), np.zeros(biped.nv)
    lower, upper = uneven(biped)
    region = contacts.feasible_region(biped, q, feet, torque_limits=(lower, upper), tolerance=1e-4)
    free = contacts.feasible_region(biped, q, feet, torque_limits=False, tolerance=1e-4)
    assert 0 < region.area < 0.98 * free.area
    com = dynamics.com(biped, q)
    weight = biped.mass * np.array([0, 0, -9.81])

    def shifted(corner):
        """The acceleration that asks for what the weight at another place does."""
        couple = np.zeros(biped.nv)
        couple[3:6] = np.cross(np.append(corner - com[:2], 0), weight)  # the base is upright
        return -np.linalg.solve(dynamics.mass_matrix(biped, q), couple)

    def scaled(corners, factor):
        return corners.mean(axis=0) + factor * (corners - corners.mean(axis=0))

    limits = {"torque_limits": (lower, upper), "solver": "cvxpy"}
    for inside in scaled(region.vertices, 0.999)[::3]:
        assert contacts.contact_forces(biped, q, zero, shifted(inside), feet, **limits).feasible
    for outside in scaled(region.outer, 1.01)[::3]:
        epsilon, _ = margins_by_hand(biped, q, zero, shifted(outside), feet, lower, upper)
        assert not epsilon > 0


def test_the_margin_changes_with_bounds_as_its_gradient_says(biped):
    q, feet, zero = bent(biped, 1), contacts.at_feet(biped, 0.7), np.zeros(biped.nv)
    lower, upper = uneven(biped, 0.15, seed=1)
    hold = contacts.static_hold(biped, q, feet, torque_limits=(lower, upper))
    gradient = contacts.margin_gradient(hold)
    met = np.flatnonzero(gradient.torque_limits > 1e-3)
    assert len(met)
    for row in met:
        apart = 1e-4 * np.eye(biped.na)[row]
        wider, narrower = (
            margins_by_hand(biped, q, zero, zero, feet, lower - s * apart, upper + s * apart)[0]
            for s in (1, -1)
        )
        assert gradient.torque_limits[row] == pytest.approx((wider - narrower) / 2e-4, rel=1e-3)


def test_least_torques_are_those_from_zero_not_from_the_middle(biped):
    q, feet = bent(biped, 1), contacts.at_feet(biped, 0.7)
    bounds = uneven(biped, 0.2, seed=1)
    holds = [
        contacts.static_hold(biped, q, feet, torque_limits=bounds, objective=o, solver=s)
        for o, s in (("least_torque", None), ("least_torque", "cvxpy"), ("least_norm", None))
    ]
    sums = [float(hold.torques @ hold.torques) for hold in holds]
    assert sums[0] == pytest.approx(sums[1], rel=1e-5)
    assert sums[0] < 0.999 * sums[2]


def test_limits_of_some_joints_by_name(biped):
    """The others keep what their motors give at that speed."""
    robot = with_knees(biped, peak=40.0, no_load=1.0, corner=0.1, braking=50.0)
    q, feet = bent(biped, 1), contacts.at_feet(biped, 0.7)
    v, zero = np.zeros(robot.nv), np.zeros(robot.nv)
    v[robot.actuated_rows] = 0.4
    weak = {"left_knee": 9.0, "waist_yaw": np.inf}
    lower, upper = (bounds.copy() for bounds in robot.motors.bounds(v))
    for joint, most in weak.items():
        row = robot.actuated.index(joint)
        lower[row], upper[row] = -most, most
    assert upper[robot.actuated.index("right_knee")] < 40.0
    by_name, by_rows = (
        contacts.contact_forces(robot, q, v, zero, feet, torque_limits=limits)
        for limits in (weak, (lower, upper))
    )
    assert by_name.margin == by_rows.margin
    assert np.isfinite(by_name.margin)
    soft, limits = control.PostureTask(q, gain=10.0), {"torque_limits": weak}
    controller = control.WholeBodyController(robot, feet, [soft], **limits)
    assert abs(controller(q, 0.1 * v).tau[robot.actuated.index("left_knee")]) <= 9.0 + 1e-9
    along = contacts.batch.margin_gradients(robot, q[None], v[None], zero[None], feet, **limits)

    def margin(v):
        return contacts.contact_forces(robot, q, v, zero, feet, **limits).margin

    for joint in ("left_knee", "right_knee"):
        way = np.eye(robot.nv)[list(robot.joint_of_row).index(joint)]
        rate = (margin(v + 1e-4 * way) - margin(v - 1e-4 * way)) / 2e-4
        assert along.v[0] @ way == pytest.approx(rate, rel=1e-3, abs=1e-3)
    with pytest.raises(ConfigurationError, match="no actuated joint 'left_kne'; did you mean"):
        contacts.static_hold(robot, q, feet, torque_limits={"left_kne": 1.0})
    with pytest.raises(ConfigurationError, match=r"torque_limits\['left_knee'\]: .*at least 0"):
        contacts.static_hold(robot, q, feet, torque_limits={"left_knee": -1.0})


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (lambda one: (one, -one), "above upper"),
        (lambda one: (-np.inf * one, one), "one infinite bound"),
        (lambda one: (-one[1:], one), r"torque_limits\[0\]: got shape"),
        (lambda one: (np.array(["a"] * len(one)), one), r"torque_limits\[0\]"),
        (lambda one: (-one, np.nan * one), r"torque_limits\[1\]"),
    ],
)
def test_bounds_that_are_none_are_refused(biped, pair, words):
    q, limits = biped.posture(), pair(np.ones(biped.na))
    with pytest.raises(ConfigurationError, match=words):
        contacts.static_hold(biped, q, contacts.at_feet(biped), torque_limits=limits)


# --- controllers and simulations -----------------------------------------------------------------


def test_a_tick_stays_within_the_motors_and_is_the_program_of_cvxpy(load_robot):
    plain = load_robot("talos", "floating")
    of = zip(plain.actuated, plain.torque_limits, strict=True)
    robot = plain.with_motors({n: robots.Motor.of(0.5 * most, 6.0, 1.0) for n, most in of})
    controller, q = control.stand(robot, on_failure="raise")
    met = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        v = np.concatenate([np.zeros(6), 1.5 * rng.standard_normal(robot.nv - 6)])
        command, (a, w, _) = controller(q, v), control.by_cvxpy(controller, q, v)
        lower, upper = robot.motors.bounds(v)
        assert (command.tau >= lower - 1e-6).all()
        assert (command.tau <= upper + 1e-6).all()
        met += [name for name in command.active() if name.startswith("torque of")]
        program = controller.program(q, v)
        assert program.cost(command.a, command.w) == pytest.approx(program.cost(a, w), rel=1e-6)
    assert met


def test_fallback_torques_stay_within_the_motors(biped):
    robot = with_knees(biped, peak=100, no_load=10)
    controller, q = control.stand(robot, on_failure="damp", damping=1e3)
    v = np.full(robot.nv, 8.0)
    bounds = robot.motors.bounds(v)
    damped = controller(q, np.where(np.arange(robot.nv) == 0, np.nan, v))
    np.testing.assert_allclose(damped.tau, np.clip(-8e3, *bounds))
    held, _ = control.stand(robot)
    assert held(q, 0 * v).status == "optimal"
    assert held(q, v, t=-1.0).status == "held"
    assert (held(q, v, t=-1.0).tau <= bounds[1]).all()


def test_joint_laws_are_clipped_at_the_speed(biped):
    robot = with_knees(biped, peak=100, no_load=10)
    v = np.full(robot.nv, 5.0)
    for kind in (control.PD, control.PID):
        law = kind(robot, robot.posture(), kp=0.0, feedforward=np.full(robot.na, 1e4))
        tau = law(0.0, robot.posture(), v)
        np.testing.assert_array_equal(tau, robot.motors.bounds(v)[1])
        assert tau[robot.actuated.index("left_knee")] == 50.0


def test_simulations_clip_to_the_motors_at_the_velocity_of_each_tick(biped):
    robot = with_knees(biped, peak=60, no_load=4, braking=80)
    push = control.PD(biped, biped.posture(), kp=3e3, kd=0.0, feedforward=np.full(biped.na, 300.0))
    motion = control.simulate(robot, push, duration=0.1, control_step=2e-3)
    lower, upper = robot.motors.bounds(motion.v)
    assert (motion.tau[:-1] >= lower[:-1]).all()
    assert (motion.tau[:-1] <= upper[:-1]).all()
    at = motion.tau[:-1] == upper[:-1]
    knee = robot.actuated.index("left_knee")
    assert len({*motion.tau[:-1, knee][at[:, knee]]}) > 3  # another bound at each velocity
    plot = pytest.importorskip("footwork.visualize.plots.control").plot_torques(motion)
    assert max(abs(line.get_ydata()[:-1]).max() for line in plot.lines[:6]) <= 1 + 1e-12


@pytest.mark.parametrize("speed", [-9.0, 9.99])
def test_words_say_at_which_speed_a_motor_gives_how_much(biped, speed):
    robot = biped.with_motors({"*": {"peak": 200, "no_load": 10}})
    q, feet = robot.posture(), contacts.at_feet(robot)
    v = np.where(np.arange(robot.nv) < 6, 0.0, speed)
    gyrating = -dynamics.bias(robot, q, v) + dynamics.bias(robot, q, 0 * v)
    a = np.linalg.solve(dynamics.mass_matrix(robot, q), gyrating)
    slow = contacts.contact_forces(robot, q, v, a, feet)
    assert slow.feasible == (speed < 0)
    assert f" N·m at {abs(speed)} rad/s (200 at most)".replace(".0 ", " ") in slow.explain()
    assert "rad/s" not in contacts.static_hold(robot, q, feet).explain()


def test_scenarios_have_motors(tmp_path):
    (tmp_path / "weak.yaml").write_text("'*': {peak: 1}")
    (tmp_path / "stand.yaml").write_text(
        "version: 1\nrobot: biped\nmotors: weak.yaml\n"
        "contacts: [{frame: left_foot}, {frame: right_foot}]\n"
    )
    scenario = contacts.Scenario.load(tmp_path / "stand.yaml")
    assert (scenario.machine.torque_limits == 1).all()
    assert "motors: weak.yaml" in scenario.as_text()
    (tmp_path / "stand.yaml").write_text("version: 1\nrobot: biped\nmotors: none.yaml\n")
    with pytest.raises(FootworkError, match=r"motors: .*no such file"):
        contacts.Scenario.load(tmp_path / "stand.yaml")
