"""From markers and plates to joints: a walker whose forces are known, and the command."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

from footwork import biomechanics, cli
from footwork import dynamics as dyn
from footwork.biomechanics import axes, gait_report
from footwork.biomechanics.body_segment_tables import DE_LEVA
from footwork.biomechanics.markers import marker_sets
from footwork.biomechanics.markers.anatomical_frames import segment_poses
from footwork.errors import ConfigurationError, DataError
from footwork.visualize.plots import gait as gait_plots

LAST_AXIS = {"hip": "y", "knee": "z", "ankle": "x"}  # of the walker's joints, at the segment below


@cache
def walk(**options):
    return biomechanics.synthetic_walk(**options)


def written(folder, trial):
    """A trial as a laboratory would have written it."""
    biomechanics.write_forces(folder / "walk.forces", trial.plates)
    return biomechanics.write_trc(folder / "walk.trc", trial.markers)


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    return written(tmp_path_factory.mktemp("walk"), walk().trial())


def analysed(trial, **options):
    """Its gait, without a filter unless there is to be one."""
    return biomechanics.analyse_gait(trial, walk().mass, **{"cutoff": None} | options)


def with_markers(trial, **changes):
    return replace(trial, markers=replace(trial.markers, **changes))


@pytest.fixture(scope="session")
def gait(files):
    return analysed(biomechanics.read_trial(files, threshold=0))


def truth(w, joint, every=10):
    """(force, moment) (k, 3) about a joint, laboratory axes, from the robot's recursion."""
    R = axes.turning("z", "y")
    name = f"{joint} {LAST_AXIS[joint.split()[1]]}"
    rows = []
    for i in range(0, len(w.q), every):
        ground = {link: wrench[i] for link, wrench in w.ground.items()}
        wrench = dyn.joint_wrenches(w.robot, w.q[i], w.v[i], w.a[i], ground)[name]
        rows.append([R @ wrench.force, R @ wrench.moment])
    return np.moveaxis(np.array(rows), 1, 0)


# --- the walker --------------------------------------------------------------------------------


def test_the_walker_obeys_newton_and_euler():
    """Its velocities and accelerations are those of q; the ground explains all of its motion."""
    w = walk()
    assert repr(w) == f"SyntheticWalk(70 kg, {len(w.q)} frames at 400 Hz)"
    v, a = biomechanics.robot_dynamics.velocities_and_accelerations(w.robot, w.q, w.rate)
    np.testing.assert_allclose(v, w.v, atol=1e-9)
    np.testing.assert_allclose(a, w.a, atol=1e-6)
    for i in range(0, len(w.q), 50):
        ground = {link: wrench[i] for link, wrench in w.ground.items()}
        tau = dyn.inverse_dynamics(w.robot, w.q[i], w.v[i], w.a[i], ground)
        assert np.abs(tau[:6]).max() < 1e-9
    assert min(w.ground[f"{s} foot"].force[:, 2].min() for s in ("right", "left")) >= 0
    assert w.robot.mass == pytest.approx(w.mass, rel=0.02)  # the table's sum


@pytest.mark.parametrize("joint", [f"{s} {j}" for s in ("right", "left") for j in LAST_AXIS])
def test_a_walk_is_recovered_from_its_files(gait, joint):
    """Files → markers → frames → derivatives → forces, against the robot that walked: 1e-6."""
    force, moment = truth(walk(), joint)
    np.testing.assert_allclose(gait.force(joint, "world")[::10], force, atol=1e-6)
    np.testing.assert_allclose(gait.moment(joint, "world")[::10], moment, atol=1e-6)
    assert np.abs(moment).max() > 30


def test_nothing_is_left_over(gait):
    """The pelvis with the trunk closes the balance."""
    force, moment = gait.forces.closing()
    assert force < 2e-6
    assert moment < 2e-6
    assert gait.explained.all()
    assert gait.weighed() == pytest.approx(walk().robot.mass, rel=0.01)


def test_footfalls(gait):
    """Each foot on its own plate, in turn."""
    feet = [step.foot for step in gait.footfalls]
    assert feet == ["left foot", "right foot"] * 2 + ["left foot"]
    assert {step.plate for step in gait.footfalls if step.foot == "right foot"} == {"1"}
    first = [step.first for step in gait.footfalls]
    assert first == sorted(first)
    assert gait.stance("right").mean() == pytest.approx(0.6, abs=0.02)


