"""Sweeps: right at every point, the same whoever runs them, nothing lost when they are killed."""

from __future__ import annotations

import errno
import json
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import fields
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from programs import wait_until

from footwork import cli, static_hold
from footwork.contacts import Scenario, ScenarioError, sweep
from footwork.contacts.scenario.parts import ScenarioContact
from footwork.contacts.scenario.schema import LOADS, PLACED
from footwork.contacts.sweeps import verdicts
from footwork.contacts.sweeps.plan import Plan
from footwork.contacts.sweeps.variants import unit_of, variant
from footwork.errors import FootworkError, FootworkWarning, SolverError
from footwork.visualize.plots import sweep as picture

BLOCK = """
version: 1
robot: block
terrain:
  - plane: slope
    rises: 0
contacts:
  - foot: bottom
    surface: slope
loads:
  - push: block
    force: [0, 0, 0]
"""


@pytest.fixture(scope="module")
def push():
    return Scenario.load("push")


AXES = {"friction": (0.3, 0.6, 0.9), "loads[0].force[1]": (0.0, 10.0, 20.0, 60.0)}


def of_all(push, **options):
    return sweep(push, AXES, quantities=("margin", "torque_margin"), chunk=5, **options)


@pytest.fixture(scope="module")
def whole(push):
    return of_all(push)


def same(one, other):
    """The same answers to the last digit."""
    np.testing.assert_array_equal(np.array(one.rows), np.array(other.rows))


def test_every_point_is_that_scenario(push, whole):
    assert whole.feasible.shape == (3, 4)
    assert {0, 1} <= set(whole.feasible.ravel().tolist())
    for i, friction in enumerate(AXES["friction"]):
        for j, force in enumerate(AXES["loads[0].force[1]"]):
            one = variant(push, {"friction": friction, "loads[0].force[1]": force})
            assert {contact.friction for contact in one.contact_set} == {friction}
            hold = static_hold(one.machine, one.q, one.contact_set, one.wrenches_at(one.q))
            assert whole.feasible[i, j] == hold.feasible
            assert whole["margin"][i, j] == pytest.approx(hold.margin, abs=1e-4)


LOADED = """
version: 1
robot: biped
com: [0.0, 0.0]
friction: 0.5
terrain:
  - plane: ground
contacts:
  - foot: left_foot
    friction: 0.6
  - foot: right_foot
loads:
  - push: torso
    force: [3, 0, 0]
    moment: [0, 1, 0]
    at: [0, 0, 0.1]
  - carry: left_thigh
    mass: 2
  - rope: torso
    anchor: [0, 2, 1.5]
    tension: 20
"""


@pytest.mark.parametrize("torque_limits", [True, False])
def test_blocks_answer_as_one_by_one(torque_limits):
    """Every kind of load and friction at once, keys that overlap, a posture among them."""
    scenario = Scenario.from_text(LOADED + f"torque_limits: {torque_limits}\n".lower())
    weight = 9.81 * scenario.machine.mass
    axes = {
        "loads[0].force[1]": (-40.0, 90.0),
        "loads[0].moment[0]": (-20.0, 20.0),
        "loads[1].mass": (0.0, 6.0),
        "loads[2].tension": (0.0, 60.0),
        "contacts[*].friction": (0.2, 0.9),
        "contacts[1].friction": (0.1, 0.8),
        "friction": (0.1, 0.9),
    }
    many = sweep(scenario, axes, samples=24, seed=3)
    grid = {"com[0]": (0.0, 0.02), "loads[0].force[1]": (0.0, 200.0), "com[1]": (0.0, 0.03)}
    few = sweep(scenario, grid, chunk=3)
    assert few.plan.order == (0, 2, 1)
    seen = set()
    for found in (many, few):
        for point, row in zip(found.plan.points(), found.rows, strict=True):
            one = variant(scenario, dict(zip(found.plan.axes, point, strict=True)))
            hold = one.check()
            assert row[0] == {True: 1, False: 0, None: -1}[hold.feasible]
            assert row[1] == pytest.approx(hold.margin, abs=1e-9 * weight)
            seen.add(hold.feasible)
    assert seen == {True, False}


