"""Verdicts on contacts: ours, cvxpy's program written anew, and cvxpy's parametrised re-solve.

Tables, each of interleaved rounds in one process, CPU time, medians with quartiles; the
answers are compared before anything is timed.

1. One verdict, margin and least-norm forces, TALOS on two feet, with and without torque limits.
   `static_hold` is timed with everything around it: Jacobians, torques' limits, checks.
2. Batches of random point contacts, some of which hold, against the parametrised re-solve in which
   everything may change, and the one in which only the load does; then postures of TALOS.
3. Single calls on contacts: membership in a wrench cone, constrained forward dynamics, gradients of
   margins; beside them other ways to the same, and Pinocchio's derivatives alone as a unit.
4. A region: the exact static-equilibrium polygon of TALOS, as matrices and written by cvxpy.

Run: python benchmarks/verdicts.py
"""

from __future__ import annotations

import warnings
from functools import partial

import cvxpy as cp
import measuring  # before NumPy: one thread
import numpy as np
import pinocchio as pin

import footwork as fw
from footwork import contacts, dynamics
from footwork.contacts import PointForces, batch
from footwork.contacts.equilibrium.balances import Balances
from footwork.contacts.equilibrium.decision import Wanted, decide
from footwork.contacts.equilibrium.programs import Equilibrium
from footwork.contacts.equilibrium.reference import ReferenceEquilibrium
from footwork.contacts.equilibrium.saddle import by_conic_solver, saddle_point
from footwork.contacts.equilibrium.saddles import Saddles
from footwork.contacts.geometry.planar import inner_and_outer
from footwork.contacts.motion_rows import MotionRows
from footwork.contacts.torque_limits import torque_bounds_of

TIGHT = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas", "tol_ktratio"), 1e-9)


class Parametrised:
    """Both programs of a verdict, written once by cvxpy; each ask sets parameters and re-solves."""

    def __init__(self, balance, only_load=False):
        rows, points = balance.unactuated, balance.limits.point_count
        self.rows, self.only_load = rows, only_load
        limited = np.isfinite(balance.torque_limits)
        self.joints = balance.actuated[limited]
        f, epsilon = cp.Variable((points, 3)), cp.Variable()
        flat, n = cp.reshape(f, (3 * points,), order="C"), 3 * points
        constant = cp.Constant if only_load else None
        values = self.values(balance)
        self.A, self.n, self.G, self.g, self.mu = (
            constant(v) if constant else cp.Parameter(v.shape, nonneg=name == "mu")
            for name, v in zip(["A", "n", "G", "g", "mu"], values[1:], strict=True)
        )
        self.load, self.torques = cp.Parameter(len(rows)), cp.Parameter(len(self.joints))
        cones = [cp.SOC(cp.multiply(self.mu, f[:, 2]), f[:, :2], axis=1)]
        self.problems = []
        for pull, objective in ((1.0, cp.Maximize(epsilon)), (0.0, cp.Minimize(cp.sum_squares(f)))):
            given = self.A @ flat + pull * epsilon * self.n
            constraints = [self.load + given == 0, *cones]
            if len(self.joints):
                limits = balance.torque_limits[limited] / balance.weight
                torques = self.torques + self.G @ flat + pull * epsilon * self.g
                constraints.append(cp.abs(torques) <= limits)
            self.problems.append(cp.Problem(objective, constraints))
        assert all(p.is_dcp(dpp=True) for p in self.problems), n

    def values(self, b):
        normals, w = b.normals.sum(axis=1), b.weight
        G = b.columns[self.joints]
        loads = (b.load[self.rows] / w, b.load[self.joints] / w)
        return (
            loads,
            b.columns[self.rows],
            normals[self.rows],
            G,
            normals[self.joints],
            b.limits.friction[:, 0],
        )

    def ask(self, balance):
        (self.load.value, self.torques.value), *rest = self.values(balance)
        if not self.only_load:
            for parameter, value in zip(
                (self.A, self.n, self.G, self.g, self.mu), rest, strict=True
            ):
                parameter.value = value
        margin = None
        for problem in self.problems:
            problem.solve(solver="CLARABEL", **TIGHT)
            margin = problem.value if margin is None else margin
            if not margin > 0:
                break
        return margin * balance.weight


def verdict(balance):
    vars(balance).pop("_even", None)  # no matrices kept from the last time
    margin = balance.margin().value
    if margin > 0:
        balance.least_norm()
    return margin


