"""`footwork compile`: afterwards nothing is left to compile."""

from __future__ import annotations

import importlib.util
import json
import logging

import numpy as np

import footwork as fw
from footwork import cli, contacts, control, dynamics
from footwork.dynamics import single


def test_all_kernels_are_compiled_and_nothing_is_left_to_compile(capsys, caplog):
    assert cli.main(["compile", "--json", "--quiet"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["compiled"] is True
    packages = {name.split(".")[0] for name in answer["seconds"]}  # none if all lay on disk
    assert packages <= {"dynamics", "contacts", "control"}
    with caplog.at_level(logging.INFO, logger="footwork"):
        robot = fw.load("biped")  # another robot, and other contacts
        q = robot.posture()
        for count in (1, 20):
            Q = np.tile(q, (count, 1))
            dynamics.batch.forward_dynamics(robot, Q, np.zeros((count, robot.nv)), Q[:, : robot.na])
            dynamics.batch.mass_matrix(robot, Q, layout="lanes")
            contacts.batch.static_hold(robot, Q, contacts.at_feet(robot, 0.5), margin=False)
        for term in single.TERMS:
            assert term.of(robot).overload.select(1) is not None
        feet = contacts.at_feet(robot, 0.7)
        controller = control.WholeBodyController(
            robot, feet, [control.ComTask(dynamics.com(robot, q))]
        )
        assert controller(q, np.zeros(robot.nv)).status == "optimal"
    assert not [r for r in caplog.records if "compiling" in r.getMessage()]


def test_without_numba_it_says_what_to_type(capsys, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "footwork.commands.compile.find_spec", lambda name: None if name == "numba" else found(name)
    )
    assert cli.main(["compile"]) == 1
    assert "footwork[fast]" in capsys.readouterr().out
