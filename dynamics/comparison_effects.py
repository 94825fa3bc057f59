"""Effects of differences between two machines on M(q) and τ_g(q), at common postures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..errors import FootworkError
from ..robots.comparison.alignment import Alignment
from ..robots.comparison.bodies import Body, Machine, model_of
from ..robots.comparison.difference import Change
from ..robots.configuration import rows_q, rows_v
from ..robots.robot import Robot
from .equations import gravity_torques, mass_matrix

_POSTURES = 4  # random ones, beside the neutral one and the robot's own


class Largest(NamedTuple):
    """The largest change of some entries: by how much, and in which joints' rows."""

    value: float = 0.0
    unit: str = ""
    joints: tuple[str, ...] = ()


_NONE = Largest()


@dataclass(frozen=True)
class Effect:
    """The largest changes of M(q) and τ_g over the postures.

    Attributes:
        relative: of M: the largest |ΔM_ij| / √(M_ii M_jj).
        inertia: that entry of ΔM: the force in one row for a unit acceleration in the other.
        moment: of τ_g in rows of joints that turn, and of the base's rotation [N·m].
        force: of τ_g in rows of sliders and of the base's translation [N].
        size: the largest of the changes, each relative to its scale: M's as above, moments and
            forces to the largest of the robot's.
    """

    relative: float = 0.0
    inertia: Largest = _NONE
    moment: Largest = _NONE
    force: Largest = _NONE
    size: float = 0.0


class Motions:
    """Terms of machines that have the same coordinates, at common postures."""

    def __init__(self, bodies: tuple[Body, ...], postures: list[list[Array]]) -> None:
        self.bodies, self.postures = bodies, postures
        rows = [(body, k) for body in bodies[1:] for k in range(body.rows)]
        self.names = ["base" if body.kind == "free" else body.joint for body, _ in rows]
        self.linear = np.array([_is_linear(body, k) for body, k in rows], dtype=bool)
        self._known: dict[int, tuple[Machine, tuple[Array, Array] | None]] = {}

    def terms(self, machine: Machine) -> tuple[Array, Array] | None:
        """Return M (n, nv, nv) and τ_g (n, nv) at the postures; None where there is no tree."""
        if id(machine) not in self._known:
            self._known[id(machine)] = machine, _terms(machine, self.postures)
        return self._known[id(machine)][1]

    def effect(self, change: Change) -> Effect | None:
        """Return the effect of a change; None where one of the machines is no tree."""
        before, after = self.terms(change.before), self.terms(change.after)
        if before is None or after is None:
            return None
        if not len(self.names):
            return Effect()
        diagonals = np.maximum(*(np.diagonal(M, axis1=1, axis2=2) for M, _ in (before, after)))
        scale = np.sqrt(diagonals[:, :, None] * diagonals[:, None, :])
        changes = after[0] - before[0]
        shares = np.abs(changes) / np.where(scale > 0, scale, 1.0)
        worst = np.unravel_index(int(np.argmax(shares)), shares.shape)
        tau = np.abs(after[1] - before[1]).max(axis=0)
        most = np.maximum(np.abs(before[1]), np.abs(after[1])).max(axis=0)
        size = [float(shares[worst])]
        for rows in (self.linear, ~self.linear):
            if most[rows].any():
                size.append(float(tau[rows].max() / most[rows].max()))
        return Effect(
            float(shares[worst]),
            self._inertia(float(abs(changes[worst])), int(worst[1]), int(worst[2])),
            self._largest(tau, ~self.linear, "N·m"),
            self._largest(tau, self.linear, "N"),
            max(size),
        )

    def _inertia(self, value: float, i: int, j: int) -> Largest:
        unit = {0: "kg m²", 1: "kg m", 2: "kg"}[int(self.linear[i]) + int(self.linear[j])]
        return Largest(value, unit, tuple(dict.fromkeys((self.names[i], self.names[j]))))

    def _largest(self, values: Array, rows: Array, unit: str) -> Largest:
        if not rows.any():
            return Largest(0.0, unit)
        k = int(np.argmax(np.where(rows, values, -1.0)))
        return Largest(float(values[k]), unit, (self.names[k],))


def _is_linear(body: Body, row: int) -> bool:
    """Whether a row of a joint is a translation."""
    if body.kind in ("free", "Planar"):
        return row < (3 if body.kind == "free" else 2)
    return body.kind == "slide" or body.kind == "Translation"


def _terms(machine: Machine, postures: list[list[Array]]) -> tuple[Array, Array] | None:
    """Return M (n, nv, nv) and τ_g (n, nv), rows in the order of the bodies."""
    built = model_of(machine)
    if built is None:
        return None
    model, index = built
    robot = Robot("machine", model, ())
    joints = [model.joints[k] for k in index[1:]]
    order = np.arange(robot.nv)
    rows = np.concatenate([order[:0], *(order[rows_v(joint)] for joint in joints)])
    found = []
    for posture in postures:
        q = robot.neutral()
        for joint, values in zip(joints, posture, strict=True):
            q[rows_q(joint)] = values
        M, tau = mass_matrix(robot, q), gravity_torques(robot, q)
        found.append((M[np.ix_(rows, rows)], tau[rows]))
    return np.array([M for M, _ in found]), np.array([tau for _, tau in found])


def coordinates(found: Alignment) -> list[list[Array]]:
    """Return the postures: for each body but the world, the coordinates of its joint."""
    bodies, rng = found.machines[0].bodies[1:], np.random.default_rng(0)
    neutral = [_neutral(body) for body in bodies]
    random = [[_random(body, rng) for body in bodies] for _ in range(_POSTURES)]
    try:
        q = found.a.posture()
    except FootworkError:  # its loops close nowhere, which is no matter here
        return [neutral, *random]
    return [neutral, [_own(found.a, body, q) for body in bodies], *random]


def _neutral(body: Body) -> Array:
    if body.kind in ("hinge", "slide"):
        return np.zeros(1)
    return np.array(pin.neutral(_alone(body)))


def _alone(body: Body) -> Any:
    """Return a `pin.Model` of its joint alone."""
    model = pin.Model()
    model.addJoint(0, body.own, pin.SE3.Identity(), "joint")
    return model


def _own(robot: Robot, body: Body, q: Array) -> Array:
    """Return the coordinates of a joint in a configuration of the robot."""
    joint = robot._model.joints[robot.joint_id(body.joint)]
    own = q[rows_q(joint)]
    return np.array([np.arctan2(own[1], own[0])]) if body.rows == 1 and joint.nq == 2 else own


def _random(body: Body, rng: np.random.Generator) -> Array:
    if body.kind in ("hinge", "slide"):
        low, high = np.where(np.isfinite(body.limits), body.limits, (-np.pi, np.pi))
        return rng.uniform(min(low, high), max(low, high), 1)
    model = _alone(body)
    step = rng.standard_normal(model.nv)
    return np.array(pin.integrate(model, pin.neutral(model), step))
