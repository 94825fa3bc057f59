"""Speed limits of gaits: the periodic motion, the uses of limits, and what is found of them."""

import math
from functools import cache

import cvxpy as cp
import many_legs
import numpy as np
import pinocchio as pin
import pytest
import scipy
import stances

from footwork import cli, contacts, control, dynamics, robots
from footwork.control.dcm import DcmPlan, Phase
from footwork.control.speed.base_motion import BaseMotion
from footwork.control.speed.cycle import cycle_of
from footwork.control.speed.utilisation import FRICTION, REACH, SPEED, SWING, TORQUE, Utilisations
from footwork.dynamics import State, closures
from footwork.errors import ConfigurationError, ContactError
from footwork.robots import JointCoupling, LoopClosure

CROUCH = {"biped": 0.02}


def standing(name):
    return stances.standing(name, crouch=CROUCH.get(name, 0.0))


def uses_of(name, *, robot=None, friction=0.7, predictive=False, torque_limits=True, **options):
    own, _, q = standing(name)
    robot = robot or own
    feet = contacts.at_feet(robot, friction)
    kind = control.PredictiveGait if predictive else control.GaitController
    return Utilisations(kind(robot, feet, q, **options), q, feet, torque_limits)


@cache
def gaited(name, velocity, **options):
    """The uses and the motion at a velocity."""
    uses = uses_of(name, **options)
    return uses, uses.motion(np.array(velocity))


# --- the periodic motion -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "velocity"), [("quadruped", (0.6, 0.1, 0.4)), ("biped", (0.5, 0, 0))]
)
def test_the_cycle_is_that_of_a_plan_of_many_cycles(name, velocity):
    """A DcmPlan of the same phases, each cycle carried on, has the same ξ = c + ċ/ω half-way."""
    robot, feet, q = standing(name)
    walker = control.GaitController(robot, feet, q)
    steady, cycle = walker.steady(velocity), cycle_of(walker, np.array(velocity, dtype=float))
    duration = sum(phase.duration for phase in steady.phases)
    on = steady.path.at(steady.begin + duration) * steady.path.at(steady.begin).inverse()
    every, P = [], on * on.inverse()
    for _ in range(9):
        every += [Phase(x.duration, P.act(x.start), P.act(x.end)) for x in steady.phases]
        P = on * P
    plan = DcmPlan(every, steady.height, robot.model.gravity.linear)
    c, dc, ddc = cycle.com
    for k in range(0, len(cycle.t), 5):
        xi, _ = plan.dcm(cycle.t[k])
        assert (c + dc / plan.omega)[k] == pytest.approx(xi, abs=1e-6)
    # ċ = ω (ξ − c), c̈ = ω² (c − r): what is left is that it is periodic
    assert on.act(c[0]) == pytest.approx(c[-1], abs=1e-9)
    assert on.rotation @ dc[0] == pytest.approx(dc[-1], abs=1e-9)
    for k in range(len(cycle.t)):
        if cycle.active[k].sum() < len(feet):  # p is where the feet stand
            p = cycle.feet[k][cycle.active[k], :3, 3].mean(axis=0)
            assert ddc[k, :2] == pytest.approx(plan.omega**2 * (c[k] - p)[:2], abs=1e-9)
    end = dict(steady.places)
    for phase in steady.phases:
        end |= phase.swings
    for name_, T in steady.places.items():  # each foot is carried along, too
        assert (on * T).translation == pytest.approx(end[name_].translation, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "velocity"), [("quadruped", (0.8, 0.1, 0.3)), ("biped", (0.5, 0, 0))]
)
def test_postures_do_what_the_cycle_asks_for(name, velocity):
    """Of single states: feet at their places, with their velocities and accelerations."""
    uses, (cycle, motion, balance, _) = gaited(name, velocity)
    assert motion.reached.all()
    for k in range(0, len(cycle.t), 4):
        state = State(uses.robot, motion.q[k], motion.v[k])
        for c, contact in enumerate(uses.contacts):
            T = cycle.feet[k, c]
            at = contact.pose(state)
            assert at.translation == pytest.approx(T[:3, 3], abs=1e-7)
            frame = contact.frame
            arm = state.frame_placement(frame).rotation @ contact.centre_in_frame
            velocity_, drift = state.frame_velocity(frame), state.frame_drift(frame)
            spin, J = velocity_[3:], state.frame_jacobian(frame)
            v = velocity_[:3] + np.cross(spin, arm)
            assert v == pytest.approx(cycle.moving[0, k, c, :3], abs=1e-6)
            a = drift + J @ balance.acceleration[k]
            a = a[:3] + np.cross(a[3:], arm) + np.cross(spin, np.cross(spin, arm))
            assert a == pytest.approx(cycle.moving[1, k, c, :3], abs=1e-4)


