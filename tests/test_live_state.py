"""The state of a live scene: what hands do to it, against `static_hold` and its own text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footwork as fw
from footwork import contacts, dynamics, robots
from footwork.contacts import Scenario
from footwork.contacts.postures.missed import Missed
from footwork.visualize.live.actions import Ask, Command, Drag, Drop, Grab, Pointer, SetValue
from footwork.visualize.live.history import MOST, History
from footwork.visualize.live.messages import LiveError, action_of
from footwork.visualize.live.state import LiveState
from footwork.visualize.live.written import why_not

TALOS = Path(__file__).parent.parent / "docs" / "talos-stairs.yaml"
EYE = np.array([2.6, 2.4, 2.2])


def aim(point, eye=EYE, middle=(0.0, 0.0, 0.4)):
    """The pointer over a point of the world, seen from `eye`."""
    sight, forward = np.asarray(point) - eye, np.asarray(middle) - eye
    return Pointer(eye, sight / np.linalg.norm(sight), forward / np.linalg.norm(forward))


def handle_of(state, name):
    return next(handle for handle in state.handles() if handle.id == name)


def place(history, name):
    """Where a handle is, (3,)."""
    return handle_of(history.state, name).position


def pull(history, handle, mode, *places, **seen):
    """Take hold of a handle at its place, and move the pointer over these."""
    history = history.apply(Grab(handle, aim(place(history, handle), **seen)))
    for there in places:
        history = history.apply(Drag(handle, mode, aim(there, **seen)))
    return history


def drag(history, handle, mode, moved, steps=3, eye=EYE):
    """Take hold of a handle at its place, move the pointer, let go."""
    p, shares = place(history, handle), np.arange(1, steps + 1)[:, None] / steps
    history = pull(history, handle, mode, *(p + shares * np.asarray(moved)), eye=eye)
    return history.apply(Drop(handle))


def check(state):
    """The state's verdict is that of `static_hold` on its q and contacts, and of its own text."""
    scenario, robot, q = state.scenario, state.scenario.machine, state.q
    loads = scenario.wrenches_at(q)
    expected = fw.static_hold(robot, q, scenario.contact_set, loads, scenario.torque_bounds)
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


def test_feet_are_dragged_over_a_height_map():
    x = np.arange(61)
    heights = np.round(0.004 * (np.sin(0.7 * x[:, None]) + np.cos(0.5 * x)), 4).tolist()
    feet = "contacts:\n  - foot: left_foot\n  - foot: right_foot\n"
    ground = f"terrain:\n  - map: field\n    heights: {heights}\n    cell: 0.05\n"
    history = History.begin(Scenario.from_text(f"version: 1\nrobot: biped\n{ground}{feet}"))
    for handle, way in (("left_foot", [0.1, 0.05, 0]), ("right_foot", [0.07, -0.03, 0])):
        start = place(history, f"contact/{handle}")
        history = drag(history, f"contact/{handle}", "move", way)
        assert place(history, f"contact/{handle}") - start == pytest.approx(way, abs=0.02)
        assert touches(history.state) < 0.01
        check(history.state)


@pytest.mark.parametrize("seed", [1])
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
        if k % 40 == 0:
            check(state)
    assert seen == {"notice", "lifted"}


# --- contacts ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def talos():
    return History.begin(Scenario.load(TALOS))


@pytest.fixture(scope="module")
def biped():
    return History.begin(Scenario.load("stairs"))


@pytest.fixture(scope="module")
def quadruped():
    return History.begin(Scenario.load("slope"))


def test_it_begins_as_the_scenario_says(talos, biped, quadruped):
    for history in (talos, biped, quadruped):
        scenario = Scenario.load(TALOS if history is talos else history.state.scenario.file)
        assert history.state.hold.margin == pytest.approx(scenario.check().margin, rel=1e-9)
        assert history.state.q == pytest.approx(scenario.q, abs=1e-12)
        check(history.state)
    inside = Scenario.load("flat")
    state = LiveState.begin(inside)
    assert state.scenario.com == pytest.approx(fw.dynamics.com(inside.machine, inside.q)[:2])


