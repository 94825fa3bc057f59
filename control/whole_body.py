"""WholeBodyController: from tasks and contacts to joint torques, one quadratic program a tick."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..contacts import Contact, ContactSet
from ..contacts.torque_limits import torque_limits_of
from ..errors import ConfigurationError, ContactError, SolverError, unknown
from ..robots.configuration import check_configuration, check_velocity
from ..robots.robot import Robot
from .assembly import Layout
from .command import Command
from .elastic import relaxed
from .failure import SafeTorques
from .footing import Footing
from .force_tasks import ForceLikeTask
from .hierarchy import cascade
from .limits import JointLimits
from .null_space import Solutions, solutions
from .qp import Program, Reduced
from .reduction import minimum, reduced_program, remember
from .situation import Desk
from .solvers import Answer, Clarabel, solver_named
from .switching import Ramp
from .tasks import Task

Array = NDArray[np.float64]
AnyTask = Task | ForceLikeTask

_NOTHING = np.zeros(0)
# violations that are rounding, as a share of the largest force or acceleration
PROVEN = 1e-7
_CONTRADICTION = Answer(None, "the contacts contradict each other", 0)


class WholeBodyController:
    """Joint torques that make a robot on its contacts do what tasks ask, as nearly as limits allow.

    Each call solves the program of `control.qp` at (q, v): weighted tasks on accelerations and
    contact forces, the equations of motion, contacts that stay, friction by inner cones, torque
    limits, joint ranges and speeds. Its torques come with the accelerations and forces that belong
    to them, and with residuals that anyone can check.

    Args:
        robot: floating or fixed base, with or without passive joints.
        contacts: a ContactSet of this robot, or any contacts; none too.
        tasks: of `control.tasks` and `control.force_tasks`, each name once.
        torque_limits: True takes those of the description, False none, an array (na,) those [N·m].
        joint_limits: whether joint ranges and speeds bound the accelerations.
        strict: whether the tasks' levels are a strict hierarchy (see `control.hierarchy`); else
            only weights count.
        sides: of the inner friction pyramids, at least 3.
        contact_damping: what is left of a contact's velocity decays at this rate [1/s].
        force_weight: of deviations from evenly shared contact forces [s⁴/m², per (force/mass)²].
        regularisation: of all accelerations [s⁴/m², s⁴/rad²].
        on_failure: what a tick without an answer gives: "hold" the last torques, "damp" the joints,
            or "raise". Inputs that are not finite, not the robot's, or late are failures too.
        deadline: how old a state may be, when calls say what time it is [s].
        damping: of "damp" [N·m·s/rad], a number or (na,).
        solver: "daqp" or "clarabel"; None: DAQP where it is installed.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    gives_commands = True

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet | Contact | Iterable[Contact],
        tasks: Sequence[AnyTask],
        *,
        torque_limits: bool | ArrayLike = True,
        joint_limits: bool | JointLimits = True,
        strict: bool = False,
        sides: int = 4,
        contact_damping: float = 20.0,
        force_weight: float = 1e-3,
        regularisation: float = 1e-6,
        on_failure: Literal["hold", "damp", "raise"] = "hold",
        deadline: float = np.inf,
        damping: ArrayLike = 1.0,
        solver: str | None = None,
    ) -> None:
        self.robot, self.strict, self.sides = robot, strict, sides
        self.contact_damping, self.force_weight = contact_damping, force_weight
        self.regularisation, self.deadline = regularisation, deadline
        for name in ("contact_damping", "force_weight", "regularisation"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise ConfigurationError(f"{name}: got {value!r}; expected finite, at least 0")
        self.torque_limits = np.array(torque_limits_of(robot, torque_limits))
        self.joint_limits = JointLimits.of(robot) if joint_limits is True else joint_limits or None
        self.safe = SafeTorques(robot, on_failure, damping, self.torque_limits)
        self._solver, self._bounded = solver_named(solver), solver_named(solver)
        self._desk, self._last = Desk(robot), -np.inf
        self._ramps: dict[str, Ramp] = {}
        self.tasks: tuple[AnyTask, ...] = ()
        self.contacts = ContactSet.of(robot, contacts)
        self.set_tasks(tasks)

    # --- tasks and contacts, at any time -----------------------------------------------------

    def set_tasks(self, tasks: Sequence[AnyTask]) -> None:
        """Take these tasks from the next tick on.

        Raises:
            ConfigurationError: names or values that do not fit the robot, or one name twice.
        """
        names = [task.name for task in tasks]
        for name in names:
            if names.count(name) > 1:
                raise ConfigurationError(f"tasks: got the name {name!r} twice, expected each once")
        sizes = {t.name: int(t.bind(self.robot)) for t in tasks if isinstance(t, Task)}
        self.tasks, self._sizes = tuple(tasks), sizes
        self._lay_out()

    @property
    def footings(self) -> tuple[Footing, ...]:
        """The contacts as ticks see them, in order."""
        return self._layout.footings

    def task(self, name: str) -> AnyTask:
        """Return the task of this name."""
        for task in self.tasks:
            if task.name == name:
                return task
        raise ConfigurationError(unknown("task", name, [task.name for task in self.tasks]))

    def add_contact(self, contact: Contact, ramp: float = 0.0) -> None:
        """Put a contact in from the next tick on, its load ramped up within `ramp` [s]."""
        self.contacts = ContactSet(self.robot, [*self.contacts, contact])
        self._ramps[self.contacts.names[-1]] = Ramp(0.0, 1.0, ramp)
        self._lay_out()

    def remove_contact(self, name: str, ramp: float = 0.0) -> None:
        """Take a contact out, its load ramped down within `ramp` [s] first.

        Raises:
            ContactError: there is none of this name.
        """
        if name not in self.contacts.names:
            raise ContactError(unknown("contact", name, self.contacts.names))
        if ramp > 0:
            self._ramps[name] = Ramp(self._share(name), 0.0, ramp)
            return
        self._ramps.pop(name, None)
        self.contacts = ContactSet(self.robot, [c for c in self.contacts if c.name != name])
        self._lay_out()

    def _share(self, name: str) -> float:
        ramp = self._ramps.get(name)
        return 1.0 if ramp is None else ramp.at(max(self._last, 0.0))

    def _shares(self, t: float) -> dict[str, float]:
        """The contacts' shares now; what has arrived at zero leaves."""
        for name, ramp in list(self._ramps.items()):
            ramp.at(t)
            if ramp.over(t):
                if ramp.goal == 0.0:
                    self.remove_contact(name)
                else:
                    del self._ramps[name]
        return {name: ramp.at(t) for name, ramp in self._ramps.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Without what points into memory that a copy would not share."""
        kept = dict(vars(self), _ramps=dict(self._ramps))
        for name in ("_desk", "_layout", "_solver", "_bounded"):
            del kept[name]
        return kept | {"solver": self._solver.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        name = state.pop("solver")
        vars(self).update(state)
        self._solver, self._bounded = solver_named(name), solver_named(name)
        self._desk = Desk(self.robot)
        self._lay_out()

    def _lay_out(self) -> None:
        self._layout = Layout(self, self._desk, self._sizes)
        self._solver.forget()
        self._bounded.forget()

    # --- one tick ----------------------------------------------------------------------------

    def __call__(
        self, q: ArrayLike, v: ArrayLike, t: float = 0.0, now: float | None = None
    ) -> Command:
        """Return the command for the state (q, v).

        Args:
            q: configuration (nq,).
            v: velocity (nv,).
            t: when that state was [s]; references and ramps go by it, and it must not go back.
            now: what time it is [s]; a state older than the deadline is late.

        Raises:
            FootworkError: only with on_failure="raise".
        """
        try:
            command = self._solved(*self._checked(q, v, t, now))
        except Exception as error:  # a robot in motion needs torques, whatever went wrong
            if self.safe.raises:
                raise
            return self.safe.instead(self.contacts, q, v, t, f"{type(error).__name__}: {error}")
        self.safe.remember(command.tau)
        return command

    def program(self, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> Program:
        """Return the program of a state, as `control.reference` solves it with cvxpy."""
        q, v = check_configuration(self.robot, q), check_velocity(self.robot, v)
        shares = self._shares(t)  # first: a contact may leave here, and the layout with it
        self._layout.lay(t, q, v, shares)
        return self._layout.kept().program

    def _checked(
        self, q: ArrayLike, v: ArrayLike, t: float, now: float | None
    ) -> tuple[Array, Array, float]:
        q, v = check_configuration(self.robot, q).copy(), check_velocity(self.robot, v).copy()
        if not np.isfinite(t) or t < self._last:
            raise ConfigurationError(f"t: got {t!r} s after {self._last!r} s; expected a later one")
        if now is not None and not now - t <= self.deadline:
            raise ConfigurationError(
                f"late: the state is {now - t:.4g} s old, expected at most {self.deadline:g} s"
            )
        self._last = t
        return q, v, t

    def _solved(self, q: Array, v: Array, t: float) -> Command:
        shares = self._shares(t)
        if not self._layout.lay(t, q, v, shares):
            raise ConfigurationError("tasks: what they ask for is not finite")
        program = self._layout.program
        a, w, tau, answer = self._answer(program)
        gave_way: dict[str, float] = {}
        status, reason = "optimal", ""
        if answer.y is None:
            a, w, tau, gave_way = self._give_way(program)
            if gave_way:  # else its answer is the program's, which only was hard to find
                status, reason = "relaxed", f"{answer.status}; gave way: {', '.join(gave_way)}"
        if not isfinite(tau @ tau):  # as of weights that are not
            raise SolverError("the answer's torques are not finite")
        return Command.of(
            tau=tau, status=status, reason=reason, a=a, w=w, t=t, q=q, v=v,
            contacts=self.contacts, gave_way=gave_way, iterations=answer.iterations,
            solver=self._solver.name, footings=self.footings, laid=self._layout.kept(),
        )  # fmt: skip

    def _answer(self, program: Program) -> tuple[Array, Array, Array, Answer]:
        """Solve; bounds on accelerations join only when they would be crossed."""
        if self.strict:
            free = solutions(program, self._layout.columns)
            if free is None:
                return _NOTHING, _NOTHING, _NOTHING, _CONTRADICTION
            return self._by_levels(program, free)
        found, steps = minimum(program, self._layout)
        if found is not None:
            return *found, Answer(_NOTHING, "optimal", steps)
        answer, small = self._with(program, accelerations=False)
        if answer.y is None or small is None:
            return _NOTHING, _NOTHING, _NOTHING, answer
        a, w, tau = small.point(answer.y)
        if self.joint_limits is not None and self._crossed(program, a[program.actuated]):
            answer, small = self._with(program, accelerations=True)
            if answer.y is not None and small is not None:
                a, w, tau = small.point(answer.y)
        return a, w, tau, answer

    def _crossed(self, program: Program, joints: Array) -> bool:
        beyond = np.maximum(program.slowest - joints, joints - program.fastest)
        return bool(beyond.max(initial=0.0) > 1e-9)

    def _by_levels(self, program: Program, found: Solutions) -> tuple[Array, Array, Array, Answer]:
        rest = replace(
            program, A=program.A[:0], r=program.r[:0], weight=program.weight[:0],
            d=np.full(program.nv, max(self.regularisation, 1e-9)), p=np.zeros(program.nv),
        )  # fmt: skip
        return cascade(rest, found, self._layout.stages(), self._bounded)

    def _with(self, program: Program, accelerations: bool) -> tuple[Answer, Reduced | None]:
        small = reduced_program(program, self._layout, accelerations)
        if small is None:
            return _CONTRADICTION, None
        solver = self._bounded if accelerations else self._solver
        data = (small.H, small.g, small.C, small.low, small.high)
        answer = self._proven(program, small, solver(*data))
        if answer.y is None:  # before anything gives way, a second opinion
            answer = self._proven(program, small, Clarabel()(*data))
        if answer.y is not None:
            remember(self._layout, small, answer.y)
        return answer, small

    def _proven(self, program: Program, small: Reduced, answer: Answer) -> Answer:
        """The answer if it keeps the program: without weights y may be anything, 1e20 too."""
        if answer.y is None:
            return answer
        a, w, _ = small.point(answer.y)
        left, at = program.violations(a, w), small.C @ answer.y
        beyond = float(np.maximum(at - small.high, small.low - at).max(initial=0.0))
        forces = 1.0 + float(np.abs(program.b).max(initial=0.0))
        moved = 1.0 + float(np.abs(program.k).max(initial=0.0))
        worst = max(left["dynamics"] / forces, left["contacts"] / moved, beyond / forces)
        return answer if worst <= PROVEN else Answer(None, "unsolved", answer.iterations)

    def _give_way(self, program: Program) -> tuple[Array, Array, Array, dict[str, float]]:
        """The elastic program's answer, and what gave way in it."""
        found = relaxed(program)
        if found is None:
            raise SolverError("neither the program nor its elastic form was solved")
        tau = np.clip(program.torques(found.a, found.w), -self.torque_limits, self.torque_limits)
        amounts = {}
        for name in self.contacts.names:
            amounts[f"contact {name}"] = np.abs(found.contacts[self.contacts.rows(name)]).max()
        for i, name in enumerate(self.contacts.names):
            amounts[f"least normal force of {name}"] = found.normal[i]
        for row, amount in zip(program.actuated, found.joints, strict=True):
            amounts[f"range of {self._layout.joint_name(int(row))}"] = amount
        gave_way = {name: float(x) for name, x in amounts.items() if x > 1e-6}
        return found.a, found.w, tau, gave_way