def test_places_that_cannot_be_are_told(tmp_path):
    """A foot that hangs over its step is no posture out of reach, and stops no sweep."""
    stairs = Scenario.load("stairs")
    axes = {"contacts[0].at[0]": (0.5, 0.6, 0.57), "friction": (0.4, 0.8)}
    found = sweep(stairs, axes, journal=tmp_path / "j")
    assert found.feasible[0].tolist() == [1, 1]
    assert found.feasible[1].tolist() == [-3, -3]
    assert np.isnan(found["margin"][1]).all()
    assert "hangs" in found.refused[0]
    again = sweep(stairs, axes, journal=tmp_path / "j")
    assert again.refused == found.refused
    same(again, found)


def test_a_variant_is_the_file_with_other_values(push):
    text = push.as_text()
    assert "friction: 0.45" not in text
    one = variant(push, {"friction": 0.45})
    assert Scenario.from_text(one.as_text()) == one
    assert one.friction == 0.45
    assert one.machine is push.machine
    assert push.as_text() == text
    harder = variant(push, {"loads[0].force[1]": 95.0})
    assert harder.solved is push.solved


def test_what_moves_the_posture_moves_it():
    slope = Scenario.load("slope")
    steeper = variant(slope, {"terrain[0].rises": 12.5})
    assert steeper.machine is slope.machine
    assert steeper.solved is not slope.solved
    assert steeper.check().feasible


def test_keys_name_what_the_file_leaves_as_usual(push):
    changes = {"terrain[0].rises": 2.0, "start.joints.left_knee": 5.0, "terrain[*].friction": 0.5}
    one = variant(push, changes)
    assert (one.terrain[0].rises, one.terrain[0].friction) == (2.0, 0.5)
    assert one.start.joints == (("left_knee", 5.0),)
    assert Scenario.from_text(one.as_text()) == one
    stairs = Scenario.load("stairs")
    assert variant(stairs, {"com": [0.1, 0.2], "com[0]": "free"}).com == (None, 0.2)
    with pytest.raises(ScenarioError, match="it in the file first"):
        variant(stairs, {"loads[*].mass": 1.0})


def test_entries_of_the_gravity_that_a_file_leaves_as_usual(push):
    assert push.gravity == ()
    leaning = variant(push, {"friction": 0.5, "gravity[0]": 1.5})
    assert leaning.gravity == (1.5, 0.0, -9.81)
    assert leaning == variant(push, {"gravity": [1.5, 0.0, -9.81], "friction": 0.5})
    moon = push.machine.with_gravity((0.0, 0.0, -1.62))
    there = variant(Scenario.of(moon), {"gravity[0]": 0.1})
    np.testing.assert_allclose(there.machine.model.gravity.linear, [0.1, 0.0, -1.62])
    found = sweep(push, {"gravity[0]": [0.0, 1.0]}, progress=False)
    assert found["margin"][0] == pytest.approx(push.check().margin)
    assert found["margin"][1] != found["margin"][0]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("contacts[0].at[0]", 0.1, "give it in the file first"),
        ("loads", 1.0, "sequence"),
        ("start.joints", 1.0, "sequence"),
        ("view[0]", True, "number"),
        ("frictoin", 1.0, "friction"),
        ("loads[7].force[0]", 1.0, "list of 1"),
        ("loads.force", 1.0, "sequence"),
        ("robot[0]", 1.0, "scalar"),
        ("loads[0].froce[0]", 1.0, "force"),
        ("friction", "much", "number"),
        ("", 1.0, "expected a key"),
        ("a b", 1.0, "expected a key"),
        ("friction", -1.0, "friction"),
    ],
)
def test_keys_and_values_that_do_not_exist(push, key, value, words):
    with pytest.raises(ScenarioError, match=words):
        variant(push, {key: value})
    with pytest.raises(ScenarioError):
        sweep(push, {key: [value]})


