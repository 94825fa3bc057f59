"""The command: what it prints, writes and answers, run as a user would."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
import subprocess
import sys

import numpy as np
import pytest
import umsgpack

from footwork import cli, robots
from footwork.contacts import at_feet, static_hold
from footwork.dynamics import mass_matrix


def test_help_and_version(run):
    code, out, _ = run("--help")
    assert code == 0
    for command in ("demo", "hold", "info", "robots", "show"):
        assert command in out
    assert run("--version")[1].startswith("footwork ")


def test_module_runs():
    answer = subprocess.run(
        [sys.executable, "-m", "footwork", "info", "block"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "floating" in answer.stdout


def test_hold_says_yes(run):
    code, out, _ = run("hold", "biped", "--friction", "0.5")
    assert code == 0
    for word in ("biped holds", "margin", "push margin", "friction margin", "residual", "torques"):
        assert word in out


def test_hold_says_no_and_why(run):
    code, out, _ = run("hold", "biped", "--push", "torso", "500", "0", "0")
    assert code == 1
    assert "does not hold" in out
    assert "left_foot" in out


def test_hold_as_json(run):
    code, out, _ = run("hold", "biped", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["feasible"] is True
    assert answer["residual"] < 1e-6
    total = sum(np.sum(f, axis=0) for f in answer["forces"].values())
    assert total == pytest.approx([0, 0, 9.81 * robots.load("biped").mass], abs=1e-6)
    code, out, _ = run("hold", "biped", "--json", "--feet", "left_foot", "--friction", "0")
    answer = json.loads(out)
    assert code == 1
    assert answer["forces"] is None
    assert len(answer["certificate"]) == robots.load("biped").nv
    assert answer["reason"]


def test_pushes_add_up(run):
    once = ["hold", "quadruped", "--json", "--push", "base", "10", "0", "0"]
    twice = [*once[:-5], "--push", "base", "4", "0", "0", "--push", "base", "6", "0", "0"]
    one, two = (json.loads(run(*a)[1]) for a in (once, twice))
    assert one["margin"] == pytest.approx(two["margin"], rel=1e-6)


def test_hold_writes_a_page(run, tmp_path):
    page = tmp_path / "new folder" / "hold.html"
    code, _, err = run("hold", "quadruped", "--html", str(page))
    assert code == 0
    assert str(page) in err
    assert "quadruped" in page.read_text()


def test_show_writes_a_page(run, tmp_path):
    page = tmp_path / "robot.html"
    assert run("show", "limb", "--html", str(page))[0] == 0
    assert page.stat().st_size > 100_000


def test_contacts_are_coloured_by_their_margins(run, tmp_path):
    calls = ("show", "--friction", "0.6"), ("show", "--by-margin"), ("hold", "--by-margin")
    pages = [tmp_path / f"{k}.html" for k in range(3)]
    for (command, *more), page in zip(calls, pages, strict=True):
        assert run(command, "quadruped", *more, "--html", str(page))[0] == 0
    legends = [commands_of(page, "legend") for page in pages]
    assert [bool(legend[-1].get("ramp")) for legend in legends] == [False, True, True]
    assert run("hold", "quadruped", "--by-margin")[0] == 2  # there is no scene


def commands_of(page, kind):
    """Commands of one kind in a saved page."""
    packed = re.search(r'<script id="commands"[^>]*>([^<]*)<', page.read_text())[1]
    blob, at, found = gzip.decompress(base64.b64decode(packed)), 0, []
    while at < len(blob):
        (size,) = struct.unpack_from("<I", blob, at)
        command = umsgpack.unpackb(blob[at + 4 : at + 4 + size])
        found += [command] * (command["type"] == kind)
        at += 4 + size
    return found


def test_info_of_a_motion(run, tmp_path):
    robot = robots.load("biped")
    q = np.tile(robot.posture(), (60, 1))
    q[:, 7] += 0.1 * np.sin(np.arange(60) / 10)
    np.savetxt(tmp_path / "way.csv", q, delimiter=",")
    words = ("info", "biped", "--motion", str(tmp_path / "way.csv"))
    assert "expected --rate, samples a second" in run(*words)[2]
    facts = json.loads(run(*words, "--rate", "50", "--json")[1])
    assert (facts["samples"], facts["rate [Hz]"], facts["duration [s]"]) == (60, 50.0, 1.18)
    assert facts["fastest joint"] == robot.joint_names[0]
    assert any("in its order" in note for note in facts["notes"])
    assert "not smoothed: as asked" in run(*words, "--rate", "50", "--smoothing", "none")[1]


def test_robots_and_info(run):
    names = {info["name"] for info in json.loads(run("robots", "--json")[1])}
    assert {"biped", "quadruped", "talos"} <= names
    facts = json.loads(run("info", "biped", "--json")[1])
    assert facts["nv"] == robots.load("biped").nv
    assert "half_sitting" in run("info", "biped")[1]


def test_check_says_what_is_wrong(run, tmp_path):
    assert run("check", "biped")[0] == 0
    bad = tmp_path / "bad.urdf"
    bad.write_text(
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="-1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )
    code, out, _ = run("check", str(bad))
    assert code == 1
    assert "mass" in out
    code, out, _ = run("check", str(bad), "--json")
    assert code == 1
    assert any(finding["level"] == "error" for finding in json.loads(out))
    assert run("check", str(tmp_path / "none.urdf"))[0] == 2


def test_passive_and_locked_joints(run):
    joint = robots.load("biped").actuated[-1]
    plain = json.loads(run("info", "biped", "--json")[1])
    passive = json.loads(run("info", "biped", "--json", "--passive", joint)[1])
    locked = json.loads(run("info", "biped", "--json", "--lock", joint)[1])
    assert (passive["nv"], passive["na"]) == (plain["nv"], plain["na"] - 1)
    assert (locked["nv"], locked["na"]) == (plain["nv"] - 1, plain["na"] - 1)


def test_names_of_joints_have_blanks_or_commas_between(run):
    a, b = robots.load("biped").actuated[-2:]
    for flag in ("--lock", "--passive"):
        given = [a, b], [f"{a},{b}"], [f"{a},", b]
        said = {run("info", "biped", flag, *words) for words in given}
        assert len(said) == 1
        assert said.pop()[0] == 0


def test_hints_are_the_flags_that_are_typed(run, tmp_path):
    file = tmp_path / "robot.xml"
    legs = '<body><joint name="a" stiffness="9"/><geom size="1"/></body>'
    legs += '<body><joint name="b"/><geom size="1" pos="1 0 0"/></body>'
    trunk = f'<worldbody><body><freejoint/><geom size="1"/>{legs}</body></worldbody>'
    file.write_text(f'<mujoco>{trunk}<actuator><motor joint="b"/></actuator></mujoco>')
    _, out, _ = run("check", str(file))
    assert "--lock holds them where they are" in out
    file.with_suffix(".sdf").write_text(
        '<sdf version="1.9"><model name="m"><static>1</static><link name="a"/><link name="b"/>'
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child></joint></model></sdf>'
    )
    assert "its joints move here (--lock)" in run("check", str(file.with_suffix(".sdf")))[1]


def test_debug_shows_the_traceback():
    with pytest.raises(ValueError, match="bipde"):
        cli.main(["info", "--debug", "bipde"])


def test_demo_ends_with_verdicts_and_pages(run, tmp_path):
    code, out, _ = run("demo", "--out", str(tmp_path), "--no-png")
    assert code == 0
    assert "does not hold" in out
    assert "coriolis_tensor" in out
    pages = sorted(tmp_path.glob("*.html"))
    assert len(pages) == 3
    assert all(str(page) in out for page in pages)


def test_terms_by_two_roads(run, tmp_path):
    out_file = tmp_path / "terms.npz"
    code, out, _ = run("terms", "biped", "--seed", "3", "--json", "--save", str(out_file))
    assert code == 0
    rows = {row["term"]: row for row in json.loads(out)}
    assert rows["coriolis_tensor"]["shape"] == [25, 25, 25]
    assert 0 < max(row["difference"] for row in rows.values()) < 1e-10
    arrays = np.load(out_file)
    robot = robots.load("biped")
    np.testing.assert_array_equal(arrays["mass_matrix"], mass_matrix(robot, arrays["q"]))
    assert "mass_matrix" in run("terms", "double_pendulum")[1]
    assert run("terms", "biped", "--save", "terms.xls")[0] == 2
    assert run("terms", "biped", "--seed", "1", "--posture", "standing")[0] == 2


def test_friction_along_two_tangents(run):
    """Along the soles' axes; point feet take the world's x and y. The dynamics know it too."""
    for robot in ("biped", "quadruped"):
        code, out, _ = run("hold", robot, "--friction", "0.8,0.4")
        assert code == 0
        loaded = robots.load(robot)
        feet = at_feet(loaded, (0.8, 0.4), tangent=(1, 0, 0))
        hold = static_hold(loaded, loaded.posture(), feet)
        printed = float(re.search(r"push margin +([\d.]+)", out)[1])
        assert printed == pytest.approx(hold.push_margin(), rel=1e-3)
    for scenario in ("slope", "flat", "stairs", "ladder"):  # on points, on soles, on what faces x
        alike = [json.loads(run("hold", scenario, "--json", "--friction", f)[1])
                 for f in ("0.9,0.9", "0.9")]  # fmt: skip
        assert alike[0]["feasible"]
        assert alike[0]["margin"] == pytest.approx(alike[1]["margin"], abs=1e-3)
    # the first coefficient is along y on a wall that faces x, the second is then vertical
    found = json.loads(run("hold", "two-hands-and-a-foot", "--json", "--friction", "0.9,0.01")[1])
    for x, _, z in found["forces"]["left_hand"]:
        assert abs(z) <= 0.01 * abs(x) + 1e-6
    assert run("simulate", "biped", "--friction", "0.8,0.4", "--duration", "0.05")[0] == 0


@pytest.mark.parametrize("friction", ["-1", "nan", "inf", "rough", "0.8,", "0.8,-1", "1,1,1"])
@pytest.mark.parametrize("what", ["biped", "stairs"])
def test_a_friction_that_is_none_is_the_flags_fault(run, what, friction):
    code, _, error = run("hold", what, f"--friction={friction}")
    assert code == 2
    assert f"--friction: got {friction}, expected a finite number of at least 0, or two" in error
    assert ".yaml" not in error