@pytest.mark.parametrize(
    ("handle", "along"),
    [("l_foot", (0.03, -0.01, 0)), ("r_foot", (-0.03, 0.01, 0)), ("hand", (0.03, 0, 0.02))],
)
def test_contacts_of_talos_slide_lift_and_come_down(talos, handle, along):
    name, eye = f"contact/{handle}", np.array([-2.0, 2.4, 2.2])
    p = place(talos, name)
    moved = drag(talos, name, "move", along, eye=eye)
    # the pointer went along the surface: so did the contact, though seen in perspective
    assert place(moved, name) == pytest.approx(p + along, abs=1e-7)
    assert touches(moved.state) < 1e-7
    com = talos.state.scenario.com
    assert moved.state.scenario.com == com
    assert moved.state.stance.state.com[:2] == pytest.approx(com, abs=1e-8)
    check(moved.state)
    out = [0.0, 0.05, 0.0] if handle == "hand" else [0.0, 0.0, 0.05]
    up = drag(moved, name, "lift", out, eye=eye)
    assert list(up.state.stance.lifted) == [handle]
    assert handle not in up.state.hold.contacts.names
    assert handle_of(up.state, name).kind == "lifted"
    went = place(up, name) - place(moved, name)
    assert went @ aim(p, eye).forward == pytest.approx(0, abs=1e-7)  # it faces the viewer
    assert np.linalg.norm(went) > 0.02
    assert up.state.scenario.ground.signed_distance(place(up, name)) > 0.02
    T = up.state.stance.place(handle)
    at = contact_pose(up.state, handle)
    assert at.translation == pytest.approx(T.translation, abs=1e-7)
    check(up.state)
    down = up.apply(Command("close", name))
    assert down.state.notice == ""
    assert not down.state.stance.lifted
    assert touches(down.state) < 1e-7
    assert down.state.hold.feasible
    check(down.state)


def contact_pose(state, name):
    """T_world_contact at q of a contact, in the air or not."""
    alone = state.scenario.replaced(contacts=(state.stance.part(name),))
    return alone.contact_set.placements(state.q)[name]


def test_nothing_jumps_when_it_is_taken_hold_of(biped):
    for handle in biped.state.handles():
        here, near = (aim(np.add(handle.position, [0.02, y, 0.03])) for y in (-0.01, -0.0101))
        held = biped.apply(Grab(handle.id, here))
        assert held.state.stance is biped.state.stance
        for mode in handle.modes:
            assert held.apply(Drag(handle.id, mode, here)).state.stance is biped.state.stance
            state = held.apply(Drag(handle.id, mode, near)).state
            if handle.kind != "push":  # a push of nothing is its stub
                there = handle_of(state, handle.id).position
                assert there == pytest.approx(handle.position, abs=1e-3)


def test_an_offset_pointer_keeps_its_offset(biped):
    p, aside = place(biped, "contact/right_foot"), np.array([0.0, 0.02, 0.01])
    history = biped.apply(Grab("contact/right_foot", aim(p + aside)))
    pointer = aim(p + aside + [0.03, 0.0, 0.0])
    history = history.apply(Drag("contact/right_foot", "move", pointer))
    # the ray is moved aside, not turned: parallel to a thousandth over a hand's breadth
    there = place(history, "contact/right_foot")
    assert there == pytest.approx(p + np.array([0.03, 0.0, 0.0]), abs=1e-3)


def test_what_comes_back_in_a_gesture_comes_back_to_about_the_same_posture(talos):
    """Round a circle on the wall: the joints that the contacts leave free do not wander off."""
    hand, eye = "contact/hand", np.array([-1.0, 2.4, 2.0])
    p, angles = place(talos, hand), np.linspace(0, 4 * np.pi, 25)[1:]
    history = talos.apply(Grab(hand, aim(p, eye)))
    for a in angles:
        there = p + 0.08 * np.array([np.sin(a), 0.0, 1 - np.cos(a)])
        history = history.apply(Drag(hand, "move", aim(there, eye)))
        assert history.state.notice == ""
    robot = talos.state.scenario.machine
    assert np.abs(robot.difference(talos.state.q, history.state.q)).max() < 0.01
    assert history.state.hold.margin == pytest.approx(talos.state.hold.margin, rel=0.01)


