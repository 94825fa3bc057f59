"""Walking: the divergent component, and robots that step, trot, crawl and catch themselves."""

from __future__ import annotations

import pickle
from copy import deepcopy
from functools import partial
from itertools import pairwise

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest
from stances import standing

from footwork import ConfigurationError, ContactError, contacts, control, dynamics, robots
from footwork.commands.simulate import CROUCH
from footwork.control import gaits
from footwork.control.dcm import DcmPlan, Phase
from footwork.control.gaits import foothold_program
from footwork.control.gaits.foot import GaitFoot
from footwork.control.gaits.scale import Scale
from footwork.control.kernels.profiles import minimum_jerk
from footwork.control.tasks.dcm import DcmTask
from footwork.dynamics import State


def crouched(robot, drop=0.03, friction=0.8):
    """Feet and a posture with bent knees."""
    feet = contacts.at_feet(robot, friction)
    q = contacts.solve_posture(robot, feet, com="inside").q
    if drop:
        x, y, z = dynamics.com(robot, q)
        q = contacts.solve_posture(robot, feet, com=(x, y, z - drop), q0=q).q
    return feet, q


def walk(robot, feet, q, phases, disturbances=(), until=None, noise=None, seed=0, **options):
    walker = control.WalkingController(robot, feet, q, phases, **options)
    duration = walker.plan.duration + 0.2 if until is None else until
    return control.simulate(
        robot, walker, duration=duration, step=2e-3, control_step=2e-3, q=q, contacts=feet,
        disturbances=disturbances, noise=noise, seed=seed, progress=False,
    )  # fmt: skip


def lifts(motion, name):
    """How often a foot left the ground."""
    return int((np.diff(motion.touching[name].astype(int)) == -1).sum())


# --- the plan --------------------------------------------------------------------------------


UP = np.array([0.0, 0.0, 0.7])


def wandering(seed=0):
    rng, phases, p = np.random.default_rng(seed), [], np.zeros(3)
    for _ in range(6):
        end = p + 0.1 * rng.standard_normal(3)
        phases.append(Phase(rng.uniform(0.1, 0.8), p, end))
        p = end
    return DcmPlan(phases, 0.7)


@pytest.mark.parametrize("seed", range(3))
def test_the_plan_obeys_the_pendulum(seed):
    """ξ̇ = ω (ξ − p) by finite differences, continuous, at rest over p at the end."""
    plan, h = wandering(seed), 1e-6
    assert plan.omega == pytest.approx(np.sqrt(9.81 / 0.7))
    for t in np.linspace(0.01, plan.duration - 0.01, 50):
        xi, rate = plan.dcm(t)
        slope = (plan.dcm(t + h)[0] - plan.dcm(t - h)[0]) / (2 * h)
        assert rate == pytest.approx(slope, abs=1e-6)
        assert rate == pytest.approx(plan.omega * (xi - plan.pivot(t) - UP), abs=1e-12)
    for t in plan.times[1:-1]:
        assert plan.dcm(t - 1e-9)[0] == pytest.approx(plan.dcm(t + 1e-9)[0], abs=1e-7)
    end, rate = plan.dcm(plan.duration + 1.0)
    assert end == pytest.approx(plan.phases[-1].end + UP)
    assert rate == pytest.approx(0.0)


def test_the_exact_pendulum_arrives():
    """Integrated forward from the plan's start, c ends over the last point."""
    plan, h = wandering(), 1e-4
    xi, c = plan.dcm(0.0)[0], np.zeros(3)
    for t in np.arange(0.0, plan.duration, h):
        c = c + h * plan.omega * (xi - c)
        xi = plan.dcm(t + h)[0]
    for _ in range(30_000):
        c = c + h * plan.omega * (xi - c)
    assert c == pytest.approx(plan.phases[-1].end + UP, abs=1e-4)


