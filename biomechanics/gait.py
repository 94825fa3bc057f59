"""Gait analysis: three-dimensional joint forces and moments of a trial by inverse dynamics.

Markers are filtered, converted to segment frames and differentiated; the plates' wrenches are
assigned to feet; the equations of the chain are solved for all joints and frames at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .. import registry
from ..arrays import Array
from ..dynamics.motions.filters import SHORTEST, lowpass
from ..errors import ConfigurationError, unknown
from ..robots.values import boolean, instance, number, one_of
from .axes import up_vector
from .body_model import body_model
from .chains.chain_forces import ChainForces
from .chains.joint_coordinates import joint_angles
from .chains.segment_motion import SegmentMotion
from .footfalls import Footfall, footfalls, ground_wrenches
from .lab.trial import Trial
from .markers.anatomical_frames import segment_poses
from .markers.marker_sets import OUTWARDS, MarkerSet, implausible, marker_set_of, on_their_sides
from .markers.swapped_labels import relabelled
from .plate_timing import plate_timing

BELOW = {"hip": "thigh", "knee": "shank", "ankle": "foot"}  # joint -> the segment below it
_FOOT = ("heel", "toe lateral", "toe medial")  # markers
STEPS = ("filter", "frames", "derivatives", "feet", "forces")


@dataclass(frozen=True, eq=False, repr=False)
class Gait:
    """Joint kinematics and kinetics of a walking subject.

    Joints are named by side and joint, "right ankle". Forces and moments are those of the upper
    segment on the lower one.

    Attributes:
        trial: filtered, all at the markers' rate.
        mass: of the subject [kg].
        forces: of the segment chain, with `forces.residual`.
        footfalls: steps of feet on plates.
        names: the marker set.
    """

    trial: Trial
    mass: float
    forces: ChainForces
    footfalls: tuple[Footfall, ...]
    names: MarkerSet

    @property
    def t(self) -> Array:
        """(n,) times [s]."""
        return self.trial.markers.t

    @property
    def joints(self) -> tuple[str, ...]:
        """ "right ankle", "right knee", …; hips only where the pelvis was measured."""
        known = [joint for joint in BELOW if joint != "hip" or self.names.pelvis]
        return tuple(f"{side} {joint}" for side in self.names.legs for joint in reversed(known))

    def segment(self, joint: str) -> str:
        """Return the distal segment of a joint, after which the chain names the joint.

        Raises:
            ConfigurationError: there is no such joint.
        """
        side, _, name = str(joint).partition(" ")
        if side not in self.names.legs or name not in BELOW:
            raise ConfigurationError(unknown("joint", joint, self.joints))
        return f"{side} {BELOW[name]}"

    def force(self, joint: str, axes: str = "segment", per_mass: bool = False) -> Array:
        """Return the force (n, 3) [N or N/kg] on the distal segment; axes as in `ChainForces`."""
        return self.forces.force(self.segment(joint), axes) / self._per(per_mass)

    def moment(self, joint: str, axes: str = "joint", per_mass: bool = False) -> Array:
        """Return the moment (n, 3) [N·m or N·m/kg] on the distal segment, about the joint.

        In "joint" axes: flexion (dorsiflexion), adduction and internal rotation moments, positive
        on both sides; a knee extension moment is negative in the first component.
        """
        moment = self.forces.moment(self.segment(joint), axes) / self._per(per_mass)
        return moment * self._signs(joint) if axes == "joint" else moment

    def power(self, joint: str, per_mass: bool = False) -> Array:
        """Return the power of a joint's moment, M·(ω_lower − ω_upper) (n,) [W or W/kg].

        `forces.power` can include the power of the joint force on the relative translation.
        """
        return self.forces.power(self.segment(joint), sliding=False) / self._per(per_mass)

    def angles(self, joint: str) -> Array:
        """Return flexion, adduction and internal rotation (n, 3) [rad], positive on both sides.

        Grood and Suntay's angles (`joint_coordinates`); zero where both segments' axes agree.
        """
        i = self.forces.chain.index(self.segment(joint))
        parent, R = self.forces.chain.parents[i], self.forces.motion.R
        if parent < 0:
            raise ConfigurationError(f"{joint!r} has no measured proximal segment")
        return joint_angles(R[:, parent], R[:, i]) * self._signs(joint)

    def _carried(self) -> Array:
        """(n,) vertical force on all plates [N]."""
        return sum((plate.vertical for plate in self.trial.plates), np.zeros(len(self.t)))

    def _weight(self) -> float:
        """Of the subject [N]."""
        return self.mass * float(np.linalg.norm(self.forces.chain.gravity))

    def _per(self, per_mass: bool) -> float:
        """What to divide by: the mass, or 1."""
        return self.mass if boolean(per_mass, "per_mass") else 1.0

    def _signs(self, joint: str) -> Array:
        """Return the signs from rotations about z, x and y to anatomical angles of a side."""
        side, _, name = joint.partition(" ")
        inwards = OUTWARDS[side]  # which way the other two turn
        return np.array([-1.0 if name == "knee" else 1.0, inwards, inwards])

    @property
    def explained(self) -> NDArray[np.bool_]:
        """(n,) whether the plates explain the motion.

        They do if the residual, low-pass filtered at 5 Hz, is below a fifth of the weight, or of
        the largest load where that is more, as in a run; while a foot stands beside the plates it
        is the whole weight, and the joint moments of that leg are wrong. The constant part of the
        residual, due to a wrong mass, does not count (it is in `warnings`). Without a pelvis every
        frame counts as explained.
        """
        if not self.names.pelvis:
            return np.ones(len(self.t), dtype=bool)
        gravity, weighed = self.forces.chain.gravity, self.weighed() or self.mass
        slow, carried = self.forces.residual.force, self._carried()
        if abs(weighed - self.mass) < 0.4 * self.mass:
            slow = slow - (weighed - self.mass) * gravity
        if len(slow) > SHORTEST and self.trial.markers.rate > 20:
            slow = lowpass(slow, self.trial.markers.rate, 5.0)
            carried = lowpass(carried, self.trial.markers.rate, 5.0)
        largest = max(self._weight(), float(np.max(carried, initial=0.0)))
        return np.asarray(np.linalg.norm(slow, axis=1) < 0.2 * largest)

    def weighed(self) -> float | None:
        """Return the mean load of the plates over a stride [kg], or None without one.

        From one step of a foot to its next, the mean vertical acceleration of the body is almost
        zero. Of several strides the largest: a foot beside the plates can only reduce it. Strides
        without a step of the other foot on a plate are ignored.
        """
        carried = self._carried()
        gravity = np.linalg.norm(self.forces.chain.gravity)
        strides = []
        steps = [step for step in self.footfalls if step.foot]
        for foot in {step.foot for step in steps}:
            starts = [step.first for step in steps if step.foot == foot]
            others = [step.first for step in steps if step.foot != foot]
            strides += [(a, b) for a, b in pairwise(starts) if any(a < x < b for x in others)]
        return max((float(np.mean(carried[a:b]) / gravity) for a, b in strides), default=None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed or corrected, such as right and left swapped; the warnings last."""
        return (*self.trial.notes, *self.warnings())

    def warnings(self) -> list[str]:
        """Return warnings: plates without loads or out of time, a mass that differs, unexplained
        frames."""
        return [*self._mass_warnings(), *self._out_of_time(), *self._unexplained()]

    def _out_of_time(self) -> list[str]:
        """Return what is to be said of plates that are not in time with the markers."""
        markers = self.trial.markers
        feet = {
            f"{side} foot": np.stack([markers[leg[place]] for place in _FOOT], axis=1)
            for side, leg in self.names.legs.items()
        }
        loads = {plate.name: plate.vertical for plate in self.trial.plates}
        timing = plate_timing(loads, self.footfalls, feet, markers.rate)
        doubt = timing.doubt() if timing else ""
        return [doubt] if doubt else []

    def _unexplained(self) -> list[str]:
        """Return why frames with a loaded plate are not `explained`, where most of them are not."""
        on = np.any([plate.loaded for plate in self.trial.plates], axis=0)
        good = int((self.explained & on).sum())
        if not np.any(on) or good > 0.5 * on.sum():
            return []
        left = np.median(np.linalg.norm(self.forces.residual.force[on], axis=1)) / self._weight()
        return [
            f"the plates explain {good} of the {int(on.sum())} frames in which one is loaded: what "
            f"is left over at the pelvis is {left:.2g} times the weight; a foot stands "
            "beside the plates, plates are not in time with the markers, or the trunk does not "
            "move with the pelvis"
        ]

    def _mass_warnings(self) -> list[str]:
        weighed = self.weighed()
        if weighed is not None:
            told = f"the plates carry {weighed:.1f} kg over a stride, not {self.mass:g} kg"
            return [told] if abs(weighed - self.mass) > 0.1 * self.mass else []
        plates = self.trial.plates
        largest = max((plate.vertical.max(initial=0.0) for plate in plates), default=0.0)
        if not any(plate.loaded.any() for plate in plates):
            told = f"no plate is loaded: the largest vertical force is {largest:.3g} N"
            return [told] if plates else []
        most = largest / self._weight()
        told = f"no plate carries more than {most:.2g} times the weight: is the mass right?"
        return [] if 0.6 < most < 8 else [told]

    def stance(self, side: str) -> NDArray[np.bool_]:
        """Return (n,) whether the foot of a side was on a plate."""
        one_of(side, "side", tuple(self.names.legs))
        on = np.zeros(len(self.t), dtype=bool)
        for step in self.footfalls:
            if step.foot == f"{side} foot":
                on[step.first : step.last + 1] = True
        return on

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        return (
            f"Gait({self.trial.source!r}, {self.mass:g} kg, joints {list(self.joints)}, "
            f"{len(self.footfalls)} footfalls, {len(self.notes)} notes)"
        )


