"""Every public callable refuses values that cannot be, with a FootworkError that names them.

The walk goes through the names of the packages' `__all__`, and the public methods of classes. Each
is called with valid values first, then with one bad value at a time. Valid values go by the names
of parameters: `examples`, and `own_examples` where a callable needs another one. Kinds of values go
by annotation: `kind_of`; what is bad of each kind: `bad_values`.
"""

from __future__ import annotations

import copy
import fnmatch
import functools
import importlib
import inspect
import json
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import biomechanics, contacts, control, dynamics, robots, visualize
from footwork.biomechanics import symbolic
from footwork.control import dcm
from footwork.dynamics.motions.motion import Motion
from footwork.robots.values import LARGEST

PACKAGES = (
    *("robots", "dynamics", "dynamics.batch", "dynamics.jacobian_sums", "contacts"),
    *("contacts.batch", "control", "control.judging", "biomechanics", "biomechanics.symbolic"),
    "visualize",
)

# what the library returns: users do not construct it (PointForces: by `of`), but call its methods
RESULTS = {
    f"{package}.{name}"
    for package, names in {
        "robots": "RobotInfo",
        "dynamics": "Comparison Trajectory Smoothing",
        "contacts": "Audit AuditTable Hold Region Posture PostureVelocity PointForces",
        "contacts.batch": "Verdicts MarginGradients MotionVerdicts Causes Cause SelfCollisions",
        "control": (
            "Command Estimate ClosedLoop ContactWrenches Repair Change Judgement SpeedLimits"
        ),
        "control.judging": "Row Trial LargestPush",
        "biomechanics": "Gait Trial SyntheticWalk",
        "biomechanics.symbolic": "Equations",
    }.items()
    for name in names.split()
}

# what the walk leaves out, and why; a star stands for all names
ELSEWHERE = {
    "contacts.Contact": "abstract: its kinds are walked",
    "contacts.ScenarioError": "an exception",
    "contacts.batch.Verdicts.*": "filled by `static_hold`",
    "contacts.batch.MarginGradients.*": "filled by `margin_gradients`",
    "contacts.batch.MotionVerdicts.*": "filled by `contact_forces`",
    "contacts.batch.Causes.*": "filled by `causes`",
    "contacts.batch.causes": "takes the verdicts of `contact_forces`",
    "contacts.batch.SelfCollisions.*": "filled by `self_collisions`",
    "contacts.Hold.proved": "takes what a solver found",
    "control.by_cvxpy": "takes a controller, which has checked what it was given",
    "dynamics.batch.from_lanes": "takes what `coriolis_tensor` returns",
    # what extensions implement: called with values that the library has checked
    "control.*Task.*": "a controller calls them at each tick",
    "control.*Constraint.*": "a controller calls them at each tick",
    "control.Noise.measured": "`simulate` calls it at each tick",
    "control.ForcePulse.acts": "`simulate` calls it at each step",
    "control.Readings": "`simulate` and `trial` fill it at each tick, and `Estimator` checks it",
    "control.Estimator.__call__": "takes readings, see test_estimation",
    "control.judging.OfState.__call__": "`trial` calls it at each tick",
    "control.judging.Impulse.force": "`trial` calls it at each tick",
    "control.judging.World.*": "`trial` calls them",
    "control.P*D.ahead": "`__call__` calls it",
    "control.P*D.within_limits": "`__call__` calls it",
    "visualize.Viewer.screenshot": "starts a browser: see below",
    # Plane, Box and HeightMap: `Terrain` checks what it gives to its solids
    "contacts.HeightMap.contains": "`Terrain.contains` calls it",
    "contacts.HeightMap.elevations": "`Terrain.height` calls it",
    "contacts.HeightMap.face_at": "`Terrain.face_of` calls it",
    "contacts.HeightMap.planes": "`Terrain.ground_under` calls it",
    "contacts.Terrain.face_of": "`ground` and footholds call it",
    "contacts.Terrain.ground_under": "`ground` and footholds call it",
    "contacts.[PBH]*.met": "`Terrain.cast` calls it",
    "contacts.[PBH]*.nearest_face": "`Terrain.face` calls it",
    "contacts.[PBH]*.normal": "`Terrain.normal` calls it",
    "contacts.[PBH]*.signed_distance": "`Terrain.signed_distance` calls it",
    "contacts.MovingSurface.*": "contacts call them",
    "contacts.ScenarioContact.*": "a scenario calls them",
}

WALKERS = "WalkingController", "GaitController", "PredictiveGait"
# what a call would change in the original: it has a copy
CHANGED_BY_CALLS = {"control.PID", "control.WholeBodyController", "dynamics.MomentumObserver"}
CHANGED_BY_CALLS |= {f"control.{walker}" for walker in WALKERS}

# arguments that any object may fill, or that the walk cannot judge
ANYTHING = {"rng", "out", "progress", "solver", "feedforward", "torque", "push", "shapes"}


BIPED = robots.load("biped")
Q = BIPED.posture()
FRAME = next(iter(BIPED.feet.values())).frame
FEET = contacts.at_feet(BIPED)
X, Y, Z = np.eye(3)
HERE = pin.SE3.Identity()
APART = control.DistanceConstraint(("left_hand", "torso"), least=0.1)