def test_velocities_are_those_of_the_postures():
    """Differences of configurations of a finely sampled swing."""
    uses, (cycle, motion, _, _) = gaited("quadruped", (0.5, 0.0, 0.0))
    k = np.flatnonzero(cycle.phase == 1)
    dt = cycle.t[k[1]] - cycle.t[k[0]]
    for i in k[1:-1]:
        step = uses.robot.difference(motion.q[i - 1], motion.q[i + 1]) / (2 * dt)
        assert step == pytest.approx(motion.v[i], abs=0.08 * np.abs(motion.v).max())


# --- torques and friction, by the textbook -------------------------------------------------------


def least(uses, found, k, friction=0.7):
    """(least max |τ|/τ_max, least wrench that is missing) of a sample, by cvxpy."""
    robot, (cycle, motion, balance, _) = uses.robot, found
    feet = uses.contacts.only(cycle.active[k].tolist())
    q, v, a = motion.q[k], motion.v[k], balance.acceleration[k]
    J, x = feet.jacobian(q), cp.Variable(feet.dim)
    weight = robot.mass * 9.81
    given = J.T @ x * weight
    rest = dynamics.inverse_dynamics(robot, q, v, a) - given
    cones = feet.friction_constraints(x, q)
    R = State(robot, q).joint_placements[1][:, :3]
    force, skew = R @ rest[:3] / weight, pin.skew(dynamics.com(robot, q) - q[:3])
    moment = (R @ rest[3:6] - skew @ (R @ rest[:3])) / (weight * uses.height)
    missing = cp.norm(cp.hstack([force, moment]))
    lacking = cp.Problem(cp.Minimize(missing), cones)
    lacking.solve(solver="CLARABEL")
    tau = rest[robot.actuated_rows] / robot.torque_limits
    least = cp.Problem(cp.Minimize(cp.norm_inf(tau)), [*cones, missing <= lacking.value + 1e-6])
    least.solve(solver="CLARABEL")
    return least.value, lacking.value


@pytest.mark.parametrize(("name", "velocity"), [("quadruped", (1.4, 0, 0)), ("biped", (0.6, 0, 0))])
def test_torques_are_the_least_that_the_contacts_let_be(name, velocity):
    uses, found = gaited(name, velocity)
    own = np.abs(found.balance.torques / uses.robot.torque_limits).max(axis=1)
    told = uses._torque(found).value
    assert told == own.max()
    near = [*np.flatnonzero(own > 0.995 * told), *range(0, len(own), 6)]  # where it may bind
    share = np.array([least(uses, found, k)[0] for k in near])
    assert share.max() == pytest.approx(told, rel=5e-3)
    assert (own[near] >= share - 1e-3).all()  # none takes less than the least


def test_forces_lack_what_friction_cones_lack():
    """In a curve on ice: what is missing of the wrench, sample by sample."""
    uses, found = gaited("quadruped", (0.9, 0.0, 0.9), friction=0.05)
    lacking = found.balance.lacking
    assert lacking.max() > 0.01
    for k in np.argsort(-lacking)[[0, 1, 5]]:
        assert lacking[k] == pytest.approx(least(uses, found, k)[1], abs=1e-3)
    _, rough = gaited("quadruped", (0.9, 0.0, 0.9))
    assert rough.balance.lacking.max() < 1e-6


