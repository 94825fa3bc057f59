"""Exports of a live scene: the scenario's file, and a program that loads it."""

from __future__ import annotations

import os
from pathlib import Path

from ...contacts.scenario.scenario import Scenario
from ...robots import catalogue

FILES = {  # what a page may ask for: name of the file, and its kind
    "scenario": ("scenario.yaml", "application/yaml"),
    "python": ("scene.py", "text/x-python"),
    "page": ("scene.html", "text/html"),
}
_PROGRAM = '''\
"""A hold, as it stood in a live scene of footwork."""

import footwork as fw

SCENARIO = """\\
{text}"""

scenario = fw.Scenario.from_text(SCENARIO)
hold = scenario.check()
print(hold.explain())
# scenario.scene().open()  # in the browser
# fw.live(scenario).open()  # to go on
'''


def moved(scenario: Scenario, folder: str | os.PathLike[str] | None = None) -> Scenario:
    """Return the same scenario for a file in another folder; None for one that is not known.

    Files of robot and motors are named from there, or by their whole path.
    """

    def named(file: str) -> str:
        path = (scenario.folder / file).resolve()
        return str(path) if folder is None else os.path.relpath(path, Path(folder).resolve())

    robot, motors = scenario.robot, scenario.motors
    return scenario.replaced(
        robot=robot if robot in catalogue.names() else named(robot),
        motors=named(motors) if motors else "",
        folder=Path() if folder is None else Path(folder),
    )


def program(scenario: Scenario) -> str:
    """Return a program that loads the scenario from its text and prints the verdict."""
    text = moved(scenario).as_text().replace("\\", r"\\").replace('"""', r"\"\"\"")
    return _PROGRAM.format(text=text)


def text_of(scenario: Scenario, what: str) -> str:
    """Return the text "scenario", for a file in a folder that is not known, or "python"."""
    return program(scenario) if what == "python" else moved(scenario).as_text()
