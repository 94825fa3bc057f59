"""Robot, posture, contacts and loads for the commands `hold`, `region`, `show` and `live`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .. import registry
from ..errors import FootworkError, unknown
from . import flags

if TYPE_CHECKING:
    from ..contacts import ContactSet, Hold, Region, Scenario
    from ..robots import Robot
    from ..visualize import Viewer

REGIONS = ("static", "feasible", "zmp")


@dataclass(frozen=True, eq=False)
class Stance:
    """A robot in contact, with the wrenches that act on it.

    Attributes:
        robot, q, contacts, wrenches, torque_limits: as for `contacts.static_hold`.
        scenario: its source, if any.
    """

    robot: Robot
    q: Any
    contacts: ContactSet
    wrenches: dict[str, Any]
    torque_limits: Any
    scenario: Scenario | None = None

    def hold(self) -> Hold:
        """Return the verdict on its static equilibrium."""
        from .. import contacts

        return contacts.static_hold(
            self.robot, self.q, self.contacts, self.wrenches, self.torque_limits
        )

    def region(self, kind: str, tolerance: float) -> Region:
        """Return one of `REGIONS`."""
        from .. import contacts
        from ..visualize.scenes.hold import ground_height

        where = self.robot, self.q, self.contacts
        if kind == "zmp":
            lowest = ground_height(self.contacts, self.q)
            return contacts.zmp_support_area(*where, height=lowest, tolerance=tolerance)
        if kind == "static":
            return contacts.static_equilibrium_polygon(*where, tolerance, wrenches=self.wrenches)
        return contacts.feasible_region(*where, self.wrenches, self.torque_limits, tolerance)

    def view(self, hold: Hold, *, by_margin: bool = False) -> Viewer:
        """Return its scene; `by_margin`: its colours."""
        shown: Viewer = registry.view(self.scenario or hold, by_margin=by_margin)
        return shown

    def view_of_region(self, region: Region, kind: str) -> Viewer:
        """Return its scene with one of `REGIONS` in place of the static one."""
        from ..visualize.scenes.hold import draw_legend, ground_height
        from ..visualize.scenes.region import draw_region, has_outline, on_ground
        from ..visualize.scenes.scenario import support_of

        hold, scenario = self.hold(), self.scenario
        if scenario is not None:
            support = region if kind == "zmp" else support_of(scenario, hold, region)
            shown: Viewer = registry.view(scenario, support)
            return shown
        viewer: Viewer = registry.view(hold, False)
        ground = ground_height(self.contacts, self.q)
        of_weight = on_ground(region, self.robot, hold.state.com, ground)
        draw_region(viewer, region if kind == "zmp" else of_weight, ground)
        draw_legend(viewer, hold, has_outline(region))
        return viewer

    def as_scenario(self) -> Scenario:
        """Return the scenario of it, on level ground if it has none."""
        from ..contacts import Scenario

        if self.scenario is not None:
            return self.scenario
        made = Scenario.of(self.robot, self.q, self.contacts, self.wrenches)
        return made if self.torque_limits else made.replaced(torque_limits=False)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags for the scenario or robot, and those that modify it."""
    flags.robot_flags(
        parser,
        metavar="SCENARIO|ROBOT",
        words="a scenario (a .yaml file, or a name: see `footwork scenarios`), or a robot on its "
        "feet (a name: see `footwork robots`; or a file)",
    )
    flags.shared(parser, "--friction")
    parser.add_argument(
        "--push",
        nargs=4,
        action="append",
        metavar=("FRAME", "FX", "FY", "FZ"),
        help="a force on a link at its origin, in world axes [N], as in torso 150 0 0; may be "
        "repeated",
    )
    flags.shared(parser, "--no-torque-limits")