def test_a_shifted_plan_ends_elsewhere():
    plan = wandering()
    moved = plan.shifted([0.1, -0.2, 0.05], plan.shares(2))
    assert moved.dcm(10.0)[0] == pytest.approx(plan.dcm(10.0)[0] + [0.1, -0.2, 0.05])
    assert moved.pivot(plan.times[2] / 2) == pytest.approx(plan.pivot(plan.times[2] / 2))
    left = plan.times[3] - 0.05  # what is still to come counts by how near it is
    change = moved.dcm(left)[0] - plan.dcm(left)[0]
    assert 0 < change[0] < 0.1


def test_a_shift_fades_from_swing_to_swing():
    robot = robots.load("biped")
    feet, q = crouched(robot, 0.0)
    plan = DcmPlan(gaits.footsteps(feet, q, 4), 0.8)
    moved = plan.shifted([0.1, 0.04, 0.0], plan.shares(1, 0.5))
    for k, share in ((1, 0.0), (3, 0.5), (5, 0.25), (7, 0.125)):
        for name, T in plan.phases[k].swings.items():
            way = moved.phases[k].swings[name].translation - T.translation
            assert way == pytest.approx(share * np.array([0.1, 0.04, 0.0]), abs=1e-12)
            stands = moved.phases[k].start - plan.phases[k].start  # on the foot moved before
            assert stands == pytest.approx(2 * way if k > 1 else way)
    for before, after in pairwise(moved.phases):  # the centre of pressure does not jump
        assert after.start == pytest.approx(before.end, abs=1e-12)


@pytest.mark.parametrize("first", [0, 1, 4, 7])
def test_the_share_of_xi_is_that_of_the_shifted_plan(first):
    """The moved phases, solved anew, have the ξ of the shifted plan."""
    robot = robots.load("biped")
    plan = DcmPlan(gaits.footsteps(*crouched(robot, 0.0), 4), 0.8)
    by = np.array([0.1, -0.3, 0.0])
    shares = plan.shares(first, 0.65)
    shifted = plan.shifted(by, shares)
    anew = DcmPlan(shifted.phases, 0.8)
    for k in range(len(plan.phases)):
        assert shifted.end(k) == pytest.approx(anew.end(k), abs=1e-12)
    moved = anew.end(first) - plan.end(first)
    assert moved == pytest.approx(shares[first, 2] * by, abs=1e-12)


FAR = foothold_program.Bounds(np.vstack([np.eye(2), -np.eye(2)]), np.full(4, 9.0))


@pytest.mark.parametrize(("phase", "since"), [(1, 0.0), (3, 0.1), (5, 0.3)])
def test_footholds_move_by_as_much_as_brings_the_plan_to_xi(monkeypatch, phase, since):
    """Without bounds, in the planned time, the plan has the ξ that was found, and at landing."""
    monkeypatch.setattr(foothold_program, "TIMING", 1e4)
    monkeypatch.setattr(foothold_program, "MISSED", 1e4)
    robot = robots.load("biped")
    feet, q = crouched(robot, 0.0)
    plan = DcmPlan(gaits.footsteps(feet, q, 4, length=0.2), 0.8)
    t, error = plan.times[phase] + since, np.array([0.01, -0.02, 0.0])
    program = foothold_program.FootholdProgram(plan, phase, FAR, ankles=0.0)
    xi = plan.dcm(t)[0] + error
    assert program.follow(xi, xi, t, step=1e12)  # no filter
    assert program.aimed.dcm(t)[0] - plan.dcm(t)[0] == pytest.approx(error, abs=1e-6)
    landing = plan.times[phase + 1]
    assert program.landed.dcm(landing)[0] == pytest.approx(program.aimed.end(phase), abs=1e-9)
    before = program.offset
    assert program.follow(xi, xi, t, step=0.002)  # told the same again nothing is added
    assert program.offset == pytest.approx(before, abs=1e-9)
    assert not program.follow(xi, xi, landing - 0.01, step=0.002)  # too late


