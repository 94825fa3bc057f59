"""Command-line flags shared by several commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..workers import workers

if TYPE_CHECKING:
    from ..contacts import ContactSet
    from ..robots import Foot, Robot, Xacro

Number = TypeVar("Number", int, float)

OK, NO, BAD, BUG, INTERRUPTED = 0, 1, 2, 3, 130


def command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], words: str
) -> argparse.ArgumentParser:
    """Add a subcommand that calls run(options), which returns the exit code."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.add_argument(
        "--quiet", action="store_true", help="print errors only; the exit code gives the answer"
    )
    parser.set_defaults(run=run)
    return parser


def robot_flags(
    parser: argparse.ArgumentParser,
    posture: bool = True,
    metavar: str = "ROBOT",
    words: str = "a name (see `footwork robots`) or a file",
) -> None:
    """Add the flags for the robot, its base, its passive and locked joints, and its posture."""
    parser.add_argument("robot", metavar=metavar, help=words)
    shared(parser, *LOADING)
    if posture:
        shared(parser, "--posture")


def shared(parser: argparse.ArgumentParser, *names: str, **changed: Any) -> None:
    """Add flags of `SHARED`, with the help of this command where each has its own."""
    command = parser.prog.split()[-1]
    for name in names:
        options = {**SHARED[name], **changed}
        if not isinstance(options["help"], str):
            options["help"] = options["help"][command]
        parser.add_argument(name, **options)


class _Names(argparse.Action):
    """Names with blanks or commas between."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        setattr(namespace, self.dest, [name for word in values for name in word.split(",") if name])


def save_flag(parser: argparse.ArgumentParser, *endings: str) -> None:
    """Add the flag for the arrays; the suffix of the name selects the format."""
    shared(parser, "--save")
    parser.description = f"{parser.description} (--save: {', '.join(endings)})"
    parser.set_defaults(endings=endings)


def coefficient(text: str) -> float | tuple[float, float]:
    """Parse a coefficient of friction, or two with a comma between: finite, of at least 0."""
    values = tuple(map(_number, text.split(",")))
    decimal_comma = len(values) == 2 and text.replace(",", "").isdecimal()  # 0,5 may be a half
    if len(values) > 2 or decimal_comma or not all(0 <= value < float("inf") for value in values):
        expected = "a finite number of at least 0, or two as in 0.8,0.4"
        raise argparse.ArgumentTypeError(f"got {text}, expected {expected}")
    return values[0] if len(values) == 1 else (values[0], values[1])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def named(example: str) -> Callable[[str], tuple[str, float]]:
    """Return the parser of NAME=NUMBER, as in an example."""

    def parse(text: str) -> tuple[str, float]:
        name, _, value = text.partition("=")
        try:
            return name, float(value)
        except ValueError:
            raise argparse.ArgumentTypeError(f"got {text}, expected as in {example}") from None

    return parse


def _parser(
    read: Callable[[str], Number], fits: Callable[[Number], bool], expected: str
) -> Callable[[str], Number]:
    """Return the parser of numbers that fit, which says what is expected of others."""

    def parse(text: str) -> Number:
        value = read(text)
        if not fits(value):
            raise argparse.ArgumentTypeError(f"got {text}, expected {expected}")
        return value

    return parse


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() else -1


decimal = _parser(_number, isfinite, "a finite number")
positive = _parser(_number, lambda x: 0 < x < inf, "a finite number greater than 0")
whole = _parser(_whole, lambda x: x >= 0, "a whole number of at least 0")
count = _parser(_whole, lambda x: x >= 1, "a whole number of at least 1")


def friction(options: argparse.Namespace) -> float | tuple[float, float]:
    """Return the coefficients of --friction; 0.7 without it."""
    given: float | tuple[float, float] | None = options.friction
    return 0.7 if given is None else given


def tangent(normal: Any = (0.0, 0.0, 1.0)) -> tuple[float, float, float]:
    """Return the direction of the first of two coefficients of friction at a point.

    Along the world's x, along y on what faces x, as the axes of a point without a tangent are.
    """
    return (1.0, 0.0, 0.0) if abs(normal[0]) < 0.9 else (0.0, 1.0, 0.0)


def feet(
    robot: Robot, options: argparse.Namespace, feet: Mapping[str, Foot] | None = None
) -> ContactSet:
    """Return contacts at a robot's feet, or those given, with the friction of --friction."""
    from .. import contacts

    mu = friction(options)
    along = tangent() if isinstance(mu, tuple) else None
    return contacts.at_feet(robot, mu, feet=feet, tangent=along)