# --- uses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["quadruped", "biped"])
def test_left_is_right(name):
    uses = uses_of(name)
    for velocity in ((0.0, 0.3, 0.0), (0.3, 0.1, 0.4)):
        vx, vy, wz = velocity
        left, right = uses(np.array(velocity)), uses(np.array([vx, -vy, -wz]))
        for kind in (SPEED, SWING, TORQUE):
            assert left[kind].value == pytest.approx(right[kind].value, rel=5e-3), kind


def test_gravity_scales_times():
    """With k g, the same path √k times as fast: speeds √k times as large, torques k times."""
    k, v = 0.25, 0.8
    robot = standing("quadruped")[0]
    light = robot.with_gravity((0.0, 0.0, -9.81 * k))
    here = uses_of("quadruped", step_height=0.04)(np.array([v, 0.0, 0.0]))
    slower = np.array([v * math.sqrt(k), 0.0, 0.0])
    there = uses_of("quadruped", robot=light, step_height=0.04)(slower)
    for kind, scale, within in ((SPEED, k**0.5, 1e-3), (SWING, k**0.5, 1e-3), (TORQUE, k, 2e-2)):
        assert there[kind].value == pytest.approx(scale * here[kind].value, rel=within)


def test_a_leg_may_lag_behind_but_stands_at_its_speed():
    uses, found = gaited("quadruped", (1.0, 0.0, 0.0))
    both = uses(np.array([1.0, 0.0, 0.0]))
    assert both[SPEED].value < both[SWING].value
    fast, whole = uses._in_time(found), np.abs(found.motion.v[:, uses.speeds.rows_v])
    on_all = found.cycle.active.all(axis=1)
    assert np.array_equal(fast[on_all], whole[on_all])


# --- limits ---------------------------------------------------------------------------------------


@cache
def ahead(weaker=1.0, torque_limits=True, most=2.4):
    """The limits of the quadruped, with motors so much weaker."""
    robot, feet, q = standing("quadruped")
    limits = robot.torque_limits * weaker if torque_limits else False
    found = control.speed_limits(robot, feet, q, torque_limits=limits, most=most, progress=False)
    return found.directions[0]


def test_limits_are_where_utilisations_are_one():
    uses, there = uses_of("quadruped"), ahead()
    limit = there.of_robot
    assert limit.kind in (SPEED, TORQUE, REACH)
    below, above = (uses(np.array([f * limit.speed, 0, 0]))[limit.kind] for f in (0.98, 1.02))
    assert below.value < 1 < above.value
    assert " of " in limit.why
    assert there.limits["timing"].speed == pytest.approx(uses.walker.fastest)
    assert there.limit.speed == min(limit.speed, uses.walker.fastest)
    for kind in (SPEED, TORQUE, SWING):  # the faster, the more of each is used
        values = there.utilisation[kind][there.utilisation[REACH] <= 1]
        assert (np.diff(values) > -0.02).all()


def test_weaker_motors_are_slower():
    half, whole = ahead(weaker=0.5, most=1.6).limits[TORQUE], ahead()
    assert half.speed < whole.of_robot.speed
    taken = np.interp(half.speed, whole.speeds, whole.utilisation[TORQUE])
    assert taken == pytest.approx(0.5, abs=0.03)


def test_without_torque_limits_there_is_none_by_torques():
    limit = ahead(torque_limits=False, most=0.3).limits[TORQUE]
    assert limit.speed == math.inf
    assert limit.why == "its joints have no torque limits"
    _, found = gaited("quadruped", (0.3, 0.0, 0.0), torque_limits=False)
    assert found.balance.solved
    assert found.balance.lacking.max() < 1e-6


