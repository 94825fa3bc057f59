"""`footwork gait`: forces and moments at hips, knees and ankles from markers and force plates."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import registry
from ..errors import DataError
from ..progress import progress_bar
from . import flags
from .output import answer, needs, save_axes, save_plot, save_to, write_plot, write_view, wrote

if TYPE_CHECKING:
    from ..biomechanics import Gait
    from ..biomechanics.robot_gait import RobotGait


def add(commands: Any) -> None:
    """Declare the flags of `footwork gait`."""
    words = (
        "joint forces and moments from a laboratory's markers and force plates. The table: all of "
        "it over time; the picture: the joints; the page: the robot of --robot"
    )
    parser = flags.command(commands, "gait", run, words)
    parser.add_argument(
        "files", metavar="FILE", nargs="+", type=Path, help=".trc (and .forces), .c3d, or a table"
    )
    parser.add_argument(
        "--mass", type=flags.decimal, required=True, metavar="KG", help="mass of the subject [kg]"
    )
    parser.add_argument("--sex", choices=("male", "female"), default="male", help="whose table")
    _reading_flags(parser)
    flags.shared(parser, "--out", "--csv", "--png")
    parser.add_argument(
        "--robot",
        metavar="ROBOT",
        help="also fit this robot to the markers, as an independent model (human)",
    )
    flags.shared(parser, "--base", "--html", "--json")


def _reading_flags(parser: argparse.ArgumentParser) -> None:
    flags.shared(parser, "--cutoff")
    parser.set_defaults(cutoff=6.0)
    parser.add_argument("--forces", type=Path, metavar="FILE", help="the plates of a .trc file")
    parser.add_argument("--up", choices=("y", "z"), help="vertical axis (y; z for .c3d)")
    parser.add_argument("--unit", choices=("mm", "cm", "m"), help="unit of length of a table (mm)")
    parser.add_argument(
        "--frames",
        type=int,
        nargs=2,
        metavar=("FIRST", "LAST"),
        help="frames of the trial to use (all)",
    )
    parser.add_argument(
        "--threshold",
        type=flags.decimal,
        default=20.0,
        metavar="N",
        help="vertical force above which a plate counts as loaded [N] (20)",
    )
    parser.add_argument(
        "--markers",
        type=Path,
        metavar="FILE",
        help="marker set: landmark of each marker, as YAML or JSON",
    )
    parser.add_argument(
        "--side", choices=("right", "left"), help="the side to plot (with --out: both)"
    )
    parser.add_argument(
        "--per-mass", action="store_true", help="plot forces and moments per body mass"
    )


def run(options: argparse.Namespace) -> int:
    """Analyse every file, write the requested outputs, and print the peaks."""
    from ..biomechanics import gait as analysis

    if len(options.files) > 1 and (options.csv or options.png or options.html or options.forces):
        raise DataError("--csv, --png, --html and --forces are for one file; use --out for several")
    for flag in ("html", "base"):
        if getattr(options, flag) and not options.robot:
            raise DataError(f"--{flag} is for a robot, so name one: --robot human")
    stems = [file.stem for file in options.files]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if options.out and twice:
        raise DataError(
            f"--out: two files called {twice!r} would write the same files; run them separately"
        )
    if options.png or options.out:
        needs("--png" if options.png else "--out", "matplotlib", "plots")
    steps = ("read", *analysis.STEPS, "robot", "write")
    facts = []
    with progress_bar(total=len(steps) * len(options.files)) as bar:
        for file in options.files:

            def tell(step: str, file: Path = file) -> None:
                bar.set_description(f"{file.name}: {step}")
                bar.update()

            facts.append(_one(file, options, tell))
    answer(options, facts[0] if len(facts) == 1 else facts, "\n\n".join(map(_report, facts)))
    return flags.OK


def _one(file: Path, options: argparse.Namespace, tell: Callable[[str], None]) -> dict[str, Any]:
    from ..biomechanics import MarkerSet, analyse_gait, gait_report, read_trial, robot_gait
    from ..robots import load

    names = MarkerSet.load(options.markers) if options.markers else None
    tell("read")
    trial = read_trial(
        file, forces=options.forces, up=options.up, unit=options.unit, threshold=options.threshold
    )
    if options.frames:
        trial = trial.cut(*options.frames)
    gait = analyse_gait(
        trial,
        options.mass,
        sex=options.sex,
        cutoff=options.cutoff or None,
        names=names,
        progress=tell,
    )
    tell("robot")
    robot = None
    if options.robot:
        robot = robot_gait(gait, load(options.robot, base=options.base), progress=False)
    tell("write")
    _write(gait, robot, options)
    if options.out:
        _write_all(gait, robot, file.stem, options)
    return gait_report.facts(gait, robot)


def _write(gait: Gait, robot: RobotGait | None, options: argparse.Namespace) -> None:
    """Write the requested table, picture and page."""
    from ..biomechanics import gait_report

    save_to(options, "csv", lambda path: gait_report.write_csv(gait, path))
    write_plot(gait, options, options.side, per_mass=options.per_mass)
    if robot:
        write_view(robot, options)


def _write_all(gait: Gait, robot: RobotGait | None, stem: str, options: argparse.Namespace) -> None:
    """Write all outputs into the folder of --out."""
    from ..biomechanics import gait_report as report
    from ..visualize.plots.gait import plot_walk

    out = options.out
    out.mkdir(parents=True, exist_ok=True)
    written = [
        report.write_csv(gait, out / f"{stem}.csv"),
        report.write_json(gait, out / f"{stem}.json", robot),
        save_axes(out / f"{stem}-walk.png", lambda: plot_walk(gait)),
    ]
    for side in [options.side] if options.side else list(gait.names.legs):
        picture = out / f"{stem}-{side}.png"
        written.append(save_plot(picture, gait, side, per_mass=options.per_mass))
    if robot:
        written.append(registry.view(robot).save_html(out / f"{stem}.html"))
    for path in written:
        wrote(options, path)


def _report(facts: dict[str, Any]) -> str:
    lines = [
        f"{facts['source']}: {facts['frames']} frames at {facts['rate [Hz]']:g} Hz, "
        f"{facts['mass [kg]']:g} kg"
    ]
    lines += [f"  note: {note}" for note in facts["notes"]]
    for step in facts["footfalls"]:
        who = step["foot"] or "no foot is near"
        lines.append(
            f"  plate {step['plate']}: {who}, frames {step['first']} to {step['last']}, "
            f"{step['distance']:.3f} m from its middle"
        )
    if facts["stance peaks"]:
        lines += _peak_lines(facts["stance peaks"])
    else:
        lines.append("  no joint of a foot on a plate: no peaks")
    residual = facts.get("residual at the pelvis, rms")
    if residual:
        lines.append(
            f"  residual at the pelvis (rms): {residual['force [N]']:.0f} N, "
            f"{residual['moment [N·m]']:.0f} N·m, over the "
            f"{facts['frames that the plates explain']} frames that the plates explain"
        )
    if "robot" in facts:
        lines += _robot_lines(facts["robot"])
    return "\n".join(lines)


def _peak_lines(peaks: dict[str, Any]) -> list[str]:
    lines = [f"  {'stance peaks':<14} flexion N·m  moment N·m   force N   power W"]
    for joint, peak in peaks.items():
        low, high = peak["power [W]"]
        used, stance = peak["frames, of the stance"]
        lines.append(
            f"  {joint:<14} {peak['largest flexion moment [N·m]']:>11.1f} "
            f"{peak['largest moment [N·m]']:>11.1f} {peak['largest force [N]']:>9.0f}   "
            f"{low:.0f} to {high:.0f}"
            + (
                ""
                if used > 0.8 * stance
                else f"   of {used} of {stance} frames, the explained ones"
            )
        )
    return lines


def _robot_lines(robot: dict[str, Any]) -> list[str]:
    apart = ", ".join(f"{j} {x:.1f}" for j, x in robot["moments apart, rms [N·m]"].items())
    return [
        f"  {robot['name']}: markers within {robot['markers, rms [mm]']:.1f} mm rms",
        f"    moments, difference from the segment model (rms, N·m): {apart}",
    ]
