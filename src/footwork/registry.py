"""Names that are found when they are used: views and plots by type, and names that have moved.

Nothing is imported from here before it is asked for: a lower package names what a higher one does
("visualize.scenes.hold:view_hold") without importing it. This is the one place where that happens.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from .errors import FootworkError

# package -> {former name: where it is now}; former names work for two releases, with a warning
MOVED: Mapping[str, Mapping[str, str]] = {
    "robots": {"Viewer": "visualize:Viewer"},
    "dynamics": {"bodies": "biomechanics"},
    "control": {
        "Push": "control:ForcePulse",
        "Walker": "control:WalkingController",
        "Catcher": "control:PushRecoveryController",
        "DcmPlan": "control.balance:DcmPlan",
        "DcmTask": "control.balance:DcmTask",
        "JointLimits": "control.limits:JointLimits",
        "Collision": "control.closed_loop:Collision",
    },
    "contacts": {
        name: f"visualize:{name}"
        for name in (
            "animate_certificate",
            "animate_holds",
            "draw_acceleration_cone",
            "draw_contacts",
            "draw_forces",
            "draw_friction_map",
            "draw_hold",
            "draw_region",
            "draw_terrain",
            "draw_wrench_cone",
            "draw_zmp",
            "margin_ramp",
        )
    }
    | {
        "view": "visualize:view_hold",
        "forward_dynamics": "contacts:constrained_forward_dynamics",
    },
    "biomechanics": {
        name: f"biomechanics.{module}:{name}"
        for module, names in {
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
        }.items()
        for name in names.split()
    }
    | {"Walker": "biomechanics:SyntheticWalk", "walker": "biomechanics:synthetic_walk"},
}

# type -> the function that draws it, by module and name; the nearest class of the type counts
VIEWS: Mapping[str, str] = {
    "contacts.hold:Hold": "visualize.scenes.hold:view_hold",
}


def resolve(target: str) -> Any:
    """Return what "package.module:name" or "package.module" stands for, relative to footwork."""
    module, _, name = target.partition(":")
    found = importlib.import_module(f".{module}", __package__)
    return getattr(found, name) if name else found


def moved(package: str) -> Callable[[str], Any]:
    """Return the module-level `__getattr__` (PEP 562) of a package some of whose names moved."""

    def __getattr__(name: str) -> Any:
        target = MOVED.get(package, {}).get(name)
        if target is None:
            raise AttributeError(f"module 'footwork.{package}' has no attribute {name!r}")
        now = target.replace(":", ".")
        warnings.warn(
            f"footwork.{package}.{name} is now footwork.{now}", DeprecationWarning, stacklevel=2
        )
        return resolve(target)

    return __getattr__


def view(x: Any, **options: Any) -> Any:
    """Return a `Viewer` that shows x: a Hold. It opens no browser.

    Args:
        x: what to look at.
        options: of the function that draws it.

    Raises:
        FootworkError: nothing is known that draws x.
    """
    return _drawn_by(VIEWS, "view", x)(x, **options)


def _drawn_by(table: Mapping[str, str], verb: str, x: Any) -> Any:
    for kind in type(x).__mro__:
        module = kind.__module__.removeprefix(f"{__package__}.")
        if target := table.get(f"{module}:{kind.__qualname__}"):
            return resolve(target)
    known = ", ".join(sorted(key.partition(":")[2] for key in table))
    raise FootworkError(f"{verb}: got {type(x).__name__}, expected one of {known}")
