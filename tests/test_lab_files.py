"""Laboratory files: read as written, units and gaps told, and errors that name the line."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import replace

import numpy as np
import pytest

from footwork import biomechanics
from footwork.biomechanics import axes, lab_text
from footwork.dynamics.motions import filters
from footwork.dynamics.motions.runs import spans
from footwork.errors import ConfigurationError, DataError, FootworkError

RATE, FRAMES = 150.0, 40


def some_markers(frames=FRAMES, names=("R.Heel", "L.Heel", "Top"), seed=0):
    rng = np.random.default_rng(seed)
    start = rng.uniform(0.1, 1.5, (1, len(names), 3))
    drift = np.linspace(0, 0.3, frames)[:, None, None] * rng.uniform(0.5, 1, (1, len(names), 3))
    return biomechanics.Markers(tuple(names), start + drift, RATE)


def a_plate(samples=3 * FRAMES, rate=3 * RATE, up="y", seed=1):
    """Loaded in the middle of the trial, with a free moment; parked while unloaded."""
    rng = np.random.default_rng(seed)
    u = axes.up_vector(up)
    load = np.zeros(samples)
    load[20:80] = 700 * np.sin(np.linspace(0.1, np.pi - 0.1, 60))
    force = load[:, None] * (u + 0.1 * rng.standard_normal(3) * (1 - u))
    centre = np.where(load[:, None] > 0, [0.5, 0.4, 0.3] * (1 - u), [0.3, 0.0, -0.2])
    free = np.where(load > 0, 3.0, 77.0)
    return biomechanics.ForcePlate.from_centre_of_pressure("1", force, centre, free, rate, up)


# --- plates -----------------------------------------------------------------------------------


@pytest.mark.parametrize("up", ["y", "z"])
def test_a_plate_keeps_what_it_was_given_where_it_was_loaded(up):
    plate = a_plate(up=up)
    on, centre = plate.loaded, [0.5, 0.4, 0.3] * (1 - axes.up_vector(up))
    assert plate.centre_of_pressure[on] == pytest.approx(np.tile(centre, (60, 1)), abs=1e-12)
    np.testing.assert_allclose(plate.free_moment[on], 3.0, atol=1e-10)
    assert np.isnan(plate.centre_of_pressure[~on]).all()
    assert not plate.force[~on].any()
    assert not plate.moment[~on].any()  # the parked centre and its moment are not looked at
    assert plate.steps() == [(20, 79)]


def test_a_plate_s_wrench_is_the_same_wrench_in_other_axes():
    plate = a_plate()
    turned = plate.turned("z")
    R = axes.turning("y", "z")
    np.testing.assert_allclose(turned.free_moment, plate.free_moment)
    np.testing.assert_allclose(turned.centre_of_pressure, plate.centre_of_pressure @ R.T)
    assert pytest.approx([1, -3, 2]) == R @ [1, 2, 3]
    np.testing.assert_allclose(axes.turning("z", "y"), R.T)
    np.testing.assert_allclose(axes.turning("x", "z") @ axes.up_vector("x"), axes.up_vector("z"))


def test_samples_become_frames():
    plate = a_plate()
    third = plate.resampled(RATE, FRAMES)
    assert len(third) == FRAMES
    np.testing.assert_allclose(third.force, plate.force[::3])
    other = plate.lowpass(12).resampled(100.0)
    times = np.arange(len(other)) / 100.0
    expected = np.interp(times, np.arange(len(plate)) / plate.rate, plate.lowpass(12).vertical)
    np.testing.assert_allclose(other.vertical, expected, atol=2.0)
    with pytest.raises(ConfigurationError, match="last shorter"):
        plate.resampled(RATE, 2 * FRAMES)


def test_a_plate_whose_zero_is_off_is_told(tmp_path):
    plate = a_plate()
    assert plate.turning_arm() < 0.05
    shifted = replace(plate, moment=plate.moment + np.array([0, 30.0, 0]))
    assert shifted.turning_arm() > 0.05
    biomechanics.write_trc(tmp_path / "walk.trc", some_markers())
    biomechanics.write_forces(tmp_path / "walk.forces", (plate, shifted))
    told = [n for n in biomechanics.read_trial(tmp_path / "walk.trc").notes if "friction" in n]
    assert len(told) == 1
    assert told[0].startswith("plate 2")


def test_what_is_no_plate_is_refused():
    plate, n = a_plate(), 120
    make = biomechanics.ForcePlate.from_centre_of_pressure
    force = np.tile([0.0, 700.0, 0.0], (n, 1))
    gap = force.copy()
    gap[7] = np.nan
    for call, match in (
        (lambda: make("a", gap, 0 * force, np.zeros(n), 450.0), "'a': 1 of 120 frames"),
        (lambda: make("a", force, gap, np.zeros(n), 450.0), "centre of pressure of loaded plate"),
        (lambda: make("a", force, 0 * force, np.full(n, np.nan), 450.0), "free_moment of loaded"),
        (lambda: replace(plate, threshold=-1.0), "threshold: got -1"),
        (lambda: plate.cut(5, 500), "samples first to last: got 5 to 500"),
        (lambda: replace(plate, up="w"), "no axis 'w'"),
    ):
        with pytest.raises(ConfigurationError, match=match):
            call()


# --- files ------------------------------------------------------------------------------------


def test_trc_and_forces_come_back(tmp_path):
    markers, plate = some_markers(), a_plate()
    biomechanics.write_trc(tmp_path / "walk.trc", markers)
    biomechanics.write_forces(tmp_path / "walk.forces", (plate, plate))
    trial = biomechanics.read_trial(tmp_path / "walk.trc")
    assert trial.markers.names == markers.names
    assert trial.markers.rate == RATE
    np.testing.assert_allclose(trial.markers.positions, markers.positions, rtol=1e-15)
    assert [p.rate for p in trial.plates] == [3 * RATE] * 2
    for read in trial.plates:
        np.testing.assert_allclose(read.force, plate.force, atol=1e-12)
        moved = read.wrench().at(plate.origin)
        np.testing.assert_allclose(moved.moment, plate.moment, atol=1e-10)


def test_what_are_no_markers_is_refused():
    lists = biomechanics.Markers(["a", "b"], [[[0, 0, 0], [1, 2, 3]]] * 4, 100)
    assert lists["b"][3] == pytest.approx([1, 2, 3])
    for names, positions, match in (
        (("a", "a"), np.zeros((4, 2, 3)), "'a' twice"),
        (("a",), np.zeros((4, 2, 3)), r"got shape \(4, 2, 3\), expected \(n, 1, 3\)"),
        (("a",), "somewhere", "expected numbers"),
        (("a",), 3.0, r"got shape \(\)"),
    ):
        with pytest.raises(ConfigurationError, match=match):
            biomechanics.Markers(names, positions, 100.0)
    with pytest.raises(ConfigurationError, match="rate: got 'fast'"):
        biomechanics.Markers(("a",), np.zeros((4, 1, 3)), "fast")
    with pytest.raises(ConfigurationError, match="frames first to last: got 3 to 9"):
        lists.cut(3, 9)
    with pytest.raises(ConfigurationError, match="has z up, the markers y"):
        biomechanics.Trial(lists, (a_plate(up="z"),))


def test_gaps_are_missing_markers(tmp_path):
    markers = some_markers()
    markers.positions[5:9, 1] = np.nan
    markers.positions[0:2, 2] = 0.0  # how some programs write it
    biomechanics.write_trc(tmp_path / "gaps.trc", markers)
    trial = biomechanics.read_trial(tmp_path / "gaps.trc")
    assert trial.markers.missing == {"L.Heel": 4, "Top": 2}
    assert any("'L.Heel' is missing in 4 of 40" in note for note in trial.notes)
    assert any("no force plates" in note for note in trial.notes)
    with pytest.raises(ConfigurationError, match=r"'L\.Heel' in frames 5 to 8"):
        trial.markers.lowpass(6)
    filled = trial.markers.filled()
    assert filled.missing == {"Top": 2}  # at the end there is nothing to bridge to
    np.testing.assert_allclose(filled["L.Heel"], some_markers()["L.Heel"], atol=1e-9)
    assert trial.markers.filled(longest=0.01).missing == trial.markers.missing
    assert filled.cut(2, 30).missing == {}


def table(rows=30, cop="300\t0\t-203"):
    names = [f"{m}{c}" for m in ("LM", "MM", "HF") for c in "xyz"]
    names += ["Fx", "Fy", "Fz", "COPx", "COPy", "COPz", "My"]
    lines = ["\t".join(["Time", *names])]
    for i in range(rows):
        xyz = [f"{100 + 3 * i + 40 * k}" for k in range(9)]
        force = "0\t0\t0\t" + cop + "\t0" if i < 10 else "-10\t700\t5\t320\t0\t-100\t-2000"
        lines.append("\t".join([f"{i / RATE:.3f}", *xyz, force]))
    return lines


def write(path, lines, end="\r\n"):
    path.write_bytes(end.join(lines).encode())
    return path


def test_a_table_with_rounded_times_and_parked_centres(tmp_path):
    trial = biomechanics.read_trial(write(tmp_path / "leg.txt", table()))
    assert trial.markers.rate == RATE
    assert "rounded" in trial.notes[0]
    assert trial.markers.names == ("LM", "MM", "HF")
    assert trial.markers["LM"][0] == pytest.approx([0.1, 0.14, 0.18])
    plate = trial.plates[0]
    assert plate.steps() == [(10, 29)]
    assert plate.free_moment[15] == pytest.approx(-2.0)
    assert plate.centre_of_pressure[15] == pytest.approx([0.32, 0, -0.1])
    # the same from cells between commas, and with a parked centre far away
    commas = [line.replace("\t", ",") for line in table(cop="1e9\t0\t1e9")]
    other = biomechanics.read_trial(write(tmp_path / "leg.csv", commas, "\n")).plates[0]
    np.testing.assert_allclose(other.moment, plate.moment, atol=1e-12)
    metres = biomechanics.lab.table.read_table(write(tmp_path / "m.txt", table()), unit="cm")
    np.testing.assert_allclose(metres.markers["LM"], 10 * trial.markers["LM"])


def without(lines, i):
    return lines[:i] + lines[i + 1 :]


def changed(lines, line, cell, text):
    cells = lines[line].split("\t")
    cells[cell] = text
    return [*lines[:line], "\t".join(cells), *lines[line + 1 :]]


BAD_TABLES = {
    "a word": (changed(table(), 7, 4, "abc"), r"line 8, column 'MMx': got 'abc'"),
    "a short row": ([*table()[:5], table()[5].rsplit("\t", 3)[0], *table()[6:]], r"line 6: got 14"),
    "a frame is missing": (without(table(), 12), r"depart from .* frame is missing"),
    "times go back": (changed(table(), 9, 0, "0.001"), r"do not increase"),
    "no time": (changed(table(), 0, 0, "Frame"), r"line 1: got \['Frame'"),
    "a column twice": (changed(table(), 0, 4, "LMx"), r"'LMx' is there twice"),
    "no free moment": (changed(table(), 0, 16, "Mq"), r"no column 'My'"),
    "no markers": (["Time\ta", "0\t1", "1\t2"], r"no markers"),
    "nothing": ([], r"line 1: got \[\]"),
    "only names": (table()[:1], r"no numbers after line 1"),
}


@pytest.mark.parametrize("what", BAD_TABLES)
def test_a_bad_table_is_told_by_its_line(tmp_path, what):
    lines, message = BAD_TABLES[what]
    with pytest.raises(DataError, match=message):
        biomechanics.read_trial(write(tmp_path / "leg.txt", lines))


def trial_files(tmp_path):
    """Markers and forces of one trial."""
    markers, forces = tmp_path / "a.trc", tmp_path / "a.forces"
    biomechanics.write_trc(markers, some_markers())
    biomechanics.write_forces(forces, (a_plate(),))
    return markers, forces


BAD_TRC = {
    "a word": (lambda x: changed(x, 9, 3, "here"), r"line 10, column 'R.Heel y'"),
    "cut short": (lambda x: x[:-3], r"37 frames; line 3 says 40: the file is cut short"),
    "added to": (lambda x: [*x, x[-1]], r"41 frames; line 3 says 40: the file goes on"),
    "no frames": (lambda x: x[:6], "no numbers after line 5"),
    "another number of markers": (lambda x: changed(x, 2, 3, "4"), r"got 3 names; line 3 says 4"),
    "a unit nobody knows": (lambda x: changed(x, 2, 4, "inch"), r"unit 'inch'"),
    "no head": (lambda x: x[1:], r"line 1: expected 'PathFileType"),
    "another rate": (lambda x: changed(x, 2, 0, "60"), r"the rate is wrong"),
    "no units": (lambda x: changed(x, 1, 4, "What"), r"no Units"),
}


@pytest.mark.parametrize("what", BAD_TRC)
def test_a_bad_trc_is_told(tmp_path, what):
    change, message = BAD_TRC[what]
    path, _ = trial_files(tmp_path)
    write(path, change(path.read_text().splitlines()), "\n")
    with pytest.raises(DataError, match=message):
        biomechanics.lab.trc.read_trc(path)


BAD_FORCES = {
    "no head": (lambda x: x[1:], r"line 1: expected '\[Force Data\]'"),
    "cut short": (lambda x: x[:-2], r"118 samples; the header says 120"),
    "other columns": (lambda x: [*x[:4], x[4].replace("MZ1", "MX1"), *x[5:]], r"line 5: got"),
    "a word": (lambda x: changed(x, 20, 2, "?"), r"line 21, column 'FY1'"),
    "no rate": (lambda x: without(x, 2), r"no SampleRate="),
}


@pytest.mark.parametrize("what", BAD_FORCES)
def test_bad_forces_are_told(tmp_path, what):
    change, message = BAD_FORCES[what]
    _, path = trial_files(tmp_path)
    write(path, change(path.read_text().splitlines()), "\n")
    with pytest.raises(DataError, match=message):
        biomechanics.lab.forces.read_forces(path)


def test_what_is_no_file_is_told(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "binary.txt").write_bytes(b"\x02\x50\x00\x00" * 9)
    for name, match in (
        ("nothing.trc", "no such file"),
        ("walk.mat", r"ending in '\.mat'"),
        ("pipe.txt", "no such file"),
        ("binary.txt", "not a text file"),
    ):
        with pytest.raises(DataError, match=match):
            biomechanics.read_trial(tmp_path / name)
    with pytest.raises(DataError, match=r"in m the markers span [\d.]+ m"):
        biomechanics.lab.table.read_table(write(tmp_path / "leg.txt", table()), unit="m")


@pytest.mark.parametrize("seed", range(20))
def test_damaged_files_raise_nothing_else(tmp_path, seed):
    """Bytes overwritten at random: a trial or a `DataError`, never another exception."""
    rng = np.random.default_rng(seed)
    for path in trial_files(tmp_path):
        damaged = bytearray(path.read_bytes())
        for at in rng.integers(0, len(damaged), 12):
            damaged[at] = rng.integers(1, 256)
        path.write_bytes(bytes(damaged))
    with contextlib.suppress(DataError, ConfigurationError):
        assert len(biomechanics.read_trial(tmp_path / "a.trc").markers) > 0


# --- C3D --------------------------------------------------------------------------------------


CORNERS = np.array([[600.0, 400, 0], [0, 400, 0], [0, 0, 0], [600, 0, 0]])  # of its plate [mm]


def write_c3d(path, points, channels, per_frame=4):
    """A C3D file with one plate (type 2, 600 × 400 mm, sensor 40 mm below its surface)."""
    import ezc3d

    file = ezc3d.c3d()
    parameters = file["parameters"]
    names = ["Fx1", "Fy1", "Fz1", "Mx1", "My1", "Mz1"]
    for group, name, value in (
        ("POINT", "UNITS", ["mm"]), ("POINT", "RATE", [100.0]), ("POINT", "LABELS", ["LM", "MM"]),
        ("ANALOG", "RATE", [100.0 * per_frame]), ("ANALOG", "LABELS", names),
        ("ANALOG", "UNITS", ["N"] * 3 + ["Nmm"] * 3),
    ):  # fmt: skip
        parameters[group][name]["value"] = value
    plate = {
        "USED": [1.0], "TYPE": [2.0], "ZERO": [1.0, 0.0], "CHANNEL": np.arange(1.0, 7.0)[:, None],
        "CORNERS": CORNERS.T[:, :, None], "ORIGIN": np.array([[0.0], [0.0], [-40.0]]),
    }  # fmt: skip
    for name, value in plate.items():
        file.add_parameter("FORCE_PLATFORM", name, np.asarray(value, dtype=float))
        if name not in ("CORNERS", "ORIGIN"):
            parameters["FORCE_PLATFORM"][name]["type"] = ezc3d.ezc3d.INT
    homogeneous = np.ones((4, *points.shape[1:]))
    homogeneous[:3] = points
    file["data"]["points"] = homogeneous
    file["data"]["analogs"] = channels[None]
    file.write(str(path))
    return path


def test_a_c3d_file(tmp_path):
    """A known force at a known place of a plate whose channels give the force on the plate."""
    pytest.importorskip("ezc3d")
    rng = np.random.default_rng(0)
    points = rng.uniform(-500, 1500, (3, 2, 30))
    points[:, 1, 5] = np.nan
    # 700 N up on the foot, at x = 0.35, y = 0.25 m of the laboratory, with 2 N·m about z; in the
    # plate's axes, z down, its channels say the opposite, about the sensor below the surface
    on_foot = np.array([30.0, 20.0, 700.0])
    place = np.array([350.0, 250.0, 0.0])
    x_axis, y_axis = (CORNERS[0] - CORNERS[1]) / 600, (CORNERS[0] - CORNERS[3]) / 400
    axes_of_plate = np.stack([x_axis, y_axis, np.cross(x_axis, y_axis)], axis=1)
    force = axes_of_plate.T @ -on_foot
    lever = axes_of_plate.T @ (place - CORNERS.mean(axis=0)) + [0.0, 0.0, -40.0]
    moment = np.cross(lever, force) + axes_of_plate.T @ [0.0, 0.0, -2000.0]
    channels = np.repeat(np.concatenate([force, moment])[:, None], 120, axis=1)
    trial = biomechanics.read_trial(write_c3d(tmp_path / "a.c3d", points, channels))
    assert trial.markers.up == "z"
    np.testing.assert_allclose(trial.markers["LM"], points[:, 0].T / 1e3, rtol=1e-6)
    assert trial.markers.missing == {"MM": 1}
    plate = trial.plates[0]
    assert plate.rate == 400
    assert plate.force[3] == pytest.approx(on_foot, rel=1e-5)
    assert plate.free_moment[3] == pytest.approx(2.0, rel=1e-4)
    assert any("replaced" in note for note in trial.notes)
    assert plate.centre_of_pressure[3][:2] == pytest.approx(place[:2] / 1e3, rel=1e-5)


def test_a_bad_c3d_file_is_told(tmp_path):
    pytest.importorskip("ezc3d")
    (tmp_path / "a.c3d").write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match="not a C3D file"):
        biomechanics.read_trial(tmp_path / "a.c3d")
    (tmp_path / "b.c3d").write_bytes(b"\x02\x50" + b"\x07" * 3000)
    with pytest.raises(DataError, match=r"b\.c3d"):
        biomechanics.read_trial(tmp_path / "b.c3d")
    whole = write_c3d(tmp_path / "c.c3d", np.zeros((3, 2, 500)), np.zeros((6, 2000)))
    whole.write_bytes(whole.read_bytes()[:-20000])
    with pytest.raises(DataError, match="damaged, or cut short"):
        biomechanics.read_trial(whole)


@pytest.mark.parametrize(
    ("program", "told"),
    [("import os; os.abort()", "its reader crashed"), ("while True: pass", "not read within")],
)
def test_a_c3d_file_that_takes_its_reader_down_is_told(tmp_path, monkeypatch, program, told):
    """A crash or a hang of the C++ library stays in a process of its own."""
    pytest.importorskip("ezc3d")
    module = sys.modules["footwork.biomechanics.lab.c3d"]
    (tmp_path / "c3d_child.py").write_text(program)
    monkeypatch.setattr(module, "__file__", str(tmp_path / "c3d.py"))
    monkeypatch.setattr(module, "PATIENCE", 1)
    path = write_c3d(tmp_path / "a.c3d", np.zeros((3, 2, 20)), np.zeros((6, 80)))
    with pytest.raises(DataError, match=told):
        biomechanics.read_trial(path)


def test_without_ezc3d_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ezc3d", None)
    with pytest.raises(FootworkError, match=r"footwork\[c3d\]"):
        biomechanics.lab.c3d.read_c3d(tmp_path / "a.c3d")


# --- filters ----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 4, 8])
def test_the_filter_loses_three_decibels_at_its_cutoff(order):
    rate, cutoff = 200.0, 8.0
    t = np.arange(4000) / rate
    for frequency in (2.0, 8.0, 30.0):
        wave = np.sin(2 * np.pi * frequency * t)
        passed = biomechanics.lowpass(wave, rate, cutoff, order)[1000:3000]
        gain = np.sqrt(2 * np.mean(passed**2))
        w = np.tan(np.pi * frequency / rate) / np.tan(np.pi * cutoff / rate)
        expected = 1 / (1 + (np.sqrt(2) - 1) * w**order)
        assert gain == pytest.approx(expected, rel=1e-3, abs=1e-4)
        delay = np.correlate(passed, wave[1000:3000], "full").argmax() - (len(passed) - 1)
        assert delay == 0 or gain < 0.05


def test_resampling_passes_through_the_samples():
    t = np.arange(60) / 50.0
    x = np.stack([np.sin(3 * t), t**3], axis=1)
    np.testing.assert_allclose(filters.resample(x, 50.0, t), x, atol=1e-12)
    fine = np.linspace(0, t[-1], 333)
    exact = np.stack([np.sin(3 * fine), fine**3], axis=1)
    np.testing.assert_allclose(filters.resample(x, 50.0, fine), exact, atol=1e-7)
    markers = some_markers()
    again = markers.resampled(450.0).resampled(150.0)
    np.testing.assert_allclose(again.positions, markers.positions, atol=1e-12)


def test_what_cannot_be_filtered_is_refused():
    x = np.zeros(100)
    for call, match in (
        (lambda: biomechanics.lowpass(x, 100.0, 60.0), "half the rate, 50 Hz"),
        (lambda: biomechanics.lowpass(x, 100.0, 6.0, order=3), "order: got 3"),
        (lambda: biomechanics.lowpass(x[:10], 100.0, 6.0), "more than 15"),
        (lambda: biomechanics.lowpass(np.full(100, np.nan), 100.0, 6.0), "not finite"),
        (lambda: filters.resample(x, 100.0, [0.0, 2.0]), "times: got 0 to 2 s"),
        (lambda: filters.resample(x, -1, [0.0]), "rate: got -1"),
    ):
        with pytest.raises(ConfigurationError, match=match):
            call()


def test_runs():
    assert spans([0, 1, 1, 0, 0, 1]) == [(1, 3), (5, 6)]
    assert spans([]) == []


@pytest.mark.parametrize("rate", [100.0, 150.0, 59.94, 240.0])
def test_rates_are_found_under_rounding(tmp_path, rate):
    times = np.round(np.arange(400) / rate, 3)
    found, note = lab_text.rate_of(tmp_path, times, None)
    assert found == pytest.approx(rate, rel=1e-5)
    assert (found == rate) or rate != round(rate)
    assert note is None or "rounded" in note
