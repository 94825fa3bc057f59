"""`fw.view` and `fw.plot`: every kind in the registry really draws, and says what it shows."""

from __future__ import annotations

import base64
import html
import re
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from motions_made import derivatives

import footwork as fw
from footwork import biomechanics, contacts, control, dynamics, registry
from footwork.contacts.schedules.schedule import ContactSchedule
from footwork.dynamics.motions.motion import Motion
from footwork.visualize.colors import hex_of

pyplot = pytest.importorskip("matplotlib.pyplot")


def test_every_kind_has_an_example():
    assert {*registry.VIEWS, *registry.PLOTS} == {*EXAMPLES, ROBOT_GAIT}


@cache
def standing():
    """A biped, its standing posture and its feet."""
    robot = fw.load("biped")
    return robot, robot.posture(), fw.at_feet(robot, 0.6)


@cache
def hold():
    return fw.static_hold(*standing())


@cache
def region():
    return contacts.static_equilibrium_polygon(*standing())


@cache
def gait():
    walk = biomechanics.synthetic_walk()
    return biomechanics.analyse_gait(walk.trial().cut(0, 99), walk.mass, cutoff=None)


def speed_limits():
    """Of four headings and a turn; some kinds have no limit."""
    kinds = ("reach", "joint speed", "torque", "friction", "swing", "timing")
    none = {k: control.speed.SpeedLimit(k, np.inf, "more than 3") for k in kinds}
    some = {k: control.speed.SpeedLimit(k, 1.0 + i, "so") for i, k in enumerate(kinds[1:])}
    ways = [(1.0, 0, 0), (0, 1.0, 0), (-1.0, 0, 0), (0, -1.0, 0), (0, 0, 1.0)]
    speeds = np.linspace(0, 3, 4)
    uses = {k: speeds / 2 for k in kinds[1:-1]} | {"reach": 0 * speeds}
    directions = [control.speed.Direction(way, none | some, 3.0, speeds, uses) for way in ways]
    return control.SpeedLimits("quadruped", "trot", False, 0.7, tuple(directions))


def friction_map():
    places = np.linspace(-0.3, 0.3, 4)
    return contacts.friction_map(*standing(), places, places)


def judgement():
    pushes = [control.judging.LargestPush(120.0 * k, 0.4, 0.5, 0.45) for k in range(3)]
    pytest.importorskip("mujoco")
    robot, q, _ = standing()
    limp = lambda *given: lambda s: robot.na * [0.0]  # noqa: E731
    one = control.judging.trial(robot, limp, q=q, duration=0.01)
    trials = {(one.velocity, "as told"): (one,)}
    return control.Judgement("biped", "stand", trials, tuple(pushes))


def swinging():
    pendulum = fw.robots.double_pendulum(1, 0.5, 1, 1)
    return dynamics.simulate(pendulum, [1.0, 0.5], [0, 0], duration=0.2, step=0.01)


def closed_loop():
    controller, q = control.stand(standing()[0])
    how = {"duration": 0.06, "control_step": 2e-3, "sensors": control.Sensors()}
    return control.simulate(controller.robot, controller, q=q, **how)


@cache
def audit():
    """Of a biped that stands, and is asked to move its trunk aside too fast."""
    robot, q, feet = standing()
    t = np.linspace(0, 1, 21)
    qs = np.array([q] * len(t))
    qs[:, 1] += 0.05 * np.sin(9 * t) * t
    motion = Motion(robot, t, qs, *derivatives(robot, t, qs))
    touching = np.ones((len(t), len(feet)), dtype=bool)
    return contacts.audit(motion, ContactSchedule(feet, t, touching, 1.0 * touching))


def predictions():
    """Of a biped that stands, as a call and as a batch of pushes."""
    robot, q, feet = standing()
    state = dynamics.State(robot, q, np.zeros(robot.nv))

    def still(times):
        rows = np.zeros((len(times), 3))
        rotation = rows[:, None] + state.joint_placements[1][:, :3]
        return control.predictive.Reference(rows + state.com, rows, rotation, rows)

    stance = control.predictive.Stance(1.0, feet.placements(q))
    predict = control.Predictive(robot, feet, q, count=4)
    pushed = np.zeros((3, robot.nv))
    pushed[:, 0] = 0.0, 0.1, 5.0
    return predict(state, [stance], still), predict.batch(q, pushed, [stance], still)