def load(options: argparse.Namespace, source: str | None = None) -> Robot:
    """Return the robot of `robot_flags`, or another one, with the flags for loading."""
    from .. import robots

    return robots.load(
        source or options.robot,
        base=options.base,
        passive=options.passive,
        lock=options.lock,
        mimic=options.mimic,
        package_dirs=options.package_dir,
        meshes=not options.no_meshes,
        xacro=xacro(options),
        feet=list(options.feet) or None,
        motors=options.motors,
    )


@contextmanager
def executor(options: argparse.Namespace) -> Iterator[Executor | None]:
    """Yield the workers of --jobs, None for one; Ctrl-C says whether --journal keeps their work."""
    try:
        with nullcontext() if options.jobs == 1 else workers(options.jobs) as several:
            yield several
    except KeyboardInterrupt:
        resumes, lost = "the same command resumes", "without --journal nothing is kept"
        print(f"footwork: interrupted; {resumes if options.journal else lost}", file=sys.stderr)
        raise


def xacro(options: argparse.Namespace) -> Xacro | None:
    """Return what --xacro-arg says; None without: by the suffix of the file."""
    from ..robots import Xacro

    return Xacro(args=dict(options.xacro_arg)) if options.xacro_arg else None


def assignment(text: str) -> tuple[str, str]:
    """Parse NAME:=VALUE."""
    name, sign, value = text.partition(":=")
    if not (sign and name):
        raise argparse.ArgumentTypeError(f"got {text}, expected NAME:=VALUE")
    return name, value


def _file(words: str, metavar: str = "FILE") -> dict[str, Any]:
    return {"type": Path, "metavar": metavar, "help": words}


# of `robots.load`
LOADING = (
    "--base", "--passive", "--lock", "--mimic", "--feet", "--package-dir", "--xacro-arg",
    "--no-meshes", "--motors",
)  # fmt: skip