def test_joint_angles_are_those_of_the_walker(gait):
    w = walk()
    for name, columns in (("hip", "zxy"), ("knee", "z")):
        angles = gait.angles(f"right {name}")
        for k, axis in enumerate(columns):
            joint = w.robot.model.joints[w.robot.model.getJointId(f"right {name} {axis}")]
            sign = -1.0 if name == "knee" else 1.0  # bending counts
            np.testing.assert_allclose(angles[:, k], sign * w.q[:, joint.idx_q], atol=1e-9)


def test_power_of_the_joints_is_the_robot_s(gait):
    """Σ over the joints' axes of τ q̇."""
    w = walk()
    for joint in gait.joints:
        total = np.zeros(len(w.q[::10]))
        for k, i in enumerate(range(0, len(w.q), 10)):
            ground = {link: wrench[i] for link, wrench in w.ground.items()}
            tau = dyn.inverse_dynamics(w.robot, w.q[i], w.v[i], w.a[i], ground)
            own = [j for j in w.robot.joint_names if j.startswith(joint)]
            rows = [w.robot.model.joints[w.robot.model.getJointId(j)].idx_v for j in own]
            total[k] = tau[rows] @ w.v[i][rows]
        np.testing.assert_allclose(gait.power(joint)[::10], total, atol=1e-5)


def test_filtered_and_with_gaps_it_is_still_nearly_so(files):
    """At 10 Hz, with gaps and a tenth of a millimetre of noise, the ankle is within 5 %."""
    trial = biomechanics.read_trial(files)
    rng = np.random.default_rng(0)
    positions = trial.markers.positions + 1e-4 * rng.standard_normal(trial.markers.positions.shape)
    positions[100:115, 3] = np.nan
    gait = analysed(with_markers(trial, positions=positions), cutoff=15.0)
    _, moment = truth(walk(), "right ankle")
    middle = slice(5, -5)
    gap = gait.moment("right ankle", "world")[::10][middle] - moment[middle]
    assert np.sqrt((gap**2).mean()) < 0.05 * np.abs(moment).max()


def test_the_axis_up_does_not_matter(gait):
    z_up = analysed(walk().trial(up="z"))
    for joint in gait.joints:
        one, other = gait.moment(joint), z_up.moment(joint)
        np.testing.assert_allclose(one, other, atol=1e-7)


@pytest.mark.parametrize("degrees", [90.0, 137.0, 180.0])
def test_the_way_one_walks_does_not_matter(gait, degrees):
    """The same walk in another direction and at another place of the laboratory."""
    angle = np.radians(degrees)
    R = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    trial, shift = walk().trial(), np.array([3.0, 0.0, -2.0])
    markers = replace(trial.markers, positions=trial.markers.positions @ R.T + shift)
    plates = tuple(
        replace(p, force=p.force @ R.T, moment=p.moment @ R.T, origin=R @ p.origin + shift)
        for p in trial.plates
    )
    turned = analysed(replace(trial, markers=markers, plates=plates))
    for joint in gait.joints:
        np.testing.assert_allclose(turned.moment(joint), gait.moment(joint), atol=1e-7)
        np.testing.assert_allclose(turned.force(joint), gait.force(joint), atol=1e-6)


def test_a_short_trial(gait):
    """A dozen frames are enough without a filter, and too few with one."""
    trial = walk().trial()
    rates = replace(trial, plates=tuple(p.resampled(3 * walk().rate) for p in trial.plates))
    for one, cut in zip(rates.cut(40, 51).plates, trial.cut(40, 51).plates, strict=True):
        np.testing.assert_allclose(one.force[::3], cut.force, atol=1e-9)
    short = trial.cut(40, 51)
    found = analysed(short)
    assert gait_report.facts(found)["frames"] == 12
    ours, whole = (g.force("left ankle", "world") for g in (found, gait))
    np.testing.assert_allclose(ours, whole[40:52], atol=1e-2)
    with pytest.raises(ConfigurationError, match="expected more than 15 to filter"):
        biomechanics.analyse_gait(short, 70)
    with pytest.raises(ConfigurationError, match="9 or more to take derivatives"):
        analysed(replace(trial, markers=trial.markers.cut(40, 45), plates=()))


def test_matrix_and_recursion_agree_on_the_walk(gait):
    external = biomechanics.footfalls.ground_wrenches(gait.trial.plates, list(gait.footfalls))
    other = gait.forces.chain.recurse(gait.forces.motion, external)
    for joint, wrench in gait.forces.wrenches.items():
        np.testing.assert_allclose(wrench.moment, other[joint].moment, atol=1e-10)


