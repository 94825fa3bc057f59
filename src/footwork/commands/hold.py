"""`footwork hold`: static equilibrium of a robot in contact, its margins and its failure modes."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING, Any

from ..errors import FootworkError
from . import flags, stance
from .output import answer, paint, write_scene, write_table

if TYPE_CHECKING:
    from ..contacts import Hold, Posture, Scenario


def add(commands: Any) -> None:
    """Declare the flags of `footwork hold`."""
    words = "static equilibrium: verdict, margins, reason. The table: forces at every point"
    parser = flags.command(commands, "hold", run, words)
    stance.add_flags(parser)
    flags.shared(parser, "--by-margin", "--json", "--html", "--png", "--csv")


def run(options: argparse.Namespace) -> int:
    """Print the verdict and write its scene if requested; the exit code is the answer."""
    if options.by_margin and not (options.html or options.png):
        raise FootworkError("--by-margin: colours the scene, which --html or --png writes")
    scenario = stance.scenario_of(options)
    if scenario is not None and not scenario.solved.converged:
        return _no_posture(scenario, scenario.solved, options)
    where = stance.stance_of(options, scenario)
    hold = where.hold()
    colour = {True: "green", False: "red", None: "yellow"}[hold.feasible]
    title = scenario.title if scenario is not None else ""
    verdict, *rest = _report(hold, scenario)
    text = "\n".join([*filter(None, [title]), paint(options, verdict, colour), *rest])
    answer(options, _facts(hold, scenario), text)
    write_table(options, ("contact", *"xyz", "fx", "fy", "fz"), _rows(hold))
    if options.html or options.png:
        write_scene(where.view(hold, by_margin=options.by_margin), options)
    return flags.OK if hold.feasible else flags.NO


def _facts(hold: Hold, scenario: Scenario | None) -> dict[str, Any]:
    answer = hold.as_dict()
    if scenario is not None:
        answer["penetrations"] = [dataclasses.asdict(link) for link in scenario.penetrations()]
    return answer


def _report(hold: Hold, scenario: Scenario | None) -> list[str]:
    from ..contacts.margin_words import friction_words, push_words

    lines = hold.explain().splitlines()
    if scenario is not None:
        lines += [f"  note: {link}" for link in scenario.penetrations()]
    if hold.feasible:
        lines.append(f"  {push_words(hold.push_margin())}")
        lines.append(f"  {friction_words(hold.friction_margin())}")
    return lines


def _rows(hold: Hold) -> list[tuple[Any, ...]]:
    """Return a row per contact force: contact, point and force, world axes [m, N]."""
    forces, robot = hold.forces or {}, hold.contacts.robot
    return [
        (contact.name, *place.tolist(), *force.tolist())
        for contact in hold.contacts
        if contact.name in forces
        for place, force in zip(
            contact.world_points(robot, hold.q), forces[contact.name], strict=True
        )
    ]


def _no_posture(scenario: Scenario, posture: Posture, options: argparse.Namespace) -> int:
    """Report that no posture reaches the contacts, or that none is in equilibrium."""
    facts = {
        "robot": scenario.machine.name,
        "feasible": False,
        "status": "no posture",
        "reason": posture.reason,
        "error": posture.error,
        "q": posture.q.tolist(),
    }
    verdict = paint(options, f"{scenario.machine.name} finds no posture there", "red")
    answer(options, facts, f"{verdict}\n  {posture.reason}")
    if options.html or options.png:
        write_scene(scenario.scene(), options)
    return flags.NO
