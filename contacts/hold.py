"""Hold: the verdict on an equilibrium, with its margin, and forces or a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self, cast

import numpy as np

from .. import registry
from ..arrays import Array
from ..dynamics import State, Wrench, closures
from ..dynamics.spatial import cross
from ..dynamics.topology import unit_of_torque
from ..errors import ContactError
from ..files import plain
from ..reprs import components
from ..robots.torque_need import without_need
from ..robots.values import number
from .contact import Contact
from .contact_set import ContactSet
from .equilibrium.balance import weight
from .equilibrium.decision import KERNEL, KernelVerdict
from .equilibrium.margins import FINEST, largest_push, margins_alone, shrink_factor, torque_margin
from .equilibrium.problems import Problems
from .equilibrium.programs import Equilibrium
from .equilibrium.reasons import speed_words, weakest_joint, why_not
from .equilibrium.saddle import Multipliers, Saddle, saddle_point
from .kernels.verdict import EDGE
from .margin_words import margin_words


@dataclass(frozen=True, eq=False, repr=False)
class Hold:
    """Whether contacts hold a robot, by how much, and with which forces; or why not.

    Attributes:
        feasible: True, False, or None at the edge, where rounding would decide.
        status: "feasible", "infeasible", "at the edge" or "unsolved".
        margin: the largest ε such that every contact wrench stays in its cone after ε of normal
            force is taken away at its centre, torque limits kept [N]; negative: the pull that each
            contact would have to supply; parts of one, such as a sole's corners, lose and supply it
            together (`Contact.part_of`); +inf if squeezing makes it unbounded, −inf if no pull
            helps, nan where the solver did not find it.
        certificate: y (nv,), ‖y‖ = 1, a virtual velocity along which the robot falls and nothing
            can stop it, when infeasible: n·u ≥ μ ‖u_t‖ for every u = J_k y (u = 0 if bilateral),
            J_c y = 0 of a robot with closures, and yᵀ(τ_g + τ_ext − M a − vᵀCv) + min yᵀSᵀτ > 0
            over the torques, which is −Σ limit |S y| of symmetric limits (S y = 0 where there is no
            limit); `certificate.py` has the form for torsional friction and bounds on normal
            forces.
        solver: the one that was used.
        objective: which admissible forces were asked for, "preferred" for those nearest to some.
        contacts, state, external: what was asked: contacts, configuration and velocity, external
            wrenches.
        multipliers: the saddle point of the margin, where the kernel found it.
    """

    feasible: bool | None
    status: str
    margin: float
    _unknowns: Array | None
    certificate: Array | None
    contacts: ContactSet
    state: State
    external: Mapping[str, Wrench]
    _balance: Equilibrium | partial[Equilibrium]
    solver: str
    objective: str = "least_norm"
    multipliers: Multipliers | None = None
    _problem: Problems | None = None  # of the margin, where the kernel decided

    @classmethod
    def proved(
        cls,
        found: KernelVerdict,
        contacts: ContactSet,
        state: State,
        external: Mapping[str, Wrench],
        balance: partial[Equilibrium],
        objective: str,
    ) -> Self:
        """Return the Hold of an answer that the kernel has proved, with its forces and torques."""
        holds, answer = found.feasible == 1, found.answer
        hold = cls(
            holds,
            "feasible" if holds else "infeasible",
            found.margin,
            answer.x if holds else None,
            found.certificate,
            contacts,
            state,
            external,
            balance,
            KERNEL,
            objective,
            found.multipliers,
            found.problem,
        )
        known = vars(hold)
        known["axes"], known["residual"] = answer.axes[0], found.residual
        if holds:
            known["torques"], known["_forces"] = answer.torques, answer.forces
        return hold

    @property
    def q(self) -> Array:
        """(nq,), the configuration."""
        return self.state.q

    @cached_property
    def balance(self) -> Equilibrium:
        """The balance behind the verdict, computed when first asked for."""
        found = self._balance() if isinstance(self._balance, partial) else self._balance
        if self._problem is not None:
            vars(found)["problem"] = self._problem
        return found

    @cached_property
    def axes(self) -> Array:
        """(C, 3, 3), the contacts' axes in the world."""
        return self.contacts.attachment.rotations(self.state)

    @cached_property
    def reason(self) -> str:
        """Why it does not hold, in words; computed when first asked for."""
        if self.feasible:
            return ""
        if self.certificate is not None:
            return why_not(self.contacts, self.q, self.balance, self.certificate, self.state.v)
        if self.status == "unsolved":
            return "unsolved: the solver found neither forces nor a certificate that check out"
        return (
            f"at the edge: within {EDGE * self.balance.weight:.1e} N of what the contacts can hold,"
            " where rounding decides; move, push or tilt a little and ask again"
        )

    @cached_property
    def forces(self) -> dict[str, Array] | None:
        """{contact: (k, 3)}, admissible forces of the environment on the robot, the best by the
        objective, at the contact's vertices, world axes [N]; None when infeasible."""
        if self._unknowns is None:
            return None
        firsts, f = self.contacts.limits.first.tolist(), self._forces
        ends = [*firsts, len(f)][1:]
        parts = zip(self.contacts.names, firsts, ends, strict=True)
        return {name: f[first:last] for name, first, last in parts}

    @cached_property
    def _forces(self) -> Array:
        """(K, 3), of all points, world axes."""
        limits = self.contacts.limits
        f = limits.forces(np.asarray(self._unknowns))
        return np.asarray(np.einsum("kij,kj->ki", self.axes[limits.owner], f))

    @cached_property
    def wrenches(self) -> dict[str, Wrench] | None:
        """{contact: Wrench of the environment on the robot, at its centre, world axes}."""
        if self._unknowns is None:
            return None
        local = self.balance.limits.wrenches(self._unknowns).reshape(-1, 2, 3)
        world = local @ self.axes.transpose(0, 2, 1)
        places = self.contacts.attachment.positions(self.state)
        parts = zip(self.contacts.names, world, places, strict=True)
        return {name: Wrench(force, moment, p) for name, (force, moment), p in parts}

    @cached_property
    def centres_of_pressure(self) -> dict[str, Array] | None:
        """{contact: (3,)}, where its force acts without a moment along the patch [m], world axes.

        It is (n × m)/f_n from the centre of the patch, and the centre where nothing presses.
        """
        if self.wrenches is None:
            return None
        centres = {}
        for contact in self.contacts:
            w, T = self.wrenches[contact.name], contact.pose(self.state)
            n = T.rotation[:, 2]
            normal, least = float(w.force @ n), 1e-9 * (1 + float(np.linalg.norm(w.force)))
            arm = cross(n, w.moment) / normal if abs(normal) > least else np.zeros(3)
            centres[contact.name] = T.translation + arm
        return centres

    @cached_property
    def torques(self) -> Array | None:
        """τ (na,) that goes with the forces [N·m or N]; None when infeasible.

        Where closures leave it open (motors that work against each other), that of least Στ².
        """
        return None if self._unknowns is None else self.balance.torques(self._unknowns)

    @cached_property
    def closure_forces(self) -> dict[str, Array] | None:
        """{closure: λ (dim,)} that goes with forces and torques, in the rows of J_c (see
        `robots.LoopClosure`), least-norm where these are redundant [N, N·m]; None when infeasible.
        """
        if self._unknowns is None or not self.contacts.robot.closures:
            return None if self._unknowns is None else {}
        return closures.forces(self.state, self.balance.inner(self._unknowns))

    @cached_property
    def residual(self) -> float:
        """Largest entry of M a + vᵀCv − Sᵀτ − τ_g − Σ Jᵀf − J_cᵀλ − τ_ext [N, N·m]; nan without
        f."""
        # torques are what balances the actuated rows: nothing is left of these
        return float("nan") if self._unknowns is None else self.balance.residual(self._unknowns)

    @cached_property
    def normal_forces(self) -> dict[str, float] | None:
        """{contact: its whole normal force} [N]; None when infeasible."""
        if self._unknowns is None:
            return None
        totals = (self.balance.limits.sums @ self._unknowns).tolist()
        return dict(zip(self.contacts.names, totals, strict=True))

    @cached_property
    def contact_margins(self) -> dict[str, float]:
        """{contact: the largest ε of normal force that this contact alone could lose at its centre}
        [N].

        Over all admissible forces of all contacts: how near to its limits this one is when the
        others do what they can for it. For the only contact this is the margin; negative, +inf and
        −inf as for the margin, and +inf for what holds both ways.
        """
        margins = margins_alone(self.balance, self._problem)
        return dict(zip(self.contacts.names, margins.tolist(), strict=True))

    @cached_property
    def torque_margin(self) -> float:
        """The largest min_j (limit_j − |τ_j|)/limit_j over all forces inside their cones [-].

        Of bounds that are not symmetric the distance to the nearer one over half their width.

        Negative: the share by which the actuators are too weak. +inf without limits, −inf when no
        forces inside their cones balance the robot, whatever the torques.
        """
        return torque_margin(self.balance, self._problem)

    def push_margin(self, tolerance: float = 1e-6) -> float:
        """Return the smallest horizontal push at the centre of mass, over all directions, that can
        no longer be held [N]; 0 when the robot does not hold without a push, +inf from a thousand
        times its weight on.

        All links share the push as they share the mass (J_comᵀ f), which matters to joints with
        torque limits. The pushes that can be held form a convex set; this is the radius of the
        largest disc about zero inside it, to `tolerance` of the robot's weight, from below.
        """
        return self.least_push(tolerance)[0]

    def least_push(self, tolerance: float = 1e-6) -> tuple[float, Array]:
        """Return `push_margin` [N] and the direction (2,) of that push, world x and y, unit.

        The direction is zero where there is no such push: the margin is 0 or +inf.
        """
        _check_tolerance(tolerance)
        if not self.feasible:
            return 0.0, np.zeros(2)
        balance = self.balance
        radius, normal = largest_push(balance, self.state.com_jacobian[:2], tolerance)
        if np.isinf(radius):
            return radius, np.zeros(2)
        return radius, normal / max(float(np.linalg.norm(normal)), 1e-300)

    def friction_margin(self, tolerance: float = 1e-4) -> float:
        """Return the largest factor by which friction and patch sizes may shrink [-].

        At 1.5 the robot still holds with μ/1.5, γ/1.5 and soles 1.5 times smaller about their
        centres; below 1 they would have to grow. +inf when it holds without friction on vanishing
        patches, or with ten thousand times less; 0 when nothing helps.
        """
        _check_tolerance(tolerance)
        known = None if self.multipliers is None else self.saddle
        return shrink_factor(self.balance, tolerance, known)

    @cached_property
    def saddle(self) -> Saddle:
        """The saddle point of the margin, to rounding.

        Raises:
            ContactError: the margin is infinite.
        """
        return saddle_point(self.balance, None, self.multipliers)

    def explain(self) -> str:
        """Return the verdict, the forces and the margins, or the reason, as text of a few lines."""
        verdict = {True: "holds", False: "does not hold", None: f"is {self.status}"}[self.feasible]
        where = ", ".join(self.contacts.names) or "nothing"
        lines = [f"{self.contacts.robot.name} {verdict} on {where}"]
        if self.reason:
            lines.append(self.reason)
        lines.append(f"{margin_words(self.margin)}{self._nearest()}")
        if self.forces is not None:
            lines += self._force_lines() + self._closure_lines() + self._torque_lines()
            lines.append(f"residual of the equations of motion {self.residual:.1e} N")
        return "\n  ".join(lines)

    def _nearest(self) -> str:
        """The contact that alone could lose the least normal force, of several."""
        finite = {n: m for n, m in self.contact_margins.items() if np.isfinite(m)}
        if not self.feasible or len(self.contacts) < 2 or not finite:
            return ""
        name = min(finite, key=finite.__getitem__)
        return f"; {name} alone could lose {finite[name]:.4g} N"

    def _force_lines(self) -> list[str]:
        lines = []
        width = max([14, *map(len, self.contacts.names)])
        newtons = weight(self.contacts.robot)
        for contact in self.contacts:
            wrench = (self.wrenches or {})[contact.name]
            line = f"{contact.name:<{width}} force ({components(wrench.force, newtons)}) N"
            if contact.dim > 3:
                arm = contact.pose(self.state).translation - self.state.com
                lever = float(np.linalg.norm(arm)) or 1.0
                line += f"   moment ({components(wrench.moment, newtons * lever)}) N·m"
            lines.append(line + self._bound_words(contact))
        return lines

    def _closure_lines(self) -> list[str]:
        size = weight(self.contacts.robot)
        return [
            f"{name:<14} closure ({components(given, size)}) {'N' if len(given) == 3 else 'N, N·m'}"
            for name, given in (self.closure_forces or {}).items()
        ]

    def _bound_words(self, contact: Contact) -> str:
        """The normal force and its bounds, where there are any."""
        low, high = contact.normal_bounds
        bounds = [f"at least {low:.4g} N"] * bool(np.isfinite(low))
        bounds += [f"at most {high:.4g} N"] * bool(np.isfinite(high))
        total = (self.normal_forces or {})[contact.name]
        return f"   normal {total:.4g} N of {', '.join(bounds)}" if bounds else ""

    def _torque_lines(self) -> list[str]:
        """The joint that comes nearest to its limit, and what the best forces would leave it."""
        torques, robot = np.abs(np.asarray(self.torques)), self.contacts.robot
        if not len(torques):
            return []
        if not np.isfinite(self.balance.torque_limits).any():
            k = int(torques.argmax())
            joint = robot.joint_of_row[self.balance.actuated[k]]
            return [f"largest torque {torques[k]:.4g} {unit_of_torque(robot, joint)}, {joint}"]
        joint, torque, limit = weakest_joint(
            self.contacts, self.balance, np.asarray(self._unknowns)
        )
        torque = round(torque, 9)  # rounding noise of legs that are straight is nothing
        at_speed = speed_words(robot, joint, limit, self.state.v)
        unit = unit_of_torque(robot, joint)
        own = limit in robot.torque_limits  # not one that was asked for here
        return [
            f"torques: {joint} is nearest to its limit, {torque:.4g} of {limit:.4g} {unit}"
            f"{at_speed}; the best forces would leave {100 * self.torque_margin:.1f} %",
            *(str(remark) for remark in (without_need(robot, joint) if own else ())),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the robot as plain lists and numbers, for JSON; ±inf as None.

        Margins that are not finite come with "margin_text": "inf" or "-inf".
        """
        wrenches = {
            name: {"force": w.force, "moment": w.moment, "point": w.point}
            for name, w in (self.wrenches or {}).items()
        }
        return cast(dict[str, Any], plain({
            "robot": self.contacts.robot.name,
            "feasible": self.feasible,
            "status": self.status,
            "reason": self.reason,
            "margin": self.margin,
            "margin_text": str(self.margin),
            "torque_margin": self.torque_margin,
            "contact_margins": self.contact_margins,
            "objective": self.objective,
            "normal_forces": self.normal_forces,
            "normal_bounds": {contact.name: contact.normal_bounds for contact in self.contacts},
            "residual": self.residual,
            "solver": self.solver,
            "q": self.q,
            "forces": self.forces or None,
            "wrenches": wrenches or None,
            "torques": self.torques,
            "closure_forces": self.closure_forces or None,
            "certificate": self.certificate,
        }))  # fmt: skip

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        unit = " N" * bool(np.isfinite(self.margin))
        margin = f"margin={self.margin:.6g}{unit}"
        return f"Hold(feasible={self.feasible}, {margin}, status={self.status!r})"


def _check_tolerance(tolerance: float) -> None:
    number(tolerance, "tolerance", at_least=FINEST, error=ContactError)
