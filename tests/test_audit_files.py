"""Audits of files: a table of what breaks most, the same whoever makes it; the command."""

from __future__ import annotations

import csv
import html
import json
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from footwork import ContactError, contacts, robots
from footwork.commands import flags
from footwork.contacts.audits import many
from footwork.dynamics import Motion, read_motion

pytest.importorskip("numba")

ROBOT = robots.load("biped")


def standing(seconds=0.4, rate=100.0, lift=0.0, speed=0.0, gravity=0.0):
    """A biped that stands; or that is in the air and sinks, or falls with a share of gravity."""
    t = np.arange(int(seconds * rate)) / rate
    q, v, a = (np.zeros((len(t), n)) for n in (ROBOT.nq, ROBOT.nv, ROBOT.nv))
    q[:] = ROBOT.posture()
    q[:, 2] += lift - speed * t - 0.5 * 9.81 * gravity * t**2
    v[:, 2], a[:, 2] = -speed - 9.81 * gravity * t, -9.81 * gravity
    return Motion(ROBOT, t, q, v, a)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("motions")
    (folder / "more").mkdir()
    standing().save(folder / "stands.npz")
    standing(lift=2.0, speed=1.0, gravity=1.0).save(folder / "falls.npz")
    standing(lift=0.5, speed=1.0).save(folder / "more" / "sinks.npz")
    (folder / "broken.npz").write_bytes(b"no motion")
    (folder / "notes.txt").write_text("no motion either")
    return folder


def table_of(folder, **options):
    return contacts.audit_files(ROBOT, folder, self_collision=False, progress=False, **options)


@pytest.fixture(scope="module")
def whole(folder):
    return table_of(folder)


def test_a_row_is_the_audit_of_its_file(folder, whole):
    assert len(whole.rows) == 4
    for row in whole.rows:
        if not row.error:
            audit = contacts.audit(read_motion(row.file, ROBOT), self_collision=False)
            assert (row.share, row.shares) == (audit.share, audit.shares)
            assert row.main_cause == audit.main_cause
            assert [row.words] == [s.words for s in audit.stretches[:1]] or audit.holds


def test_what_breaks_most_comes_first(folder, whole):
    names = [row.file.rpartition("/")[2] for row in whole.worst_first]
    assert names[0] == "sinks.npz"
    assert names[-1] == "broken.npz"
    first, last = whole.worst_first[0], whole.worst_first[-1]
    assert (first.share, first.main_cause) == (0.0, "flight")
    assert "does not fall" in first.words
    assert "no .npz file" in last.error
    assert not last.error.startswith("/")
    assert str(whole).startswith("2 of 4 motions of biped hold; 66.7 % of all 120 samples, 1 could")
    assert not whole.holds
    assert "more/sinks.npz" in whole.table()
    page = html.unescape(whole._repr_html_())
    assert all(page.count(line) == 1 for line in whole.explain().splitlines())


class Elsewhere(ThreadPoolExecutor):
    """Threads that get what a process would: copies of work and answers."""

    def submit(self, work, *given):
        question = pickle.dumps(given)
        return super().submit(lambda: pickle.loads(pickle.dumps(work(*pickle.loads(question)))))


def test_whoever_makes_it_it_is_the_same(folder, whole):
    with Elsewhere(2) as executor:
        assert table_of(folder, executor=executor).rows == whole.rows


