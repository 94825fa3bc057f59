"""Every public callable refuses values that cannot be, with a FootworkError.

The walk goes through the names of the packages' `__all__`. Each is called with valid values first,
then with one bad value at a time. Valid values go by the names of parameters: `EXAMPLES`, and
`OWN_EXAMPLES` where a callable needs another one. Kinds of values go by annotation: `kind_of`.
"""

from __future__ import annotations

import importlib
import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import biomechanics, contacts, control, dynamics, robots, visualize
from footwork.robots.values import LARGEST

PACKAGES = (
    "robots",
    "dynamics",
    "dynamics.batch",
    "contacts",
    "contacts.batch",
    "control",
    "biomechanics",
    "visualize",
)

# what the library returns and its users do not construct: its fields are not arguments
RESULTS = {
    "robots.RobotInfo",
    "dynamics.Trajectory",
    "contacts.Hold",
    "contacts.Region",
    "contacts.Posture",
    "contacts.PointForces",  # by `of` and `at`
    "contacts.batch.Verdicts",
    "control.Command",
    "control.ClosedLoop",
    "biomechanics.Gait",
    "biomechanics.Trial",
    "biomechanics.SyntheticWalk",
}

# what is called otherwise than with values, and why it is left out of the walk
ELSEWHERE = {
    "contacts.Contact": "abstract: its kinds are walked",
    "contacts.ScenarioError": "an exception",
    "contacts.scenarios": "takes nothing",
    "contacts.sweep": "its axes are read like a scenario's file: tests/test_sweep.py",
    "contacts.batch.decide": "takes the balances of `static_hold`",
    "control.simulate": "a closed loop: tests/test_control_simulation.py",
    "control.by_cvxpy": "takes a controller and no values: tests/test_whole_body.py",
    "control.save_motion": "writes a file: tests/test_control_simulation.py",
    "control.read_motion": "reads a file: tests/test_control_simulation.py",
    "control.WalkingController": "tests/test_control_walking.py",
    "control.PushRecoveryController": "tests/test_capture.py",
    "dynamics.closed_forms": "compiles",
    "dynamics.batch.from_lanes": "takes what `coriolis_tensor` returns",
    "biomechanics.read_storage": "reads files: tests/test_lab_files.py",
    "biomechanics.read_trial": "reads files: tests/test_lab_files.py",
    "biomechanics.write_trc": "writes a file: tests/test_lab_files.py",
    "biomechanics.write_forces": "writes a file: tests/test_lab_files.py",
    "biomechanics.analyse_gait": "takes a Trial: tests/test_gait.py",
    "biomechanics.fit_markers": "takes Markers: tests/test_marker_ik.py",
    "biomechanics.make_subject": "takes Markers: tests/test_marker_ik.py",
    "biomechanics.trial_dynamics": "takes a Trial: tests/test_marker_ik.py",
    "biomechanics.robot_gait": "takes a Gait: tests/test_marker_ik.py",
    "biomechanics.MarkerSet": "a table: tests/test_gait.py",
}

# arguments that any object may fill, or that the walk cannot judge
ANYTHING = {"seed", "rng", "out", "progress", "solver", "feedforward", "torque", "push"}


