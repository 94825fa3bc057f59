"""Scenarios: robot, terrain, contacts and loads as a file, with its verdict.

    version: 1
    robot: biped
    terrain:
      - plane: ground
      - stairs: stairs
        steps: 2
        rise: 0.12
        depth: 0.3
        width: 1
        at: [0.2, 0]
    contacts:
      - foot: left_foot
        surface: stairs/1
        at: [0.35, 0.09]
      - foot: right_foot

The posture is solved for, so that the contacts really touch. Lengths are in metres, angles in
degrees; `docs/scenarios.md` has every key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import files, registry, robots
from ...arrays import Array
from ...dynamics import State, Wrench
from ...errors import FootworkError, counted, unknown
from ...robots import Robot, catalogue
from ...robots.configuration import check_configuration, check_robot
from ...robots.values import array, boolean, instance, mapping, number, sequence, text, texts
from ..contact import Contact
from ..contact_set import ContactSet
from ..forces import static_hold
from ..hold import Hold
from ..postures.posture import Posture, solve_posture
from ..regions.region import Region, static_equilibrium_polygon
from ..terrain.part_values import check_coefficients, hashable
from ..terrain.penetration import Penetration, penetrations
from ..terrain.solids import Plane
from ..terrain.terrain import Part, Terrain
from ..torque_limits import torque_bounds_of
from . import file as scenario_file
from . import making
from . import schema as scenario_schema
from .file import ScenarioError
from .loads import Load, wrenches_of
from .parts import ScenarioContact, Start

_LEVEL: tuple[Part, ...] = (Plane(),)
_THERE = Start()
# answers that other attributes do not concern
_ROBOT = {"robot", "passive", "lock", "motors", "folder"}
_KEPT = {
    "given": _ROBOT,
    "described": _ROBOT,
    "machine": {*_ROBOT, "gravity"},
    "ground": {"terrain"},
}

FOLDER = Path(__file__).parent / "shipped"


def scenarios() -> tuple[str, ...]:
    """Return the names of the scenarios that come with footwork, for `Scenario.load`."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def scenario_or_robot(source: str | os.PathLike[str]) -> Scenario | None:
    """Return the scenario of a name or a file (.yaml); None for what `robots.load` may know.

    Raises:
        ScenarioError: as of `Scenario.load`.
        FootworkError: a name that is neither a scenario's nor a robot's.
    """
    name, known = str(source), scenarios()
    if Path(name).suffix in (".yaml", ".yml") or name in known:
        return Scenario.load(source)
    names = [*known, *catalogue.names()]
    plain = len(name) < 60 and not set(name) & set("./<\\\0") and name.isprintable()
    plain &= name not in (*names, "-") and not name.endswith("_description")
    if plain and not Path(name).exists():
        raise FootworkError(f"{unknown('scenario or robot', name, names)}; nor is it a file")
    return None