def analyse_gait(
    trial: Trial,
    mass: float,
    *,
    sex: str = "male",
    cutoff: float | None = 6.0,
    force_cutoff: float | None = None,
    names: MarkerSet | None = None,
    longest_gap: float = 0.1,
    gravity: float = 9.81,
    progress: Callable[[str], None] = lambda step: None,
) -> Gait:
    """Return forces, moments, angles and powers of all joints with markers.

    Args:
        trial: as read.
        mass: of the subject [kg].
        sex: of the body segment table: "male" or "female".
        cutoff: of the low-pass filter [Hz]; None: no filter.
        force_cutoff: of the plates [Hz]; None: the same.
        names: the marker set; None: the known set that fits.
        longest_gap: longest gap of a marker that is interpolated [s].
        gravity: [m/s²].
        progress: called with each of `STEPS` as it begins.

    Raises:
        ConfigurationError: unknown markers, gaps that are too long, a bad mass or cut-off.
    """
    progress("filter")
    instance(trial, "trial", Trial)
    number(gravity, "gravity", at_least=0, unit="[m/s²]")
    number(longest_gap, "longest_gap", at_least=0, unit="[s]")
    if names is None:
        names = marker_set_of(trial.markers)
    instance(names, "names", MarkerSet)
    markers, swapped = relabelled(trial.markers.only(names.markers), names)
    markers = markers.filled(longest_gap)
    markers.require_whole()
    names, sides = on_their_sides(markers, names)
    notes = [*trial.notes, *swapped, *([sides] if sides else []), *implausible(markers, names)]
    filled = replace(trial, markers=markers, notes=tuple(notes))
    whole = filled.smoothed(cutoff, force_cutoff)
    progress("frames")
    poses = segment_poses(whole.markers, names)
    down = -gravity * up_vector(whole.markers.up)
    chain = body_model(whole.markers, names, poses, mass, sex, down)
    progress("derivatives")
    motion = SegmentMotion.from_poses(poses, whole.markers.rate)
    whole = replace(whole, notes=(*whole.notes, *_lying(motion, names, whole.markers.up)))
    progress("feet")
    unfiltered = filled.smoothed(None).plates
    steps = footfalls(unfiltered, _middles(whole, names))
    progress("forces")
    forces = chain.solve(motion, ground_wrenches(whole.plates, steps))
    return Gait(whole, float(mass), forces, tuple(steps), names)


def _lying(motion: SegmentMotion, names: MarkerSet, up: str) -> list[str]:
    """Return a note if the shanks are not upright: the vertical axis may be wrong."""
    steepness = [
        float(np.mean(motion.R[:, motion.index(f"{side} shank"), :, 1] @ up_vector(up)))
        for side in names.legs
    ]
    if min(steepness) > 0.5:
        return []
    return [f"the shanks are not upright along {up}: is {up} the vertical axis?"]


def _middles(trial: Trial, names: MarkerSet) -> dict[str, Array]:
    """{"right foot": midway between heel and toes (n, 3)}."""
    markers = trial.markers
    return {
        f"{side} foot": markers[leg["heel"]] / 2
        + (markers[leg["toe lateral"]] + markers[leg["toe medial"]]) / 4
        for side, leg in names.legs.items()
    }