def test_a_change_of_mode_does_not_jump(quadruped):
    p = place(quadruped, "contact/lf_foot")
    history = pull(quadruped, "contact/lf_foot", "move", p + np.array([0.02, 0.01, 0.0]))
    there = place(history, "contact/lf_foot")
    lifted = history.apply(Drag("contact/lf_foot", "lift", aim(np.add(p, [0.02, 0.01, 0.0]))))
    assert place(lifted, "contact/lf_foot") == pytest.approx(there, abs=1e-7)


def test_a_sole_turns_with_the_pointer(biped):
    foot = "contact/right_foot"
    T = biped.state.stance.place("right_foot")
    circle = [T.translation + 0.1 * np.array([np.cos(a), np.sin(a), 0.0]) for a in (0.0, 0.1, 0.2)]
    history = biped.apply(Grab(foot, aim(circle[0])))
    for point in circle[1:]:
        history = history.apply(Drag(foot, "turn", aim(point)))
    turned = history.state.stance.place("right_foot")
    assert turned.translation == pytest.approx(T.translation, abs=1e-9)
    expected = pin.utils.rotate("z", 0.2) @ T.rotation
    assert turned.rotation == pytest.approx(expected, abs=1e-9)
    here = history.state.scenario.contact_set.placements(history.state.q)["right_foot"]
    assert here.rotation == pytest.approx(expected, abs=1e-8)
    check(history.state)


def test_soles_stay_on_their_step_and_reach_others(biped):
    """Beyond the edge of a step the foot stops where it fits; the next one turns it nowhere."""
    state, foot = biped.state, "contact/left_foot"
    history = drag(biped, foot, "move", [-0.06, 0.0, 0.0])
    edge = history.state.scenario.contacts[0]
    sole = history.state.scenario.contact_set["left_foot"]
    corners = sole.world_points(state.scenario.machine, history.state.q)
    assert edge.surface == "stairs/2"
    assert corners[:, 0].min() == pytest.approx(0.15 + 0.24, abs=2e-6)  # its riser
    assert touches(history.state) < 1e-7
    top = place(biped, foot) + np.array([-0.24, 0.0, -0.1])  # the step below
    lower = pull(biped, foot, "move", top)
    assert lower.state.scenario.contacts[0].surface == "stairs/1"
    assert handle_of(lower.state, foot).position == pytest.approx(top, abs=1e-7)
    check(lower.state)


def test_toes_stop_at_the_riser_of_the_next_step(biped):
    """The pointer goes on to where a foot on the floor would be inside the first step."""
    foot, eye = "contact/right_foot", np.array([-1.5, -2.0, 1.6])
    history = drag(biped, foot, "move", [0.1, 0.0, 0.0], eye=eye)
    sole = history.state.scenario.contact_set["right_foot"]
    corners = sole.world_points(history.state.scenario.machine, history.state.q)
    assert corners[:, 0].max() == pytest.approx(0.15, abs=3e-6)  # where the stairs begin
    assert touches(history.state) < 1e-7
    check(history.state)


def test_a_foot_goes_from_its_wall_to_the_floor_and_back():
    """The sole turns onto the normal of the face under the pointer by the least turn."""
    history, foot = History.begin(Scenario.load("foot-on-wall")), "contact/left_foot"
    seen = {"eye": np.array([-1.5, 1.5, 1.2]), "middle": (0.3, 0.0, 0.4)}
    assert history.state.stance.place("left_foot").rotation[:, 2] == pytest.approx([-1, 0, 0])
    for there, normal in (([0.3, 0.12, 0.0], [0, 0, 1]), ([0.62, 0.1, 0.3], [-1, 0, 0])):
        history = pull(history, foot, "move", there, **seen)
        assert history.state.notice == ""
        T = history.state.stance.place("left_foot")
        assert T.translation == pytest.approx(there, abs=1e-7)
        assert T.rotation[:, 2] == pytest.approx(normal, abs=1e-9)
        assert T.rotation[:, 1] == pytest.approx([0, 1, 0], abs=1e-9)
        assert touches(history.state) < 1e-7
        check(history.state)


