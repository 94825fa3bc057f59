"""Files: whole or not there, the old one kept, nothing else left behind."""

from __future__ import annotations

import ast
import re
import resource
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

import footwork as fw
from footwork import contacts, control, files
from footwork.biomechanics import gait_report
from footwork.biomechanics.lab import forces as forces_file
from footwork.biomechanics.lab import trc
from footwork.commands import output, terms

ROOT = Path(__file__).parent.parent


@contextmanager
def no_room(after=16):
    """A disk that is full after some bytes of a file: writing further raises an OSError."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (after, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@pytest.fixture(scope="module")
def gait():
    from footwork.biomechanics import analyse_gait, synthetic_walk

    return analyse_gait(synthetic_walk().trial(), 70.0)


@pytest.fixture(scope="module")
def writers(gait):
    """{ending: writes such a file}, of everything that the library writes."""
    quadruped = fw.load("quadruped")
    robot = fw.load("double_pendulum")
    swing = control.simulate(quadruped, lambda t, q, v: np.zeros(quadruped.na), duration=0.01)
    found = contacts.sweep("push", {"friction": [0.3, 0.6]})
    viewer = fw.Viewer(robot)
    figure = lambda path: output.save_axes(path, lambda: fw.plot(found))  # noqa: E731
    return {
        "motion.npz": lambda path: control.save_motion(swing, path),
        "motion.csv": lambda path: control.save_motion(swing, path),
        "scenario.yaml": contacts.Scenario.load("push").save,
        "sweep.csv": found.save,
        "sweep.nc": found.save,
        "scene.html": viewer.save_html,
        "plot.png": figure,
        "gait.csv": lambda path: gait_report.write_csv(gait, path),
        "gait.json": lambda path: gait_report.write_json(gait, path),
        "markers.trc": lambda path: trc.write_trc(path, gait.trial.markers),
        "plates.forces": lambda path: forces_file.write_forces(path, gait.trial.plates),
        "terms.npz": lambda path: terms._write(path, {"M": np.eye(9)}),
        "terms.json": lambda path: terms._write(path, {"M": np.eye(9)}),
    }


KINDS = (
    "motion.npz", "motion.csv", "scenario.yaml", "sweep.csv", "sweep.nc", "scene.html", "plot.png",
    "gait.csv", "gait.json", "markers.trc", "plates.forces", "terms.npz", "terms.json",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_keeps_the_old_file(writers, kind, tmp_path):
    assert set(KINDS) == set(writers)
    place = tmp_path / kind
    writers[kind](place)  # whatever is loaded or compiled is done then
    place.write_text("the old one")
    with pytest.raises(fw.FootworkError, match=f"{kind}: cannot be written"), no_room():
        writers[kind](place)
    assert place.read_text() == "the old one"
    assert [path.name for path in tmp_path.iterdir()] == [kind]


WRITES = {"write_text", "write_bytes", "savez", "savez_compressed", "savefig", "to_netcdf",
          "to_zarr", "imsave", "dump_to_file"}  # fmt: skip
ELSEWHERE = {
    "contacts/sweeps/result.py",  # for `with replaced` there
    "src/footwork/files.py",
    "contacts/sweeps/journal.py",  # appends, under a lock
    "dynamics/kernels/code_on_disk.py",  # beside and renamed by its own means, with a checksum
    "visualize/viewer/browser.py",  # in a folder that goes with the browser
    "visualize/viewer/redirect.py",  # in a folder of its own, readable by its owner alone
    "robots/mjcf/reader.py",  # in a temporary folder
    "visualize/notebook.py",  # into memory
    "biomechanics/lab/c3d_child.py",  # into memory
    "src/footwork/cli.py",  # the null device
}


def test_every_file_is_written_by_one_writer():
    """Calls that write are inside of `with replaced(…)`."""
    folders = ("robots", "dynamics", "contacts", "control", "biomechanics", "visualize", "src")
    sources = [p for f in folders for p in sorted((ROOT / f).rglob("*.py")) if not p.is_symlink()]
    seen = 0
    for path in sources:
        name = str(path.relative_to(ROOT))
        if name in ELSEWHERE or ("src/footwork/" in name and name.split("/")[2] in folders):
            continue
        text = path.read_text()
        if not re.search(r"\b(open|" + "|".join(WRITES) + r")\b", text):
            continue
        tree = ast.parse(text)
        safe = {
            id(node)
            for block in ast.walk(tree)
            if isinstance(block, ast.With) and "replaced(" in ast.unparse(block.items[0])
            for node in ast.walk(block)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _writes(node):
                seen += 1
                assert id(node) in safe, f"{name}:{node.lineno}: {ast.unparse(node)}"
    assert seen >= 1


def _writes(call):
    what = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if what != "open":
        return what in WRITES
    modes = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return any(set(mode) <= set("wabxt+") and set(mode) & set("wax+") for mode in modes)


def test_links_modes_and_devices(tmp_path):
    place, link = tmp_path / "file.txt", tmp_path / "link"
    place.write_text("old")
    place.chmod(0o640)
    link.symlink_to(place)
    files.write(link, "new")
    assert link.is_symlink()
    assert place.read_text() == "new"
    assert place.stat().st_mode & 0o777 == 0o640
    with pytest.raises(fw.FootworkError, match=r"/dev/full: cannot be written: No space left"):
        files.write("/dev/full", "text")
    files.write("/dev/null", "text")
    assert not Path("/dev/null").is_file()
    with pytest.raises(fw.FootworkError, match=r"nowhere/file: cannot be written: No such file"):
        files.write(tmp_path / "nowhere" / "file", "text")


def test_errors_of_other_files_keep_their_name(tmp_path):
    with pytest.raises(FileNotFoundError, match="other"), files.replaced(tmp_path / "file"):
        (tmp_path / "other").read_text()


def test_folders_are_replaced_whole(tmp_path):
    place = tmp_path / "sweep.zarr"
    for text in ("old", "new"):
        with files.replaced(place) as part:
            part.mkdir()
            (part / text).write_text(text)
        assert [path.name for path in place.iterdir()] == [text]
    with suppress(KeyboardInterrupt), files.replaced(place) as part:
        part.mkdir()
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.zarr"]
    assert [path.name for path in place.iterdir()] == ["new"]
