"""Exports of a live scene: the scenario's file, and a program that loads it."""

from __future__ import annotations

from ...contacts.scenario.scenario import Scenario

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


def program(scenario: Scenario) -> str:
    """Return a program that loads the scenario from its text and prints the verdict."""
    text = scenario.moved().as_text().replace("\\", r"\\").replace('"""', r"\"\"\"")
    return _PROGRAM.format(text=text)


def text_of(scenario: Scenario, what: str) -> str:
    """Return the text "scenario", for a file in a folder that is not known, or "python"."""
    return program(scenario) if what == "python" else scenario.moved().as_text()
