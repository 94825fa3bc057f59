"""`footwork wrenches`: what the ground did to a robot, from a log of its sensors."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from . import flags, motions
from .output import needs_plots, report

if TYPE_CHECKING:
    from ..control import SensorLog, Sensors


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the flags of `footwork wrenches`."""
    words = (
        "contact forces and wrenches from a log of encoders, torques and an IMU, with their "
        "uncertainty, beside the margin. The table: all of it over time"
    )
    parser = flags.command(commands, "wrenches", run, words)
    parser.add_argument(
        "source", type=Path, metavar="LOG",
        help=".npz or .csv: t, q.JOINT, v.JOINT, tau.JOINT, gyro.x, accelerometer.x, …",
    )  # fmt: skip
    motions.add_robot(parser)
    motions.add_contacts(parser)
    flags.shared(parser, "--friction", "--cutoff")
    parser.set_defaults(cutoff=30.0)
    parser.add_argument("--imu", metavar="FRAME", help="frame of the IMU (that of the base)")
    parser.add_argument(
        "--sensor", nargs="+", type=flags.named("torques=0.05"), action="extend", default=[],
        metavar="NAME=VALUE",
        help="noise of the sensors, as in torques=0.05 velocities=0.1: see control.Sensors",
    )  # fmt: skip
    flags.shared(parser, "--json", "--csv", "--png", "--html")


def run(options: argparse.Namespace) -> int:
    """Read the log, and print what was found."""
    from .. import control

    needs_plots(options)
    sensors, robot = _sensors(options), flags.load(options)
    feet = flags.feet(robot, options)
    log = _told(options, control.SensorLog.read(options.source, robot))
    found = control.contact_wrenches(log, feet, sensors=sensors, cutoff=options.cutoff)
    report(options, found)
    return flags.OK


def _sensors(options: argparse.Namespace) -> Sensors:
    """The sensors of --sensor and --imu."""
    from .. import control
    from ..errors import ConfigurationError, unknown

    others = "imu", "switches", "rate", "delay"  # the log has its own times and switches
    known = [name for name in vars(control.Sensors()) if name not in others]
    for name, _ in options.sensor:
        if name not in known:
            raise ConfigurationError(f"--sensor: {unknown('value', name, known)}")
    return control.Sensors(options.imu, **dict(options.sensor))


def _told(options: argparse.Namespace, log: SensorLog) -> SensorLog:
    """The log, with the contacts of --contacts."""
    from .. import contacts

    if options.contacts is None:
        return log
    schedule = contacts.ContactSchedule.load(options.contacts, log.robot, log.t)
    return replace(log, touching=schedule.feet)
