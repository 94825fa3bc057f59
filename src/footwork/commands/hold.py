"""`footwork hold`: can the robot stand there, by what margin, why not?"""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from . import flags, stance
from .output import write_scene

if TYPE_CHECKING:
    from ..contacts import Hold, Posture, Scenario


def add(commands: Any) -> None:
    """Say the flags of `footwork hold`."""
    words = "can the robot stand there, by what margin, why not?"
    parser = flags.command(commands, "hold", run, words)
    stance.add_flags(parser)
    flags.json_flag(parser, "the whole answer as JSON")
    flags.picture_flags(parser)


def run(options: argparse.Namespace) -> int:
    """Print the verdict, draw it where asked; the exit code is the answer."""
    scenario = stance.scenario_of(options)
    if scenario is not None and not scenario.solved.converged:
        return _no_posture(scenario, scenario.solved, options)
    where = stance.stance_of(options, scenario)
    hold = where.hold()
    print(_as_json(hold, scenario) if options.json else _report(hold, scenario))
    if options.html or options.png:
        write_scene(where.view(hold), options)
    return flags.OK if hold.feasible else flags.NO


def _as_json(hold: Hold, scenario: Scenario | None) -> str:
    answer = hold.as_dict()
    if scenario is not None:
        answer["penetrations"] = [dataclasses.asdict(link) for link in scenario.penetrations()]
    return json.dumps(answer, indent=2)


def _report(hold: Hold, scenario: Scenario | None) -> str:
    lines = [hold.explain()]
    if scenario is not None:
        lines = [*filter(None, [scenario.title]), *lines]
        lines += [f"  note: {link}" for link in scenario.penetrations()]
    if hold.feasible:
        lines.append(
            f"  push margin {hold.push_margin():.4g} N at the centre of mass, any direction"
        )
        lines.append(f"  friction margin {hold.friction_margin():.4g} (may shrink by this factor)")
    return "\n".join(lines)


def _no_posture(scenario: Scenario, posture: Posture, options: argparse.Namespace) -> int:
    """What cannot be reached, or nowhere be held, does not hold."""
    if options.json:
        answer = {
            "robot": scenario.machine.name,
            "feasible": False,
            "status": "no posture",
            "reason": posture.reason,
            "error": posture.error,
            "q": posture.q.tolist(),
        }
        print(json.dumps(answer, indent=2))
    else:
        print(f"{scenario.machine.name} finds no posture there\n  {posture.reason}")
    if options.html or options.png:
        write_scene(scenario.scene(), options)
    return flags.NO
