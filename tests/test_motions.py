"""Motions: derivatives on the manifold, noise, and the files that people publish."""

from __future__ import annotations

import csv
import os
import pickle
import struct
import zipfile
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import footwork as fw
from footwork import control, dynamics
from footwork.dynamics import Motion, as_motion, read_motion
from footwork.dynamics.motions import curves, joint_order, layouts, noise, tables
from footwork.errors import ConfigurationError, DataError, FootworkError

RATE = 50.0
SPIN = np.array([0.4, -0.3, 0.2, 1.0, -3.0, 9.0])  # of the base: a turn and a half each second


def swing(robot, count=150, rate=RATE, seed=0, spin=SPIN, size=0.2):
    """An analytic motion (t, q, q at any time): the base turns, all joints swing."""
    rng = np.random.default_rng(seed)
    q0, amplitude = robot.posture(), size * rng.standard_normal(robot.nv)
    pace, turn = rng.uniform(1, 6, robot.nv), np.zeros(robot.nv)
    turn[: len(spin)] = spin[: robot.nv]

    def at(time):
        return robot.integrate(robot.integrate(q0, turn * time), amplitude * np.sin(pace * time))

    t = np.arange(count) / rate
    return t, np.array([at(x) for x in t]), at


def pinocchio_rates(robot, at, t, h=1e-3):
    """v and a of a motion at t, by differences of eight order of Pinocchio's own steps."""
    steps = {k: pin.difference(robot.model, at(t), at(t + k * h)) for k in range(-4, 5)}
    first = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    second = {1: 8 / 5, 2: -1 / 5, 3: 8 / 315, 4: -1 / 560}
    v = sum(w * (steps[k] - steps[-k]) for k, w in first.items()) / h
    return v, sum(w * (steps[k] + steps[-k]) for k, w in second.items()) / h**2


PLANAR = """<mujoco><worldbody><body name="a"><joint type="ball" name="ball"/>
<geom size=".1" mass="1"/><body name="b" pos="0 0 1"><joint axis="0 1 0" name="hinge"/>
<joint type="slide" axis="1 0 0" name="slide"/><geom size=".1" mass="1"/></body></body>
</worldbody></mujoco>"""


@pytest.fixture(scope="module")
def g1():
    return fw.load("g1", meshes=False)


@pytest.fixture(scope="module")
def way(g1):
    """A motion of a G1: it walks off along a bend, leaning a little."""
    t, q, _ = swing(g1, spin=np.array([0.5, 0, 0, 0.02, 0.03, 0.6]), size=0.1)
    return Motion.of(g1, t, q, cutoff=None, name="way")


def continuous_joint():
    link = (
        '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>'
    )
    joint = (
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>'
        "</joint>"
    )
    text = f'<robot name="r">{link.format("a")}{link.format("b")}{joint}</robot>'
    return fw.load(text, base="floating")


# --- derivatives ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["g1", "ball", "turning"])
def test_v_and_a_are_those_of_pinocchios_steps(name, g1, tmp_path):
    (tmp_path / "ball.xml").write_text(PLANAR)
    robot = {"g1": lambda: g1, "ball": lambda: fw.load(tmp_path / "ball.xml"),
             "turning": continuous_joint}[name]()  # fmt: skip
    t, q, at = swing(robot, 80, 200.0)
    motion = Motion.of(robot, t, q, cutoff=None)
    for i in (0, 3, 40, 79):
        v, a = pinocchio_rates(robot, at, t[i])
        inside = 3 < i < 76
        np.testing.assert_allclose(motion.v[i], v, atol=1e-9 if inside else 1e-3)
        np.testing.assert_allclose(motion.a[i], a, atol=1e-6 if inside else 0.1)
    every = curves.velocities_and_accelerations(robot, q, 200.0)
    np.testing.assert_allclose(every[0][4:-4], motion.v[4:-4], atol=1e-12)
    for i in (0, 3, 79):
        v, a = pinocchio_rates(robot, at, t[i])
        np.testing.assert_allclose(every[0][i], v, atol=1e-6)
        np.testing.assert_allclose(every[1][i], a, atol=1e-3)