def test_a_push_in_the_last_fifth_of_a_swing_still_moves_its_foothold():
    """Towards the swing foot: where it was planned to land, ξ would be beyond it."""
    robot = robots.load("biped")
    feet, q = crouched(robot, 0.0)
    plan, phase = DcmPlan(gaits.footsteps(feet, q, 4, length=0.2), 0.8), 3
    late = foothold_program.LAST
    program = foothold_program.FootholdProgram(plan, phase, FAR, late=late)
    since = float(plan.times[phase + 1]) - 0.2 * plan.phases[phase].duration
    (foothold,) = plan.phases[phase].swings.values()
    aside = np.sign((foothold.translation - plan.pivot(since))[1])
    push = np.array([0.0, 0.1 * aside, 0.0])
    xi = plan.dcm(since)[0] + push
    assert program.follow(xi, xi, since, step=1e12)  # no filter
    assert aside * program.offset[1] > 0.05
    assert program.timed.times[phase + 1] - since > 0.199 * plan.phases[phase].duration


@pytest.mark.parametrize("heading", [0.0, 0.5, 1.0, 1.5])
def test_soles_land_where_friction_lets_them_be_pushed_against(monkeypatch, heading):
    """‖p − c‖ ≤ μ h at touch-down, of the pendulum's c; a push is caught as far as that allows."""
    monkeypatch.setattr(foothold_program, "TIMING", 1e4)  # in the planned time
    robot = robots.load("biped")
    feet, q = crouched(robot, 0.0)
    plan, phase, mu = DcmPlan(gaits.footsteps(feet, q, 4, length=0.2), 0.8), 3, 0.3
    t, landing = plan.times[phase] + 0.1, plan.times[phase + 1]
    (foot,) = plan.phases[phase].swings.values()
    push = np.array([np.cos(heading * np.pi), np.sin(heading * np.pi), 0.0])
    com = plan.pivot(t) + plan.up + 0.02 * push
    xi = com + 0.05 * push
    off = com - plan.up - plan.pivot(t), xi - plan.up - plan.pivot(t)  # c − p and ξ − p
    growth = np.exp(plan.omega * (landing - t))
    lands = 0.5 * growth * off[1] + 0.5 / growth * (2 * off[0] - off[1])
    away = {}
    for friction in (mu, np.inf):
        program = foothold_program.FootholdProgram(plan, phase, FAR, ankles=0.0, friction=friction)
        assert program.follow(xi, com, t, step=1e12)  # no filter
        place = foot.translation + program.offset - plan.pivot(t)
        away[friction] = float(np.linalg.norm((place - lands)[:2]))
    side = 1 / np.cos(np.pi / 12)  # the circle is taken for a polygon around it
    at_first = float(np.linalg.norm((foot.translation - plan.pivot(t) - lands)[:2]))
    assert away[mu] <= max(side * mu * plan.height, at_first) + 1e-6
    assert away[np.inf] > 1.2 * away[mu]


@pytest.mark.parametrize("seed", range(6))
def test_footholds_and_their_time_are_the_optimum(seed):
    """The program as it is written, by cvxpy; ξ that goes on by itself misses by what is said."""
    rng = np.random.default_rng(seed)
    robot = robots.load("biped")
    feet, q = crouched(robot, 0.0)
    plan, phase = DcmPlan(gaits.footsteps(feet, q, 4, length=0.2), 0.8), 3
    around = np.sort(rng.uniform(0, 2 * np.pi, 7))
    normals = np.column_stack([np.cos(around), np.sin(around)])
    bounds = foothold_program.Bounds(normals, rng.uniform(0.0, 0.2, 7))
    program = foothold_program.FootholdProgram(plan, phase, bounds, ankles=0.0)
    since = float(plan.times[phase] + 0.1)
    xi = plan.dcm(since)[0] + np.append(rng.uniform(-0.1, 0.1, 2), 0.0)
    found = program.landing(xi, since)

    omega, h, planned = plan.omega, plan.height, float(plan.times[phase + 1] - since)
    p = plan.phases[phase].end[:2] + plan.up[:2]
    delta, beta, tau = cp.Variable(2), cp.Variable(2), cp.Variable()
    first = np.exp(omega * planned)
    cost = (
        cp.sum_squares(delta) + (h * foothold_program.TIMING) ** 2 * cp.square(tau / first - 1)
        + foothold_program.MISSED**2 * cp.sum_squares(beta)
    )  # fmt: skip
    shortest = np.exp(max(foothold_program.SHORTEST - 0.1 * omega, 0.0))
    problem = cp.Problem(cp.Minimize(cost), [
        program.share * delta + beta == p + tau * (xi[:2] - p) - plan.end(phase)[:2],
        bounds.normals @ delta <= bounds.most, tau >= shortest, tau <= first,
    ])  # fmt: skip
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    assert found.cost == pytest.approx(problem.value, rel=1e-6, abs=1e-9)
    assert found.offset[:2] == pytest.approx(delta.value, abs=1e-5)
    assert found.left == pytest.approx(np.log(tau.value) / omega, abs=1e-5)