def numbers() -> dict[str, Any]:
    """Return valid numbers, names and choices, by the names of parameters."""
    by_value = {
        0: "height low first x y t left",
        0.005: "step",
        0.01: "duration tolerance",
        0.05: "half_width radius shortest",
        0.1: "half_length rise torsional_friction longest",
        0.3: "depth half_angle",
        0.5: "otherwise",
        0.7: "friction",
        1.0: "high width every kp begin",
        2.0: "factor",
        3: "steps newtons push",
        5.0: "tension last",
        6.0: "cutoff",
        8: "n sides",
        10.0: "mass X1 ratio",
        30.0: "fastest velocity_limit X2",
        100.0: "normal_force rate peak effort_limit saturation_effort Y1",
    }
    texts = {
        "axes": "world", "color": "red", "kind": "inner", "name": "thing",
        "reference": "LOCAL_WORLD_ALIGNED", "segment": "a", "side": "left", "source": "biped",
        "text": "some text", "up": "y",
    }  # fmt: skip
    return {name: value for value, names in by_value.items() for name in names.split()} | texts


def of_robots() -> dict[str, Any]:
    """Return what belongs to the biped, by the names of parameters."""
    v = np.random.default_rng(0).standard_normal(BIPED.nv)
    return {
        **dict.fromkeys(("q", "q0", "q1", "target"), Q),
        **dict.fromkeys(("v", "dv"), v),
        **dict.fromkeys(("frame", "link", "frame_1"), FRAME),
        "frame_2": BIPED.frame_names[2],
        "leader": BIPED.joint_names[1],
        "closures": [robots.JointCoupling("pair", *BIPED.joint_names[:2])],
        "a": 0.5 * v,
        "actuated": BIPED.actuated,
        "frames": [FRAME],
        "joint": BIPED.joint_names[0],
        "links": [FRAME],
        "model": BIPED.model,
        "motors": {"*": robots.Motor.of(100.0, 20.0)},
        "armature": {"waist_*": 0.1},
        "qs": np.tile(Q, (3, 1)),
        "robot": BIPED,
        "seen_from": BIPED.frame_names[2],
        "state": dynamics.State(BIPED, Q, v),
        "tau": np.zeros(BIPED.na),
        "torques": np.zeros(BIPED.nv),
    }


def arrays() -> dict[str, Any]:
    """Return valid arrays, by the names of parameters."""
    zeros = "point moment linear angular start end origin position f force"
    turns = np.array([pin.exp3(0.01 * k * Z) for k in range(20)])
    return {
        **dict.fromkeys(zeros.split(), np.zeros(3)),
        **dict.fromkeys(("wrench", "vector", "twist"), np.zeros(6)),
        **dict.fromkeys(("R", "R_parent", "R_child"), turns),
        **dict.fromkeys(("T", "T_world_frame", "placement"), HERE),
        **dict.fromkeys(("inertia", "rotation"), np.eye(3)),
        **dict.fromkeys(("normal", "axis"), Z),
        "anchor": 2 * Z,
        "apex": np.zeros(3),
        "at": X,
        "com": 0.8 * Z,
        "corners": np.eye(3),
        "driving": [(0.0, 100.0), (20.0, 0.0)],
        "direction": X,
        "eye": np.array([1.0, 2.0, 3.0]),
        "force": np.array([1.0, 2.0, 3.0]),
        "gravity": -9.81 * Z,
        "normals": np.tile(Z, (3, 1)),
        "points": np.zeros((3, 3)),
        "positions": np.zeros((20, 1, 3)),
        "scale": 1e-3,
        "size": (0.4, 0.3, 0.2),
        "times": np.arange(2.0),
        "velocity": np.ones(3),
        "x": np.random.default_rng(1).standard_normal((50, 3)),
    }


def objects() -> dict[str, Any]:
    """Return valid objects, by the names of parameters."""
    hold = contacts.static_hold(BIPED, Q, FEET)
    return {
        "contact": contacts.PointContact(FRAME, 0.7),
        "contacts": FEET,
        "disturbances": contacts.Pushes(3.0),
        "forces": contacts.PointForces.of(FEET, Q),
        "generators": contacts.PointForces.of(FEET, Q),
        "hold": hold,
        "holds": [hold, hold],
        "inner": biomechanics.MovingFrame(),
        "names": ("a",),
        "observer": biomechanics.MovingFrame(),
        "segments": [biomechanics.Segment("a", 1.0, np.zeros(3), np.eye(3))],
        "targets": dict.fromkeys(FEET.names, HERE),
        "tasks": [control.PostureTask(Q)],
        "terrain": contacts.Terrain([contacts.Plane()]),
        "wrenches": {FRAME: fw.Wrench([1.0, 0.0, 300.0], point=[0.0, 0.0, 0.0])},
    }


def examples() -> dict[str, Any]:
    """Return a valid value for each name of a parameter without a default."""
    return numbers() | of_robots() | arrays() | objects()


def own_examples() -> dict[str, dict[str, Any]]:
    """Return the valid values of single callables that differ from `examples`."""
    motions = of_dynamics() | of_contacts() | of_control()
    return motions | of_biomechanics() | of_trials() | of_symbolic() | of_drawing()