@pytest.mark.parametrize(
    ("axes", "options", "words"),
    [
        ({}, {}, "at least one key"),
        ({"friction": []}, {}, "at least one key"),
        ({"friction": [np.nan]}, {}, "finite"),
        ({"friction": [None]}, {}, "numbers or texts"),
        ({"friction": [0.1, 0.2, 0.3]}, {"samples": 4}, "lowest, highest"),
        ({"friction": [0.2, 0.1]}, {"samples": 4}, "lowest, highest"),
        ({"friction": [0.2]}, {"quantities": ["magrin"]}, "margin"),
        ({"friction": [0.2]}, {"chunk": 0}, "chunk: got 0"),
    ],
)
def test_questions_that_are_none(push, axes, options, words):
    with pytest.raises(ScenarioError, match=words):
        sweep(push, axes, **options)


def test_whoever_runs_it_finds_the_same(push, whole):
    with ThreadPoolExecutor(3) as threads:
        same(of_all(push, executor=threads), whole)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        same(of_all(push, executor=processes), whole)


def test_samples_follow_their_seed(push):
    ranges = {"friction": (0.3, 0.9), "loads[0].force[1]": (0.0, 60.0)}
    one, again, other = (sweep(push, ranges, samples=6, seed=s, chunk=4) for s in (1, 1, 2))
    same(one, again)
    np.testing.assert_array_equal(one.plan.sample, again.plan.sample)
    assert np.abs(one.plan.sample - other.plan.sample).max() > 0.01
    thirds = np.floor((one.plan.sample - [0.3, 0]) / [0.1, 10.0])  # a Latin hypercube: one a cell
    assert all(sorted(column) == [0, 1, 2, 3, 4, 5] for column in thirds.T)


# --- interrupted ---------------------------------------------------------------------------------


def test_what_is_done_is_not_done_again(push, whole, tmp_path, monkeypatch):
    asked = []

    def counted(block):
        asked.append(len(block))
        if len(asked) == 2:
            raise KeyboardInterrupt
        return answers(block)

    answers = verdicts.answers
    monkeypatch.setattr(verdicts, "answers", counted)
    with pytest.raises(KeyboardInterrupt):
        of_all(push, journal=tmp_path / "j")
    for _ in range(2):
        same(of_all(push, journal=tmp_path / "j"), whole)
        assert asked == [5, 5, 5, 2]


def test_half_a_line_is_done_again(push, whole, tmp_path):
    journal = tmp_path / "journal"
    of_all(push, journal=journal)
    text = journal.read_bytes()
    for cut in (len(text) - 7, text.index(b"\n") + 3, 40):
        journal.write_bytes(text[:cut])
        same(of_all(push, journal=journal), whole)
        assert sorted(journal.read_bytes().splitlines()) == sorted(text.splitlines())


def test_journals_of_something_else_are_left_alone(push, tmp_path):
    journal = tmp_path / "journal"
    sweep(push, {"friction": [0.3]}, journal=journal)
    before = journal.read_bytes()
    with pytest.raises(ScenarioError, match="axes differ"):
        sweep(push, {"friction": [0.4]}, journal=journal)
    assert journal.read_bytes() == before
    older = before.replace(b'sweep": 3,', b'sweep": 2,')
    texts = [b"shopping list\n", b"{}\n", b"a line without an end", b'{"a": 1}', b"\0" * 70_000]
    for text, words in [(text, "no sweep") for text in texts] + [(older, "another version")]:
        journal.write_bytes(text)
        with pytest.raises(ScenarioError, match=words):
            sweep(push, {"friction": [0.3]}, journal=journal)
        assert journal.read_bytes() == text


@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero", "/dev/null"])
def test_devices_are_no_journals(push, device):
    with pytest.raises(ScenarioError, match="expected the name of a file"):
        sweep(push, {"friction": [0.3]}, journal=device)


def test_flipped_bits_change_no_answer(push, whole, tmp_path):
    """Each damage of a line is found: its chunk is done again, or the file is refused and left."""
    journal, rng = tmp_path / "j", np.random.default_rng(0)
    of_all(push, journal=journal)
    text = journal.read_bytes()
    head = text.index(b"\n") + 1
    for place in (*rng.integers(0, head, 10), *rng.integers(head, len(text) - 1, 30), head - 1):
        damaged = bytearray(text)
        damaged[place] ^= 1 << int(rng.integers(8))
        journal.write_bytes(damaged)
        if place < head:
            words = r"no sweep|first line is damaged|another version"
            with pytest.raises(ScenarioError, match=words):
                of_all(push, journal=journal)
            assert journal.read_bytes() == damaged
        else:
            with pytest.warns(FootworkWarning, match="damaged; the points of that line are done"):
                same(of_all(push, journal=journal), whole)


