"""Parametrised robots: a double pendulum, a block, a planar limb.

Each builder writes a URDF and loads it like any other file. The default values give the files
double_pendulum.urdf, block.urdf and limb.urdf of `robots/models/`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ModelError
from . import catalogue
from .files.packages import Folders
from .files.reading import read_file
from .loading import build
from .options import Options
from .robot import Robot
from .sources import Description
from .values import array, number

# joint limits: two full turns, and a torque limit that is never reached in practice
_LIMIT = '<limit lower="-12.5664" upper="12.5664" effort="10000" velocity="100"/>'


def double_pendulum(l1: float = 1.0, l2: float = 0.5, m1: float = 1.0, m2: float = 1.0) -> Robot:
    """Return two uniform bars, hanging from a fixed point and from each other.

    At zero both hang down; q = (θ1, θ2), θ2 relative to the first bar, both about +y [rad]. With
    the centre of each bar at its middle and its moment of inertia m l²/12 there, the potential
    energy is −(m1/2 + m2) g l1 cos θ1 − (m2/2) g l2 cos(θ1 + θ2).

    Args:
        l1, l2: lengths of the bars [m].
        m1, m2: their masses [kg].

    Raises:
        ModelError: a length or mass that is not positive and finite.
    """
    return _load(double_pendulum_urdf(l1, l2, m1, m2), "double_pendulum")


def block(mass: float = 10.0, size: Sequence[float] = (0.4, 0.3, 0.2)) -> Robot:
    """Return a free rigid block; the origin of its link is the centre of mass.

    Args:
        mass: [kg], of uniform density.
        size: edge lengths along x, y and z [m].

    Raises:
        ModelError: a mass or an edge that is not positive and finite, or not three edges.
    """
    return _load(block_urdf(mass, size), "block")


def limb(
    lengths: Sequence[float] = (0.8, 0.6, 0.4), masses: Sequence[float] = (0.7, 0.5, 0.3)
) -> Robot:
    """Return a chain of massless rods in a plane, each with a point mass at its middle.

    The joints turn about +z; at zero every segment points along +y from the fixed base.

    Args:
        lengths: of the segments, from the base to the tip [m].
        masses: of the segments [kg].

    Raises:
        ModelError: no segment, different numbers of lengths and masses, or a value that is not
            positive and finite.
    """
    return _load(limb_urdf(lengths, masses), "limb")


def double_pendulum_urdf(l1: float = 1.0, l2: float = 0.5, m1: float = 1.0, m2: float = 1.0) -> str:
    """Return the URDF of `double_pendulum`."""
    _positive(l1=l1, l2=l2, m1=m1, m2=m2)
    bars = _bar("bar_1", l1, m1, "0.15 0.45 0.85 1") + _bar("bar_2", l2, m2, "0.95 0.55 0.15 1")
    return f"""<?xml version="1.0"?>
<!--
  Two uniform bars hang from a fixed point and from each other. At zero both hang straight down;
  the joints turn about +y, the second angle is relative to the first bar. A thin bar of mass m
  and length l has the moment of inertia m l^2 / 12 across its middle, and none along itself.
-->
<robot name="double_pendulum">
  <link name="base">
    <visual>
      <geometry><box size="0.12 0.12 0.04"/></geometry>
      <material name="base"><color rgba="0.18 0.2 0.24 1"/></material>
    </visual>
  </link>
{_hinge("joint_1", "base", "bar_1", "0 0 0", "0 1 0")}
{_hinge("joint_2", "bar_1", "bar_2", f"0 0 {-l1:.12g}", "0 1 0")}
{bars}{_tip("bar_2", f"0 0 {-l2:.12g}")}
</robot>
"""


def _bar(name: str, length: float, mass: float, rgba: str) -> str:
    inertia = mass * length**2 / 12
    return f"""  <link name="{name}">
    <inertial>
      <origin xyz="0 0 {-length / 2:.12g}"/>
      <mass value="{mass:.12g}"/>
      <inertia ixx="{inertia:.12g}" ixy="0" ixz="0" iyy="{inertia:.12g}" iyz="0" izz="0"/>
    </inertial>
    <visual>
      <origin xyz="0 0 {-length / 2:.12g}"/>
      <geometry><cylinder radius="0.025" length="{length:.12g}"/></geometry>
      <material name="{name}"><color rgba="{rgba}"/></material>
    </visual>
  </link>
