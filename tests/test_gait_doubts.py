"""Doubtful laboratory files: reported, refused, or kept out of the numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from footwork import biomechanics, cli
from footwork.biomechanics import gait_report
from footwork.biomechanics.markers.marker_sets import BOTH_LEGS
from footwork.dynamics.motions import filters
from footwork.errors import ConfigurationError, DataError


@cache
def walk():
    return biomechanics.synthetic_walk(mass=70.0, rate=200.0)


def write(folder, trial):
    biomechanics.write_forces(folder / "a.forces", trial.plates)
    return biomechanics.write_trc(folder / "a.trc", trial.markers)


@pytest.fixture
def files(tmp_path):
    """A short trial, markers and plates."""
    return write(tmp_path, walk().trial().cut(0, 39))


def table(folder, trial, **changed):
    """The walker's right leg and its plate as a table; `changed` columns have other values."""
    leg = biomechanics.analyse_gait(trial, 70, cutoff=None).names.legs["right"]
    points = {letters: trial.markers[leg[landmark]] for letters, landmark in LETTERS.items()}
    points["FH"] = biomechanics.markers.anatomical_frames.segment_poses(trial.markers, BOTH_LEGS)[
        "right thigh"
    ][1]
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
        biomechanics.read_trial(files)


@pytest.mark.parametrize("rate", ["0", "nan", "-150", "inf"])
def test_a_rate_that_is_none_is_told(files, rate):
    forces, markers, good = files.with_suffix(".forces"), files.read_text(), "200\t200\t40"
    assert good in markers
    files.write_text(markers.replace(good, f"{rate}\t{rate}\t40"))
    with pytest.raises(DataError, match=r"a\.trc, line 3, column 'DataRate': got"):
        biomechanics.read_trial(files)
    files.write_text(markers)
    forces.write_text(forces.read_text().replace("Rate=200", f"Rate={rate}"))
    with pytest.raises(DataError, match=r"a\.forces, line 3.*SampleRate"):
        biomechanics.read_trial(files)


def test_markers_in_the_wrong_unit_are_refused(files):
    files.write_text(files.read_text().replace("\tmm\t", "\tm\t"))
    with pytest.raises(DataError, match="the markers span"):
        biomechanics.read_trial(files)


# --- markers ------------------------------------------------------------------------------------


def test_three_zeros_in_a_table_are_a_marker_that_was_not_seen(tmp_path):
    trial = walk().trial()
    whole = biomechanics.read_trial(table(tmp_path, trial)).markers
    lost = 1e3 * trial.markers["R.Ankle"]
    lost[50:53] = 0
    columns = {f"LM{axis}": lost[:, k] for k, axis in enumerate("xyz")}
    read = biomechanics.read_trial(table(tmp_path, trial, **columns))
    assert read.markers.missing == {"LM": 3}
    assert "marker 'LM' is missing in 3" in " ".join(read.notes)
    np.testing.assert_allclose(read.markers.filled().positions, whole.positions, atol=1e-5)


def test_a_marker_that_jumps_is_told(files):
    trial = walk().trial().cut(0, 39)
    positions = trial.markers.positions.copy()
    positions[20, trial.markers.names.index("R.Ankle"), 2] += 3
    write(files.parent, replace(trial, markers=replace(trial.markers, positions=positions)))
    notes = " ".join(biomechanics.read_trial(files).notes)
    assert "marker 'R.Ankle' jumps at 600 m/s in frame 20" in notes.replace("599", "600")
    assert notes.count("jumps") == 1


@pytest.mark.parametrize("kind", ["lying", "standing"])
def test_a_body_that_lies_is_told(kind):
    trial = walk().trial().cut(0, 99)
    if kind == "lying":
        plates = tuple(replace(plate, up="z") for plate in trial.plates)
        trial = replace(trial, markers=replace(trial.markers, up="z"), plates=plates)
    notes = gait_report.facts(biomechanics.analyse_gait(trial, 70, cutoff=None))["notes"]
    assert any("is z the vertical axis?" in note for note in notes) == (kind == "lying")


