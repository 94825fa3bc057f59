"""Command: the torques of one tick of a whole-body controller, with what it takes to check them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ... import registry
from ...arrays import Array
from ...contacts import ContactSet, SoftFingerCone, WrenchCone
from ...contacts.equilibrium.balance import weight
from ...contacts.point_forces import PointForces
from ...contacts.torque_limits import TorqueBounds
from ...dynamics import State, Wrench, closures
from ...reprs import components
from ...robots.values import number
from ..program.contact_model import ContactModel, world_axes
from ..program.qp import Program
from ..tasks.forces import wrench_axes
from .workspace import Snapshot


@dataclass(frozen=True, eq=False, repr=False)
class Command:
    """The torques of one tick, with the accelerations and forces that belong to them.

    Attributes:
        tau: (na,), to apply [N·m or N].
        status: "optimal"; "relaxed", when constraints had to be violated (see `gave_way`);
            "unsafe", when they are violated so much that it is not safe to go on and joints are
            damped, or when no foot of a walking robot has carried it for 0.1 s; "held" or "damped",
            when no program was solved (see `reason`).
        reason: of the status, in words, unless it is "optimal"; and why a walking robot does not go
            as commanded.
        a: (nv,), the accelerations that follow; nan without a solution. When "unsafe", a and w are
            the solution but tau does not belong to them: it is blended into the damping of joints,
            the more the limits gave way, within its bounds and rates.
        w: (dim,), contact forces in contact axes (tangents, normal, moments); nan without one.
        gave_way: {constraint: largest violation} of the contacts [m/s², rad/s²] and limits [rad/s²,
            N] that could not be satisfied.
        iterations: of the solver.
        solver: its name.
        t, q, v: time [s] and state.
        contacts: active at that time.
        labels: (i,), of the rows of the constraints L a ≥ least.
        multipliers: (r,), forces of the closures in the rows B of B v = 0; see `closure_forces`.
    """

    tau: Array
    status: str
    reason: str
    a: Array
    w: Array
    t: float
    q: Array
    v: Array
    contacts: ContactSet
    gave_way: dict[str, float] = field(default_factory=dict)
    iterations: int = 0
    solver: str = ""
    models: tuple[ContactModel, ...] = ()
    snapshot: Snapshot | None = None
    labels: tuple[str, ...] = ()
    multipliers: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def program(self) -> Program | None:
        """The program that was solved, if any."""
        return None if self.snapshot is None else self.snapshot.program

    @property
    def solved(self) -> bool:
        """Whether a program was solved for it: "optimal", "relaxed" or "unsafe"."""
        return self.status in ("optimal", "relaxed", "unsafe")

    @property
    def safe(self) -> bool:
        """Whether limits hold, or are violated so little that it is safe to go on."""
        return self.status in ("optimal", "relaxed")

    @cached_property
    def task_residuals(self) -> dict[str, Array]:
        """{task: (rows,)}, A a − r of motion tasks, B w − c of force tasks."""
        if self.snapshot is None or not self.solved:
            return {}
        return self.snapshot.residuals(self.a, self._forces)

    @cached_property
    def errors(self) -> dict[str, Array]:
        """{task: (rows,)}, of the motion tasks' values [m, rad]."""
        return {} if self.snapshot is None else self.snapshot.errors()

    @cached_property
    def _state(self) -> State:
        return State(self.contacts.robot, self.q, self.v)

    @property
    def _forces(self) -> Array:
        """The program's w: forces of contacts, then of closures."""
        return np.concatenate([self.w, self.multipliers])

    @cached_property
    def closure_forces(self) -> dict[str, Array]:
        """{closure: λ (rows,) in the rows of its J_c, the least-norm ones} [N, N·m]."""
        if not self.solved or not self.contacts.robot.closures:
            return {}
        return closures.forces(self._state, self.multipliers @ self._state.closure_basis)

    @cached_property
    def f(self) -> Array:
        """(dim,), contact forces in the rows of `contacts.jacobian`, world axes; nan without."""
        if not self.solved:
            return np.full(self.contacts.dim, np.nan)
        return world_axes(self.models, self._state, self.w)

    @cached_property
    def wrenches(self) -> dict[str, Wrench]:
        """{contact: Wrench of the environment on the robot, at its centre, world axes}."""
        found = {}
        for contact in self.contacts if self.solved else ():
            T = contact.pose(self._state)
            forces, moments = wrench_axes(contact.dim, T.rotation)
            w = self.w[self.contacts.rows(contact.name)]
            found[contact.name] = Wrench(forces @ w, moments @ w, T.translation)
        return found

    @cached_property
    def residuals(self) -> dict[str, float]:
        """{kind: largest violation}, 0 where a constraint holds; see `Program.violations`.

        Two more: "exact cones" [N], how far any contact force is from Coulomb's cone, and
        "torque balance" [N·m], the largest entry of M a + b − Sᵀτ − Jᵀw − J_cᵀλ.
        """
        if self.program is None or not self.solved:
            return {}
        P, w = self.program, self._forces
        found, left = P.violations(self.a, w), P.M @ self.a + P.b - P.J.T @ w
        left[P.actuated] -= self.tau
        found["torque balance"] = float(np.abs(left).max(initial=0.0))
        found["exact cones"] = max(self.cone_violations.values(), default=0.0)
        return found

    @cached_property
    def cone_violations(self) -> dict[str, float]:
        """{contact: distance of its force from Coulomb's exact cone [N]}; 0 inside."""
        found = {}
        for contact in self.contacts if self.solved else ():
            w = self.w[self.contacts.rows(contact.name)]
            # bounds of the whole normal force are constraints of their own
            forces = PointForces.of_contact(contact).without_bounds()
            if contact.bilateral:
                continue
            if len(forces.limits.soft):
                # moments in units of γ/μ, not of a patch's size
                pair = tuple(forces.limits.friction[0].tolist())
                cone = SoftFingerCone(pair, contact.torsion, tangent=(1.0, 0.0, 0.0))
                found[contact.name] = cone.violation(w)
            else:
                wrench = np.zeros(6)
                wrench[forces.limits.components(0)] = w
                found[contact.name] = WrenchCone.of(forces).violation(wrench)
        return found

    def active(self, tolerance: float = 1e-6) -> tuple[str, ...]:
        """Return the active limits: "torque of <joint>", "friction of <contact>", …

        Args:
            tolerance: distance from a limit that counts as at it, relative to the limit.
        """
        number(tolerance, "tolerance", at_least=0)
        if self.program is None or not self.solved:
            return ()
        P, found = self.program, []
        robot, size = self.contacts.robot, 1.0 + float(np.abs(self.w).max(initial=0.0))
        names = [robot.joint_of_row[row] for row in P.actuated]
        bounds = TorqueBounds(P.torque_lower, P.torque_upper)
        at_limit = np.abs(self.tau - bounds.middle) >= bounds.half * (1 - tolerance)
        found += [f"torque of {name}" for name, hit in zip(names, at_limit, strict=True) if hit]
        for model in self.models:
            w = self.w[self.contacts.rows(model.name)]
            if len(model.faces) and (model.faces @ w).max() > -tolerance * size:
                found.append(f"friction of {model.name}")
        joints = self.a[P.actuated]
        slack = np.minimum(joints - P.slowest, P.fastest - joints)
        found += [f"range of {n}" for n, s in zip(names, slack, strict=True) if s <= tolerance]
        at = P.L @ self.a - P.least <= tolerance * (1.0 + np.abs(P.least))
        found += [label for label, hit in zip(self.labels, at, strict=True) if hit]
        return tuple(dict.fromkeys(found))

    def explain(self) -> str:
        """Return status, forces, residuals, violations and active limits as text."""
        lines = [f"{self.status}" + (f": {self.reason}" if self.reason else "")]
        newtons = weight(self.contacts.robot)
        for name, wrench in self.wrenches.items():
            lines.append(f"{name:<14} force ({components(wrench.force, newtons)}) N")
        for name, residual in self.task_residuals.items():
            lines.append(f"{name:<14} residual {np.abs(residual).max(initial=0.0):.3g}")
        lines += [f"{what} gave way by {amount:.3g}" for what, amount in self.gave_way.items()]
        lines += [f"at its limit: {what}" for what in self.active()]
        return "\n  ".join(lines)

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        why = f", {self.reason!r}" if self.reason else ""
        return f"Command({self.status!r}{why})"
