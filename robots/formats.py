"""Detection of the format of a description: URDF, xacro or MJCF; SDF is refused."""

from __future__ import annotations

from ..errors import ModelError
from .hardened_xml import parse
from .mjcf import from_mjcf
from .options import Options, Parts
from .sources import Description
from .urdf import from_urdf
from .xacro import expand, needs_expansion


def read(description: Description, options: Options) -> Parts:
    """Return the model and shapes of a description.

    Raises:
        ModelError: it describes no robot that can be loaded.
    """
    tree = parse(description.data, description.origin)
    if tree.tag == "mujoco":
        return from_mjcf(tree, description, options)
    if tree.tag == "sdf":
        raise ModelError(
            f"{description.origin}: SDF is not supported. Convert it to URDF, for example with "
            "`gz sdf` and ros2's sdformat_urdf, or load the URDF that it was made from"
        )
    if description.path is not None and needs_expansion(tree, description.path):
        tree = expand(description.path, description.origin)
    return from_urdf(tree, description, options)
