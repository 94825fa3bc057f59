"""Contacts along a flat patch of a link: rectangles and polygons, discs, lines."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ContactError
from ..options import names_checked
from ..robots.values import FARTHEST, array, length, one_of, placement, whole_number
from .cones.friction_cone import Friction, circle
from .contact import Contact
from .geometry.polygon import SQUARE, centroid


@dataclass(frozen=True, eq=False, repr=False)
class PlacedContact(Contact):
    """A contact whose corners are fixed in the x-y plane of a placed frame of a link.

    +z is the normal from the ground into the robot. What it transmits is exact: Coulomb's cone at
    every corner. It has the attributes of `Contact`, too.

    Attributes:
        friction: as for `Contact`, without a default.
        placement: T_frame_patch (`pin.SE3`), identity when the frame itself lies in the sole.
    """

    friction: Friction = field(kw_only=True)
    placement: Any = field(default_factory=pin.SE3.Identity, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        checked = placement(self.placement, "placement", "T_frame_patch", error=ContactError)
        object.__setattr__(self, "placement", checked)
        _ = self.corners  # refuses impossible patches where they enter

    @property
    def torsion(self) -> float:
        """γ [m]: inf where only the forces at the corners limit the moment."""
        return np.inf if self.torsional_friction is None else self.torsional_friction

    @property
    @abstractmethod
    def corners(self) -> Array:
        """(k, 2), in the x-y plane of the placed frame [m]."""

    @cached_property
    def centre(self) -> Array:
        """(3,), centroid of the patch in the placed frame [m]."""
        return np.append(centroid(self.corners), 0.0)

    @cached_property
    def points(self) -> Array:
        """(k, 3), the corners in contact axes, from the centre [m]."""
        found = np.column_stack([self.corners, np.zeros(len(self.corners))]) - self.centre
        found.setflags(write=False)
        return found

    @cached_property
    def centre_in_frame(self) -> Array:
        """(3,), centroid of the patch in the axes of the frame [m]."""
        return np.array(self.placement.act(self.centre))

    @property
    def axes_in_frame(self) -> Array:
        """(3, 3), those of the placed frame."""
        return np.array(self.placement.rotation)

    @property
    def angular_rows(self) -> Array:
        """(3, 3), all of ω."""
        return np.eye(3)


@names_checked
@dataclass(frozen=True, eq=False, repr=False)
class SurfaceContact(PlacedContact):
    """A flat convex patch of the robot that lies on the world: a sole.

    A rectangle by its half sizes, or any convex polygon by its vertices, in the x-y plane of its
    placed frame, +z from the ground into the robot; else as `PlacedContact`.

    Attributes:
        half_length, half_width: of a rectangle along x and y of the placed frame [m].
        vertices: (k, 2), k ≥ 3, in the placed frame [m]: the patch is their convex hull, its centre
            the hull's centroid. Instead of the half sizes.
    """

    half_length: float | None = field(default=None, kw_only=True)
    half_width: float | None = field(default=None, kw_only=True)
    vertices: ArrayLike | None = field(default=None, kw_only=True)

    @cached_property
    def corners(self) -> Array:
        """(k, 2), in the x-y plane of the placed frame, in the order of `vertices` [m]."""
        sizes = {"half_length": self.half_length, "half_width": self.half_width}
        missing = [size is None for size in sizes.values()]
        if missing != [self.vertices is not None] * 2:
            raise ContactError(
                f"SurfaceContact({self.frame!r}): got half_length={self.half_length}, "
                f"half_width={self.half_width}, "
                f"vertices={'None' if self.vertices is None else 'given'}; expected both half "
                "sizes or the vertices"
            )
        if self.vertices is not None:
            return _polygon(self.vertices)
        half = [length(size, name, error=ContactError) for name, size in sizes.items()]
        corners: Array = SQUARE * np.array(half)
        corners.setflags(write=False)
        return corners


@names_checked
@dataclass(frozen=True, eq=False, repr=False)
class DiscContact(PlacedContact):
    """A round sole, as a regular polygon on a stated side of it.

    In the x-y plane of its placed frame, +z from the ground into the robot; else as
    `PlacedContact`.

    Attributes:
        radius: of the disc [m].
        kind: "inner", corners on the circle: what holds, holds on the disc; or "outer", sides that
            touch it: what does not hold, does not hold on the disc.
        sides: of the polygon, at least 3.
    """

    radius: float = field(kw_only=True)
    kind: Literal["inner", "outer"] = field(default="inner", kw_only=True)
    sides: int = field(default=16, kw_only=True)

    @cached_property
    def corners(self) -> Array:
        """(sides, 2), in the x-y plane of the placed frame [m]."""
        radius = length(self.radius, "radius", error=ContactError)
        one_of(self.kind, "kind", ("inner", "outer"), error=ContactError)
        sides = whole_number(self.sides, "sides", at_least=3, error=ContactError)
        return radius * circle(sides, self.kind)


@names_checked
@dataclass(frozen=True, eq=False, repr=False)
class LineContact(PlacedContact):
    """An edge that lies on the ground: along x of the placed frame, free to turn about itself.

    Five rows: the velocity of its middle (world axes), then the angular velocities about y and z of
    the placed frame; it transmits a force and the moments about these two.

    +z of the placed frame is from the ground into the robot; else it is as `PlacedContact`.

    Attributes:
        half_length: along x of the placed frame [m].
    """

    half_length: float = field(kw_only=True)

    @cached_property
    def corners(self) -> Array:
        """(2, 2), the ends, in the x-y plane of the placed frame [m]."""
        half = length(self.half_length, "half_length", error=ContactError)
        return np.array([[half, 0.0], [-half, 0.0]])

    @property
    def angular_rows(self) -> Array:
        """(0, 3): those that there are turn with the body."""
        return np.zeros((0, 3))

    @property
    def turning_axes(self) -> tuple[int, ...]:
        """Its y and z."""
        return (1, 2)


def with_corners(contact: PlacedContact, corners: ArrayLike) -> SurfaceContact:
    """Return the part of a patch with these corners (k, 2), in its axes from its centre [m]."""
    kept = {each.name: getattr(contact, each.name) for each in fields(PlacedContact)}
    return SurfaceContact(**kept, vertices=np.asarray(corners) + contact.centre[:2])


def _polygon(vertices: ArrayLike) -> Array:
    """Return vertices (k, 2) after checking that they span an area.

    Their order is kept. Points inside the hull or on its edges are allowed: they change nothing.
    """
    points = array(vertices, "vertices", error=ContactError, largest=FARTHEST, frozen=True)
    if points.ndim == 2 and points.shape[1] == 3 and not points[:, 2].any():
        points = points[:, :2]
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise ContactError(
            f"vertices: got shape {points.shape}, expected (k, 2) with k ≥ 3, in the x-y plane of "
            f"the placed frame"
        )
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[-1] <= 1e-9 * max(spread[0], 1e-9):
        raise ContactError("vertices: got points on one line, expected a polygon with an area")
    return points
