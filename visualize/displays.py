"""Displays of results in a notebook: title, facts, tables, and what of it is plotted, by type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from ..biomechanics.gait import Gait
from ..biomechanics.robot_gait import RobotGait
from ..contacts.audits.audit import Audit
from ..contacts.audits.table import AuditTable
from ..contacts.contact_set import ContactSet
from ..contacts.hold import Hold
from ..contacts.postures.posture import Posture
from ..contacts.regions.friction_map import FrictionMap
from ..contacts.regions.region import Region
from ..contacts.scenario.scenario import Scenario
from ..contacts.sweeps.result import Sweep
from ..control.judging.judgement import Judgement
from ..control.repairs.report import Repair
from ..control.simulation.closed_loop import ClosedLoop
from ..control.speed import SpeedLimits
from ..control.whole_body.command import Command
from ..dynamics.motions.motion import Motion
from ..dynamics.motions.sampled_states import SampledStates
from ..dynamics.state import State
from ..dynamics.trajectory import Trajectory
from ..errors import ModelError, counted
from ..robots.ranges import ranges, velocity_limits
from ..robots.robot import Robot
from .colors import VERDICTS, hex_of


class Table(NamedTuple):
    """Rows of texts below their columns' heads; a `caption` makes one that is opened by a click."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Display:
    """What a notebook shows of a thing, as plain texts.

    Attributes:
        title: the answer in a line.
        facts: {what: its value with unit}.
        tables: below the facts.
        text: of several lines, below the tables.
        color: "#rrggbb" of the bar beside the title; none when empty.
        plotted: what `fw.plot` draws below; the thing itself when not given.
    """

    title: str
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    text: str = ""
    color: str = ""
    plotted: Any = None


@singledispatch
def display_of(x: Any) -> Display:
    """Return what a notebook shows of x; its `repr` where nothing is known of its type."""
    return Display(repr(x))


# --- robots and their states ---------------------------------------------------------------


@display_of.register
def _(robot: Robot) -> Display:
    base = "floating" if robot.is_floating else "fixed"
    facts = {
        "mass": f"{robot.mass:.4g} kg",
        "sizes": f"nq = {robot.nq}, nv = {robot.nv}, na = {robot.na}; {base} base",
        "closures": ", ".join(closure.name for closure in robot.closures),
        "locked": ", ".join(robot.locked),
    }
    tables = [_joints(robot)]
    try:
        facts["postures"] = ", ".join(robot.postures)
        tables.insert(0, _feet(robot))
    except ModelError as error:  # of a mesh that cannot be read
        facts["feet"] = str(error)
    return Display(robot.name, facts, tables)


def _feet(robot: Robot) -> Table:
    """The feet and what touches the ground of each."""
    rows = []
    for foot in robot.feet.values():
        sides = np.ptp(foot.vertices, axis=0) if len(foot.vertices) else ()
        sole = " × ".join(f"{100 * side:.3g}" for side in sides)
        ball = f", ball of {100 * foot.radius:.3g} cm radius" if foot.radius else ""
        rows.append([foot.name, foot.frame, f"sole of {sole} cm" if sole else f"point{ball}"])
    return Table(["foot", "on", "touches with"], rows)


def _joints(robot: Robot) -> Table:
    """The joints with their limits; "–" where there is none."""
    lower, upper = ranges(robot._model)
    most = velocity_limits(robot._model)
    torques = dict(zip(robot.actuated, robot.torque_limits, strict=False))
    rows = []
    for name in robot.joint_names:
        joint = robot._model.joints[robot._model.getJointId(name)]
        single = joint.nq == 1
        low, high = (lower[joint.idx_q], upper[joint.idx_q]) if single else (-np.inf, np.inf)
        speed = most[joint.idx_v] if joint.nv == 1 else np.inf
        torque = _number(torques[name]) if name in torques else "no motor"
        rows.append([name, _number(low), _number(high), _number(speed), torque])
    heads = ["joint", "from [rad, m]", "to", "speed [rad/s, m/s]", "torque [N·m, N]"]
    count = counted(len(rows), "joint", "joints")
    return Table(heads, rows, f"{count} with limits")


@display_of.register
def _(state: State) -> Display:
    facts = {"centre of mass": f"({_vector(state.com)}) m"} if state.robot.mass > 0 else {}
    facts["q"] = f"({_vector(state.q)})"
    if state.v is not None:
        facts["v"] = f"({_vector(state.v)})"
        facts["kinetic energy"] = f"{state.kinetic_energy:.4g} J"
    facts["potential energy"] = f"{state.potential_energy:.4g} J"
    return Display(f"{state.robot.name} in one state", facts)


