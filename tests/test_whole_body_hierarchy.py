"""A strict hierarchy: what lower levels ask never shows in higher ones."""

from __future__ import annotations

import numpy as np
import pytest
from stances import inside

from footwork import control, dynamics
from footwork.control.program.null_space import solutions
from footwork.control.program.qp import reduced
from footwork.control.program.reduction import levels_kernel


@pytest.fixture(scope="module", params=["talos", "go2"])
def stand(request):
    return inside(request.param)


def tasks_of(robot, q, com=0.03, turn=0.2, bend=0.3, weights=(1.0, 1.0, 1.0)):
    """Three levels that cannot all have their way."""
    base = next(f.name for f in robot.model.frames if f.parentJoint == 1)
    pose = dynamics.frame_placement(robot, q, base)
    pose.rotation = pose.rotation @ _yaw(turn)
    bent = q.copy()
    bent[7:] += bend
    return [
        control.ComTask(dynamics.com(robot, q) + com, weight=weights[0], level=0),
        control.FrameTask(
            pose, frame=base, rows_of="orientation", weight=weights[1], level=1, name="base"
        ),
        control.PostureTask(bent, weight=weights[2], level=2),
    ]


def _yaw(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def answer(stand, tasks, **options):
    robot, feet, q = stand
    controller = control.WholeBodyController(robot, feet, tasks, joint_limits=False, **options)
    command = controller(q, np.zeros(robot.nv))
    assert command.status == "optimal", command.reason
    return command


@pytest.mark.parametrize("limits", [True, False])
def test_lower_levels_change_nothing_above(stand, limits):
    robot, _, q = stand
    options = {"strict": True, "torque_limits": limits}
    first = answer(stand, tasks_of(robot, q)[:1], **options)
    second = answer(stand, tasks_of(robot, q)[:2], **options)
    for bend, turn in ((0.3, 0.2), (-0.5, 0.2), (0.0, 0.2)):
        third = answer(stand, tasks_of(robot, q, bend=bend, turn=turn), **options)
        for name, held in (("com", first), ("base", second)):
            residual = third.task_residuals[name]
            assert residual == pytest.approx(held.task_residuals[name], abs=1e-6), name
        assert max(third.residuals.values()) < 1e-6 * 9.81 * robot.mass


def test_a_level_is_the_best_that_the_ones_above_leave(stand):
    """Against cvxpy, level by level, with what is above held as equations."""
    import cvxpy as cp

    robot, feet, q = stand
    # so much that friction is in the way
    tasks = tasks_of(robot, q, com=0.06, turn=0.3)
    command = answer(stand, tasks, strict=True, torque_limits=False)
    assert any(what.startswith("friction") for what in command.active(1e-4))
    controller = control.WholeBodyController(robot, feet, tasks, joint_limits=False)
    P = controller.program(q, np.zeros(robot.nv))
    a, x = cp.Variable(P.nv), cp.Variable(P.dim)
    w, u = robot.mass * x, P.unactuated
    held = [P.M[u] @ a + P.b[u] == P.J[:, u].T @ w, P.J @ a == P.k, P.F @ w <= 0, P.N @ w >= 0]
    rows = [(P.A[:3], P.r[:3]), (P.A[3:], P.r[3:])]
    for (A, r), name in zip(rows, ("com", "base"), strict=True):
        bounded = 1e-7 * (cp.sum_squares(a) + cp.sum_squares(x))
        problem = cp.Problem(cp.Minimize(cp.sum_squares(A @ a - r) + bounded), held)
        problem.solve(solver="CLARABEL")
        best = np.linalg.norm(A @ a.value - r)
        assert np.linalg.norm(command.task_residuals[name]) == pytest.approx(best, abs=5e-3)
        held.append(cp.abs(A @ a - A @ a.value) <= 1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_first_level_is_at_its_best_within_all_limits(stand, seed):
    """Rows of weights far apart, forces and joints that only keep limits: by an exact program."""
    import cvxpy as cp

    robot, feet, q = stand
    rng = np.random.default_rng(seed)
    tasks = tasks_of(robot, q, weights=10 ** rng.uniform(-3, 3, 3), com=0.1 * rng.normal(size=3))
    tasks[0].level, tasks[1].level, tasks[2].level = rng.permuted([0, 0, 1])
    controller = control.WholeBodyController(robot, feet, tasks, strict=True)
    x = robot.integrate(q, 0.03 * rng.normal(size=robot.nv))
    command = controller(x, 0.3 * rng.normal(size=robot.nv))
    assert command.status == "optimal"
    P = command.program
    small = reduced(P, solutions(P, controller._formulation.columns), accelerations=True)
    y, size = cp.Variable(len(small.g)), 1.0 + np.abs(small.C).sum(axis=1)
    up, down = np.isfinite(small.high), np.isfinite(small.low)
    rows = (small.C / size[:, None]) @ y
    kept = [rows[up] <= (small.high / size)[up], rows[down] >= (small.low / size)[down]]
    lacks = [command.task_residuals[t.name] * t.weight**0.5 for t in tasks if t.level == 0]
    levels = controller._formulation.levels()
    B, e, root = (x[: levels.ends[0]] for x in (levels.on_a, levels.e, levels.root))
    e = cp.multiply(root, B @ (small.a0 + small.Za @ y) - e)
    problem = cp.Problem(cp.Minimize(cp.norm(e)), kept)
    problem.solve(solver="CLARABEL")
    assert np.linalg.norm(np.concatenate(lacks)) == pytest.approx(problem.value, rel=1e-4, abs=1e-4)


def test_weights_that_go_apart_reach_the_hierarchy(stand):
    robot, _, q = stand
    strict = answer(stand, tasks_of(robot, q)[::2], strict=True)
    apart = []
    for ratio in (1e1, 1e3, 1e5):
        tasks = tasks_of(robot, q, weights=(ratio, 1.0, 1.0))[::2]
        command = answer(stand, tasks, force_weight=1e-6)
        apart.append(np.abs(command.a - strict.a).max())
    assert apart[2] < 0.02 * apart[0]
    assert apart[2] <= apart[1] <= apart[0]


def test_force_tasks_have_levels_too(stand):
    """A foot's force below the centre of mass's motion: it gets what that leaves."""
    robot, feet, q = stand
    name = feet.names[0]
    force = control.ForceTask([0.0, 0.0, 0.27 * 9.81 * robot.mass], contact=name, level=1)
    tasks = [tasks_of(robot, q)[0], force, control.PostureTask(q, level=2)]
    alone = answer(stand, tasks[:1], strict=True)
    command = answer(stand, tasks, strict=True)
    assert command.task_residuals["com"] == pytest.approx(alone.task_residuals["com"], abs=1e-6)
    own = command.contacts.rows(name)
    assert command.w[own][2] == pytest.approx(0.27 * 9.81 * robot.mass, abs=1e-3 * robot.mass)


@pytest.mark.parametrize("standing", [slice(None), slice(0, 1), slice(0, 2)])
def test_the_compiled_hierarchy_is_the_solvers(stand, standing, monkeypatch):
    """One working set for all levels, against a quadratic program a level."""
    pytest.importorskip("numba")
    robot, feet, q = stand
    rng, compiled = np.random.default_rng(5), 0
    limits = 0.8 * np.minimum(robot.torque_limits, 300.0)
    for com in (0.005, 0.04):
        tasks = tasks_of(robot, q, com=com, weights=(10.0, 2.0, 0.1))
        tasks.append(control.MomentumTask(np.zeros(6), weight=0.1, level=1))
        controller = control.WholeBodyController(
            robot, list(feet)[standing], tasks, strict=True, torque_limits=limits
        )
        for _ in range(3):
            x = robot.integrate(q, 0.01 * rng.standard_normal(robot.nv))
            v = 0.05 * rng.standard_normal(robot.nv)
            fast = controller(x, v)
            with monkeypatch.context() as patch:
                patch.setattr("footwork.control.whole_body.solving.minimum", lambda *_: None)
                slow = controller(x, v)
            assert fast.status == slow.status
            if fast.status != "optimal":
                continue
            for task in tasks[:3]:
                one, two = fast.task_residuals[task.name], slow.task_residuals[task.name]
                assert one == pytest.approx(two, abs=1e-5 * (1 + np.abs(two).max())), task.name
            assert max(fast.residuals.values()) < 1e-6 * 9.81 * robot.mass
            compiled += 1
    assert compiled >= 3


@pytest.mark.parametrize(
    ("name", "seed"), [("go2", 0), ("go2", 3), *(("talos", seed) for seed in (0, 1, 3, 7, 9))]
)
def test_the_compiled_hierarchy_converges_where_many_limits_are_in_the_way(name, seed, monkeypatch):
    """Tasks beyond what joints and friction allow, from any working set."""
    pytest.importorskip("numba")
    robot, feet, q = inside(name)
    rng = np.random.default_rng(seed)
    tasks = tasks_of(robot, q, com=0.1 * rng.normal(size=3), turn=0.6, bend=0.4)
    tasks.append(control.MomentumTask(np.zeros(6), weight=0.1, level=1))
    controller = control.WholeBodyController(robot, feet, tasks, strict=True)
    of = controller._formulation
    levels_kernel(of.program, of, of.levels()).compiled()
    x, v = robot.integrate(q, 0.02 * rng.normal(size=robot.nv)), 0.3 * rng.normal(size=robot.nv)
    of.working_set[:] = rng.choice([-1, 0, 1], len(of.working_set), p=[0.05, 0.9, 0.05])
    with monkeypatch.context() as patch:
        patch.delattr("footwork.control.whole_body.solving.cascade")
        fast = controller(x, v)
    assert fast.status == "optimal", fast.reason
    assert np.count_nonzero(of.working_set) > 5
    assert max(fast.residuals.values()) < 1e-6 * 9.81 * robot.mass
    with monkeypatch.context() as patch:
        patch.setattr("footwork.control.whole_body.solving.minimum", lambda *_: None)
        slow = controller(x, v)
    for task in tasks:
        one, two = fast.task_residuals[task.name], slow.task_residuals[task.name]
        assert one == pytest.approx(two, abs=1e-5 * (1 + np.abs(two).max())), task.name
