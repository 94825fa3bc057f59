"""Scenario files: robot, terrain, contacts and loads, and their verdict."""

from .file import ScenarioError
from .loads import Payload, Push, Rope
from .parts import ScenarioContact, Start
from .scenario import Scenario, scenarios

__all__ = [
    "Payload",
    "Push",
    "Rope",
    "Scenario",
    "ScenarioError",
    "Start",
    "ScenarioContact",
    "scenarios",
]
