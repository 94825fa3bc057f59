"""load(): a description becomes a Robot."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pinocchio as pin

from .robot import BASE_JOINT, Robot

_FIRST = {
    "talos": ("talos_data/robots/talos_reduced.urdf", "talos_data/srdf/talos.srdf"),
    "solo12": ("solo_description/robots/solo12.urdf", "solo_description/srdf/solo.srdf"),
    "anymal": (
        "anymal_b_simple_description/robots/anymal.urdf",
        "anymal_b_simple_description/srdf/anymal.srdf",
    ),
}


def load(source: str, *, base: str = "floating") -> Robot:
    files = importlib.metadata.distribution("example-robot-data").files or []
    root = Path(str(next(f for f in files if f.name == "package.xml").locate())).parent
    urdf, srdf = (root / "robots" / p for p in _FIRST[source])
    text = urdf.read_text()
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer(), BASE_JOINT)
    model.name = source
    visual = pin.buildGeomFromUrdfString(model, text, pin.GeometryType.VISUAL, [str(root.parent)])
    collision = pin.buildGeomFromUrdfString(
        model, text, pin.GeometryType.COLLISION, [str(root.parent)]
    )
    pin.loadReferenceConfigurationsFromXML(model, srdf.read_text(), False)
    postures = {e.key(): e.data() for e in model.referenceConfigurations}
    return Robot(source, model, visual, collision, tuple(model.names)[2:], postures, {}, str(urdf))