# key of the registry -> the arguments of a call
EXAMPLES = {
    "robots.robot:Robot": lambda: standing()[:2],
    "robots.motors:Motors": lambda: (standing()[0].motors,),
    "dynamics.state:State": lambda: (dynamics.State(*standing()[:2]),),
    "dynamics.motions.motion:Motion": lambda: (audit().motion,),
    "dynamics.trajectory:Trajectory": lambda: (swinging(),),
    "contacts.postures.posture:Posture": lambda: (contacts.Scenario.load("stairs").solved,),
    "contacts.contact_set:ContactSet": lambda: (standing()[2], standing()[1]),
    "contacts.hold:Hold": lambda: (hold(),),
    "[contacts.hold:Hold]": lambda: ([hold(), hold()],),
    "contacts.regions.region:Region": lambda: (region(),),
    "{contacts.regions.region:Region}": lambda: ({"at rest": region()},),
    "contacts.regions.friction_map:FrictionMap": lambda: (friction_map(),),
    "contacts.wrench_cones.wrench_cone:WrenchCone": lambda: (
        contacts.WrenchCone(standing()[2]["left_foot"]),
    ),
    "contacts.terrain.terrain:Terrain": lambda: (contacts.Scenario.load("stairs").ground,),
    "contacts.scenario.scenario:Scenario": lambda: (contacts.Scenario.load("stairs"),),
    "contacts.sweeps.result:Sweep": lambda: (contacts.sweep("push", {"friction": [0.3, 0.9]}),),
    "contacts.audits.audit:Audit": lambda: (audit(),),
    "control.repairs.report:Repair": lambda: (
        control.Repair(audit().motion, audit(), audit(), {}, "as it was", 0),
    ),
    "control.simulation.closed_loop:ClosedLoop": lambda: (closed_loop(),),
    "control.estimation.wrenches:ContactWrenches": lambda: (
        control.contact_wrenches(closed_loop().log),
    ),
    "control.predictive.prediction:Prediction": lambda: predictions()[:1],
    "control.predictive.predictions:Predictions": lambda: predictions()[1:],
    "control.judging.judgement:Judgement": lambda: (judgement(),),
    "control.speed.report:SpeedLimits": lambda: (speed_limits(),),
    "biomechanics.gait:Gait": lambda: (gait(),),
}
made = cache(lambda key: EXAMPLES[key]())


# key -> what its display in a notebook says
NOTEBOOK = {
    "robots.robot:Robot": "mass 36.4 kg sizes nq = 26",
    "robots.motors:Motors": "19 actuated joints",
    "dynamics.state:State": "potential energy 240.4 J",
    "dynamics.motions.motion:Motion": "1 s, 21 samples, 20 Hz",
    "dynamics.trajectory:Trajectory": "0.2 s, 21 samples, 100 Hz",
    "contacts.hold:Hold": "margin 171.6 N of normal force",
    "contacts.regions.region:Region": "bounded region of",
    "contacts.regions.friction_map:FrictionMap": "of 16 places hold",
    "contacts.wrench_cones.wrench_cone:WrenchCone": "'exact', 4 points",
    "contacts.scenario.scenario:Scenario": "verdict biped holds on",
    "contacts.sweeps.result:Sweep": "2 verdicts: ",
    "contacts.audits.audit:Audit": "of 21 samples hold",
    "control.repairs.report:Repair": "21 samples hold",
    "control.simulation.closed_loop:ClosedLoop": "biped does not fall",
    "control.speed.report:SpeedLimits": "quadruped, trot, friction 0.7",
    "control.judging.judgement:Judgement": "biped, stand: keeps its feet in 1 trial",
    "biomechanics.gait:Gait": "largest moment [N·m]",
}