def test_one_process_at_a_time(push, tmp_path, monkeypatch):
    def again(block):
        with pytest.raises(ScenarioError, match="another process"):
            sweep(push, {"friction": [0.3]}, journal=tmp_path / "j")
        return verdicts.Answers(np.array([[1.0, 0.0]]), ())

    monkeypatch.setattr(verdicts, "answers", again)
    sweep(push, {"friction": [0.3]}, journal=tmp_path / "j")


@contextmanager
def in_a_session(command, **options):
    """A process that leads a session of its own, all of which is killed at the end."""
    process = subprocess.Popen([sys.executable, *command], start_new_session=True, **options)
    try:
        yield process
    finally:
        for pid in _session(process.pid):
            with suppress(ProcessLookupError):  # it ended meanwhile
                os.kill(pid, signal.SIGKILL)
        process.kill()
        process.wait()


def _session(leader):
    """The processes of a session that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if session == str(leader) and state != "Z":
            found.append(int(folder.name))
    return found


def test_a_worker_that_dies_is_told(push):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        processes.submit(int).result()
        with pytest.raises(SolverError, match="a worker died"):
            sweep(push, {"friction": [0.3]}, executor=DieThere(processes))


class DieThere:
    """Runs `os._exit` in a worker, whatever it is asked."""

    def __init__(self, executor):
        self.executor = executor

    def submit(self, *_):
        return self.executor.submit(os._exit, 1)


CLUSTER = """
import os, signal
import distributed, numpy as np
from footwork.contacts import sweep

axes = {"friction": (0.3, 0.6, 0.9), "loads[0].force[1]": (0.0, 10.0, 20.0, 60.0)}


class KillOnce:
    # kills a process once the fourth chunk is handed out
    def __init__(self, executor, victim):
        self.executor, self.victim, self.count = executor, victim, 0

    def submit(self, *question):
        self.count += 1
        future = self.executor.submit(*question)
        if self.count == 4:
            os.kill(self.victim, signal.SIGKILL)
        return future


if __name__ == "__main__":
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        executor = KillOnce(client.get_executor(), victim)
        found = sweep("push", axes, executor=executor, chunk=1, progress=False)
        assert victim not in client.run(os.getpid).values()
    alone = sweep("push", axes, progress=False)
    np.testing.assert_array_equal(found.feasible, alone.feasible)
    np.testing.assert_array_equal(found["margin"], alone["margin"])
    print("the same", executor.count)
"""


@pytest.mark.slow
def test_a_cluster_whose_worker_is_killed(tmp_path):
    """Dask gives a dead worker's chunks to the next: nothing is lost, nothing is different."""
    pytest.importorskip("distributed")
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=110, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "the same 12" in done.stdout


COMMAND = ["sweep", "push", "--set", "friction", "0.3:0.9:60"]
COMMAND += ["--set", "loads[0].force[1]", "0:60:9"]
INTERRUPTED = "footwork: interrupted; the same command resumes\n"


def test_ctrl_c_leaves_what_is_done(tmp_path, capsys, monkeypatch):
    journal, answers = tmp_path / "journal", verdicts.answers

    def interrupted(block):
        if journal.read_bytes().count(b"\n") == 2:
            signal.raise_signal(signal.SIGINT)
        return answers(block)

    with monkeypatch.context() as patched:
        patched.setattr(verdicts, "answers", interrupted)
        command = [*COMMAND, "--quiet", "--jobs", "1", "--journal", str(journal)]
        assert cli.main(command) == 130
    assert capsys.readouterr().err == INTERRUPTED
    goes_on(journal)


