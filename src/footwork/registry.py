"""Names that are found when they are used: views and plots by type, and names that have moved.

Nothing is imported from here before it is asked for: a lower package names what a higher one does
("visualize.scenes.hold:view_hold") without importing it. This is the one place where that happens.
"""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .errors import FootworkError


def _submodules(package: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return {name: where it is} for names that only their modules have, as "name name …"."""
    return {
        name: f"{package}.{module}:{name}"
        for module, listed in names.items()
        for name in listed.split()
    }


# package -> {former name: where it is now}; former names work for two releases, with a warning
MOVED: Mapping[str, Mapping[str, str]] = {
    "robots": {"Viewer": "visualize:Viewer", "Finding": "robots.findings:Finding"},
    "dynamics": _submodules(
        "dynamics",
        {
            "com_coordinates": "ComCoordinates",
            "contact_derivatives": "ContactDerivatives frame_acceleration_derivatives",
            "coriolis": "structure_constants mass_matrix_gradient",
            "derivatives": "gravity_torques_derivative external_torques_derivative",
            "integrators": "INTEGRATORS",
            "jacobians": "angular_momentum_jacobian",
            "kernels.closed_forms": "ClosedForms",
            "matrix_form": "MatrixForm",
            "observer": "WrenchEstimate momentum_drift",
            "stick_slip": "BlockMotion",
            "trajectory": "EventRecord",
        },
    ),
    "control": {
        "Push": "control:ForcePulse",
        "Walker": "control:WalkingController",
        "Catcher": "control:PushRecoveryController",
        "Phase": "control.balance:Phase",
        "DcmPlan": "control.balance:DcmPlan",
        "DcmTask": "control.balance:DcmTask",
        "JointLimits": "control.limits:JointLimits",
        "Collision": "control.closed_loop:Collision",
    },
    "contacts": {
        "view": "visualize.scenes.hold:view_hold",
        "forward_dynamics": "contacts:constrained_forward_dynamics",
        "Touch": "contacts:ScenarioContact",
    }
    | _submodules(
        "visualize",
        {
            "colors": "margin_ramp",
            "scenes.cones": "draw_wrench_cone",
            "scenes.falling": "animate_certificate",
            "scenes.friction_map": "draw_friction_map",
            "scenes.hold": "draw_contacts draw_forces draw_hold",
            "scenes.hold_animation": "animate_holds",
            "scenes.region": "draw_acceleration_cone draw_region",
            "scenes.terrain": "draw_terrain",
            "scenes.zmp": "draw_zmp",
        },
    )
    | _submodules(
        "contacts",
        {
            "cones.gravito_inertial": "GravitoInertialCone gravito_inertial_wrench",
            "cones.wrench_cone": "rectangle_faces",
            "falling": "falling_path",
            "motion.constrained": "ConstrainedMotion constraint_rank gauss_residual GaussResidual",
            "motion.frictional": "FrictionalMotion FrictionResiduals",
            "motion.operational_space": "delassus dynamically_consistent_projector",
            "postures.self_collision": "LinkPair",
            "postures.targets": "ground_targets",
            "regions.friction_map": "FrictionMap",
            "regions.region": "AccelerationCone",
            "sensitivity.margin_gradient": "MarginGradient",
            "sweeps.result": "Sweep",
            "sweeps.variants": "variant",
            "terrain.penetration": "Penetration",
            "terrain.solids": "Face",
        },
    ),
    "biomechanics": _submodules(
        "biomechanics",
        {
            "anatomical_frames": "hip_centres segment_poses",
            "block_form": "BlockForm",
            "body_model": "upper_body",
            "body_segment_tables": "BodySegment body_segment",
            "c3d": "read_c3d",
            "chain_forces": "ChainForces",
            "filters": "resample",
            "footfalls": "Footfall ground_wrenches",
            "forces_file": "read_forces",
            "inertia": "steiner",
            "joint_coordinates": "joint_axes",
            "lab_table": "read_table",
            "marker_fit": "MarkerFit attach",
            "moving_frames": "FictitiousWrenches fictitious_wrenches_of",
            "moving_frames_balance": "ObservedMotion WrenchBalance body_motions observed_motions",
            "robot_dynamics": "TrialDynamics",
            "robot_gait": "RobotGait",
            "robot_motion": "velocities_and_accelerations",
            "subject": "Subject",
            "trc": "read_trc",
        },
    )
    | {"Walker": "biomechanics:SyntheticWalk", "walker": "biomechanics:synthetic_walk"},
    "biomechanics.symbolic": _submodules(
        "biomechanics.symbolic",
        {
            "bodies": "Fictitious steiner tip_wrench",
            "closed_form": "is_zero",
        },
    ),
    "visualize.viewer": _submodules(
        "visualize.viewer",
        {
            "drawing": "extent",
            "errors": "BrowserError MeshWarning ServerError ViewerError",
            "ramp": "ColorRamp",
        },
    ),
    # functions of the former modules below
    "visualize.scenes.closed_loop": {"animate": "visualize.scenes.closed_loop:view_closed_loop"},
    "visualize.scenes.hold": {"view": "visualize.scenes.hold:view_hold"},
    "visualize.plots.gait": {"plot_joints": "visualize.plots.gait:plot_gait"},
    "visualize.plots.sweep": {"draw": "visualize.plots.sweep:plot_sweep"},
}

# former module -> where it is now, its submodules likewise; imports of them work for two releases
MOVED_MODULES: Mapping[str, str] = {
    "robots.viewer": "visualize.viewer",
    "dynamics.bodies": "biomechanics",
    "biomechanics.gait_plots": "visualize.plots.gait",  # which were in dynamics.bodies
    "biomechanics.moving_frames_plots": "visualize.plots.moving_frames",
    "dynamics.plots": "visualize.plots.dynamics",
    "dynamics.scene": "visualize.scenes.motion",
    "contacts.plots": "visualize.plots.contacts",
    "contacts.scene": "visualize.scenes.hold",
    "contacts.moving_scene": "visualize.scenes.hold_animation",
    "contacts.cones.cone_scene": "visualize.scenes.cones",
    "contacts.sweeps.picture": "visualize.plots.sweep",
    "control.plots": "visualize.plots.control",
    "control.scene": "visualize.scenes.closed_loop",
}

# type -> the function that shows it in a Viewer; the nearest class of the type counts. "[type]" is
# a sequence of such things, "{type}" a mapping to them
VIEWS: Mapping[str, str] = {
    "robots.robot:Robot": "visualize.scenes.robot:view_robot",
    "dynamics.state:State": "visualize.scenes.robot:view_state",
    "dynamics.trajectory:Trajectory": "visualize.scenes.trajectory:view_trajectory",
    "contacts.contact_set:ContactSet": "visualize.scenes.hold:view_contacts",
    "contacts.hold:Hold": "visualize.scenes.hold:view_hold",
    "[contacts.hold:Hold]": "visualize.scenes.hold_animation:view_holds",
    "contacts.regions.region:Region": "visualize.scenes.region:view_region",
    "contacts.regions.friction_map:FrictionMap": "visualize.scenes.friction_map:view_friction_map",
    "contacts.cones.wrench_cone:WrenchCone": "visualize.scenes.cones:view_wrench_cone",
    "contacts.terrain.terrain:Terrain": "visualize.scenes.terrain:view_terrain",
    "contacts.scenario.scenario:Scenario": "visualize.scenes.scenario:view_scenario",
    "control.closed_loop:ClosedLoop": "visualize.scenes.closed_loop:view_closed_loop",
    "biomechanics.gait:Gait": "visualize.scenes.gait:view_gait",
    "biomechanics.robot_gait:RobotGait": "visualize.scenes.gait:view_robot_gait",
}

# type -> the function that draws it with Matplotlib, likewise
PLOTS: Mapping[str, str] = {
    "robots.robot:Robot": "visualize.plots.robot:plot_robot",
    "dynamics.state:State": "visualize.plots.robot:plot_state",
    "dynamics.trajectory:Trajectory": "visualize.plots.trajectory:plot_trajectory",
    "contacts.contact_set:ContactSet": "visualize.plots.contacts:plot_contacts",
    "contacts.hold:Hold": "visualize.plots.hold:plot_hold",
    "[contacts.hold:Hold]": "visualize.plots.hold:plot_holds",
    "contacts.regions.region:Region": "visualize.plots.contacts:plot_regions",
    "{contacts.regions.region:Region}": "visualize.plots.contacts:plot_regions",
    "contacts.regions.friction_map:FrictionMap": "visualize.plots.contacts:plot_friction_map",
    "contacts.cones.wrench_cone:WrenchCone": "visualize.plots.wrench_cone:plot_wrench_cone",
    "contacts.scenario.scenario:Scenario": "visualize.plots.hold:plot_scenario",
    "contacts.sweeps.result:Sweep": "visualize.plots.sweep:plot_sweep",
    "control.closed_loop:ClosedLoop": "visualize.plots.control:plot_closed_loop",
    "biomechanics.gait:Gait": "visualize.plots.gait:plot_gait",
    "biomechanics.robot_gait:RobotGait": "visualize.plots.gait:plot_robot_gait",
}


def resolve(target: str) -> Any:
    """Return what "package.module:name" or "package.module" stands for, relative to footwork."""
    module, _, name = target.partition(":")
    found = importlib.import_module(f".{module}", __package__)
    return getattr(found, name) if name else found


def moved(package: str, lazy: Sequence[str] = ()) -> Callable[[str], Any]:
    """Return the module-level `__getattr__` (PEP 562) of a package some of whose names moved.

    It imports the submodules `lazy` when they are first used.
    """

    def __getattr__(name: str) -> Any:
        if name in lazy:
            return resolve(f"{package}.{name}")
        former = f"{package}.{name}"
        target = MOVED.get(package, {}).get(name) or MOVED_MODULES.get(former)
        if target is None:
            raise AttributeError(f"module 'footwork.{package}' has no attribute {name!r}")
        _warn_moved(former, target)
        return resolve(target)

    return __getattr__


class MovedModules(MetaPathFinder, Loader):
    """Import of `MOVED_MODULES` under their former names: the module that is there now.

    It comes first in `sys.meta_path`: the folder of a package that moved would otherwise be
    searched for its submodules, and each be loaded a second time under the former name.
    """

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> Any:
        """Return the spec of a former module, None for any other."""
        return ModuleSpec(fullname, self) if _module_now(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in the place of the former one."""
        former, now = module.__name__, _module_now(module.__name__)
        _warn_moved(former.partition(".")[2], now)
        sys.modules[former] = resolve(now)


def _module_now(fullname: str) -> str:
    """Return where "footwork.…" is now, relative to footwork; "" if it has not moved."""
    package, _, name = fullname.partition(".")
    if package != __package__:
        return ""
    former, rest = name, ""
    while former and former not in MOVED_MODULES:
        former, _, last = former.rpartition(".")
        rest = f".{last}{rest}"
    return MOVED_MODULES[former] + rest if former else ""


def _warn_moved(former: str, target: str) -> None:
    """Warn where the caller's caller, or its import statement, names what has moved."""
    now = target.replace(":", ".")
    text = f"footwork.{former} is now footwork.{now}"
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def view(x: Any, *more: Any, **options: Any) -> Any:
    """Return a `Viewer` that shows x: a Robot, State, Hold, Region, …; it opens no browser.

    Args:
        x: what to look at; see `VIEWS` for all that can be.
        more, options: of the function that shows it, such as a Robot's q or a Hold's `by_margin`.

    Raises:
        FootworkError: nothing is known that shows x; the message has what can be shown.

    >>> fw.view(robot, q).open()
    >>> fw.view(hold, by_margin=True).save_html("hold.html")
    """
    return _drawn_by(VIEWS, "view", x)(x, *more, **options)


def plot(x: Any, *more: Any, **options: Any) -> Any:
    """Return Matplotlib's Axes, or an array of them, in which x is drawn. Needs the extra `plots`.

    Args:
        x: what to draw; see `PLOTS` for all that can be.
        more, options: of the function that draws it, such as a Region's contacts and q, or `ax`.

    Raises:
        FootworkError: nothing is known that draws x (the message has what can be drawn), or
            Matplotlib is not installed.

    >>> fw.plot(region, contacts, q).figure.savefig("region.png")
    """
    return _drawn_by(PLOTS, "plot", x)(x, *more, **options)


def html_of(x: Any) -> str:
    """Return x for a notebook (`_repr_html_`): numbers, and the picture of `plot`."""
    text: str = resolve("visualize.notebook:html_of")(x)
    return text


def _drawn_by(table: Mapping[str, str], verb: str, x: Any) -> Any:
    for kind in _kinds(x):
        if target := table.get(kind):
            return resolve(target)
    other, names = ("plot", PLOTS) if verb == "view" else ("view", VIEWS)
    also = f"; fw.{other} knows it" if any(kind in names for kind in _kinds(x)) else ""
    known = ", ".join(sorted({_short(key) for key in table}))
    raise FootworkError(f"{verb}: got {type(x).__name__}, expected one of {known}{also}")


def _kinds(x: Any) -> list[str]:
    """Return the keys under which x may be found, the nearest first."""
    if isinstance(x, (list, tuple)) and x:
        return [f"[{key}]" for key in _shared(x)]
    if isinstance(x, Mapping) and x:
        return [f"{{{key}}}" for key in _shared(list(x.values()))]
    return _classes(x)


def _shared(items: Sequence[Any]) -> list[str]:
    """Return the keys of the classes that all items have in common."""
    rest = [set(_classes(item)) for item in items[1:]]
    return [key for key in _classes(items[0]) if all(key in keys for keys in rest)]


def _classes(x: Any) -> list[str]:
    package = f"{__package__}."
    return [f"{c.__module__.removeprefix(package)}:{c.__qualname__}" for c in type(x).__mro__]


def _short(key: str) -> str:
    """Return "Hold", "[Hold]" or "{Region}" for a key of a table."""
    return re.sub(r"[\w.]+:", "", key)