def test_legs_do_not_cross_and_reach_their_footholds():
    """Bounds of a moved foothold, from where the other foot stands."""
    robot = robots.load("biped")
    feet, q = crouched(robot)
    walker = control.WalkingController(robot, feet, q, gaits.footsteps(feet, q, 4), reach=0.3)
    state, places = State(robot, q), feet.placements(q)
    left, right = (places[f"{side}_foot"].translation for side in ("left", "right"))
    here = walker.reach.bounds({"left_foot": places["left_foot"]}, state)
    ahead = places["right_foot"].copy()
    ahead.translation = right + np.array([0.2, 0.0, 0.0])
    there = walker.reach.bounds({"right_foot": ahead}, state)
    apart = (left - right)[1]

    def farthest(bounds, direction):
        """Of δ along a direction, no farther than a step in any."""
        ways = bounds.normals @ direction
        return min(m / w for m, w in zip(bounds.most, ways, strict=True) if w > 1e-9)

    x, y = np.eye(2)
    assert [farthest(here, d) for d in (x, -x, y)] == pytest.approx([0.3] * 3)
    assert farthest(here, -y) == pytest.approx((1 - foothold_program.CLOSEST) * apart)
    assert [farthest(there, d) for d in (x, -x)] == pytest.approx([0.1, 0.5])
    assert farthest(there, y) == pytest.approx((1 - foothold_program.CLOSEST) * apart)


def test_footholds_do_not_follow_the_momentum_of_the_swing_leg(load_robot):
    """ξ of a robot without its angular momentum moves by ċ + ω (c − p), whatever L̇ is."""
    robot = load_robot("biped", "floating")
    feet, q = crouched(robot)
    walker = control.WalkingController(robot, feet, q, gaits.footsteps(feet, q, 2))
    rng, h, omega = np.random.default_rng(0), walker.plan.height, walker.plan.omega
    v, a = rng.normal(size=robot.nv), 3 * rng.normal(size=robot.nv)
    up = State(robot, q, v)
    fall = up.com_jacobian @ a + up.com_drift
    R = dynamics.frame_placement(robot, q, control.trunk(robot)).rotation
    a[:3] -= R.T @ [0.0, 0.0, fall[2]]  # c̈_z = 0
    # what has to act on the base, from the equations of motion, acts at p: no horizontal moment
    wrench = dynamics.inverse_dynamics(robot, q, v, a)[:6]
    force, moment = R @ wrench[:3], R @ wrench[3:]
    c = up.com
    down = q[2] - (c[2] - h)
    p = q[:2] + np.array([
        -moment[1] - down * force[0], moment[0] - down * force[1]
    ]) / force[2]  # fmt: skip
    e = 1e-6
    before, after = (
        walker._xi_at_rest(
            State(robot, robot.integrate(q, s * e * v + e**2 * a / 2), v + s * e * a)
        )
        for s in (-1, 1)
    )
    rate = up.com_velocity[:2] + omega * (c[:2] - p)
    assert ((after - before) / (2 * e))[:2] == pytest.approx(rate, rel=1e-5)
    assert np.abs((walker._xi_at_rest(up) - walker._xi(up))[:2]).max() > 1e-3


