"""Output of the commands: answers, files, pictures, colours."""

from __future__ import annotations

import argparse
import html
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from .. import registry
from ..errors import FootworkError
from ..files import plain, replaced, write, write_csv

if TYPE_CHECKING:
    from ..visualize import Viewer

FILES = ("html", "png", "csv", "save", "save_scenario", "log")
_ENDINGS = {
    "--html": (".html", ".htm"),
    "--png": (".png", ".PNG"),
    "--save-scenario": (".yaml", ".yml"),
    "--log": (".npz", ".csv"),
}
_COLOURS = {"green": 32, "red": 31, "yellow": 33}
# Python arguments in messages, and the equivalent flags of the command
_TYPED = {
    "package_dirs=[…]": "--package-dir",
    "base='floating'": "--base floating",
    "base='fixed'": "--base fixed",
    "lock=[…]": "--lock",
    "feet=…": "--feet",
    "load(mimic=…)": "--mimic",
    'load(…, mimic="lock")': "--mimic lock",
    "meshes=False": "--no-meshes",
    "load(…, xacro=True)": "--xacro-arg",
    "expected rate=": "expected --rate",
    "joint_order=": "--joint-order",
    "expected quaternion=": "expected --quaternion",
    "entry=": "--entry",
    "fill them (filled) or cut the trial (cut)": "fill them, or cut the trial (--frames)",
    "got forces=": "--forces: got ",
    "got unit=": "--unit: got ",
    ", or PointContact and SurfaceContact by hand": "",
    "duration: got": "--duration: got",
    "missing='posture'": "--missing posture",
    "extra='drop'": "--extra drop",
    "strict=True": "footwork check --strict",
    "PointContact or SurfaceContact by hand, or feet when it is loaded (": "them by --feet (",
}


def typed(text: str) -> str:
    """Return a message with what is typed in place of Python's arguments."""
    for said, flag in _TYPED.items():
        text = text.replace(said, flag)
    return text


def check(options: argparse.Namespace) -> None:
    """Refuse output files that cannot be written, before the computation starts.

    Missing folders are created; existing files are replaced.

    Raises:
        FootworkError: which flag, and what is wrong with its file.
    """
    paths = {name.replace("_", "-"): getattr(options, name, None) for name in FILES}
    given = {f"--{name}": path for name, path in paths.items() if path}
    journal: Path | None = getattr(options, "journal", None)
    spoken = [flag for flag, path in given.items() if _is_standard_output(path)]
    spoken += ["--json"] if getattr(options, "json", False) else []
    for flag in ("--save", "--save-scenario", "--log"):
        if flag in spoken:
            raise FootworkError(f"{flag}: goes to a file, not to standard output")
    if len(spoken) > 1:
        raise FootworkError(f"{' and '.join(spoken)}: standard output takes one of them")
    for flag, path in given.items():
        if _is_standard_output(path):
            continue
        places = [other.absolute() for other in (*given.values(), journal) if other]
        if places.count(path.absolute()) > 1:
            raise FootworkError(f"{flag} {path}: another flag writes that file too")
        if path.is_dir() and path.suffix != ".zarr":
            raise FootworkError(f"{flag} {path}: a folder; expected the name of a file")
        if flag in _ENDINGS and path.suffix not in ("", *_ENDINGS[flag]) and not path.exists():
            expected = " or ".join(_ENDINGS[flag])
            raise FootworkError(f"{flag} {path}: got {path.suffix}, expected {expected}")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise FootworkError(f"{flag} {path}: no permission to write there")
    folder: Path | None = getattr(options, "out", None)
    if folder and folder.exists() and not folder.is_dir():
        raise FootworkError(f"--out {folder}: a file; expected a folder")
    endings = getattr(options, "endings", ())
    if "--save" in given and given["--save"].suffix not in endings:
        got = given["--save"].suffix
        raise FootworkError(f"--save: got {got!r}, expected one of {', '.join(endings)}")


def needs(flag: str, module: str, extra: str) -> None:
    """Refuse a flag whose library is not installed, before the computation starts.

    Raises:
        FootworkError: the library is missing; the message has the command that installs it.
    """
    if find_spec(module) is None:
        raise FootworkError(
            f"{flag} needs {module}, which is not installed: pip install 'footwork[{extra}]'"
        )


def needs_plots(options: argparse.Namespace) -> None:
    """Refuse --png of a plot where Matplotlib is not installed, see `needs`."""
    if options.png:
        needs("--png", "matplotlib", "plots")


def answer(options: argparse.Namespace, facts: Any, text: str) -> None:
    """Print `facts` for programs when --json is given, else `text` for people (not with --quiet).

    Numbers that are not finite, which JSON lacks, become null.
    """
    if getattr(options, "json", False):
        text = json.dumps(plain(facts), indent=2, ensure_ascii=False, allow_nan=False)
        with reader_may_leave(sys.stdout):
            print(text, flush=True)
    else:
        say(options, text)


