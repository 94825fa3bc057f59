"""The command `footwork`: load, look, decide.

Exit codes: 0 yes or done, 1 the answer is "no" (or "at the edge"), 2 bad usage or bad input. Heavy
imports happen inside the commands, so that `footwork --help` answers at once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import __version__
from .errors import FootworkError

if TYPE_CHECKING:
    from .contacts import ContactSet, Hold
    from .robots import Robot, Viewer

OK, NO, BAD = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except FootworkError as error:
        if options.debug:
            raise
        print(f"footwork: {error}", file=sys.stderr)
        return BAD
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # `footwork … | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return OK
        if options.debug:
            raise
        print(f"footwork: {error.strerror or error}: {error.filename or ''}", file=sys.stderr)
        return BAD
    except KeyboardInterrupt:
        return 130


# --- the commands ------------------------------------------------------------------------------


def _demo(options: argparse.Namespace) -> int:
    """A humanoid on two feet; a quadruped with a foot on a slope; a push that topples."""
    from .demo import run

    return OK if run(options.out, picture=not options.no_png) else NO


def _hold(options: argparse.Namespace) -> int:
    from . import contacts

    robot = _load(options)
    feet = _feet(robot, options)
    limits = not options.no_torque_limits
    hold = contacts.static_hold(
        robot, robot.posture(options.posture), feet, _pushes(options), limits
    )
    print(json.dumps(hold.as_dict(), indent=2) if options.json else _report(hold))
    if options.html or options.png:
        _write(contacts.view(hold), options)
    return OK if hold.feasible else NO


def _info(options: argparse.Namespace) -> int:
    robot = _load(options)
    facts = _facts(robot)
    if options.json:
        print(json.dumps(facts, indent=2))
        return OK
    for name, value in facts.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        print(f"{name:<16} {shown if shown not in ('', {}) else '-'}")
    return OK


def _robots(options: argparse.Namespace) -> int:
    from .robots import available, table

    if options.json:
        print(json.dumps([table.facts(info) for info in available()], indent=2))
    else:
        print(table.table())
    return OK


def _check(options: argparse.Namespace) -> int:
    from .robots import diagnose, diagnosis

    findings = diagnose(options.robot, package_dirs=options.package_dir)
    if options.json:
        print(json.dumps(diagnosis.as_json(findings), indent=2))
    else:
        print(diagnosis.verdict(findings))
    return OK if diagnosis.passes(findings, options.strict) else NO


def _show(options: argparse.Namespace) -> int:
    from .robots import Viewer

    robot = _load(options)
    viewer = Viewer(robot)
    viewer.display(robot.posture(options.posture))
    if options.html or options.png:
        _write(viewer, options)
        return OK
    with viewer:
        print(f"{robot.name} at {viewer.url} (Ctrl-C ends)", flush=True)
        if not options.no_browser:
            viewer.open()
        _wait()
    return OK


# --- their parts -------------------------------------------------------------------------------


def _load(options: argparse.Namespace) -> Robot:
    from . import robots

    return robots.load(options.robot, passive=options.passive, lock=options.lock)


def _feet(robot: Robot, options: argparse.Namespace) -> ContactSet:
    from . import contacts

    feet = contacts.at_feet(robot, options.friction)
    return contacts.ContactSet(robot, [feet[name] for name in options.feet or feet.names])


def _pushes(options: argparse.Namespace) -> dict[str, Any]:
    """{frame: Wrench} of the --push flags, a force at the frame's origin in world axes."""
    from .dynamics import Wrench

    pushes: dict[str, Any] = {}
    for frame, *components in options.push or []:
        push = Wrench([_number(c) for c in components], [0.0, 0.0, 0.0])
        pushes[frame] = pushes[frame] + push if frame in pushes else push
    return pushes


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise FootworkError(f"--push: got {text!r}, expected FRAME FX FY FZ [N]") from None


def _report(hold: Hold) -> str:
    lines = [hold.explain()]
    if hold.feasible:
        lines.append(
            f"  push margin {hold.push_margin():.4g} N at the centre of mass, any direction"
        )
        lines.append(f"  friction margin {hold.friction_margin():.4g} (may shrink by this factor)")
    return "\n".join(lines)


