"""Scenarios written out: contacts with their places, and the start of a posture that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ... import dynamics
from ...arrays import Array
from ...contacts.contact import Contact
from ...contacts.postures.posture import Posture
from ...contacts.scenario.parts import ScenarioContact, Start
from ...contacts.scenario.scenario import Scenario
from ...robots import Robot

UP = np.array([0.0, 0.0, 1.0])
SEEN = 1e-4  # of a miss: at the edge of what is in reach it is as small as one likes [m or rad]


def name_of(part: ScenarioContact) -> str:
    """Return what a contact is called."""
    return part.name or part.foot or part.frame


def contact_of(part: ScenarioContact, robot: Robot, normal: Array = UP) -> Contact:
    """Return the contact of a robot that it describes, whole, whatever it lies on."""
    return part.contact(robot, 0.0, normal)


def written_out(
    part: ScenarioContact, name: str, robot: Robot, scenario: Scenario
) -> ScenarioContact:
    """Return the contact with name, surface, place and heading written out: the same wherever the
    robot starts."""
    contact = contact_of(part, robot)
    start = contact.pose(robot, scenario.q0)
    face, point = part.face(scenario.ground, start)
    named = part if name_of(part) == name else replace(part, name=name)
    T = part.pose_on(face, point, start)
    return laid(named, contact, face, T, scenario)


def laid(
    part: ScenarioContact, contact: Contact, face: Any, T: Any, scenario: Scenario
) -> ScenarioContact:
    """Return the contact written down on a face at T_world_contact."""
    solids = scenario.ground.solids
    surface = next(s.name for s in solids if any(f.name == face.name for f in s.faces))
    heading = None if contact.dim < 5 else tuple(T.rotation[:, 0].tolist())
    at = tuple(T.translation.tolist())
    return replace(part, surface=surface, at=at, heading=heading)


def at_rest(scenario: Scenario, posture: Posture) -> Scenario:
    """Return the scenario that starts in this posture, which is known to be its answer.

    A centre of mass that should be "inside" is kept where it was found.
    """
    if scenario.com == "inside" and posture.converged:
        found = dynamics.com(scenario.machine, posture.q)[:2]
        scenario = scenario.replaced(com=tuple(found.tolist()))
    start = Start.of(scenario.machine, posture.q, scenario.posture)
    rests = scenario.replaced(start=start)
    vars(rests)["solved"] = posture
    vars(rests)["touching"] = posture.contacts, dict(posture.targets)
    return rests


def why_not(posture: Posture, names: Mapping[str, str] | None = None) -> str:
    """Return in a few words why no posture touches, "" if one does.

    `names`: {what the inverse kinematics calls it: what people do}.
    """
    missed = posture.missed
    if missed is None:
        return posture.reason
    what = (names or {}).get(missed.part, missed.what)
    by = f"{missed.error:.2g}" if missed.error > SEEN else f"less than {SEEN:g}"
    words = f"out of reach: {what} misses its target by {by} {missed.unit}"
    if not missed.joints:
        return words
    more = ", …" if len(missed.joints) > 2 else ""
    return f"{words}; held back by the limits of {', '.join(missed.joints[:2])}{more}"