def examples() -> dict[str, Any]:
    """Return a valid value for each name of a parameter without a default."""
    robot = robots.load("biped")
    q, rng = robot.posture(), np.random.default_rng(0)
    frame = next(iter(robot.feet.values())).frame
    v, feet = rng.standard_normal(robot.nv), contacts.at_feet(robot)
    rotations = np.array([pin.exp3(np.array([0.0, 0.0, 0.01 * k])) for k in range(20)])
    wrench = fw.Wrench([1.0, 0.0, 300.0], point=[0.0, 0.0, 0.0])
    hold = contacts.static_hold(robot, q, feet)
    return {
        "robot": robot,
        "q": q,
        "v": v,
        "a": 0.5 * v,
        "tau": np.zeros(robot.na),
        "frame": frame,
        "seen_from": robot.frame_names[2],
        "point": np.zeros(3),
        "contacts": feet,
        "contact": contacts.PointContact(frame, 0.7),
        "friction": 0.7,
        "duration": 0.01,
        "step": 0.005,
        "tolerance": 1e-3,
        "height": 0.0,
        "com": np.array([0.0, 0.0, 0.8]),
        "mass": 10.0,
        "rate": 100.0,
        "normal": np.array([0.0, 0.0, 1.0]),
        "force": np.array([1.0, 2.0, 3.0]),
        "moment": np.zeros(3),
        "linear": np.zeros(3),
        "angular": np.zeros(3),
        "half_length": 0.1,
        "half_width": 0.05,
        "radius": 0.05,
        "torsional_friction": 0.1,
        "inertia": np.eye(3),
        "rotation": np.eye(3),
        "x": rng.standard_normal((50, 3)),
        "cutoff": 6.0,
        "kp": 1.0,
        "hold": hold,
        "torques": np.zeros(robot.nv),
        "frames": [frame],
        "target": q,
        "forces": contacts.PointForces.of(feet, q),
        "anchor": (0.0, 0.0, 2.0),
        "tension": 5.0,
        "terrain": contacts.Terrain([contacts.Plane()]),
        "name": "thing",
        "steps": 3,
        "rise": 0.1,
        "depth": 0.3,
        "width": 1.0,
        "at": (1.0, 0.0, 0.0),
        "size": (0.4, 0.3, 0.2),
        "disturbances": contacts.Pushes(3.0),
        "newtons": 3.0,
        "wrenches": {"left": wrench},
        "tasks": [control.PostureTask(q)],
        "start": np.zeros(3),
        "end": np.zeros(3),
        "observer": biomechanics.MovingFrame(),
        "segments": [biomechanics.Segment("a", 1.0, np.zeros(3), np.eye(3))],
        "push": 3.0,
        "model": robot.model,
        "actuated": robot.actuated,
        "R": rotations,
        "R_parent": rotations,
        "R_child": rotations,
        "names": ("a",),
        "positions": np.zeros((20, 1, 3)),
        "origin": np.zeros(3),
        "low": 0.0,
        "high": 1.0,
        "source": "biped",
        "times": np.arange(2.0),
        "holds": [hold, hold],
        "normal_force": 100.0,
        "scale": 1e-3,
        "every": 1.0,
    }