# --- forward simulation ------------------------------------------------------------------------


def forward_simulated(duration=0.15, rate=400.0):
    """The walker's robot stands on soft ground and is driven by torques; returns (run, ground).

    The torques are those of springs, dampers and a shake; the ground's are linear in how its feet
    move, with half the weight on each.
    """
    w = walk()
    robot, start = w.robot, w.q[40].copy()
    names = "right foot", "left foot"
    feet = {name: dyn.frame_placement(robot, start, name) for name in names}
    weight = np.array([0.0, 0.0, robot.mass * 9.81 / 2, 0.0, 0.0, 0.0])
    stiffness = np.array([4e3, 4e3, 2e4, 60.0, 60.0, 20.0])

    def ground(t, q, v):
        wrenches = {}
        for foot, rest in feet.items():
            now = dyn.frame_placement(robot, q, foot)
            turn = pin.log3(rest.rotation.T @ now.rotation)
            off = np.concatenate([now.translation - rest.translation, rest.rotation @ turn])
            rates = dyn.frame_jacobian(robot, q, foot) @ v
            pushes = weight - stiffness * off - 0.03 * stiffness * rates
            wrenches[foot] = dyn.Wrench(pushes[:3], pushes[3:], point=now.translation)
        return wrenches

    def torque(t, q, v):
        shake = 15 * np.sin(9 * t + np.arange(robot.na))
        return 200 * (start[7:] - q[7:]) - 3 * v[6:] + shake

    run = dyn.simulate(
        robot, start, np.zeros(robot.nv), torque, duration=duration, step=1 / rate,
        integrator="dop853", wrenches=ground,
    )  # fmt: skip
    laws = [ground(t, q, v) for t, q, v in zip(run.t, run.q, run.v, strict=True)]

    def series(foot):
        parts = zip(
            *((w.force, w.moment, w.point) for w in (law[foot] for law in laws)), strict=True
        )
        return biomechanics.WrenchSeries(*map(np.array, parts)).at(np.zeros(3))

    return run, {foot: series(foot) for foot in feet}


@pytest.mark.slow
def test_a_forward_simulation_is_recovered_from_its_files(tmp_path):
    """Torques drove the motion; markers and plates of it, written and read, give them back."""
    run, ground = forward_simulated()
    simulated = replace(walk(), q=run.q, v=run.v, ground=ground)
    read = biomechanics.read_trial(written(tmp_path, simulated.trial()), threshold=0)
    # light feet start too fast for 400 frames a second; the last frame has one neighbour
    later = slice(40, -1)
    # segments: knees and ankles
    gait, joints = analysed(read), list(simulated.robot.joint_names)
    for joint, sign in (("right knee", -1), ("left knee", -1), ("left ankle", 1)):
        torque = run.tau[:, joints.index(f"{joint} z")]
        np.testing.assert_allclose(sign * gait.moment(joint)[later, 0], torque[later], atol=1e-6)
        assert np.ptp(torque) > 5
    # the robot: every joint, and nothing at its base
    fit = biomechanics.fit_markers(simulated.robot, read.markers, simulated.attachments)
    plates = zip(("right foot", "left foot"), read.turned("z").plates, strict=True)
    wrenches = {foot: plate.wrench() for foot, plate in plates}
    found = biomechanics.trial_dynamics(simulated.robot, fit.q, fit.rate, wrenches)
    np.testing.assert_allclose(found.tau[later, 6:], run.tau[later], atol=1e-6)
    weight = 9.81 * simulated.robot.mass  # the integrator's own error, twice differentiated
    assert np.abs(found.residual.force[later]).max() < 1e-6 * weight


# --- sides, sets, sizes ------------------------------------------------------------------------


def swapped_names(trial):
    """The same markers under the other side's names."""
    other = {"R": "L", "L": "R"}
    return with_markers(trial, names=tuple(other[n[0]] + n[1:] for n in trial.markers.names))


def test_sides_that_are_swapped_are_told_and_put_right(gait):
    found = analysed(swapped_names(walk().trial()))
    assert any("right and left are swapped" in note for note in found.notes)
    np.testing.assert_allclose(found.moment("right ankle"), gait.moment("right ankle"), atol=1e-7)


