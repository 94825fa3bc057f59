"""Explanations of infeasible verdicts: the cause with its figure, and the resulting motion.

The causes are told apart by relaxing the problem: without torque limits, with motors at all
joints, without bounds on normal forces, with soles that cannot be turned, on ground rougher than
any, with contacts that may pull; the first relaxation that holds names the cause.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from ... import dynamics
from ...arrays import Array
from ...dynamics.topology import unit_of_joint, unit_of_torque
from ...robots import Robot
from ..contact_set import ContactSet
from ..limits import ContactLimits
from .programs import Equilibrium

STILL = 0.02  # points slower than this share of the fastest one count as at rest
ROUGH = 5.0  # a coefficient of friction above that of any pair of materials


def why_not(
    contacts: ContactSet, q: Array, balance: Equilibrium, y: Array, v: Array | None = None
) -> str:
    """Return one sentence: the cause with its figure, and the motion that nothing stops.

    Motors give less at a velocity v (nv,).
    """
    strong = balance.without_torque_limits()
    limits = strong.limits
    gripping = strong.with_limits(limits.with_torsion_of_at_least(ROUGH))
    rougher = gripping.limits.with_friction(np.maximum(limits.friction, ROUGH))
    rough, unbounded = strong.with_limits(rougher), rougher.without_bounds()
    if (with_strong_joints := strong.margin().value) > 0:
        cause = _torque_words(contacts, balance, v)
    elif motors := _motor_words(contacts, strong):
        cause = motors
    elif limits.bounded and strong.with_limits(limits.without_bounds()).margin().value > 0:
        cause = _bound_words(contacts, strong)
    elif limits.has_torsion and gripping.margin().value > 0:
        cause = _torsion_words(contacts, q, strong, y)
    elif rough.margin().value > 0:
        cause = _friction_words(contacts, q, strong, y)
    elif limits.bounded and strong.with_limits(unbounded).margin().value > 0:
        cause = f"{_bound_words(contacts, rough)}, and friction does not do either"
    else:
        cause = _pull_words(contacts, q, strong.with_limits(unbounded))
        if with_strong_joints > -np.inf and balance.margin().value == -np.inf:
            cause += ", and the joints are too weak for that"
    return f"{cause}; {motion_words(contacts, q, balance, y)}"


def _torque_words(contacts: ContactSet, balance: Equilibrium, v: Array | None) -> str:
    """Which joints are too weak when the load is spread over them as well as can be."""
    best = balance.torque_margin()
    if best.unknowns is None:
        return "torque limits: the joints are too weak"
    name, torque, limit = weakest_joint(contacts, balance, best.unknowns)
    unit = unit_of_torque(contacts.robot, name)
    asked = f"{torque:.4g} of its {limit:.4g} {unit}{speed_words(contacts.robot, name, limit, v)}"
    return f"torque limits: {name} would need {asked} even with the best forces"


def _motor_words(contacts: ContactSet, balance: Equilibrium) -> str:
    """Which joints would have to have a motor, and the least that these would do in sum."""
    robot = contacts.robot
    passive = [row for row in balance.unactuated if not (robot.is_floating and row < 6)]
    if not passive:
        return ""
    torques = balance.least_help(np.eye(robot.nv)[:, passive], signed=True).unknowns
    if torques is None:
        return ""
    asked = dict.fromkeys((robot.joint_of_row[row] for row in passive), 0.0)
    for row, t in zip(passive, torques, strict=True):  # a ball joint has three
        asked[robot.joint_of_row[row]] = max(asked[robot.joint_of_row[row]], abs(float(t)))
    needed = [n for n in sorted(asked, key=lambda n: -asked[n]) if asked[n] > 1e-6 * balance.weight]
    words = ", ".join(
        f"{name} with {asked[name]:.4g} {unit_of_torque(robot, name)}" for name in needed[:3]
    )
    more = f" and {len(needed) - 3} more" if len(needed) > 3 else ""
    return f"joints without a motor would have to hold: {words}{more}"


def weakest_joint(contacts: ContactSet, balance: Equilibrium, x: Array) -> tuple[str, float, float]:
    """Return the joint of the largest |τ|/limit for unknowns x, its |τ| and its limit."""
    off, limits = balance.torques_off_middle(x), balance.torque_limits
    with np.errstate(divide="ignore", invalid="ignore"):
        used = np.where(np.isfinite(limits), np.abs(off) / limits, 0.0)
    row = int(np.nanargmax(used))
    name = contacts.robot.joint_of_row[balance.actuated[row]]
    return name, *nearest_bound(balance, row, float(off[row]))


def speed_words(robot: Robot, joint: str, limit: float, v: Array | None) -> str:
    """At which speed a motor's largest torque, driving or braking, is this one, if less than ever.

    Nothing for limits that are not those of the robot's motors at v (nv,).
    """
    motors = robot.motors
    if v is None or joint not in motors.data:
        return ""
    row = motors.joints.index(joint)
    bounds, most = np.abs(motors.bounds(v))[:, row], motors.limits[row]
    if limit >= most or np.abs(bounds - limit).min() > 1e-9 * most:
        return ""
    speed = f"{abs(v[motors.rows[row]]):.3g} {unit_of_joint(robot, joint)}/s"
    return f" at {speed} ({most:.4g} at most)"


def nearest_bound(balance: Equilibrium, row: int, off: float) -> tuple[float, float]:
    """Return |τ| of a joint so far from its middle, and the bound on that side [N·m].

    Both negative where it is one that braking asks for.
    """
    middle, side = float(balance.bounds.middle[row]), -1.0 if off < 0 else 1.0
    return side * (middle + off), side * middle + float(balance.torque_limits[row])


def _bound_words(contacts: ContactSet, balance: Equilibrium) -> str:
    """Whose normal force would have to leave its bounds, when they are left as little as can be."""
    totals = balance.least_excess().unknowns
    if totals is None:
        return "bounds on normal forces: they are too tight"
    words = [
        f"{name} would have to carry {total:.4g} N of at {side} {bound:.4g} N"
        for name, total, low, high in zip(
            contacts.names, totals, balance.limits.lower, balance.limits.upper, strict=True
        )
        for side, bound, excess in (("least", low, low - total), ("most", high, total - high))
        if excess > 1e-6 * balance.weight
    ]
    return "bounds on normal forces: " + " and ".join(words)


def _torsion_words(contacts: ContactSet, q: Array, balance: Equilibrium, y: Array) -> str:
    """Too little torsional friction: how much would do."""

    def raised(least: float) -> Equilibrium:
        return balance.with_limits(balance.limits.with_torsion_of_at_least(least))

    enough = _least_that_holds(raised, ROUGH)
    figure = f"{enough:.3g} m at every contact would hold"
    return f"too little torsional friction ({figure}){_yaw_words(contacts, balance, q, y)}"


def _friction_words(contacts: ContactSet, q: Array, balance: Equilibrium, y: Array) -> str:
    """Too little friction: how much would do, and for one patch the moment that is short."""

    def even(friction: float) -> Equilibrium:
        return balance.with_limits(balance.limits.with_friction(friction))

    limits = balance.limits
    given = sorted(set(np.round(limits.friction[~limits.bilateral], 12).ravel()))
    have = f"{given[0]:.3g}" if len(given) == 1 else f"{given[0]:.3g} to {given[-1]:.3g}"
    most = max(ROUGH, float(limits.friction.max()))
    if even(most).margin().value < 0:
        return "too little friction, plain and torsional"
    figure = f"{_least_that_holds(even, most):.3g} at every contact would hold, got {have}"
    return f"too little friction ({figure}){_yaw_words(contacts, balance, q, y)}"


def _least_that_holds(with_value: Callable[[float], Equilibrium], high: float) -> float:
    """The smallest value of a coefficient that holds, by bisection; `high` does."""
    low, most = 0.0, high
    while high - low > 1e-3 * high and high > 1e-4 * most:
        middle = (low + high) / 2
        low, high = (low, middle) if with_value(middle).margin().value >= 0 else (middle, high)
    return high


def _yaw_words(contacts: ContactSet, balance: Equilibrium, q: Array, y: Array) -> str:
    """For a robot that spins on its only contact: the moment asked about its normal, and the most.

    The wrench w on a single contact follows from the unactuated rows alone, Jᵀw + Bᵀλ = −h.
    """
    contact = next(iter(contacts))
    if len(contacts) > 1 or contact.dim not in (4, 6):
        return ""
    u, spin = _velocities(balance, y)
    if not _spins(balance.limits, 0, u, spin[0]):
        return ""
    J, rows = contacts.jacobian(q), balance.unactuated
    normal = contact.pose(contacts.robot, q).rotation[:, 2]
    columns = np.hstack([J[:, rows].T, balance.closures[rows]])
    moment = np.linalg.lstsq(columns, -balance.load[rows])[0][3 : contact.dim]
    needed = abs(float(moment @ normal if contact.dim == 6 else moment[0]))
    most = needed - balance.least_help(balance.spin[:, :1], signed=True).value
    return (
        f": the yaw moment of {needed:.4g} N·m on {contact.name} exceeds the {most:.4g} N·m that "
        f"friction gives at most"
    )


def _pull_words(contacts: ContactSet, q: Array, balance: Equilibrium) -> str:
    """Contacts that would have to pull, however rough the ground; or what else is missing."""
    pulls = balance.least_help(-balance.normals).unknowns if len(contacts) else None
    if pulls is None:
        return _missing_words(contacts, q, balance)
    wholes: dict[str, float] = {}  # corners of one foot add up
    for contact, pull in zip(contacts, pulls, strict=True):
        wholes[contact.whole] = wholes.get(contact.whole, 0.0) + pull
    most = max(wholes.values())
    words = [
        f"{name} would have to pull {pull:.4g} N"
        for name, pull in wholes.items()
        if pull > 0.05 * most
    ]
    return "contacts can only push: " + " and ".join(words)


def _missing_words(contacts: ContactSet, q: Array, balance: Equilibrium) -> str:
    """What no pull can replace: a force at the centre of mass, a moment, a joint's torque."""
    robot = contacts.robot
    columns = [dynamics.com_jacobian(robot, q).T]
    if robot.is_floating:
        columns.append(np.eye(robot.nv)[:, 3:6] @ pin.Quaternion(q[3:7]).matrix().T)
    missing = balance.least_help(np.hstack(columns), signed=True).unknowns
    where = (
        f"no forces at {', '.join(contacts.names)} supply" if len(contacts) else "nothing supplies"
    )
    if missing is None:
        return "nothing holds the joints that have no torque"
    force, moment = missing[:3], missing[3:] if robot.is_floating else np.zeros(3)
    parts = [
        f"{kind} of ({', '.join(f'{x:.3g}' for x in np.round(p, 6) + 0.0)}) {unit}"
        for kind, p, unit in (("force", force, "N"), ("moment", moment, "N·m"))
        if np.abs(p).max() > 1e-6 * balance.weight
    ]
    return f"{where} the {' and the '.join(parts)} that the load asks for"


