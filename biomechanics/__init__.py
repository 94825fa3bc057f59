"""Biomechanics: moving frames, segment chains, symbolic mechanics, gait analysis."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .anatomical_frames import hip_centres, segment_poses
from .block_form import BlockForm, block_form
from .body_model import body_model, upper_body
from .body_segment_tables import BodySegment, body_segment
from .c3d import read_c3d
from .chain_forces import ChainForces
from .filters import lowpass, resample
from .footfalls import Footfall, footfalls, ground_wrenches
from .force_plates import ForcePlate
from .forces_file import read_forces, write_forces
from .gait import Gait, analyse_gait
from .inertia import inertia_about, moved_inertia, rotated_inertia, steiner
from .joint_coordinates import joint_angles, joint_axes
from .lab_files import read_trial
from .lab_table import read_table
from .marker_fit import MarkerFit, attach, fit_markers
from .marker_sets import MarkerSet
from .markers import Markers
from .moving_frames import FictitiousWrenches, MovingFrame, fictitious_wrenches_of, frame_motion
from .moving_frames_balance import (
    ObservedMotion,
    WrenchBalance,
    body_motions,
    fictitious_wrenches,
    observed_joint_wrenches,
    observed_motions,
    wrench_balance,
)
from .robot_chain import chain_of_robot, motion_of_robot
from .robot_dynamics import TrialDynamics, trial_dynamics
from .robot_gait import RobotGait, robot_gait
from .robot_motion import velocities_and_accelerations
from .rotations import angular_acceleration, angular_velocity
from .scaled_robot import scaled_robot
from .segment_motion import SegmentMotion
from .segments import Segment, SegmentChain
from .subject import Subject, make_subject
from .time_derivatives import differentiate
from .trc import read_trc, write_trc
from .trial import Trial
from .walker import Walker, walker
from .wrench_series import WrenchSeries

if TYPE_CHECKING:
    from . import symbolic

__all__ = [
    "symbolic",
    "MovingFrame",
    "frame_motion",
    "body_motions",
    "observed_motions",
    "ObservedMotion",
    "fictitious_wrenches",
    "fictitious_wrenches_of",
    "FictitiousWrenches",
    "wrench_balance",
    "WrenchBalance",
    "observed_joint_wrenches",
    "rotated_inertia",
    "steiner",
    "moved_inertia",
    "inertia_about",
    "Segment",
    "SegmentChain",
    "SegmentMotion",
    "WrenchSeries",
    "ChainForces",
    "BlockForm",
    "block_form",
    "chain_of_robot",
    "motion_of_robot",
    "angular_velocity",
    "angular_acceleration",
    "differentiate",
    "joint_angles",
    "joint_axes",
    "lowpass",
    "resample",
    "Markers",
    "ForcePlate",
    "Trial",
    "read_trial",
    "read_trc",
    "read_forces",
    "read_table",
    "read_c3d",
    "write_trc",
    "write_forces",
    "MarkerSet",
    "segment_poses",
    "hip_centres",
    "BodySegment",
    "body_segment",
    "body_model",
    "upper_body",
    "Footfall",
    "footfalls",
    "ground_wrenches",
    "Gait",
    "analyse_gait",
    "Walker",
    "walker",
    "fit_markers",
    "MarkerFit",
    "attach",
    "scaled_robot",
    "Subject",
    "make_subject",
    "velocities_and_accelerations",
    "trial_dynamics",
    "TrialDynamics",
    "RobotGait",
    "robot_gait",
]


def __getattr__(name: str) -> Any:
    """Import `symbolic`, and SymPy with it, when it is first used (PEP 562)."""
    if name == "symbolic":
        return importlib.import_module(".symbolic", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
