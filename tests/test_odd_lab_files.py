"""Laboratory files as they exist: extra names, labels twice, OpenSim's tables, swapped labels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from footwork import biomechanics
from footwork.biomechanics import lab_text
from footwork.biomechanics.lab.storage import read_storage, read_storage_forces
from footwork.errors import DataError


@cache
def walk():
    return biomechanics.synthetic_walk(mass=70.0, rate=200.0).trial()


@pytest.mark.parametrize("blank", [True, False])
def test_names_of_virtual_markers_without_data(tmp_path, blank):
    """Line 4 names more markers than line 3 counts; they have no columns, or empty cells."""
    file = biomechanics.write_trc(tmp_path / "a.trc", walk().markers.cut(0, 39))
    plain = biomechanics.read_trial(file).markers
    lines = file.read_text().split("\n")
    lines[3] += "\t" + "\t\t\t".join(["V.Hip", "V.Knee"])
    if blank:
        lines[6:] = [line + "\t" * 6 if line else line for line in lines[6:]]
    file.write_text("\n".join(lines))
    read = biomechanics.read_trial(file)
    assert read.markers.names == plain.names
    assert np.array_equal(read.markers.positions, plain.positions)
    assert any("2 more markers" in note and "V.Hip, V.Knee" in note for note in read.notes)
    lines[2] = lines[2].replace(f"\t{len(plain.names)}\t", f"\t{len(plain.names) + 9}\t")
    file.write_text("\n".join(lines))
    with pytest.raises(DataError, match="line 4: got"):
        biomechanics.read_trial(file)


def test_a_label_twice_is_told_and_both_are_kept(tmp_path):
    names, notes = lab_text.different(["a", "b", "a", "a"])
    assert names == ["a", "b", "a (2)", "a (3)"]
    assert "'a' is there 3 times" in notes[0]
    assert lab_text.different(["a", "b"]) == (["a", "b"], [])
    markers = walk().markers.cut(0, 39)
    file = biomechanics.write_trc(tmp_path / "a.trc", markers)
    file.write_text(file.read_text().replace(f"\t{markers.names[1]}\t", f"\t{markers.names[0]}\t"))
    read = biomechanics.read_trial(file)
    assert np.array_equal(read.markers[f"{markers.names[0]} (2)"], read.markers.positions[:, 1])
    assert any("is there 2 times" in note for note in read.notes)


def c3d(path, names, points):
    """A C3D file of markers at points (n, m, 3), said to be in millimetres."""
    content = pytest.importorskip("ezc3d").c3d()
    content["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    content["parameters"]["POINT"]["LABELS"]["value"] = list(names)
    content["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    ones = np.ones((1, len(names), len(points)))
    content["data"]["points"] = np.concatenate([np.moveaxis(points, 0, -1).swapaxes(0, 1), ones])
    content.write(str(path))
    return path


def test_three_zeros_in_a_c3d_are_a_missing_marker(tmp_path):
    points = 1000 * np.random.default_rng(0).random((20, 3, 3))
    points[5:8, 1] = 0
    read = biomechanics.read_trial(c3d(tmp_path / "a.c3d", ["heel", "toe", "hip"], points))
    assert read.markers.missing == {"toe": 3}
    assert np.isnan(read.markers["toe"][5:8]).all()
    assert read.markers["heel"] == pytest.approx(1e-3 * points[:, 0], rel=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_a_c3d_in_another_unit_than_it_says_is_told(tmp_path, scale):
    points = scale * 1000 * np.random.default_rng(0).random((20, 3, 3))
    file = c3d(tmp_path / "a.c3d", ["heel", "toe", "hip"], points)
    with pytest.raises(DataError, match=r"a\.c3d: with lengths in mm the markers span"):
        biomechanics.read_trial(file)


def test_a_c3d_label_twice(tmp_path):
    points = np.tile(1000 * np.random.default_rng(0).random((1, 3, 3)), (20, 1, 1))
    c3d(tmp_path / "a.c3d", ["heel", "toe", "heel"], points)
    read = biomechanics.read_trial(tmp_path / "a.c3d")
    assert read.markers.names == ("heel", "toe", "heel (2)")
    assert read.markers["heel (2)"] == pytest.approx(1e-3 * points[:, 2], rel=1e-6)
    assert any("'heel' is there 2 times" in note for note in read.notes)


NAMINGS = (
    ("ground_force_{}", "ground_torque_{}", ("", "1_")),
    ("{plate}ground_force_{}", "{plate}ground_torque_{}", ("1_", "2_")),
    ("ground_force{plate}_{}", "ground_torque{plate}_{}", ("1", "2")),
    ("{plate}_ground_force_{}", "{plate}_ground_torque_{}", ("l", "r")),
    ("FP{plate}_{}", "FP{plate}_m{}", ("1", "2")),
)


def storage(path, head, names, values):
    rows = "\n".join("\t".join(f"{x:.12g}" for x in row) for row in values)
    lines = ["data", "version=1", f"nRows={len(values)}", f"nColumns={len(names)}", *head]
    path.write_text("\n".join([*lines, "endheader", "\t".join(names), rows]) + "\n")
    return path


def force_file(path, plates, naming=1, start=0.0):
    force, torque, keys = NAMINGS[naming]
    names, columns = ["time"], [start + np.arange(len(plates[0])) / plates[0].rate]
    for plate, key in zip(plates, keys, strict=False):
        on = plate.loaded[:, None]
        where = {"plate": key}
        if "{plate}" not in force:
            force_, torque_ = key + force, key + torque
        else:
            force_, torque_ = force, torque
        point = np.where(on, np.nan_to_num(plate.centre_of_pressure), 0.0)
        free = np.where(on[:, 0], np.nan_to_num(plate.free_moment), 0.0)
        turning = np.stack([0 * free, free, 0 * free], axis=1)
        for kind, block in (("v", plate.force), ("p", point)):
            names += [force_.format(kind + axis, **where) for axis in "xyz"]
            columns += list(block.T)
        names += [torque_.format(axis, **where) for axis in "xyz"]
        columns += list(turning.T)
    return storage(path, ["inDegrees=yes"], names, np.stack(columns, axis=1))


@pytest.mark.parametrize("naming", range(len(NAMINGS)))
def test_forces_of_opensim_are_the_plates(tmp_path, naming):
    plates = walk().plates
    file = force_file(tmp_path / "grf.mot", plates, naming, start=0.25)
    read, _, begin = read_storage_forces(file, threshold=plates[0].threshold)
    assert begin == 0.25
    assert len(read) == len(plates)
    for one, other in zip(plates, read, strict=True):
        on = one.loaded
        assert other.rate == one.rate
        assert np.array_equal(other.loaded, on)
        assert other.force[on] == pytest.approx(one.force[on], abs=1e-8)
        assert other.centre_of_pressure[on] == pytest.approx(one.centre_of_pressure[on], abs=1e-8)
        assert other.free_moment[on] == pytest.approx(one.free_moment[on], abs=1e-8)


def test_a_trial_with_forces_of_opensim_is_the_same_gait(tmp_path):
    trial = walk()
    biomechanics.write_forces(tmp_path / "a.forces", trial.plates)
    file = biomechanics.write_trc(tmp_path / "a.trc", trial.markers)
    force_file(tmp_path / "b.mot", trial.plates)
    one = biomechanics.analyse_gait(biomechanics.read_trial(file), 70.0)
    other = biomechanics.read_trial(file, forces=tmp_path / "b.mot")
    assert biomechanics.analyse_gait(other, 70.0).moment("right hip") == pytest.approx(
        one.moment("right hip"), abs=1e-6
    )


def trc_from(path, markers, begin):
    """A .trc file whose times begin at `begin` [s]."""
    lines = biomechanics.write_trc(path, markers).read_text().split("\n")
    for i, line in enumerate(lines[6:-1], start=6):
        frame, time, *rest = line.split("\t")
        lines[i] = "\t".join([frame, f"{float(time) + begin:.6f}", *rest])
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(("begin", "start"), [(0.1, 0), (3.1, 3), (0, 0.1), (0, 0.104)])
def test_markers_and_forces_of_different_begins_are_simultaneous(tmp_path, begin, start):
    """The times of a .trc and of a .mot count, as either may be a part of the trial."""
    trial, first = walk(), 20
    late = begin > start
    markers = trial.markers.cut(first, len(trial.markers) - 1) if late else trial.markers
    skipped = 0 if late else round((start - begin) * trial.plates[0].rate)
    plates = [plate.cut(skipped, len(plate) - 1) for plate in trial.plates]
    file = trc_from(tmp_path / "a.trc", markers, begin)
    force_file(tmp_path / "a.mot", plates, start=start)
    read = biomechanics.read_trial(file, threshold=plates[0].threshold)
    assert any("are left out" in note for note in read.notes)
    frames = max(first, skipped)
    for one, other in zip(trial.plates, read.plates, strict=True):
        assert other.force[0] == pytest.approx(one.force[frames], abs=1e-8)
    whole = trial.cut(frames, len(trial.markers) - 1)
    expected = biomechanics.analyse_gait(whole, 70.0).moment("right hip")
    found = biomechanics.analyse_gait(read, 70.0).moment("right hip")
    assert found == pytest.approx(expected, abs=1e-4)


def test_markers_and_forces_of_other_times_are_told(tmp_path):
    trial = walk()
    file = biomechanics.write_trc(tmp_path / "a.trc", trial.markers)
    for start in (50.0, -50.0):
        force_file(tmp_path / "a.mot", trial.plates, start=start)
        with pytest.raises(DataError, match="no time in common"):
            biomechanics.read_trial(file)
    force_file(tmp_path / "a.mot", [replace(trial.plates[0], rate=0.4)])  # times in ms
    with pytest.raises(DataError, match="are their times in seconds"):
        biomechanics.read_trial(file)
    force_file(tmp_path / "a.mot", trial.plates, start=4e-4)  # rounding
    assert not any("left out" in note for note in biomechanics.read_trial(file).notes)


def test_coordinates_of_opensim_are_in_radians(tmp_path):
    names = ["time", "pelvis_tilt", "pelvis_ty", "knee_angle_r"]
    values = np.column_stack([np.arange(5) / 100, np.full((5, 3), [90.0, 0.9, 180.0])])
    for head, scale in ((["inDegrees=yes"], np.pi / 180), (["inDegrees=no"], 1.0), ([], 1.0)):
        read = read_storage(storage(tmp_path / "ik.sto", head, names, values))
        assert repr(read).endswith("ik.sto', 5 × 3 columns)")
        found = read.coordinates()
        assert found["pelvis_tilt"] == pytest.approx(90 * scale)
        assert found["pelvis_ty"] == pytest.approx(0.9)
        assert found["knee_angle_r"] == pytest.approx(180 * scale)


def test_storage_files_that_are_none_are_told(tmp_path):
    good = force_file(tmp_path / "grf.mot", walk().plates).read_text()
    head = good.index("endheader")
    for text, words in (
        (good.replace("endheader", "end"), "endheader"),
        (good[:head] + "endheader\nt\tx\n0\t1\n", "time first"),
        (good.replace("inDegrees=yes", "inDegrees=maybe"), "expected yes or no"),
        (good[: good.rindex("\n", 0, -2) + 1], "cut short"),
        (good.replace("force", "fxrce").replace("_v", "_w"), "no ground forces"),
        (good.replace("1_ground_force_vy", "1_ground_force_vx"), "there twice"),
    ):
        (tmp_path / "bad.mot").write_text(text)
        with pytest.raises(DataError, match=words):
            read_storage_forces(tmp_path / "bad.mot")


@pytest.mark.parametrize(
    "pair", [("R.MT5", "R.MT1"), ("R.Heel", "R.Ankle"), ("R.MT1", "L.MT1"), ("R.ASIS", "L.PSIS")]
)
def test_swapped_labels_are_put_right_and_told(pair):
    trial = walk()
    rng = np.random.default_rng(0)
    noisy = trial.markers.positions + 1e-3 * rng.standard_normal(trial.markers.positions.shape)
    positions, names = noisy.copy(), trial.markers.names
    a, b = (names.index(name) for name in pair)
    positions[60:75, a], positions[60:75, b] = noisy[60:75, b], noisy[60:75, a]

    def gait(places):
        return biomechanics.analyse_gait(
            replace(trial, markers=replace(trial.markers, positions=places)), 70.0
        )

    good, found = gait(noisy), gait(positions)
    assert not any("each other's label" in note for note in good.trial.notes)
    notes = [note for note in found.trial.notes if "each other's label" in note]
    assert len(notes) == 1
    assert all(repr(name) in notes[0] for name in pair)
    assert "frames 60 to 74: put right" in notes[0]
    assert np.array_equal(found.moment("right hip"), good.moment("right hip"))


def test_what_is_not_explained_is_said_with_its_reason():
    """Plates of another time explain nothing; the report says so."""
    trial = walk()
    late = tuple(
        replace(p, force=np.roll(p.force, 100, axis=0), moment=np.roll(p.moment, 100, axis=0))
        for p in trial.plates
    )
    good = biomechanics.analyse_gait(trial, 70.0)
    assert not any("explain" in words for words in good.warnings())
    doubted = biomechanics.analyse_gait(replace(trial, plates=late), 70.0)
    assert not doubted.explained.any()
    assert any("the plates explain 0 of the" in words for words in doubted.warnings())
    assert any("not in time with the markers" in words for words in doubted.warnings())