def test_noise_is_no_larger_at_the_ends(g1):
    t, q = np.arange(200) / RATE, np.tile(g1.posture(), (200, 1))
    q[:, 7:] += 1e-4 * np.random.default_rng(0).standard_normal((200, 29))
    a = Motion.of(g1, t, q, cutoff=None).a[:, 6:]
    inner = a[10:-10].std()
    assert a[[0, 1, 2, 3, -1, -2, -3, -4]].std() < 1.5 * inner
    assert curves.velocities_and_accelerations(g1, q, RATE)[1][[0, -1], 6:].std() > 15 * inner


def test_signs_of_quaternions_and_full_turns_change_nothing(g1):
    t, q, _ = swing(g1, 60)
    flipped = q.copy()
    flipped[::3, 3:7] *= -1
    one, other = (Motion.of(g1, t, x, cutoff=10.0) for x in (q, flipped))
    np.testing.assert_allclose(one.v, other.v, atol=1e-12)
    np.testing.assert_allclose(one.a, other.a, atol=1e-10)
    assert np.abs(np.diff(Rotation.from_quat(q[:, 3:7]).magnitude())).max() > 0.1  # it does turn


def test_a_turn_at_a_constant_rate_passes_the_filter(g1):
    """Six turns a second through a filter of 4 Hz: right, its ends included."""
    t = np.arange(100) / RATE
    step = np.zeros(g1.nv)
    step[3:6] = [1.0, -2.0, 6.0]
    q = np.array([g1.integrate(g1.posture(), step * x) for x in t])
    motion = Motion.of(g1, t, q, cutoff=4.0)
    turned = np.array([g1.difference(x, y) for x, y in zip(q, motion.q, strict=True)])
    assert np.abs(turned[:, 3:]).max() < 1e-6
    np.testing.assert_allclose(motion.v[:, 3:6], np.tile(step[3:6], (100, 1)), atol=2e-5)


def test_smoothing_commutes_with_turns_of_the_world(g1):
    t, q, _ = swing(g1, 80)
    world = pin.SE3(pin.exp3(np.array([0.3, -1.0, 2.0])), np.array([1.0, -2.0, 0.5]))
    moved = q.copy()
    for i, x in enumerate(q):
        moved[i, :7] = pin.SE3ToXYZQUAT(world * pin.XYZQUATToSE3(x[:7]))
    here, there = (Motion.of(g1, t, x, cutoff=5.0) for x in (q, moved))
    np.testing.assert_allclose(here.v, there.v, atol=1e-10)
    np.testing.assert_allclose(here.a, there.a, atol=1e-8)


def test_the_filter_is_that_of_numbers_for_joints(g1):
    t, q, _ = swing(g1, 100)
    motion = Motion.of(g1, t, q, cutoff=6.0)
    plain = dynamics.motions.filters.lowpass(q[:, 7:], RATE, 6.0)
    np.testing.assert_allclose(motion.q[25:-25, 7:], plain[25:-25], atol=1e-4)
    assert motion.smoothing.cutoff == 6.0
    away = motion.q[:, 7:] - q[:, 7:]
    np.testing.assert_allclose(motion.smoothing.removed[6:], np.sqrt((away**2).mean(axis=0)))
    assert "smoothed at 6 Hz (as asked)" in motion.notes[-1]


def test_noise_is_told_from_motion(g1):
    """The cut-off of the rule is nearly the best for accelerations; without noise there is none."""
    t, q, _ = swing(g1, 1000, spin=SPIN / 10)
    rng = np.random.default_rng(3)
    noisy = np.array([g1.integrate(x, 1e-3 * rng.standard_normal(g1.nv)) for x in q])
    clean, found = Motion.of(g1, t, q, cutoff=None), Motion.of(g1, t, noisy)
    assert Motion.of(g1, t, q).smoothing.cutoff is None

    def error(motion):
        return np.sqrt(((motion.a - clean.a)[50:-50, 6:] ** 2).mean())

    grid = [error(Motion.of(g1, t, noisy, cutoff=c)) for c in (1.5, 2, 2.5, 3, 4, 5, 7, 10)]
    raw = Motion.of(g1, t, noisy, cutoff=None)
    assert error(found) < 2 * min(grid)
    assert error(found) < 0.05 * error(raw)
    removed = found.smoothing.removed[6:]
    assert np.median(removed) == pytest.approx(1e-3, rel=0.1)
    variance = noise.noise_variance(*noise.spectrum(noisy[:, 7:], RATE), RATE)
    assert np.sqrt(np.median(variance)) == pytest.approx(1e-3, rel=0.05)


