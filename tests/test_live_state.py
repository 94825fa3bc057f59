"""The state of a live scene: what hands do to it, against `static_hold` and its own text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footwork as fw
from footwork.contacts import Scenario
from footwork.visualize.live.actions import Ask, Command, Drag, Drop, Grab, Pointer, SetValue
from footwork.visualize.live.history import History

TALOS = Path(__file__).parent.parent / "docs" / "talos-stairs.yaml"
EYE = np.array([2.6, 2.4, 2.2])


def aim(point, eye=EYE, middle=(0.0, 0.0, 0.4)):
    """The pointer over a point of the world, seen from `eye`."""
    sight, forward = np.asarray(point) - eye, np.asarray(middle) - eye
    return Pointer(eye, sight / np.linalg.norm(sight), forward / np.linalg.norm(forward))


def handle_of(state, name):
    return next(handle for handle in state.handles() if handle.id == name)


def drag(history, handle, mode, moved, steps=3, eye=EYE):
    """Take hold of a handle at its place, move the pointer, let go."""
    p = handle_of(history.state, handle).position
    history = history.apply(Grab(handle, aim(p, eye)))
    for k in range(1, steps + 1):
        pointer = aim(p + np.asarray(moved) * k / steps, eye)
        history = history.apply(Drag(handle, mode, pointer))
    return history.apply(Drop(handle))


def check(state):
    """The state's verdict is that of `static_hold` on its q and contacts, and of its own text."""
    scenario, robot, q = state.scenario, state.scenario.machine, state.q
    loads = scenario.wrenches_at(q)
    expected = fw.static_hold(robot, q, scenario.contact_set, loads, scenario.torque_limits)
    again = Scenario.from_text(scenario.as_text(), folder=scenario.folder)
    assert again.solved.iterations == 0
    assert robot.difference(q, again.q) == pytest.approx(0, abs=1e-9)
    if state.hold is None:
        assert not scenario.contacts
        return
    for hold in (expected, again.check()):
        assert hold.status == state.hold.status
        assert hold.margin == pytest.approx(state.hold.margin, abs=1e-6, rel=1e-9, nan_ok=True)


def touches(state):
    """How far the contacts that should touch are from the terrain, at most [m]."""
    ground, q = state.scenario.ground, state.q
    points = [c.world_points(state.scenario.machine, q) for c in state.scenario.contact_set]
    return max((abs(ground.signed_distance(p)).max() for p in points), default=0.0)


def act_at_random(history, rng):
    """One of all actions, aimed at some handle."""
    handles, sliders = history.state.handles(), history.state.sliders()
    handle, slider = handles[rng.integers(len(handles))], sliders[rng.integers(len(sliders))]
    near = handle.position + rng.normal(size=3) * rng.choice([0.01, 0.05, 0.4])
    pointer = aim(near, EYE * rng.choice([-1, 1, 0.6], 3) * [1, 1, 0.4])
    value = rng.choice([rng.uniform(slider.low, slider.high), np.nan, -1.0, 1e5, np.inf])
    what = str(rng.choice(["undo", "redo", "reset", "open", "close", "open", "close", "jump"]))
    mode = str(rng.choice(["move", "turn", "lift"]))
    return [
        Grab(handle.id, pointer),
        *[Drag(handle.id, mode, pointer)] * 4,
        Drop(handle.id),
        SetValue(slider.name, float(value), bool(rng.integers(2))),
        Command(what, handle.id),
        Command("open", "contact/nothing"),
        Drag("push/nothing", "move", pointer),
        Ask("scenario"),
    ][rng.integers(11)]


@pytest.mark.parametrize("seed", [0, 1])
def test_whatever_is_done_contacts_stay_on_the_terrain(seed):
    history, rng = History.begin(Scenario.load("gap")), np.random.default_rng(seed)
    seen = set()
    for k in range(200):
        action = act_at_random(history, rng)
        before = history.state
        history = history.apply(action)
        state = history.state
        assert np.isfinite(state.q).all()
        assert touches(state) < 1e-7
        if state.notice:
            assert state.stance is before.stance
        elif state.hold is not None:
            assert not np.isnan(state.hold.margin)
        seen |= {"notice"} if state.notice else {"lifted"} & {h.kind for h in state.handles()}
        if k % 20 == 0:
            check(state)
    assert seen == {"notice", "lifted"}
