"""Soles that roll: legs without an ankle roll stand and walk on the middle lines of their soles.

With both soles flat such legs cannot move the hips to the side, and a swing foot cannot be laid
flat beside its place. Held along a line alone it rolls over its edges by the little that it takes.
The rows J of two flat soles depend on each other then: with noise in v, no a has J a = −J̇v.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pinocchio as pin
import scipy

from ...arrays import Array
from ...contacts import ContactSet, LineContact, SurfaceContact
from ...contacts.surface_contact import PlacedContact
from ...dynamics import State
from ...errors import ContactError, warn

# [rad], by about which joints are perturbed: straight knees have fewer motions
_PERTURBATION = 0.1
_TURNS = 1e-3  # how far a unit motion of the joints turns a sole about an axis that is free


def rolling(contacts: ContactSet, q: Array, *, steps: bool = True) -> ContactSet:
    """Return the contacts, with a line in the place of each sole that its leg cannot turn about one
    axis in the sole's plane.

    Joint motions N that keep the middle of a sole where it is, J_v N = 0, and the robot's closures
    closed, turn it by ω = J_ω N. Where these span a plane, its normal is the axis that is not free.
    Where there are none although the joints do turn it, as with three hinges, no step can lay it
    flat: a warning says so, where the robot takes `steps`.

    Raises:
        ContactError: no contacts.
    """
    robot = contacts.robot
    if not contacts:
        raise ContactError(f"contacts: got none of {robot.name!r}, expected its feet")
    perturbed = np.zeros(robot.nv)
    joints = slice(6 if robot.is_floating else 0, None)
    perturbed[joints] = _PERTURBATION * np.random.default_rng(0).standard_normal(robot.nv)[joints]
    state = State(robot, robot.close(robot.integrate(q, perturbed)))
    lines = {}
    for contact in contacts:
        if isinstance(contact, SurfaceContact):
            held = _held_axis(contacts, contact, state, steps)
            if held is not None and np.linalg.norm(held[:2]) > abs(held[2]):
                lines[contact.name] = _line(contact, int(abs(held[1]) > abs(held[0])))
    if not lines:
        return contacts
    return ContactSet(robot, [lines.get(contact.name, contact) for contact in contacts])


def _held_axis(
    contacts: ContactSet, sole: SurfaceContact, state: State, steps: bool
) -> Array | None:
    """The axis (3,) that its leg cannot turn a sole about, in the sole's axes; None where it can
    about all, or about one alone."""
    joints = slice(6 if state.robot.is_floating else 0, None)
    J = contacts.jacobian(state)[contacts.rows(sole.name), joints]
    if state.robot.closures:
        J = J @ scipy.linalg.null_space(state.closure_jacobian[:, joints], rcond=1e-6)
    turns = sole.pose(state).rotation.T @ J[3:] @ scipy.linalg.null_space(J[:3], rcond=1e-6)
    axes, sizes, _ = np.linalg.svd(turns)
    free = int((sizes > _TURNS).sum())
    if steps and free == 0 and np.linalg.norm(J[3:]) > _TURNS:
        warn(
            f"contacts: {sole.name!r} is a sole that its leg cannot turn without moving it, and "
            "steps cannot lay it flat; expected a PointContact there"
        )
    return np.array(axes[:, 2]) if free == 2 else None


def _line(sole: SurfaceContact, axis: int) -> LineContact:
    """The line through the middle of a sole, along its x or y, from edge to edge."""
    kept = {each.name: getattr(sole, each.name) for each in fields(PlacedContact)}
    low, high = sole.corners.min(axis=0), sole.corners.max(axis=0)
    placement = sole.placement * pin.SE3(np.eye(3), np.append(0.5 * (low + high), 0.0))
    if axis == 1:
        placement = placement * pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, 0.5 * np.pi), np.zeros(3))
        if isinstance(sole.friction, tuple):
            kept["friction"] = sole.friction[::-1]
    kept["placement"] = placement
    return LineContact(**kept, half_length=0.5 * float(high[axis] - low[axis]))