def test_few_samples(g1):
    t, q, _ = swing(g1, 8)
    for count in range(1, 9):
        motion = Motion.of(g1, t[:count], q[:count])
        assert len(motion) == count
        assert np.isfinite(motion.a).all()
    two = Motion.of(g1, t[:2], q[:2])
    np.testing.assert_allclose(g1.integrate(q[0], two.v[0] / RATE), q[1], atol=1e-12)
    assert not two.a.any()


def test_uneven_times_are_resampled_and_rounded_ones_taken_as_steady(g1):
    t, q, at = swing(g1, 200, spin=SPIN / 3)
    motion = Motion.of(g1, np.round(t / 1.2, 4), q, cutoff=None)
    np.testing.assert_allclose(motion.t, t / 1.2, atol=1e-4)
    assert np.ptp(np.diff(motion.t)) < 1e-12
    assert "as when rounded" in motion.notes[0]
    rng = np.random.default_rng(0)
    uneven = np.cumsum(rng.uniform(0.01, 0.03, 200))
    motion = Motion.of(g1, uneven, np.array([at(x) for x in uneven]), cutoff=None)
    assert "varies (0.01" in motion.notes[0]
    assert "resampled at" in motion.notes[0]
    for i in range(20, len(motion) - 20, 30):
        assert np.abs(g1.difference(at(motion.t[i]), motion.q[i])).max() < 1e-5
    stamps = np.r_[0.0, 1.7e9 + t[1:]]  # the first of a log: gigabytes, or splines of an hour
    with pytest.raises(ConfigurationError, match=r"t: got no samples from 0 to 1\.7e\+09 s"):
        Motion.of(g1, stamps, q)


def test_times_that_are_no_seconds_are_told(g1):
    """In milliseconds all accelerations are a millionth, and every audit holds."""
    t, q, _ = swing(g1, 60)
    for times, told in ((t, False), (1e3 * t, True)):
        notes = Motion.of(g1, times, q, cutoff=None).notes
        assert any("are its times in seconds?" in note for note in notes) == told


# --- given velocities ----------------------------------------------------------------------------


def test_given_velocities_stay_and_contradictions_are_told(g1):
    t, q, _ = swing(g1)
    derived = Motion.of(g1, t, q, cutoff=None)
    v, a = derived.v, derived.a
    kept = Motion.of(g1, t, q, v, a)
    assert (kept.notes, kept.smoothing) == ((), None)
    assert all((x == y).all() for x, y in ((kept.v, v), (kept.a, a), (kept.q, q)))
    R = Rotation.from_quat(q[:, 3:7])
    linear, angular = R.apply(v[:, :3]), R.apply(v[:, 3:6])
    cases = {
        "agrees in axes of the world; expected": np.hstack([linear, angular, v[:, 6:]]),
        "axes of the world in its linear part": np.hstack([linear, v[:, 3:]]),
        "57.3 times as large, as in degrees": np.hstack([v[:, :6], np.degrees(v[:, 6:])]),
        "angular v of the base contradicts the derivative of q, by 50 %: it is 2 times": 2 * v,
    }
    for words, given in cases.items():
        motion = Motion.of(g1, t, q, given)
        assert any(words in note for note in motion.notes), (words, motion.notes)
        assert (motion.v == given).all()
    assert "a contradicts the derivative of v" in Motion.of(g1, t, q, v, -a).notes[0]


def test_trajectories_and_closed_loops_are_motions(tmp_path):
    pendulum = fw.robots.double_pendulum()
    swung = dynamics.simulate(pendulum, [0.5, 0.2], [0, 0], duration=0.5, step=0.01)
    motion = as_motion(swung)
    assert motion.notes == ()
    np.testing.assert_allclose(motion.a[1:-1], (swung.v[2:] - swung.v[:-2]) / 0.02, atol=1e-9)
    biped = fw.load("biped")
    limp = lambda t, q, v: np.zeros(biped.na)  # noqa: E731
    loop = control.simulate(biped, limp, duration=0.05, progress=False)
    assert (as_motion(loop).a == loop.accelerations).all()
    for name in ("loop.npz", "loop.csv"):
        control.save_motion(loop, tmp_path / name)
        read = read_motion(tmp_path / name, biped)
        assert all((getattr(read, name) == getattr(loop, name)).all() for name in "tqv")
    assert "left out: energy, f, margin, status, tau" in read.notes[0]
    with pytest.raises(ConfigurationError, match=r"expected a Motion, as .* or a Trajectory"):
        as_motion(3.0)


