"""Verdicts on contacts of every kind at once, anywhere: always an answer that checks out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from footwork import Wrench, contacts, robots
from footwork.contacts import DiscContact, LineContact, PointContact, SurfaceContact, static_hold
from footwork.contacts.equilibrium.certificate import certificate_value, certificate_violation

OBJECTIVES = ["least_norm", "largest_margin", "least_torque", "centred"]


def any_limits(rng, weight):
    """Friction, torsional friction, bounds or a hold both ways, each now and then."""
    limits = {"friction": float(rng.choice([0.1, 0.5, 1.0]))}
    if rng.random() < 0.15:
        limits["bilateral"] = True
    elif rng.random() < 0.4:
        limits["torsional_friction"] = float(rng.choice([0.005, 0.05]))
    if rng.random() < 0.25:
        limits["min_normal"] = float(rng.uniform(0, 0.3) * weight)
    if rng.random() < 0.25:
        limits["max_normal"] = float(rng.uniform(0.4, 1.0) * weight)
    return limits


def any_contact(rng, weight, frame, name):
    """Some patch or point of a link, at any place and slope."""
    limits = any_limits(rng, weight)
    normal = rng.standard_normal(3)
    normal /= np.linalg.norm(normal)
    place = pin.SE3(pin.exp3(rng.standard_normal(3)), 0.2 * rng.standard_normal(3))
    kind = rng.integers(4)
    if kind == 0:
        offset = 0.2 * rng.standard_normal(3)
        return PointContact(frame, normal=normal, offset=offset, name=name, **limits)
    if kind == 1:
        corners = 0.1 * rng.standard_normal((rng.integers(3, 6), 2))
        return SurfaceContact(frame, vertices=corners, placement=place, name=name, **limits)
    if kind == 2:
        return LineContact(frame, half_length=0.1, placement=place, name=name, **limits)
    return DiscContact(frame, radius=0.05, sides=6, placement=place, name=name, **limits)


def any_question(seed):
    """(robot, q, contacts, loads, torque limits)."""
    rng = np.random.default_rng(seed)
    robot = robots.load(str(rng.choice(["biped", "quadruped", "block"])))
    weight, q = 9.81 * robot.mass, robot.posture() if robot.feet else robot.neutral()
    links = [f.name for f in robot.model.frames if f.type == pin.FrameType.BODY]
    touching = []
    if robot.feet:
        feet = contacts.at_feet(robot)
        touching = [replace(f, **any_limits(rng, weight)) for f in feet if rng.random() < 0.8]
    for i in range(rng.integers(0 if touching else 1, 3)):
        touching.append(any_contact(rng, weight, str(rng.choice(links)), f"extra {i}"))
    force, moment = 0.3 * weight * rng.standard_normal(3), 0.05 * weight * rng.standard_normal(3)
    load = {links[0]: Wrench(force, moment)} if rng.random() < 0.6 else None
    limits = [True, False, 0.3 * np.array(robot.torque_limits)][rng.integers(3)]
    return robot, q, touching, load, limits


@pytest.mark.filterwarnings("ignore::footwork.FootworkWarning")
@pytest.mark.parametrize("seed", range(60))
def test_always_an_answer_that_checks_out(seed):
    robot, q, touching, load, limits = any_question(seed)
    hold = static_hold(robot, q, touching, load, limits, objective=OBJECTIVES[seed % 4])
    weight, balance = 9.81 * robot.mass, hold.balance
    assert hold.status in ("feasible", "infeasible", "at the edge")
    margins = np.array(list(hold.contact_margins.values()))
    assert not np.isnan(margins).any()
    if hold.feasible:  # what all can lose at once, each can; what one pulls, all can pull
        assert margins.min() >= hold.margin - 1e-4 * weight
    elif np.isfinite(hold.margin):
        assert margins[balance.limits.presses].max() <= hold.margin + 1e-4 * weight
    assert hold.status in hold.explain() or hold.feasible is not None
    if hold.feasible:
        assert hold.residual < 1e-6 * weight
        assert balance.limits.violation(hold._unknowns) < 1e-5 * weight
        assert (np.abs(hold.torques) <= balance.torque_limits + 1e-5 * weight).all()
    elif hold.feasible is False:
        assert certificate_value(balance, hold.certificate) > 0
        assert certificate_violation(balance, hold.certificate) < 1e-8
        assert hold.reason