def test_the_task_asks_for_the_pendulums_acceleration(load_robot, random_state):
    """On the plan, c̈ = ω² (c − p); off it, the error decays at the rate asked."""
    robot = load_robot("biped", "floating")
    q, v, _ = random_state(robot, 1)
    v *= 0.1
    plan = wandering()
    task = DcmTask(plan, feedback=3.0, gain=49.0)
    assert task.bind(robot) == 3
    rows = task.rows(State(robot, q, v), 0.3)
    c, velocity = dynamics.com(robot, q), dynamics.com_jacobian(robot, q) @ v
    acceleration = rows.r + dynamics.com_drift(robot, q, v)
    xi, omega = c + velocity / plan.omega, plan.omega
    xi_rate = velocity + acceleration / omega
    wanted, wanted_rate = plan.dcm(0.3)
    assert xi_rate - wanted_rate == pytest.approx([-3, -3, -7] * (xi - wanted), abs=1e-9)
    assert rows.error == pytest.approx(wanted - xi)


def test_a_task_goes_over_to_another_plan_smoothly():
    """From one ξ* to the next one's without a jump, also where it goes over already.

    It begins with the c̈ that was reached.
    """
    first = wandering()
    ways = [0.0, 0.3, 0.0], [0.3, 0.0, 0.0]
    plans = [first, *(first.shifted(way, first.shares(0)) for way in ways)]
    task = DcmTask(first)
    task.follow(plans[1], 0.2, 0.05)
    before = np.concatenate(task.desired(0.22))
    residual = np.array([0.3, -0.2, 0.1])
    task.follow(plans[2], 0.22, 0.05, residual)
    before[3:] += residual / first.omega
    found = np.array([np.concatenate(task.desired(t)) for t in np.linspace(0.22, 0.27, 101)])
    assert found[0] == pytest.approx(before, abs=1e-12)
    assert found[-1] == pytest.approx(np.concatenate(plans[2].dcm(0.05)), abs=1e-12)
    way = np.abs(found[-1] - found[0]).max()
    assert np.abs(np.diff(found, axis=0)).max() < 0.1 * way


# --- gaits -----------------------------------------------------------------------------------


def test_phases_join_and_feet_end_side_by_side():
    biped, dog = robots.load("biped"), robots.load("quadruped")
    for robot, gait, count in (
        (biped, gaits.footsteps, 5),
        (dog, gaits.trot, 6),
        (dog, gaits.crawl, 8),
    ):
        feet, q = crouched(robot, 0.0)
        phases = gait(feet, q, count, length=0.1)
        for one, after in pairwise(phases):
            assert one.end == pytest.approx(after.start)
        assert sum(bool(phase.swings) for phase in phases) == count
        places = dict(feet.placements(q))
        start = {name: T.translation.copy() for name, T in places.items()}
        for phase in phases:
            places.update(phase.swings)
        moved = np.array([places[n].translation - start[n] for n in feet.names])
        assert moved == pytest.approx(np.tile(moved[0], (len(moved), 1)), abs=1e-9)
        assert moved[0][0] > 0.15


@pytest.mark.parametrize(
    ("name", "gait"), [("biped", gaits.footsteps), ("go2", gaits.trot), ("go2", gaits.crawl)]
)
def test_a_length_that_legs_do_not_span_is_refused(name, gait):
    """As a mistake of units; just below what they span it is a plan, if not one to survive."""
    feet, q = crouched(robots.load(name))
    with pytest.raises(ContactError, match=r"apart; expected at most .* m, their legs") as told:
        gait(feet, q, 4, length=9.0)
    most = float(str(told.value).partition("at most ")[2].split()[0])
    assert gait(feet, q, 4, length=0.6 * most)


def test_bad_plans_are_refused():
    robot = robots.load("quadruped")
    feet, q = crouched(robot, 0.0)
    with pytest.raises(ContactError, match="2 feet"):
        gaits.footsteps(feet, q, 2)
    with pytest.raises(ConfigurationError, match="duration"):
        Phase(0.0, np.zeros(3), np.zeros(3))
    with pytest.raises(ConfigurationError, match="start"):
        Phase(1.0, np.zeros(2), np.zeros(3))
    with pytest.raises(ConfigurationError, match="phases"):
        DcmPlan([], 1.0)
    task = DcmTask("walk")
    with pytest.raises(ConfigurationError, match="DcmPlan"):
        task.bind(robot)
    for gait in (gaits.footsteps, gaits.trot, gaits.crawl):
        with pytest.raises(ConfigurationError, match="length: got nan"):
            gait(feet, q, 2, length=np.nan)