@pytest.mark.slow
def test_ctrl_c_reaches_the_workers(tmp_path):
    journal = tmp_path / "journal"
    command = ["-m", "footwork", *COMMAND, "--jobs", "2", "--journal", str(journal)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with in_a_session(command, **quiet) as process:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 2)
        os.killpg(process.pid, signal.SIGINT)  # as of a terminal
        error = process.communicate(timeout=100)[1]
    assert process.returncode == 130
    assert error.decode() == INTERRUPTED
    goes_on(journal)


def goes_on(journal):
    """Some chunks are done, and the same command does the others."""
    done = journal.read_bytes().rpartition(b"\n")[0].splitlines()
    assert 2 <= len(done) < 5
    assert cli.main([*COMMAND, "--quiet", "--journal", str(journal)]) == 0
    lines = journal.read_bytes().splitlines()
    assert lines[: len(done)] == done
    assert sorted(json.loads(line[:-9])["chunk"] for line in lines[1:]) == [0, 1, 2, 3]


WORKERS = """
import time
from footwork import cli, workers

if __name__ == "__main__":
    with cli._ended_by_signals(), workers.workers(2) as pool:
        jobs = [pool.submit(time.sleep, 0.1) for _ in range(2000)]
        jobs[2].result()
        print("both work", flush=True)
        jobs[-1].result()
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="looks for children in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_command(how, tmp_path):
    """Also where it is killed, as by a scheduler."""
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    with in_a_session([script], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"both work\n"
        assert len(_session(process.pid)) > 2
        process.send_signal(how)
        process.communicate(timeout=60)  # of 100 s of work
        wait_until(lambda: not _session(process.pid))
    assert process.returncode == (-how if how == signal.SIGKILL else 128 + how)


def test_a_full_disk_is_told_and_loses_nothing(push, whole, tmp_path, monkeypatch):
    journal = tmp_path / "j"
    of_all(push, journal=journal)
    text = journal.read_bytes()
    journal.unlink()
    room, write = [len(text) - 40], os.write

    def until_full(file, line):
        if room[0] == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = write(file, line[: room[0]])
        room[0] -= taken
        return taken

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", until_full)
        with pytest.raises(FootworkError, match="No space left"):
            of_all(push, journal=journal)
    assert journal.read_bytes() == text[:-40]
    same(of_all(push, journal=journal), whole)
    assert journal.read_bytes() == text


def test_journals_that_cannot_be_written(push, tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "journal"):
        with pytest.raises(FootworkError, match="journal cannot be written"):
            sweep(push, {"friction": [0.3]}, journal=path)


@pytest.mark.parametrize(
    "line", [b'{"chunk": 7, "rows": []}', b'{"chunk": 0, "rows": [[1]]}', b"{}"]
)
def test_lines_that_no_sweep_wrote(push, tmp_path, line):
    journal = tmp_path / "j"
    found = sweep(push, {"friction": [0.3]}, journal=journal)
    head, answer = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(head + line + b"\n")
    words = "j:2: damaged; the points of that line are done again"
    with pytest.warns(FootworkWarning, match=words):
        same(sweep(push, {"friction": [0.3]}, journal=journal), found)
    assert journal.read_bytes() == head + line + b"\n" + answer


def test_a_billion_points_are_a_plan(push):
    """Chunks are made one at a time, from their numbers alone."""
    axes = {
        "loads[0].force[0]": np.linspace(0, 1, 1000),
        "terrain[0].rises": np.linspace(0, 10, 1000),
        "loads[0].force[1]": np.linspace(0, 60, 1000),
    }
    plan = Plan.of(push, axes, 0, 0, ("margin",), None)
    assert plan.count == 10**9
    last = plan.block(plan.chunks - 1)
    ends = {key: values[-1] for key, values in last.columns.items()}
    assert ends == dict(zip(axes, (1.0, 10.0, 60.0), strict=True))
    assert len(list(last.postures())) == 1
    assert len(pickle.dumps(last)) < 200_000


# --- what comes out ------------------------------------------------------------------------------


def test_dataset_and_files(whole, tmp_path):
    xarray = pytest.importorskip("xarray")
    data = whole.dataset()
    assert data.feasible.dims == tuple(AXES)
    assert data.margin.attrs["units"] == "N"
    there = data.margin.sel({"friction": 0.6, "loads[0].force[1]": 20.0})
    assert float(there) == whole["margin"][1, 2]
    read = xarray.load_dataset(whole.save(tmp_path / "sweep.nc"), engine="scipy")
    xarray.testing.assert_identical(read, data)
    lines = whole.save(tmp_path / "sweep.csv").read_text().splitlines()
    assert lines[0] == "friction,loads[0].force[1],feasible,margin,torque_margin"
    assert len(lines) == 13
    assert float(lines[7].split(",")[3]) == whole["margin"][1, 2]
    with pytest.raises(ScenarioError, match=r"\.nc"):
        whole.save(tmp_path / "sweep.xls")
    (tmp_path / "file").write_text("")
    with pytest.raises(FootworkError, match="cannot be written"):
        whole.save(tmp_path / "file" / "sweep.nc")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "sweep.csv", "sweep.nc"]
    with pytest.raises(ScenarioError, match="margin"):
        whole["push"]


def labels_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_line_shows_every_point():
    """Infinite margins beyond the others, and grey only where no posture touches."""
    pytest.importorskip("matplotlib.pyplot")
    weak = sweep("too-heavy", {"loads[0].mass": (0.0, 30.0, 60.0)})
    assert weak["margin"][-1] == -np.inf
    ax = picture.plot_sweep(weak)
    marks = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert labels_of(ax) == ["holds", "does not, -∞"]
    ((x, y),) = marks["does not, -∞"]
    assert x == 60.0
    assert y < min(0.0, weak["margin"][:2].min())
    assert not ax.patches
    assert ax.get_facecolor()[:3] == (1.0, 1.0, 1.0)
    steep = sweep("slope", {"terrain[0].rises": (0.0, 20.0, 60.0)})
    assert steep.feasible.tolist() == [1, 1, -2]
    ax = picture.plot_sweep(steep)
    assert labels_of(ax) == ["holds"]
    (grey,) = ax.patches
    assert grey.get_x() == pytest.approx(40.0)
    assert grey.get_x() + grey.get_width() == pytest.approx(60.0)


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("terrain[0].rises", "°"),
        ("contacts[*].friction", ""),
        ("contacts[0].at[0]", "m"),
        ("contacts[0].heading", "°"),
        ("contacts[0].heading[2]", ""),
        ("start.joints.left_knee", "° or m"),
        ("torque_limits", ""),
        ("torque_limits.left_knee", "N·m or N"),
        ("terrain[1].size[2]", "m"),
        ("loads[1].mass", "kg"),
        ("gravity[2]", "m/s²"),
    ],
)
def test_the_unit_of_a_key(key, unit):
    assert unit_of(key) == unit


def test_every_number_of_a_scenario_has_a_unit_or_needs_none():
    without = {"friction", "tangent", "steps", "joints", "view"}
    parts = (Scenario, ScenarioContact, *PLACED, *LOADS.values())
    for each in (field for part in parts for field in fields(part)):
        numbers = each.type.startswith(("float", "Numbers", "int", "Spot", "tuple[float"))
        assert not numbers or each.name in without or unit_of(each.name), each.name


def test_the_colours_of_friction_margins_turn_at_one(push):
    """Half of the friction is too little: it is no positive margin."""
    pytest.importorskip("matplotlib.pyplot")
    axes = {"friction": (0.1, 0.4), "loads[0].force[1]": (0.0, 30.0)}
    found = sweep(push, axes, quantities=("friction_margin",))
    image = picture.plot_sweep(found).collections[0]
    assert (image.norm.vmin + image.norm.vmax) / 2 == pytest.approx(1.0)
    found = sweep(push, {"friction": (0.1, 0.4)}, quantities=("friction_margin",))
    line = picture.plot_sweep(found)
    assert [list(end.get_ydata()) for end in line.lines[-1:]] == [[1.0, 1.0]]


def test_a_map_is_in_ascending_order_and_one_value_has_a_cell(push):
    """Points that have an answer are not grey, which says that no posture was found."""
    pytest.importorskip("matplotlib.pyplot")
    force = "loads[0].force[1]"
    found = sweep(push, {"friction": (0.9, 0.3, 0.6), force: (20.0, 0.0)})
    cells = picture.plot_sweep(found).collections[0]
    borders = cells.get_coordinates()
    np.testing.assert_allclose(borders[0, :, 0], [0.15, 0.45, 0.75, 1.05])
    np.testing.assert_allclose(borders[:, 0, 1], [-10, 10, 30])
    shown = cells.get_array().reshape(2, 3)
    np.testing.assert_allclose(shown, found["margin"][[1, 2, 0]][:, ::-1].T)
    for value in (0.5, 0.0):
        cells = picture.plot_sweep(sweep(push, {"friction": (value,), force: (0.0, 9.0)}))
        across = cells.collections[0].get_coordinates()[0, :, 0]
        assert across[0] < value < across[1]


def test_zarr(whole, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    for _ in range(2):  # the second replaces the first
        folder = whole.save(tmp_path / "sweep.zarr")
    xarray.testing.assert_identical(xarray.load_dataset(folder, engine="zarr"), whole.dataset())


def test_pictures(whole, push):
    pytest.importorskip("matplotlib.pyplot")
    ax = picture.plot_sweep(whole)
    assert ax.get_xlabel() == "friction"
    assert ax.get_ylabel() == "loads[0].force[1] [N]"
    shown = ax.collections[0].get_array().reshape(4, 3)
    np.testing.assert_allclose(shown, whole["margin"].T)
    line = picture.plot_sweep(sweep(push, {"loads[0].force[1]": (0.0, 30.0, 60.0)}))
    assert line.get_ylabel() == "margin [N]"
    sampled = sweep(push, {"friction": (0.3, 0.9), "loads[0].force[1]": (0.0, 60.0)}, samples=3)
    dots = picture.plot_sweep(sampled).collections[0]
    np.testing.assert_allclose(dots.get_offsets(), sampled.plan.sample)
    with pytest.raises(ScenarioError, match="texts"):
        picture.plot_sweep(sweep(push, {"robot": ["biped"]}))


def test_robots_can_be_an_axis():
    found = sweep("flat", {"robot": ["biped"], "friction": [0.5]})
    assert found.feasible.shape == (1, 1)


def test_the_tilting_block():
    """A block slides where tan(angle) exceeds μ, and tips where it exceeds half-length / height."""
    angles = [5.0, 15.0, 25.0, 60.0, 66.0]
    axes = {"friction": [0.2, 0.6, 3.0], "terrain[0].rises": angles}
    found = sweep(Scenario.from_text(BLOCK), axes)
    least = np.minimum([[0.2], [0.6], [3.0]], 0.2 / 0.1)
    np.testing.assert_array_equal(found.feasible == 1, np.tan(np.radians(angles)) < least)


def test_the_command(tmp_path, capsys):
    table, journal = tmp_path / "found.csv", tmp_path / "journal"
    command = ["sweep", "push", "--set", "loads[0].force[1]", "0:90:4"]
    command += ["--csv", str(table), "--journal", str(journal), "--png", str(tmp_path / "map.png")]
    assert cli.main(command) == 0
    out = capsys.readouterr().out
    assert "4 verdicts: 2 hold, 2 do not" in out
    assert "margin" in out
    assert len(table.read_text().splitlines()) == 5
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert cli.main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"hold": 2, "do not": 2}


@pytest.mark.parametrize(
    ("values", "count"), [(["-40:100:3"], 3), (["-1e1", "-.5"], 2), (["-40", "20"], 2)]
)
def test_the_command_takes_values_below_zero(values, count, capsys):
    assert cli.main(["sweep", "push", "--json", "--set", "loads[0].force[0]", *values]) == 0
    assert sum(json.loads(capsys.readouterr().out).values()) == count


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["friction", "0.1:0.2"], "low:high:count"),
        (["friction", "0:1:0"], "count"),
        (["friction", "a:b:c"], "low:high:count"),
        (["friction"], "expected values"),
        (["frictoin", "0.5"], "friction"),
    ],
)
def test_the_command_says_what_is_wrong(given, words, capsys):
    assert cli.main(["sweep", "push", "--set", *given]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1