def of_dynamics() -> dict[str, dict[str, Any]]:
    rows = {name: np.tile(of_robots()[name], (3, 1)) for name in ("q", "v", "a", "tau")}
    batch = {"Q": rows["q"], "V": rows["v"], "A": rows["a"], "Y": rows["v"], **rows}
    moving = {"v": rows["v"][0]}
    pendulum = robots.double_pendulum()
    two = {"robot": pendulum, "q": np.zeros(2), "v": np.zeros(2)}
    at_rest = (
        "coriolis_matrix mass_matrix_derivative bias kinetic_energy com_drift centroidal_momentum "
        "centroidal_drift com_coordinates centroidal_map_derivative terms generalised_momentum "
        "matrix_form"
    )
    way = {"t": 0.01 * np.arange(3), **{name: rows[name] for name in ("q", "v", "a")}}
    motion = dynamics.Motion(BIPED, **way)
    pointed = {"linear": Z, "angular": Z, "force": Z, "moment": Z, "point": np.zeros(3)}
    return {
        "dynamics.batch.*": batch,
        **dict.fromkeys((f"dynamics.{name}" for name in at_rest.split()), moving),
        "dynamics.christoffel_symbols": two,
        "dynamics.absolute_angles": two,
        "dynamics.closed_forms": two,
        "dynamics.compare": {"a": BIPED, "b": BIPED},
        "dynamics.contact_derivatives": {"contacts": {FRAME: 6}},
        "dynamics.external_torques": {"wrenches": {FRAME: fw.Wrench([1.0, 0.0, 0.0])}},
        "dynamics.State": {"v": rows["v"][0]},
        "dynamics.State.accelerations": {"forces": np.zeros(BIPED.nv)},
        "dynamics.Motion": way,
        "dynamics.Motion.*": way | {"time": 0.01, "times": [0.0, 0.01]},
        "dynamics.Motion.part": {"start": 0.0, "stop": 0.01},
        "dynamics.Motion.save": {"path": "way.npz"},
        "dynamics.as_motion": {"value": motion},
        "dynamics.read_motion": {"path": motion.save("read.npz")},
        "dynamics.Trajectory.*": {"time": 0.05, "times": [0.0, 0.05]},
        "dynamics.Wrench": pointed,
        "dynamics.Twist": pointed,
    }


def of_contacts() -> dict[str, dict[str, Any]]:
    place = {"target": HERE}
    plane = {"name": "ground", "T": pin.SE3(np.eye(3), Z)}
    found = contacts.find_contacts(still_motion())
    return {
        "contacts.SurfaceContact": {"half_length": 0.1, "half_width": 0.05},
        **{
            f"contacts.{kind}Contact.{method}": place
            for kind in ("Point", "Surface", "Line", "Disc")
            for method in ("error", "error_jacobian")
        },
        "contacts.PointContact.spread": {"wrench": Z},
        "contacts.LineContact.spread": {"wrench": np.ones(5)},
        "contacts.ContactSet": {"contacts": [FEET["left_foot"]]},
        "contacts.ContactSet.drift": {"v": np.zeros(BIPED.nv)},
        "contacts.ContactSet.error": {"targets": {"left_foot": HERE}},
        "contacts.ContactSet.rows": {"name": "left_foot"},
        "contacts.ContactSet.friction_constraints": {"f": cp.Variable(6)},
        "contacts.FrictionCone.constraints": {"f": cp.Variable(3)},
        "contacts.SoftFingerCone.*": {"force": np.ones(4), "f": cp.Variable(4)},
        "contacts.ScenarioContact": {"frame": FRAME},
        "contacts.Push": {"force": (1.0, 0.0, 0.0), "moment": (0.0, 0.0, 0.0)},
        "contacts.Scenario": {"robot": "biped"},
        "contacts.Scenario.from_text": {"text": "version: 1\nrobot: biped"},
        "contacts.Scenario.keep": {"other": contacts.Scenario.load("flat")},
        "contacts.Scenario.load": {"source": "flat"},
        "contacts.Scenario.save": {"path": "written"},
        "contacts.Start.configuration": {"posture": "half_sitting"},
        "contacts.supported": {"contact": FEET["left_foot"], "T": HERE},
        "contacts.Terrain": {"parts": [contacts.Plane()]},
        "contacts.Terrain.*": plane,
        "contacts.Terrain.ground": {"x": 0.0},
        "contacts.HeightMap": {"heights": np.zeros((2, 2)), "cell": 0.1},
        "contacts.HeightMap.of": {"function": np.add, "cell": 0.1, "x": (0, 1), "y": (0, 1)},
        "contacts.HeightMap.load": {"path": written_heights(), "cell": 0.1},
        "contacts.Pushes.wrenches": {"side": "inner"},
        "contacts.find_contacts": {"motion": still_motion()},
        **of_schedules(),
        "contacts.ContactSet.only": {"which": [True]},
        "contacts.audit": {"motion": still_motion(), "schedule": found},
        "contacts.audit_files": {"files": [still_motion().save("still.npz")], "progress": False},
        "contacts.sweep": {"scenario": "flat", "axes": {"friction": [0.5]}, "progress": False},
    }


def of_schedules() -> dict[str, dict[str, Any]]:
    t, corners = [0.0, 0.1, 0.2], contacts.at_corners(BIPED)
    touching = np.ones((3, len(corners)), dtype=bool)
    schedule = contacts.ContactSchedule(corners, t, touching, touching + 0.0)
    saved, masses = schedule.save("contacts.yaml"), [contacts.CarriedMass("torso", 1.0)]
    given = {
        "contacts": corners, "t": t, "touching": touching, "certainty": touching + 0.0,
        "times": {"left_foot": [(0.0, 0.1)]}, "time": 0.1, "other": schedule,
        "path": saved, "motion": t,
    }  # fmt: skip
    return {
        "contacts.ContactSchedule": given,
        "contacts.ContactSchedule.*": given,
        "contacts.CarriedMass": {"frame": "torso"},
        "contacts.CarriedMass.*": {"motion": still_motion(), "frame": "torso", "t": np.zeros(3)},
        "contacts.AppliedWrench": {"frame": "torso", "t": t, "force": Z, "moment": Z},
        "contacts.AppliedWrench.*": {"motion": still_motion()},
        "contacts.wrenches_along": {"motion": still_motion(), "loads": masses},
        "contacts.load_torques": {"motion": still_motion(), "loads": masses},
    }