def test_parts_and_slower(g1, way):
    part = way.part(0.5, 1.0)
    assert (part.t[0], part.t[-1], len(part)) == (0.5, 1.0, 26)
    np.testing.assert_array_equal(part.at(0.7)[0], way.at(0.7)[0])
    slow = way.slower(2.0)
    again = Motion.of(g1, slow.t, slow.q, cutoff=None)
    np.testing.assert_allclose(slow.v, again.v, atol=1e-9)
    np.testing.assert_allclose(slow.a, again.a, atol=1e-7)
    with pytest.raises(ConfigurationError, match=r"expected times with a sample of 0 to 2.98 s"):
        way.part(5.0)


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_own_files_are_read_to_the_bit(way, g1, tmp_path, suffix):
    read = read_motion(way.save(tmp_path / f"way{suffix}"), g1)
    for name in ("t", "q", "v", "a"):
        assert (getattr(read, name) == getattr(way, name)).all()
    assert read.name == "way"
    if suffix == ".npz":
        assert read.notes == way.notes


def wxyz(q):
    return q[:, [6, 3, 4, 5]]


def links_of(robot, q):
    names = [frame.name for frame in robot.model.frames if frame.type == pin.FrameType.BODY]
    rows = [[dynamics.frame_placement(robot, x, n).translation for n in names] for x in q]
    turns = np.tile([1.0, 0, 0, 0], (len(q), len(names), 1))
    turns[:, 0] = wxyz(q)
    return np.array(rows), turns


def npz(path, **arrays):
    np.savez(path, **arrays)


def pkl(protocol):
    def write(path, **values):
        path.write_bytes(pickle.dumps(values, protocol=protocol))

    return write


def npy(path, **values):
    np.save(path, np.array(values, dtype=object), allow_pickle=True)


def table(path, columns, header=None, digits="%.9f"):
    lines = [",".join(header)] if header else []
    lines += [",".join(digits % x for x in row) for row in columns]
    path.write_text("\n".join(lines) + "\n")


def joblib_of(compress):
    def write(path, **values):
        joblib = pytest.importorskip("joblib")
        joblib.dump(values, path, compress=compress)

    return write


