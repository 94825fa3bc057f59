"""The subcommands of `footwork`, one a file: `add` says its flags, `run` does it."""

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