def still_motion() -> Motion:
    zeros = np.zeros((3, BIPED.nv))
    return Motion(BIPED, np.arange(3.0) / 10, np.tile(Q, (3, 1)), zeros, zeros)


def of_control() -> dict[str, dict[str, Any]]:
    standing = {"q": Q, "v": np.zeros(BIPED.nv), "target": Q}
    names = {"contact": FEET.names[0]}
    two = {"robot": robots.double_pendulum(), **dict.fromkeys(("q", "v", "target"), np.zeros(2))}
    phase = dcm.Phase(0.5, np.zeros(3), np.zeros(3))
    loop = control.simulate(BIPED, falling, q=Q, duration=0.01, progress=False)
    log = sensed()
    given = {name: getattr(log, name) for name in ("t", "q", "v", "tau", "gyro", "accelerometer")}
    stance = control.predictive.Stance(1.0, FEET.placements(Q))
    moving = dynamics.State(BIPED, Q, np.zeros(BIPED.nv))
    judged = {"make_controller": lambda robot, q, velocity: lambda sensors: np.zeros(BIPED.na)}
    return {
        "control.ComputedTorque": two,
        "control.repair": {
            "motion": still_motion(),
            "schedule": contacts.find_contacts(still_motion()),
            "weights": {"hands": 1.0},
            "slowest": 1.5,
            "window": 2.0,
        },
        "control.ComputedTorque.*": two,
        "control.ComTask": {"target": np.zeros(3)},
        "control.FrameTask": {"target": HERE},
        "control.AccelerationConstraint": {"acceleration": 5.0},
        "control.ComConstraint": {"vertices": [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]},
        "control.DistanceConstraint": {"frames": ("left_hand", "torso"), "least": 0.1, "most": 1.0},
        "control.GazeConstraint": {"target": np.ones(3), "angle": 0.3},
        "control.GazeTask": {"target": np.ones(3)},
        "control.RelativeTask": {"target": HERE, "seen_from": "torso"},
        "control.ImpedanceTask": {"target": HERE},
        "control.MomentumTask": {"target": np.zeros(6)},
        "control.ForceTask": {"target": np.zeros(3), **names},
        "control.CopTask": {"target": np.zeros(2), **names},
        "control.ZmpTask": {"target": np.zeros(3)},
        "control.ForcePulse": {"start": 0.5, "force": (1.0, 2.0, 3.0)},
        "control.random_pushes": {"size": 0.1, "duration": 3.0},
        "control.judge": judged | {"duration": 0.002, "seeds": 1, "told": 0, "directions": 0},
        "control.judging.trial": judged | {"duration": 0.002},
        "control.judging.Impulse": {"change": 0.5, "heading": 0.0, "at": 0.1},
        "control.judging.OfState": {"controller": falling},
        "control.judging.capture_limits": {"headings": np.zeros(3)},
        "control.WholeBodyController": {"on_failure": "raise", "constraints": [APART]},
        "control.WholeBodyController.*": {**standing, "name": FEET.names[0]},
        "control.WholeBodyController.replace_contact": {"contact": FEET["left_foot"]},
        "control.WholeBodyController.add_contact": {"contact": contacts.PointContact("torso", 0.7)},
        "control.WholeBodyController.set_constraints": {"constraints": [APART]},
        "control.WholeBodyController.task": {"name": "posture"},
        "control.WholeBodyController.hasten": {"ramp": 0.01},
        **{f"control.{walker}": {"on_failure": "raise"} for walker in WALKERS},
        "control.WalkingController": {"phases": [phase], "on_failure": "raise"},
        **{f"control.{walker}.*": standing | {"phases": [phase]} for walker in WALKERS},
        **{
            f"control.{walker}.set_tasks": {"tasks": [control.PostureTask(Q, name="own")]}
            for walker in WALKERS
        },
        "control.Predictive": {"count": 4},
        "control.Predictive.__call__": {"stances": [stance], "reference": ahead, "state": moving},
        "control.Predictive.batch": {"stances": [stance], "reference": ahead},
        "control.simulate": {"controller": falling, "progress": False},
        "control.speed_limits": {"most": 0.2},
        "control.save_motion": {"motion": loop, "path": "motion.npz"},
        "control.read_motion": {"path": control.save_motion(loop, "motion.npz")},
        "control.SensorLog": given,
        "control.SensorLog.*": given | {"readings": [log.readings(0)]},
        "control.SensorLog.readings": given | {"i": 0},
        "control.SensorLog.part": given | {"start": 0.0, "stop": 0.02},
        "control.SensorLog.save": given | {"path": "log.npz"},
        "control.SensorLog.read": {"path": log.save("log.npz")},
        "control.contact_wrenches": {"log": log, "cutoff": 20.0, "start": Q},
        "control.ContactWrenches.*": {"time": 0.005, "times": [0.005, 0.01], "path": "w.csv"},
        "control.ClosedLoop.*": {"time": 0.005, "times": [0.0, 0.005]},
    }


def sensed() -> control.SensorLog:
    """What sensors tell of a robot that falls."""
    how = {"duration": 0.03, "sensors": control.Sensors(), "progress": False}
    loop = control.simulate(BIPED, falling, q=Q, **how)
    assert loop.log is not None
    return loop.log


def ahead(times: Any) -> control.predictive.Reference:
    """The reference of a robot that stands."""
    rows, com = np.zeros((len(times), 3)), dynamics.com(BIPED, Q)
    return control.predictive.Reference(rows + com, rows, rows[:, None] + np.eye(3), rows)


def falling(t: float, q: Any, v: Any) -> Any:
    """A controller without torques."""
    return np.zeros(BIPED.na)


