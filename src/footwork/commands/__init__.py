"""Subcommands of `footwork`, one per file: `add` declares the flags, `run` executes it."""

from __future__ import annotations

from importlib import import_module

_NAMES = """
demo hold region scenarios info terms check diff robots show live simulate judge limits wrenches
audit repair gait sweep bench compile completion doctor
"""
ALL = tuple(import_module(f".{name}", __name__) for name in _NAMES.split())
