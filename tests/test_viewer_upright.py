"""Collada meshes that are drawn with y up: turned where the description means it, else not."""

from __future__ import annotations

import numpy as np
import pytest

import footwork as fw
from footwork.visualize.viewer import meshes

# a rod of 0.4 along one axis: a box of eight corners, as Collada
ROD = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
 version="1.4.1">
<asset><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="rod"><mesh>
<source id="xyz"><float_array id="a" count="24">{numbers}</float_array>
<technique_common><accessor source="#a" count="8" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#xyz"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#rod"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
FACES = "0 1 2 1 3 2 4 6 5 5 6 7 0 4 1 1 4 5 2 3 6 3 7 6 0 2 4 2 6 4 1 5 3 3 5 7"
URDF = """<robot name="pendulum"><link name="base"/>
<joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="bar"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="{mesh}"/></geometry></visual></link></robot>"""


def box_of(tmp_path, up, along):
    """The box, lowest and highest corner, around a link whose mass is 0.2 above its joint."""
    sizes = [(-0.02, 0.02)] * 3
    sizes[along] = (0.0, 0.4)
    corners = [(x, y, z) for x in sizes[0] for y in sizes[1] for z in sizes[2]]
    numbers = " ".join(str(value) for corner in corners for value in corner)
    (tmp_path / "rod.dae").write_text(ROD.format(up=up, numbers=numbers, faces=FACES))
    urdf = tmp_path / "pendulum.urdf"
    urdf.write_text(URDF.format(mesh=tmp_path / "rod.dae"))
    robot = fw.load(urdf, base="fixed")
    points = meshes.boxes(robot, meshes.read(robot))["hinge"]
    return np.array([points.min(axis=0), points.max(axis=0)])


@pytest.mark.parametrize(("up", "along"), [("Y_UP", 1), ("Y_UP", 2), ("Z_UP", 2)])
def test_a_mesh_surrounds_the_mass_of_its_link(tmp_path, up, along):
    box = box_of(tmp_path, up, along)
    assert box == pytest.approx(np.array([[-0.02, -0.02, 0.0], [0.02, 0.02, 0.4]]), abs=1e-6)


def test_a_mesh_with_z_up_stays_as_it_is(tmp_path):
    assert box_of(tmp_path, "Z_UP", 1)[1] == pytest.approx([0.02, 0.4, 0.02], abs=1e-6)


def test_icub_stands_on_its_feet(load_robot):
    """Its shins are drawn between knees and ankles, not lying beside them."""
    robot = load_robot("icub", "floating")
    visual = meshes.read(robot)
    where = meshes.placements(robot, visual, robot.posture())
    for side in ("l", "r"):
        knee = meshes.boxes(robot, visual)[f"{side}_knee"] @ where[f"{side}_knee"][:3, :3].T
        assert np.ptp(knee[:, 2]) > 2 * np.ptp(knee[:, 0])
