"""Detection of the format of a description: URDF, xacro, MJCF or SDF."""

from __future__ import annotations

from ..errors import ModelError
from .files.hardened_xml import Node, parse
from .mjcf.reader import from_mjcf
from .options import Options, Parts
from .sdf.reader import from_sdf
from .sources import Description
from .urdf.reader import from_urdf
from .xacro.expansion import Xacro, expand, is_xacro


def tree_of(description: Description, choice: bool | Xacro | None) -> Node:
    """Return the elements of a description; those of a xacro file are expanded.

    Raises:
        ModelError: no XML, or a xacro file that cannot be expanded.
    """
    tree = parse(description.data, description.origin)
    if not is_xacro(description.path, choice):
        return tree
    options = choice if isinstance(choice, Xacro) else Xacro()
    return expand(tree, description.folders, options, description.origin)


def read(description: Description, options: Options) -> Parts:
    """Return the model and shapes of a description.

    Raises:
        ModelError: it describes no robot that can be loaded.
    """
    tree = tree_of(description, options.xacro)
    if tree.tag == "mujoco":
        return from_mjcf(tree, description, options)
    if tree.tag == "sdf":
        return from_sdf(tree, description, options)
    if tree.tag == "mujocoinclude":
        raise ModelError(f"{description.origin}: a part of an MJCF model, which another <include>s")
    return from_urdf(tree, description, options)
