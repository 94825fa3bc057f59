"""Collada (.dae) meshes with their own colours, normals and textures.

Pinocchio's mesh of such a file has its shape alone, and of some files with several materials not
even that: triangles that join vertices of different parts. Read here is what robot descriptions
use: nodes with transforms, triangles and polygons, plain and textured materials; anything else
raises `Unsupported`, and the caller falls back on the shape. As in Pinocchio, <unit> is
ignored (`diagnose` warns), and <up_axis> is another file's question (`upright.py`).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

import defusedxml.ElementTree  # type: ignore[import-untyped]
import numpy as np
from defusedxml import DefusedXmlException
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...robots.files.packages import Folders

Index = NDArray[np.int64]

MAX_TEXTURE = 8_000_000  # bytes
MAX_NODES = 10_000  # that a scene may come to when its instances are put in place
_IMAGES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}  # first bytes -> type


class Unsupported(Exception):
    """A file, or a feature of it, that this reader does not know."""


@dataclass(frozen=True)
class Surface:
    """A material: a colour (r, g, b) in 0…1 and an image as a data: address, either may be None."""

    color: tuple[float, float, float] | None = None
    image: str | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """Triangles of one material: (m, 3) indices into vertices (n, 3), normals (n, 3), uv (n, 2)."""

    surface: Surface
    vertices: Array
    triangles: Index
    normals: Array | None
    uv: Array | None


def read(path: Path, scale: ArrayLike = (1.0, 1.0, 1.0)) -> list[Part]:
    """Return the parts of a file, in the file's own units and axes times a scale (3,).

    Raises:
        Unsupported: the file cannot be read, or uses a feature that this reader lacks.
    """
    try:
        root = defusedxml.ElementTree.fromstring(path.read_bytes())
        return list(_Document(root, path.parent).parts(np.diag([*np.ravel(scale), 1.0])))
    except (Unsupported, OSError, ParseError, DefusedXmlException, RecursionError) as error:
        raise Unsupported(f"{path.name}: {error}") from error
    except (KeyError, ValueError, IndexError, AttributeError, TypeError) as error:
        raise Unsupported(f"{path.name}: {type(error).__name__} {error}") from error


class _Document:
    def __init__(self, root: Element, folder: Path) -> None:
        self.folder = folder
        self.by_id = {e.get("id", ""): e for e in root.iter() if e.get("id")}
        self.root = root
        self._sources: dict[str, Array] = {}
        self._nodes = 0

    def link(self, address: str | None) -> Element:
        return self.by_id[unquote(address or "").removeprefix("#")]

    def parts(self, matrix: Array) -> Iterator[Part]:
        scene = _one(self.root, "scene/instance_visual_scene")
        for node in self.link(scene.get("url")).findall("{*}node"):
            yield from self.node(node, matrix)

    def node(self, node: Element, parent: Array) -> Iterator[Part]:
        self._nodes += 1
        if self._nodes > MAX_NODES:  # nodes that each instantiate the next one twice
            raise Unsupported(f"more than {MAX_NODES} nodes")
        matrix = parent
        for child in node:
            tag = _tag(child)
            if tag in _TRANSFORMS:
                matrix = matrix @ _TRANSFORMS[tag](_floats(child))
            elif tag in ("lookat", "skew", "instance_controller"):
                raise Unsupported(f"<{tag}>")
            elif tag == "node":
                yield from self.node(child, matrix)
            elif tag == "instance_node":
                yield from self.node(self.link(child.get("url")), matrix)
            elif tag == "instance_geometry":
                yield from self.geometry(child, matrix)

    def geometry(self, instance: Element, matrix: Array) -> Iterator[Part]:
        materials = {
            bound.get("symbol"): bound.get("target")
            for bound in instance.iter()
            if bound.get("symbol")
        }
        mesh = _one(self.link(instance.get("url")), "mesh")
        for primitive in mesh:
            if _tag(primitive) in ("triangles", "polylist", "polygons"):
                target = materials.get(primitive.get("material"))
                surface = self.surface(self.link(target)) if target else Surface()
                part = self.primitive(primitive, surface, matrix)
                if part is not None:
                    yield part
            elif _tag(primitive) in ("tristrips", "trifans"):
                raise Unsupported(f"<{_tag(primitive)}>")

    # --- triangles -------------------------------------------------------------------------

    def primitive(self, element: Element, surface: Surface, matrix: Array) -> Part | None:
        sources, stride = self.inputs(element)
        corners = _corners(element, stride)
        if len(corners) == 0:
            return None
        if corners.min() < 0:
            raise Unsupported(f"<{_tag(element)}> with a negative index")
        used = [offset for offset, _ in sources.values()]
        rows, index = np.unique(corners[:, used], axis=0, return_inverse=True)
        arrays = {kind: source[rows[:, k]] for k, (kind, (_, source)) in enumerate(sources.items())}
        linear = matrix[:3, :3]
        triangles = index.reshape(-1, 3)
        if np.linalg.det(linear) < 0:
            triangles = triangles[:, ::-1]
        normals = arrays.get("NORMAL")
        if normals is not None:
            normals = normals[:, :3] @ np.linalg.inv(linear)
            size = np.linalg.norm(normals, axis=1, keepdims=True)
            normals = np.where(size > 0, normals / np.where(size > 0, size, 1), [0.0, 0.0, 1.0])
        uv = arrays["TEXCOORD"][:, :2] if surface.image and "TEXCOORD" in arrays else None
        vertices = arrays["POSITION"][:, :3] @ linear.T + matrix[:3, 3]
        if not np.isfinite(vertices).all():
            raise Unsupported("vertices that are not finite")
        return Part(surface, vertices, triangles, normals, uv)

    def inputs(self, element: Element) -> tuple[dict[str, tuple[int, Array]], int]:
        """Return {semantic: (offset, values)} and the number of indices a corner has."""
        found: dict[str, tuple[int, Array]] = {}
        stride = 1
        for entry in element.findall("{*}input"):
            offset = int(entry.get("offset", "0"))
            stride = max(stride, offset + 1)
            source, kind = self.link(entry.get("source")), entry.get("semantic", "")
            if kind == "VERTEX":
                for inner in source.findall("{*}input"):
                    values = self.source(inner.get("source"))
                    found.setdefault(inner.get("semantic", ""), (offset, values))
            elif kind in ("NORMAL", "TEXCOORD"):
                found.setdefault(kind, (offset, self.source(entry.get("source"))))
        return {k: v for k, v in found.items() if k in ("POSITION", "NORMAL", "TEXCOORD")}, stride

    def source(self, address: str | None) -> Array:
        name = str(address)
        if name not in self._sources:
            element = self.link(address)
            accessor = _one(element, "technique_common/accessor")
            values = _floats(_one(element, "float_array"))
            self._sources[name] = values.reshape(-1, int(accessor.get("stride", "1")))
        return self._sources[name]

    # --- materials -------------------------------------------------------------------------

    def surface(self, material: Element) -> Surface:
        effect = self.link(_one(material, "instance_effect").get("url"))
        diffuse = next(effect.iter(_namespace(effect) + "diffuse"), None)
        if diffuse is None:
            return Surface()
        texture = diffuse.find("{*}texture")
        if texture is not None:
            return Surface(image=self.image(effect, texture.get("texture", "")))
        red, green, blue = np.clip(_floats(_one(diffuse, "color"))[:3], 0, 1).tolist()
        return Surface(color=(red, green, blue))

    def image(self, effect: Element, name: str) -> str | None:
        parameters = {e.get("sid"): e for e in effect.iter(_namespace(effect) + "newparam")}
        for kind in ("sampler2D/{*}source", "surface/{*}init_from"):
            if name in parameters and (found := parameters[name].find("{*}" + kind)) is not None:
                name = (found.text or "").strip()
        element = self.by_id.get(name)
        file = None if element is None else element.find("{*}init_from")
        return None if file is None else _data_address(self.folder, (file.text or "").strip())


def _corners(element: Element, stride: int) -> Index:
    """Return the corners of the triangles, (3 m, stride) indices; polygons are cut into fans."""
    lists = [_integers(p) for p in element.findall("{*}p")]
    indices = np.concatenate(lists or [np.zeros(0, dtype=np.int64)]).reshape(-1, stride)
    if _tag(element) == "triangles":
        return indices
    if _tag(element) == "polygons":
        counts = np.array([len(one) // stride for one in lists], dtype=np.int64)
    else:
        counts = _integers(_one(element, "vcount"))
    if (counts < 0).any() or counts.sum() != len(indices):
        raise Unsupported(f"polygons of {counts.sum()} corners, {len(indices)} given")
    starts = np.cumsum(counts) - counts
    fans = [
        start + np.column_stack((np.zeros(n - 2, int), np.arange(1, n - 1), np.arange(2, n)))
        for start, n in zip(starts, counts, strict=True)
        if n > 2
    ]
    chosen = np.concatenate([fan.ravel() for fan in fans] or [np.zeros(0, dtype=np.int64)])
    return np.asarray(indices[chosen])


def _data_address(folder: Path, name: str) -> str | None:
    """Return an image as a data: address, None for any file but an image of the mesh's package.

    The package is the nearest folder with a package.xml; without one, the mesh's folder and the
    one above.
    """
    if "://" in name.removeprefix("file://"):
        return None
    try:
        path = Folders(folder).find(name).path
        small = path is not None and path.stat().st_size <= MAX_TEXTURE
        data = path.read_bytes() if path is not None and small else b""
    except (OSError, ValueError):
        return None
    for start, kind in _IMAGES.items():  # whatever its name says, only an image is taken
        if data.startswith(start):
            return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
    return None


def _rotation(values: Array) -> Array:
    x, y, z = values[:3] / np.linalg.norm(values[:3])
    angle = np.radians(values[3])
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix = np.eye(4)
    matrix[:3, :3] += np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    return matrix


def _translation(values: Array) -> Array:
    matrix = np.eye(4)
    matrix[:3, 3] = values
    return matrix


_TRANSFORMS: dict[str, Callable[[Array], Array]] = {
    "matrix": lambda values: values.reshape(4, 4),
    "translate": _translation,
    "rotate": _rotation,
    "scale": lambda values: np.diag([*values, 1.0]),
}


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _namespace(element: Element) -> str:
    return str(element.tag).rpartition("}")[0] + "}" if "}" in element.tag else ""


def _one(element: Element, path: str) -> Element:
    found = element.find("/".join("{*}" + step for step in path.split("/")))
    if found is None:
        raise Unsupported(f"<{_tag(element)}> without <{path}>")
    return found


def _floats(element: Element) -> Array:
    return np.array((element.text or "").split(), dtype=float)


def _integers(element: Element) -> Index:
    return np.array((element.text or "").split(), dtype=np.int64)
