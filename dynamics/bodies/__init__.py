"""Bodies without a description file: moving observers, symbols, segments of a laboratory."""

from __future__ import annotations

from .block_form import BlockForm, block_form
from .chain_forces import ChainForces
from .inertia import inertia_about, moved_inertia, rotated_inertia, steiner
from .moving_frames import (
    FictitiousWrenches,
    MovingFrame,
    fictitious_wrenches_of,
    frame_motion,
)
from .moving_frames_balance import (
    WrenchBalance,
    body_motions,
    fictitious_wrenches,
    observed_joint_wrenches,
    wrench_balance,
)
from .robot_chain import chain_of_robot, motion_of_robot
from .rotations import angular_acceleration, angular_velocity
from .segment_motion import SegmentMotion
from .segments import Segment, SegmentChain
from .time_derivatives import differentiate
from .wrench_series import WrenchSeries

__all__ = [
    "MovingFrame",
    "frame_motion",
    "body_motions",
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
]