# flags that mean the same in every command
SHARED: Mapping[str, dict[str, Any]] = {
    "--base": {
        "choices": ("floating", "fixed"),
        "help": "free to move, or welded to the world (default: as the description has it)",
    },
    "--passive": {
        "action": _Names, "nargs": "+", "default": (), "metavar": "JOINT",
        "help": "joints without a motor",
    },
    "--lock": {
        "action": _Names, "nargs": "+", "default": (), "metavar": "JOINT",
        "help": "joints to lock, by name or pattern",
    },
    "--mimic": {
        "choices": ("couple", "lock", "independent"),
        "help": "mimic joints follow their leaders, are locked at rest, or free (default: couple; "
        "lock for robots that load by name)",
    },
    "--package-dir": {
        "action": "append", "default": [], "metavar": "FOLDER",
        "help": "folder searched first for package://name/…; may be repeated",
    },
    "--xacro-arg": {
        "type": assignment, "action": "append", "default": [], "metavar": "NAME:=VALUE",
        "help": "an argument of a xacro file, for $(arg NAME); may be repeated",
    },
    "--feet": {
        "nargs": "+", "default": (), "metavar": "FOOT",
        "help": "the feet, by hand: a foot or a link; LINK:0.22x0.10 with length and width of its "
        "sole, LINK:0.03 with the radius of its ball [m]; or a YAML file. In a scenario: only "
        "these contacts are closed",
    },
    "--motors": _file(
        "motors whose torques depend on their speed, by joint or pattern: .yaml or .csv"
    ),
    "--no-meshes": {
        "action": "store_true", "help": "load no mesh files: the dynamics do not depend on them",
    },
    "--posture": {
        "metavar": "NAME", "help": "a named posture of the robot (default: the one it stands in)",
    },
    "--friction": {
        "type": coefficient, "metavar": "MU",
        "help": "Coulomb friction coefficient (default: 0.7; in a scenario: of contacts "
        "without one); two, MU_X,MU_Y: along the axes of soles, and at points along the "
        "world's x, on a wall that faces x along y, and across it",
    },
    "--estimator": {
        "action": "store_true",
        "help": "tell the controller what an estimator makes of an IMU, encoders and torques with "
        "noise and biases, instead of where the robot is",
    },
    "--cutoff": {
        "type": decimal, "metavar": "HZ",
        "help": {
            "gait": "cut-off of the low-pass filter [Hz] (6; 0: no filter)",
            "wrenches": "cut-off of the low-pass filter [Hz] (30)",
        },
    },
    "--predictive": {
        "action": "store_true",
        "help": "gaits at a commanded speed by predictive control within friction cones and torque "
        "limits, instead of a pendulum of constant height: faster trots",
    },
    "--tolerance": {
        "type": positive, "metavar": "T",
        "help": {
            "region": "gap to the exact region [m] (0.001)",
            "diff": "values this near are the same, relative for masses, inertias, velocities and "
            "torques; in m and rad for places, directions and positions (0.0001)",
        },
    },
    "--seed": {"type": whole, "metavar": "N", "help": "seed of the random numbers"},
    "--terrain": {
        "metavar": "SCENARIO",
        "help": "the terrain of a scenario: a .yaml file, or a name of `footwork scenarios` "
        "(level)",
    },
    "--speed": {
        "nargs": "+", "type": decimal, "metavar": "V",
        "help": {
            "simulate": "commanded speed forward [m/s]",
            "judge": "commanded speeds forward [m/s]; pushes come at the first",
        },
    },
    "--duration": {
        "type": positive, "metavar": "S",
        "help": {
            "simulate": "duration [s] (2 of standing, 6 at a commanded speed; steps take what they "
            "take)",
            "judge": "duration of a trial [s] (10)",
        },
    },
    "--sideways": {
        "type": decimal, "metavar": "M/S", "help": "commanded speed to the left [m/s]",
    },
    "--turn": {
        "type": decimal, "metavar": "RAD/S", "help": "commanded turn to the left [rad/s]",
    },
    "--gait": {
        "default": "stand",
        "help": {
            "simulate": "gait (stand); walk, tripod, trot, pace, bound, wave, ripple, crawl: at a "
            "commanded speed; step, trot, crawl: --steps of --length; catch: stand, with recovery "
            "steps when pushed too hard",
            "judge": "gait (stand)",
            "limits": "gait (walk on two feet, trot on four, tripod on six)",
        },
    },
    "--no-torque-limits": {"action": "store_true", "help": "ignore the joint torque limits"},
    "--directions": {
        "type": whole, "metavar": "N",
        "help": {
            "judge": "directions around in which the largest push is searched (8; 0: none)",
            "limits": "directions around in which the robot goes, and both turns (the one of "
            "--direction)",
        },
    },
    "--shove": {
        "type": positive, "default": 0.0, "metavar": "SPEED",
        "help": {
            "simulate": "random pushes, each of this change of speed [m/s]",
            "judge": "push each trial once, by this change of speed, at a moment that differs "
            "[m/s]",
        },
    },
    "--jobs": {"type": count, "default": 1, "metavar": "N", "help": "processes (1)"},
    "--journal": _file("journal of what is finished, from which the same command resumes"),
    "--no-browser": {"action": "store_true", "help": "print the address only"},
    "--by-margin": {
        "action": "store_true",
        "help": "colour contacts and forces of the scene by each contact's margin, red to green",
    },
    "--json": {"action": "store_true", "help": "print the answer as JSON"},
    "--html": _file("write the scene as a page that opens offline (- for standard output)"),
    "--png": _file("write the picture (- for standard output)"),
    "--csv": _file("write the table (- for standard output)"),
    "--out": _file("write all outputs into this folder", "FOLDER"),
    "--save": _file("write the arrays; the suffix selects the format"),
}  # fmt: skip