def test_one_confused_leg_is_refused():
    trial = walk().trial()
    names = list(trial.markers.names)
    for joint in ("Ankle", "Knee"):
        i, j = names.index(f"R.{joint}"), names.index(f"R.{joint}.Medial")
        names[i], names[j] = names[j], names[i]
    with pytest.raises(ConfigurationError, match="lateral and medial markers are confused"):
        analysed(with_markers(trial, names=tuple(names)))


def one_leg(trial, side):
    """The markers of one leg under the names of a one-leg set, with its hip."""
    poses = segment_poses(trial.markers, marker_sets.BOTH_LEGS)
    leg = marker_sets.BOTH_LEGS.legs[side]
    table = marker_sets.ONE_LEG.legs["right"]
    columns = {table[k]: trial.markers[leg[k]] for k in leg} | {"FH": poses[f"{side} thigh"][1]}
    positions = np.stack(list(columns.values()), axis=1)
    markers = biomechanics.Markers(tuple(columns), positions, trial.markers.rate)
    plate = trial.plates[0 if side == "right" else 1]
    return biomechanics.Trial(markers, (plate,))


@pytest.mark.parametrize("side", ["right", "left"])
def test_one_leg_alone(gait, side):
    """The same ankle and knee; which leg it is, its markers say. The hip's wrench is left over."""
    alone = analysed(one_leg(walk().trial(), side))
    assert alone.joints == (f"{side} ankle", f"{side} knee")
    for joint in alone.joints:
        np.testing.assert_allclose(alone.moment(joint), gait.moment(joint), atol=1e-7)
    hip = gait.moment(f"{side} hip", "world")
    np.testing.assert_allclose(alone.forces.residual.moment, hip, atol=1e-6)


def test_markers_of_no_known_set_are_told():
    trial = walk().trial()
    bare = replace(trial, markers=trial.markers.only(["R.Knee", "R.Heel"]))
    with pytest.raises(ConfigurationError, match=r"no known set.*define a MarkerSet"):
        biomechanics.analyse_gait(bare, 70)
    four = [f"{joint} {side}" for joint in ("knee", "ankle") for side in ("lateral", "medial")]
    with pytest.raises(ConfigurationError, match="no marker for the right heel"):
        biomechanics.MarkerSet("mine", {"right": dict(zip(four, "abcd", strict=True))})
    with pytest.raises(ConfigurationError, match="no side 'rigth'; did you mean 'right'"):
        biomechanics.MarkerSet("mine", {"rigth": {}})


def test_a_marker_set_of_one_s_own_from_a_file(tmp_path, gait):
    """The same markers under other names, described in YAML."""
    both = marker_sets.BOTH_LEGS
    legs = {s: {k: f"{n}!" for k, n in leg.items()} for s, leg in both.legs.items()}
    pelvis = {k: f"{n}!" for k, n in both.pelvis.items()}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"legs": legs, "pelvis": pelvis}))
    mine = biomechanics.MarkerSet.load(path)
    assert mine.name == "mine"
    trial = walk().trial()
    renamed = with_markers(trial, names=tuple(f"{n}!" for n in trial.markers.names))
    found = analysed(renamed, names=mine)
    np.testing.assert_allclose(found.moment("left knee"), gait.moment("left knee"), atol=1e-7)


@pytest.mark.parametrize(
    "text",
    ["", "legs: 3", "feet: {}", "legs: {right: [1]}", "a: [", "- legs", "legs: {}\npelvis: 3"],
)
def test_a_file_that_describes_no_marker_set(tmp_path, text):
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(DataError, match=r"mine\.yaml"):
        biomechanics.MarkerSet.load(tmp_path / "mine.yaml")


def test_a_marker_somewhere_else_is_told():
    trial = walk().trial()
    positions = trial.markers.positions.copy()
    positions[:, trial.markers.names.index("R.Knee.Medial")] += [0.15, 0.0, -0.05]
    notes = biomechanics.analyse_gait(with_markers(trial, positions=positions), 70).trial.notes
    assert any("right knee's markers are 0." in note for note in notes)
    other = {"R.Knee": "L.Knee", "L.Knee": "R.Knee"}  # and Medial: each keeps its neighbour
    names = tuple(other.get(n[:6], n[:6]) + n[6:] for n in trial.markers.names)
    notes = biomechanics.analyse_gait(with_markers(trial, names=names), 70).notes
    assert sum("m from the ankle: do their labels" in note for note in notes) == 2


