"""Camera placement such that the whole scene is in the picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from . import commands
from .store import Entry

VIEW = np.array([1.0, -0.72, 0.34])  # from the target to the eye: before the robot, to its right
MARGIN = 1.18  # the picture is so much larger than what must be in it


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera: from eye (3,) to target (3,) [m], vertical field of view [degrees], z up.

    In a window narrower than `aspect` (width / height) the page looks from farther away. `beside`,
    in half heights of the picture, is how far the target lies left of the middle of what is seen;
    the page gives this room up where the window is too narrow for both.
    """

    eye: Array
    target: Array
    field_of_view: float = 30.0
    aspect: float = 0.0
    beside: float = 0.0

    def command(self) -> Entry:
        """Return the command that puts the page's camera there."""
        return commands.camera(self.eye, self.target, self.field_of_view, self.aspect, self.beside)

    def axes(self) -> Array:
        """Return the rows right, up, backward (3, 3) of the camera, in world axes."""
        backward = self.eye - self.target
        backward = backward / np.linalg.norm(backward)
        right = np.cross([0.0, 0.0, 1.0], backward)
        if np.linalg.norm(right) < 1e-9:  # from straight above or below
            right = np.array([0.0, -1.0, 0.0])
        right = right / np.linalg.norm(right)
        return np.array([right, np.cross(backward, right), backward])

    def project(self, points: Array, width: int, height: int) -> Array:
        """Return the pixels (k, 2), x to the right and y down, where points (k, 3) appear.

        Points behind the camera become nan.
        """
        seen = (np.atleast_2d(points) - self.eye) @ self.axes().T
        depth = np.where(seen[:, 2] < 0, -seen[:, 2], np.nan)
        focal = height / 2 / np.tan(np.radians(self.field_of_view) / 2)
        return np.column_stack(
            (width / 2 + focal * seen[:, 0] / depth, height / 2 - focal * seen[:, 1] / depth)
        )


def default_camera(
    points: Array, aspect: float, field_of_view: float = 30.0, view: Array = VIEW, left: float = 0.0
) -> Camera:
    """Return a camera that has points (k, 3) amid a picture of width/height `aspect`.

    It looks from the direction `view` (3,); the share `left` of the picture's width stays free on
    its left side.
    """
    target = (points.min(axis=0) + points.max(axis=0)) / 2
    camera = Camera(target + view, target, field_of_view)
    aspect = (1 - left) * aspect
    right, up, backward = camera.axes()
    tangent = np.tan(np.radians(field_of_view) / 2) / MARGIN
    distance = 1.0
    for _ in range(8):  # near points weigh more than far ones: the middle moves with the distance
        relative = points - target
        x, y, z = relative @ right, relative @ up, relative @ backward
        distance = float(
            max(np.max(np.abs(x) / (tangent * aspect) + z), np.max(np.abs(y) / tangent + z), 1e-3)
        )
        depth = distance - z
        for axis, values in ((right, x / depth), (up, y / depth)):
            target = target + axis * (values.min() + values.max()) / 2 * distance
    relative = points - target
    width = np.max(np.abs(relative @ right) / (distance - relative @ backward)) / tangent
    beside = left / (1 - left) * aspect
    target = target - right * beside * tangent * MARGIN * distance
    return Camera(target + distance * backward, target, field_of_view, float(width), beside)
