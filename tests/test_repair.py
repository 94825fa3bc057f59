"""Repairs of motions: the nearest motion that holds."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import cvxpy as cp
import motions_made as made
import numpy as np
import pytest

from footwork import contacts, control, dynamics, robots
from footwork.contacts.schedules.corners import at_corners
from footwork.contacts.schedules.schedule import ContactSchedule
from footwork.contacts.terrain.terrain import LEVEL_GROUND
from footwork.control.repairs import step as steps
from footwork.control.repairs.differences import Differences
from footwork.control.repairs.equations import Sampled
from footwork.control.repairs.iterate import Bounds, Iterate, Loads
from footwork.control.repairs.limits import Limits
from footwork.control.repairs.objective import Objective
from footwork.control.repairs.repair import first_iterate, slower
from footwork.control.repairs.stances import stand
from footwork.dynamics import Motion
from footwork.errors import ConfigurationError, ContactError
from footwork.robots import JointCoupling

BEGIN, END = 4.2, 4.9  # of a short part: the right foot swings, and lands [s]
QUIET = {"self_collision": False, "progress": False}
ASKED = {"terrain": None, "friction": None, "wrenches": None, "torque_limits": True}


@pytest.fixture(scope="module")
def g1():
    return made.load_g1()


@pytest.fixture(scope="module")
def whole(g1):
    return made.carrying(g1)


def schedule_of(motion: Motion, begin: float = 0.0, factor: float = 1.0) -> ContactSchedule:
    """The corners of the feet, flat, as the steps were made."""
    soles = np.repeat(made.touching(begin + (motion.t - motion.t[0]) * factor), 4, axis=1)
    return ContactSchedule(at_corners(motion.robot), motion.t, soles, np.ones(soles.shape))


def short(motion: Motion, end: float = END) -> Motion:
    some = (motion.t > BEGIN - 1e-6) & (motion.t < end + 1e-6)
    return Motion.of(motion.robot, motion.t[some], motion.q[some], cutoff=None, name=motion.name)


def share(motion: Motion, torque_limits=True) -> float:
    """Of the samples that hold on flat feet, by the solver of single states."""
    states = motion.robot, motion.q, motion.v, motion.a, contacts.at_feet(motion.robot)
    active = made.touching(made.carrying(motion.robot).t)
    asked = {"active": active, "torque_limits": torque_limits, "margin": False}
    verdicts = contacts.batch.contact_forces(*states, **asked)
    return float(np.mean(verdicts.feasible == 1))


def test_the_made_motion_holds_and_its_faulty_twin_does_not(g1, whole) -> None:
    assert share(whole) == 1.0
    assert share(whole, made.weak(g1)) < 0.9
    assert 0.3 < share(made.retargeted(g1)) < 0.45


# ---------------------------------------------------------------------- one fault at a time
@pytest.mark.parametrize(
    "fault",
    [made.floating, made.sliding, made.heels_below_ground, made.wobbling, made.out_of_range],
    ids=lambda fault: fault.__name__,
)
def test_each_fault_alone_is_mended(whole, fault) -> None:
    amounts = {"floating": {"height": 0.012}, "sliding": {"amplitude": 0.03, "period": 1.0},
               "heels_below_ground": {"angle": 0.12}, "wobbling": {"amplitude": 0.04}}  # fmt: skip
    end = END + 0.6 * (fault is made.out_of_range)  # there and back take their time
    motion = fault(short(whole, end), **amounts.get(fault.__name__, {}))
    schedule = schedule_of(motion, BEGIN)
    found = control.repair(motion, schedule, **QUIET)
    assert found.before.share < 0.9
    assert found.after.share == 1.0, found.explain()
    assert found.holds
    keeps_what_is_asked(found, schedule)
    for name, change in found.changes.items():
        if name.endswith("hand position"):
            assert change.largest < 3.0  # [cm]
    again = Motion.of(motion.robot, motion.t, found.motion.q, cutoff=None)
    assert contacts.audit(again, schedule, self_collision=False).good.all()


def keeps_what_is_asked(found: control.Repair, schedule: ContactSchedule) -> None:
    """Feet locked to 0.1 mm, joints in range, torques of the forces found within bounds."""
    motion, robot = found.motion, found.motion.robot
    frames = [c.frame for c in schedule.contacts]
    for k, contact in enumerate(schedule.contacts):
        T = dynamics.batch.frame_placement(robot, motion.q, frames[k])
        points = T[:, :3, :3] @ contact.offset + T[:, :3, 3]
        on = schedule.touching[:, k]
        for first, last in runs(on):
            stood = points[first : last + 1]
            assert np.ptp(stood, axis=0).max() < 1e-4
            assert abs(stood[:, 2]).max() < 1e-4
        assert points[~on, 2].min(initial=1.0) > -1e-3
    lower, upper = robot._model.lowerPositionLimit, robot._model.upperPositionLimit
    assert (motion.q[:, 7:] > lower[7:] - 1e-6).all()
    assert (motion.q[:, 7:] < upper[7:] + 1e-6).all()
    v = found.after.forces.verdicts
    assert (abs(v.torques) <= robot.torque_limits * (1 + 1e-6)).all()


def runs(flags: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2], edges[1::2] - 1, strict=True))


def test_a_carrying_motion_with_all_faults_is_mended(g1, tmp_path) -> None:
    motion = made.retargeted(g1).part(2.6, 3.4)  # a swing of each foot
    schedule = schedule_of(motion, 2.6 * 1.7, factor=1.7)
    found = control.repair(motion, schedule, progress=False)
    assert found.before.shares["forces, torques unlimited"] < 0.45
    assert found.after.share >= 0.99, found.explain()
    keeps_what_is_asked(found, schedule)
    path = tmp_path / "mended.csv"
    found.motion.save(path)
    again = contacts.audit(dynamics.read_motion(path, g1), schedule)
    assert again.share >= 0.99


def test_contacts_are_found_anew_in_the_motion_that_was_repaired(whole) -> None:
    motion = made.sliding(short(whole), 0.03, 1.0)
    found = control.repair(motion, **QUIET, steps=2)
    assert found.after.share > found.before.share
    assert found.anew.share == contacts.audit(found.motion, self_collision=False).share
    assert f"{found.before.share:.1%} hold" in replace(found, anew=found.before).explain()


LEADER = "left_shoulder_pitch"


def follows(leader: str = LEADER) -> robots.Robot:
    """A biped whose left elbow follows half of another joint."""
    robot = robots.load("biped", passive=["left_elbow"])
    return robot.with_closures([JointCoupling("mimic", "left_elbow", leader, (0.0, -0.5))])


def swinging(robot: robots.Robot) -> tuple[Motion, ContactSchedule]:
    """It stands 3 cm above the ground, its left arm swings; on both feet."""
    feet = contacts.at_feet(robot)
    q = np.tile(control.stand(robot, feet)[1], (25, 1))
    at = robot._model.joints[robot.joint_id(LEADER)].idx_q
    q[:, 2] += 0.03
    q[:, at] += 0.3 * np.sin(np.linspace(0, np.pi, 25)) ** 2
    q = np.array([robot.close(x) for x in q])
    motion = Motion.of(robot, 0.02 * np.arange(25), q, cutoff=None)
    on = np.ones((25, 2), dtype=bool)
    return motion, ContactSchedule(feet, motion.t, on, np.ones(on.shape))


def test_closures_of_arms_stay_closed() -> None:
    """Any closure was refused. The motor of the leader carries the elbow too."""
    robot = follows()
    motion, schedule = swinging(robot)
    found = control.repair(motion, schedule, **QUIET)
    assert found.before.share < 0.5
    assert found.holds, found.explain()
    errors = [dynamics.State(robot, q).closure_error for q in found.motion.q]
    assert np.abs(errors).max() < 1e-9
    held = robot._closure_rows.columns + 1  # in q: all joints have one coordinate
    assert np.array_equal(found.motion.q[:, held], motion.q[:, held])
    here, arm = first_iterate(found.motion, schedule, ASKED, 10.0), robot.actuated.index(LEADER)
    expected = found.after.forces.verdicts.torques[:, arm]
    assert here.torques[:, arm] == pytest.approx(expected, abs=1e-6)


def test_closures_of_legs_are_refused_by_name() -> None:
    motion, schedule = swinging(follows("waist_yaw"))
    knees = JointCoupling("knees", "left_knee", "right_knee", (0.0, 1.0))
    robot = robots.load("biped", passive=["left_knee"]).with_closures([knees])
    motion = Motion.of(robot, motion.t, motion.q, cutoff=None)
    schedule = replace(schedule, contacts=contacts.at_feet(robot))
    with pytest.raises(ContactError, match="repair: got the closure 'knees' of 'biped'"):
        control.repair(motion, schedule, **QUIET)


def test_weak_motors_are_spared(g1, whole) -> None:
    motion = short(whole)
    schedule, limits = schedule_of(motion, BEGIN), made.weak(g1, share=0.12)
    found = control.repair(motion, schedule, torque_limits=limits, **QUIET)
    assert found.before.share < 1.0
    assert found.after.share > found.before.share
    assert (abs(found.after.forces.verdicts.torques) <= limits * (1 + 1e-6))[found.after.good].all()


def test_arms_come_out_of_the_trunk(whole) -> None:
    motion = made.arm_in_trunk(short(whole, END + 0.3))
    found = control.repair(motion, schedule_of(motion, BEGIN), progress=False)
    assert found.before.shares["collision"] < 1.0
    assert found.after.share == 1.0, found.explain()


def test_a_motion_that_holds_comes_back_as_it_was(whole) -> None:
    motion = short(whole)
    found = control.repair(motion, schedule_of(motion, BEGIN), progress=False)
    assert found.before.share == found.after.share == 1.0
    assert found.motion is motion
    assert found.steps == 0
    assert "already" in found.status


def test_what_cannot_be_is_said_and_not_made_worse(g1, whole) -> None:
    motion = short(whole)
    schedule = schedule_of(motion, BEGIN)
    load = {"torso_link": dynamics.Wrench([0.0, 0, -4000])}
    for impossible in ({"friction": 0.0}, {"wrenches": load}):
        found = control.repair(motion, schedule, **impossible, **QUIET, steps=1)
        assert found.after.share >= found.before.share
        assert not found.holds
        assert found.left
        assert "could not be mended" in found.explain()
        assert found.as_dict()["left"]


def test_time_is_stretched_only_where_it_is_allowed(g1, whole) -> None:
    motion = short(whole)
    faster = Motion.of(g1, motion.t[0] + (motion.t - motion.t[0]) / 4, motion.q, cutoff=None)
    found, kept = (
        control.repair(faster, schedule_of(faster, BEGIN, 4.0), **slowest, **QUIET, steps=1)
        for slowest in ({"slowest": 4.0}, {})
    )
    assert kept.slowed == 1.0
    assert found.slowed > 1.0
    assert found.after.share > kept.after.share
    assert found.motion.duration == pytest.approx(faster.duration * found.slowed)
    assert "stretched" in found.explain()


def test_windows_are_repaired_one_after_the_other(whole) -> None:
    motion = made.wobbling(short(whole), 0.04)
    schedule = schedule_of(motion, BEGIN)
    found = control.repair(motion, schedule, window=0.4, **QUIET, steps=3)
    assert found.after.share > found.before.share
    assert found.after.share >= 0.9


# ---------------------------------------------------------------------- its parts
def block_problem(margin: float = 3.0) -> tuple[Iterate, Objective, Limits]:
    """A tilted block that slides and hops a little on its four corners."""
    robot = robots.block(8.0, (0.3, 0.2, 0.1))
    t, rng = np.arange(9) / 20, np.random.default_rng(3)
    q0 = robot.neutral()
    q0[2] = 0.095
    wave = 0.02 * np.sin(3 * t)[:, None] * rng.normal(size=(1, 6))
    q = np.array([robot.integrate(q0, dq) for dq in wave])
    motion = Motion.of(robot, t, q, cutoff=None)
    frame = robot.frame_names[-1]
    corners = [
        contacts.PointContact(frame, 0.5, offset=(0.15 * x, 0.1 * y, -0.05), name=f"{x}{y}")
        for x, y in product((-1, 1), repeat=2)
    ]
    on = np.ones((9, 4), dtype=bool)
    on[4:6, 2:] = False
    schedule = ContactSchedule(contacts.ContactSet(robot, corners), t, on, np.ones(on.shape))
    first = first_iterate(motion, schedule, ASKED, margin)
    objective = Objective(robot, q, first.problem.corners.frames, {"base": 0.1})
    return first, objective, Limits(robot, self_collision=False)


@pytest.mark.parametrize(("part", "exact"), [("joints", 1e-6), ("base", 1e-3)])
def test_the_linear_model_is_the_derivative_of_motion_and_forces(g1, whole, part, exact) -> None:
    """Of a base that turns only as far as differences of products are exact, so off the ends."""
    motion = short(whole)
    first = first_iterate(motion, schedule_of(motion, BEGIN), ASKED, 0.0)
    rng = np.random.default_rng(0)
    forces = 30 * rng.normal(size=first.forces.shape) * first.problem.corners.touching[..., None]
    here, limits = Iterate(first.problem, first.q, forces), Limits(g1, self_collision=False)
    x = np.sin(4 * motion.t)[:, None] * rng.normal(size=(1, g1.nv))
    x[:, slice(6) if part == "joints" else slice(6, None)] = 0.0
    df, h = rng.normal(size=forces.shape), 1e-5

    def at(h: float) -> Iterate:
        q = np.array([g1.integrate(a, h * b) for a, b in zip(here.q, x, strict=True)])
        return Iterate(first.problem, q, forces + h * df)

    ahead, behind, inner = at(h), at(-h), slice(4, -4)
    slope = (ahead.residual - behind.residual) / (2 * h)
    rate, second = first.problem.differences.derivatives(x)
    lin = here.linear
    model = (
        np.einsum("nij,nj->ni", lin.C0, x)
        + np.einsum("nij,nj->ni", lin.C1, rate)
        + np.einsum("nij,nj->ni", lin.C2, second)
        - np.einsum("nkij,nki->nj", lin.points, df)
    )
    assert abs(slope - model)[inner].max() < exact * abs(slope).max()
    values = [
        lambda y: np.abs(limits._shares(y)[0])[limits.torques(here) > -0.5],
        lambda y: limits.ranges(y)[:, 0][limits.ranges(here)[:, 0] > -2.0],
        lambda y: limits.ranges(y)[:, 1][limits.ranges(here)[:, 1] > -2.0],
        lambda y: limits.velocities(y)[limits.velocities(here) > -0.5],
        lambda y: limits.heights(y)[limits.heights(here) > -5.0],
    ]
    kinds = limits._torque_rows(here) + limits._range_rows(here) + limits._speed_rows(here)
    for rows, value in zip(kinds + limits._height_rows(here), values, strict=True):
        model = np.zeros(len(rows.g))
        for G, change in ((rows.G0, x), (rows.G1, rate), (rows.G2, second)):
            if G is not None:
                model += np.einsum("mi,mi->m", G, change[rows.samples])
        if rows.F is not None:
            model += np.einsum("mki,mki->m", rows.F, df[rows.samples])
        slope = (value(ahead) - value(behind)) / (2 * h)
        near = (rows.samples >= 4) & (rows.samples < len(motion) - 4)
        assert abs(slope - model)[near].max(initial=0.0) < exact * abs(slope).max(initial=1.0)


def combined(weights, taps, value):
    return sum(w * value(j) for w, j in zip(weights, taps, strict=True))


def test_a_step_is_the_optimum_of_the_program_as_it_is_written() -> None:
    """The same step by cvxpy, row by row from the formulas: to 1e-6."""
    here, objective, limits = block_problem()
    program = steps.StepProgram(here, objective, limits, 1e-2, slice(0, len(here.q)))
    found = program.solve(1e-9)
    assert found.status in ("optimal", "inaccurate")
    problem, lin, n = here.problem, here.linear, len(here.q)
    corners, d, weight = problem.corners, problem.differences, problem.robot.weight
    x, f = cp.Variable((n, 6)), {k: cp.Variable((len(corners), 3)) for k in range(n)}
    model, xi, cost, rules = objective.quadratic(here.q), objective.change(here.q), 0, []
    places, J = here.placed.places, corners.jacobian(here.placed, here.placed.arms)
    second = problem.calm.derivatives(xi)[1]
    for k in range(n):
        H = model.H[k] + (1e-2 + 1e-9) * np.eye(6)
        cost += 0.5 * cp.quad_form(x[k], cp.psd_wrap(H)) + model.g[k] @ x[k]
        bent = combined(problem.calm.second[k], problem.calm.taps[k], lambda j: x[j])
        cost += 0.5 * objective.smoothness * cp.sum_squares(second[k] + bent)
        rate = combined(d.first[k], d.taps[k], lambda j: x[j])
        bend = combined(d.second[k], d.taps[k], lambda j: x[j])
        r = lin.r[k] + lin.C0[k] @ x[k] + lin.C1[k] @ rate + lin.C2[k] @ bend
        for c in range(len(corners)):
            force = weight * f[k][c]
            r = r - lin.points[k, c].T @ (force - here.forces[k, c])
            cost += 0.5 * 1e-2 * cp.sum_squares(f[k][c])
            if not corners.touching[k, c]:
                rules.append(f[k][c] == 0)
                continue
            least = 3.0 / corners.touching[k].sum() / weight
            rules.append(cp.norm(f[k][c][:2]) <= 0.5 * (f[k][c][2] - least))
            if not corners.touching[d.taps[k], c].all():
                at = lambda j, c=c: places[j, c] + J[j, c] @ x[j]  # noqa: E731
                speed = combined(d.first[k], d.taps[k], at)
                cost += 0.5 * cp.sum_squares(speed / 0.02)
        cost += steps.PRICE * cp.norm(r / problem.units)
        own = np.flatnonzero(corners.touching[k])
        stacked, off = np.vstack(J[k, own]), here.off[k, own].ravel()
        basis = np.linalg.svd(stacked, full_matrices=False)[0][:, : np.linalg.matrix_rank(stacked)]
        rules.append(basis.T @ stacked @ x[k] == -basis.T @ off)
    for rows in limits.rows(here):
        assert rows.G1 is None
        for g, k, G in zip(rows.g, rows.samples, rows.G0, strict=True):
            cost += steps.PRICE * cp.pos(g + G @ x[k])
    other = cp.Problem(cp.Minimize(cost), rules)
    other.solve(solver="CLARABEL")
    assert abs(x.value - found.x).max() < 1e-6
    x.value = found.x
    for k in range(n):
        f[k].value = found.forces[k] / weight
    assert cost.value == pytest.approx(other.value, rel=1e-6)


def test_feet_stand_at_one_place_on_the_ground() -> None:
    here, _, _ = block_problem()
    corners = here.problem.corners
    goal = stand(corners, corners.ends(here.q), LEVEL_GROUND)
    on = corners.touching
    assert np.isnan(goal[~on]).all()
    assert abs(goal[on][:, 2]).max() < 1e-12
    assert abs(goal[0] - goal[3]).max() == 0.0
    sides = [np.linalg.norm(p[0] - p[1]) for p in (goal[0], corners.local)]
    assert sides[0] == pytest.approx(sides[1], abs=1e-12)
    sloped = contacts.Terrain([contacts.Plane("slope", rises=10.0)])
    there = stand(corners, corners.ends(here.q), sloped)
    assert abs(sloped.signed_distance(there[on])).max() < 1e-9


def test_differences_are_those_of_motions(g1, whole) -> None:
    motion = short(whole)
    first, second = Differences.of(len(motion), motion.rate).derivatives(motion.q[:, 7:])
    assert abs(first - motion.v[:, 6:]).max() < 1e-9
    assert abs(second - motion.a[:, 6:]).max() < 1e-6


def test_parts_of_a_problem_keep_their_own_rows(g1, whole) -> None:
    motion, wrenches = short(whole), np.arange(132.0).reshape(22, 6)
    for given in (wrenches, {"torso_link": wrenches}):
        some = Loads(motion, (), given).part(slice(2, 5))
        every = Loads(motion, (), given)(Sampled(motion.q, motion.v, motion.a, wrenches))
        rows = Sampled(*(x[2:5] for x in (motion.q, motion.v, motion.a, wrenches)))
        assert abs(some(rows) - every[2:5]).max() < 1e-12
    limits = np.arange(638.0).reshape(22, 29)
    some = Bounds(g1, (-limits, limits), 22).part(slice(2, 5))
    assert (some.torque_limits[1] == limits[2:5]).all()


def test_what_is_carried_counts_and_is_put_down_later_when_time_is_stretched(whole) -> None:
    motion = short(whole)
    box = contacts.CarriedMass("left_rubber_hand", 6.0, start=BEGIN, end=END, ramp=0.1)
    push = contacts.AppliedWrench("torso_link", [BEGIN, END], force=[0.0, 5.0, 0.0])
    schedule = replace(schedule_of(motion, BEGIN), loads=(box, push))
    found = control.repair(motion, schedule, **QUIET, steps=4)
    assert found.before.share < 0.9
    assert found.after.share > found.before.share + 0.2, found.explain()
    late = slower(schedule, motion.t[0] + 2 * (motion.t - motion.t[0]), 2.0)
    assert late.loads[0].end == pytest.approx(BEGIN + 2 * (END - BEGIN))
    assert late.loads[0].ramp == 0.2
    assert late.loads[1].t[1] == pytest.approx(BEGIN + 2 * (END - BEGIN))


def test_bad_input_is_refused(g1, whole) -> None:
    motion = short(whole)
    schedule = schedule_of(motion, BEGIN)
    for asked in ({"weights": {"hand": 1.0}}, {"margin": -1.0}, {"slowest": 0.5}):
        (word,) = asked.get("weights", asked)
        with pytest.raises(ConfigurationError, match=word):
            control.repair(motion, schedule, **asked)
    held = contacts.ContactSet(g1, [contacts.PointContact("left_rubber_hand", 0.5, bilateral=True)])
    on = np.ones((len(motion), 1))
    rung = ContactSchedule(held, motion.t, on > 0, on)
    with pytest.raises(ContactError, match="bilateral"):
        control.repair(motion, rung)
    none = ContactSchedule(contacts.ContactSet(g1, []), motion.t, on[:, :0] > 0, on[:, :0])
    with pytest.raises(ContactError, match="no contacts"):
        control.repair(motion, none, self_collision=False)


def test_a_hop_falls_freely_between_its_contacts() -> None:
    """Ball feet on a slope: in flight the base is where gravity takes it."""
    robot, slope = robots.load("quadruped"), contacts.Terrain([contacts.Plane(rises=8.0)])
    feet = contacts.at_feet(robot, 0.7)
    q = contacts.solve_posture(robot, feet, targets=slope.targets(feet, robot.posture())).q
    t = np.arange(32) / 40
    up = np.zeros((32, robot.nv))
    up[:, 2] = 0.02 * np.clip(1 - ((t - 0.4) / 0.1) ** 2, 0, None)
    qs = np.array([robot.integrate(q, step) for step in up])
    motion = Motion.of(robot, t, qs, cutoff=None, name="hop")
    on = np.repeat((abs(t - 0.4) > 0.1 - 1e-9)[:, None], 4, axis=1)
    schedule = ContactSchedule(feet, t, on, np.ones(on.shape))
    found = control.repair(motion, schedule, terrain=slope, progress=False, self_collision=False)
    flies = ~on.any(axis=1)
    before, after = (x.checks["flight"].values[flies] for x in (found.before, found.after))
    assert np.nanmax(before) > 1.0
    assert np.nanmax(after) < 0.05  # [m/s²]
    assert found.after.share > found.before.share


# ---------------------------------------------------------------------- the command
def test_the_command_mends_a_file_and_says_what_it_changed(whole, run, tmp_path) -> None:
    motion = made.sliding(short(whole), 0.03, 1.0)
    faulty, feet, mended = (tmp_path / name for name in ("faulty.npz", "feet.yaml", "mended.csv"))
    motion.save(faulty)
    schedule_of(motion, BEGIN).save(feet)
    arguments = [
        str(faulty), "--robot", "g1", "--contacts", str(feet), "--no-self-collision",
        "--weights", "hands=2", "--smoothing", "none",
    ]  # fmt: skip
    kept = tmp_path / "kept.yaml"
    files = "--save", str(mended), "--save-contacts", str(kept)
    code, out, err = run("repair", *arguments, "--json", *files)
    assert code == 0, err
    assert contacts.ContactSchedule.load(kept, motion.robot, motion).touching.any()
    told = json.loads(out)
    assert told["holds"]
    assert told["before"] < 0.9
    assert told["after"] == 1.0
    assert told["after, contacts found anew"] is None  # they were given
    assert told["changes"]["base position"]["unit"] == "cm"
    code, out, err = run("audit", str(mended), *arguments[1:6])
    assert code == 0, out + err
    brief = motion.part(BEGIN, BEGIN + 0.3).save(tmp_path / "brief.npz")
    weak = tmp_path / "weak.yaml"
    weak.write_text('"*_shoulder_*": {peak: 0.001, no_load: 90}')
    feeble = "--motors", str(weak), "--window", "0.2"
    code, out, err = run("repair", str(brief), *arguments[1:], *feeble)
    assert code == 1
    assert "could not be mended" in out
    code, out, err = run("repair", *arguments[:-2], "--weights", "hand=2")
    assert code == 2
    assert "hands" in err