# --- walking ---------------------------------------------------------------------------------


def test_a_ball_swings_to_where_it_touches(load_robot, random_state):
    """Its shank turns on the way, and the origin of ANYmal's feet is 23 mm off the balls' centres:
    where the ball touches the foothold, however its leg is bent, the swing has arrived."""
    robot = load_robot("anymal", "floating")
    feet, level = contacts.at_feet(robot, 0.6), np.eye(3)
    start, end = (State(robot, random_state(robot, seed)[0]) for seed in (1, 2))
    foot = GaitFoot(feet["lf_foot"], start, Scale())
    touches = end.frame_placement(foot.contact.frame).act(foot.contact.offset)
    touches = touches + foot.contact.ball_arm
    foot.lift(start, pin.SE3(level, touches))
    foot.swing(0.0, 0.5, 0.05, None, minimum_jerk)
    foot.task.bind(robot)
    assert foot.task.error(start, 0.0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert foot.task.error(end, 0.5) == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_biped_makes_two_steps(load_robot):
    robot = load_robot("biped", "floating")
    feet, q = crouched(robot)
    phases = gaits.footsteps(feet, q, 2, length=0.1, settle=0.6)
    motion = walk(robot, feet, q, phases)
    assert not motion.fell
    assert set(motion.statuses) == {"optimal"}
    for name in feet.names:
        moved = motion.contacts.placements(motion.q[-1])[name].translation
        start = motion.contacts.placements(q)[name].translation
        assert moved - start == pytest.approx([0.1, 0.0, 0.0], abs=0.01)
        assert lifts(motion, name) == 1
    # torques do not jump when contacts come and go, as they would without ramps
    assert jump_at_switches(motion, phases) < 0.15 * np.abs(motion.tau).max()


def jump_at_switches(motion, phases):
    """The largest change of a torque from tick to tick, near where phases change [N·m]."""
    jumps = np.abs(np.diff(motion.tau, axis=0)).max(axis=1)
    switches = np.cumsum([phase.duration for phase in phases])[:-1]
    return max(
        jumps[(motion.t[:-1] > t - 0.04) & (motion.t[:-1] < t + 0.04)].max() for t in switches
    )


def test_ramps_take_the_jumps_out_of_a_trot():
    """Feet at 25 N each: without ramps several newton metres come and go within a tick."""
    robot = robots.load("quadruped")
    feet, q = crouched(robot, 0.0)
    phases = gaits.trot(feet, q, 2, length=0.05, settle=0.2)
    free = {"torque_rate": np.inf}  # which would hide them
    jumps = [
        jump_at_switches(walk(robot, feet, q, phases, ramp=ramp, **free), phases)
        for ramp in (0.03, 0.0)
    ]
    assert jumps[0] < 0.1 * robot.torque_limits.min()
    assert jumps[1] > 2 * jumps[0]


@pytest.mark.parametrize(("name", "time"), [("go2", 0.02), ("biped", 0.03)])
def test_torques_of_gaits_rise_to_their_limits_in_time(name, time):
    """On points and on soles, whatever tasks ask for: here to throw the trunk up."""
    robot, feet, q = standing(name)
    base, v = control.trunk(robot), np.zeros(robot.nv)
    pose = dynamics.frame_placement(robot, q, base) * pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.3]))
    up = control.FrameTask(pose, frame=base, rows_of=("z",), weight=1e3, gain=100.0, name="up")

    def rise(**options):
        walker = control.GaitController(robot, feet, q, **options)
        before = np.abs(walker(q, v, 0.0).tau)
        walker.set_tasks([up])
        after = walker(q, v, 0.002)
        assert after.status == "optimal"
        return float(((np.abs(after.tau) - before) / robot.torque_limits).max())

    assert rise() <= 0.002 / time + 1e-9
    assert rise(torque_rate=np.inf) > 0.2