def _facts(robot: Robot) -> dict[str, Any]:
    return {
        "name": robot.name,
        "source": robot.source,
        "base": "floating" if robot.is_floating else "fixed",
        "nq": robot.nq,
        "nv": robot.nv,
        "na": robot.na,
        "mass [kg]": round(robot.mass, 6),
        "postures": list(robot.postures),
        "feet": [f"{foot.name} ({foot.frame})" for foot in robot.feet.values()],
        "joints": list(robot.joint_names),
        "actuated": list(robot.actuated),
        "frames": len(robot.frame_names),
    }


def _write(viewer: Viewer, options: argparse.Namespace) -> None:
    for path, write in ((options.html, viewer.save_html), (options.png, viewer.screenshot)):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
            print(f"wrote {path}", file=sys.stderr)


def _wait() -> None:
    import time

    while True:
        time.sleep(3600)


# --- the flags ---------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="footwork",
        description="Legged robots from a description to a verdict on their contacts.",
        epilog="exit codes: 0 yes or done, 1 the answer is no, 2 bad usage or bad input",
    )
    parser.add_argument("--version", action="version", version=f"footwork {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    demo = _command(commands, "demo", _demo, "the main job: two robots, verdicts and pages")
    demo.add_argument("--out", type=Path, default=Path("out"), help="folder to write to (out)")
    demo.add_argument("--no-png", action="store_true", help="pages only, no pictures")

    hold = _command(commands, "hold", _hold, "can the robot stand there, by what margin, why not?")
    _hold_flags(hold)

    info = _command(commands, "info", _info, "sizes, mass, joints, feet and postures of a robot")
    _robot_flags(info, posture=False)
    info.add_argument("--json", action="store_true", help="the same as JSON")

    listing = _command(commands, "robots", _robots, "the robots that load by name")
    listing.add_argument("--json", action="store_true", help="the same as JSON")

    check = _command(commands, "check", _check, "what is wrong or doubtful in a description?")
    check.add_argument("robot", metavar="ROBOT", help="a name, a file, or - for standard input")
    check.add_argument("--strict", action="store_true", help="warnings too make the answer no")
    check.add_argument("--json", action="store_true", help="the findings as JSON")
    check.add_argument(
        "--package-dir", action="append", default=[], metavar="DIR", help="where package:// leads"
    )

    show = _command(commands, "show", _show, "see a robot in the browser")
    _robot_flags(show)
    show.add_argument("--no-browser", action="store_true", help="print the address only")
    _picture_flags(show)
    return parser


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], words: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.set_defaults(run=run)
    return parser


def _robot_flags(parser: argparse.ArgumentParser, posture: bool = True) -> None:
    parser.add_argument("robot", metavar="ROBOT", help="a name (see `footwork robots`) or a file")
    parser.add_argument(
        "--passive", nargs="+", default=(), metavar="JOINT", help="joints without a motor"
    )
    parser.add_argument(
        "--lock", nargs="+", default=(), metavar="JOINT", help="joints that do not move"
    )
    if posture:
        parser.add_argument("--posture", help="a posture of the robot (the one it stands in)")


def _hold_flags(parser: argparse.ArgumentParser) -> None:
    _robot_flags(parser)
    parser.add_argument("--friction", type=float, default=0.7, help="Coulomb coefficient (0.7)")
    parser.add_argument(
        "--feet", nargs="+", metavar="FOOT", help="only these feet touch the ground"
    )
    parser.add_argument(
        "--push",
        nargs=4,
        action="append",
        metavar=("FRAME", "FX", "FY", "FZ"),
        help="a force on a link, at its origin, world axes [N]; may be repeated",
    )
    parser.add_argument("--no-torque-limits", action="store_true", help="joints of any strength")
    parser.add_argument("--json", action="store_true", help="the whole answer as JSON")
    _picture_flags(parser)


def _picture_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page that opens offline")
    parser.add_argument(
        "--png", type=Path, metavar="FILE", help="write a picture (needs Chromium or Chrome)"
    )
