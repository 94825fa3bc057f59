"""Subcommands of `footwork`, one per file: `add` declares the flags, `run` executes it."""

from __future__ import annotations

from . import (
    bench,
    check,
    compile,
    demo,
    doctor,
    gait,
    hold,
    info,
    region,
    robots,
    scenarios,
    show,
    simulate,
    sweep,
    terms,
)

ALL = (
    demo,
    hold,
    region,
    scenarios,
    info,
    terms,
    check,
    robots,
    show,
    simulate,
    gait,
    sweep,
    bench,
    compile,
    doctor,
)