def test_loads_go_over_slowly_only_while_all_feet_stand():
    """Where a swing follows another one, those that carry alone are not unloaded before its end."""
    robot, feet, q = standing("go2")
    stand, one, _, two, *_ = gaits.crawl(feet, q, 2)
    next_swing = Phase(two.duration, one.end, two.end, two.swings)
    walker = control.WalkingController(robot, feet, q, [stand, one, next_swing], reach=0.0)
    lifted, landed = stand.duration, stand.duration + one.duration
    (first,), (second,) = one.swings, two.swings
    slow, v = 0.05 * walker.scale.time, np.zeros(robot.nv)
    found = []
    for t in (0.0, lifted - slow, lifted, landed - slow, landed, landed + slow):
        walker(q, v, t)
        found.append((walker.controller.leaving, first in walker.controller.loaded))
    nothing = ()
    assert found == [
        (nothing, True), ((first,), False), (nothing, False),
        (nothing, False), (nothing, False), (nothing, True),
    ]  # fmt: skip
    assert second not in walker.controller.contacts.names


@pytest.mark.parametrize("heading", [0.0, np.pi / 2, -np.pi / 2])
def test_soles_that_land_carry_at_once_where_xi_is_off_its_plan(heading):
    """By more than 0.04 of the height; else they take as long as all feet stand, up to 80 ms."""
    robot, feet, q = standing("biped")
    stand, one, *later = gaits.footsteps(feet, q, 2)
    landed, (foot,) = stand.duration + one.duration, one.swings

    def carries(off):
        walker = control.WalkingController(robot, feet, q, [stand, one, *later], reach=0.0)
        way = off * walker.plan.height * np.array([np.cos(heading), np.sin(heading), 0.0])
        for t in (0.0, stand.duration, landed, landed + 0.002, landed + 0.014):
            xi = walker.dcm.desired(t)[0] + (way if t >= landed else 0.0)
            v = np.zeros(robot.nv)
            v[:3] = walker.plan.omega * (xi - dynamics.com(robot, q))
            assert walker.dcm.error(State(robot, q, v), t)[2] == pytest.approx(0.0, abs=1e-9)
            walker(q, v, t)
        return foot in walker.controller.loaded

    assert carries(0.045)
    assert not carries(0.035)


@pytest.mark.parametrize(
    ("name", "speed", "most"),
    [("biped", 0.3, 0.02), ("talos", 0.4, 0.03), ("go2", 0.6, 0.04)],
)
def test_torques_change_little_from_tick_to_tick(name, speed, most):
    """Of a walk without noise at 500 Hz, in their limits; lift-offs and touch-downs included.

    Forces that feet are loaded and unloaded with neither come within a few ticks, nor let feet push
    against each other. Nor does what two feet on a line could not do come as soon as others land.
    """
    robot, feet, q = standing(name, crouch=CROUCH["walk"] if name in ("biped", "talos") else 0.0)
    walker = control.GaitController(robot, feet, q, velocity=(speed, 0.0, 0.0))
    motion = control.simulate(
        robot, walker, duration=2.0, control_step=2e-3, q=q, contacts=feet, progress=False
    )
    assert walker.steps >= 2
    steps = np.abs(np.diff(motion.tau[motion.t > 0.05], axis=0)) / robot.torque_limits
    assert steps.max() < most


@pytest.mark.slow
def test_a_quadruped_walks(load_robot):
    """What it is told is noisy, too."""
    robot, steps = load_robot("solo12", "floating"), 4
    feet, q = crouched(robot, 0.0)
    noise = control.Noise(1e-3, 1e-2, 1e-3, 1e-3, 1e-2)
    motion = walk(robot, feet, q, gaits.trot(feet, q, steps, length=0.1, settle=0.4), noise=noise)
    assert not motion.fell
    assert all(lifts(motion, name) >= 2 for name in feet.names)
    ahead, aside, _ = motion.com[-1] - motion.com[0]
    assert ahead > 0.1 * (steps / 2 - 1)
    assert abs(aside) < 0.03


