"""Biomechanics: moving frames, segment chains, symbolic mechanics, gait analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dynamics.motions.differences import differentiate
from ..dynamics.motions.filters import lowpass
from ..registry import moved
from .chains.joint_coordinates import joint_angles
from .chains.robot_chain import chain_of_robot, motion_of_robot
from .chains.segment_motion import SegmentMotion
from .chains.segment_tree import Segment
from .chains.segments import SegmentChain
from .frames.inertia import inertia_about, moved_inertia, rotated_inertia
from .frames.moving_frames import MovingFrame, frame_motion
from .frames.moving_frames_balance import (
    fictitious_wrenches,
    observed_joint_wrenches,
    wrench_balance,
)
from .gait import Gait, analyse_gait
from .lab.force_plates import ForcePlate
from .lab.forces import write_forces
from .lab.reading import read_trial
from .lab.storage import read_storage
from .lab.trc import write_trc
from .lab.trial import Trial
from .markers.marker_fit import fit_markers
from .markers.marker_sets import MarkerSet
from .markers.markers import Markers
from .robot_dynamics import trial_dynamics
from .robot_gait import robot_gait
from .series.rotations import angular_acceleration, angular_velocity
from .series.wrenches import WrenchSeries
from .subject import make_subject
from .synthetic_walker import SyntheticWalk, synthetic_walk

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