def of_biomechanics() -> dict[str, dict[str, Any]]:
    plate = {"force": np.zeros((20, 3)), "moment": np.zeros((20, 3))}
    rows = {name: np.tile(of_robots()[name], (3, 1)) for name in ("q", "v", "a")}
    vectors = "origin velocity acceleration omega alpha"
    motion = {
        "names": ("a",),
        "R": np.tile(np.eye(3), (20, 1, 1, 1)),
        **{name: np.zeros((20, 1, 3)) for name in vectors.split()},
    }
    return {
        "biomechanics.ForcePlate": plate,
        "biomechanics.ForcePlate.from_centre_of_pressure": {
            "force": np.tile([0.0, 0.0, 50.0], (20, 1)),
            "centre": np.zeros((20, 3)),
            "free_moment": np.zeros(20),
        },
        "biomechanics.WrenchSeries": plate,
        "biomechanics.motion_of_robot": rows,
        "biomechanics.SegmentMotion": motion,
        "biomechanics.SegmentMotion.*": {"local": np.zeros((1, 3))},
        "biomechanics.SegmentMotion.from_poses": {
            "poses": {"a": (motion["R"][:, 0], np.zeros((20, 3)))}
        },
        "biomechanics.SegmentChain.*": {"motion": biomechanics.SegmentMotion(**motion)},
        "biomechanics.Markers.cut": {"first": 0, "last": 5},
        "biomechanics.ForcePlate.cut": {"first": 0, "last": 5},
        "biomechanics.Trial.cut": {"first": 0, "last": 5},
    }


def of_trials() -> dict[str, dict[str, Any]]:
    walk = biomechanics.synthetic_walk(strides=1, rate=100.0)
    trial, robot = walk.trial(), walk.robot
    few = biomechanics.Markers(("m",), np.zeros((20, 1, 3)), 100.0)
    biomechanics.write_trc("written.trc", trial.markers)
    biomechanics.write_forces("written.forces", trial.plates)
    Path("written.sto").write_text("x\nendheader\ntime\ta\n0\t1\n0.1\t1\n")
    gait = {"trial": trial, "mass": 70.0, "gait": biomechanics.analyse_gait(trial, 70.0)}
    legs = biomechanics.markers.marker_sets.ONE_LEG.legs
    Path("legs.json").write_text(json.dumps({"legs": legs}))
    fit = {"robot": robot, "markers": trial.markers.cut(0, 3), "progress": False}
    links = {"links": {part: part for part in robot.frame_names if part != "universe"}}
    return {
        "biomechanics.read_storage": {"path": "written.sto"},
        "biomechanics.read_trial": {"path": "written.trc", "forces": "written.forces"},
        "biomechanics.write_trc": {"path": "few.trc", "markers": few},
        "biomechanics.write_forces": {"path": "written.forces", "plates": trial.plates},
        "biomechanics.MarkerSet": {"legs": legs},
        "biomechanics.MarkerSet.load": {"path": "legs.json"},
        "biomechanics.analyse_gait": gait,
        "biomechanics.Gait.*": {"joint": "right knee"},
        "biomechanics.fit_markers": fit | {"attachments": walk.attachments, "start": walk.q[0]},
        "biomechanics.make_subject": fit | links | {"mass": 70.0},
        "biomechanics.robot_gait": gait | fit | links,
        "biomechanics.trial_dynamics": {"robot": robot, "q": walk.q[:9]},
    }


def of_symbolic() -> dict[str, dict[str, Any]]:
    frame = {"frame": symbolic.Frame("f"), "axis": [0, 0, 1], "angle": symbolic.t}
    body = {"com": [0, 0, 1], "mass": 2, **frame}
    child = symbolic.Body("b", frame["frame"], 2, [0, 0, 1])
    package = "biomechanics.symbolic"
    return {
        f"{package}.Frame.*": {"other": symbolic.WORLD},
        f"{package}.rotation": frame,
        f"{package}.Wrench": frame,
        f"{package}.Wrench.*": frame | {"values": {symbolic.t: 1}},
        f"{package}.Body": body,
        f"{package}.Body.*": frame | {"observer": symbolic.WORLD},
        f"{package}.Joint": frame | {"parent": symbolic.WORLD, "child": child},
        f"{package}.Limb": {"n": 2},
        f"{package}.Limb.attachment": {"i": 2},
        f"{package}.from_robot": {"robot": robots.double_pendulum()},
        f"{package}.Equations.*": {"q": np.zeros(2), "v": np.zeros(2), "term": "M"},
        f"{package}.closed_form": {"expression": symbolic.t},
    }


def written_heights() -> Path:
    np.save("heights.npy", np.zeros((2, 2)))
    return Path("heights.npy")


def of_drawing() -> dict[str, dict[str, Any]]:
    viewer = {"viewer": visualize.Viewer(BIPED)}
    plain = "draw_contacts draw_forces draw_hold draw_zmp draw_terrain animate_holds"
    drawn: dict[str, Any] = {name: {} for name in plain.split()} | {
        "draw_region": {"region": contacts.static_equilibrium_polygon(BIPED, Q, FEET)},
        "draw_acceleration_cone": {"cone": contacts.com_acceleration_cone(BIPED, Q, FEET)},
        "draw_wrench_cone": {"cone": contacts.WrenchCone(FEET[FEET.names[0]], "inner")},
    }
    return {f"visualize.{name}": viewer | given for name, given in drawn.items()} | {
        "visualize.Viewer": {"robot": BIPED},
        "visualize.Viewer.*": {"name": "point", "vector": X},
        "visualize.Viewer.surface": {"vertices": np.eye(3), "triangles": [[0, 1, 2]]},
        "visualize.Viewer.animate": {"qs": [Q, Q], "series": (), "tint": [None, "red"]},
        "visualize.Band": {"begin": 0.0, "end": 1.0},
        "visualize.Series": {"t": [0.0, 1.0], "values": {"margin": [0.0, 1.0]}, "span": (0.0, 1.0)},
        "visualize.Viewer.cone": {"height": 0.1},
        "visualize.Viewer.set_camera": {"target": np.zeros(3)},
        "visualize.Viewer.redraw": {"group": "moving", "draw": lambda: None},
        "visualize.Viewer.save_html": {"path": "written"},
    }