def test_a_hand_seen_through_its_wall_stays_on_its_side(talos):
    eye = np.array([0.5, -3.0, 1.6])
    p = place(talos, "contact/hand")
    history = drag(talos, "contact/hand", "move", [0.02, 0.0, 0.02], eye=eye)
    there = place(history, "contact/hand")
    assert there == pytest.approx(p + np.array([0.02, 0.0, 0.02]), abs=1e-7)


def test_what_is_out_of_reach_stays_and_says_why(talos):
    for handle, mode, far in (
        ("contact/l_foot", "lift", [0.0, 0.0, 1.2]),
        ("com", "move", [0.8, 0.0, 0.0]),
        ("base", "move", [0.0, 0.0, 1.0]),
    ):
        p = place(talos, handle)
        history = pull(talos, handle, mode, p + far)
        assert history.state.stance is talos.state.stance
        assert history.state.notice.startswith("out of reach: ")
        assert not history.past
        dropped = history.apply(Drop(handle)).state  # which may follow at once
        assert dropped.notice == history.state.notice
        assert not dropped.gestures
        back = history.apply(Drag(handle, mode, aim(p + np.array(far) * 0.01)))
        assert back.state.notice == ""


def test_a_scenario_out_of_reach_begins_without_a_verdict_and_can_be_mended():
    near = Scenario.load("flat")
    left, right = near.contacts
    far = near.replaced(contacts=(replace(left, at=(2.2, 0.085)), right))
    history, foot = History.begin(far), "contact/left_foot"
    assert history.state.hold is None
    assert history.state.notice.startswith("out of reach: ")
    assert history.state.scenario.com == "inside"
    history = pull(history, foot, "move", [0.25, 0.085, 0.0])
    assert history.state.notice == ""
    assert place(history, foot) == pytest.approx([0.25, 0.085, 0.0], abs=1e-7)
    assert history.state.hold.feasible
    assert len(history.state.scenario.com) == 2
    check(history.state)


def test_what_hangs_over_is_left_out_where_the_contact_says_so():
    history, foot = History.begin(Scenario.load("heels-over-the-edge")), "contact/left_foot"
    before = history.state.scenario.contact_set["left_foot"]
    history = drag(history, foot, "move", [0.02, 0.0, 0.0])
    after = history.state.scenario.contact_set["left_foot"]
    longer = np.ptp(after.points[:, 0]) - np.ptp(before.points[:, 0])
    assert longer == pytest.approx(0.02, abs=3e-4)  # seen in perspective
    assert len(after.points) == len(before.points)
    check(history.state)


def test_open_feet_and_none_at_all(quadruped):
    history = quadruped
    feet = [handle.id for handle in history.state.handles() if handle.kind == "contact"]
    for foot in feet:
        history = history.apply(Command("open", foot))
    assert len(history.state.stance.lifted) == 4
    assert history.state.hold is None
    check(history.state)
    for foot in feet:
        history = history.apply(Command("close", foot))
        assert history.state.notice == ""
    assert history.state.hold.feasible
    assert touches(history.state) < 1e-7
    assert history.apply(Command("close", feet[0])).state.notice == "lf_foot is closed"


# --- centre of mass, base, loads, sliders --------------------------------------------------------


def test_the_centre_of_mass_goes_where_it_is_dragged(talos):
    com = talos.state.stance.state.com
    level = drag(talos, "com", "move", [0.02, 0.01, 0.0])
    expected = com[:2] + np.array([0.02, 0.01])
    assert level.state.stance.state.com[:2] == pytest.approx(expected, abs=1e-8)
    check(level.state)
    free = level.apply(Command("open", "com"))
    assert free.state.scenario.com is None
    upright = drag(level, "com", "lift", [0.0, 0.0, -0.03])
    expected = level.state.stance.state.com - [0, 0, 0.03]
    assert upright.state.stance.state.com == pytest.approx(expected, abs=1e-8)
    assert len(upright.state.scenario.com) == 3
    check(upright.state)