ROBOT_GAIT = "biomechanics.robot_gait:RobotGait"  # needs a robot of example-robot-data


@pytest.mark.parametrize("key", [k for k in registry.VIEWS if k != ROBOT_GAIT])
def test_every_kind_has_a_scene(key):
    viewer = fw.view(*made(key))
    assert isinstance(viewer, fw.Viewer)
    assert "not served" in repr(viewer)  # no server, no browser
    assert viewer.names or viewer.robot is not None
    assert len(viewer.html()) > 10_000


@pytest.mark.parametrize("key", [k for k in registry.PLOTS if k != ROBOT_GAIT])
def test_every_kind_has_a_plot(key, tmp_path):
    drawn = fw.plot(*made(key))
    axes = np.atleast_1d(drawn).ravel()
    assert len({ax.figure for ax in axes}) == 1
    for ax in axes:
        assert ax.has_data()
        assert ax.get_title() or ax.get_ylabel()
    if key not in NOTEBOOK:  # which shows its picture
        axes[0].figure.savefig(tmp_path / "drawn.png", dpi=40)
        assert (tmp_path / "drawn.png").stat().st_size > 2000


def test_a_robot_that_walked_is_seen_too(load_robot, monkeypatch):
    human = load_robot("human", "floating")
    walk = biomechanics.synthetic_walk()
    trial = walk.trial().cut(0, 39)
    idle = replace(trial.plates[0], name="idle", force=0 * trial.plates[0].force)
    trial = replace(trial, plates=(*trial.plates, idle))
    own = biomechanics.analyse_gait(trial, walk.mass, cutoff=None)
    found = biomechanics.robot_gait(own, human, progress=False)
    played, animate = {}, fw.Viewer.animate
    noted = lambda *args, **more: played.update(more) or animate(*args, **more)  # noqa: E731
    monkeypatch.setattr(fw.Viewer, "animate", noted)
    viewer = fw.view(found)
    assert viewer.robot is found.subject.robot
    assert any(name.startswith("plate ") for name in viewer.names)
    (plotted,) = played["series"]
    names = [f"plate {plate.name}" for plate in trial.plates if plate.loaded.any()]
    assert list(plotted.values) == names != []  # and none that nobody stepped on
    axes = fw.plot(found, "left")
    assert [ax.get_title() for ax in axes[:, 0]] == ["left ankle", "left knee", "left hip"]
    assert axes[1, 0].lines[0].get_ydata() == pytest.approx(found.moment("left knee")[:, 0])
    assert axes[1, 0].lines[1].get_ydata() == pytest.approx(own.moment("left knee", "world")[:, 0])


@pytest.mark.parametrize(("key", "words"), NOTEBOOK.items())
def test_a_notebook_shows_numbers_and_a_picture(key, words, monkeypatch):
    shown = made(key)[0]._repr_html_()
    assert words in read(shown)
    assert base64.b64decode(shown.split("base64,")[1].split('"')[0]).startswith(b"\x89PNG")
    assert len(shown) < 250_000
    assert pyplot.get_fignums() == []  # nothing is left open, to be shown a second time
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    alone = made(key)[0]._repr_html_()
    assert words in read(alone)
    assert "<img" not in alone


def read(page):
    """The text of HTML as one sees it."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", page)).split())


@pytest.fixture
def without_pictures(monkeypatch):
    """They take longer than all texts."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("without_pictures")
def test_a_display_of_a_verdict_has_its_numbers_and_why():
    robot, q, feet = standing()
    shown = read(hold()._repr_html_())
    for margin in hold().contact_margins.values():
        assert f"{margin:.4g}" in shown
    assert f"torque margin {100 * hold().torque_margin:.4g} %" in shown
    force = hold().wrenches["left_foot"].force
    assert ", ".join(f"{x + 0.0:.2f}" for x in np.round(force, 6)) in shown
    pushed = fw.static_hold(robot, q, feet, {"torso": fw.Wrench([60.0, 0.0, 0.0])})
    assert f"reason {pushed.reason}" in read(pushed._repr_html_())
    assert hex_of("holds") in hold()._repr_html_()
    assert hex_of("does not hold") in pushed._repr_html_()


