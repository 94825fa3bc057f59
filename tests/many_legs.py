"""URDF text of robots with any number of legs, as their users write it: coxa, femur, tibia, ball.

A leg goes out from its hip: the coxa turns about z, femur and tibia about y, and all of them are
along x. Sizes, efforts and speeds are those of hobby servos.
"""

from __future__ import annotations

from math import cos, pi, sin

LENGTHS, MASSES, RADIUS = (0.052, 0.066, 0.133), (0.06, 0.12, 0.06), 0.008
# places and headings of the hips (x, y, yaw), three on each side
SIX = {
    "lf": (0.125, 0.062, pi / 4), "lm": (0.0, 0.103, pi / 2), "lr": (-0.125, 0.062, 3 * pi / 4),
    "rf": (0.125, -0.062, -pi / 4), "rm": (0.0, -0.103, -pi / 2),
    "rr": (-0.125, -0.062, -3 * pi / 4),
}  # fmt: skip


def around(count: int, first: float = 0.0, radius: float = 0.11) -> dict[str, tuple[float, ...]]:
    """Hips around a circle, counter-clockwise from an angle on [rad]."""
    angles = [first + 2 * pi * k / count for k in range(count)]
    return {f"leg{k}": (radius * cos(a), radius * sin(a), a) for k, a in enumerate(angles, 1)}


def urdf(hips: dict[str, tuple[float, ...]], name: str = "hexapod", servo: float = 5.65) -> str:
    """The description of a robot; `servo` is the largest speed of its joints [rad/s]."""
    legs = "".join(_leg(leg, *hip, servo) for leg, hip in hips.items())
    return f'<robot name="{name}">{_link("base", 1.2, (0.2, 0.16, 0.05))}{legs}</robot>'


def _leg(leg: str, x: float, y: float, yaw: float, servo: float) -> str:
    coxa, femur, tibia = LENGTHS
    parts = zip(("coxa", "femur", "tibia"), LENGTHS, MASSES, strict=True)
    links = [
        _link(f"{leg}_{part}", m, (length, 0.02, 0.02), length / 2) for part, length, m in parts
    ]
    ball = f'<collision><geometry><sphere radius="{RADIUS}"/></geometry></collision>'
    links.append(_link(f"{leg}_foot", 0.01, (RADIUS,) * 3, shape=ball))
    joints = [
        _joint(leg, "base", "coxa", (x, y, 0.0), yaw, "0 0 1", 1.0, servo),
        _joint(leg, f"{leg}_coxa", "femur", (coxa, 0.0, 0.0), 0.0, "0 1 0", 1.6, servo),
        _joint(leg, f"{leg}_femur", "tibia", (femur, 0.0, 0.0), 0.0, "0 1 0", 2.6, servo),
        f'<joint name="{leg}_foot_joint" type="fixed"><parent link="{leg}_tibia"/>'
        f'<child link="{leg}_foot"/><origin xyz="{tibia} 0 0"/></joint>',
    ]
    return "".join([*links, *joints])


def _link(name: str, mass: float, size: tuple[float, ...], x: float = 0.0, shape: str = "") -> str:
    a, b, c = (mass * side**2 / 12 for side in size)
    box = f'<origin xyz="{x} 0 0"/><geometry><box size="{" ".join(map(str, size))}"/></geometry>'
    shape = shape or f"<visual>{box}</visual><collision>{box}</collision>"
    return (
        f'<link name="{name}"><inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/><inertia '
        f'ixx="{b + c}" iyy="{a + c}" izz="{a + b}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"{shape}</link>"
    )


def _joint(
    leg: str, parent: str, part: str, at: tuple[float, ...], yaw: float, axis: str, most: float,
    servo: float,
) -> str:  # fmt: skip
    return (
        f'<joint name="{leg}_{part}_joint" type="revolute"><parent link="{parent}"/>'
        f'<child link="{leg}_{part}"/><origin xyz="{" ".join(map(str, at))}" rpy="0 0 {yaw}"/>'
        f'<axis xyz="{axis}"/>'
        f'<limit lower="-{most}" upper="{most}" effort="2.8" velocity="{servo}"/></joint>'
    )