# --- plates -------------------------------------------------------------------------------------


def test_plates_that_only_push_down_are_refused(files):
    trial = walk().trial()
    down = -trial.plates[0].force
    with pytest.raises(DataError, match=r"leg\.txt.*plate '1'.*down.*the other sign"):
        biomechanics.read_trial(table(files.parent, trial, Fy=down[:, 1]))
    with pytest.raises(ConfigurationError, match=r"plate .right foot.*down.*the other sign"):
        replace(trial.plates[0], force=down, moment=-trial.plates[0].moment)


def test_plates_that_nobody_loads_are_told():
    """Forces in kN: without a word, all moments were those of legs in the air."""
    trial = walk().trial().cut(0, 99)
    kilonewtons = [replace(p, force=p.force / 1e3, threshold=20.0) for p in trial.plates]
    told = "no plate is loaded: the largest vertical force is "
    for plates, expected in ((trial.plates, False), (kilonewtons, True)):
        gait = biomechanics.analyse_gait(replace(trial, plates=tuple(plates)), 70, cutoff=None)
        assert any(told in note for note in gait.notes) == expected


@pytest.mark.parametrize(("late", "belt"), [(4, 1.3), (24, 1.3), (-24, 0.0)])
def test_plates_out_of_time_with_the_feet_are_told(late, belt):
    """Feet that rest for 0.4 s between swings, and loads on them; at 200 frames a second."""
    gait = biomechanics.analyse_gait(walk().trial(), 70)
    t, still = np.arange(len(gait.t)) / 200, np.arange(len(gait.t)) % 160 < 80
    x = np.cumsum(np.where(still, 0.0, 3.0) - belt) / 200
    markers, foot = gait.trial.markers, gait.names.legs["right"]
    at = [markers.names.index(foot[mark]) for mark in ("heel", "toe lateral", "toe medial")]
    positions = markers.positions.copy()
    positions[:, at] = np.stack([x, 0 * t, 0 * t], axis=1)[:, None]
    force = np.zeros((len(t), 3))
    force[np.roll(still, late), 1] = 700.0
    plate = biomechanics.ForcePlate("1", force, 0 * force, np.zeros(3), 200.0)
    steps = [gait.footfalls[0]._replace(plate="1", foot="right foot", first=a, last=b)
             for a, b in plate.steps()]  # fmt: skip
    trial = replace(gait.trial, markers=replace(markers, positions=positions), plates=(plate,))
    told = [x for x in replace(gait, trial=trial, footfalls=tuple(steps)).notes if "ms" in x]
    assert len(told) == (abs(late) > 4)
    for words in told:
        found = re.match(r"the plates are (\d+) ms (late|early): loaded feet move", words)
        assert abs(int(found[1]) - 5 * abs(late)) <= 5
        assert found[2] == ("late" if late > 0 else "early")


def test_a_trial_without_plates_says_so(files, capsys):
    files.with_suffix(".forces").unlink()
    assert cli.main(["gait", str(files), "--mass", "70"]) == 0
    said = capsys.readouterr().out
    assert said.count("no force plates") == 1
    assert "flexion N·m" not in said
    assert "no joint of a foot on a plate" in said


@pytest.mark.parametrize(("mass", "doubted"), [(70.0, False), (7.0, True), (70e3, True)])
def test_a_mass_far_from_what_a_plate_carries_is_told(tmp_path, mass, doubted):
    """One leg on one plate: no stride is weighed, but nobody stands on a tenth of their weight."""
    trial = biomechanics.read_trial(table(tmp_path, walk().trial()), threshold=0)
    gait = biomechanics.analyse_gait(trial, mass, cutoff=None)
    assert gait.weighed() is None  # the other foot was not measured
    assert any("is the mass right?" in note for note in gait.warnings()) == doubted


