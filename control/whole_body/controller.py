"""Whole-body controller: from tasks and contacts to torques, one quadratic program a tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import Contact, ContactSet
from ...contacts.contact_set import Contacts
from ...contacts.torque_limits import TorqueLimits
from ...dynamics import State, Wrench
from ...dynamics.closures import require_closed
from ...dynamics.loads import check_wrenches
from ...errors import ConfigurationError, ContactError, SolverError, unknown
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.unchecked import unchecked
from ...robots.values import boolean, each_once, mapping, number, sequence, text, whole_number
from ..constraints import Constraint, Tick
from ..kernels import TICKS
from ..program.contact_model import ContactModel
from ..program.elastic import relaxed
from ..program.qp import Program
from .command import Command
from .failure import OneThread, SafeTorques, check_time, checked_state
from .formulation import Formulation
from .formulations import Formulations, rows_of
from .joint_limits import JointLimits
from .overload import damped, gave_way, severity
from .solving import ProgramSolver
from .structure import AnyTask, Parameters
from .switching import SwitchedContacts
from .torque_range import TorqueRange

Wrenches = Mapping[str, Wrench]

LITTLE = 0.5  # load of a leaving contact below which it is let go rather than that limits give way


@names_checked
class WholeBodyController:
    """Joint torques with which a robot on its contacts fulfils tasks, as far as limits allow.

    Each call solves the program of `program.qp` at (q, v): weighted tasks on accelerations and
    contact forces, subject to the equations of motion, contacts that stay where they are, inner
    friction cones, torque limits, joint ranges and joint speeds. The command has the torques with
    the accelerations and forces that belong to them, and residuals that anyone can check. The
    inequalities of `control.constraints` hold as long as that is possible; otherwise the command
    says which were violated. Closures of the robot are kept, by forces without bounds; the torques
    are those of its motors. A controller remembers its last tick, so it serves one thread; another
    thread needs its own, `copy.deepcopy(controller)`.

    Args:
        robot: floating or fixed base, with or without passive joints.
        contacts: a ContactSet of this robot, or any contacts; may be empty.
        tasks: of `control.tasks` and `control.tasks.forces`, with distinct names.
        torque_limits: True takes those of the robot's motors at each tick's velocity, or those of
            its description, False none, a number or an array (na,) the largest |τ|, a pair (lower,
            upper) of such arrays lower ≤ τ ≤ upper [N·m].
        joint_limits: whether joint ranges and speeds bound the accelerations; None: they do not.
        constraints: of `control.constraints`, with distinct names.
        strict: whether the tasks' levels are a strict hierarchy (see `program.hierarchy`); else
            only weights count.
        sides: of the inner friction pyramids, at least 3.
        sole_share: share of each sole, about its centre, on which forces may act, in (0, 1].
        contact_damping: rate at which residual velocities of contacts and closures decay [1/s].
        force_weight: weight of deviations from the nominal contact forces [s⁴/m², per
            (force/mass)²].
        nominal_forces: t -> {contact: its part of w (dim,), in its axes [N, N·m]}, for example
            those of a plan; zero for contacts that are not named. Entries of contacts that do not
            carry now are ignored, as plans name feet before they land. None: the weight, shared
            evenly.
        wrenches: known wrenches on links besides those of contacts, such as a payload's or a push:
            {frame: Wrench}, or a function of t that returns them; their `dynamics.external_torques`
            are τ_ext in M a + b = Sᵀτ + Jᵀw + τ_ext. May be set at any time.
        regularisation: weight of all accelerations [s⁴/m², s⁴/rad²].
        on_failure: what a tick that fails does: "hold" the last torques, "damp" the joints, or
            "raise". Inputs that are late, not finite, or do not fit the robot are failures too.
        deadline: oldest state that is accepted, when calls pass the current time [s].
        damping: of the joints, for "damp" and for unsafe commands [N·m·s/rad], a number or (na,).
        torque_rate: largest d|τ|/dt [N·m/s], a number or (na,); torques may fall to zero at once.
            None: no bound while limits hold; when they give way, from zero to the limit in 0.1 s.
        solver: "daqp" or "clarabel"; None: DAQP where it is installed.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    gives_commands = True
    _current: Formulation | None

    def __init__(
        self,
        robot: Robot,
        contacts: Contacts,
        tasks: Sequence[AnyTask],
        *,
        torque_limits: TorqueLimits = True,
        joint_limits: bool | JointLimits | None = True,
        constraints: Sequence[Constraint] = (),
        strict: bool = False,
        sides: int = 4,
        sole_share: float = 1.0,
        contact_damping: float = 20.0,
        force_weight: float = 1e-3,
        nominal_forces: Callable[[float], Mapping[str, ArrayLike]] | None = None,
        wrenches: Wrenches | Callable[[float], Wrenches | None] | None = None,
        regularisation: float = 1e-6,
        on_failure: Literal["hold", "damp", "raise"] = "hold",
        deadline: float = np.inf,
        damping: ArrayLike = 1.0,
        torque_rate: ArrayLike | None = None,
        solver: str | None = None,
    ) -> None:
        self.robot = robot
        parameters = Parameters(
            number(contact_damping, "contact_damping", at_least=0),
            number(force_weight, "force_weight", at_least=0),
            number(regularisation, "regularisation", at_least=0),
        )
        if not (nominal_forces is None or callable(nominal_forces)):
            raise ConfigurationError(
                f"nominal_forces: got {nominal_forces!r:.80}; expected a function of the time"
            )
        self.nominal_forces = nominal_forces
        if not callable(wrenches):
            check_wrenches(robot, wrenches)
        self.wrenches = wrenches
        self.sides = whole_number(sides, "sides", at_least=3)
        self.sole_share = number(sole_share, "sole_share", above=0, at_most=1.0)
        self.deadline = number(deadline, "deadline", at_least=0, infinite=True, unit="[s]")
        self.torques = TorqueRange(robot, torque_limits, torque_rate)
        if joint_limits is None or isinstance(joint_limits, JointLimits):
            self.joint_limits: JointLimits | None = joint_limits
        else:
            limited = boolean(joint_limits, "joint_limits")
            self.joint_limits = JointLimits.of(robot) if limited else None
        self.safe = SafeTorques(robot, on_failure, damping, self.torques)
        self._solver = ProgramSolver(solver, boolean(strict, "strict"), parameters.regularisation)
        self._last, self._busy = -np.inf, OneThread()
        self._closure_rank, self._current = 0, None  # those of the last state
        self._switched = SwitchedContacts(ContactSet.of(robot, contacts))
        self._formulations = Formulations(
            robot, self.torques, self.joint_limits, parameters, self.sides, self.sole_share
        )
        self.set_tasks(tasks)
        self.set_constraints(constraints)
        self._load()

    # --- tasks and contacts, at any time -----------------------------------------------------

    def set_tasks(self, tasks: Sequence[AnyTask]) -> None:
        """Replace the tasks from the next tick on.

        Raises:
            ConfigurationError: names or values that do not fit the robot, or one name twice.
            ContactError: a force task of a contact that has never been there.
        """
        tasks = sequence(tasks, "tasks", AnyTask)
        each_once([task.name for task in tasks], "tasks")
        known = self._switched.known
        for task in tasks:
            contact = getattr(task, "contact", None)
            if contact is not None and text(contact, "contact") not in known:
                raise ContactError(f"{task.name!r}: {unknown('contact', contact, sorted(known))}")
        self._formulations.set_tasks(tasks)
        self._current = None

    def _exchange_tasks(self, tasks: tuple[AnyTask, ...]) -> None:
        """Take tasks of which those that have been here are not checked again."""
        self._formulations.take(tasks)
        self._current = None

    def set_constraints(self, constraints: Sequence[Constraint]) -> None:
        """Replace the constraints from the next tick on.

        Raises:
            ConfigurationError: names or values that do not fit the robot, or one name twice.
        """
        constraints = sequence(constraints, "constraints", Constraint)
        each_once([constraint.name for constraint in constraints], "constraints")
        self._formulations.set_constraints([(one, rows_of(one, self.robot)) for one in constraints])
        self.constraints = constraints
        self._ticks: tuple[Tick | None, Tick | None] = (None, None)
        self._current = None

    @property
    def tasks(self) -> tuple[AnyTask, ...]:
        """The tasks."""
        return self._formulations.tasks

    @property
    def contacts(self) -> ContactSet:
        """The contacts, including those that are being removed."""
        return self._switched.contacts

    @property
    def contact_models(self) -> tuple[ContactModel, ...]:
        """The models of the contacts, in order."""
        return self._formulation.structure.models

    def task(self, name: str) -> AnyTask:
        """Return the task of this name."""
        for task in self.tasks:
            if task.name == name:
                return task
        raise ConfigurationError(unknown("task", name, [task.name for task in self.tasks]))

    @property
    def leaving(self) -> tuple[str, ...]:
        """The contacts that are being removed."""
        return self._switched.leaving

    @property
    def loading(self) -> tuple[str, ...]:
        """The contacts whose loads are being ramped up."""
        return self._switched.loading

    @property
    def loaded(self) -> tuple[str, ...]:
        """The contacts whose load is not limited by a ramp."""
        return self._switched.loaded

    def add_contact(self, contact: Contact, ramp: float = 0.0, fades: bool = True) -> None:
        """Add a contact from the next tick on; its load is ramped up within `ramp` [s].

        A contact with the name of one that is being removed takes its place, from its present load.

        Args:
            contact: to add.
            ramp: [s].
            fades: whether its constraint J a = k fades in with its load, see `switching`; False
                where a task has held its frame until now. A contact that was being removed keeps
                its own.

        Raises:
            ContactError: there is one of this name, which is not being removed.
            ConfigurationError: a ramp that is negative or not finite.
        """
        number(ramp, "ramp", at_least=0, unit="[s]")
        boolean(fades, "fades")
        contact = self._switched.named(contact)
        self._formulations.require(contact)
        self._add(contact, ramp, fades)

    def _add(self, contact: Contact, ramp: float, fades: bool) -> None:
        """Add a contact that is known to fit, of a name of its own or of one that leaves."""
        self._switched.add(contact, ramp, fades, self._now)
        self._current = None

    def replace_contact(self, contact: Contact) -> None:
        """Replace the contact of the same name from the next tick on, e.g. to change its friction.

        Raises:
            ContactError: there is none of this name.
        """
        contact = self._switched.replacing(contact)
        self._formulations.require(contact)
        self._switched.replace(contact)
        self._current = None

    def remove_contact(self, name: str, ramp: float = 0.0, fades: bool = True) -> None:
        """Remove a contact after its load has been ramped down within `ramp` [s].

        Until then `add_contact` may take it back.

        Args:
            name: of the contact.
            ramp: [s].
            fades: whether its constraint J a = k fades out with its load, see `switching`; False
                where a task holds its frame afterwards, as the swing of a foot does.

        Raises:
            ContactError: there is none of this name.
            ConfigurationError: a ramp that is negative or not finite.
        """
        self._switched.remove(name, ramp, fades, self._now)
        self._current = None

    def hasten(self, ramp: float) -> None:
        """Let the contacts that are `loading` reach their full load within `ramp` from now.

        The load fraction σ goes on from what it is, as θ^1.25 with the share θ of that time, see
        `switching`; ramps that end sooner stay.

        Args:
            ramp: [s].

        Raises:
            ConfigurationError: a ramp that is negative or not finite.
        """
        self._switched.hasten(number(ramp, "ramp", at_least=0, unit="[s]"), self._now)

    @property
    def _now(self) -> float:
        return self._last if isfinite(self._last) else 0.0

    def restart(self) -> None:
        """Forget the time of the last tick, so that the next one may be earlier; end all ramps."""
        self._last, self._ticks = -np.inf, (None, None)
        self._switched.end()
        self._current = None

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspaces, whose arrays a copy must not share."""
        kept = dict(vars(self), torques=copy(self.torques))
        for name in ("_switched", "_formulations", "_solver"):
            kept[name] = copy(kept[name])
        kept["_formulations"].torques = kept["torques"]
        for name in ("_busy", "_current"):
            del kept[name]
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._busy, self._current = OneThread(), None
        self._load()

    def _load(self) -> None:
        """Load what ticks need, so that none of them does."""
        self._solver.load(self._formulation, TICKS)

    @property
    def _formulation(self) -> Formulation:
        """Of the contacts and tasks that are there."""
        if self._current is None:
            self._current = self._formulations.of(self.contacts, self._closure_rank)
            self._solver.reset()
        return self._current

    # --- one tick ----------------------------------------------------------------------------

    def __repr__(self) -> str:
        tasks = ", ".join(task.name for task in self.tasks)
        on = ", ".join(self.contacts.names) or "nothing"
        return f"{type(self).__name__}({self.robot.name!r}, on {on}, tasks: {tasks or 'none'})"

    def __call__(
        self,
        q: ArrayLike | State,
        v: ArrayLike | None = None,
        t: float = 0.0,
        now: float | None = None,
    ) -> Command:
        """Return the command for the state (q, v).

        Args:
            q: configuration (nq,), or a `State` of q and v.
            v: velocity (nv,).
            t: time of that state [s]; references and ramps go by it, and it must not decrease.
            now: current time [s]; a state older than the deadline is late.

        Raises:
            ConfigurationError: another thread is in a tick of this controller.
            FootworkError: else only with on_failure="raise".
        """
        with self._busy:
            try:
                state = checked_state(self.robot, q, v, t, self._last, "restart() first")
                self._check_age(t, now)
            except Exception as error:
                return self._fallback(q, v, t, error)
            return self._tick(state, t)

    def _tick(self, state: State, t: float) -> Command:
        """The command for a state and a time that are checked."""
        self._last = t
        try:
            command = self._solved(state, t)
        except Exception as error:
            return self._fallback(state, None, t, error)
        self.safe.remember(command.tau)
        return command

    def _fallback(
        self, q: ArrayLike | State, v: ArrayLike | None, t: float, error: Exception
    ) -> Command:
        """The command of a tick that failed: robots in motion need torques, whatever went wrong."""
        if self.safe.raises:
            raise error
        if isinstance(q, State):
            v, q = q.v, q.q
        why = f"{type(error).__name__}: {error}"
        command = self.safe.fallback(self.contacts, q, v, t, why)
        with suppress(ConfigurationError):
            check_time(t)
            if t >= self._last:  # torques rise from those that are held, see `TorqueRange`
                self.torques.remember(command.tau, t)
        return command

    def program(self, q: ArrayLike | State, v: ArrayLike | None = None, t: float = 0.0) -> Program:
        """Return the quadratic program at a state, which `cvxpy_reference` can solve too."""
        state = State.of(self.robot, q, v)
        check_time(t)
        self._updated(state, t)
        return self._formulation.snapshot().program

    def _updated(self, state: State, t: float) -> bool:
        """Formulate the program of a state; return whether all its data are finite."""
        contacts, loads = self.contacts, self._switched.loads(t)
        if self.contacts is not contacts:  # one that was unloaded has been removed
            self._current = None
        if self.robot.closures:
            require_closed(state)
            if len(state.closure_basis) != self._closure_rank:
                self._closure_rank, self._current = len(state.closure_basis), None
        nominal = None if self.nominal_forces is None else self.nominal_forces(t)
        if nominal is not None:
            nominal = mapping(nominal, "nominal_forces", kind="contact")
        known, before = self._known_torques(state, t), self._before(t)
        finite = self._formulation.update(state, t, loads, before, nominal, known)
        fading = self._switched.fading(loads) if loads else {}
        if finite and fading:
            self._fade(state, t, fading, nominal, known)
        return finite

    def _known_torques(self, state: State, t: float) -> Array | None:
        """Return τ_ext (nv,) of the known wrenches at t [s]; None without any."""
        known = self.wrenches(t) if callable(self.wrenches) else self.wrenches
        return None if known is None else state.external_torques(known)

    def _fade(
        self,
        state: State,
        t: float,
        loads: dict[str, float],
        nominal: Mapping[str, ArrayLike] | None,
        known: Array | None,
    ) -> None:
        """Let contacts on a ramp move as they would if they were not there, as see `switching`."""
        others = ContactSet(self.robot, [c for c in self.contacts if c.name not in loads])
        free = self._formulations.of(others, self._closure_rank)
        if not free.update(state, t, {}, self._before(t), nominal, known):
            return
        found, program = self._solver.solve(free), self._formulation.program
        if found.point is not None:
            a = found.point[0]
            for name, load in loads.items():
                own = self.contacts.rows(name)
                program.k[own] += (1 - load) * (program.J[own] @ a - program.k[own])

    def _before(self, t: float) -> Tick | None:
        """The last solved tick that is earlier than t."""
        last, earlier = self._ticks
        return last if last is None or last.t < t else earlier

    def _check_age(self, t: float, now: float | None) -> None:
        """Refuse a state that is older than the deadline."""
        if now is not None and not number(now, "now", unit="[s]") - t <= self.deadline:
            raise ConfigurationError(
                f"late: the state is {now - t:.4g} s old, expected at most {self.deadline:g} s"
            )

    def _solved(self, state: State, t: float) -> Command:
        if not self._updated(state, t):
            raise ConfigurationError("tasks: what they ask for is not finite")
        found = self._solver.solve(self._formulation)
        if found.point is None and self._let_go():
            self._updated(state, t)
            found = self._solver.solve(self._formulation)
        of = self._formulation
        program, status, reason = of.program, "optimal", ""
        yielded: dict[str, float] = {}
        if found.point is not None:
            a, w, tau = found.point
        else:
            a, w, tau, yielded, beyond = self._relaxed(program, state, t)
            if yielded:  # else the program was feasible after all
                status, reason = "relaxed", f"{found.status}; gave way: {', '.join(yielded)}"
            if beyond >= 1.0:
                remark = f"; {self.torques.remark}" if self.torques.remark else ""
                status, reason = "unsafe", f"not safe to go on; {reason}{remark}"
        if not isfinite(tau @ tau):  # as of weights that are not
            raise SolverError("the answer's torques are not finite")
        self.torques.remember(tau, t)
        if self.constraints:
            self._ticks = Tick(t, a), self._before(t)
        w, multipliers = w[: program.contact_dim], w[program.contact_dim :]
        return unchecked(  # all fields at once: one by one takes three microseconds
            Command, tau=tau, status=status, reason=reason, a=a, w=w, multipliers=multipliers,
            t=t, q=state.q, v=state.v,
            contacts=self.contacts, gave_way=yielded, iterations=found.iterations,
            solver=self._solver.name, models=of.structure.models, labels=of.labels(),
            snapshot=of.snapshot(),
        )  # fmt: skip

    def _let_go(self) -> bool:
        """Remove the contacts that are being removed, if any bears little already."""
        names = [n for n in self.leaving if self._switched.load(n, self._now) < LITTLE]
        for name in names:
            self._switched.drop(name)
            self._current = None
        return bool(names)

    def _relaxed(
        self, program: Program, state: State, t: float
    ) -> tuple[Array, Array, Array, dict[str, float], float]:
        """The solution of the elastic program, its violations, and how severe they are."""
        self.torques.slow_down(t)
        bounds = self.torques.at(state.velocity, t)
        program.torque_lower, program.torque_upper = bounds
        found = relaxed(program, float(self.robot.mass))
        if found is None:
            raise SolverError("neither the program nor its elastic form was solved")
        damping = -self.safe.damping * state.velocity[self.robot.actuated_rows]
        beyond = severity(found)
        tau = damped(program.torques(found.a, found.w), damping, beyond)
        tau = np.clip(tau, *bounds)
        what = gave_way(found, self.contacts, self._formulation.labels())
        return found.a, found.w, tau, what, beyond