def test_the_base_takes_the_centre_of_mass_along(quadruped):
    def base(history):
        state = history.state
        return fw.dynamics.frame_placement(state.scenario.machine, state.q, "base")

    T = base(quadruped)
    moved = drag(quadruped, "base", "move", np.cross([0, 0, 0.03], aim(T.translation).forward))
    assert base(moved).rotation == pytest.approx(T.rotation, abs=1e-8)
    assert np.linalg.norm(base(moved).translation - T.translation) > 0.02
    com = moved.state.stance.state.com
    assert moved.state.scenario.com == pytest.approx(com[:2], abs=1e-8)
    check(moved.state)
    lower = drag(moved, "base", "lift", [0.0, 0.0, -0.03])
    expected = base(moved).translation - [0, 0, 0.03]
    assert base(lower).translation == pytest.approx(expected, abs=1e-8)


def test_a_push_is_pulled_out_turned_and_gone(biped):
    stance = biped.state.stance
    history = drag(biped, "push/pelvis", "lift", [0.0, 0.0, 0.1])
    (push,) = history.state.scenario.loads
    assert push.force == pytest.approx([0, 0, 0.1 / stance.scale], rel=1e-6)
    end = place(history, "push/pelvis")
    assert end == pytest.approx(stance.state.com + np.array([0, 0, 0.1]), abs=1e-7)
    check(history.state)
    back = drag(history, "push/pelvis", "lift", [0.0, 0.0, -0.1])
    assert back.state.scenario.loads == ()
    assert back.state.hold.margin == pytest.approx(biped.state.hold.margin, rel=1e-9)


def test_payloads_move_on_their_link_and_weigh():
    history = History.begin(Scenario.load("too-heavy"))
    link = fw.dynamics.frame_placement(history.state.scenario.machine, history.state.q, "torso")
    history = drag(history, "payload/torso", "lift", [0.0, 0.0, 0.1])
    (payload,) = history.state.scenario.loads
    expected = np.array([-0.15, 0, 0.15]) + link.rotation.T @ [0, 0, 0.1]
    assert payload.at == pytest.approx(expected, abs=1e-7)
    assert not history.state.hold.feasible
    lighter = history.apply(SetValue("payload/torso", 5.0))
    assert lighter.state.hold.feasible
    check(lighter.state)


def test_sliders_do_what_they_say_within_bounds(quadruped):
    state = quadruped.state
    names = [slider.name for slider in state.sliders()]
    assert len(set(names)) == len(names)
    for slider in state.sliders():
        assert slider.low <= slider.value <= slider.high
        for value in (slider.low - 0.01, slider.high + 0.01, float("nan"), float("inf")):
            refused = state.apply(SetValue(slider.name, value))
            assert refused.stance is state.stance
            assert refused.notice.startswith(f"{slider.name}: got")
        there = state.apply(SetValue(slider.name, (slider.low + slider.high) / 2))
        value = next(s.value for s in there.sliders() if s.name == slider.name)
        assert value == pytest.approx((slider.low + slider.high) / 2)
        check(there)
    slippery = state.apply(SetValue("friction/lf_foot", 0.2)).apply(SetValue("friction", 0.1))
    assert {c.friction for c in slippery.scenario.contact_set} == {0.1}
    assert not slippery.hold.feasible
    assert "did you mean 'friction'" in state.apply(SetValue("frictoin", 0.2)).notice