@display_of.register
def _(posture: Posture) -> Display:
    title = "the contacts touch" if posture.converged else "no posture touches"
    facts = {"reason": posture.reason, "steps": str(posture.iterations)}
    if posture.margins:
        facts["margin"] = f"{posture.margins[0]:.4g} N, made {posture.margins[-1]:.4g} N"
    rows = [[name, f"{error:.1e}"] for name, error in posture.errors.items()]
    color = hex_of(VERDICTS[posture.converged])
    state = State(posture.contacts.robot, posture.q)
    return Display(title, facts, [Table(["contact", "off by [m, rad]"], rows)], "", color, state)


# --- motions -------------------------------------------------------------------------------


def _of_samples(motion: SampledStates, named: str = "") -> Display:
    count = counted(len(motion), "sample", "samples")
    facts = {"duration": f"{motion.duration:.4g} s, {count}, {motion.rate:.4g} Hz"}
    return Display(f"{named or motion.robot.name} moves", facts)


@display_of.register
def _(motion: Motion) -> Display:
    given = _of_samples(motion, f"{motion.robot.name}, {motion.name}:")
    speeds = np.abs(motion.v).max(axis=0, initial=0.0)
    facts = {**given.facts, "fastest": f"{speeds.max(initial=0.0):.4g} rad/s or m/s"}
    return Display(given.title, facts, text="\n".join(motion.notes))


@display_of.register
def _(motion: Trajectory) -> Display:
    given, energy = _of_samples(motion), motion.energy
    drift = f"{energy[0]:.6g} J at first, at most {np.abs(energy - energy[0]).max():.2g} J off it"
    return Display(given.title, {**given.facts, "energy": drift}, [_events(motion)])


@display_of.register
def _(motion: ClosedLoop) -> Display:
    given = _of_samples(motion)
    moved = 100 * np.linalg.norm(motion.com - motion.com[0], axis=1).max()
    tick = 1e6 * np.median(motion.latency) if len(motion.latency) else np.nan
    facts = {
        **given.facts,
        "centre of mass": f"moved by at most {moved:.3g} cm",
        "a tick": f"{_number(tick)} µs, the median",
        "pushes": counted(len(motion.pushes), "push", "pushes"),
        "ended": motion.ended,
    }
    verdict = "does not hold" if motion.ended else "holds"
    how = "fell" if motion.fell else "stopped" if motion.ended else "does not fall"
    title = f"{motion.robot.name} {how}"
    return Display(title, facts, [_events(motion)], color=hex_of(verdict))


def _events(motion: Trajectory) -> Table:
    """What happened on the way, the first ones."""
    rows = [[event.name, f"{event.t:.4g}"] for event in motion.events[:20]]
    return Table(["event", "t [s]"], rows, counted(len(motion.events), "event", "events"))


@display_of.register
def _(told: Audit | AuditTable | Repair | SpeedLimits) -> Display:
    return _told(told.explain())


@display_of.register
def _(judgement: Judgement) -> Display:
    return _told(judgement.explain(), judgement.holds)


@display_of.register
def _(command: Command) -> Display:
    return _told(command.explain(), command.solved)


def _told(explained: str, holds: bool | None = None) -> Display:
    """A display of lines of which the first is the answer."""
    color = "" if holds is None else hex_of("holds" if holds else "does not hold")
    answer, _, text = explained.partition("\n")
    return Display(answer, text=text, color=color)


@display_of.register
def _(gait: Gait) -> Display:
    rows = []
    for joint in gait.joints:
        moment, power = gait.moment(joint), gait.power(joint)
        rows.append(
            [
                joint,
                f"{np.nanmax(np.linalg.norm(moment, axis=1)):.4g}",
                f"{np.nanmin(power):.4g} to {np.nanmax(power):.4g}",
            ]
        )
    facts = {
        "mass": f"{gait.mass:.4g} kg",
        "duration": f"{gait.t[-1] - gait.t[0]:.4g} s, {counted(len(gait.t), 'frame', 'frames')}",
        "footfalls": str(len(gait.footfalls)),
    }
    heads = ["joint", "largest moment [N·m]", "power [W]"]
    return Display("gait of one subject", facts, [Table(heads, rows)])