def test_what_is_done_is_not_done_again(folder, whole, tmp_path, monkeypatch):
    asked = []

    def interrupted(job):
        asked.append(job.path.name)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return row_of(job)

    row_of = many.row_of
    monkeypatch.setattr(many, "row_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table_of(folder, journal=tmp_path / "j")
    assert table_of(folder, journal=tmp_path / "j").rows == whole.rows
    assert len(asked) == 5
    assert asked[2] == asked[3]
    assert table_of(folder, journal=tmp_path / "j").rows == whole.rows
    assert len(asked) == 5


def test_a_file_that_has_changed_is_done_again(tmp_path):
    path = tmp_path / "motion.npz"
    standing().save(path)
    assert table_of(path, journal=tmp_path / "j").holds
    standing(lift=0.5, speed=1.0).save(path)
    os.utime(path, ns=(1, 1))
    table = table_of(path, journal=tmp_path / "j")
    assert table.rows[0].main_cause == "flight"


SCRIPT = """
import os, signal, sys
from footwork import contacts, robots
from footwork.contacts.audits import many
row_of, done = many.row_of, []
def dies(job):
    done.append(job)
    if len(done) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return row_of(job)
many.row_of = dies
contacts.audit_files(robots.load("biped"), sys.argv[1], self_collision=False, journal=sys.argv[2])
"""


def test_nothing_is_lost_when_it_is_killed(folder, whole, tmp_path):
    journal = tmp_path / "j"
    killed = subprocess.run([sys.executable, "-c", SCRIPT, str(folder), str(journal)], timeout=100)
    assert killed.returncode == -signal.SIGKILL
    lines = journal.read_bytes().splitlines()
    assert len(lines) == 3  # what it asks, and two rows
    assert table_of(folder, journal=journal).rows == whole.rows
    assert journal.read_bytes().splitlines()[:3] == lines
    assert len(journal.read_bytes().splitlines()) == 5


def test_journals_of_something_else_are_left_alone(folder, whole, tmp_path):
    journal = tmp_path / "j"
    table_of(folder, journal=journal)
    before = journal.read_bytes()
    for other in ({"friction": 0.3}, {"limits": {"slip": 1.0}}, {"reading": {"cutoff": None}}):
        with pytest.raises(ContactError, match="asks something else"):
            table_of(folder, journal=journal, **other)
    assert journal.read_bytes() == before
    (tmp_path / "sweep").write_bytes(before.replace(b"footwork audit", b"footwork sweep"))
    with pytest.raises(ContactError, match="this is no audit"):
        table_of(folder, journal=tmp_path / "sweep")
    lines = before.splitlines(keepends=True)
    journal.write_bytes(lines[0] + b'{"row": {}} 00000000\n' + b"".join(lines[2:]))
    with pytest.warns(match="the motions of that line are done again"):
        assert table_of(folder, journal=journal).rows == whole.rows


def test_files_that_are_none(tmp_path):
    with pytest.raises(ContactError, match="no files of motions in it"):
        table_of(tmp_path)
    with pytest.raises(ContactError, match="there is no such file or folder"):
        table_of(tmp_path / "none.npz")
    with pytest.raises(ContactError, match="files: got none"):
        table_of([])


# --- the command ---------------------------------------------------------------------------------


def test_one_motion(run, folder, tmp_path):
    stands, sinks = str(folder / "stands.npz"), str(folder / "more" / "sinks.npz")
    code, out, err = run("audit", stands, "--robot", "biped")
    assert code == 0, err
    assert out.startswith("stands: 40 of 40 samples hold (100.0 %; 0.39 s at 100 Hz of biped")
    code, out, _ = run("audit", sinks, "--robot", "biped", "--longest", "1")
    assert code == 1
    assert "in flight although the body does not fall: 0.00 m/s² downwards instead of 9.81" in out
    code, out, _ = run("audit", sinks, "--robot", "biped", "--limit", "flight=inf", "--json")
    report = json.loads(out)
    assert (code, report["holds"], report["shares"]["flight"]) == (0, True, 1.0)
    code, out, _ = run("audit", sinks, "--robot", "biped", "--csv", "-", "--quiet")
    rows = list(csv.DictReader(out.splitlines()))
    assert len(rows) == 40
    assert {row["cause"] for row in rows} == {"flight"}


def test_contacts_go_to_a_file_and_come_from_one(run, folder, tmp_path):
    stands, file = str(folder / "stands.npz"), str(tmp_path / "contacts.yaml")
    command = ["audit", stands, "--robot", "biped", "--no-self-collision", "--json"]
    code, found, err = run(*command, "--save-contacts", file)
    assert (code, f"wrote {file}" in err) == (0, True)
    code, given, _ = run(*command, "--contacts", file)
    before, after = (json.loads(text) for text in (found, given))
    assert before.pop("notes")[-1].startswith("8 intervals")
    assert after.pop("notes") == []
    assert before == after
    (tmp_path / "contacts.yaml").write_text("feet: [")
    code, _, err = run(*command, "--contacts", file)
    assert (code, err.count("\n")) == (2, 1)


def test_several_motions(run, folder, whole, tmp_path, monkeypatch):
    """The processes of --jobs are those of sweeps, whose tests start some."""
    monkeypatch.setattr(flags, "workers", Elsewhere)
    table = tmp_path / "table.csv"
    command = ["audit", str(folder), "--robot", "biped", "--no-self-collision"]
    code, out, err = run(*command, "--jobs", "2", "--csv", str(table), "--journal", f"{tmp_path}/j")
    assert code == 1, err
    assert out.rstrip("\n") == whole.explain()
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["file"] for row in rows] == [row.file for row in whole.worst_first]
    assert [float(row["share"] or -1) for row in rows] == [r.share for r in whole.worst_first]
    code, out, _ = run(*command, "--json", "--journal", f"{tmp_path}/j")
    assert json.loads(out) == json.loads(json.dumps(whole.as_dict()))
    two = [str(folder / "stands.npz"), str(folder / "falls.npz")]
    assert run("audit", *two, "--robot", "biped", "--no-self-collision")[0] == 0
    assert run("audit", str(folder / "broken.npz"), two[0], "--robot", "biped")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["FOLDER/broken.npz"], "no .npz file"),
        (["FOLDER/stands.npz", "--journal", "j"], "--journal: got one motion"),
        (["FOLDER", "--save-contacts", "c.yaml"], "--save-contacts: got several motions"),
        (["FOLDER", "--png", "p.png"], "--png: got several motions"),
        (["FOLDER/stands.npz", "--friction", "0.5,0.4"], "--friction: got two"),
        (["FOLDER/stands.npz", "--limit", "slipp=1"], "did you mean 'slip'"),
        (["FOLDER/stands.npz", "--limit", "slip"], "expected as in slip=0.1"),
        (["FOLDER/stands.npz", "--smoothing", "-3"], "greater than 0"),
        (["FOLDER/stands.npz", "--terrain", "stares"], "did you mean 'stairs'"),
    ],
)
def test_mistakes_are_told_in_one_line(run, folder, arguments, says):
    first, *rest = arguments
    code, out, err = run("audit", first.replace("FOLDER", str(folder)), "--robot", "biped", *rest)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
