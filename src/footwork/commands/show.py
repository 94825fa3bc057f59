"""`footwork show`: a scenario or a robot in the browser."""

from __future__ import annotations

import argparse
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import registry
from . import flags, stance
from .output import say, write_scene

if TYPE_CHECKING:
    from ..visualize import Viewer


def add(commands: Any) -> None:
    """Declare the flags of `footwork show`."""
    parser = flags.command(commands, "show", run, "show a scenario or a robot in the browser")
    stance.add_flags(parser)
    flags.shared(parser, "--no-browser", "--by-margin", "--html", "--png")


def run(options: argparse.Namespace) -> int:
    """Write the scene, or serve it until Ctrl-C."""
    viewer = _viewer(options)
    if options.html or options.png:
        write_scene(viewer, options)
        return flags.OK
    with viewer:
        say(options, f"{viewer.title} at {viewer.url} (Ctrl-C ends)")
        if not options.no_browser:
            viewer.open()
        with suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)
    return flags.OK


def _viewer(options: argparse.Namespace) -> Viewer:
    """Return the scene of a scenario, or a robot, with its contacts if a flag requests them."""
    scenario = stance.scenario_of(options)
    if scenario is not None:
        shown: Viewer = registry.view(scenario, by_margin=options.by_margin)
        return shown
    if options.push or options.friction is not None or options.by_margin:
        where = stance.stance_of(options, None)
        return where.view(where.hold(), by_margin=options.by_margin)
    robot = flags.load(options)
    alone: Viewer = registry.view(robot, robot.posture(options.posture))
    return alone