def motion_words(contacts: ContactSet, q: Array, balance: Equilibrium, y: Array) -> str:
    """Describe the virtual velocity y at each contact: stays, slips, spins, tips or lifts."""
    u, spin = _velocities(balance, y)
    fastest = float(np.linalg.norm(u, axis=1).max(initial=0.0))
    if fastest <= 1e-4 * np.abs(y).max():
        return "it gives way while every contact stays in place" if len(contacts) else "it falls"
    moving = zip(contacts.placements(q).items(), spin / fastest, strict=True)
    words = [
        f"{name} {_contact_words(balance.limits, i, u / fastest, turning, T.rotation)}"
        for i, ((name, T), turning) in enumerate(moving)
    ]
    return ", ".join(words)


def _contact_words(
    limits: ContactLimits, contact: int, velocities: Array, spin: float, axes: Array
) -> str:
    """One contact's motion; what slips or spins lifts a little, the least that friction resists."""
    u = velocities[limits.owner == contact]
    slip = float(np.linalg.norm(u[:, :2], axis=1).max())
    rise = float(u[:, 2].max())
    if max(slip, rise) <= STILL:
        return "stays"
    if rise > 1.5 * limits.resisted(contact, velocities, spin) + STILL:
        return "lifts off" if u[:, 2].min() > 0.3 * rise else "tips"
    if _spins(limits, contact, velocities, spin):
        return "spins about its normal"
    direction = axes[:, :2] @ u.mean(axis=0)[:2]
    direction = direction / np.linalg.norm(direction)
    return f"slips along ({', '.join(f'{x:z.2f}' for x in direction)})"


def _spins(limits: ContactLimits, contact: int, velocities: Array, spin: float) -> bool:
    """Whether a contact turns about its normal more than it goes anywhere.

    A soft point by what friction takes out of both; of several points, by their velocities.
    """
    u = velocities[limits.owner == contact, :2]
    if len(u) == 1:
        sliding = float(np.linalg.norm(limits.friction[limits.owner == contact] * u))
        return float(limits.torsion[contact]) * abs(spin) > sliding
    return bool(2 * np.linalg.norm(u.mean(axis=0)) < np.linalg.norm(u, axis=1).max())


def _velocities(balance: Equilibrium, y: Array) -> tuple[Array, Array]:
    """Return u = J_k y (K, 3) of all points, in contact axes, and the spins (C,) about normals."""
    return (balance.grasp.T @ y).reshape(-1, 3), balance.spin.T @ y