def test_motors_become_weak_one_by_one_or_all(quadruped):
    state = quadruped.state
    robot, limits = state.scenario.machine, state.scenario.machine.torque_limits
    knee = robot.actuated[2]
    broken = state.apply(SetValue(f"torque/{knee}", 0.0))
    half = broken.apply(SetValue("torque", 50.0))
    check(half)
    _, upper = half.scenario.torque_bounds
    expected = np.where([name == knee for name in robot.actuated], 0.0, 0.5 * limits)
    np.testing.assert_allclose(upper, expected)
    assert {s.name: s.value for s in half.sliders()}[f"torque/{knee}"] == 0
    same = half.apply(SetValue("torque", 100.0)).apply(SetValue(f"torque/{knee}", 100.0))
    assert same.scenario.torque_limits is True
    assert same.hold.margin == pytest.approx(state.hold.margin, rel=1e-9)
    assert "torque/kne" in state.apply(SetValue("torque/kne", 5.0)).notice


# --- history -----------------------------------------------------------------------------------


def test_a_gesture_is_one_step_and_undo_gives_the_same_numbers(biped):
    first = biped.state
    moved = drag(biped, "contact/right_foot", "move", [0.03, 0.0, 0.0], steps=5)
    slid = moved
    for value in (0.6, 0.5, 0.4):
        slid = slid.apply(SetValue("friction", value, value == 0.4))
    pushed = drag(slid, "push/pelvis", "lift", [0.0, 0.0, 0.05])
    assert [len(h.past) for h in (moved, slid, pushed)] == [1, 2, 3]
    back = pushed
    for expected in (slid, moved, biped):
        back = back.apply(Command("undo"))
        assert back.state.stance is expected.state.stance
    assert back.state.q is first.q
    assert back.state.hold is first.hold
    assert not back.past
    assert back.apply(Command("undo")).state.notice == "there is nothing to undo"
    for expected in (moved, slid, pushed):
        back = back.apply(Command("redo"))
        assert back.state.stance is expected.state.stance
    assert not back.future
    reset = back.apply(Command("reset"))
    assert reset.state.stance is first.stance
    assert reset.apply(Command("undo")).state.stance is back.state.stance
    other = back.apply(Command("undo")).apply(SetValue("friction", 0.9))
    assert not other.future


def test_a_gesture_that_is_undone_takes_nothing_else_along(biped):
    moved = biped.apply(SetValue("friction", 0.4))
    start = place(moved, "com")
    held = moved.apply(Grab("com", aim(start)))
    away = pull(moved, "com", "move", np.add(start, [5.0, 0.0, 0.0]))  # out of reach
    for history in (held, away):
        assert history.state.stance is moved.state.stance
        assert history.apply(Command("undo")).state.stance is moved.state.stance
        assert not history.apply(Command("undo")).state.gestures
    near = pull(moved, "com", "move", np.add(start, [0.01, 0.0, 0.0]))
    assert near.state.stance is not moved.state.stance
    assert near.apply(Command("undo")).state.stance is moved.state.stance


def test_history_is_bounded_and_reset_goes_to_the_first_of_all(biped, monkeypatch):
    assert MOST == 200
    monkeypatch.setattr("footwork.visualize.live.history.MOST", 10)
    history = biped
    for k in range(15):
        history = history.apply(SetValue("friction", 0.5 + 0.001 * k))
    assert len(history.past) == 10
    assert history.apply(Command("reset")).state.stance is biped.state.stance


# --- messages ----------------------------------------------------------------------------------

RAY = {"ray": [0, 0, 3, 0, 1.5, -2], "forward": [0, 2, 0]}
GOOD = {
    "grab": {"handle": "com", **RAY},
    "drag": {"handle": "contact/left_foot", "mode": "turn", **RAY},
    "drop": {"handle": "base"},
    "set": {"name": "friction", "value": 0.5, "final": True},
    **{do: {} for do in ("undo", "redo", "reset")},
    **{do: {"handle": "contact/left_foot"} for do in ("open", "close")},
    "ask": {"what": "python"},
}


def message(kind, **changes):
    return json.dumps({"do": kind, "stamp": 7, **GOOD.get(kind, {}), **changes}).encode()


