"""One flag, one meaning: read from the parser of every command, and tried."""

from __future__ import annotations

import argparse
import csv
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from footwork import cli, commands, dynamics, errors, robots
from footwork.commands.flags import SHARED

# what each command leaves behind, besides words: a new command is entered here
OUTPUTS = {
    "demo": set(),
    "hold": {"json", "html", "png", "csv"},
    "region": {"json", "html", "png", "csv"},
    "scenarios": {"json"},
    "info": {"json"},
    "terms": {"json", "csv"},
    "check": {"json"},
    "diff": {"json"},
    "robots": {"json", "csv"},
    "show": {"html", "png"},
    "live": set(),
    "simulate": {"json", "html", "png", "csv"},
    "judge": {"json", "html", "png", "csv"},
    "limits": {"json", "html", "png", "csv"},
    "wrenches": {"json", "html", "png", "csv"},
    "audit": {"json", "html", "png", "csv"},
    "repair": {"json", "html", "png"},
    "gait": {"json", "html", "png", "csv"},
    "sweep": {"json", "png", "csv"},
    "bench": {"json"},
    "compile": {"json"},
    "completion": set(),
    "doctor": {"json"},
}
QUICK = {
    "hold": ["hold", "quadruped"],
    "region": ["region", "quadruped"],
    "terms": ["terms", "double_pendulum"],
    "simulate": ["simulate", "quadruped", "--duration", "0.02"],
    "sweep": ["sweep", "slope", "--set", "friction", "0.5", "0.6"],
}
QUADRUPED = Path(cli.__file__).with_name("robots") / "models" / "quadruped.urdf"


LEG = """<mujoco model="leg"><worldbody><body name="hip" pos="0 0 0.5">
<geom type="box" size="0.1 0.1 0.05"/><body name="foot">
<joint name="knee" axis="0 1 0" range="-1 1"/><geom type="box" size="0.1 0.05 0.02" pos="0 0 -0.4"/>
</body></body></worldbody></mujoco>"""


def subparsers():
    (action,) = (a for a in cli._parser()._actions if isinstance(a, argparse._SubParsersAction))
    return action.choices


def test_every_command_is_entered_here():
    assert subparsers().keys() == OUTPUTS.keys()
    assert len(commands.ALL) == len(OUTPUTS)


@pytest.mark.parametrize("name", OUTPUTS)
def test_each_has_the_flags_that_make_sense(name):
    parser = subparsers()[name]
    flags = {action.dest for action in parser._actions}
    assert {"debug", "quiet", "help"} <= flags
    assert flags & {"json", "html", "png", "csv"} == OUTPUTS[name]
    assert "exit codes: 0 yes" in parser.format_help()
    for action in parser._actions:
        assert action.help, (name, action.dest)
        if action.option_strings and action.nargs != 0 and not action.choices:
            assert action.metavar, (name, action.dest)


def test_the_same_flag_is_the_same_everywhere():
    """But for what it is said to do, where that is said for each command."""
    known: dict[str, tuple] = {}
    for name, parser in subparsers().items():
        for action in parser._actions:
            for flag in action.option_strings:
                if (name, flag) == ("gait", "--robot"):  # one more body, beside the person's
                    continue
                words = SHARED.get(flag, {}).get("help", "")
                told = action.help if isinstance(words, str) else words.keys()
                same = (told, action.metavar, action.type, action.nargs, type(action))
                assert known.setdefault(flag, same) == same, (name, flag)


def test_every_command_that_loads_a_robot_has_the_flag_of_its_base():
    for name, parser in subparsers().items():
        flags = {flag for action in parser._actions for flag in action.option_strings}
        takes = any("ROBOT" in str(action.metavar) for action in parser._actions)
        assert ("--base" in flags) == takes, name


@pytest.mark.parametrize("name", ["hold", "region", "info", "terms", "check", "simulate", "show"])
def test_the_base_counts_in_every_command(run, tmp_path, name):
    """A leg that hangs from the world: welded unless asked to move."""
    leg = tmp_path / "leg.xml"
    leg.write_text(LEG)
    more = {"show": ["--html", str(tmp_path / "leg.html")], "simulate": ["--duration", "0.02"]}
    code, out, err = run(name, str(leg), *more.get(name, []), "--base", "floating")
    assert code in (0, 1), err
    assert "fixed base" not in out + err
    code, out, err = run(name, str(leg), *more.get(name, []), "--base", "fixed")
    assert code in (0, 1) or "--base floating" in err


def test_the_catalogue_as_a_table(run):
    code, out, _ = run("robots", "--csv", "-")
    assert code == 0
    head, *rows = csv.reader(out.splitlines())
    assert {row[head.index("name")] for row in rows} == {i.name for i in robots.available()}


