"""Biomechanics: moving frames, segment chains, symbolic mechanics, gait analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dynamics.motions.differences import differentiate
from ..dynamics.motions.filters import lowpass
from ..registry import moved
from .force_plates import ForcePlate
from .forces_file import write_forces
from .gait import Gait, analyse_gait
from .inertia import inertia_about, moved_inertia, rotated_inertia
from .joint_coordinates import joint_angles
from .lab_files import read_trial
from .marker_fit import fit_markers
from .marker_sets import MarkerSet
from .markers import Markers
from .moving_frames import MovingFrame, frame_motion
from .moving_frames_balance import (
    fictitious_wrenches,
    observed_joint_wrenches,
    wrench_balance,
)
from .robot_chain import chain_of_robot, motion_of_robot
from .robot_dynamics import trial_dynamics
from .robot_gait import robot_gait
from .segment_motion import SegmentMotion
from .segment_tree import Segment
from .segments import SegmentChain
from .storage_file import read_storage
from .subject import make_subject
from .synthetic_walker import SyntheticWalk, synthetic_walk
from .time_derivatives import angular_acceleration, angular_velocity
from .trc import write_trc
from .trial import Trial
from .wrench_series import WrenchSeries

if TYPE_CHECKING:
    from . import symbolic

__all__ = [
    "symbolic",
    "MovingFrame",
    "frame_motion",
    "fictitious_wrenches",
    "wrench_balance",
    "observed_joint_wrenches",
    "rotated_inertia",
    "moved_inertia",
    "inertia_about",
    "Segment",
    "SegmentChain",
    "SegmentMotion",
    "WrenchSeries",
    "chain_of_robot",
    "motion_of_robot",
    "angular_velocity",
    "angular_acceleration",
    "differentiate",
    "joint_angles",
    "lowpass",
    "Markers",
    "ForcePlate",
    "Trial",
    "read_storage",
    "read_trial",
    "write_trc",
    "write_forces",
    "MarkerSet",
    "Gait",
    "analyse_gait",
    "SyntheticWalk",
    "synthetic_walk",
    "fit_markers",
    "make_subject",
    "trial_dynamics",
    "robot_gait",
]

__getattr__ = moved("biomechanics", lazy=("symbolic",))  # which imports SymPy