def published(robot, q, folder):
    """Write the motion q in every layout; yield (path, arguments, what a note says)."""
    place, turn, joints = q[:, :3], q[:, 3:7], q[:, 7:]
    names, isaac = robot.joint_names, joint_order.breadth_first(robot)
    shuffled = np.stack([joints[:, names.index(n)] for n in isaac], axis=1)
    places, turns = links_of(robot, q)
    world = np.concatenate([0 * places[:, :1], places], axis=1)
    world_turns = np.concatenate([turns[:, :1], turns], axis=1)
    vectors = Rotation.from_quat(turn).as_rotvec()
    euler = Rotation.from_quat(turn).as_euler("xyz", degrees=True)
    gmr = {"fps": 50, "root_pos": place, "root_rot": turn, "dof_pos": joints}
    single = {k: np.asarray(x, dtype=np.float32) for k, x in gmr.items()}
    swapped = {k: np.asarray(x, dtype=">f8") for k, x in gmr.items()}
    asap = {"root_trans_offset": place, "root_rot": turn, "dof": joints, "fps": np.float64(50)}
    axes = [f"root_{kind}{axis}" for kind in ("translate", "rotate") for axis in "XYZ"]
    seed = np.c_[np.arange(len(q)), 100 * place, euler, np.degrees(joints)]
    base = ["time", "root_x", "root_y", "root_z", "root_qw", "root_qx", "root_qy", "root_qz"]
    qpos = np.c_[place, wxyz(q), joints]
    yield "gmr.pkl", pkl(4), gmr | {"local_body_pos": None, "link_body_list": ["a"]}, {}, "xyzw"
    yield "gmr2.pkl", pkl(2), single, {}, "its order"
    yield "gmr0.pkl", pkl(0), swapped, {}, "xyzw"
    yield "gmr5.pkl", pkl(5), gmr, {}, "xyzw"
    yield "asap.pkl", pkl(4), {"clip": asap}, {}, "asap"
    yield "joblib.pkl", joblib_of(0), {"clip": asap, "names": {}}, {"entry": "clip"}, "asap"
    yield "packed.pkl", joblib_of(3), {"clip": swapped | {"names": names}}, {}, "names"
    fortran = {k: np.asfortranarray(x) for k, x in gmr.items()}
    yield "gz.pkl", joblib_of(("gzip", 3)), fortran, {}, ""
    yield "two.pkl", pkl(4), {"clip": asap, "b": asap}, {"entry": "clip"}, "asap"
    phuma = {"root_trans": place, "root_ori": turn, "dof_pos": joints, "fps": 50}
    yield "phuma.npy", npy, phuma, {}, "phuma"
    yield "qpos.npz", npz, {"qpos": qpos, "fps": 50}, {}, "wxyz"
    yield "box.npz", npz, {"qpos": np.c_[qpos, qpos[:, :7]], "fps": 50}, {}, "1 pose after"
    yield "omni.npz", npz, {"qpos": np.c_[wxyz(q), place, joints], "fps": 1 / 50}, {}, "seconds"
    bodies = {"fps": [50], "joint_vel": 0, "body_pos_w": places, "body_quat_w": turns}
    yield "bm.npz", npz, bodies | {"joint_pos": shuffled}, {}, "breadth-first order"
    yield "mj.npz", npz, bodies | {"joint_pos": joints}, {}, "links are where"
    whole = {"body_pos_w": world, "body_quat_w": world_turns, "joint_names": np.array(names)}
    yield "holosoma.npz", npz, bodies | whole | {"joint_pos": qpos}, {}, "wxyz"
    lab = {"dof_names": np.array(isaac, dtype=object), "dof_positions": shuffled, "fps": 50}
    yield "lab.npz", npz, lab | {"body_positions": places, "body_rotations": turns}, {}, "isaaclab"
    frames = np.c_[place, vectors, joints].tolist()
    yield "mimic.pkl", pkl(4), {"loop_mode": 0, "fps": 50, "frames": frames}, {}, "mimickit"
    yield "lafan.csv", table, {"columns": q}, {"rate": 50}, "its order"
    yield "w.csv", table, {"columns": qpos}, {"rate": 50}, "wxyz: the robot stands"
    yield "f.csv", table, {"columns": np.c_[np.arange(len(q)), q]}, {"rate": 50}, "xyzw"
    yield "t.csv", table, {"columns": np.c_[np.arange(len(q)) / 50, q]}, {}, "column is time"
    header = ["Frame", *axes, *(f"{n}_dof" for n in names)]
    yield "seed.csv", table, {"columns": seed, "header": header}, {"rate": 50}, "degrees"
    timed = np.c_[np.arange(len(q)) / 50, place, wxyz(q), shuffled]
    yield "header.csv", table, {"columns": timed, "header": [*base, *isaac]}, {}, "header"
    remark = [f"# {base[1]}", *base[2:], *names]
    yield "saved.csv", table, {"columns": qpos, "header": remark}, {"rate": 50}, "header"


def test_published_layouts(way, g1, tmp_path):
    seen = set()
    for name, write, values, arguments, said in published(g1, way.q, tmp_path):
        write(tmp_path / name, **values)
        read = read_motion(tmp_path / name, g1, cutoff=None, **arguments)
        exact = 1e-6 if name in ("gmr2.pkl",) else 1e-7
        np.testing.assert_allclose(read.q, way.q * sign_of(read.q, way.q), atol=exact, err_msg=name)
        assert read.rate == pytest.approx(50), name
        assert any(said in note for note in read.notes), (name, read.notes)
        seen.add(read.notes[0])
    assert len(seen) >= 9


def sign_of(q, like):
    sign = np.ones(like.shape)
    sign[:, 3:7] = np.sign((q[:, 3:7] * like[:, 3:7]).sum(axis=1))[:, None]
    return sign


@pytest.mark.parametrize("heading", [0.0, 1.0, 2.5, -2.0])
def test_orders_of_quaternions_are_found(g1, tmp_path, heading):
    """Whatever the heading; where both orders stand upright, the robot that looks along +x."""
    q = swing(g1, 60, spin=np.array([0.3, 0, 0, 0.1, -0.2, 0.1]), size=0.02)[1]
    turned = np.array([np.r_[pin.SE3ToXYZQUAT(pin.SE3(pin.exp3(np.array([0, 0, heading])),
        np.zeros(3)) * pin.XYZQUATToSE3(x[:7])), x[7:]] for x in q])  # fmt: skip
    for order in ("xyzw", "wxyz"):
        rows = np.c_[turned[:, :3], wxyz(turned) if order == "wxyz" else turned[:, 3:7], q[:, 7:]]
        table(tmp_path / "a.csv", rows)
        read = read_motion(tmp_path / "a.csv", g1, rate=50, cutoff=None)
        assert any(note.startswith(f"quaternions {order}") for note in read.notes), read.notes
        np.testing.assert_allclose(read.q[:, 3:7], turned[:, 3:7], atol=1e-8)