@pytest.mark.parametrize("name", [n for n in QUICK if "json" in OUTPUTS[n]])
def test_json_is_all_there_is_on_standard_output(run, name):
    code, out, err = run(*QUICK[name], "--json")
    assert code == 0
    json.loads(out, parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))
    assert "\x1b" not in out + err


@pytest.mark.parametrize("name", [n for n in QUICK if "csv" in OUTPUTS[n]])
def test_a_table_in_a_file_and_on_standard_output(run, tmp_path, name):
    path = tmp_path / "new folder" / "table.csv"
    path.parent.mkdir()
    path.write_text("what was there before")
    code, words, err = run(*QUICK[name], "--csv", str(path))
    assert code == 0
    assert f"wrote {path}" in err
    rows = [line.split(",") for line in path.read_text().splitlines()]
    assert len(rows) > 2 or name == "sweep"
    assert len({len(row) for row in rows}) == 1
    code, out, err = run(*QUICK[name], "--csv", "-")
    assert code == 0
    assert out.splitlines()[0] == path.read_text().splitlines()[0]
    if name == "simulate":
        assert len(dynamics.read_motion(path, robots.load("quadruped")).q) == len(rows) - 1
    else:
        assert out == path.read_text()
        assert words in err  # the words for people make way
    code, out, err = run(*QUICK[name], "--csv", str(path), "--quiet")
    assert (code, out, err) == (0, "", "")


def test_robots_stand_on_the_terrain_of_a_scenario(run):
    quick = ["--duration", "0.1", "--json"]
    for name in ("slope", "flat"):
        code, out, _ = run("simulate", "quadruped", "--terrain", name, *quick)
        report = json.loads(out)
        assert (code, report["ended"], report["collisions"]) == (0, "", [])
        assert max(map(abs, report["moved"])) < 1e-3
    code, out, _ = run("simulate", "quadruped", "--terrain", "slope", "--gait", "catch", *quick)
    assert (code, json.loads(out)["ended"]) == (0, "")
    code, _, err = run("simulate", "quadruped", "--terrain", "stares", *quick)
    assert code == 2
    assert "did you mean 'stairs'" in err


@pytest.mark.slow
def test_a_biped_steps_up_a_stair(run):
    climb = ["--terrain", "stairs", "--gait", "step", "--steps", "2", "--length", "0.24"]
    climb += ["--engine", "mujoco"]
    code, out, _ = run("simulate", "biped", *climb, "--json")
    report = json.loads(out)
    assert (code, report["ended"]) == (0, "")
    assert report["moved"][2] > 0.05


def test_a_simulation_that_failed_is_a_no(run, monkeypatch):
    from footwork.control import WholeBodyController

    tick = WholeBodyController.__call__

    def breaks(self, q, v, t=0.0):
        if t > 0.009:
            raise KeyError("gait")
        return tick(self, q, v, t)

    monkeypatch.setattr(WholeBodyController, "__call__", breaks)
    code, out, _ = run("simulate", "quadruped", "--duration", "0.1")
    assert code == 1
    assert "was given up after 0.01 s" in out
    assert "KeyError: 'gait'" in out


