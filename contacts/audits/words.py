"""Explanations of stretches: violation and cause at the worst sample.

Each figure is one of the equations of motion: the pull that a contact lacks and the cause of the
verdict (`Hold.reason`), the reaction's angle and ZMP, the acceleration of the centre of mass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...dynamics import State
from ...dynamics.motions.motion import Motion
from ...dynamics.topology import unit_of_joint
from ...robots.ranges import ranges
from ..contact_set import ContactSet
from ..forces import decide
from ..forward import ground_axes
from ..hold import Hold
from .force_checks import Forces
from .reaction import Reaction
from .stretch import Stretch, sample_times
from .support import outside, way

_FELT = 0.1  # accelerations along the ground below this are not mentioned [m/s²]
_PART = 1 / 3  # of what moves the ZMP most: what does less is not mentioned
_BESIDE = 2e-3  # a ZMP that is nearer to the soles than this is not mentioned [m]


def sentence(forces: Forces, stretch: Stretch) -> str:
    """Return what is wrong in a stretch, without when."""
    return _SENTENCES[stretch.check](forces, stretch)


# --- forces --------------------------------------------------------------------------------------


def hold_at(forces: Forces, sample: int, torque_limits: bool = False) -> Hold:
    """Return the single verdict on a sample, with torque limits or without."""
    asked = forces.verdicts.asked
    asked = asked if torque_limits else asked.without_torque_limits()
    contacts = asked.contacts.only(asked.active[sample])
    if asked.friction is not None:  # one for all
        mu = float(asked.friction[0, 0])
        contacts = ContactSet(contacts.robot, [replace(c, friction=mu) for c in contacts])
    state = State(contacts.robot, asked.q[sample], asked.v[sample])
    return decide(contacts, state, {}, asked.load[sample], asked.bounds.at(sample))


def _contact_words(forces: Forces, stretch: Stretch) -> str:
    hold = hold_at(forces, stretch.worst)
    cause = hold.reason.partition(";")[0].removeprefix("contacts can only push: ")
    why = _reaction_words(forces, hold, stretch.worst)
    return ": ".join(filter(None, [cause, ", ".join(filter(None, why))]))


def _reaction_words(forces: Forces, hold: Hold, sample: int) -> list[str]:
    """How the reaction leaves the cone or the soles, of contacts with one normal."""
    reaction, normals = forces.reaction, hold.axes[:, :, 2]
    normal = normals.mean(axis=0)
    if reaction is None or (normals @ normal < 0.999).any():
        return []
    f = reaction.force[sample]
    pressing = float(f @ normal)
    if pressing <= 0:
        falling = -float(reaction.acceleration[sample] @ normal)
        return [f"the body falls at {falling:.1f} m/s², faster than freely"]
    needed = np.arctan2(np.linalg.norm(f - pressing * normal), pressing)
    lacking = float(np.degrees(needed - np.arctan(hold.contacts.limits.friction.max())))
    # of all feet: those that touch here may be on one side
    ahead = forces.verdicts.asked.contacts.forward
    accelerates = _acceleration_words(
        forces.motion, reaction, sample, ground_axes(hold.state, ahead)
    )
    axes = ground_axes(hold.state, ahead, normal)
    beside = _zmp_words(reaction, hold, sample, normal, axes, accelerates)
    if lacking <= 0:
        return beside
    leaving = f"the ground reaction would leave the friction cone by {lacking:.0f}°"
    return [leaving, *(beside or [accelerates])]


def _zmp_words(
    reaction: Reaction, hold: Hold, sample: int, normal: Array, axes: Array, accelerates: str
) -> list[str]:
    """Where the ZMP lies beside the soles, and what has brought it there.

    z = c + n × m_c / f_n − h f_t / f_n,      h the height of the centre of mass c
    """
    points = hold.contacts.attachment.world_points(hold.state)
    ground = points.mean(axis=0)
    zmp = reaction.zmp(sample, ground, normal)
    beside = outside(zmp, points, axes)
    if beside.distance < _BESIDE:
        return []
    feet, away = hold.contacts.wholes, beside.away
    whom = next(iter(feet)) if len(feet) == 1 else "the feet"
    c, f, moment = reaction.com[sample], reaction.force[sample], reaction.moment[sample]
    beyond = float(((c - points) @ away).min())
    turned = float(away @ np.cross(normal, moment) / (normal @ f))
    pushed = -float((c - ground) @ normal * (away @ f) / (normal @ f))
    causes = {
        f"the centre of mass lies {100 * beyond:.1f} cm {beside.side} {whom}": beyond,
        f"the angular momentum changes by {np.linalg.norm(moment):.3g} N·m": turned,
        accelerates: pushed,
    }
    largest = max(causes.values())
    told = [words for words, size in causes.items() if size > _PART * largest]
    return [f"the ZMP lies {100 * beside.distance:.1f} cm {beside.side} {whom}", *told]


def _acceleration_words(motion: Motion, reaction: Reaction, sample: int, axes: Array) -> str:
    """How the centre of mass accelerates along the ground, and how long at least half as much."""
    a = reaction.acceleration[sample]
    if (size := float(np.hypot(*a[:2]))) < _FELT:
        return ""
    where, level = way(a, axes), a * [1.0, 1.0, 0.0]
    spell = _spell(reaction.acceleration @ level / size, sample)
    lasting = sample_times(motion.t)[spell].sum()
    return f"the body accelerates {where} at {size:.1f} m/s² for {1000 * lasting:.0f} ms"


def _spell(values: Array, peak: int) -> slice:
    """The samples around one of them with at least half of its value."""
    low = np.flatnonzero(values < values[peak] / 2)
    before, after = low[low < peak], low[low > peak]
    first = int(before[-1]) + 1 if len(before) else 0
    return slice(first, int(after[0]) if len(after) else len(values))


def _torque_words(forces: Forces, stretch: Stretch) -> str:
    hold = hold_at(forces, stretch.worst, torque_limits=True)
    return hold.reason.partition(";")[0].removeprefix("torque limits: ")


def _flight_words(forces: Forces, stretch: Stretch) -> str:
    reaction, sample = forces.reaction, stretch.worst
    if reaction is None:
        return ""
    g = reaction.gravity
    down, along = -float(reaction.acceleration[sample] @ g), float(np.linalg.norm(g))
    pull = float(np.linalg.norm(reaction.force[sample])) / reaction.mass
    if pull >= stretch.value / 2:
        got = f"{-down / along:.2f} m/s² downwards instead of {along:.2f}"
        return f"in flight although the body does not fall: {got} (no contact found)"
    moment = float(np.linalg.norm(reaction.moment[sample]))
    return f"in flight although its angular momentum changes: {moment:.0f} N·m (no contact found)"


# --- feet, joints, links -------------------------------------------------------------------------


def _range_words(forces: Forces, stretch: Stretch) -> str:
    motion, name = forces.motion, stretch.subject
    lower, upper = ranges(motion.robot._model)
    joint = motion.robot._model.joints[motion.robot.joint_id(name)]
    q = motion.q[stretch.worst, joint.idx_q]
    end = lower[joint.idx_q] if q < lower[joint.idx_q] else upper[joint.idx_q]
    unit = unit_of_joint(motion.robot, name)
    return f"{name} is at {q:.3g} {unit}, {stretch.value:.2g} {unit} beyond {end:.3g} {unit}"


def _speed_words(forces: Forces, stretch: Stretch) -> str:
    motion, name = forces.motion, stretch.subject
    model = motion.robot._model
    row = model.joints[motion.robot.joint_id(name)].idx_v
    speed, fastest = abs(motion.v[stretch.worst, row]), model.velocityLimit[row]
    return f"{name} moves at {speed:.3g} of {fastest:.3g} {unit_of_joint(motion.robot, name)}/s"


def _jump_words(forces: Forces, stretch: Stretch) -> str:
    name = stretch.subject
    size = f"{stretch.value:.2g} {unit_of_joint(forces.motion.robot, name)}"
    return f"{name} jumps by {size} from one sample to the next"


def _of_foot(words: str) -> Callable[[Forces, Stretch], str]:
    """Return what writes words with the subject, its value, and the value in centimetres."""

    def told(_: Forces, stretch: Stretch) -> str:
        value = stretch.value
        return words.format(who=stretch.subject, value=value, cm=100 * value, mm=1000 * value)

    return told


_SENTENCES: Mapping[str, Callable[[Forces, Stretch], str]] = {
    "contacts": _contact_words,
    "torques": _torque_words,
    "flight": _flight_words,
    "slip": _of_foot("{who} slips at {value:.2g} m/s while it touches"),
    "drift": _of_foot("{who} has slid {cm:.1f} cm since it touches"),
    "gap": _of_foot("{who} is {cm:.1f} cm above the ground while it touches"),
    "penetration": _of_foot("{who} is {cm:.1f} cm below the ground"),
    "range": _range_words,
    "speed": _speed_words,
    "collision": _of_foot("{who} overlap by {mm:.1f} mm"),
    "jump": _jump_words,
}
