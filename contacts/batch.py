"""Many verdicts at once: states, frictions and loads in arrays, each answer with its proof.

They are decided as those of `contacts.static_hold` are (`equilibrium/decision.py`), eight problems
side by side. What the kernel does not know (hand holds, closures), or leaves open, is asked of the
conic solver, one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ContactError
from ..options import names_checked
from ..robots import Robot
from ..robots.configuration import check_reach, check_robot
from ..robots.values import boolean, whole_number
from .causes import Cause, Causes, causes
from .contact_set import Contacts, ContactSet
from .equilibrium.decision import Wanted, decide
from .equilibrium.verdicts import Verdicts
from .loads_along import Wrenches, loads_along, table
from .motion_rows import MotionRows, balances_of, frictions
from .motion_verdicts import MotionVerdicts
from .postures.collisions_along import SelfCollisions, self_collisions
from .sensitivity.margin_gradients import MarginGradients, margin_gradients
from .torque_limits import TorqueLimits, torque_bounds_of

__all__ = [
    "Cause",
    "Causes",
    "MarginGradients",
    "MotionVerdicts",
    "SelfCollisions",
    "Verdicts",
    "causes",
    "contact_forces",
    "margin_gradients",
    "self_collisions",
    "static_hold",
]


@names_checked
def static_hold(
    robot: Robot,
    q: ArrayLike,
    contacts: Contacts,
    *,
    friction: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
    torque_limits: TorqueLimits = True,
    margin: bool = True,
    torque_margin: bool = False,
    threads: int = 1,
) -> Verdicts:
    """Decide many static holds: `contacts.static_hold` for each entry of what is given in arrays.

    Args:
        robot: with a floating base, if wrenches are given as an array.
        q: configurations (N, nq), or one (nq,) for all.
        contacts: a ContactSet of this robot, or any contacts.
        friction: instead of the contacts' own, μ of all of them: one number or (N,), or pairs
            (N, 2) along the contacts' two tangents.
        wrenches: {link: Wrench} as for `contacts.static_hold`, the same for all, or {link: (N, 6)},
            [force; moment about the link's origin] (`contacts.wrenches_along`); or (N, 6) or (6,),
            of the environment on the base link: [force; moment about the centre of mass]. World
            axes [N, N·m].
        torque_limits: as for `contacts.static_hold`; or a pair
            (lower, upper) of what limits them; arrays may also be (N, na), a row each.
        margin: False leaves margins out (nan), which takes half of the time where there are many
            contacts: whether it holds and with which forces, or along which motion it falls.
        torque_margin: True adds the torque margins.
        threads: that share the work.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    check_robot(robot)
    contact_set, qs = ContactSet.of(robot, contacts), table(q, robot.nq, "q")
    check_reach(robot, qs)
    still = np.zeros((len(qs), robot.nv))
    loads = loads_along(robot, qs, still, still, wrenches)
    bounds = torque_bounds_of(robot, torque_limits, many=True)
    mu = None if friction is None else frictions(friction)
    balances = balances_of(contact_set, qs, loads, mu, bounds)
    whole, wanted = _threads(threads), _wanted(margin, torque_margin)
    found = decide(balances, whole, wanted)
    found.torques[:] += bounds.middle
    return found


@names_checked
def contact_forces(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    contacts: Contacts,
    *,
    active: ArrayLike | None = None,
    friction: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
    torque_limits: TorqueLimits = True,
    margin: bool = True,
    torque_margin: bool = False,
    threads: int = 1,
) -> MotionVerdicts:
    """Decide along a motion: `contacts.contact_forces` for each row of q, v and a.

    Args:
        robot: with a floating base, if wrenches are given as an array.
        q, v, a: (N, nq), (N, nv), (N, nv), or one row of any for all.
        contacts: a ContactSet of this robot, or any contacts.
        active: (N, C) booleans, which contacts touch in each row; all of them by default. Forces
            of those that do not are zero.
        friction, wrenches, torque_limits, margin, torque_margin, threads: as for `static_hold`.

    Returns:
        Verdicts, which also know what was asked: forces in world axes, the ground's reaction and
        its ZMP, friction used. Where nothing touches what falls freely holds.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    given = contacts, active, friction, wrenches, torque_limits
    whole, wanted = _threads(threads), _wanted(margin, torque_margin)
    return MotionVerdicts.of(MotionRows.of(robot, (q, v, a), *given, whole), whole, wanted)


def _threads(threads: int) -> int:
    return whole_number(threads, "threads", at_least=1, exact=True, error=ContactError)


def _wanted(margin: bool, torque_margin: bool) -> Wanted:
    return Wanted(boolean(margin, "margin"), boolean(torque_margin, "torque_margin"))