# what is no bad value for some, and why
ALLOWED = {
    "biomechanics.ForcePlate.from_centre_of_pressure(*=nan)": "an unloaded plate has none",
    "biomechanics.Markers(positions=nan)": "a gap",
    "biomechanics.differentiate(x=*)": "a series of any length, with gaps",
    "biomechanics.lowpass(x=long)": "a series of any length",
    "biomechanics.symbolic.Body(inertia=None)": "a point mass",
    "biomechanics.symbolic.Limb(*=numbers)": "one for each segment",
    "biomechanics.symbolic.Wrench.subs(values=unknown)": "any symbol",
    "contacts.*(at=None)": "the origin of the frame",
    "contacts.CarriedMass.share(t=long)": "any number of times",
    "control.judging.capture_limits(headings=long)": "any number of directions",
    "contacts.Scenario(folder=text)": "a path",
    "contacts.ScenarioContact(vertices=None)": "no polygon",
    "contacts.Terrain.height(points=deep)": "points (..., 2)",
    "contacts.friction_map(*=long)": "any number of places",
    "contacts.solve_posture(com=*)": "anywhere; (x, y)",
    "contacts.solve_velocity(com=*)": "anywhere; (x, y)",
    "control.*Task(*=*)": "names and targets are looked up with a robot: see below",
    "control.ClosedLoop.resampled(times=long)": "any number of times",
    "dynamics.JointSprings(rest=long)": "looked up with a robot",
    "dynamics.JointSprings(stiffness=*)": "one for all joints; names are looked up with a robot",
    "dynamics.JointSprings(damping=*)": "one for all joints; names are looked up with a robot",
    "dynamics.Motion.resampled(times=long)": "any number of times",
    "dynamics.Trajectory.resampled(times=long)": "any number of times",
    "robots.Xacro(args=unknown)": "names are the file's",
}


# kinds of parameters that messages name
NAMED = ("array", "float", "int", "bool", "placement")

# --- kinds of values -----------------------------------------------------------------------------

# kind of a parameter by how its annotation begins, in this order
KINDS = {
    "array": ("ArrayLike", "Array", "Numbers"),
    "mapping": ("Mapping", "Wrenches"),
    "float": ("float", "Friction"),
    "int": ("int",),
    "text": ("str",),
    "bool": ("bool", "TorqueLimits"),
    "": ("Callable", "Any"),  # functions; what a name such as `placement` tells
}
PLACEMENTS = {"placement", "T", "T_world_frame"}


def kind_of(parameter: inspect.Parameter) -> str:
    """Return the kind of a parameter, "" for what the walk does not know, "object" for the rest."""
    text = str(parameter.annotation)
    if text == "Any" and parameter.name in PLACEMENTS:
        return "placement"
    if "Callable" in text or "Law" in text:
        return ""
    for kind, words in KINDS.items():
        if any(text == word or text.startswith((word, f"{word} |")) for word in words):
            return kind
    return "object"


def bad_values(kind: str, value: Any, annotation: str) -> dict[str, Any]:
    """Return what is none of the kind, by a name."""
    match kind:
        case "array":
            return bad_arrays(value)
        case "placement":
            return bad_placements()
        case "object":
            return bad_objects(annotation)
        case "float":
            plain = {} if "bool" in annotation else {"boolean": True}
            plain |= {"text": "abc", "list": [1.0] * 5, "dict": {}, "masked": np.ma.masked}
            return plain | {"complex": 1j, "nan": math.nan, "-inf": -math.inf, "huge": 1e200}
        case "int":
            return {"text": "abc", "nan": math.nan, "half": 1.5, "negative": -3, "list": [1, 2]}
        case "mapping":
            return {"number": 3, "text": "abc", "unknown": {"no such thing": 1.0}}
        case "text":
            return {"number": 3, "list": ["abc"]}
        case "bool":
            return {"text": "abc", "list": [1, 2], "nan": math.nan}
    return {}


def bad_arrays(value: Any) -> dict[str, Any]:
    """Return what is no array like `value`."""
    given = isinstance(value, np.ndarray | tuple | list | float) and not isinstance(value, str)
    v = np.asarray(value if given else np.zeros(3), dtype=float)
    mask = put(np.zeros(v.shape), 1).astype(bool)
    return {
        "text": "abc",
        "texts": np.full(v.shape, "a"),
        "complex": v + 1j,
        "nan": put(v, np.nan),
        "inf": put(v, -np.inf),
        "huge": put(v, 1e200),
        "masked": np.ma.masked_array(v, mask=mask),
        "dates": np.full(v.shape, np.datetime64("2020-01-01")),
        "objects": np.full(v.shape, object()),
        "booleans": np.ones(v.shape or (97,), dtype=bool),
        "deep": np.zeros((2, 2, 2, 2, 2)),
        **({"long": np.zeros((*v.shape[:-1], 97))} if v.ndim else {}),
        **({"not unit": 2 * v} if v.shape == Q.shape else {}),
    }