def one_verdict(rounds):
    found = {}
    robot = fw.load("talos")
    q, feet = robot.posture(), contacts.at_feet(robot)
    for limited in (False, True):
        limits = torque_bounds_of(robot, limited)
        make = lambda: Equilibrium.of(feet, q, dynamics.gravity_torques(robot, q), limits)  # noqa: B023, E731
        balance = make()
        reference, written = ReferenceEquilibrium.like(balance), Parametrised(balance)
        answers = verdict(balance), verdict(reference), written.ask(balance)
        assert np.ptp(answers) < 1e-6 * abs(answers[0]), answers
        hold = lambda: contacts.static_hold(robot, q, feet, torque_limits=limited).margin  # noqa: B023, E731
        works = {
            "ours, margin and forces": (partial(verdict, balance), 20, 1),
            "cvxpy, parametrised re-solve": (partial(written.ask, balance), 3, 1),
            "cvxpy, written anew": (partial(verdict, reference), 3, 1),
            "Jacobians and loads alone": (make, 20, 1),
            "static_hold, with all of this": (hold, 10, 1),
            "cvxpy, written anew, with Jacobians": (
                lambda: verdict(ReferenceEquilibrium.like(make())),  # noqa: B023
                3,
                1,
            ),
        }
        title = f"One verdict, TALOS on two feet, torque limits: {limited}"
        found[title] = measuring.compare(title, works, rounds, "ours, margin and forces")
    return found


