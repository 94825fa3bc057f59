"""`footwork audit`: which samples of motions a robot can do, and why it cannot do the others."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import FootworkError
from . import flags, motions
from .output import needs_plots, report, wrote

ALONE = ("contacts", "save_contacts", "png", "html")  # flags that need a single motion


def add(commands: Any) -> None:
    """Declare the flags of `footwork audit`."""
    words = (
        "which samples of a motion a robot can do: contacts, torques, slip, ranges, collisions; of "
        "the others, why not. Several files or a folder: a table, what breaks most first"
    )
    parser = flags.command(commands, "audit", run, words)
    parser.add_argument(
        "motions", nargs="+", type=Path, metavar="MOTION", help="a file, or a folder of them"
    )
    motions.add(parser)
    parser.add_argument(
        "--limit", nargs="+", type=flags.named("slip=0.1"), action="extend", default=[],
        metavar="CHECK=VALUE",
        help="the largest value of a check that is let pass, as in slip=0.1; inf: any",
    )  # fmt: skip
    parser.add_argument(
        "--longest", type=flags.whole, default=8, metavar="N",
        help="how many stretches are told, the longest first (8)",
    )  # fmt: skip
    flags.shared(parser, "--jobs", "--journal")
    flags.shared(parser, "--json", "--csv", "--png", "--html")


def run(options: argparse.Namespace) -> int:
    """Audit one motion or many; exit code 0: all samples hold, 1: some do not."""
    many = len(options.motions) > 1 or options.motions[0].is_dir()
    if many and (given := [name for name in ALONE if getattr(options, name)]):
        flag = f"--{given[0].replace('_', '-')}"
        raise FootworkError(f"{flag}: got several motions, expected one")
    if not many and options.journal:
        raise FootworkError("--journal: got one motion, expected several, or a folder")
    return (_many if many else _one)(options, _asked(options))


def _one(options: argparse.Namespace, asked: dict[str, Any]) -> int:
    from .. import contacts

    needs_plots(options)
    motion = motions.read(options, options.motions[0])
    schedule = motions.schedule(options, motion)
    audit = contacts.audit(motion, schedule, **asked)
    report(options, audit, longest=options.longest)
    if options.save_contacts:
        wrote(options, audit.schedule.save(options.save_contacts))
    return flags.OK if audit.holds else flags.NO


def _many(options: argparse.Namespace, asked: dict[str, Any]) -> int:
    from .. import contacts

    robot = flags.load(options)
    with flags.executor(options) as executor:
        table = contacts.audit_files(
            robot,
            options.motions,
            reading=motions.reading(options),
            journal=options.journal,
            executor=executor,
            **asked,
        )
    report(options, table)
    if len(table.failed) == len(table.rows):
        return flags.BAD
    return flags.OK if table.holds else flags.NO


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments that audits of one and of many motions share."""
    return {
        "terrain": motions.ground(options),
        "friction": motions.friction(options),
        "torque_limits": not options.no_torque_limits,
        "self_collision": not options.no_self_collision,
        "limits": dict(options.limit),
    }