def test_a_marker_that_is_lost_is_told_by_frames():
    trial = walk().trial()
    positions = trial.markers.positions.copy()
    positions[300:500, trial.markers.names.index("R.Heel")] = np.nan
    positions[:, trial.markers.names.index("L.ASIS")] = np.nan
    with pytest.raises(ConfigurationError, match=r"'R\.Heel' in frames 300 to 499.*'L\.ASIS' in"):
        analysed(with_markers(trial, positions=positions))


def test_a_wrong_mass_and_a_missing_plate_are_told():
    trial = walk().trial()
    heavy = biomechanics.analyse_gait(trial, 100.0)
    assert any("plates carry" in note for note in gait_report.facts(heavy)["notes"])
    beside = biomechanics.analyse_gait(replace(trial, plates=trial.plates[:1]), walk().mass)
    explained = beside.explained
    assert 0.2 < explained.mean() < 0.8
    assert explained[120]
    assert not explained[320]  # the left foot stood beside the plate


@pytest.mark.parametrize("mass", [0.0, -1.0, np.nan, None])
def test_no_mass_is_refused(mass):
    with pytest.raises(ConfigurationError, match="mass"):
        biomechanics.analyse_gait(walk().trial(), mass)


def test_hips_are_where_the_regression_says():
    """Half a hip's width grows with a third of the pelvis's."""
    narrow = {"asis": (0.0, 0.12), "psis": (-0.15, 0.05)}
    spines = {
        f"{side} {spine}": np.array([[x, 0, out * z]])
        for spine, (x, z) in narrow.items() for side, out in (("right", 1), ("left", -1))
    }  # fmt: skip
    hips = biomechanics.markers.anatomical_frames.hip_centres(np.eye(3)[None], spines)
    assert hips["right"][0] == pytest.approx([-0.0459, -0.0829, 0.0865])
    assert hips["left"][0] == pytest.approx([-0.0459, -0.0829, -0.0865])


# --- the table ---------------------------------------------------------------------------------


@pytest.mark.parametrize("sex", ["male", "female"])
def test_the_table_of_segments_adds_up(sex):
    """Head, trunk, arms and legs are the whole body; three trunks are one."""
    table = DE_LEVA[sex]
    whole = table["head"].mass + table["trunk"].mass
    limbs = ("upper arm", "forearm", "hand", "thigh", "shank", "foot")
    whole += 2 * sum(table[name].mass for name in limbs)
    assert whole == pytest.approx(1.0, abs=0.002)
    parts = sum(table[f"{part} trunk"].mass for part in ("upper", "middle", "lower"))
    assert parts == pytest.approx(table["trunk"].mass, abs=2e-4)
    for segment in table.values():
        moments = np.diag(segment.inertia(70.0, segment.length))
        assert 2 * moments.max() <= moments.sum()  # the triangle inequality of a body
        assert 0 < segment.com < 1


def test_a_segment_and_a_table_that_are_not_there():
    with pytest.raises(ConfigurationError, match="did you mean 'shank'"):
        biomechanics.body_segment_tables.body_segment("shanc")
    with pytest.raises(ConfigurationError, match="no table 'men'"):
        biomechanics.body_segment_tables.body_segment("shank", "men")


def test_a_foot_lies_along_x():
    foot = biomechanics.body_segment_tables.body_segment("foot")
    along_x, along_y = foot.inertia(70, 0.25, "x"), foot.inertia(70, 0.25)
    assert along_x[0, 0] == along_y[1, 1] < along_y[0, 0]


# --- the command -------------------------------------------------------------------------------