def test_friction_holds_the_curve():
    """Over a cycle the ground pushes by m v ω_z towards the middle, and by m g up: v ω_z ≤ μ g."""
    robot, _, q = standing("quadruped")
    icy = contacts.at_feet(robot, 0.05)
    found = control.speed_limits(robot, icy, q, directions=(1, 0, 1), most=1.2, progress=False)
    curve = found.directions[0]
    limit = curve.limits[FRICTION]
    assert limit.speed == pytest.approx(math.sqrt(0.05 * 9.81), rel=0.03)
    assert limit.why.startswith("contacts cannot give ")
    assert curve.of_robot.kind == FRICTION
    assert found.friction == 0.05


@pytest.mark.parametrize("how", ["weld", "coupling"])
def test_closures_of_arms_hold_them_as_locks_do(how):
    """Any closure was refused."""
    arm, at = "left_elbow", -0.3
    locked, robot = robots.load("biped", lock={arm: at}), robots.load("biped", passive=[arm])
    q = robot.posture()
    q[robot._model.joints[robot.joint_id(arm)].idx_q] = at
    ends = "left_upper_arm", "left_forearm"
    upper, lower = (dynamics.frame_placement(robot, q, end) for end in ends)
    weld = LoopClosure("hold", *ends, "weld", upper.inverse() * lower)
    closure = weld if how == "weld" else JointCoupling("hold", arm, None, (0.0,), at)
    found = []
    for robot_ in (robot.with_closures([closure]), locked):
        feet = contacts.at_feet(robot_)
        q = control.stand(robot_, feet, crouch=0.02)[1]
        uses = Utilisations(control.GaitController(robot_, feet, q), q, feet, True)
        values = {kind: one.value for kind, one in uses(np.array([0.4, 0.0, 0.0])).items()}
        found.append((values, uses.motion(np.array([0.4, 0.0, 0.0])).balance.torques))
    (one, tau), (other, wanted) = found
    assert one == pytest.approx(other, rel=1e-3, abs=1e-9)  # no friction is missing: 1e-10
    assert tau == pytest.approx(wanted, abs=0.01 * np.abs(wanted).max())


def test_a_leader_carries_what_follows_it():
    """τ = h_leader + k h_follower: the torque of both through one motor."""
    robot = robots.load("biped", passive=["left_elbow"])
    coupling = JointCoupling("mimic", "left_elbow", "left_shoulder_pitch", (0.0, 0.5))
    closed = robot.with_closures([coupling])
    h = np.random.default_rng(0).standard_normal(robot.nv)
    T, _ = closures.motor_map(State(closed, closed.close(robot.posture())))
    wanted = robot.selection_matrix @ h
    elbow = robot.joint_of_row.index("left_elbow")
    wanted[robot.actuated.index("left_shoulder_pitch")] += 0.5 * h[elbow]
    assert T @ h == pytest.approx(wanted, abs=1e-12)


def test_closures_of_legs_are_refused_by_name():
    coupling = JointCoupling("knees", "left_knee", "right_knee", (0.0, 1.0))
    robot = robots.load("biped", passive=["left_knee"]).with_closures([coupling])
    with pytest.raises(ContactError, match="closure 'knees' of 'biped', which moves its legs"):
        control.speed_limits(robot, progress=False)


@pytest.mark.slow
def test_a_leg_that_is_straight_is_no_motion():
    """Where rounds straighten a knee to 0.01 rad, torques were hundreds of times their limits."""
    robot = robots.load("quadruped")
    asked = {"gait": "crawl", "directions": (1.0, 0.0, 0.5), "most": 1.0}
    (curve,) = control.speed_limits(robot, **asked, progress=False).directions
    there = curve.utilisation[REACH] <= 1
    assert there.sum() > 15
    assert not there.all()
    for kind in (SPEED, TORQUE, FRICTION, SWING):
        used = curve.utilisation[kind]
        assert (np.isfinite(used) == there).all()
        assert used[there].max() < 5.0