def say(options: argparse.Namespace, text: str) -> None:
    """Print text: to standard error when standard output takes a file."""
    if not options.quiet:
        with reader_may_leave(stream(options)) as file:
            print(text, file=file, flush=True)


@contextmanager
def reader_may_leave(file: TextIO) -> Iterator[TextIO]:
    """Write to a stream whose reader may have left, as in `footwork … | head`.

    What follows goes nowhere. The command goes on: its files are written, and its exit code is the
    answer.
    """
    try:
        yield file
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, file.fileno())
        os.close(nowhere)


def stream(options: argparse.Namespace) -> TextIO:
    """Return the stream for text output."""
    taken = any(_is_standard_output(getattr(options, name, None)) for name in FILES)
    return sys.stderr if taken or getattr(options, "json", False) else sys.stdout


def paint(options: argparse.Namespace, text: str, colour: str) -> str:
    """Colour text on a terminal, unless NO_COLOR is set (no-color.org)."""
    wanted = stream(options).isatty() and not os.environ.get("NO_COLOR")
    if not wanted or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def paint_verdict(options: argparse.Namespace, text: str, holds: bool) -> str:
    """Colour the first line of a text, a verdict."""
    verdict, *rest = text.splitlines()
    return "\n".join([paint(options, verdict, "green" if holds else "red"), *rest])


@contextmanager
def destination(options: argparse.Namespace, path: Path) -> Iterator[Path]:
    """Yield the path to write to; for "-" a temporary file that is copied to standard output."""
    if not _is_standard_output(path):
        yield path
        wrote(options, path)
        return
    with tempfile.TemporaryDirectory(prefix="footwork-") as folder:
        passing = Path(folder, "output")
        yield passing
        with reader_may_leave(sys.stdout) as file:
            file.flush()
            file.buffer.write(passing.read_bytes())
            file.buffer.flush()


def save_to(options: argparse.Namespace, flag: str, save: Callable[[Path], Any]) -> None:
    """Call save(path) for the file of --html, --png or --csv, if that is given."""
    if path := getattr(options, flag):
        with destination(options, path) as place:
            save(place)


def wrote(options: argparse.Namespace, path: Path) -> None:
    """Report on standard error that a file was written."""
    if not options.quiet:
        with reader_may_leave(sys.stderr) as file:
            print(f"wrote {path}", file=file, flush=True)


def write_table(
    options: argparse.Namespace, head: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Write the table of --csv."""
    save_to(options, "csv", lambda path: write_csv(path, head, rows))


def write_scene(viewer: Viewer, options: argparse.Namespace) -> None:
    """Write the page of --html and the picture of --png."""
    save_to(options, "html", viewer.save_html)
    save_to(options, "png", viewer.screenshot)


def write_view(x: Any, options: argparse.Namespace) -> None:
    """Write the page of `fw.view(x)` for --html."""
    save_to(options, "html", lambda path: registry.view(x).save_html(path))


def write_page(x: Any, options: argparse.Namespace) -> None:
    """Write what a notebook shows of x, with its plot, as the page of --html."""
    head = (
        '<!doctype html><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(str(x))}</title>"
    )
    save_to(options, "html", lambda path: write(path, head + registry.html_of(x)))


def report(
    options: argparse.Namespace,
    found: Any,
    write_html: Callable[[Any, argparse.Namespace], None] = write_view,
    **how: Any,
) -> None:
    """Print what was found, and write its table, page and picture.

    Args:
        options: of the command.
        found: with `explain(**how)` and `as_dict(**how)`; of a verdict, which is coloured, `holds`.
        write_html: writes the page of --html.
    """
    text = found.explain(**how)
    if hasattr(found, "holds"):
        text = paint_verdict(options, text, found.holds)
    answer(options, found.as_dict(**how), text)
    if hasattr(options, "csv"):
        save_to(options, "csv", found.write_csv)
    write_html(found, options)
    write_plot(found, options)


def write_plot(x: Any, options: argparse.Namespace, *more: Any, **how: Any) -> None:
    """Write `fw.plot(x, …)` to the file of --png."""
    save_to(options, "png", lambda path: save_plot(path, x, *more, **how))


def save_plot(path: Path, x: Any, *more: Any, **how: Any) -> Path:
    """Write `fw.plot(x, …)` as a PNG file, without a window."""
    return save_axes(path, lambda: registry.plot(x, *more, **how))


def save_axes(path: Path, draw: Callable[[], Any]) -> Path:
    """Write the figure of the axes that `draw` returns as a PNG file, without a window."""
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    axes: Any = draw()
    figure = getattr(axes, "flat", [axes])[0].figure
    try:
        with replaced(path) as part:
            figure.savefig(part, format="png", dpi=110)
    finally:
        pyplot.close(figure)
    return path


def _is_standard_output(path: Path | None) -> bool:
    return path is not None and str(path) == "-"