def test_a_page_on_standard_output(run):
    code, out, err = run("hold", "quadruped", "--html", "-")
    assert code == 0
    assert out.lstrip().startswith("<")
    assert "quadruped holds" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--html", "FOLDER"], "--html"),
        (["--csv", "FILE/below.csv"], "FILE"),
        (["--png", "picture.svg"], "expected .png"),
        (["--csv", "-", "--json"], "--csv and --json: standard output takes one"),
        (["--csv", "-", "--html", "-"], "standard output takes one"),
        (["--csv", "same", "--html", "same"], "another flag writes that file"),
    ],
)
def test_files_that_cannot_be_written_are_told_before_the_work(
    run, tmp_path, monkeypatch, arguments, says
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FOLDER").mkdir()
    (tmp_path / "FILE").touch()
    code, out, err = run("hold", "quadruped", *arguments)
    assert code == 2
    assert says in err
    assert out == ""
    assert err.count("\n") == 1


def test_a_folder_that_is_closed(run, tmp_path, monkeypatch):
    monkeypatch.setattr(commands.output.os, "access", lambda path, mode: False)  # root may anything
    code, out, err = run("hold", "quadruped", "--csv", str(tmp_path / "x.csv"))
    assert (code, out) == (2, "")
    assert "no permission" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["holt", "biped"], "did you mean hold"),
        (["hold", "biped", "--frction", "1"], "did you mean --friction"),
        (["hold", "biped", "--jso"], "did you mean --json"),
        (["region", "biped", "--kind", "zmpp"], "did you mean zmp"),
        (["hold", "--feet", "left_foot", "biped"], "before flags that take several words"),
        (["info", "bipde"], "did you mean 'biped'"),
        (["simulate", "biped", "--friction", "-1"], "at least 0"),
        (["hold", "biped", "--friction", "0,5"], "got 0,5, expected a finite number"),
        (["simulate", "biped", "--duration", "0"], "greater than 0"),
        (["judge", "go2", "--boards", "6cm"], "got 6cm, expected a finite number"),
        (["simulate", "biped", "--length", "nan"], "--length: got nan, expected a finite number"),
        (["terms", "biped", "--seed", "-1"], "at least 0"),
        (["terms", "biped", "--save", "terms.xls"], ".npz, .json"),
        (["sweep", "push", "--set", "friction", "1", "--jobs", "0"], "at least 1"),
        (["sweep", "push", "--set", "friction", "1", "--set", "friction", "2"], "friction twice"),
        (["info", "biped", "--package-dir", "/nope"], "/nope is no folder"),
        (["simulate", "bipde", "--gait", "walk"], "no robot 'bipde'; did you mean 'biped'"),
        (["limits", "biped", "--gait", "trot"], "has left, right: expected walk"),
        (["hold"], "required"),
        (["hold", "limb"], "no feet"),
        (["hold", "biped", "--posture", "half_siting"], "did you mean 'half_sitting'"),
        (["hold", "biped", "--feet", "left_fot"], "did you mean 'left_foot'"),
        (["hold", "biped", "--push", "torsoo", "1", "0", "0"], "did you mean 'torso'"),
        (["hold", "biped", "--push", "torso", "a", "0", "0"], "expected FRAME FX FY FZ"),
        (["hold", "biped", "--push", "torso", "nan", "0", "0"], "finite"),
        (["hold", "biped", "--push", "torso", "150"], "4 arguments: FRAME FX FY FZ, a force on"),
        (["hold", "biped", "--push", "torso", "150"], "as in torso 150 0 0"),
        (["limits", "go2", "--direction", "1"], "3 arguments: VX VY WZ, ahead"),
        (["hold", "biped", "--friction"], "expected one argument: MU, Coulomb"),
        (["hold", "biped", "--passive", "left_kne"], "did you mean"),
        (["hold", "stiars"], "did you mean 'stairs'"),
        (["hold", "none.yaml"], "no such file"),
        (["show", "qadruped"], "did you mean 'quadruped'"),
        (["hold", "flat", "--posture", "siting"], "no posture 'siting'"),
        (["hold", "flat", "--lock", "left_kne"], "did you mean 'left_knee'"),
        (["hold", "flat", "--push", "torsoo", "1", "0", "0"], "did you mean 'torso'"),
        (["region", "biped", "--tolerance", "0"], "tolerance"),
        (["region", "push", "--kind", "zmp"], "--kind zmp"),
        (["info", "no/such/file.urdf"], "no/such/file.urdf"),
        (["demo", "--out", __file__], "a file; expected a folder"),
        (["wrenches", "/nope/run.npz", "--robot", "biped"], "/nope/run.npz: cannot be read"),
        (["bench", "--minutes", "0"], "greater than 0"),
        (["bench", "--minutes", "nan"], "greater than 0"),
        (["sweep", "push", "--set", "friction", "1", "--journal", "j", "--csv", "j"], "other flag"),
    ],
)
def test_mistakes_are_told_in_one_line(run, arguments, says):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.startswith("footwork: ")
    assert err.count("\n") == 1


def test_what_is_read_is_not_taken_for_a_file_to_write(run, tmp_path):
    log = tmp_path / "none" / "run.txt"
    assert "run.txt: cannot be read" in run("wrenches", str(log), "--robot", "biped")[2]
    assert not log.parent.exists()


def test_notes_of_what_counts_otherwise_than_one_may_think(run):
    err = run("hold", "biped", "--feet", "left_foot:22x10", "right_foot:0.22x0.1")[2]
    assert "22 by 10 m for 'left_foot', more than" in err
    assert err.count("\n") == 1


