"""Geoms and inertia of the bodies of an MJCF file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..files.hardened_xml import Node
from ..findings import Finding
from ..urdf.values import TYPICAL
from .geoms import Geom, Mesh, inertia_of, read_geom
from .tree import ORIENTATIONS, Attributes, Mjcf, values

_MOMENTS = {"diaginertia", "fullinertia"}
Inside = tuple[Node, str, pin.SE3]  # element, class of defaults, frame in its body


@dataclass(frozen=True)
class Bodies:
    """What bodies weigh, and their shapes.

    Attributes:
        file: the parsed file.
        meshes: its mesh assets by name.
        materials: {name: rgba}.
        findings: what is found out is appended.
    """

    file: Mjcf
    meshes: dict[str, Mesh]
    materials: dict[str, str]
    findings: list[Finding]

    def geom(self, node: Node, inner: str, T: pin.SE3) -> Geom | None:
        """Return a geom; None where a primitive is fitted to a mesh that is not there."""
        known = self.file.attributes(node, inner)
        known.setdefault("rgba", self.materials.get(known.get("material", ""), "0.5 0.5 0.5 1"))
        mesh = self.meshes.get(known.get("mesh", ""))
        if mesh is not None and mesh.problem and known.get("type", "mesh") != "mesh":
            return None
        return read_geom(self.file, node, known, T, self.meshes)

    def inertia(self, body: Node, parts: list[Inside]) -> pin.Inertia:
        """Return the inertia of a body, in its axes."""
        compiler = self.file.compiler_of(body)
        whence = compiler.get("inertiafromgeom", "auto")
        given = [(node, T) for node, _, T in parts if node.tag == "inertial"]
        if len(given) > 1:
            raise self.file.error(given[1][0], "a body has one")
        for node, _ in given:
            if lacking := [key for key in ("pos", "mass") if key not in node.attrib]:
                what = f"without {' and '.join(lacking)}; expected pos and mass"
                raise self.file.error(node, what)
        inertia = pin.Inertia.Zero()
        if whence == "true" or (whence == "auto" and not given):
            inertia = self._of_geoms(body, parts)
        if given and inertia.mass == 0:
            inertia = self._given(*given[0])
            moves = any(node.tag in ("joint", "freejoint") for node, _, _ in parts)
            if moves and inertia.mass > 0 and not given[0][0].attrib.keys() & _MOMENTS:
                self._without_moments(body, given[0][0])
        elif inertia.mass == 0:  # MuJoCo puts what bounds add at the body's own pos, in its axes
            place = values(body.attrib, "pos", (0.0, 0.0, 0.0))
            inertia = pin.Inertia(0.0, place, np.zeros((3, 3)))
        return _bounded(compiler, inertia)

    def _without_moments(self, body: Node, node: Node) -> None:
        if "boundinertia" not in self.file.compiler_of(body):
            message = "neither diaginertia nor fullinertia: a mass without rotational inertia"
            link, line = body.get("name"), node.line
            found = Finding("warning", "inertia", message, TYPICAL, link=link, line=line)
            self.findings.append(found)

    def _given(self, node: Node, T: pin.SE3) -> pin.Inertia:
        mass, full = float(values(node.attrib, "mass")[0]), "fullinertia" in node.attrib
        if full and node.attrib.keys() & {"diaginertia", *ORIENTATIONS}:
            raise self.file.error(node, "fullinertia stands without diaginertia and orientation")
        xx, yy, zz, xy, xz, yz = values(node.attrib, "fullinertia", (0.0,) * 6)
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if "diaginertia" in node.attrib:
            matrix = np.diag(values(node.attrib, "diaginertia"))
        own = T * self.file.pose(node.attrib)
        return own.act(pin.Inertia(mass, np.zeros(3), matrix))

    def _of_geoms(self, body: Node, parts: list[Inside]) -> pin.Inertia:
        lowest, highest = values(self.file.compiler_of(body), "inertiagrouprange", (0.0, 5.0))
        total = pin.Inertia.Zero()
        for node, inner, T in parts:
            if node.tag != "geom":
                continue
            known = self.file.attributes(node, inner)
            if float(values(known, "mass", (1.0,))[0]) == 0:
                continue
            geom = self.geom(node, inner, T)
            if geom is None or not lowest <= geom.group <= highest:
                continue
            try:
                if geom.kind == "sdf":
                    raise ValueError("a signed distance field, which is not read")
                if geom.mesh is not None and geom.mesh.problem:
                    raise ValueError(geom.mesh.problem)
                total = total + inertia_of(geom, known)
            except (ValueError, RuntimeError) as error:
                message = f"its mass is that of a mesh: {str(error).splitlines()[-1]}"
                hint = "give it an <inertial>, or the file: package_dirs=[…] allows more folders"
                link = body.get("name")
                self.findings.append(
                    Finding("error", "mesh", message, hint, line=node.line, link=link)
                )
        return total


def _bounded(compiler: Attributes, inertia: pin.Inertia) -> pin.Inertia:
    """Return an inertia with what boundmass, boundinertia and balanceinertia ask for."""
    least, smallest = (float(values(compiler, k, (0.0,))[0]) for k in ("boundmass", "boundinertia"))
    balance = compiler.get("balanceinertia") == "true"
    if not (least or smallest or balance):
        return inertia
    moments, axes = np.linalg.eigh(inertia.inertia)
    moments = np.maximum(moments, smallest)
    if balance and moments[0] + moments[1] < moments[2]:
        moments = np.full(3, moments.mean())
    return pin.Inertia(max(inertia.mass, least), inertia.lever, axes @ np.diag(moments) @ axes.T)