@pytest.mark.usefixtures("without_pictures")
def test_displays_of_what_has_no_plot():
    posture = contacts.Scenario.load("stairs").solved
    assert "the contacts touch" in read(posture._repr_html_())
    assert "left_foot SurfaceContact left_sole 0.6 0 to ∞" in read(standing()[2]._repr_html_())
    controller, q = control.stand(standing()[0])
    assert "optimal" in read(controller(q, np.zeros(len(q) - 1))._repr_html_())


@pytest.mark.usefixtures("without_pictures")
def test_a_display_of_a_scenario_says_what_is_out_of_reach():
    scenario = contacts.Scenario.load("stairs")
    far = replace(scenario.contacts[1], at=(-3.0, -0.1))
    lost = scenario.replaced(contacts=(scenario.contacts[0], far))
    shown = read(lost._repr_html_())
    assert "no posture touches" in shown
    assert f"reason {lost.solved.reason}" in shown


def test_a_display_runs_nothing_that_a_file_names():
    """Names are text; the only elements are those of tables and the picture."""
    name = "<script>alert(1)</script>"
    robot = replace(standing()[0], name=name)
    feet = fw.ContactSet(robot, [replace(c, name=f"{name}{c.name}") for c in standing()[2]])
    state = dynamics.State(robot, robot.posture())
    for thing in (robot, feet, state, fw.static_hold(robot, state.q, feet)):
        shown = thing._repr_html_()
        assert name in html.unescape(shown)
        elements = set(re.findall("</?([a-z]+)", re.sub("&[a-z]+;", "", shown)))
        assert elements <= {"div", "table", "tr", "td", "th", "details", "summary", "pre", "img"}
        assert not re.search(r"\bon[a-z]+=|https?:|javascript:", re.sub('base64,[^"]*', "", shown))


def test_a_subclass_is_drawn_as_its_nearest_class():
    class Mine(fw.Hold):
        pass

    mine = Mine.__new__(Mine)
    mine.__dict__.update(hold().__dict__)
    assert fw.view(mine).names == fw.view(hold()).names
    assert len(fw.plot([mine, hold()]).lines) == 2


@pytest.mark.parametrize(
    ("verb", "thing", "message"),
    [
        (fw.view, 3, r"view: got int, expected one of Audit, .*\bWrenchCone, \[Hold\]$"),
        (fw.view, [], "view: got list"),
        (fw.plot, {}, "plot: got dict"),
        (fw.plot, [1, 2], "plot: got list"),
        (fw.plot, fw.load, "plot: got function"),
    ],
)
def test_what_cannot_be_drawn_is_told(verb, thing, message):
    with pytest.raises(fw.FootworkError, match=message):
        verb(thing)


def test_the_other_verb_is_named():
    with pytest.raises(fw.FootworkError, match=r"view: got Sweep, .*; fw\.plot knows it"):
        fw.view(*made("contacts.sweeps.result:Sweep"))
    with pytest.raises(fw.FootworkError, match="got list"):
        fw.view([hold(), region()])


def test_options_reach_the_function_that_draws():
    _, q, feet = standing()
    ax = fw.plot(region(), feet, q)
    assert fw.plot(region(), ax=ax) is ax
    assert {text.get_text() for text in ax.texts} == set(feet.names)
    assert list(fw.view(region(), height=0.7).names) == ["region"]
    assert fw.view(feet.robot, q, opacity=0.5).robot is feet.robot


def test_arguments_that_its_function_does_not_take_are_told():
    feet = fw.at_feet(fw.load("biped"))
    for draw in (fw.view, fw.plot):
        with pytest.raises(fw.FootworkError, match=r"'q'; expected \w+\(contacts, q"):
            draw(feet)
        with pytest.raises(fw.FootworkError, match="unexpected keyword argument 'color'"):
            draw(feet, feet.robot.posture(), color="red")
