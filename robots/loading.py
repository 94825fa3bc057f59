"""Loading of robots: `load` turns a description into a `Robot`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pinocchio as pin
from numpy.typing import ArrayLike

from ..errors import ConfigurationError, ModelError, counted, unknown, warn
from ..options import names_checked
from .catalogue import RobotInfo
from .closing import unclosed
from .configuration import floats
from .feet.by_hand import GivenFoot, beside, given_feet
from .feet.foot import Foot, feet_of_end_effectors
from .feet.found import FoundFeet, SolvedPostures
from .findings import Finding, listed, of_level
from .formats import read
from .model_changes import set_armature
from .options import Base, Mimic, Options, Parts
from .postures import configurations
from .refusal import refuse_errors
from .robot import Robot
from .sources import Description, describe
from .srdf import Semantics, read_srdf
from .torque_need import reaches
from .values import texts
from .xacro.expansion import Xacro


@names_checked
def load(
    source: str | os.PathLike[str],
    *,
    base: Base | None = None,
    package_dirs: Iterable[str | Path] = (),
    lock: Iterable[str] | Mapping[str, float] = (),
    passive: Iterable[str] = (),
    mimic: Mimic | None = None,
    strict: bool = False,
    meshes: bool = True,
    feet: Any = None,
    gravity: ArrayLike | None = None,
    xacro: bool | Xacro | None = None,
    motors: Any = None,
) -> Robot:
    """Return the robot that `source` describes.

    Args:
        source: path of a description, a description as text, "-" for standard input, or the name
            of a robot of the catalogue (`robots.available()`).
        base: "floating" (free to move) or "fixed" (welded to the world). Default: that of the
            catalogue or of the file, else floating. A URDF has a fixed base where its root link
            has no mass and is called "world", or has no mass and is moved by joints.
        package_dirs: folders searched first for `package://name/…`.
        lock: joints to freeze, by name or pattern ("gripper_*"), at zero or at the nearest limit;
            or a mapping from names to positions [rad or m].
        passive: joints without a motor, beside those that the SRDF or MJCF names; all others are
            actuated.
        mimic: treatment of mimic joints: "couple" keeps them coupled to their leaders, as closures
            of the robot, "lock" freezes them at rest, "independent" leaves them free. They have no
            motors. Default: "couple"; of robots of the catalogue "lock".
        strict: raise where an unphysical description would otherwise only be warned of.
        meshes: whether to load mesh files; the dynamics do not depend on them.
        feet: the feet, given by hand instead of by the description or its shapes:
            "l_foot:0.22x0.10,r_foot:0.22x0.10" (links with length and width of their soles [m];
            with one number the radius of a ball, with none what the shapes show), a mapping {name:
            {...}} or a YAML file with it (see `robots.feet.by_hand.given_feet`), or `Foot` values.
            Default: the file NAME.feet.yaml beside the description, if there is one.
        gravity: its acceleration (3,), in world axes [m/s²]. Default: that of the description, of
            MJCF; else (0, 0, -9.81).
        xacro: whether to expand macros. Default: those of files called `.xacro`. A `Xacro` has
            arguments for them, and lists what they may read of the environment.
        motors: of joints whose torques depend on their speed: a YAML or CSV file, or a mapping, as
            `Robot.with_motors` takes them.

    Raises:
        ModelError: the description cannot be found or read, or describes no physical robot.

    Warns:
        FootworkWarning: once, listing everything unphysical in the description. Robots of the
            catalogue load silently: `robots.diagnose(name)` lists their known problems.
    """
    description = describe(source, package_dirs)
    idle = texts(passive, "passive", error=ModelError)
    if not isinstance(lock, Mapping):
        lock = texts(lock, "lock", error=ModelError)
    options = Options(base, lock, idle, mimic, strict, meshes, xacro, feet)
    robot, findings = build(description, options)
    doubts = of_level(findings, "warning")
    if doubts and description.info is None:  # the findings about robots of the catalogue are known
        things = f"{counted(len(doubts), 'thing')} {'is' if len(doubts) == 1 else 'are'}"
        warn(
            f"{description.origin}: loaded, but {things} not right (strict=True refuses "
            f"{'it' if len(doubts) == 1 else 'them'}):\n{listed(doubts)}"
        )
    robot = robot if gravity is None else robot.with_gravity(gravity)
    return robot if motors is None else robot.with_motors(motors)


def build(description: Description, options: Options) -> tuple[Robot, tuple[Finding, ...]]:
    """Return the robot of a description, and the findings about it."""
    options.check()
    info = description.info
    parts = read(description, options)
    model = parts.model
    model.name = info.name if info else parts.name
    semantics = read_srdf(description.srdf) if description.srdf else Semantics()
    if info is None:  # those of the catalogue are as they were published, without rotors
        set_armature(model, semantics.rotors)
    feet = _feet(parts, semantics, info)
    given = beside(description.path) if options.feet is None else given_feet(options.feet)
    _check_links(model, feet, given)
    standing_on = _by_hand(feet, given) if given else feet
    postures = dict(semantics.postures)
    if info:
        postures.update({k: dict(v) for k, v in info.postures.items()})
    robot = Robot(
        name=model.name,
        model=model,
        actuated=_actuated(
            model, (*options.passive, *parts.passive, *semantics.passive), options.passive
        ),
        postures={
            **parts.postures,
            **configurations(model, postures, semantics.base_joint, feet.values()),
        },
        feet=standing_on or FoundFeet(given),
        source=description.origin,
        locked=parts.locked,
        shapes=parts.shapes,
        never_collide=(*parts.never_collide, *semantics.never_collide),
        kept=parts.kept,
        closures=parts.closures,
    )
    robot, doubts = _with_closed_postures(robot)
    doubts += unclosed(robot)
    if info is None:
        doubts += [*_rotors_of_none(semantics, robot), *_bare({} if given else feet)]
    refuse_errors(doubts, description.origin, options.strict)
    _doubt_sizes(robot, given)
    return robot, (*parts.findings, *doubts)


def _rotors_of_none(semantics: Semantics, robot: Robot) -> list[Finding]:
    known = (*robot.rows_of_joint, *robot.locked)
    lost = [name for name, alpha in semantics.rotors.items() if alpha > 0 and name not in known]
    message = f"rotors of joints that do not exist: {', '.join(map(repr, lost))}; left out"
    return [Finding("warning", "inertia", message)] if lost else []


def _bare(feet: Mapping[str, Foot]) -> list[Finding]:
    names = ", ".join(f"{foot.name} on {foot.frame!r}" for foot in feet.values() if foot.is_bare)
    what = "no collision box or ball shows the shape of feet, which are points at the origins of"
    message = f"{what} their links: {names}"
    return [Finding("warning", "feet", message, "feet=… gives them by hand")] if names else []


def _with_closed_postures(robot: Robot) -> tuple[Robot, list[Finding]]:
    """Return the robot with its closures closed in the named postures, and where they do not."""
    if not robot.closures:
        return robot, []
    named = robot.postures.given if isinstance(robot.postures, SolvedPostures) else robot.postures
    closed, doubts = {}, []
    for name, q in named.items():
        try:
            closed[name] = robot.close(q)
        except ConfigurationError as error:
            closed[name] = q
            doubts.append(Finding("warning", "closure", f"posture {name!r}: {error}"))
    return replace(robot, postures=closed), doubts


def _check_links(model: Any, known: dict[str, Foot], given: tuple[GivenFoot, ...]) -> None:
    """Refuse feet by hand on links that the robot does not have."""
    links = [f.name for f in model.frames if f.type in (pin.FrameType.BODY, pin.FrameType.OP_FRAME)]
    for foot in given:
        if foot.frame not in (*known, *(frame.name for frame in model.frames)):
            own = f"; the feet of its description are {', '.join(known)}" if known else ""
            raise ConfigurationError(f"feet: {unknown('link', foot.frame, [*known, *links])}{own}")


def _by_hand(known: dict[str, Foot], given: tuple[GivenFoot, ...]) -> dict[str, Foot]:
    """Return the feet that were given with their places, or in places of known ones; {} for others.

    All or none: shapes have to be read for the others.
    """
    if not all(foot.foot or foot.frame in known for foot in given):
        return {}
    return {foot.name: foot.on(known.get(foot.frame)) for foot in given}


def _doubt_sizes(robot: Robot, given: tuple[GivenFoot, ...]) -> None:
    """Warn of feet by hand that are larger than the robot: of lengths in another unit."""
    most = float(reaches(robot).max(initial=0.0))
    for foot in given:
        if 0 < most < max(foot.size, default=0.0):
            got = " by ".join(f"{x:g}" for x in foot.size)
            warn(
                f"feet: got {got} m for {foot.name!r}, more than the {most:.2g} m that "
                f"{robot.name!r} reaches; lengths are in metres"
            )


def _feet(parts: Parts, semantics: Semantics, info: RobotInfo | None) -> dict[str, Foot]:
    if info and info.feet:
        return {foot.name: foot for foot in info.feet()}
    if not semantics.end_effectors:
        return {}
    return feet_of_end_effectors(
        parts.model, parts.primitives.read(parts.model, "collision"), semantics.end_effectors
    )


def _actuated(model: Any, idle: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    joints = tuple(model.names)[2 if floats(model) else 1 :]
    for name in asked:
        if name not in joints:
            raise ModelError("passive: " + unknown("joint", name, joints))
    return tuple(name for name in joints if name not in idle)