def put(value: Any, entry: Any) -> Any:
    """Return a float array like `value` with one entry replaced."""
    changed = np.array(value, dtype=float)
    changed[(0,) * changed.ndim] = entry
    return changed


def bad_placements() -> dict[str, Any]:
    """Return what is no placement."""
    return {
        "text": "abc",
        "number": 3,
        "scaled": pin.SE3(2 * np.eye(3), np.zeros(3)),
        "mirrored": pin.SE3(np.diag([1.0, 1.0, -1.0]), np.zeros(3)),
        "nan": pin.SE3(np.eye(3), np.full(3, np.nan)),
        "far": pin.SE3(np.eye(3), np.full(3, 1e200)),
    }


def bad_objects(annotation: str) -> dict[str, Any]:
    """Return what is no object of a class, no sequence of such and no choice."""
    allowed = {"text": "str", "None": "None", "number": "float", "numbers": "float"}
    values = {"text": "abc", "number": 3, "None": None, "numbers": [1.5, 2.5]}
    values |= {"object": object(), "objects": [object()]}
    return {name: x for name, x in values.items() if allowed.get(name, "-") not in annotation}


def finite(result: Any, depth: int = 0) -> bool:
    """Whether the numbers of a result are none of nan."""
    if isinstance(result, float | np.floating):
        return not math.isnan(result)
    if isinstance(result, np.ndarray) and result.dtype.kind == "f":
        return not np.isnan(result).any()
    if isinstance(result, tuple | list) and depth < 3:
        return all(finite(part, depth + 1) for part in result)
    return True


# --- the walk ------------------------------------------------------------------------------------


def public_callables() -> dict[str, Callable[..., Any]]:
    """Return what users call, by name, each object once."""
    found: dict[str, Callable[..., Any]] = {}
    for package in PACKAGES:
        module = importlib.import_module(f"footwork.{package}")
        names = getattr(module, "__all__", None) or [
            name
            for name, value in vars(module).items()
            if inspect.isfunction(value)
            and value.__module__ == module.__name__
            and not name.startswith("_")
        ]
        for name in names:
            value = getattr(module, name)
            if callable(value) and not any(value is other for other in found.values()):
                found[f"{package}.{name}"] = value
    return found


def results() -> dict[str, Any]:
    """Return an instance of each class that users do not construct."""
    walk = biomechanics.synthetic_walk(strides=1, rate=100.0)
    pendulum = robots.double_pendulum()
    swing = dynamics.simulate(pendulum, [0.1, 0.0], [0.0, 0.0], duration=0.1, step=0.01)
    own = examples()
    balance = control.WholeBodyController(BIPED, FEET, own["tasks"])
    return {
        "dynamics.Trajectory": swing,
        "contacts.Hold": own["hold"],
        "contacts.Region": contacts.static_equilibrium_polygon(BIPED, Q, FEET),
        "contacts.PointForces": own["forces"],
        "control.Command": balance(Q, np.zeros(BIPED.nv)),
        "control.ClosedLoop": control.read_motion("motion.npz", BIPED),
        "biomechanics.Gait": biomechanics.analyse_gait(walk.trial(), 70.0),
        "biomechanics.Trial": walk.trial(),
        "biomechanics.SyntheticWalk": walk,
        "biomechanics.symbolic.Equations": symbolic.from_robot(pendulum),
    }