def test_motions_that_do_not_fit_the_robot_say_which_joints(way, g1, tmp_path):
    locked = fw.load("g1", meshes=False, lock=["left_wrist_roll_joint", "right_wrist_roll_joint"])
    names = np.array(g1.joint_names)
    keys = {"fps": 50, "root_pos": way.q[:, :3], "root_rot": way.q[:, 3:7]}
    npz(tmp_path / "full.npz", dof_pos=way.q[:, 7:], joint_names=names, **keys)
    rest = [i for i, n in enumerate(names) if "wrist_roll" not in n]
    npz(tmp_path / "rest.npz", dof_pos=way.q[:, 7:][:, rest], joint_names=names[rest], **keys)
    lacks = r"lacks left_wrist_roll_joint, right.*extra='drop'"
    with pytest.raises(ConfigurationError, match=lacks):
        read_motion(tmp_path / "full.npz", locked)
    assert read_motion(tmp_path / "full.npz", locked, extra="drop").q.shape == (150, 34)
    with pytest.raises(ConfigurationError, match=r"file lacks left_wrist_roll.*missing='posture'"):
        read_motion(tmp_path / "rest.npz", g1)
    filled = read_motion(tmp_path / "rest.npz", g1, missing="posture", cutoff=None)
    at = 7 + list(names).index("left_wrist_roll_joint")
    assert (filled.q[:, at] == g1.posture()[at]).all()
    assert any("as 'g1' stands" in note for note in filled.notes)
    npz(tmp_path / "nameless.npz", dof_pos=way.q[:, 7:], **keys)
    with pytest.raises(ConfigurationError, match="got 29 columns for 27 joints of 'g1'"):
        read_motion(tmp_path / "nameless.npz", locked)
    (tmp_path / "names.txt").write_text("\n".join(names[::-1]))
    short = [name.removesuffix("_joint").upper() for name in names]
    for order, q in ((tmp_path / "names.txt", way.q[:, :6:-1]), (short, way.q[:, 7:])):
        read = read_motion(tmp_path / "nameless.npz", g1, joint_order=order, cutoff=None)
        np.testing.assert_array_equal(read.q[:, 7:], q)
    twice = [*names[:-1], names[0]]
    with pytest.raises(ConfigurationError, match=f"'{names[0]}' has more than one column"):
        read_motion(tmp_path / "nameless.npz", g1, joint_order=twice, missing="posture")
    npz(tmp_path / "joints.npz", fps=50, joint_pos=way.q[:, 7:])
    with pytest.raises(ConfigurationError, match="has a floating base, and the file none"):
        read_motion(tmp_path / "joints.npz", g1)
    other = fw.load("biped")
    with pytest.raises(ConfigurationError, match=r"the file lacks q.*'biped' lacks|lacks q"):
        read_motion(way.save(tmp_path / "own.npz"), other)


class Harm:
    """What a pickle makes by a call with arguments, and the state that it then gets."""

    def __init__(self, *what):
        self.what = what

    def __reduce__(self):
        return self.what


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_no_code_of_a_pickle_is_run(g1, tmp_path, protocol):
    sign = tmp_path / "harm"
    code = f"__import__('os').mkdir({str(sign)!r})"
    harms = [
        Harm(os.mkdir, (str(sign),)), Harm(eval, (code,)), Harm(getattr, ("a", "upper")),
        Harm(np.load, ("a.npy",)), Harm(np.frombuffer, (b"",)),
    ]  # fmt: skip
    refused = r"needs .*, which is not run; expected NumPy arrays"
    for harm in harms:
        for write in (pkl(protocol), npy, joblib_of(0)):
            path = tmp_path / f"bad{'.npy' if write is npy else '.pkl'}"
            write(path, fps=50, root_pos=harm)
            with pytest.raises(DataError, match=refused):
                read_motion(path, g1)
    npz(tmp_path / "bad.npz", fps=50, root_pos=np.array([harms[0]], dtype=object))
    with pytest.raises(DataError, match=r"needs posix.mkdir|needs nt.mkdir"):
        read_motion(tmp_path / "bad.npz", g1)
    assert not sign.exists()


