"""`footwork live`: a scenario or a robot in the browser, to be dragged."""

from __future__ import annotations

import argparse
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import registry
from . import flags, stance
from .output import say, wrote
from .parser import CODES

if TYPE_CHECKING:
    from ..contacts import Scenario

_EXAMPLES = """\
examples:
  footwork live stairs                     drag feet, hand, centre of mass and push
  footwork live my_robot.urdf --friction 0.4
  footwork live stairs --save-scenario mine.yaml && footwork hold mine.yaml
"""


def add(commands: Any) -> None:
    """Declare the flags of `footwork live`."""
    words = "a scenario or a robot in the browser: drag feet, loads, centre of mass; see the margin"
    parser = flags.command(commands, "live", run, words)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{_EXAMPLES}\n{textwrap.fill(CODES)}"
    stance.add_flags(parser)
    flags.shared(parser, "--no-browser")
    parser.add_argument(
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="listen there (127.0.0.1: this machine alone); who gets the printed address, from "
        "another device too, can drag",
    )
    parser.add_argument(
        "--save-scenario",
        type=Path,
        metavar="FILE",
        help="write the scenario as it stands when Ctrl-C ends it",
    )


def run(options: argparse.Namespace) -> int:
    """Serve the scene until Ctrl-C; then write what it has come to, if requested."""
    scene = registry.live(_scenario(options), host=options.host)
    with scene, suppress(KeyboardInterrupt):
        url, remote_url = scene.url, scene.remote_url
        say(options, f"{scene.title} at {url} (drag in the browser; Ctrl-C ends)")
        if remote_url:
            say(options, f"from another device: {remote_url}")
        if not options.no_browser:
            scene.open()
        scene.wait()
    if options.save_scenario:
        wrote(options, scene.save(options.save_scenario))
    return flags.OK


def _scenario(options: argparse.Namespace) -> Scenario:
    scenario = stance.scenario_of(options)
    if scenario is not None:
        return scenario
    return stance.stance_of(options, None, arms=True).as_scenario()