def test_a_mass_that_is_wrong_does_not_hide_the_stance():
    trial = walk().trial()
    right, wrong = (biomechanics.analyse_gait(trial, m, cutoff=None) for m in (70.0, 55.0))
    assert any("plates carry" in note for note in wrong.warnings())
    assert wrong.explained.mean() > 0.95
    peaks = [gait_report.facts(g)["stance peaks"]["right ankle"] for g in (right, wrong)]
    a, b = (peak["largest flexion moment [N·m]"] for peak in peaks)
    assert abs(a - b) < 0.03 * abs(a)


def test_peaks_say_over_how_many_frames_of_the_stance():
    trial = walk().trial()
    whole = gait_report.facts(biomechanics.analyse_gait(trial, 70, cutoff=None))["stance peaks"]
    used, stance = whole["right knee"]["frames, of the stance"]
    assert used == stance > 50
    alone = biomechanics.analyse_gait(replace(trial, plates=trial.plates[:1]), 70)
    peak = gait_report.facts(alone)["stance peaks"]["right knee"]
    used, stance = peak["frames, of the stance"]
    assert 0 < used < stance


# --- power --------------------------------------------------------------------------------------


def test_a_shank_that_seems_to_stretch_gives_the_joint_no_power():
    """Skin moves a marker along the shank: the moment's power stays; the chain's has the rest."""
    trial = walk().trial()
    positions = trial.markers.positions.copy()
    moved = 0.01 * np.sin(2 * np.pi * 2 * trial.markers.t)
    for name in ("R.Knee", "R.Knee.Medial"):
        positions[:, trial.markers.names.index(name), 1] += moved
    skin = replace(trial, markers=replace(trial.markers, positions=positions))
    one, other = (biomechanics.analyse_gait(x, 70, cutoff=None) for x in (trial, skin))
    in_stance = one.stance("right")
    chain = other.forces
    i, j = (chain.chain.index(f"right {s}") for s in ("foot", "shank"))
    turning = (chain.motion.omega[:, i] - chain.motion.omega[:, j]) * chain["right foot"].moment
    np.testing.assert_allclose(other.power("right ankle"), turning.sum(axis=1), atol=1e-9)
    apart = [
        np.abs(p - one.power("right ankle"))[in_stance].max()
        for p in (other.power("right ankle"), chain.power("right foot"))
    ]
    assert apart[0] < 0.3 * apart[1]


# --- the command --------------------------------------------------------------------------------


def test_a_picture_of_no_known_kind_is_told(files, capsys):
    assert cli.main(["gait", str(files), "--mass", "70", "--png", str(files.parent / "a.xyz")]) == 2
    assert "got .xyz, expected .png" in capsys.readouterr().err


def test_files_of_one_name_do_not_overwrite_each_other(files, capsys):
    twice = ["gait", str(files), str(files), "--mass", "70", "--out", str(files.parent / "out")]
    assert cli.main(twice) == 2
    assert "two files called 'a'" in capsys.readouterr().err


def test_errors_name_the_file(files):
    for given in ({"unit": "m"}, {"forces": "a.forces"}):
        file = files if "unit" in given else files.with_suffix(".csv")
        with pytest.raises(DataError, match=f"{file.name}: got {next(iter(given))}="):
            biomechanics.read_trial(file, **given)
    with pytest.raises(DataError, match=r"a\.trc: threshold: got -1, expected .* at least 0 \[N\]"):
        biomechanics.read_trial(files, threshold=-1)


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", ["abc", None, {}, 3.0, [[1, 2], [3]], 1j])
def test_what_is_no_series_is_told(bad):
    for given in ((bad, 100, [0.0]), (np.zeros(50), 100, bad)):
        with pytest.raises(ConfigurationError):
            filters.resample(*given)


def test_a_rate_beyond_all_cameras_is_refused():
    """It would fill the memory."""
    with pytest.raises(ConfigurationError, match=r"expected a finite number in \(0, 1e\+06\]"):
        walk().trial().markers.resampled(1e9)
