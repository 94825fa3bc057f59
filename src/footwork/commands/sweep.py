"""`footwork sweep`: verdicts and margins of a scenario over grids or samples of its parameters."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..errors import FootworkError
from . import flags
from .output import answer, needs, needs_plots, save_to, write_plot, wrote

if TYPE_CHECKING:
    from ..contacts.sweeps.result import Sweep

WORDS = {1: "hold", 0: "do not", -1: "at the edge", -2: "out of reach", -3: "no scenario"}


def add(commands: Any) -> None:
    """Declare the flags of `footwork sweep`."""
    words = (
        "verdicts and margins of a scenario over grids or samples of its parameters. The table: "
        "every point; the picture: a map of the first quantity"
    )
    parser = flags.command(commands, "sweep", run, words)
    parser.add_argument(
        "scenario", metavar="SCENARIO", help="a file, or the name of a shipped scenario"
    )
    parser.add_argument(
        "--set",
        nargs="+",
        action="append",
        required=True,
        dest="axes",
        metavar=("KEY", "VALUE"),
        help="a key of the file and its values: friction 0.2 0.4 0.6, or low:high:count as in "
        "'loads[0].force[1]' 0:60:7, or low:high with --samples; may be repeated",
    )
    parser.add_argument(
        "--samples",
        type=flags.whole,
        default=0,
        metavar="N",
        help="size of a Latin hypercube sample, instead of a grid",
    )
    flags.shared(parser, "--seed")
    parser.add_argument(
        "--quantity",
        nargs="+",
        default=["margin"],
        metavar="NAME",
        help="margin, torque_margin, push_margin, friction_margin (margin)",
    )
    flags.shared(parser, "--jobs", "--journal")
    flags.shared(parser, "--json", "--png", "--csv")
    flags.save_flag(parser, ".nc", ".zarr")


def run(options: argparse.Namespace) -> int:
    """Evaluate all points, print counts of the answers, write the requested files."""
    from .. import contacts
    from ..contacts.sweeps import result

    keys = [key for key, *_ in options.axes]
    if twice := [key for key in dict.fromkeys(keys) if keys.count(key) > 1]:
        raise FootworkError(f"--set: got {twice[0]} twice, expected all its values in one --set")
    axes = {key: _values(key, given, options.samples) for key, *given in options.axes}
    needs_plots(options)
    if options.png:
        from ..visualize.plots.sweep import check_axes

        check_axes(axes, options.samples)
    if options.save:
        needs("--save", "xarray", "sweep")
        result.writable(options.save)
    with flags.executor(options) as executor:
        found = contacts.sweep(
            options.scenario,
            axes,
            samples=options.samples,
            seed=options.seed or 0,
            quantities=options.quantity,
            journal=options.journal,
            executor=executor,
        )
    counts = {WORDS[k]: n for k, n in Counter(found.feasible.ravel().tolist()).items()}
    answer(options, counts, _report(found, counts))
    save_to(options, "csv", found.write_csv)
    if options.save:
        wrote(options, found.save(options.save))
    write_plot(found, options, options.quantity[0])
    return flags.OK


def _values(key: str, given: list[str], samples: int) -> list[float | str]:
    """Return the values of an axis: words, numbers, or low:high:count."""
    if not given:
        raise FootworkError(f"--set {key}: expected values, or low:high:count")
    if len(given) > 1 or ":" not in given[0]:
        return [_number(text) for text in given]
    import numpy as np

    parts = [_number(text) for text in given[0].split(":")]
    if any(isinstance(part, str) for part in parts) or len(parts) != (2 if samples else 3):
        expected = "low:high" if samples else "low:high:count"
        raise FootworkError(f"--set {key}: got {given[0]}, expected {expected}")
    if samples:
        return parts
    low, high, count = (float(part) for part in parts)
    if count != int(count) or not 1 <= count <= 1e6:
        raise FootworkError(f"--set {key}: got a count of {parts[2]}, expected 1 to 1000000")
    return [float(x) for x in np.linspace(low, high, int(count))]


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _report(found: Sweep, counts: dict[str, int]) -> str:
    import numpy as np

    total = sum(counts.values())
    lines = [f"{total} verdicts: " + ", ".join(f"{n} {word}" for word, n in counts.items())]
    for quantity in found.plan.quantities:
        values = found[quantity][np.isfinite(found[quantity])]
        if len(values):
            lines.append(f"  {quantity:<16} from {values.min():.4g} to {values.max():.4g}")
    return "\n".join([*lines, *(f"  no scenario: {words}" for words in found.refused[:5])])
