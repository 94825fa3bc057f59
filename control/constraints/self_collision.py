"""Self-collision: links keep a distance, of their collision shapes with meshes as convex hulls.

Of the nearest points of two shapes and the direction n from the first to the second,

    h = nᵀ(p₂ − p₁) − clearance,    ḣ = nᵀ(J₂ − J₁) v,    ḧ ≈ nᵀ(J₂ − J₁) a + nᵀ(J̇₂ − J̇₁) v

ḣ is exact where the distance is smooth: nearest points glide along the shapes, but across n. ḧ
leaves out how n turns, which for two points is ‖ṙ‖² / ρ ≥ 0 across n, so that this is on the safe
side but for faces that turn. Pairs of links are those of `contacts.self_collisions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...arrays import Array
from ...contacts.postures.self_collision import (
    NearPair,
    along_normals,
    candidate_pairs,
    pair_points,
)
from ...dynamics import State
from ...dynamics.topology import carried_by
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import number, whole_number
from .constraint import Barrier, Inequalities, Tick


@names_checked
@dataclass(eq=False)
class SelfCollisionConstraint(Barrier):
    """Links that are no neighbours keep a distance.

    Attributes:
        clearance: that links keep [m]; at most half of what a pair has in the posture to stand in.
        ahead: distance beyond the clearance from which on a pair is considered [m].
        pairs: how many, the nearest ones.

    Raises:
        ContactError: a robot without collision shapes.
    """

    clearance: float = 0.02
    ahead: float = field(default=0.1, kw_only=True)
    pairs: int = field(default=8, kw_only=True)

    def _default_name(self) -> str:
        return "self-collision"

    def _check(self) -> None:
        super()._check()
        number(self.clearance, f"clearance of {self.name!r}", at_least=0, unit="[m]")
        number(self.ahead, f"ahead of {self.name!r}", above=0, unit="[m]")
        whole_number(self.pairs, f"pairs of {self.name!r}", at_least=1)

    def bind(self, robot: Robot) -> int:
        """Prepare the shapes."""
        self._check()
        candidate_pairs(robot, self.clearance)
        self._near = list[NearPair]()
        return self.pairs

    def nearest(self, state: State) -> list[NearPair]:
        """Return the pairs nearest to their clearance, the nearest first."""
        candidates = candidate_pairs(state.robot, self.clearance)
        return candidates.near(state.robot, state.q, self.clearance, self.ahead, self.pairs)

    def value(self, state: State) -> Array:
        """Return distance − clearance (k,) of the nearest pairs [m]."""
        return _gaps(self.nearest(state))

    def jacobian(self, state: State) -> Array:
        """Return nᵀ(J₂ − J₁) (k, nv)."""
        return _jacobian(state, self.nearest(state))

    def drift(self, state: State) -> Array:
        """Return nᵀ(J̇₂ − J̇₁) v (k,)."""
        return _drift(state, self.nearest(state))

    def rows(self, state: State, t: float, before: Tick | None) -> Inequalities:
        """Return the rows of the nearest pairs, looked for once; the others ask for nothing."""
        self._near = near = self.nearest(state)
        L, least = np.zeros((self.pairs, state.robot.nv)), np.full(self.pairs, -np.inf)
        if k := len(near):
            L[:k] = J = _jacobian(state, near)
            least[:k] = self.bound(_gaps(near), J @ state.velocity, _drift(state, near))
        return Inequalities(L, least)

    def label(self, row: int) -> str:
        """Return "self-collision of <link> and <link>"."""
        if row >= len(self._near):
            return self.name
        return f"{self.name} of " + " and ".join(self._near[row].links)


def _gaps(near: list[NearPair]) -> Array:
    return np.array([pair.distance - pair.keep for pair in near])


def _jacobian(state: State, near: list[NearPair]) -> Array:
    carried, T = carried_by(state.robot), state.joint_placements
    J = pair_points(state, near).jacobians(state.joint_columns, T, carried)
    return along_normals(near, J[:, :3])


def _drift(state: State, near: list[NearPair]) -> Array:
    a = pair_points(state, near).accelerations(state.joint_placements, state.joint_motions)
    return along_normals(near, a[:, 0])