@pytest.mark.parametrize("do", GOOD)
def test_messages_become_actions(do):
    action, stamp = action_of(message(do))
    assert stamp == 7
    for name, value in GOOD[do].items():
        if name not in RAY:
            assert getattr(action, name) == value
    if do in ("grab", "drag"):
        assert action.pointer.origin == pytest.approx([0, 0, 3])
        assert action.pointer.direction == pytest.approx([0, 0.6, -0.8])
        assert action.pointer.forward == pytest.approx([0, 1, 0])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (message("leap"), "do: got 'leap'"),
        (message("drop", extra=1), "got the keys do, extra, handle, stamp"),
        (b'{"do": "undo"}', "got the keys do"),
        (message("undo", stamp=-1), "stamp: got -1"),
        (message("undo", stamp=True), "stamp: got True"),
        (message("undo", stamp=1.5), "stamp: got 1.5"),
        (message("undo", stamp=10**300), "stamp: got"),
        (message("drop", handle="x" * 201), "handle: got"),
        (message("drop", handle=""), "handle: got ''"),
        (message("drop", handle="a\nb"), "printable"),
        (message("drop", handle="\ud800"), "printable"),
        (message("set", value=float("nan")), "got NaN"),
        (message("set", value="1"), "value: got '1'"),
        (message("set", value=True), "value: got True"),
        (message("set", final=1), "final: got 1"),
        (message("grab", ray=[0, 0, 3, 0, 0, 0]), "expected a direction"),
        (message("grab", ray=[0, 0, 3, 0, 0]), "a list of 6"),
        (message("grab", ray=[9e3, 9e3, 3, 0, 0, 1]), "within 10000 m"),
        (message("grab", forward=[0, 0, 1e5]), "forward: got"),
        (message("drag", mode="throw"), "mode: got 'throw'"),
        (message("ask", what="files"), "what: got 'files'"),
        (b'{"do": "undo", "stamp": 1, "stamp": 2}', "twice"),
        (b'{"do": "undo", "stamp": 1e999}', "stamp: got inf"),
        (b"[1]", "expected a JSON object"),
        (b"\xff", "no JSON"),
        (b"[" * 2000, "no JSON"),
        (b" " * 3000, "at most 2048 bytes"),
    ],
)
def test_anything_else_is_refused(data, says):
    with pytest.raises(LiveError, match=says.replace("[", r"\[")):
        action_of(data)


PIECES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


@settings(max_examples=60, deadline=None)
@given(st.binary() | st.builds(lambda piece: json.dumps(piece).encode(), PIECES))
def test_no_bytes_raise_anything_else(data):
    with pytest.raises(LiveError):
        action_of(data)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(GOOD)),
    st.sampled_from(["handle", "mode", "ray", "forward", "stamp", "value", "final", "what", "do"]),
    PIECES | st.lists(st.floats() | st.integers(), min_size=3, max_size=6),
)
def test_a_message_with_one_thing_wrong_is_an_action_or_refused(do, key, piece):
    try:
        action, stamp = action_of(message(do, **{key: piece}))
    except LiveError:
        return
    assert 0 <= stamp <= 2**53
    for vector in vars(getattr(action, "pointer", None) or aim((0, 0, 0))).values():
        assert np.isfinite(vector).all()


def test_why_not_is_said_in_a_few_words():
    """Of what misses by next to nothing no digits are told: it is at the edge of its reach."""
    robot = robots.load("biped")
    feet, q = contacts.at_feet(robot), robot.posture()
    pelvis = dynamics.frame_placement(robot, q, "pelvis").translation
    names = {"frame pelvis": "the base"}

    def asked(up):
        frames = {"pelvis": pelvis + np.array([0.0, 0.0, up])}
        return contacts.solve_posture(robot, feet, None, None, q, frames=frames, tolerance=1e-9)

    far = asked(1.0)
    assert why_not(far, names).startswith("out of reach: the base misses its target by ")
    assert "0.0001" not in why_not(far, names)
    near = replace(far, missed=far.missed._replace(error=5e-7))
    text = "out of reach: the base misses its target by less than 0.0001 m"
    assert why_not(near, names).partition(";")[0] == text
    assert why_not(asked(0.0), names) == ""
    blocked = replace(far, missed=Missed("left_foot", 0.1, "m", ("a", "b", "c")))
    assert why_not(blocked).endswith("by 0.1 m; held back by the limits of a, b, …")
