"""Whole-body controller: from tasks and contacts to torques, one quadratic program a tick."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from math import isfinite
from operator import is_
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..contacts import Contact, ContactSet
from ..dynamics import State
from ..dynamics.closures import require_closed
from ..errors import ConfigurationError, ContactError, SolverError, unknown
from ..robots.configuration import check_reach
from ..robots.robot import Robot
from ..robots.values import boolean, number, sequence, text, whole_number
from .command import Command
from .constraints import Constraint, Tick
from .contact_model import ContactModel, layout
from .elastic import relaxed
from .failure import OneThread, SafeTorques, check_time
from .formulation import Formulation
from .hierarchy import cascade
from .limits import JointLimits
from .null_space import solutions
from .overload import damped, severity
from .qp import Program, Reduced
from .reduction import minimum, reduced_program, update_working_set
from .solvers import Answer, Clarabel, solver_named
from .structure import AnyTask, Parameters, ProgramStructure, task_layout
from .switching import Ramp
from .tasks import Task
from .torque_range import TorqueRange

_NOTHING = np.zeros(0)
# largest violation by a solver's answer, relative to the largest force or acceleration
ACCEPTED = 1e-7
_NOT_COPIED = (
    "_busy", "_current", "_formulations", "_models", "_data", "_solver", "_bounded",
)  # fmt: skip
LITTLE = 0.5  # load of a leaving contact below which it is let go rather than that limits give way
KEPT = 12  # formulations of earlier sets of contacts and tasks
_INCONSISTENT = Answer(None, "the contacts contradict each other", 0)


class WholeBodyController:
    """Joint torques that make a robot on its contacts do what tasks ask, as nearly as limits allow.

    Each call solves the program of `control.qp` at (q, v): weighted tasks on accelerations and
    contact forces, the equations of motion, contacts that stay, friction by inner cones, torque
    limits, joint ranges and speeds. Its torques come with the accelerations and forces that belong
    to them, and with residuals that anyone can check. Inequalities of `control.constraints` hold as
    long as that is possible; else the command says which gave way. Closures of the robot are kept,
    by forces without bounds; the torques are those of its motors. A controller remembers its last
    tick, so it serves one thread: another one needs its own, `copy.deepcopy(controller)`.

    Args:
        robot: floating or fixed base, with or without passive joints.
        contacts: a ContactSet of this robot, or any contacts; none too.
        tasks: of `control.tasks` and `control.force_tasks`, each name once.
        torque_limits: True takes those of the robot's motors at each tick's velocity, or those of
            its description, False none, a number or an array (na,) the largest |τ|, a pair (lower,
            upper) of such arrays lower ≤ τ ≤ upper [N·m].
        joint_limits: whether joint ranges and speeds bound the accelerations; None: they do not.
        constraints: of `control.constraints`, each name once.
        strict: whether the tasks' levels are a strict hierarchy (see `control.hierarchy`); else
            only weights count.
        sides: of the inner friction pyramids, at least 3.
        sole_share: of a sole about its centre that its forces may act on, in (0, 1].
        contact_damping: rate at which residual velocities of contacts and closures decay [1/s].
        force_weight: of deviations from the nominal contact forces [s⁴/m², per (force/mass)²].
        regularisation: of all accelerations [s⁴/m², s⁴/rad²].
        on_failure: of a tick that fails: "hold" the last torques, "damp" the joints, or "raise".
            Inputs that are not finite, not the robot's, or late are failures too.
        deadline: oldest state that is accepted, when calls pass the current time [s].
        damping: of "damp" and of what is not safe [N·m·s/rad], a number or (na,).
        torque_rate: largest d|τ|/dt [N·m/s], a number or (na,); torques may fall to zero at once.
            None: none while limits hold, then from zero to the limit in 0.1 s.
        solver: "daqp" or "clarabel"; None: DAQP where it is installed.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    gives_commands = True
    _current: Formulation | None
    _formulations: dict[tuple[Any, ...], Formulation]

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet | Contact | Iterable[Contact],
        tasks: Sequence[AnyTask],
        *,
        torque_limits: bool | ArrayLike = True,
        joint_limits: bool | JointLimits | None = True,
        constraints: Sequence[Constraint] = (),
        strict: bool = False,
        sides: int = 4,
        sole_share: float = 1.0,
        contact_damping: float = 20.0,
        force_weight: float = 1e-3,
        regularisation: float = 1e-6,
        on_failure: Literal["hold", "damp", "raise"] = "hold",
        deadline: float = np.inf,
        damping: ArrayLike = 1.0,
        torque_rate: ArrayLike | None = None,
        solver: str | None = None,
    ) -> None:
        self.robot, self.strict, self.sides = robot, strict, sides
        self.contact_damping, self.force_weight = contact_damping, force_weight
        self.regularisation, self.deadline = regularisation, deadline
        for name in ("contact_damping", "force_weight", "regularisation"):
            number(getattr(self, name), name, at_least=0)
        boolean(strict, "strict")
        whole_number(sides, "sides", at_least=3)
        self.sole_share = number(sole_share, "sole_share", above=0, at_most=1.0)
        number(deadline, "deadline", at_least=0, infinite=True, unit="[s]")
        self.torques = TorqueRange(robot, torque_limits, torque_rate)
        if joint_limits is None or isinstance(joint_limits, JointLimits):
            self.joint_limits: JointLimits | None = joint_limits
        else:
            limited = boolean(joint_limits, "joint_limits")
            self.joint_limits = JointLimits.of(robot) if limited else None
        self.safe = SafeTorques(robot, on_failure, damping, self.torques)
        self._solver, self._bounded = solver_named(solver), solver_named(solver)
        self._last, self._busy = -np.inf, OneThread()
        self._ramps: dict[str, Ramp] = {}
        self._forget_formulations()
        self._models: dict[Hashable, ContactModel] = {}
        self._data = robot._model.createData()  # one for all formulations: it takes a while
        self._closure_rank = 0  # that of the last state
        self.tasks: tuple[AnyTask, ...] = ()
        self._bound: dict[str, tuple[int, list[Any]]] = {}
        self.contacts = ContactSet.of(robot, contacts)
        self._known = set(self.contacts.names)
        self.set_tasks(tasks)
        self.set_constraints(constraints)
        self._current = self._formulation  # reads the kernels from disk, so that no tick does

    # --- tasks and contacts, at any time -----------------------------------------------------

    def set_tasks(self, tasks: Sequence[AnyTask]) -> None:
        """Replace the tasks from the next tick on.

        Raises:
            ConfigurationError: names or values that do not fit the robot, or one name twice.
            ContactError: a force task of a contact that has never been there.
        """
        tasks = sequence(tasks, "tasks", AnyTask)
        _once([task.name for task in tasks], "tasks")
        for task in tasks:
            contact = getattr(task, "contact", None)
            if contact is not None and text(contact, "contact") not in self._known:
                raise ContactError(
                    f"{task.name!r}: {unknown('contact', contact, sorted(self._known))}"
                )
        self._bound = {t.name: self._bind(t) for t in tasks if isinstance(t, Task)}
        sizes = {name: size for name, (size, _) in self._bound.items()}
        self.tasks, self._sizes, self._current = tasks, sizes, None
        self._layout = tuple(task_layout(task, sizes.get(task.name, 0)) for task in tasks)
        self._contact_models(self.contacts)

    def set_constraints(self, constraints: Sequence[Constraint]) -> None:
        """Replace the constraints from the next tick on.

        Raises:
            ConfigurationError: names or values that do not fit the robot, or one name twice.
        """
        constraints = sequence(constraints, "constraints", Constraint)
        _once([constraint.name for constraint in constraints], "constraints")
        self._rows = [(one, int(one.bind(self.robot))) for one in constraints]
        self.constraints = constraints
        self._ticks: tuple[Tick | None, Tick | None] = (None, None)
        self._forget_formulations()

    def _bind(self, task: Task) -> tuple[int, list[Any]]:
        """The task's number of rows, and its attributes; one that none was set of stays bound."""
        size, before = self._bound.get(task.name, (0, ()))
        now = list(vars(task).values())
        if len(now) == len(before) and all(map(is_, now, before)):
            return size, now
        size = int(task.bind(self.robot))
        return size, list(vars(task).values())

    @property
    def contact_models(self) -> tuple[ContactModel, ...]:
        """The models of the contacts, in order."""
        return self._formulation.structure.models

    def _contact_models(self, contacts: ContactSet) -> list[ContactModel]:
        """The models of some contacts; one is made of each layout when first needed."""
        found = []
        for contact in contacts:
            if (model := self._models.pop(layout(contact), None)) is None:
                model = ContactModel(self.robot, contact, self.sides, self.sole_share)
            self._models[model.layout] = model
            found.append(model.of(contact))
        while len(self._models) > KEPT + len(found):
            del self._models[next(iter(self._models))]
        return found

    def task(self, name: str) -> AnyTask:
        """Return the task of this name."""
        for task in self.tasks:
            if task.name == name:
                return task
        raise ConfigurationError(unknown("task", name, [task.name for task in self.tasks]))

    @property
    def leaving(self) -> tuple[str, ...]:
        """The contacts that are being removed."""
        return tuple(name for name, ramp in self._ramps.items() if ramp.goal == 0.0)

    @property
    def loaded(self) -> tuple[str, ...]:
        """The contacts whose load is not limited by a ramp."""
        return tuple(name for name in self.contacts.names if name not in self._ramps)

    def add_contact(self, contact: Contact, ramp: float = 0.0, fades: bool = True) -> None:
        """Add a contact from the next tick on, its load ramped up within `ramp` [s].

        One of the name of a contact that is being removed takes its place, from its load now.

        Args:
            contact: to add.
            ramp: [s].
            fades: whether its J a = k comes with its load, see `control.switching`; not where a
                task has held its frame. The same as when it was being removed, if it was.

        Raises:
            ContactError: there is one of this name, which is not being removed.
            ConfigurationError: a ramp that is negative or not finite.
        """
        boolean(fades, "fades")
        (name,) = ContactSet(self.robot, [contact]).names
        kept, load = list(self.contacts), 0.0
        if name in self.leaving:
            kept = [contact if c.name == name else c for c in kept]
            load, fades = self._load(name), self._ramps[name].fades
        else:
            kept.append(contact)
        wider = ContactSet(self.robot, kept)
        name = name if name in self.leaving else wider.names[-1]
        added = Ramp(load, 1.0, ramp, fades)
        self._contact_models(wider)
        self.contacts = wider
        self._ramps[name] = added
        self._known.add(name)
        self._current = None

    def replace_contact(self, contact: Contact) -> None:
        """Replace the contact of the same name from the next tick on, as by one of other friction.

        Raises:
            ContactError: there is none of this name.
        """
        (name,) = ContactSet(self.robot, [contact]).names
        if name not in self.contacts.names:
            raise ContactError(unknown("contact", name, self.contacts.names))
        contacts = ContactSet(self.robot, [contact if c.name == name else c for c in self.contacts])
        self._contact_models(contacts)
        self.contacts, self._current = contacts, None

    def remove_contact(self, name: str, ramp: float = 0.0, fades: bool = True) -> None:
        """Remove a contact, its load ramped down within `ramp` [s] first.

        Until then `add_contact` may take it back.

        Args:
            name: of the contact.
            ramp: [s].
            fades: whether its J a = k fades with its load, see `control.switching`; not where a
                task holds its frame afterwards, as the swing of a foot does.

        Raises:
            ContactError: there is none of this name.
            ConfigurationError: a ramp that is negative or not finite.
        """
        if name not in self.contacts.names:
            raise ContactError(unknown("contact", name, self.contacts.names))
        removed = Ramp(self._load(name), 0.0, ramp, boolean(fades, "fades"))
        if ramp > 0:
            self._ramps[name] = removed
            return
        self._ramps.pop(name, None)
        self.contacts = ContactSet(self.robot, [c for c in self.contacts if c.name != name])
        self._current = None

    def _load(self, name: str) -> float:
        ramp = self._ramps.get(name)
        return 1.0 if ramp is None else ramp.at(max(self._last, 0.0))

    def restart(self) -> None:
        """Forget the time of the last tick, so that the next one may be earlier; end all ramps."""
        self._last, self._ticks = -np.inf, (None, None)
        for name, ramp in list(self._ramps.items()):
            if ramp.goal == 0.0:
                self.remove_contact(name)
        self._ramps.clear()

    def _loads(self, t: float) -> dict[str, float]:
        """The load fractions of contacts on a ramp; those that are unloaded are removed."""
        for name, ramp in list(self._ramps.items()):
            ramp.at(t)
            if ramp.over(t):
                if ramp.goal == 0.0:
                    self.remove_contact(name)
                else:
                    del self._ramps[name]
        return {name: ramp.at(t) for name, ramp in self._ramps.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspaces, whose arrays a copy must not share."""
        kept = dict(vars(self), _ramps=deepcopy(self._ramps), _known=set(self._known))
        kept["torques"] = copy(self.torques)
        for name in _NOT_COPIED:
            del kept[name]
        return kept | {"solver": self._solver.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        name = state.pop("solver")
        vars(self).update(state)
        self._solver, self._bounded = solver_named(name), solver_named(name)
        self._busy, self._models = OneThread(), {}
        self._data = self.robot._model.createData()
        self._forget_formulations()

    def _forget_formulations(self) -> None:
        self._current = None
        self._formulations = {}

    @property
    def _formulation(self) -> Formulation:
        """Of the contacts and tasks that are there."""
        if self._current is None:
            self._current = self._formulation_of(self.contacts)
            self._solver.reset()
            self._bounded.reset()
        return self._current

    def _formulation_of(self, contacts: ContactSet) -> Formulation:
        """Of some contacts; those of earlier layouts of contacts and tasks are kept."""
        models = self._contact_models(contacts)
        key = (self._closure_rank, *[model.layout for model in models], *self._layout)
        if (found := self._formulations.pop(key, None)) is None:
            found = self._formulated(contacts, models)
        else:
            found.bind(contacts, models, self.tasks)
        self._formulations[key] = found
        if len(self._formulations) > KEPT:
            del self._formulations[next(iter(self._formulations))]
        return found

    def _formulated(self, contacts: ContactSet, models: Sequence[ContactModel]) -> Formulation:
        parameters = Parameters(self.contact_damping, self.force_weight, self.regularisation)
        structure = ProgramStructure(
            contacts, models, self.tasks, self._sizes, parameters, self._closure_rank,
            self._rows,
        )  # fmt: skip
        return Formulation(structure, self.torques, self.joint_limits, self._data)

    # --- one tick ----------------------------------------------------------------------------

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
                command = self._solved(self._checked(q, v, t, now), t)
            except Exception as error:  # a robot in motion needs torques, whatever went wrong
                if self.safe.raises:
                    raise
                if isinstance(q, State):
                    v, q = q.v, q.q
                why = f"{type(error).__name__}: {error}"
                return self.safe.fallback(self.contacts, q, v, t, why)
            self.safe.remember(command.tau)
            return command

    def program(self, q: ArrayLike | State, v: ArrayLike | None = None, t: float = 0.0) -> Program:
        """Return the program of a state, as `control.reference` solves it with cvxpy."""
        state = State.of(self.robot, q, v)
        check_time(t)
        self._updated(state, t)
        return self._formulation.snapshot().program

    def _updated(self, state: State, t: float) -> bool:
        """Formulate the program of a state; return whether all its data are finite."""
        loads = self._loads(t)  # first: it may remove a contact, and change the formulation
        if self.robot.closures:
            require_closed(state)
            if len(state.closure_basis) != self._closure_rank:
                self._closure_rank, self._current = len(state.closure_basis), None
        finite = self._formulation.update(state, t, loads, self._before(t))
        fading = {name: load for name, load in loads.items() if self._ramps[name].fades}
        if finite and fading:
            self._fade(state, t, fading)
        return finite

    def _fade(self, state: State, t: float, loads: dict[str, float]) -> None:
        """Let contacts on a ramp move as they would if they were not there, as see `switching`."""
        others = ContactSet(self.robot, [c for c in self.contacts if c.name not in loads])
        free = self._formulation_of(others)
        if not free.update(state, t, {}, self._before(t)):
            return
        a, _, _, answer = self._answer(free)
        program = self._formulation.program
        if answer.y is not None:
            for name, load in loads.items():
                own = self.contacts.rows(name)
                program.k[own] += (1 - load) * (program.J[own] @ a - program.k[own])

    def _before(self, t: float) -> Tick | None:
        """The last solved tick that is earlier than t."""
        last, earlier = self._ticks
        return last if last is None or last.t < t else earlier

    def _checked(
        self, q: ArrayLike | State, v: ArrayLike | None, t: float, now: float | None
    ) -> State:
        state = State.of(self.robot, q, v)
        if state.v is None:
            raise ConfigurationError("v: got None; expected a velocity (nv,)")
        check_reach(self.robot, state.q)
        check_time(t)
        if t < self._last:
            raise ConfigurationError(
                f"t: got {t!r} s after {self._last!r} s; expected a later one, or restart() first"
            )
        if now is not None and not number(now, "now", unit="[s]") - t <= self.deadline:
            raise ConfigurationError(
                f"late: the state is {now - t:.4g} s old, expected at most {self.deadline:g} s"
            )
        self._last = t
        return state

    def _solved(self, state: State, t: float) -> Command:
        if not self._updated(state, t):
            raise ConfigurationError("tasks: what they ask for is not finite")
        program = self._formulation.program
        a, w, tau, answer = self._answer(self._formulation)
        gave_way: dict[str, float] = {}
        status, reason = "optimal", ""
        if answer.y is None and self._let_go():
            self._updated(state, t)
            program = self._formulation.program
            a, w, tau, answer = self._answer(self._formulation)
        if answer.y is None:
            a, w, tau, gave_way, beyond = self._relaxed(program, state, t)
            if gave_way:  # else the program was feasible after all
                status, reason = "relaxed", f"{answer.status}; gave way: {', '.join(gave_way)}"
            if beyond >= 1.0:
                status, reason = "unsafe", f"not safe to go on; {reason}{self._remark}"
        if not isfinite(tau @ tau):  # as of weights that are not
            raise SolverError("the answer's torques are not finite")
        self.torques.remember(tau, t)
        if self.constraints:
            self._ticks = Tick(t, a), self._before(t)
        multipliers = _NOTHING
        if program.closures:
            w, multipliers = w[: program.contact_dim], w[program.contact_dim :]
        return Command.of(
            tau=tau, status=status, reason=reason, a=a, w=w, t=t, q=state.q, v=state.v,
            multipliers=multipliers,
            contacts=self.contacts, gave_way=gave_way, iterations=answer.iterations,
            solver=self._solver.name, models=self.contact_models, labels=self._formulation.labels(),
            snapshot=self._formulation.snapshot(),
        )  # fmt: skip

    def _let_go(self) -> bool:
        """Remove the contacts that are being removed, if any bears little already."""
        names = [name for name in self.leaving if self._load(name) < LITTLE]
        for name in names:
            self.remove_contact(name)
        return bool(names)

    def _answer(self, of: Formulation) -> tuple[Array, Array, Array, Answer]:
        """Solve; a solver gets the bounds on accelerations only where they would be violated."""
        program = of.program
        if self.strict:
            return self._by_levels(of)
        found, steps = minimum(program, of)
        if found is not None:
            return *found, Answer(_NOTHING, "optimal", steps)
        answer, small = self._with(of, accelerations=False)
        if answer.y is None or small is None:
            return _NOTHING, _NOTHING, _NOTHING, answer
        a, w, tau = small.point(answer.y)
        if self.joint_limits is not None and self._violated(program, a[program.actuated]):
            answer, small = self._with(of, accelerations=True)
            if answer.y is not None and small is not None:
                a, w, tau = small.point(answer.y)
        return a, w, tau, answer

    def _violated(self, program: Program, joints: Array) -> bool:
        violation = np.maximum(program.slowest - joints, joints - program.fastest)
        return bool(violation.max(initial=0.0) > 1e-9)

    def _by_levels(self, of: Formulation) -> tuple[Array, Array, Array, Answer]:
        """Solve the levels one below the other."""
        program, levels = of.program, of.levels()
        rest = replace(
            program, A=program.A[:0], r=program.r[:0], weight=program.weight[:0],
            d=np.full(program.nv, max(self.regularisation, 1e-9)), p=np.zeros(program.nv),
        )  # fmt: skip
        solved, steps = minimum(rest, of, levels)
        if solved is not None:
            return *solved, Answer(_NOTHING, "optimal", steps)
        found = solutions(program, of.columns)
        if found is None:
            return _NOTHING, _NOTHING, _NOTHING, _INCONSISTENT
        a, w, tau, answer = cascade(rest, found, levels, self._bounded)
        if answer.y is not None:
            update_working_set(of, program, (a, w, tau))
        return a, w, tau, answer

    def _with(self, of: Formulation, accelerations: bool) -> tuple[Answer, Reduced | None]:
        program = of.program
        small = reduced_program(program, of, accelerations)
        if small is None:
            return _INCONSISTENT, None
        solver = self._bounded if accelerations else self._solver
        data = (small.H, small.g, small.C, small.low, small.high)
        answer = self._verified(program, small, solver(*data))
        if answer.y is None:  # an active-set method may fail where an interior-point one does not
            answer = self._verified(program, small, Clarabel()(*data))
        if answer.y is not None:
            update_working_set(of, program, small.point(answer.y))
        return answer, small

    def _verified(self, program: Program, small: Reduced, answer: Answer) -> Answer:
        """The answer if it satisfies the constraints: without weights y may be huge."""
        if answer.y is None:
            return answer
        a, w, _ = small.point(answer.y)
        left, at = program.violations(a, w), small.C @ answer.y
        beyond = float(np.maximum(at - small.high, small.low - at).max(initial=0.0))
        forces = 1.0 + float(np.abs(program.b).max(initial=0.0))
        moved = 1.0 + float(np.abs(program.k).max(initial=0.0))
        worst = max(left["dynamics"] / forces, left["contacts"] / moved, beyond / forces)
        return answer if worst <= ACCEPTED else Answer(None, "unsolved", answer.iterations)

    @property
    def _remark(self) -> str:
        return f"; {self.torques.remark}" if self.torques.remark else ""

    def _relaxed(
        self, program: Program, state: State, t: float
    ) -> tuple[Array, Array, Array, dict[str, float], float]:
        """The solution of the elastic program, its violations, and how severe they are."""
        self.torques.slow_down(t)
        bounds = self.torques.at(state.velocity, t)
        program.torque_lower, program.torque_upper = bounds
        found = relaxed(program)
        if found is None:
            raise SolverError("neither the program nor its elastic form was solved")
        damping = -self.safe.damping * state.velocity[self.robot.actuated_rows]
        beyond = severity(found)
        tau = damped(program.torques(found.a, found.w), damping, beyond)
        tau = np.clip(tau, *bounds)
        amounts = {}
        for name in self.contacts.names:
            amounts[f"contact {name}"] = np.abs(found.contacts[self.contacts.rows(name)]).max()
        for i, name in enumerate(self.contacts.names):
            amounts[f"least normal force of {name}"] = found.normal[i]
        for row, amount in zip(program.actuated, found.joints, strict=True):
            amounts[f"range of {self.robot.joint_of_row[row]}"] = amount
        for label, amount in zip(self._formulation.labels(), found.constraints, strict=True):
            amounts[label] = max(amount, amounts.get(label, 0.0))
        gave_way = {name: float(x) for name, x in amounts.items() if x > 1e-6}
        return found.a, found.w, tau, gave_way, beyond


def _once(names: Sequence[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(f"{what}: got the name {name!r} twice, expected each once")