"""


def block_urdf(mass: float = 10.0, size: Sequence[float] = (0.4, 0.3, 0.2)) -> str:
    """Return the URDF of `block`."""
    x, y, z = array(size, "size", (3,), meaning="edges along x, y and z [m]", error=ModelError)
    _positive(mass=mass, x=x, y=y, z=z)
    ixx, iyy, izz = (mass / 12 * (a * a + b * b) for a, b in ((y, z), (x, z), (x, y)))
    geometry = f'<geometry><box size="{x:.12g} {y:.12g} {z:.12g}"/></geometry>'
    return f"""<?xml version="1.0"?>
<!--
  A free block. Its centre of mass is its link's origin; the moments of inertia are those of a
  solid box, m (b^2 + c^2) / 12. "bottom" is the middle of the face that it stands on.
-->
<robot name="block">
  <link name="block">
    <inertial>
      <mass value="{mass:.12g}"/>
      <inertia ixx="{ixx:.12g}" ixy="0" ixz="0" iyy="{iyy:.12g}" iyz="0" izz="{izz:.12g}"/>
    </inertial>
    <visual>
      {geometry}
      <material name="wood"><color rgba="0.76 0.6 0.42 1"/></material>
    </visual>
    <collision>
      {geometry}
    </collision>
  </link>
  <joint name="bottom_joint" type="fixed">
    <parent link="block"/>
    <child link="bottom"/>
    <origin xyz="0 0 {-z / 2:.12g}"/>
  </joint>
  <link name="bottom"/>
</robot>
"""


def limb_urdf(
    lengths: Sequence[float] = (0.8, 0.6, 0.4), masses: Sequence[float] = (0.7, 0.5, 0.3)
) -> str:
    """Return the URDF of `limb`."""
    sizes = [array(lengths, "lengths", (None,), error=ModelError)]
    sizes += [array(masses, "masses", (None,), error=ModelError)]
    counts = tuple(map(len, sizes))
    if counts[0] != counts[1] or counts[0] == 0:
        raise ModelError(
            f"got {counts[0]} lengths and {counts[1]} masses; expected one of each per segment"
        )
    for i, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        _positive(**{f"lengths[{i}]": length, f"masses[{i}]": mass})
    pieces, parent, start = [], "base", "0 0 0"
    for i, (length, mass) in enumerate(zip(lengths, masses, strict=True), start=1):
        pieces.append(_hinge(f"joint_{i}", parent, f"segment_{i}", start, "0 0 1"))
        pieces.append(_segment(i, length, mass))
        parent, start = f"segment_{i}", f"0 {length:.12g} 0"
    chain = "\n".join([*pieces, _tip(parent, start)])
    return f"""<?xml version="1.0"?>
<!--
  A limb in the x-y plane, from a fixed base. The joints turn about +z; at zero every segment
  points along +y. The mass of a segment is a point at its middle: it has no inertia of its own.
-->
<robot name="limb">
  <link name="base">
    <visual>
      <geometry><cylinder radius="0.06" length="0.05"/></geometry>
      <material name="base"><color rgba="0.18 0.2 0.24 1"/></material>
    </visual>
  </link>
{chain}
</robot>
"""


def _segment(i: int, length: float, mass: float) -> str:
    middle = f'<origin xyz="0 {length / 2:.12g} 0"/>'
    rod = f'<origin xyz="0 {length / 2:.12g} 0" rpy="1.5707963267949 0 0"/>'
    return f"""  <link name="segment_{i}">
    <inertial>
      {middle}
      <mass value="{mass:.12g}"/>
      <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>
    </inertial>
    <visual>
      {rod}
      <geometry><cylinder radius="0.015" length="{length:.12g}"/></geometry>
      <material name="rod"><color rgba="0.8 0.82 0.86 1"/></material>
    </visual>
    <visual>
      {middle}
      <geometry><sphere radius="0.05"/></geometry>
      <material name="mass"><color rgba="0.15 0.45 0.85 1"/></material>
    </visual>
  </link>"""


def _hinge(name: str, parent: str, child: str, origin: str, axis: str) -> str:
    return f"""  <joint name="{name}" type="revolute">
    <parent link="{parent}"/>
    <child link="{child}"/>
    <origin xyz="{origin}"/>
    <axis xyz="{axis}"/>
    {_LIMIT}
  </joint>"""


def _tip(parent: str, origin: str) -> str:
    return f"""  <joint name="tip_joint" type="fixed">
    <parent link="{parent}"/>
    <child link="tip"/>
    <origin xyz="{origin}"/>
  </joint>
  <link name="tip"/>"""


def _positive(**values: float) -> None:
    for name, value in values.items():
        number(value, name, above=0, error=ModelError)


def _load(urdf: str, name: str) -> Robot:
    info = catalogue.find(name)
    srdf = read_file(catalogue.MODELS / info.srdf)
    description = Description(urdf, f"{name}(…)", Folders(None), srdf=srdf, info=info)
    return build(description, Options())[0]
