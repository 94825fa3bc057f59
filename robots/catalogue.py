"""Catalogue of robots that load by name: footwork's own, and those of installed data packages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

from ..errors import ModelError, unknown
from .feet import measured as soles
from .feet.foot import Foot
from .files.installed import DATA, package_folder

MODELS = Path(__file__).parent / "models"
_PACKAGE = "example-robot-data"

Feet = Callable[[], tuple[Foot, ...]]


@dataclass(frozen=True)
class RobotInfo:
    """A robot of the catalogue.

    Attributes:
        name: the name that `load` takes.
        kind: "humanoid", "biped", "quadruped", "wheeled quadruped",
            "wheeled biped", "upper body", "mechanism".
        source: the distribution that contains it ("footwork" for our own).
        licence: of the description, as its package states it.
        aliases: other names that `load` takes.
        urdf, srdf: files, relative to the folder of the data.
        base: "floating" or "fixed", the default of `load`.
        feet: its feet where the SRDF does not describe them.
        postures: named postures, besides those of the SRDF.
        note: a remark for users.
    """

    name: str
    kind: str
    source: str
    licence: str
    urdf: str
    srdf: str = ""
    aliases: tuple[str, ...] = ()
    base: str = "floating"
    feet: Feet | None = field(default=None, repr=False)
    postures: Mapping[str, Mapping[str, tuple[float, ...]]] = field(
        default_factory=dict, repr=False
    )
    note: str = ""

    @property
    def installed(self) -> bool:
        """Whether its files are on this machine."""
        return self.folder is not None and (self.folder / self.urdf).is_file()

    @property
    def folder(self) -> Path | None:
        """The folder its files are relative to, or None when the package is not installed."""
        if self.source == "footwork":
            return MODELS
        root = package_folder(self.source, DATA.get(self.source, "package.xml"))
        return root / "robots" if root and self.source == _PACKAGE else root


def available() -> tuple[RobotInfo, ...]:
    """Return the catalogue, ours first, installed or not."""
    return (*_own(), *_quadrupeds(), *_humanoids(), *_others())


def find(name: str) -> RobotInfo:
    """Return the entry with this name or alias.

    Raises:
        ModelError: no such robot, with the nearest names; or its package is not installed.
    """
    info = _by_name().get(name)
    if info is None:
        raise ModelError(unknown("robot", name, _by_name()))
    if not info.installed:
        raise ModelError(
            f"robot {name!r} comes with {info.source}, which is not installed: "
            "pip install 'footwork[robots]'"
        )
    return info


def names() -> tuple[str, ...]:
    """Return every name and alias that `load` takes from the catalogue."""
    return tuple(_by_name())


@lru_cache(maxsize=1)
def _by_name() -> dict[str, RobotInfo]:
    return {name: info for info in available() for name in (info.name, *info.aliases)}


def _own() -> list[RobotInfo]:
    def own(name: str, kind: str, base: str = "floating") -> RobotInfo:
        return RobotInfo(
            name, kind, "footwork", "BSD-3-Clause", f"{name}.urdf", f"{name}.srdf", base=base
        )

    return [
        own("double_pendulum", "mechanism", "fixed"),
        own("limb", "mechanism", "fixed"),
        own("block", "mechanism"),
        own("biped", "humanoid"),
        own("quadruped", "quadruped"),
    ]


def _entry(
    name: str,
    kind: str,
    licence: str,
    urdf: str,
    srdf: str = "",
    aliases: tuple[str, ...] = (),
    feet: Feet | None = None,
    postures: Mapping[str, Mapping[str, tuple[float, ...]]] | None = None,
    note: str = "",
) -> RobotInfo:
    return RobotInfo(
        name, kind, _PACKAGE, licence, urdf, srdf, aliases, feet=feet, postures=postures or {},
        note=note,
    )  # fmt: skip


_UNSTATED = "BSD-2-Clause (of the whole package; none stated for this robot)"


def _quadrupeds() -> list[RobotInfo]:
    unitree = [
        _entry(
            name,
            "quadruped",
            _UNSTATED,
            f"{name}_description/urdf/{name}.urdf",
            f"{name}_description/srdf/{name}.srdf",
            feet=partial(soles.unitree, name),  # a lambda does not pickle
        )
        for name in ("a1", "go1", "go2", "b1")
    ]
    bsd3, apache = "BSD-3-Clause", "Apache-2.0"
    return [
        _entry("anymal_b", "quadruped", bsd3, "anymal_b_simple_description/robots/anymal.urdf",
               "anymal_b_simple_description/srdf/anymal.srdf", ("anymal",), soles.anymal_b),
        _entry("anymal_b_kinova", "quadruped", bsd3,
               "anymal_b_simple_description/robots/anymal-kinova.urdf",
               "anymal_b_simple_description/srdf/anymal-kinova.srdf", ("anymal_kinova",),
               soles.anymal_b, note="with a Kinova arm"),
        _entry("anymal_c", "quadruped", bsd3, "anymal_c_simple_description/urdf/anymal.urdf",
               "anymal_c_simple_description/srdf/anymal.srdf", feet=soles.anymal_c),
        _entry("solo8", "quadruped", bsd3, "solo_description/robots/solo.urdf",
               "solo_description/srdf/solo.srdf", ("solo",), soles.solo),
        _entry("solo12", "quadruped", bsd3, "solo_description/robots/solo12.urdf",
               "solo_description/srdf/solo.srdf", feet=soles.solo),
        _entry("hyq", "quadruped", apache, "hyq_description/robots/hyq_no_sensors.urdf",
               "hyq_description/srdf/hyq.srdf", feet=soles.hyq),
        *unitree,
        _entry("b1_z1", "quadruped", _UNSTATED, "b1_description/urdf/b1-z1.urdf",
               "b1_description/srdf/b1-z1.srdf", feet=partial(soles.unitree, "b1"),
               note="with a Z1 arm (MPL-2.0)"),
        _entry("laikago", "quadruped", _UNSTATED, "laikago_description/urdf/laikago.urdf",
               feet=partial(soles.unitree, "laikago"), postures=soles.LAIKAGO_POSTURES),
        _entry("quadruped8", "quadruped", _UNSTATED, "quadruped_description/urdf/quadruped.urdf",
               feet=soles.quadruped8, postures=soles.QUADRUPED8_POSTURES,
               note='calls itself "quadroped": eight joints, boxes and balls'),
        _entry("centauro", "wheeled quadruped", apache, "centauro_description/urdf/centauro.urdf",
               "centauro_description/srdf/centauro.srdf", feet=soles.centauro,
               note="stands on wheels: a foot is the middle of a wheel with the wheel's radius"),
    ]  # fmt: skip


def _humanoids() -> list[RobotInfo]:
    bsd, bsd2, bsd3 = "BSD", "BSD-2-Clause", "BSD-3-Clause"
    talos = "talos_data/srdf/talos.srdf"
    return [
        _entry("talos", "humanoid", bsd3, "talos_data/robots/talos_reduced.urdf", talos,
               ("talos_reduced",), soles.talos, note="grippers locked by its makers"),
        _entry("talos_full", "humanoid", bsd3, "talos_data/robots/talos_full_v2.urdf", talos,
               feet=soles.talos),
        _entry("g1", "humanoid", bsd3, "g1_description/urdf/g1_29dof_rev_1_0.urdf",
               feet=soles.g1, postures=soles.G1_POSTURES),
        _entry("g1_hands", "humanoid", bsd3, "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
               feet=soles.g1, postures=soles.G1_POSTURES),
        _entry("icub", "humanoid", "CC-BY-SA-4.0", "icub_description/robots/icub.urdf",
               "icub_description/srdf/icub.srdf", feet=soles.icub,
               note="neutral, it faces -x; its foot meshes lie across the soles"),
        _entry("icub_reduced", "humanoid", "CC-BY-SA-4.0",
               "icub_description/robots/icub_reduced.urdf", "icub_description/srdf/icub.srdf",
               feet=soles.icub, note="neutral, it faces -x"),
        _entry("romeo", "humanoid", bsd, "romeo_description/urdf/romeo.urdf",
               "romeo_description/srdf/romeo.srdf", feet=soles.romeo),
        _entry("romeo_small", "humanoid", bsd, "romeo_description/urdf/romeo_small.urdf",
               "romeo_description/srdf/romeo_small.srdf", feet=soles.romeo),
        _entry("simple_humanoid", "humanoid", bsd2,
               "simple_humanoid_description/urdf/simple_humanoid.urdf",
               "simple_humanoid_description/srdf/simple_humanoid.srdf",
               feet=soles.simple_humanoid),
        _entry("simple_humanoid_classical", "humanoid", bsd2,
               "simple_humanoid_description/urdf/simple_humanoid_classical.urdf",
               "simple_humanoid_description/srdf/simple_humanoid_classical.srdf",
               feet=soles.simple_humanoid),
        _entry("human", "humanoid", bsd2, "human_description/robots/human.urdf",
               feet=soles.human, postures=soles.HUMAN_POSTURES,
               note="y up, x forward (ISB): standing, its base is turned by 90 degrees about x"),
    ]  # fmt: skip


def _others() -> list[RobotInfo]:
    bsd3, alex = "BSD-3-Clause", "alex_description"
    return [
        _entry("alexander", "biped", "Apache-2.0",
               "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
               "alexander_description/srdf/alexander.srdf", feet=soles.alexander),
        _entry("bolt", "biped", bsd3, "bolt_description/robots/bolt.urdf",
               "bolt_description/srdf/bolt.srdf", feet=soles.bolt),
        RobotInfo("jvrc", "humanoid", "jvrc-description", "Apache-2.0 (metadata)", "jvrc1.urdf",
                  aliases=("jvrc1",), feet=soles.jvrc, postures=soles.JVRC_POSTURES),
        RobotInfo("upkie", "wheeled biped", "upkie-description", "Apache-2.0", "upkie.urdf",
                  feet=soles.upkie,
                  note="balances on two wheels: a foot is the middle of a wheel"),
        *(
            RobotInfo(f"alex_{hands}", "upper body", _PACKAGE, "CC-BY-NC-ND-4.0",
                      f"{alex}/urdf/alex_{hands}_hands.urdf",
                      f"{alex}/srdf/alex_{hands}_hands.srdf", base="fixed")
            for hands in ("nub", "psyonic", "sake")
        ),
    ]  # fmt: skip