@display_of.register
def _(gait: RobotGait) -> Display:
    rows = [[joint, f"{apart:.4g}"] for joint, apart in gait.apart().items()]
    facts = {"fit": repr(gait.fit)}
    if left := gait.residual():
        facts["residual at the base"] = f"{left[0]:.4g} N, {left[1]:.4g} N·m rms"
    heads = ["joint", "off the segment model by, rms [N·m]"]
    return Display(f"gait by {gait.subject.robot.name}", facts, [Table(heads, rows)])


# --- contacts ------------------------------------------------------------------------------


@display_of.register
def _(contacts: ContactSet) -> Display:
    rows = []
    for contact in contacts:
        low, high = contact.normal_bounds
        low = low if contact.bilateral else max(low, 0.0)
        normal = f"{_number(low)} to {_number(high)}"
        friction = " × ".join(_number(mu) for mu in np.atleast_1d(contact.friction))
        friction = "pulls too" if contact.bilateral else friction
        rows.append([contact.name, type(contact).__name__, contact.frame, friction, normal])
    heads = ["contact", "kind", "on", "friction", "normal force [N]"]
    title = f"{counted(len(contacts), 'contact', 'contacts')} of {contacts.robot.name}"
    return Display(title, {"rows": str(contacts.dim)}, [Table(heads, rows)])


@display_of.register
def _(hold: Hold) -> Display:
    verdict = VERDICTS[hold.feasible]
    facts = {
        "reason": hold.reason,
        "margin": f"{_number(hold.margin)} N of normal force at every contact",
        "torque margin": f"{_number(100 * hold.torque_margin)} % of the motors' limits",
        "residual": f"{hold.residual:.1e} N" if hold.feasible else "",
    }
    title = hold.explain().partition("\n")[0]
    return Display(title, facts, [_forces(hold)], color=hex_of(verdict))


def _forces(hold: Hold) -> Table:
    """The wrench at each contact, and what of its normal force it could lose."""
    rows = []
    for name, margin in hold.contact_margins.items():
        wrench = (hold.wrenches or {}).get(name)
        parts = (wrench.force, wrench.moment) if wrench is not None else ()
        vectors = [_vector(part, ".2f") for part in parts] or ["–", "–"]
        rows.append([name, *vectors, _number(margin)])
    return Table(["contact", "force [N]", "moment [N·m]", "could lose [N]"], rows)


@display_of.register
def _(region: Region) -> Display:
    corners = counted(len(region.vertices), "vertex", "vertices")
    return Display(f"{region.status} region of {region.area:.4g} m², {corners}")


@display_of.register
def _(friction: FrictionMap) -> Display:
    held = friction.friction[np.isfinite(friction.friction)]
    span = f" with friction from {held.min():.3g} to {held.max():.3g}" if len(held) else ""
    return Display(f"{len(held)} of {friction.friction.size} places hold{span}")


@display_of.register
def _(sweep: Sweep) -> Display:
    counts = Counter(sweep.feasible.ravel().tolist())
    title = f"{sweep.feasible.size} verdicts: {counts[1]} hold, {counts[0]} do not"
    rows = [
        [name, f"{np.nanmin(values):.4g}", f"{np.nanmax(values):.4g}"]
        for name in sweep.plan.quantities
        if np.isfinite(values := sweep[name]).any()
    ]
    tables = [Table(["quantity", "from", "to"], rows)]
    return Display(title, tables=tables, text="\n".join(sweep.refused))


@display_of.register
def _(scenario: Scenario) -> Display:
    title = scenario.title or f"{scenario.robot} on {', '.join(scenario.contact_set.names)}"
    if not scenario.solved.converged:
        shown = display_of(scenario.solved)
        facts = {"about": scenario.about, "posture": shown.title, **shown.facts}
        return Display(title, facts, shown.tables, "", shown.color, scenario.state)
    hold = scenario.check()
    shown = display_of(hold)
    facts = {"about": scenario.about, "verdict": shown.title, **shown.facts}
    return Display(title, facts, shown.tables, "", shown.color, hold)


# --- numbers -------------------------------------------------------------------------------


def _number(value: float) -> str:
    """Four digits; "–" for what is not known, ∞ for what has no bound."""
    if np.isnan(value):
        return "–"
    return f"{value:.4g}" if np.isfinite(value) else "∞" if value > 0 else "−∞"


def _vector(values: Iterable[float], form: str = ".4g") -> str:
    """Components with commas, without −0; the first dozen of many."""
    numbers = [format(x, form) for x in np.round(np.asarray(values, dtype=float), 6) + 0.0]
    return ", ".join(numbers[:12]) + ", …" * (len(numbers) > 12)