def own_examples(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return valid values of single callables that differ from `examples`."""
    q, robot = known["q"], known["robot"]
    moving = {"v": known["v"]}
    rows = {name: np.tile(known[name], (3, 1)) for name in ("q", "v", "a", "tau")}
    named = {"Q": rows["q"], "V": rows["v"], "A": rows["a"], **rows}
    batch = {f"dynamics.batch.{name}": named for name in dynamics.batch.__all__}
    pendulum = robots.double_pendulum()
    two = {"robot": pendulum, "q": np.zeros(2), "v": np.zeros(2), "target": np.zeros(2)}
    frame, feet = known["frame"], known["contacts"]
    return (
        batch
        | {
            **{
                f"dynamics.{name}": moving
                for name in (
                    *("coriolis_matrix", "mass_matrix_derivative", "bias", "kinetic_energy"),
                    *("com_drift", "centroidal_momentum", "centroidal_drift", "com_coordinates"),
                    *("centroidal_map_derivative", "terms", "generalised_momentum", "matrix_form"),
                )
            },
            "dynamics.christoffel_symbols": two,
            "dynamics.absolute_angles": two,
            "dynamics.contact_derivatives": {"contacts": {frame: 6}},
            "dynamics.external_torques": {"wrenches": {frame: fw.Wrench([1.0, 0.0, 0.0])}},
            "contacts.SurfaceContact": {"half_length": 0.1, "half_width": 0.05},
            "contacts.ScenarioContact": {"frame": frame},
            "contacts.Push": {"force": (1.0, 0.0, 0.0), "moment": (0.0, 0.0, 0.0)},
            "contacts.Scenario": {"robot": "biped"},
            "control.ComputedTorque": two,
            "control.ComTask": {"target": np.zeros(3)},
            "control.FrameTask": {"target": pin.SE3.Identity()},
            "control.MomentumTask": {"target": np.zeros(6)},
            "control.ForceTask": {"target": np.zeros(3), "contact": feet.names[0]},
            "control.CopTask": {"target": np.zeros(2), "contact": feet.names[0]},
            "control.ZmpTask": {"target": np.zeros(2)},
            "control.ForcePulse": {"start": 0.5, "force": (1.0, 2.0, 3.0)},
            "control.random_pushes": {"size": 0.1, "duration": 3.0},
            "control.Phase": {"duration": 0.5},
            "biomechanics.ForcePlate": {"force": np.zeros((20, 3)), "moment": np.zeros((20, 3))},
            "biomechanics.WrenchSeries": {"force": np.zeros((20, 3)), "moment": np.zeros((20, 3))},
            "biomechanics.motion_of_robot": rows,
            "biomechanics.SegmentMotion": {
                "names": ("a",),
                "R": np.tile(np.eye(3), (20, 1, 1, 1)),
                **{
                    key: np.zeros((20, 1, 3))
                    for key in ("origin", "velocity", "acceleration", "omega", "alpha")
                },
            },
        }
        | {
            f"visualize.draw_{name}": {"viewer": visualize.Viewer(robot)}
            for name in ("contacts", "forces", "hold", "zmp", "terrain")
        }
        | {
            "visualize.draw_region": {
                "viewer": visualize.Viewer(),
                "region": contacts.static_equilibrium_polygon(robot, q, feet),
            },
            "visualize.draw_acceleration_cone": {
                "viewer": visualize.Viewer(),
                "cone": contacts.com_acceleration_cone(robot, q, feet),
            },
            "visualize.draw_friction_map": {
                "viewer": visualize.Viewer(),
                "friction": contacts.friction_map(robot, q, feet, [0.0, 0.1], [0.0, 0.1]),
            },
            "visualize.draw_wrench_cone": {
                "viewer": visualize.Viewer(),
                "cone": contacts.WrenchCone(feet[feet.names[0]], "inner"),
            },
            "visualize.animate_holds": {"viewer": visualize.Viewer(robot)},
            "visualize.animate_certificate": {
                "viewer": visualize.Viewer(robot),
                "hold": contacts.static_hold(robot, q, []),
            },
        }
    )


# what is no bad value for some: series of any length, gaps in measurements, one number for all
ALLOWED = {
    "dynamics.JointSprings(stiffness=number)",
    "dynamics.JointSprings(damping=number)",
    "dynamics.JointSprings(stiffness=unknown)",  # joints are looked up with a robot
    "dynamics.JointSprings(damping=unknown)",
    "dynamics.JointSprings(rest=long)",
    "contacts.friction_map(x=long)",
    "contacts.friction_map(y=long)",
    "biomechanics.differentiate(x=long)",
    "biomechanics.differentiate(x=nan)",
    "biomechanics.lowpass(x=long)",
    "biomechanics.Markers(positions=nan)",
    "control.FrameTask(frame=number)",  # names and rows are looked up with a robot
    "control.FrameTask(frame=list)",
    "control.FrameTask(rows_of=number)",
    "control.FrameTask(rows_of=list)",
    "control.FrameTask(axes=number)",
    "control.FrameTask(axes=list)",
    "control.MomentumTask(rows_of=number)",
    "control.MomentumTask(rows_of=list)",
    "control.ForceTask(contact=number)",
    "control.ForceTask(contact=list)",
    "control.CopTask(contact=number)",
    "control.CopTask(contact=list)",
    "robots.Xacro(args=unknown)",  # names are the file's
}


# --- kinds of values -----------------------------------------------------------------------------


def kind_of(annotation: object) -> str:
    """Return the kind of a parameter by its annotation, "" for none that the walk knows."""
    text = str(annotation)
    if "Callable" in text or "Law" in text:
        return ""
    for kind, words in (
        ("array", ("ArrayLike", "Array", "Numbers")),
        ("mapping", ("Mapping",)),
        ("float", ("float", "Friction")),
        ("int", ("int",)),
        ("text", ("str",)),
        ("bool", ("bool",)),
    ):
        if any(text == word or text.startswith((word, f"{word} |")) for word in words):
            return kind
    return ""


def put(value: Any, entry: Any) -> Any:
    """Return a float array like `value` with one entry replaced."""
    changed = np.array(value, dtype=float)
    changed[(0,) * changed.ndim] = entry
    return changed


def bad_arrays(value: Any, annotation: str) -> Iterator[tuple[str, Any]]:
    """Values that are no array like `value`."""
    given = isinstance(value, np.ndarray | tuple | list | float) and not isinstance(value, str)
    v = np.asarray(value if given else np.zeros(3), dtype=float)
    yield "text", "abc"
    yield "texts", np.full(v.shape, "a")
    yield "complex", v + 1j
    yield "nan", put(v, np.nan)
    yield "inf", put(v, -np.inf)
    yield "huge", put(v, 1e200)
    yield "masked", np.ma.masked_array(v, mask=put(np.zeros(v.shape), 1).astype(bool))
    yield "dates", np.full(v.shape, np.datetime64("2020-01-01"))
    yield "objects", np.full(v.shape, object())
    yield "booleans", np.ones(v.shape or (97,), dtype=bool)
    yield "deep", np.zeros((2, 2, 2, 2, 2))
    if v.ndim:
        yield "long", np.zeros((*v.shape[:-1], 97))


def bad_values(kind: str, value: Any, annotation: str) -> Iterator[tuple[str, Any]]:
    """Return (name, value) of what is none of the kind."""
    if kind == "array":
        yield from bad_arrays(value, annotation)
    elif kind == "float":
        yield from (("text", "abc"), ("complex", 1 + 2j), ("nan", math.nan), ("-inf", -math.inf))
        yield from (("huge", 1e200), ("list", [1.0] * 5), ("masked", np.ma.masked), ("dict", {}))
        if "bool" not in annotation:
            yield "boolean", True
    elif kind == "int":
        yield from (("text", "abc"), ("nan", math.nan), ("half", 1.5), ("negative", -3))
        yield "list", [1, 2]
    elif kind == "mapping":
        yield from (("number", 3), ("text", "abc"), ("unknown", {"no such thing": 1.0}))
    elif kind == "text":
        yield from (("number", 3), ("list", ["abc"]))
    elif kind == "bool":
        yield from (("text", "abc"), ("list", [1, 2]), ("nan", math.nan))


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


def arguments(
    function: Callable[..., Any], given: dict[str, Any], known: dict[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return valid arguments, and the parameters that lack an example."""
    chosen, missing = {}, []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.name in given:
            chosen[parameter.name] = given[parameter.name]
        elif parameter.default is parameter.empty:
            if parameter.name in known:
                chosen[parameter.name] = known[parameter.name]
            else:
                missing.append(parameter.name)
    return chosen, missing


def findings(
    name: str, function: Callable[..., Any], given: dict[str, Any], known: dict[str, Any]
) -> Iterator[str]:
    """Yield what a callable does with bad values, where it is no FootworkError."""
    chosen, missing = arguments(function, given, known)
    if missing:
        yield f"{name}: no example for {', '.join(missing)}: add one to `examples`"
        return
    try:
        function(**chosen)
    except Exception as error:
        yield f"{name}: the valid call failed: {error!r:.150}: add to `own_examples`"
        return
    for parameter in inspect.signature(function).parameters.values():
        annotation = str(parameter.annotation)
        kind = kind_of(annotation)
        if not kind or parameter.name in ANYTHING:
            continue
        default = known.get(parameter.name, parameter.default)
        for label, value in bad_values(kind, chosen.get(parameter.name, default), annotation):
            try:
                result = function(**{**chosen, parameter.name: value})
            except fw.FootworkError:
                continue
            except Exception as error:
                yield f"{name}({parameter.name}={label}): {type(error).__name__}: {error!s:.80}"
            else:
                what = f"{name}({parameter.name}={label})"
                if (label != "huge" or not finite(result)) and what not in ALLOWED:
                    yield f"{what}: accepted"


def test_every_public_callable_refuses_bad_values(capfd):
    known = examples()
    own = own_examples(known)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function in public_callables().items():
            if name not in RESULTS and name not in ELSEWHERE:
                found += findings(name, function, own.get(name, {}), known)
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


def test_the_lists_name_what_exists():
    names = {
        f"{package}.{name}"
        for package in PACKAGES
        for name in dir(importlib.import_module(f"footwork.{package}"))
    }
    assert not (RESULTS | set(ELSEWHERE)) - names
