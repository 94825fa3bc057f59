"""What a careful reader doubts in a laboratory's files: told, refused, or kept out of the numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from footwork.dynamics import bodies
from footwork.dynamics.bodies.marker_sets import BOTH_LEGS
from footwork.errors import DataError


@cache
def walk():
    return bodies.walker(mass=70.0, rate=200.0)


def write(folder, trial):
    bodies.write_forces(folder / "a.forces", trial.plates)
    return bodies.write_trc(folder / "a.trc", trial.markers)


@pytest.fixture
def files(tmp_path):
    """A short trial, markers and plates."""
    return write(tmp_path, walk().trial().cut(0, 39))


def table(folder, trial, **changed):
    """The walker's right leg and its plate as a table; `changed` columns have other values."""
    leg = bodies.analyse_gait(trial, 70, cutoff=None).names.legs["right"]
    points = {letters: trial.markers[leg[landmark]] for letters, landmark in LETTERS.items()}
    points["FH"] = bodies.segment_poses(trial.markers, BOTH_LEGS)["right thigh"][1]
    plate = trial.plates[0]
    points["COP"] = np.nan_to_num(plate.centre_of_pressure)
    columns = {"Time": np.round(trial.markers.t, 3)}
    for name, rows in points.items():
        columns |= {f"{name}{axis}": 1e3 * rows[:, k] for k, axis in enumerate("xyz")}
    columns |= {f"F{axis}": plate.force[:, k] for k, axis in enumerate("xyz")}
    columns |= {"My": 1e3 * np.nan_to_num(plate.free_moment)} | changed
    rows = np.stack(list(columns.values()), axis=1)
    lines = ["\t".join(columns), *("\t".join(f"{x:.12g}" for x in row) for row in rows)]
    file = folder / "leg.txt"
    file.write_text("\n".join(lines) + "\n")
    return file


LETTERS = {
    "LE": "knee lateral",
    "ME": "knee medial",
    "LM": "ankle lateral",
    "MM": "ankle medial",
    "CA": "heel",
    "VM": "toe lateral",
    "FM": "toe medial",
}


# --- headers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", ["nan", "1e9", "-7", "1.5", "inf", "0", "3"])
def test_a_number_of_plates_that_is_none_is_told_at_once(files, count):
    forces = files.with_suffix(".forces")
    forces.write_text(forces.read_text().replace("Plates=2", f"Plates={count}"))
    with pytest.raises(DataError, match=r"a\.forces, line"):
        bodies.read_trial(files)


@pytest.mark.parametrize("rate", ["0", "nan", "-150", "inf"])
def test_a_rate_that_is_none_is_told(files, rate):
    forces, markers, good = files.with_suffix(".forces"), files.read_text(), "200\t200\t40"
    assert good in markers
    files.write_text(markers.replace(good, f"{rate}\t{rate}\t40"))
    with pytest.raises(DataError, match=r"a\.trc, line 3, column 'DataRate': got"):
        bodies.read_trial(files)
    files.write_text(markers)
    forces.write_text(forces.read_text().replace("Rate=200", f"Rate={rate}"))
    with pytest.raises(DataError, match=r"a\.forces, line 3.*SampleRate"):
        bodies.read_trial(files)


def test_markers_in_the_wrong_unit_are_refused(files):
    files.write_text(files.read_text().replace("\tmm\t", "\tm\t"))
    with pytest.raises(DataError, match="the markers span"):
        bodies.read_trial(files)


# --- markers ------------------------------------------------------------------------------------


def test_three_zeros_in_a_table_are_a_marker_that_was_not_seen(tmp_path):
    trial = walk().trial()
    whole = bodies.read_trial(table(tmp_path, trial)).markers
    lost = 1e3 * trial.markers["R.Ankle"]
    lost[50:53] = 0
    columns = {f"LM{axis}": lost[:, k] for k, axis in enumerate("xyz")}
    read = bodies.read_trial(table(tmp_path, trial, **columns))
    assert read.markers.missing == {"LM": 3}
    assert "marker 'LM' is missing in 3" in " ".join(read.notes)
    np.testing.assert_allclose(read.markers.filled().positions, whole.positions, atol=1e-5)
