"""Soles on the edges of a terrain: places that touch as corners do, and come and go.

The velocity of a place on a sole is that of its corners with the weights that give it, and so a
force there is worth as much as its shares at the corners: Σ_i w_i f at p_i has the moment of f at
Σ_i w_i p_i. Impulses are told that way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...contacts import ContactSet, Terrain
from ...contacts.attachment import placement_on_joint
from ...contacts.geometry.polygon import Fans, barycentric, convex_hull
from ...contacts.terrain.edges import Outline, under

_BARE = 1e-6  # what lies so far before an edge is in no solid [m]


class Touching(NamedTuple):
    """What touches the ground, or nearly: points of contacts, and edges under soles.

    Attributes:
        gaps: (m,), to the ground [m].
        normals: (m, 3), world axes: of the ground, or of the soles on edges.
        places: (m, 3), on the robot [m].
        owner: (m,), the point; of edges, one of the same sole.
        names: (m,), the same ones from step to step: points, then edges' ends by soles.
        shares: (m, K), of a force there at the points of contacts.
    """

    gaps: Array
    normals: Array
    places: Array
    owner: Index
    names: Index
    shares: Array

    def with_(self, other: Touching) -> Touching:
        """Return both, this first."""
        return Touching._make(map(np.concatenate, zip(self, other, strict=True)))


class _Sole(NamedTuple):
    """A sole: its joint, its corners, its pose (4, 4) in the joint's axes, and its outline."""

    joint: int
    points: Index
    placement: Array
    fans: Fans
    outline: Outline


class SoleEdges:
    """The flat soles among contacts, and the edges of a terrain.

    Args:
        contacts: of a robot.
        terrain: anything with `edges` and `signed_distance`.
    """

    def __init__(self, contacts: ContactSet, terrain: Terrain) -> None:
        self.terrain, self.soles = terrain, []
        self._count = len(contacts.limits.owner)
        for i, contact in enumerate(contacts):
            corners = convex_hull(contact.points[:, :2])
            if contact.axes_in_frame is None or len(corners) < 3 or contact.bilateral:
                continue
            joint, T = placement_on_joint(contacts.robot, contact)
            own = np.flatnonzero(contacts.limits.owner == i)
            apart = np.linalg.norm(corners[:, None] - contact.points[:, :2], axis=2)
            self.soles.append(
                _Sole(joint, own[apart.argmin(axis=1)], T.homogeneous, Fans.of(corners),
                      Outline.of(corners))
            )  # fmt: skip

    def find(self, placements: Array, reach: float) -> Touching | None:
        """Return the edges under soles, within `reach` [m], or None where there are none.

        Args:
            placements: (njoints, 3, 4), T_world_joint of all joints.
            reach: as above [m].
        """
        if len(self.terrain.edges.ends) == 0:
            return None
        found: Touching | None = None
        for i, sole in enumerate(self.soles):
            more = self._on(i, sole, placements[sole.joint] @ sole.placement, reach)
            if more is not None:
                found = more if found is None else found.with_(more)
        return found

    def _on(self, number: int, sole: _Sole, T: Array, reach: float) -> Touching | None:
        """The same of one sole at T_world_sole (3, 4)."""
        edges, R, p = self.terrain.edges, T[:, :3], T[:, 3]
        local, ends = under(edges, T, sole.outline, reach)
        if len(local) == 0:
            return None
        bare = self.terrain.signed_distance(local @ R.T + p + _BARE * R[:, 2]) > 0
        local, ends = local[bare], ends[bare]
        if len(local) == 0:
            return None
        shares = np.zeros((len(local), self._count))
        shares[:, sole.points] = barycentric(sole.fans, local[:, :2])
        places = local * [1.0, 1.0, 0.0] @ R.T + p
        normals = np.broadcast_to(R[:, 2], local.shape)
        names = self._count + number * edges.ends[:, :, 0].size + ends
        owner = np.full(len(local), sole.points[0])
        return Touching(-local[:, 2], normals, places, owner, names, shares)
