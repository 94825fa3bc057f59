"""Objects in the JSON form of three.js, the library that draws in the page: plain dicts.

Nothing here knows robots. Identifiers are digests of the content: the same drawing gives the same
bytes, so that saved pages are reproducible and a repeated drawing is recognised.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import umsgpack  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

Object = Mapping[str, Any]  # a scene of one object


class Part(dict[str, Any]):
    """A geometry, a material, …: equal to another one of the same digest, its "uuid"."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self["uuid"])

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Part) and self["uuid"] == other["uuid"])

    def __ne__(self, other: object) -> bool:
        return not self == other


COLORS = ("color", "emissive")  # of a material

_EXTENSION = {  # numpy dtype -> (name in three.js, MessagePack extension of meshcat's decoder)
    "uint16": ("Uint16Array", 0x14),
    "int16": ("Int16Array", 0x13),
    "uint32": ("Uint32Array", 0x16),
    "float32": ("Float32Array", 0x17),
}


def box(x: float, y: float, z: float) -> Part:
    """Full sides [m]."""
    return _identified({"type": "BoxGeometry", "width": x, "height": y, "depth": z})


def sphere(radius: float, segments: int = 32) -> Part:
    """A sphere around the origin."""
    size = {"widthSegments": segments, "heightSegments": segments // 2 + 4}
    return _identified({"type": "SphereGeometry", "radius": radius, **size})


def cylinder(top: float, bottom: float, height: float, segments: int = 40) -> Part:
    """A cylinder or cone along y, its middle at the origin: radii at its ends ±height/2 [m]."""
    return _identified(
        {
            "type": "CylinderGeometry",
            "radiusTop": top,
            "radiusBottom": bottom,
            "height": height,
            "radialSegments": segments,
        }
    )


def mesh(
    vertices: ArrayLike,
    triangles: ArrayLike,
    *,
    normals: ArrayLike | None = None,
    uv: ArrayLike | None = None,
) -> Part:
    """Triangles (m, 3) of indices into vertices (n, 3) [m].

    Args:
        vertices, triangles: as above.
        normals: (n, 3), unit; without them the page computes smooth ones.
        uv: (n, 2), coordinates in a texture.
    """
    corners = np.asarray(triangles)
    attributes = {"position": _attribute(np.asarray(vertices, dtype=np.float32))}
    if normals is not None:
        units = np.rint(np.asarray(normals) * 32767).astype(np.int16)
        attributes["normal"] = _attribute(units, normalized=True)
    if uv is not None:
        attributes["uv"] = _attribute(np.asarray(uv, dtype=np.float32))
    small = len(attributes["position"]["array"].data) // 12 <= 0xFFFF
    index = _attribute(corners.astype(np.uint16 if small else np.uint32).reshape(-1, 1))
    return _identified(
        {"type": "BufferGeometry", "data": {"attributes": attributes, "index": index}}
    )


def material(color: int, opacity: float = 1.0, **properties: object) -> Part:
    """Return a surface that answers to light; `properties` are three.js's own."""
    values: dict[str, object] = {
        "type": "MeshPhongMaterial",
        "color": color,
        "specular": 0x383838,
        "shininess": 22,
        "side": 2,
        "opacity": opacity,
        "transparent": opacity < 1,
        # a transparent surface that wrote depth would hide what is inside it
        "depthWrite": opacity == 1,
    }
    return _identified(values | properties)


def textured(image: str, opacity: float = 1.0) -> Part:
    """Return a surface that shows an image, given as a data: address."""
    picture = _identified({"url": image})
    texture = _identified({"image": picture["uuid"], "wrap": [1000, 1000], "repeat": [1, 1]})
    surface = material(0xFFFFFF, opacity, map=texture["uuid"])
    return Part({**surface, "textures": [texture], "images": [picture]})


def object3d(geometry: Part, surface: Part, **properties: object) -> Object:
    """Return a scene of one object, as the page loads it."""
    scene = {
        "metadata": {"version": 4.5, "type": "Object"},
        "geometries": [geometry],
        "materials": [{k: v for k, v in surface.items() if k not in ("textures", "images")}],
        "object": {
            "type": "Mesh",
            "uuid": _digest([geometry["uuid"], surface["uuid"], properties]),
            "geometry": geometry["uuid"],
            "material": surface["uuid"],
            **properties,
        },
    }
    return scene | {k: surface[k] for k in ("textures", "images") if k in surface}


def faint(thing: Object, opacity: float, color: int | None = None) -> Object:
    """Return an object that one can look through, without shadow, of one colour if given."""
    look: dict[str, Any] = {"opacity": opacity, "transparent": opacity < 1, "depthWrite": False}
    if color is not None:
        look |= {"color": color, "vertexColors": False}
    surfaces = [
        {k: v for k, v in (m | look).items() if color is None or k != "map"}
        for m in thing["materials"]
    ]
    node = thing["object"] | {
        "uuid": _digest([thing["object"]["uuid"], look]),
        "userData": {"shadow": False},
    }
    return {**thing, "materials": surfaces, "object": node}


def recolored(old: Object, new: Object) -> dict[str, int] | None:
    """Return the colours of a new object where nothing else tells it from an old one, else None."""
    if not (old.keys() == new.keys() == {"metadata", "geometries", "materials", "object"}):
        return None
    (before,), (after,) = old["materials"], new["materials"]
    differ = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    if not differ <= {"uuid", *COLORS} or before.keys() != after.keys():
        return None
    a, b = ({**thing["object"], "uuid": "", "material": ""} for thing in (old, new))
    return {key: after[key] for key in COLORS if key in after} if a == b else None


def shared(objects: Sequence[Object]) -> tuple[list[Part], list[Object]]:
    """Return the geometries and images that several objects have in common, and lighter objects.

    These refer to the common parts by {"uuid": …, "shared": True}: see `commands.define`.
    """
    kinds = ("geometries", "images")
    parts = [part for thing in objects for kind in kinds for part in thing.get(kind, ())]
    count = Counter(part["uuid"] for part in parts)
    common = {part["uuid"]: part for part in parts if count[part["uuid"]] > 1}
    light: list[Object] = [
        {
            key: [{"uuid": p["uuid"], "shared": True} if p["uuid"] in common else p for p in value]
            if key in kinds
            else value
            for key, value in thing.items()
        }
        for thing in objects
    ]
    return list(common.values()), light


def _attribute(array: np.ndarray[Any, Any], *, normalized: bool = False) -> dict[str, Any]:
    name, code = _EXTENSION[array.dtype.name]
    data = umsgpack.Ext(code, np.ascontiguousarray(array).tobytes())
    return {"itemSize": array.shape[1], "type": name, "array": data, "normalized": normalized}


def _identified(part: Mapping[str, Any]) -> Part:
    return Part({"uuid": _digest(part), **part})


def _digest(value: object) -> str:
    return hashlib.blake2s(umsgpack.packb(value), digest_size=10).hexdigest()