@pytest.mark.slow
def test_a_fast_trot_that_is_pushed_needs_footholds_where_xi_is():
    """Aside by 0.45 m/s times the mass: the plan alone falls."""
    robot = robots.load("quadruped")
    feet, q = crouched(robot, 0.0)
    phases = gaits.trot(feet, q, 6, length=0.42, settle=0.4)
    noise = control.Noise(1e-3, 3e-2, 1e-3, 3e-3, 2e-2)
    push = control.ForcePulse(control.trunk(robot), (0.0, 0.45 * robot.mass / 0.1, 0.0), 1.0)
    trot = partial(walk, robot, feet, q, phases, [push], noise=noise)
    planned, found = trot(reach=0.0), trot()
    assert planned.fell
    assert not found.fell
    went = (found.com[-1] - found.com[0])[0]
    assert went == pytest.approx((phases[-1].end - phases[0].start)[0], rel=0.1)


@pytest.mark.slow
def test_a_push_is_caught_by_a_step():
    """A push sideways of 0.3 m/s times the mass: the plan alone falls, moved footsteps do not."""
    robot = robots.load("biped")
    feet, q = crouched(robot)
    push = control.ForcePulse(control.trunk(robot), (0.0, 0.3 * robot.mass / 0.1, 0.0), 1.2)
    phases = gaits.footsteps(feet, q, 3, settle=0.4)
    stubborn = walk(robot, feet, q, phases, [push], until=3.0, reach=0.0)
    caught = walk(robot, feet, q, phases, [push], until=2.3)
    assert stubborn.fell
    assert not caught.fell
    assert abs(caught.com[-1][1] - caught.com[0][1]) > 0.05


def test_copies_of_a_walker_go_on_in_the_midst_of_a_swing():
    robot, feet, q = standing("biped")
    walker = control.GaitController(robot, feet, q, velocity=(0.2, 0.0, 0.0))
    motion = control.simulate(
        robot, walker, duration=1.1, control_step=2e-3, q=q, contacts=feet, progress=False
    )
    assert len(walker.controller.contacts) == 1
    state = motion.q[-1], motion.v[-1], float(motion.t[-1])
    twins = deepcopy(walker), pickle.loads(pickle.dumps(walker))
    torques = walker(*state).tau
    for twin in twins:
        assert twin(*state).tau == pytest.approx(torques, abs=1e-6)


def test_a_walker_has_tasks_of_ones_own():
    """From the next tick on, on both feet and on one; the gait's own stay."""
    robot, feet, q = standing("biped", crouch=0.02)
    lifted = dynamics.frame_placement(robot, q, "left_hand")
    lifted.translation[2] += 0.1
    hand = control.FrameTask(lifted, frame="left_hand", rows_of="position", weight=20.0)
    v = np.zeros(robot.nv)

    def rising(walker, t):
        command = walker(q, v, t)
        assert command.solved
        return (dynamics.frame_jacobian(robot, q, "left_hand") @ command.a)[2]

    walker = control.GaitController(robot, feet, q, velocity=(0.1, 0, 0))
    usual = {task.name for task in walker.tasks}
    assert isinstance(walker.tasks, tuple)  # what would be appended would do nothing
    assert rising(walker, 0.0) < 1.0
    walker.set_tasks([hand])
    assert rising(walker, 2e-3) > 5.0
    walker.set_tasks([])
    assert rising(walker, 4e-3) < 1.0
    told = control.GaitController(robot, feet, q, velocity=(0.1, 0, 0), tasks=[hand])
    for t in (0.0, 1.0, 1.6):  # a foot swings, then lands
        assert rising(told, t) > 5.0
        assert {task.name for task in told.controller.tasks} >= usual | {hand.name}
    for name, wrong in (("dcm", "twice"), ("foot left_foot", "twice")):
        clash = control.FrameTask(lifted, frame="left_hand", name=name)
        with pytest.raises(ConfigurationError, match=wrong):
            walker.set_tasks([clash])
    assert [task.name for task in walker.tasks] == [task.name for task in walker._of_gait]