@dataclass(frozen=True, repr=False)
class Scenario:
    """A robot on a terrain, with contacts and loads. Answers are worked out once, when asked for.

    Attributes:
        robot: the name of a robot of the catalogue, or a file relative to `folder`.
        contacts: what touches where.
        terrain: its parts; level ground when not given.
        loads: pushes, ropes and payloads.
        title, about: for people.
        passive, lock: joints without motor, and joints that do not move.
        motors: a file of motors, relative to `folder`, as `robots.load` takes it; none when empty.
        posture: the robot's posture to start from; the one it stands in when empty.
        start: where that is.
        com: where the centre of mass should be: (x, y) or (x, y, z) with None where it is free
            [m], "inside" for where the contacts can hold it, None for anywhere.
        friction: Coulomb coefficient of contacts and surfaces that have none of their own; two as
            for `ScenarioContact`.
        self_collision: whether links should keep a millimetre apart, where they have shapes.
        torque_limits: whether those of the motors, or of the description, count; or the share of
            them that does, in [0, 1]; or {joint: limit} of joints that have another one, as of a
            motor that is hot or broken [N·m or N].
        gravity: (3,), its acceleration in world axes [m/s²]; that of the description when empty.
        view: (3,), from the scene to the eye.
        file: it came from, for messages.
        folder: that of the file.
    """

    robot: str
    contacts: tuple[ScenarioContact, ...] = ()
    terrain: tuple[Part, ...] = _LEVEL
    loads: tuple[Load, ...] = ()
    title: str = ""
    about: str = ""
    passive: tuple[str, ...] = ()
    lock: tuple[str, ...] = ()
    motors: str = ""
    posture: str = ""
    start: Start = _THERE
    com: Any = None
    friction: float | tuple[float, ...] = 0.7
    self_collision: bool = True
    torque_limits: Any = True
    gravity: tuple[float, ...] = ()
    view: tuple[float, ...] = ()
    file: str = field(default="the scenario", compare=False)
    folder: Path = field(default=Path(), compare=False)
    lines: dict[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        kinds: dict[str, Any] = {"contacts": ScenarioContact, "terrain": Part, "loads": Load}
        for key, kind in kinds.items():
            parts = sequence(getattr(self, key), key, kind, error=ScenarioError)
            object.__setattr__(self, key, parts)
        for key in ("robot", "title", "about", "motors", "posture", "file"):
            text(getattr(self, key), key, empty=key != "robot", error=ScenarioError)
        boolean(self.self_collision, "self_collision", error=ScenarioError)
        check_coefficients(self.friction, ScenarioError)
        instance(self.start, "start", Start, error=ScenarioError)
        for key in ("passive", "lock"):
            object.__setattr__(self, key, texts(getattr(self, key), key, error=ScenarioError))
        if isinstance(self.torque_limits, Mapping):
            object.__setattr__(self, "torque_limits", tuple(self.torque_limits.items()))
        for key in ("com", "view", "gravity", "torque_limits"):
            object.__setattr__(self, key, hashable(getattr(self, key)))
        _check_com(self.com)
        _check_torque_limits(self.torque_limits)
        for key in ("view", "gravity"):
            array(getattr(self, key), key, (0,), (3,), error=ScenarioError)
        if self.view and not any(self.view):
            raise ScenarioError(f"view: got {self.view}, expected a direction")
        object.__setattr__(self, "folder", files.as_path(self.folder, "folder", ScenarioError))
        mapping(self.lines, "lines", kind="key", error=ScenarioError)

    def __repr__(self) -> str:
        parts = counted(len(self.contacts), "contact"), counted(len(self.loads), "load")
        names = ", ".join(part.name for part in self.terrain)
        title = f"{self.title!r}, " if self.title else ""
        return f"Scenario({title}robot={self.robot!r}, {parts[0]}, {parts[1]}, terrain: {names})"

    # --- files -----------------------------------------------------------------------------

    @classmethod
    def load(cls, source: str | os.PathLike[str]) -> Scenario:
        """Return the scenario of a file, or one that comes with footwork by its name.

        Raises:
            ScenarioError: no such file or name; or what is wrong in it, with line and key.
        """
        path = find(source)
        return cls.from_text(scenario_file.read(path), str(path), path.parent)

    @classmethod
    def from_text(
        cls, text: str, file: str = "the text", folder: str | os.PathLike[str] = "."
    ) -> Scenario:
        """Return the scenario of a text; `file` is for messages, `folder` where robots lie.

        Raises:
            ScenarioError: what is wrong in it, with line and key.
        """
        if not isinstance(text, str):
            raise ScenarioError(f"text: got {text!r:.80}, expected the text of a scenario")
        entry = scenario_file.parse(text, file)
        where = {"file": file, "folder": folder, "lines": scenario_schema.lines(entry)}
        scenario = scenario_schema.scenario(entry, cls, **where)
        _ = (
            scenario.touching,
            scenario.wrenches_at(scenario.q0),
            scenario.torque_bounds,
        )  # names exist
        return scenario

    @classmethod
    def of(
        cls,
        robot: Robot,
        q: ArrayLike | None = None,
        contacts: ContactSet | None = None,
        wrenches: Mapping[str, Wrench] | None = None,
        *,
        friction: float = 0.7,
        title: str = "",
    ) -> Scenario:
        """Return the scenario of a robot that is there, whose `machine` is this very object.

        On level ground at the height of the lowest contact that lies level; what is not on it lies
        on boxes. Its file names the file or the name that the robot was read from. Its posture is q
        where that keeps the joints' ranges and links apart; a warning tells where it does not.

        Args:
            robot: as above.
            q: (nq,), where it is; in its standing posture by default.
            contacts: that touch there; its feet on the ground by default.
            wrenches: {link: Wrench}, which become pushes of fixed direction in the world.
            friction: of the feet.
            title: for people; the robot's name by default.

        Raises:
            ConfigurationError: a bad q.
            ContactError: no feet are known, or contacts that scenarios have no keys for.
        """
        q = check_robot(robot).posture() if q is None else check_configuration(robot, q)
        if contacts is not None:
            instance(contacts, "contacts", ContactSet, error=ScenarioError)
        mapping(wrenches or {}, "wrenches", kind="link", error=ScenarioError)
        text(title, "title", empty=True, error=ScenarioError)
        making.warn_beyond_ranges(robot, q)
        making.warn_overlapping(robot, q)
        listed = making.standing_feet(robot, q, friction) if contacts is None else contacts
        parts, terrain = making.touching(listed, robot, q)
        scenario = cls(
            contacts=parts,
            terrain=terrain,
            loads=making.pushes_of(wrenches or {}, robot, q),
            start=Start.of(robot, q),
            title=title or robot.name,
            friction=friction,
            gravity=making.gravity_of(robot),
            file=robot.name,
            **making.robot_keys(robot),
        )
        vars(scenario).update(dict.fromkeys(("given", "machine", "described"), robot))
        return scenario

    def as_text(self) -> str:
        """Return the text of a file in `folder` that loads as this scenario.

        Raises:
            ScenarioError: its robot, given to `of`, is not as its description has it.
        """
        if "given" in vars(self):
            making.check_described(self.machine, replace(self).machine)
        return scenario_schema.as_text(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write that file; those of robot and motors are named from its folder.

        Raises:
            ScenarioError: as of `as_text`.
            FootworkError: the file cannot be written; one that was there is kept.
        """
        path = files.as_path(path, error=ScenarioError)
        return files.write(path, self.moved(path.parent).as_text())

    def moved(self, folder: str | os.PathLike[str] | None = None) -> Scenario:
        """Return the same scenario for a file in another folder; None for one that is not known.

        Files of robot and motors are named from there, or by their whole path.

        Raises:
            ScenarioError: a folder that is no path.
        """
        there = None if folder is None else files.as_path(folder, "folder", ScenarioError)

        def named(file: str) -> str:
            path = (self.folder / file).resolve()
            return str(path) if there is None else os.path.relpath(path, there.resolve())

        other = self.replaced(
            robot=self.robot if self.robot in catalogue.names() else named(self.robot),
            motors=named(self.motors) if self.motors else "",
            folder=there or Path(),
        )
        vars(other).update({key: value for key, value in vars(self).items() if key in _KEPT})
        return other

    def replaced(self, **changes: Any) -> Scenario:
        """Return the scenario with other attributes, as `dataclasses.replace`.

        Robot and terrain, where the changes do not concern them, are not loaded again.

        Raises:
            ScenarioError: an attribute that it does not have, or a value that it does not take.
        """
        known = [attribute.name for attribute in fields(self)]
        for name in changes.keys() - set(known):
            raise ScenarioError(unknown("attribute", name, known))
        lines = {k: n for k, n in self.lines.items() if re.split(r"\W", k)[0] not in changes}
        other = replace(self, **{"lines": lines, **changes})
        other.keep(self)
        return other

    def keep(self, other: Scenario) -> None:
        """Take over what another scenario has loaded and this one shares with it."""
        instance(other, "other", Scenario, error=ScenarioError)
        for name, concerned in _KEPT.items():
            same = all(getattr(self, key) == getattr(other, key) for key in concerned)
            if same and name in vars(other):
                vars(self)[name] = vars(other)[name]

    # --- what it says ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Of the file, without its ending."""
        return Path(self.file).stem

    @cached_property
    def machine(self) -> Robot:
        """The robot, loaded, under the scenario's gravity."""
        return self.described.with_gravity(self.gravity) if self.gravity else self.described

    @cached_property
    def described(self) -> Robot:
        """The robot, loaded, under the gravity of its description."""
        with self._at("robot"):
            robot = robots.load(self._robot_source(), passive=self.passive, lock=self.lock)
        with self._at("motors"):
            return robot.with_motors(self.folder / self.motors) if self.motors else robot

    @cached_property
    def torque_bounds(self) -> Any:
        """The torque limits as `static_hold` takes them: True, False, or (lower, upper), (na,)."""
        with self._at("torque_limits"):
            return _torque_bounds(self.machine, self.torque_limits)

    @cached_property
    def ground(self) -> Terrain:
        """The terrain's parts together."""
        with self._at("terrain"):
            return Terrain(self.terrain)

    @cached_property
    def q0(self) -> Array:
        """(nq,), where the robot starts; the posture that touches is near it."""
        with self._at("posture" if self.posture else "start"):
            return self.start.configuration(self.machine, self.posture or None)

    @cached_property
    def touching(self) -> tuple[ContactSet, dict[str, Any]]:
        """The contacts, and {contact: T_world_target} (`pin.SE3`), where they should be."""
        contacts: list[Contact] = []
        targets = []
        for k, part in enumerate(self.contacts):
            with self._at(f"contacts[{k}]"):
                contact, target = part.placed(self.machine, self.q0, self.ground, self.friction)
                contacts.append(contact)
                targets.append(target)
        with self._at("contacts"):
            together = ContactSet(self.machine, contacts)
        return together, dict(zip(together.names, targets, strict=True))

    @property
    def contact_set(self) -> ContactSet:
        """The contacts of the robot."""
        return self.touching[0]

    @cached_property
    def solved(self) -> Posture:
        """The posture whose contacts touch; when there is none, the nearest one and the reason."""
        contacts, targets = self.touching
        with self._at("com" if self.com is not None else "contacts"):
            apart = self.self_collision and self.machine.has_collision_shapes
            return solve_posture(
                self.machine, contacts, self.com, targets, self.q0, self_collision=apart
            )

    @property
    def q(self) -> Array:
        """(nq,) of `solved`."""
        return self.solved.q

    def refuse_out_of_reach(self) -> None:
        """Raise `ScenarioError` when no posture touches, with how near the nearest one comes."""
        if not self.solved.converged:
            raise ScenarioError(f"{self.file}: no posture touches: {self.solved.reason}")

    @cached_property
    def state(self) -> State:
        """The State of `q`."""
        return State(self.machine, self.q)

    def wrenches_at(self, q: ArrayLike | State) -> dict[str, Wrench]:
        """Return {link: Wrench} of the loads at q, each link's added up."""
        state = State.of(self.machine, q)
        for k, load in enumerate(self.loads):
            with self._at(f"loads[{k}]"):
                load.wrench(self.machine, state)
        return wrenches_of(self.loads, self.machine, state)

    # --- the answers -----------------------------------------------------------------------

    def check(self) -> Hold:
        """Return whether the contacts hold the robot in the posture that touches.

        Raises:
            ScenarioError: no posture touches; the message has the nearest one's error.
        """
        self.refuse_out_of_reach()
        wrenches = self.wrenches_at(self.state)
        return static_hold(self.machine, self.state, self.contact_set, wrenches, self.torque_bounds)

    def region(self, tolerance: float = 1e-3) -> Region:
        """Return where the centre of mass may be, seen from above, without torque limits.

        The static-equilibrium polygon under the loads: see `static_equilibrium_polygon`.
        """
        self.refuse_out_of_reach()
        where, wrenches = (self.machine, self.state, self.contact_set), self.wrenches_at(self.state)
        return static_equilibrium_polygon(*where, tolerance, wrenches=wrenches)

    def penetrations(self, tolerance: float = 5e-3) -> tuple[Penetration, ...]:
        """Return which links lie deeper than `tolerance` [m] in the terrain: see `penetrations`.

        A verdict does not ask for it; a real robot could not stand there.
        """
        return penetrations(self.machine, self.q, self.ground, tolerance)

    def scene(
        self, region: Region | None = None, animate: bool = True, by_margin: bool = False
    ) -> Any:
        """Return a Viewer with terrain, robot, contacts, cones, forces, region and the verdict.

        A posture out of reach is drawn too, with where its contacts should be; a robot that does
        not hold moves along its certificate if `animate`. `region`: in place of the static one;
        `by_margin`: in the colours of what each contact could lose, see `draw_hold`.
        """
        boolean(animate, "animate", error=ScenarioError)
        boolean(by_margin, "by_margin", error=ScenarioError)
        if region is not None:
            instance(region, "region", Region, error=ScenarioError)
        return registry.view(self, region, animate=animate, by_margin=by_margin)

    _repr_html_ = registry.html_of

    # --- inside ----------------------------------------------------------------------------

    def _robot_source(self) -> str | Path:
        """A name of the catalogue, or a file beside the scenario; nothing else is looked for."""
        names = catalogue.names()
        if self.robot in names:
            return self.robot
        path = self.folder / self.robot
        if not path.is_file():
            raise ScenarioError(f"{unknown('robot', self.robot, names)}; nor is {path} a file")
        return path

    @contextmanager
    def _at(self, key: str) -> Iterator[None]:
        """Say in errors which key of the file they come from."""
        try:
            yield
        except ScenarioError as error:
            raise error if str(error).startswith(self.file) else self._error(key, error) from None
        except FootworkError as error:
            raise self._error(key, error) from error

    def _error(self, key: str, error: Exception) -> ScenarioError:
        line = self.lines.get(key)
        return ScenarioError(f"{self.file}{f':{line}' if line else ''}: {key}: {error}")


def _check_com(com: Any) -> None:
    if com is None or com == "inside":
        return
    if not isinstance(com, tuple) or len(com) not in (2, 3):
        words = "[x, y], [x, y, z] with free where it is free, or inside"
        raise ScenarioError(f"com: got {com!r}, expected {words}")
    for value in com:
        if value is not None:
            number(value, "com", unit="[m]", error=ScenarioError)


def _check_torque_limits(value: Any) -> None:
    if isinstance(value, bool):
        return
    if not isinstance(value, tuple):
        number(value, "torque_limits", at_least=0, at_most=1, error=ScenarioError)
        return
    for pair in value:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ScenarioError(f"torque_limits: got {pair!r}, expected (joint, limit)")
        text(pair[0], "torque_limits", error=ScenarioError)
        unit: Any = {"unit": "[N·m or N]", "at_least": 0, "error": ScenarioError}
        number(pair[1], f"torque_limits: {pair[0]}", **unit)


def _torque_bounds(robot: Robot, limits: Any) -> Any:
    """What `Scenario.torque_limits` means, for `static_hold`."""
    if isinstance(limits, bool):
        return limits
    if isinstance(limits, tuple):
        bounds = torque_bounds_of(robot, dict(limits))
        return bounds.lower, bounds.upper
    usual = torque_bounds_of(robot, True)
    limited = np.isfinite(usual.upper)  # a share of no limit is none
    return tuple(np.where(limited, limits * side, side) for side in (usual.lower, usual.upper))


def find(source: str | os.PathLike[str]) -> Path:
    """Return the path of a scenario: a file, or the name of one that comes with footwork.

    Raises:
        ScenarioError: there is none; the message has the nearest names.
    """
    path = files.as_path(source, "scenario", ScenarioError)
    if isinstance(source, str) and source in scenarios():
        return FOLDER / f"{source}.yaml"
    if path.suffix in (".yaml", ".yml") or path.exists():
        shipped = FOLDER / path.name
        if not path.exists() and path.parent == Path() and shipped.is_file():
            return shipped
        if not path.exists():
            raise ScenarioError(
                f"{path}: no such file; {unknown('scenario', path.stem, scenarios())}"
            )
        return path
    raise ScenarioError(f"{unknown('scenario', str(source), scenarios())}; nor is it a file")