def test_ctrl_c_does_not_reach_workers_that_begin(tmp_path):
    """The program that they read at first interrupts itself: the signal waits, and is dropped."""
    script = tmp_path / "work.py"
    script.write_text(
        "import signal\n"
        "from footwork.workers import workers\n"
        "if __name__ == '__main__':\n"
        "    with workers(1) as pool:\n"
        "        print(pool.submit(abs, -3).result())\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "else:\n"
        "    signal.raise_signal(signal.SIGINT)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "3\n"
    assert done.stderr.count("KeyboardInterrupt") == 1  # of the program alone


def test_a_description_with_many_mistakes_is_told_in_one_line(run, tmp_path):
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    mass = f'<inertial><mass value="1"/>{inertia}</inertial>'
    mesh = '<visual><geometry><mesh filename="none{}.stl"/></geometry></visual>'
    links = f'<link name="l0">{mesh.format(0)}{mass}</link>' + "".join(
        f'<link name="l{i}">{mesh.format(i)}</link>'
        f'<joint name="j{i}" type="fixed"><parent link="l0"/><child link="l{i}"/></joint>'
        for i in range(1, 4)
    )
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{links}</robot>')
    code, _, err = run("info", str(path))  # what is missing is left out
    assert code == 0
    assert err.count("\n") == 1
    assert "4 meshes are missing" in err
    assert "--package-dir" in err
    assert run("check", str(path))[1].count("(--package-dir names folders of packages)") == 4
    for i in range(4):  # what is damaged is refused
        (tmp_path / f"none{i}.stl").write_text("solid")
    code, out, err = run("info", str(path))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "--no-meshes" in err
    assert run("check", str(path))[1].count("mesh 'none") == 4


def test_a_note_is_one_line_and_quiet_is_quiet(run, tmp_path):
    """A robot that names no feet: it is said on what it stands."""
    path = tmp_path / "own.urdf"
    path.write_text(QUADRUPED.read_text())
    code, out, err = run("hold", str(path))
    assert code == 0
    assert "footwork: note: 'quadruped' names no feet" in err
    assert err.count("\n") == 1
    assert "holds on LF_foot" in out
    assert run("hold", str(path), "--quiet") == (0, "", "")
    assert run("hold", "push", "--quiet") == (1, "", "")
    one = run("hold", str(path), "--feet", "LF_foot", "RH_foot", "--json")[1]
    assert json.loads(one)["forces"].keys() == {"LF_foot", "RH_foot"}
    assert json.loads(run("info", str(path), "--json")[1])["feet known by"] == "shapes"


def test_a_note_is_said_once(capsys):
    """Verdicts of one command are often about the same robot."""
    show = cli._show(False, None)
    for words in ("one", "two", "one"):
        show(errors.FootworkWarning(words), errors.FootworkWarning, "file", 1)
    said = capsys.readouterr().err.splitlines()
    assert said == ["footwork: note: one", "footwork: note: two"]


def test_a_mistake_of_ours_is_said_to_be_one(run, monkeypatch):
    def broken(options):
        raise KeyError("inner")

    monkeypatch.setattr(commands.robots, "run", broken)
    code, out, err = run("robots")
    assert (code, out) == (3, "")
    assert "a mistake of footwork: please report it" in err
    assert err.count("\n") == 1
    with pytest.raises(KeyError):
        cli.main(["robots", "--debug"])


def test_a_library_that_is_missing_is_told_before_the_work(run, monkeypatch, tmp_path):
    monkeypatch.setattr(commands.output, "find_spec", lambda name: None)
    code, out, err = run(*QUICK["sweep"], "--png", str(tmp_path / "map.png"))
    assert (code, out) == (2, "")
    assert "pip install 'footwork[plots]'" in err


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("terms double_pendulum >/dev/full", 2, "standard output: No space left on device"),
        ("terms double_pendulum --quiet --csv - >&-", 2, "standard output: Bad file descriptor"),
        ("terms double_pendulum --quiet --csv - >/dev/full", 2, "standard output: No space left"),
        ("terms double_pendulum --quiet >&-", 0, ""),
        ("terms double_pendulum <&-", 0, ""),
        ("info bipde >&-", 2, "did you mean"),
        ("--help >&-", 2, "standard output: Bad file descriptor"),
    ],
)
def test_closed_and_full_standard_output(line, code, says, monkeypatch):
    monkeypatch.delenv("FOOTWORK_COMPILE")  # as one types it: without Numba for so little
    command = f'"{sys.executable}" -m footwork {line}'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert done.returncode == code
    assert says in done.stderr.decode()
    assert done.stderr.count(b"\n") == (1 if says else 0)
    assert b"footwork: " in done.stderr or not says


