"""`footwork show`: see a robot in the browser."""

from __future__ import annotations

import argparse
import time
from typing import Any

from . import flags
from .output import write_scene


def add(commands: Any) -> None:
    """Say the flags of `footwork show`."""
    parser = flags.command(commands, "show", run, "see a robot in the browser")
    flags.robot_flags(parser)
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    flags.picture_flags(parser)


def run(options: argparse.Namespace) -> int:
    """Write the scene, or serve it until Ctrl-C."""
    from ..robots import Viewer

    robot = flags.load(options)
    viewer = Viewer(robot)
    viewer.display(robot.posture(options.posture))
    if options.html or options.png:
        write_scene(viewer, options)
        return flags.OK
    with viewer:
        print(f"{robot.name} at {viewer.url} (Ctrl-C ends)", flush=True)
        if not options.no_browser:
            viewer.open()
        while True:
            time.sleep(3600)