@pytest.mark.parametrize(
    ("size", "changed"),
    [
        (3, {"shape": (10**9,)}),
        (3, {"shape": (-3,)}),
        (3, {"raw": b""}),
        (3, {"dtype": np.dtype("V8")}),
        (3, {"dtype": np.dtype([("a", "O")])}),
        (1, {"dtype": np.dtype("O"), "raw": struct.pack("q", 1)}),
        (3, {"dtype": np.dtype("M8[s]")}),
    ],
)
def test_arrays_of_pickles_that_lie_about_memory_are_refused(g1, tmp_path, size, changed):
    kind, first, state = np.zeros(size).__reduce__()
    state = dict(zip(("version", "shape", "dtype", "fortran", "raw"), state, strict=True))
    lie = Harm(kind, first, tuple((state | changed).values()))
    (tmp_path / "lie.pkl").write_bytes(pickle.dumps({"fps": 50, "root_pos": lie}))
    with pytest.raises(FootworkError):
        read_motion(tmp_path / "lie.pkl", g1)


def test_pickles_that_unfold_into_billions_are_refused(g1, tmp_path, monkeypatch):
    monkeypatch.setattr(dynamics.motions.pickles, "_MOST", 10_000)
    nested = [1.0] * 10
    for _ in range(12):
        nested = [nested] * 10
    (tmp_path / "bomb.pkl").write_bytes(pickle.dumps({"fps": 50, "root_pos": nested}))
    with pytest.raises(DataError, match=r"more than \d+ deep, or of more than"):
        read_motion(tmp_path / "bomb.pkl", g1)