def test_a_reader_that_has_left_loses_no_file_and_no_answer(tmp_path, monkeypatch):
    """As `footwork hold … 2>&1 | head -1` once head has its line."""
    monkeypatch.delenv("FOOTWORK_COMPILE")  # without Numba for so little
    files = [f"--csv={tmp_path}/a.csv", f"--html={tmp_path}/a.html"]
    command = [sys.executable, "-m", "footwork", "hold", "biped", "--push", "torso", "0", "500"]
    for how in (["0", *files], ["0", "--csv=-"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([*command, *how], stdout=writer, stderr=writer)
        os.close(writer)
        assert done.returncode == 1
    assert {file.name for file in tmp_path.iterdir()} == {"a.csv", "a.html"}


@pytest.mark.parametrize(
    ("line", "where"), [("info bipde", "&-"), ("nosuch", "/dev/full"), ("sweep", "&-")]
)
def test_bad_usage_is_2_where_nobody_can_be_told(line, where):
    command = f'"{sys.executable}" -m footwork {line} 2>{where}'
    assert subprocess.run(["sh", "-c", command]).returncode == 2


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_ended_leaves_no_folder(how, tmp_path):
    """A table to standard output goes through a temporary folder."""
    command = [sys.executable, "-m", "footwork", "simulate", "quadruped", "--duration", "600"]
    process = subprocess.Popen(
        [*command, "--csv", "-", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(how, signal.SIG_DFL),  # nohup's children are deaf to it
    )  # fmt: skip
    status = Path(f"/proc/{process.pid}/status")
    try:
        while "SigCgt" not in status.read_text() or not _catches(status, how):
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(how)
        assert process.communicate(timeout=60)[1] == b""
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 128 + how
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_is_ended_while_it_imports_says_nothing_of_it(monkeypatch, capsys):
    """NumPy makes an ImportError of what is raised meanwhile."""

    def imports(options):
        try:
            signal.raise_signal(signal.SIGTERM)
        except SystemExit:
            raise ImportError("the C-extensions failed") from None

    options = SimpleNamespace(run=imports, quiet=True, debug=False)
    monkeypatch.setattr(cli, "_options", lambda arguments: options)
    monkeypatch.setattr(cli.output, "check", lambda options: None)
    with pytest.raises(SystemExit) as ended:
        cli.main([])
    assert ended.value.code == 128 + signal.SIGTERM
    assert capsys.readouterr().err == ""


def _catches(status, number):
    line = next(x for x in status.read_text().splitlines() if x.startswith("SigCgt"))
    return int(line.split()[1], 16) >> (number - 1) & 1


def at_a_terminal(*arguments, **environment):
    """What somebody sees who types it."""
    us, them = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "footwork", *arguments],
        stdout=them, stderr=them, stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment},
    )  # fmt: skip
    os.close(them)
    seen = b""
    try:
        while chunk := os.read(us, 4096):
            seen += chunk
    except OSError:  # Linux says so when the last writer is gone
        pass
    finally:
        os.close(us)
        process.wait(timeout=60)
    return seen.decode()


def test_colours_on_a_terminal_only():
    assert "\x1b[32m" in at_a_terminal("check", str(QUADRUPED))
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in at_a_terminal("check", str(QUADRUPED), **plain)


def test_the_page_of_the_command_has_every_command_flag_and_code():
    page = (Path(__file__).parent.parent / "docs" / "command.md").read_text(encoding="utf-8")
    page = page.replace("<code>", "`")  # code with bars, see test_doc_pages.py
    for name in OUTPUTS:
        assert f"| `{name}" in page
    actions = [action for parser in subparsers().values() for action in parser._actions]
    seen = [a.option_strings[0] for a in actions if a.option_strings and a.dest != "help"]
    shared = {flag for flag in seen if seen.count(flag) > 2}
    own = {"--passive", "--lock", "--posture", "--friction", "--feet", "--push", "--seed"}
    for flag in shared - own - {"--no-torque-limits"}:
        assert f"| `{flag}" in page, flag
    for code in (0, 1, 2, 3, 130):
        assert f"| {code} |" in page


def test_help_is_of_the_command_alone():
    parsers = subparsers()
    for command, parser in parsers.items():
        for action in parser._actions:
            others = {name for name in parsers if f"{name}:" in (action.help or "")} - {command}
            assert not others, (command, action.option_strings)
    assert "0.001" in parsers["region"].format_help()
    assert "0.0001" in parsers["diff"].format_help()


def test_every_command_with_a_robot_takes_its_base(run):
    for base in ("floating", "fixed"):
        code, out, _ = run("info", "quadruped", "--base", base, "--json")
        assert (code, json.loads(out)["base"]) == (0, base)
        assert run("check", "quadruped", "--base", base)[0] == 0
    code, _, err = run("hold", "stairs", "--base", "fixed")
    assert code == 2
    assert "--base" in err