def test_short_legs_are_a_limit():
    robot, feet, q = standing("biped")
    found = control.speed_limits(robot, feet, q, directions=(0, 2, 0), progress=False)
    (beside,) = found.directions
    assert beside.words == "to the left"
    assert beside.velocity == (0.0, 1.0, 0.0)
    limit = beside.limits[REACH]
    assert math.isfinite(limit.speed)
    assert "out of reach" in limit.why or "beyond its range" in limit.why


def test_directions_and_refusals():
    robot, feet, q = standing("quadruped")
    for bad in ((0, 0, 0), [(1, 0)], 0, math.nan, []):
        with pytest.raises(ConfigurationError):
            control.speed_limits(robot, feet, q, directions=bad)
    with pytest.raises(ConfigurationError, match="no gait 'trott'"):
        control.speed_limits(robot, feet, q, "trott")
    with pytest.raises(ConfigurationError, match="most"):
        control.speed_limits(robot, feet, q, most=-1.0)


def test_a_refused_velocity_names_the_robots_limit(capsys):
    pytest.importorskip("mujoco")
    code = cli.main(["judge", "quadruped", "--gait", "trot", "--speed", "9", "--directions", "0"])
    told = capsys.readouterr().err
    assert code == 2
    assert "by the longest and quickest steps of this gait" in told
    assert "what the robot itself can do ahead is " in told


def test_the_command(capsys, tmp_path):
    table = tmp_path / "limits.csv"
    arguments = ["limits", "quadruped", "--direction", "0", "0", "1", "--csv", str(table)]
    assert cli.main(arguments) == 0
    told = capsys.readouterr().out
    assert told.startswith("quadruped, trot, friction 0.7\nturning left ")
    assert "rad/s" in told
    assert " by the robot (" in told.splitlines()[1]
    assert "by the gait's timing; swinging feet lag behind from " in told.splitlines()[1]
    assert len(table.read_text().splitlines()) == 7
    assert cli.main([*arguments[:5], "1", "--directions", "4"]) == 2
    assert "got both" in capsys.readouterr().err
    assert cli.main(["limits", "quadruped", "--directions", "0"]) == 2
    assert "directions: got 0, expected" in capsys.readouterr().err


def wave_of(hips):
    robot = robots.load(many_legs.urdf(hips), feet=[f"{leg}_foot" for leg in hips])
    feet = contacts.at_feet(robot)
    q = control.stand(robot, feet)[1]
    return Utilisations(control.GaitController(robot, feet, q, "wave"), q, feet, True)


def test_legs_that_are_too_short_end_nearest_to_their_places():
    """As a general least-squares solver ends, from the same posture on."""
    uses = wave_of(many_legs.SIX)
    cycle = cycle_of(uses.walker, np.array([0.2, 0.0, 0.0]))
    start = np.array([uses._carried(P) for P in cycle.path])
    axes = np.array([P.rotation for P in cycle.path])
    wanted, legs = uses._wanted(cycle, axes, BaseMotion.none(len(cycle.t))), uses.legs
    q, missed = legs.reach(wanted, start)
    short = np.flatnonzero(np.linalg.norm(missed, axis=2).max(axis=1) > 1e-3)
    assert len(short) > 5
    for k in short[::10]:
        row = wanted.at(np.array([k]))

        def errors(x, k=k, row=row):
            q = uses.robot.integrate(start[k], x)
            return legs.weights * legs._errors(q[None], row)[0]

        best = scipy.optimize.least_squares(errors, np.zeros(uses.robot.nv), xtol=1e-12, ftol=1e-12)
        ours = legs.weights * legs._errors(q[[k]], row)[0]
        assert ours @ ours <= 2 * best.cost * 1.05


def test_reach_does_not_depend_on_the_order_of_the_legs():
    """Nor does it jump: legs that reach at a speed reach at all that are slower."""
    found = []
    for hips in (many_legs.SIX, dict(reversed(many_legs.SIX.items()))):
        uses = wave_of(hips)
        speeds = (0.03, 0.08)
        found.append([uses.motion(np.array([v, 0.0, 0.0])).reach.value < 1 for v in speeds])
    assert found[0] == found[1] == sorted(found[0], reverse=True)
