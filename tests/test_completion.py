"""Tab completion: the script in a real shell, and what it knows of the parser."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time

import pytest

from footwork import cli


@pytest.fixture
def script(run, tmp_path):
    code, out, _ = run("completion", "bash")
    assert code == 0
    path = tmp_path / "footwork.bash"
    path.write_text(out)
    return path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("h", ["hold"]),
        ("hold bip", ["biped"]),
        ("hold st", ["stairs"]),
        ("hold --base f", ["floating", "fixed"]),
        ("hold biped --fr", ["--friction"]),
        ("hold --quiet quadruped", ["quadruped", "quadruped8"]),
        ("info st", []),
        ("simulate biped --terrain st", ["stairs"]),
        ("simulate biped --gait c", ["crawl", "catch"]),
        ("completion z", ["zsh"]),
        ("--v", ["--version"]),
    ],
)
def test_bash_completes(script, words, expected):
    given = ["footwork", *words.split(" ")]
    source = f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _footwork'
    answer = subprocess.run(
        ["bash", "--norc", "-c", f'{source}; printf "%s\\n" "${{COMPREPLY[@]}}"', "bash", *given],
        capture_output=True, text=True, check=True, timeout=20,
    )  # fmt: skip
    assert answer.stderr == ""
    assert [word for word in answer.stdout.split("\n") if word] == expected


def test_a_key_press_in_an_interactive_bash(script, tmp_path):
    """Names of robots, and files where no name fits."""
    (tmp_path / "my_robot.urdf").touch()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.environ |= {"TERM": "dumb", "PS1": "", "HOME": str(tmp_path)}
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    try:
        _type(terminal, f"source {script}; echo rea''dy\n", until="ready")
        _type(terminal, "footwork hold bip\t", until="biped ")
        _type(terminal, "--base fi\t", until="fixed ")
        _type(terminal, "\x15footwork info my_\t", until="my_robot.urdf ")
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


def _type(terminal, keys, until):
    os.write(terminal, keys.encode())
    seen, end = "", time.monotonic() + 60
    while until not in seen:
        assert time.monotonic() < end, seen
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 4096).decode(errors="replace")


def test_the_others_know_the_same(run):
    code, out, _ = run("completion", "fish")
    assert code == 0
    hold = [line for line in out.splitlines() if "__fish_seen_subcommand_from hold'" in line]
    assert any("-a '" in line and " biped " in line for line in hold)
    assert any("-l base -xa 'floating fixed'" in line for line in hold)
    assert run("completion", "zsh")[1].endswith(run("completion", "bash")[1])
    code, _, err = run("completion", "bush")
    assert code == 2
    assert "did you mean bash" in err


def test_without_a_command_it_prints_its_help(run):
    code, out, err = run()
    assert (code, err) == (2, "")
    assert out == run("--help")[1] == cli._parser().format_help()