def scenario_of(options: argparse.Namespace) -> Scenario | None:
    """Return the scenario, modified by the flags; None for a robot.

    Raises:
        ScenarioError: an invalid scenario.
        FootworkError: a name that is neither a scenario's nor a robot's.
    """
    from ..contacts.scenario.scenario import scenario_or_robot

    scenario = scenario_or_robot(options.robot)
    return _changed(scenario, options) if scenario else None


def stance_of(options: argparse.Namespace, scenario: Scenario | None, arms: bool = False) -> Stance:
    """Return the stance of a scenario, its posture solved; without one, of a robot on its feet.

    `arms`: also of a robot without feet whose base is fixed.

    Raises:
        ScenarioError: also when no posture reaches the contacts.
    """
    if scenario is not None:
        scenario.refuse_out_of_reach()
        q = scenario.q
        parts = scenario.contact_set, scenario.wrenches_at(q), scenario.torque_bounds
        return Stance(scenario.machine, q, *parts, scenario)
    from ..contacts import ContactSet
    from ..contacts.scenario.loads import wrenches_of
    from ..robots.feet.found import lies_on, stands_nowhere

    robot = flags.load(options)
    problem = "" if options.posture else stands_nowhere(robot)
    if problem:
        raise FootworkError(
            f"{robot.name!r} finds no posture to stand in: {problem}; --posture NAME takes one"
        )
    q = robot.posture(options.posture)
    if arms and not robot.is_floating and not robot.feet:
        feet = ContactSet(robot, [])
    else:
        feet = flags.feet(robot, options)
    if why := lies_on(robot, q):
        named = options.posture or robot.stance
        raise FootworkError(f"{robot.name!r} does not stand in its posture {named!r}: {why}")
    wrenches = wrenches_of(_pushes(options), robot, q)
    return Stance(robot, q, feet, wrenches, not options.no_torque_limits)


def _changed(scenario: Scenario, options: argparse.Namespace) -> Scenario:
    if options.base:
        raise FootworkError("--base: of a robot; a scenario's robot has the base of its contacts")
    if options.mimic:
        raise FootworkError("--mimic: of a robot; a scenario locks joints by its key lock")
    changes: dict[str, Any] = {}
    if options.friction is not None:
        changes["friction"] = options.friction
    if isinstance(options.friction, tuple):
        scenario = _along_the_world(scenario)
    if options.posture:
        changes["posture"] = options.posture
    if options.no_torque_limits:
        changes["torque_limits"] = False
    if options.passive or options.lock:
        changes["passive"] = (*scenario.passive, *options.passive)
        changes["lock"] = (*scenario.lock, *options.lock)
    if options.motors:
        changes["motors"] = str(options.motors.absolute())
    if options.push:
        changes["loads"] = (*scenario.loads, *_pushes(options))
    if options.feet:
        named = dict(zip(scenario.contact_set.names, scenario.contacts, strict=True))
        changes["contacts"] = tuple(_named(name, named) for name in options.feet)
    return replace(scenario, **changes)


def _along_the_world(scenario: Scenario) -> Scenario:
    """Give points without a tangent one; patches have their own axes."""
    from ..contacts import PointContact

    pairs = zip(scenario.contacts, scenario.contact_set, strict=True)
    parts = (
        replace(part, tangent=part.tangent or flags.tangent(contact.normal))
        if isinstance(contact, PointContact)
        else part
        for part, contact in pairs
    )
    return replace(scenario, contacts=tuple(parts))


def _named(name: str, contacts: dict[str, Any]) -> Any:
    if name not in contacts:
        raise FootworkError(f"--feet: {unknown('contact', name, contacts)}")
    return contacts[name]


def _pushes(options: argparse.Namespace) -> tuple[Any, ...]:
    """Return the loads of the --push flags: forces at the frames' origins, world axes."""
    from ..contacts import Push

    pushes = options.push or []
    return tuple(Push(frame, tuple(map(_number, force))) for frame, *force in pushes)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FootworkError(f"--push: got {text!r}, expected FRAME FX FY FZ [N]") from None
