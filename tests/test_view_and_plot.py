"""`fw.view` and `fw.plot`: every kind in the registry really draws, and says what it shows."""

from __future__ import annotations

import numpy as np
import pytest

import footwork as fw
from footwork import biomechanics, contacts, control, dynamics, registry

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def canvas():
    """Draw on a canvas in memory; close all figures afterwards."""
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def things():
    """{key of the registry: the arguments of a call}."""
    robot = fw.load("biped")
    q, feet = robot.posture(), fw.at_feet(robot, 0.6)
    hold = fw.static_hold(robot, q, feet)
    region = contacts.static_equilibrium_polygon(robot, q, feet)
    places = np.linspace(-0.3, 0.3, 4)
    controller, start = control.stand(robot)
    loop = control.simulate(robot, controller, q=start, duration=0.06, control_step=2e-3)
    pendulum = fw.robots.double_pendulum(1, 0.5, 1, 1)
    walker = biomechanics.synthetic_walk()
    gait = biomechanics.analyse_gait(walker.trial().cut(0, 99), walker.mass, cutoff=None)
    scenario = contacts.Scenario.load("stairs")
    return {
        "robots.robot:Robot": (robot, q),
        "dynamics.state:State": (dynamics.State(robot, q),),
        "dynamics.trajectory:Trajectory": (
            dynamics.simulate(pendulum, [1.0, 0.5], [0, 0], duration=0.2, step=0.01),
        ),
        "contacts.contact_set:ContactSet": (feet, q),
        "contacts.hold:Hold": (hold,),
        "[contacts.hold:Hold]": ([hold, hold],),
        "contacts.regions.region:Region": (region,),
        "{contacts.regions.region:Region}": ({"at rest": region},),
        "contacts.regions.friction_map:FrictionMap": (
            contacts.friction_map(robot, q, feet, places, places),
        ),
        "contacts.cones.wrench_cone:WrenchCone": (contacts.WrenchCone(feet["left_foot"]),),
        "contacts.terrain.terrain:Terrain": (scenario.ground,),
        "contacts.scenario.scenario:Scenario": (scenario,),
        "contacts.sweeps.result:Sweep": (
            contacts.sweep("push", {"loads[0].force[1]": [0.0, 60.0]}),
        ),
        "control.closed_loop:ClosedLoop": (loop,),
        "biomechanics.gait:Gait": (gait,),
    }


ROBOT_GAIT = "biomechanics.robot_gait:RobotGait"  # needs a robot of example-robot-data


@pytest.mark.parametrize("key", [k for k in registry.VIEWS if k != ROBOT_GAIT])
def test_every_kind_has_a_scene(key, things):
    viewer = fw.view(*things[key])
    assert isinstance(viewer, fw.Viewer)
    assert "not served" in repr(viewer)  # no server, no browser
    drawn = bool(viewer.names) or viewer.robot is not None
    assert drawn
    assert len(viewer.html()) > 10_000


@pytest.mark.parametrize("key", [k for k in registry.PLOTS if k != ROBOT_GAIT])
def test_every_kind_has_a_plot(key, things, tmp_path):
    drawn = fw.plot(*things[key])
    axes = np.atleast_1d(drawn).ravel()
    assert len({ax.figure for ax in axes}) == 1
    for ax in axes:
        assert ax.has_data()
        assert ax.get_title() or ax.get_ylabel()
    axes[0].figure.savefig(tmp_path / "drawn.png", dpi=40)
    assert (tmp_path / "drawn.png").stat().st_size > 2000


def test_a_robot_that_walked_is_seen_too(load_robot):
    human = load_robot("human", "floating")
    walker = biomechanics.synthetic_walk()
    gait = biomechanics.analyse_gait(walker.trial().cut(0, 39), walker.mass, cutoff=None)
    found = biomechanics.robot_gait(gait, human, progress=False)
    viewer = fw.view(found)
    assert viewer.robot is found.subject.robot
    assert any(name.startswith("plate ") for name in viewer.names)
    axes = fw.plot(found, "left")
    assert [ax.get_title() for ax in axes[:, 0]] == ["left ankle", "left knee", "left hip"]
    assert axes[1, 0].lines[0].get_ydata() == pytest.approx(found.moment("left knee")[:, 0])
    assert axes[1, 0].lines[1].get_ydata() == pytest.approx(gait.moment("left knee", "world")[:, 0])


def test_a_subclass_is_drawn_as_its_nearest_class(things):
    class Mine(fw.Hold):
        pass

    (hold,) = things["contacts.hold:Hold"]
    mine = Mine.__new__(Mine)
    mine.__dict__.update(hold.__dict__)
    assert fw.view(mine).names == fw.view(hold).names
    assert len(fw.plot([mine, hold]).lines) == 2


@pytest.mark.parametrize(
    ("verb", "thing", "message"),
    [
        (fw.view, 3, r"view: got int, expected one of ClosedLoop, .*\bWrenchCone, \[Hold\]$"),
        (fw.view, [], "view: got list"),
        (fw.plot, {}, "plot: got dict"),
        (fw.plot, [1, 2], "plot: got list"),
        (fw.plot, fw.load, "plot: got function"),
    ],
)
def test_what_cannot_be_drawn_is_told(verb, thing, message):
    with pytest.raises(fw.FootworkError, match=message):
        verb(thing)


def test_the_other_verb_is_named(things):
    with pytest.raises(fw.FootworkError, match=r"view: got Sweep, .*; fw\.plot knows it"):
        fw.view(*things["contacts.sweeps.result:Sweep"])
    (hold,) = things["contacts.hold:Hold"]
    with pytest.raises(fw.FootworkError, match="got list"):
        fw.view([hold, *things["contacts.regions.region:Region"]])


def test_options_reach_the_function_that_draws(things):
    region = things["contacts.regions.region:Region"][0]
    feet, q = things["contacts.contact_set:ContactSet"]
    ax = fw.plot(region, feet, q)
    assert fw.plot(region, ax=ax) is ax
    assert {text.get_text() for text in ax.texts} == set(feet.names)
    viewer = fw.view(region, height=0.7)
    (piece,) = viewer.names
    assert piece == "region"
    assert fw.view(feet.robot, q, opacity=0.5).robot is feet.robot
