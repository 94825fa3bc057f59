"""Objective of a repair: how much a motion is changed, in what matters.

    Σ_k ‖e_k/u‖² + ‖ξ̈_k/u_s‖²          e: hands, base, posture, centre of mass;  ξ = q ⊖ q₀

each divided by a unit u, a change of which counts as one, and times its weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...dynamics import batch
from ...dynamics.spatial import rotation_vectors
from ...errors import ConfigurationError, unknown
from ...robots.robot import Robot
from ...robots.values import mapping, number

# what a change is measured by: [m], [rad] for hands and base, [m], [rad or m], [m/s² or rad/s²]
UNITS: dict[str, tuple[float, ...]] = {
    "hands": (0.01, 0.1),
    "base": (0.03, 0.1),
    "com": (0.05,),
    "posture": (0.2,),
    "smooth": (4.0,),
}


class Quadratic(NamedTuple):
    """½ xᵀ H x + gᵀ x of every sample: H (n, nv, nv), g (n, nv)."""

    H: Array
    g: Array


class Objective:
    """How much a motion differs from the one that was given.

    Args:
        robot: whose motion it is.
        q: (n, nq), as given.
        feet: frames that are no hands.
        weights: {name of `UNITS`: factor}, 1 where not given.
    """

    def __init__(
        self, robot: Robot, q: Array, feet: tuple[str, ...], weights: Mapping[str, float]
    ) -> None:
        self.robot, self.q, self.hands = robot, q, hands(robot, feet)
        self.weights = checked_weights(weights)
        self.free = 6 if robot.is_floating else 0
        self._given = [batch.frame_placement(robot, q, name) for name in self.hands]
        self._com = batch.com(robot, q)

    def part(self, rows: slice) -> Objective:
        """Return the same objective for some samples."""
        some = copy(self)
        some.q, some._com = self.q[rows], self._com[rows]
        some._given = [T[rows] for T in self._given]
        return some

    @property
    def smoothness(self) -> float:
        """Weight of a squared acceleration of the change."""
        return self.weights["smooth"] / UNITS["smooth"][0] ** 2

    def change(self, q: Array) -> Array:
        """Return ξ = q ⊖ q₀ (n, nv)."""
        pairs = zip(self.q, q, strict=True)
        return np.array([self.robot.difference(a, b) for a, b in pairs])

    def hand_changes(self, q: Array) -> list[Array]:
        """Return [p − p₀; log R R₀ᵀ] (n, 6) of each hand, world axes."""
        found = []
        for name, given in zip(self.hands, self._given, strict=True):
            T = batch.frame_placement(self.robot, q, name)
            turn = T[:, :3, :3] @ np.swapaxes(given[:, :3, :3], 1, 2)
            found.append(np.hstack([T[:, :3, 3] - given[:, :3, 3], rotation_vectors(turn)]))
        return found

    def com_change(self, q: Array) -> Array:
        """Return c − c₀ (n, 3)."""
        return np.asarray(batch.com(self.robot, q) - self._com)

    def value(self, q: Array, second: Any) -> float:
        """Return the objective; `second` gives ẍ of samples (n, nv)."""
        xi = self.change(q)
        total = float((self._diagonal * xi**2).sum() + self.smoothness * (second(xi) ** 2).sum())
        for errors in self.hand_changes(q):
            total += float((self._pose("hands") * errors**2).sum())
        total += float(self._point("com") * (self.com_change(q) ** 2).sum())
        return 0.5 * total

    def quadratic(self, q: Array) -> Quadratic:
        """Return its Gauss-Newton model in steps x from q, but for the smoothness."""
        nv = self.robot.nv
        H = np.zeros((len(q), nv, nv))
        H[:, np.arange(nv), np.arange(nv)] = self._diagonal
        g = self._diagonal * self.change(q)
        pose = self._pose("hands")
        for name, errors in zip(self.hands, self.hand_changes(q), strict=True):
            J = batch.frame_jacobian(self.robot, q, name)
            _add(H, g, J, errors, pose)
        J_com = batch.com_jacobian(self.robot, q)
        _add(H, g, J_com, self.com_change(q), np.full(3, self._point("com")))
        return Quadratic(H, g)

    @property
    def _diagonal(self) -> Array:
        posture = np.full(self.robot.nv, self._point("posture"))
        if self.free:
            posture[: self.free] = self._pose("base")
        return posture

    def _pose(self, name: str) -> Array:
        place, turn = UNITS[name]
        return self.weights[name] / np.repeat([place, turn], 3) ** 2

    def _point(self, name: str) -> float:
        return self.weights[name] / UNITS[name][0] ** 2


def hands(robot: Robot, feet: tuple[str, ...]) -> tuple[str, ...]:
    """Return the last links of the chains that end in no foot, by the names of their frames."""
    model = robot._model
    carries = set(model.parents[1:])
    standing = {model.frames[robot.frame_id(name)].parentJoint for name in feet}
    ends = [j for j in range(2, model.njoints) if j not in carries and j not in standing]
    found = []
    for joint in ends:
        bodies = [f for f in model.frames if f.parentJoint == joint and f.type.name == "BODY"]
        if bodies and len(model.supports[joint]) > 4:
            found.append(bodies[0].name)
    return tuple(found)


def checked_weights(given: Mapping[str, float] | None) -> dict[str, float]:
    """Return the factors of all `UNITS`, 1 where none is given.

    Raises:
        ConfigurationError: factors of something else, or negative ones.
    """
    weights = dict.fromkeys(UNITS, 1.0)
    for name, value in mapping({} if given is None else given, "weights").items():
        if name not in UNITS:
            raise ConfigurationError(unknown("weight", name, UNITS))
        weights[name] = number(value, f"weights[{name!r}]", at_least=0)
    return weights


def _add(H: Array, g: Array, J: Array, errors: Array, weights: Array) -> None:
    """Add ½ Σ w (e + J x)²."""
    weighted = np.swapaxes(J, 1, 2) * weights
    H += weighted @ J
    g += (weighted @ errors[:, :, None])[:, :, 0]