def methods(name: str, kind: type, instance: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods of an instance by name."""
    for method in dir(kind):
        static = inspect.getattr_static(kind, method)
        plain = inspect.isfunction(getattr(static, "__func__", static))
        if plain and (not method.startswith("_") or method == "__call__"):
            yield f"{name}.{method}", bound(name, instance, method)


def bound(name: str, instance: Any, method: str) -> Callable[..., Any]:
    """Return a method; of what calls change, one of a copy, which is as it was after a refusal."""
    if name not in CHANGED_BY_CALLS:
        return getattr(instance, method)  # type: ignore[no-any-return]
    copies: list[Any] = []

    @functools.wraps(getattr(instance, method))
    def of_copy(**arguments: Any) -> Any:
        own = copies.pop() if copies else copy.deepcopy(instance)
        try:
            return getattr(own, method)(**arguments)
        except fw.FootworkError:
            copies.append(own)
            raise

    return of_copy


def listed(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name fits one of the patterns."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


class Walk:
    """Calls each callable with valid values first, then with one bad value at a time."""

    def __init__(self) -> None:
        self.known, self.own, self.results = examples(), own_examples(), results()

    def findings(self, package: str) -> Iterator[str]:
        """Yield what is no FootworkError."""
        for name, function in public_callables().items():
            if name.rpartition(".")[0] != package:
                continue
            if name not in RESULTS and not listed(name, ELSEWHERE):
                yield from self.of_one(name, function)
            if inspect.isclass(function) and (instance := self.instance(name, function)):
                for label, method in methods(name, function, instance):
                    if not listed(label, ELSEWHERE):
                        yield from self.of_one(label, method)

    def instance(self, name: str, kind: type) -> Any:
        """Return an instance of a class, None where the walk has none."""
        if name in RESULTS or listed(name, ELSEWHERE):
            return self.results.get(name)
        chosen, _ = self.arguments(name, kind)
        try:
            return kind(**chosen)
        except Exception:
            return None  # told by `of_one`

    def arguments(
        self, name: str, function: Callable[..., Any]
    ) -> tuple[dict[str, Any], list[str]]:
        """Return valid arguments, and the parameters that lack an example."""
        group = f"{name.rpartition('.')[0]}.*"
        given = self.own.get(group, {}) | self.own.get(name, {})
        chosen, missing = {}, []
        parameters = inspect.signature(function).parameters.values()
        options = any(p.kind == p.VAR_KEYWORD for p in parameters)
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            if parameter.name in given:
                chosen[parameter.name] = given[parameter.name]
            elif parameter.default is parameter.empty:
                if parameter.name in self.known:
                    chosen[parameter.name] = self.known[parameter.name]
                else:
                    missing.append(parameter.name)
        return (given | chosen if options and name in self.own else chosen), missing

    def of_one(self, name: str, function: Callable[..., Any]) -> Iterator[str]:
        """Yield what one callable does with bad values, where it is no FootworkError."""
        chosen, missing = self.arguments(name, function)
        if missing:
            yield f"{name}: no example for {', '.join(missing)}: add one"
            return
        try:
            function(**chosen)
        except Exception as error:
            yield f"{name}: the valid call failed: {error!r:.150}: add an own example"
            return
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name in ANYTHING:
                continue
            default = self.known.get(parameter.name, parameter.default)
            value, annotation = chosen.get(parameter.name, default), str(parameter.annotation)
            for label, bad in bad_values(kind_of(parameter), value, annotation).items():
                what = f"{name}({parameter.name}={label})"
                try:
                    result = function(**{**chosen, parameter.name: bad})
                except fw.FootworkError as error:
                    of_robot = str(parameter.annotation) == "Robot"
                    told = "expected a Robot" if of_robot else parameter.name
                    asked = of_robot or kind_of(parameter) in NAMED
                    named = told.rstrip("s").lower() in str(error).lower()
                    if asked and not named:
                        yield f"{what}: does not name it: {error!s:.80}"
                except Exception as error:
                    yield f"{what}: {type(error).__name__}: {error!s:.80}"
                else:
                    if (label != "huge" or not finite(result)) and not listed(what, ALLOWED):
                        yield f"{what}: accepted"


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """The walk, in a folder of its own, where it reads and writes files."""
    here = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("walk"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield Walk()
    os.chdir(here)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_callable_refuses_bad_values(package, walk, capfd):
    found = list(walk.findings(package))
    assert not found, f"{len(found)} findings:\n" + "\n".join(found)
    assert "illegal value" not in capfd.readouterr().err  # of LAPACK


@pytest.mark.parametrize("name", ["Q", "V", "A"])
@pytest.mark.parametrize(("size", "shown"), [(1e60, r"1e\+60"), (1.01 * LARGEST, r"1.01e\+50")])
def test_one_huge_number_among_many_states_is_refused_by_its_row(name, size, shown):
    """Kernels overflow silently: they hand such rows back."""
    robot = robots.load("biped")
    rows = {"Q": np.tile(robot.posture(), (50, 1)), "V": np.ones((50, robot.nv))}
    rows["A"] = rows["V"].copy()
    rows[name][13, 0] = size
    with pytest.raises(fw.ConfigurationError, match=rf"row 13: .*: got {shown} at index 0"):
        dynamics.batch.inverse_dynamics(robot, *rows.values())


@pytest.mark.parametrize(
    ("task", "arguments"),
    [
        (control.ComTask, {"target": np.zeros(3)}),
        (control.FrameTask, {"target": HERE, "frame": FRAME}),
        (control.RelativeTask, {"target": HERE, "frame": FRAME, "seen_from": "torso"}),
        (control.ImpedanceTask, {"target": HERE, "frame": FRAME}),
        (control.GazeTask, {"target": np.ones(3), "frame": FRAME}),
        (control.PostureTask, {"target": Q}),
        (control.MomentumTask, {"target": np.zeros(6)}),
        (control.ForceTask, {"target": np.zeros(3), "contact": FEET.names[0]}),
        (control.CopTask, {"target": np.zeros(2), "contact": FEET.names[0]}),
        (control.ZmpTask, {"target": np.zeros(3)}),
    ],
)
def test_tasks_refuse_bad_values_with_the_robot(task, arguments):
    parameters = inspect.signature(task).parameters
    control.WholeBodyController(BIPED, FEET, [task(**arguments)])
    for name in ("target", "frame", "rows_of", "axes", "axis", "joints", "contact"):
        bad = bad_placements() | {"complex": 1j, "object": object(), "objects": [object()]}
        bad |= {"text": "no such thing", "nan": np.full(3, np.nan), "far": [1e200] * 3}
        del bad["number"]  # one component of a force
        for value in bad.values() if name in parameters else ():
            with pytest.raises(fw.FootworkError):
                control.WholeBodyController(BIPED, FEET, [task(**arguments | {name: value})])


@pytest.mark.parametrize(
    ("name", "kind"),
    [("width", "int"), ("height", "int"), ("field_of_view", "float"), ("timeout", "float")],
)
def test_screenshots_refuse_bad_values_before_a_browser_starts(name, kind, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("FOOTWORK_BROWSER", "/nowhere")
    for value in bad_values(kind, 1.0, "").values():
        with pytest.raises(visualize.viewer.errors.ViewerError, match=f"^{name}: got"):
            visualize.Viewer().screenshot(**{name: value})


def test_the_lists_name_what_exists(walk):
    names = set()
    for name, kind in public_callables().items():
        names |= {name, f"{name}."}
        names |= {f"{name}.{method}" for method in dir(kind)} if inspect.isclass(kind) else set()
    patterns = [*RESULTS, *ELSEWHERE, *walk.own]
    patterns += [what.split("(")[0] for what in ALLOWED]
    assert [pattern for pattern in patterns if not fnmatch.filter(names, pattern)] == []