def test_the_command_writes_everything(files, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert cli.main(["gait", str(files), "--mass", "70", "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "right ankle" in said.out
    assert "plate 1: right foot" in said.out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    pictures = {f"walk-{what}.png" for what in ("right", "left", "walk")}
    assert names == {"walk.csv", "walk.json"} | pictures
    assert all(path.stat().st_size > 1000 for path in (tmp_path / "out").iterdir())
    with open(tmp_path / "out" / "walk.csv") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + len(walk().q)
    column = rows[0].index("right ankle flexion moment [N·m]")
    moments = np.array([float(row[column]) for row in rows[1:]])
    facts = json.loads((tmp_path / "out" / "walk.json").read_text())
    peak = facts["stance peaks"]["right ankle"]["largest flexion moment [N·m]"]
    assert peak == pytest.approx(moments[np.abs(moments).argmax()], rel=1e-6)
    assert -250 < peak < -100


def test_the_command_answers_in_json(files, tmp_path, capsys):
    csv_file = tmp_path / "new" / "folder" / "walk.csv"
    given = ["--mass", "70", "--json", "--cutoff", "0", "--threshold", "5", "--csv", str(csv_file)]
    assert cli.main(["gait", str(files), *given]) == 0
    assert csv_file.exists()
    facts = json.loads(capsys.readouterr().out)
    assert facts["frames"] == len(walk().q)
    assert facts["residual at the pelvis, rms"]["force [N]"] < 10  # below the plates' threshold


def test_the_command_lets_a_robot_walk(files, tmp_path, capsys, load_robot):
    pytest.importorskip("matplotlib")
    load_robot("human", "floating")
    given = ["gait", str(files), "--mass", "70", "--robot", "human", "--frames", "0", "200"]
    assert cli.main([*given, "--html", str(tmp_path / "walk.html")]) == 0
    said = capsys.readouterr().out
    assert "human: markers within" in said
    assert "right ankle" in said.splitlines()[-1]
    assert (tmp_path / "walk.html").stat().st_size > 100_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.trc", "--mass", "70"], "no such file"),
        (["FILE", "--mass", "-70"], "mass: got -70"),
        (["FILE", "--mass", "70", "--cutoff", "900"], "half the rate"),
        (["FILE", "FILE", "--mass", "70", "--csv", "x.csv"], "use --out"),
        (["FILE", "--mass", "70", "--forces", "nothing.forces"], "no such file"),
        (["FILE", "--mass", "70", "--markers", "nothing.yaml"], "no such file"),
        (["FILE", "--mass", "70", "--html", "x.html"], "--robot human"),
        (["FILE", "--mass", "70", "--frames", "5", "9000"], "frames first to last: got 5 to 9000"),
        (["FILE", "--mass", "70", "--threshold", "-1"], "threshold: got -1"),
        (["FILE", "--mass", "70", "--unit", "m"], "--unit: got 'm'"),
    ],
)
def test_bad_usage_is_told(files, capsys, arguments, message):
    given = [str(files) if a == "FILE" else a for a in arguments]
    assert cli.main(["gait", *given]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert len(said.err.splitlines()) == 1


def test_figures_show_what_was_found(gait):
    pytest.importorskip("matplotlib")
    axes = gait_plots.plot_gait(gait, "left")
    assert axes.shape == (3, 3)
    assert axes[0, 1].get_title() == "left ankle: moment [N·m]"
    drawn = axes[0, 1].get_lines()[0].get_ydata()
    np.testing.assert_allclose(drawn, gait.moment("left ankle")[:, 0])
    with pytest.raises(ConfigurationError, match="did you mean 'left'"):
        gait_plots.plot_gait(gait, "lef")
    assert "walk.trc" in gait_plots.plot_walk(gait).get_title()


def test_names_that_do_not_exist(gait):
    with pytest.raises(ConfigurationError, match="no joint 'right wrist'"):
        gait.moment("right wrist")
    plate = gait.trial.plates[0]
    with pytest.raises(DataError, match="one of each"):
        biomechanics.write_forces("x.forces", (plate, plate.resampled(200.0)))


def test_both_sides_count_alike():
    """A walk mirrored from right to left has the same numbers on the other side."""
    trial = walk().trial()
    mirror = np.array([1.0, 1.0, -1.0])
    mirrored = with_markers(swapped_names(trial), positions=trial.markers.positions * mirror)
    each = trial.plates
    plates = [replace(p, force=p.force * mirror, moment=-p.moment * mirror) for p in each]
    one, other = analysed(trial), analysed(replace(mirrored, plates=tuple(plates)))
    for joint in ("ankle", "knee", "hip"):
        right, left = f"right {joint}", f"left {joint}"
        np.testing.assert_allclose(other.moment(left), one.moment(right), atol=1e-7)
        np.testing.assert_allclose(other.angles(left), one.angles(right), atol=1e-9)
        np.testing.assert_allclose(other.power(left), one.power(right), atol=1e-6)


def test_a_trial_without_plates_has_kinematics_only():
    alone = analysed(replace(walk().trial(), plates=()))
    assert alone.footfalls == ()
    assert alone.weighed() is None
    assert not alone.explained.any()
    assert gait_report.facts(alone)["stance peaks"] == {}
    angles = analysed(walk().trial()).angles("right knee")
    np.testing.assert_allclose(alone.angles("right knee"), angles)