def terrain(rng, count):
    points = np.column_stack([rng.uniform(-0.4, 0.4, (count, 2)), 0.1 * rng.standard_normal(count)])
    normals = np.array([0, 0, 1]) + 0.3 * rng.standard_normal((count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    forces = PointForces.at(points, normals, rng.uniform(0.3, 0.9, count))
    x, y = rng.uniform(-0.15, 0.15, 2)
    return Equilibrium.of_body(forces, -np.array([*rng.normal(0, 0.05, 2), 1, y, -x, 0.02]))


def batches(rounds, size):
    found = {}
    for count in (4, 16):
        rng = np.random.default_rng(0)
        states = [terrain(rng, count) for _ in range(size)]
        many, loads = (
            Balances.of(states),
            Balances.of(states[:1], np.stack([b.load for b in states])),
        )
        written, only_load = Parametrised(states[0]), Parametrised(states[0], only_load=True)
        verdicts, pushed = decide(many), decide(loads)
        for i in range(20):
            assert abs(written.ask(states[i]) - verdicts.margin[i]) < 1e-6
            assert abs(only_load.ask(loads.at(i)) - pushed.margin[i]) < 1e-6
        few = states[:5]
        works = {
            "ours, everything changes": (partial(decide, many), 10, size),
            "ours, without margins": (partial(decide, many, wanted=Wanted(margin=False)), 10, size),
            "cvxpy re-solve, everything changes": (
                lambda: [written.ask(b) for b in few],  # noqa: B023
                1,
                len(few),
            ),
            "conic solver, one by one": (lambda: [verdict(b) for b in states[:20]], 1, 20),  # noqa: B023
            "ours, only the load changes": (partial(decide, loads), 10, size),
            "cvxpy re-solve, only the load changes": (
                lambda: [only_load.ask(loads.at(i)) for i in range(5)],  # noqa: B023
                1,
                5,
            ),
        }
        share = (verdicts.feasible == 1).mean()
        title = f"{size} verdicts at once, {count} contacts, {share:.0%} hold; one takes"
        times = found[title] = measuring.compare(title, works, rounds, "ours, everything changes")
        ours, theirs = (np.median(times[name]) for name in works if "only the load" in name)
        print(f"only the load changes: {theirs / ours:.0f}\n")
    return found


def postures(rounds, size):
    """TALOS on two feet in many postures, Jacobians and loads included."""
    robot, rng, found = fw.load("talos"), np.random.default_rng(0), {}
    feet = contacts.at_feet(robot)
    steps = 0.03 * rng.standard_normal((size, robot.nv))
    steps[:, :6] = 0.0
    qs = np.array([robot.integrate(robot.posture(), dq) for dq in steps])
    for limited in (False, True):
        limits = torque_bounds_of(robot, limited)

        def make(q, limits=limits):
            return Equilibrium.of(feet, q, dynamics.gravity_torques(robot, q), limits)

        def ours(qs=qs, limited=limited, **options):
            return batch.static_hold(robot, qs, feet, torque_limits=limited, **options)

        written, verdicts = Parametrised(make(qs[0])), ours()
        for i in range(5):
            answers = written.ask(make(qs[i])), verdicts.margin[i]
            assert np.ptp(answers) < 1e-6 * abs(answers[0]), answers
        works = {
            "ours": (ours, 3, size),
            "ours, without margins": (partial(ours, margin=False), 3, size),
            "cvxpy re-solve, with Jacobians": (
                lambda: [written.ask(make(q)) for q in qs[:3]],  # noqa: B023
                1,
                3,
            ),
            "static_hold, one by one": (
                lambda: [
                    contacts.static_hold(robot, q, feet, torque_limits=limited)  # noqa: B023
                    for q in qs[:10]
                ],
                1,
                10,
            ),
        }
        solved = verdicts.asked_of_solver
        title = (
            f"{size} postures of TALOS at once, Jacobians and all, torque limits: {limited}; "
            f"{(verdicts.feasible == 1).mean():.0%} hold, {solved} left to the conic solver"
        )
        found[title] = measuring.compare(title, works, rounds, "ours")
    return found


def region(rounds):
    robot = fw.load("talos")
    q, feet = robot.posture(), contacts.at_feet(robot)
    limits = torque_bounds_of(robot, True)
    balance = Equilibrium.of(feet, q, dynamics.gravity_torques(robot, q), limits)
    columns = np.zeros((robot.nv, 2))
    columns[:2] = np.eye(2) * balance.weight

    def pushes(of):
        return inner_and_outer(of(balance).planar_set(columns, 10.0), 1e-3)

    works = {
        "ours, as matrices": (partial(pushes, lambda ours: ours), 1, 1),
        "cvxpy, parametrised in the direction": (partial(pushes, ReferenceEquilibrium.like), 1, 1),
    }
    title = "All horizontal pushes that TALOS holds, torque limits, to 0.1 % of its weight"
    return measuring.compare(title, works, rounds, "ours, as matrices")


def single_calls(rounds):
    """Calls on contacts of TALOS: membership, constrained dynamics, gradients; and other ways."""
    robot, rng = fw.load("talos"), np.random.default_rng(0)
    feet = contacts.at_feet(robot)
    q = robot.integrate(robot.posture(), 0.05 * rng.standard_normal(robot.nv))
    v, tau = 0.1 * rng.standard_normal(robot.nv), 5.0 * rng.standard_normal(robot.na)
    push = {robot.frame_names[2]: fw.Wrench([60, 20, 0], [0, 0, 0])}
    hold, state = contacts.static_hold(robot, q, feet, push), dynamics.State(robot, q, v)
    zero, M, J = np.zeros(robot.nv), state.mass_matrix, feet.jacobian(state)
    model = robot.model
    data, kkt = model.createData(), np.block([[M, -J.T], [J, np.zeros((12, 12))]])
    right = robot.selection_matrix.T @ tau - state.bias

    def by_lstsq():
        return np.linalg.lstsq(kkt, np.append(right, -feet.drift(state)))[0]

    cone = contacts.WrenchCone(next(iter(feet)))
    ray = cone.generators.columns[:, 2::3].sum(axis=1)
    near = ray * 100 + np.array([55.0, 0, 0, 0, 0, 0])
    forward, gradient = contacts.constrained_forward_dynamics, contacts.margin_gradient
    theirs = "Pinocchio's derivatives of inverse dynamics alone"
    calls = {
        "WrenchCone.contains, exact, inside": (lambda: cone.contains(100 * ray), 50, 1),
        "WrenchCone.contains, exact, at the boundary": (lambda: cone.contains(near), 50, 1),
        "the same by the conic solver": (lambda: cone._exact_distance(near / 500), 20, 1),
        "constrained_forward_dynamics, q and v": (partial(forward, robot, q, v, tau, feet), 50, 1),
        "the same on a State that is there": (
            partial(forward, robot, state, None, tau, feet),
            50,
            1,
        ),
        "the KKT system alone, by numpy's lstsq": (by_lstsq, 10, 1),
        "margin_gradient of a Hold that is there": (partial(gradient, hold), 50, 1),
        theirs: (partial(pin.computeRNEADerivatives, model, data, q, zero, zero), 50, 1),
        "its saddle point by the kernel": (partial(saddle_point, hold.balance), 20, 1),
        "its saddle point by the conic solver": (partial(by_conic_solver, hold.balance), 3, 1),
        "margin_gradient of the push margin": (partial(gradient, hold, of="push"), 3, 1),
        "margin_gradient of the friction margin": (partial(gradient, hold, of="friction"), 3, 1),
    }
    ours = forward(robot, q, v, tau, feet)
    assert np.abs(np.concatenate(ours) - by_lstsq()).max() < 1e-6 * np.abs(ours[1]).max()
    title = "Single calls, TALOS on two feet"
    return {title: measuring.compare(title, calls, rounds, theirs)}


def one_hold(rounds):
    """One Hold of TALOS with all its results, by the kernel and by the conic solver."""
    robot = fw.load("talos")
    q, feet = robot.posture(), contacts.at_feet(robot)

    def whole(**options):
        hold = contacts.static_hold(robot, q, feet, **options)
        return hold.margin, hold.forces, hold.torques, hold.residual

    tight = 0.2 * robot.torque_limits
    hold, polygon = contacts.static_hold(robot, q, feet), contacts.static_equilibrium_polygon
    works = {
        "static_hold: margin, forces, torques, proof": (whole, 20, 1),
        "the same where torque limits bind": (lambda: whole(torque_limits=tight), 20, 1),
        "the same by the conic solver": (lambda: whole(solver="clarabel"), 5, 1),
        "push_margin": (hold.push_margin, 5, 1),
        "friction_margin": (hold.friction_margin, 5, 1),
        "feasible_region": (partial(contacts.feasible_region, robot, q, feet), 5, 1),
        "static_equilibrium_polygon": (partial(polygon, robot, q, feet), 5, 1),
    }
    title = "One Hold of TALOS on two soles, torque limits"
    return {title: measuring.compare(title, works, rounds, next(iter(works)))}


def gradients(rounds, size):
    """Gradients of the margins of many moving states, in a batch and one by one."""
    found = {}
    for name in ("g1", "talos"):
        title = f"Gradients of margins, {size} moving states of {name} on two soles"
        unit = "margin_gradients, everything"
        found[title] = measuring.compare(title, gradients_of(name, size), rounds, unit)
    return found


def gradients_of(name, size):
    """What is measured of the gradients of one robot."""
    robot, batch, rng = fw.load(name), contacts.batch, np.random.default_rng(0)
    feet, posture = contacts.at_feet(robot, 0.6), robot.posture()
    steps = 0.1 * rng.standard_normal((size, robot.nv))
    Q = np.array([robot.integrate(posture, step) for step in steps])
    V, A = 0.3 * rng.standard_normal((size, robot.nv)), rng.standard_normal((size, robot.nv))
    balances = next(iter(MotionRows.of(robot, (Q, V, A), feet).by_contacts())).balances
    first = int(np.argmax(np.isfinite(batch.contact_forces(robot, Q, V, A, feet).margin)))
    q, v, a = Q[first], V[first], A[first]
    hold = contacts.contact_forces(robot, q, v, a, feet)
    model, data, states = robot.model, robot.model.createData(), (robot, Q, V, A, feet)
    return {
        "verdicts, forces and margins": (partial(batch.contact_forces, *states), 1, size),
        "margin_gradients, everything": (partial(batch.margin_gradients, *states), 1, size),
        "of it margins and multipliers to rounding": (partial(Saddles.of, balances), 1, size),
        "margin_gradient of a Hold that is there": (
            partial(contacts.margin_gradient, hold, v, a),
            20,
            1,
        ),
        "Pinocchio's derivatives of inverse dynamics alone": (
            lambda: pin.computeRNEADerivatives(model, data, q, v, a),
            50,
            1,
        ),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    options = measuring.flags(__doc__).parse_args()
    rounds, size = (3, 200) if options.quick else (9, 1000)
    found = {
        "one hold": one_hold(rounds),
        "one verdict": one_verdict(rounds),
        "single calls": single_calls(rounds),
    }
    found["batches"] = batches(rounds, size)
    found["gradients"] = gradients(rounds, 4 * size)
    found["postures"] = postures(rounds, size)
    measuring.keep(options, found | {"region": region(rounds)})
    print(f"\n{measuring.machine()}, {measuring.versions('cvxpy', 'clarabel', 'numba')}")