def test_damaged_files_and_values_are_refused(way, g1, tmp_path):
    q = way.q
    good = {"fps": 50, "root_pos": q[:, :3], "root_rot": q[:, 3:7], "dof_pos": q[:, 7:]}

    def refused(match, kind=FootworkError, **changed):
        values = {k: x for k, x in (good | changed).items() if x is not None}
        npz(tmp_path / "bad.npz", **values)
        with pytest.raises(kind, match=match) as told:
            read_motion(tmp_path / "bad.npz", g1)
        assert str(told.value).startswith(str(tmp_path / "bad.npz"))

    gap, long = q[:, :3].copy(), q[:, 3:7].copy()
    gap[7, 1], long[12] = np.nan, 1.1 * long[12]
    refused("root_pos: got nan at index 7, 1", root_pos=gap)
    refused("frame 12: got a quaternion of norm 1.1", root_rot=long)
    table = q.copy()
    table[3, 5] = np.nan
    np.savetxt(tmp_path / "bad.csv", table, delimiter=",")
    with pytest.raises(FootworkError, match="frame 3: got a quaternion of norm nan"):
        read_motion(tmp_path / "bad.csv", g1, rate=30)
    refused("no frame rate; expected rate=", fps=None)
    refused("fps: got shape", fps=[50, 60])
    refused("rate of the file: got -3", fps=-3.0)
    refused("root_pos: got shape", root_pos=q[:10, :2])
    refused("no layout that is known: got the keys", root_rot=None)
    refused("got samples: 150 of the joints, 10 of the base", root_pos=q[:10, :3])
    refused("booleans|bool", dof_pos=np.ones((150, 29), dtype=bool))
    refused("t: got 0 s, then 0 s", ConfigurationError, t=np.zeros(150), q=q)
    for data, match in (
        (b"", "no .npz file"), (b"PK\x03\x04", "no .npz file"), (zipped(b"x"), "no array"),
    ):  # fmt: skip
        (tmp_path / "a.npz").write_bytes(data)
        with pytest.raises(DataError, match=match):
            read_motion(tmp_path / "a.npz", g1)
    for name, text, match in (
        ("a.csv", "", "empty file"),
        ("a.csv", "t,q.left_knee_joint\n", "a.csv: names of columns without a row"),
        ("b.csv", "a,b\n1,2\n", "joints: 'g1' lacks a, b of the file"),
        ("c.csv", "1,2,3\n4,5,6\n", "got 3 columns; expected x, y, z of the base"),
        ("d.csv", "1,2\n3\n", "rows of several lengths"),
        ("d.csv", "t,q.knee,q.hip\n1,2,3\n1,2,3,4\n", "row 2: got 4 cells under 3 names"),
        ("d.csv", "t,q.knee,q.hip\n1,2,3\n1,?,3\n", r"row 2, q.knee: got '\?', expected a num"),
        ("d.csv", "1,2\n3,\n", "row 2, column 2: got '', expected a number"),
        ("e.csv", "root_x,root_y,knee\n1,2,3\n", "no column for the base's qw, qx, qy, qz, z"),
        ("f.csv", "root_x,base_x,knee\n1,2,3\n", "both are the base's x"),
        ("g.bvh", "", "ends in '.bvh'; expected .npz"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(FootworkError, match=match):
            read_motion(tmp_path / name, g1)
    with pytest.raises(DataError, match="No such file"):
        read_motion(tmp_path / "none.npz", g1)
    os.mkfifo(tmp_path / "pipe.npz")
    with pytest.raises(DataError, match="a pipe or device; expected a file of a single motion"):
        read_motion(tmp_path / "pipe.npz", g1)


def zipped(data):
    import io

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", data)
    return file.getvalue()


def test_rounded_quaternions_are_mended_and_told(way, g1, tmp_path):
    with (tmp_path / "r.csv").open("w", newline="") as file:
        csv.writer(file).writerows(np.round(way.q, 3).tolist())
    read = read_motion(tmp_path / "r.csv", g1, rate=50, cutoff=None)
    assert any("rounded: norms off by up to" in note for note in read.notes)
    np.testing.assert_allclose(np.linalg.norm(read.q[:, 3:7], axis=1), 1.0, atol=1e-15)


def test_what_a_file_has_besides_and_doubts_are_told(way, g1, tmp_path):
    degrees = np.degrees(way.q[:, 7:])
    keys = {"fps": 50, "root_pos": way.q[:, :3], "root_rot": way.q[:, 3:7]}
    npz(tmp_path / "d.npz", dof_pos=degrees, dof_vel=degrees, key_bodies=[1], **keys)
    read = read_motion(tmp_path / "d.npz", g1, cutoff=None)
    assert "not used: dof_vel, key_bodies" in read.notes
    assert any("are the file's joints in degrees?" in note for note in read.notes)
    assert not any("lengths in mm" in note for note in read.notes)
    for scale in (100, 1000):
        keys["root_pos"] = scale * way.q[:, :3]
        npz(tmp_path / "m.npz", dof_pos=way.q[:, 7:], **keys)
        read = read_motion(tmp_path / "m.npz", g1, cutoff=None)
        assert any("are the file's lengths in mm or cm?" in note for note in read.notes)
    npz(tmp_path / "s.npz", t=way.t, q=way.q.astype(np.float32), v=way.v.astype(np.float32))
    read = read_motion(tmp_path / "s.npz", g1)
    assert read.notes[0] == "the file names no joints: q as of 'g1' assumed"
    np.testing.assert_allclose(read.q, way.q, atol=1e-6)
    npz(tmp_path / "w.npz", t=way.t, q=np.hstack([way.q[:, :3], wxyz(way.q), way.q[:, 7:]]))
    again = read_motion(tmp_path / "w.npz", g1, quaternion="wxyz", cutoff=None)
    np.testing.assert_array_equal(again.q, way.q)


def test_breadth_first_is_the_order_of_isaac_lab(g1):
    first = joint_order.breadth_first(g1)[:12]
    assert [name.removesuffix("_joint") for name in first] == [
        "left_hip_pitch", "right_hip_pitch", "waist_yaw", "left_hip_roll", "right_hip_roll",
        "waist_roll", "left_hip_yaw", "right_hip_yaw", "waist_pitch", "left_knee", "right_knee",
        "left_shoulder_pitch",
    ]  # fmt: skip


def test_interpolation_follows_the_motion(g1):
    t, q, at = swing(g1, 100)
    times = np.linspace(0.3, 1.5, 17)
    for x, y in zip(curves.interpolated(g1, t, q, times), times, strict=True):
        assert np.abs(g1.difference(at(y), x)).max() < 1e-5


def test_the_page_has_every_layout():
    page = (Path(__file__).parent.parent / "docs" / "motions.md").read_text()
    names = [*(one.name for one in layouts.LAYOUTS), *tables.LAYOUTS, "header", "columns"]
    assert [name for name in names if f"`{name}`" not in page] == []
