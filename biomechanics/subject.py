"""Subject-specific humanoid models: scaling of the robot and placement of markers on it.

The links of the robot must have anatomical axes, x forward, y up, z to the right, and their origins
in the proximal joints. The `human` of example-robot-data is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..dynamics.kinematics import frame_placement
from ..errors import ConfigurationError, counted
from ..robots.configuration import check_robot
from ..robots.robot import Robot
from ..robots.values import instance, mapping, number, whole_number
from .body_model import distance
from .markers.anatomical_frames import Poses, segment_poses
from .markers.marker_fit import Attachments, MarkerFit, attach, brought_to, fit_markers
from .markers.marker_sets import SIDES, MarkerSet, marker_set_of, on_their_sides
from .markers.markers import Markers

HUMAN = {
    "pelvis": "middle_pelvis",
    **{
        f"{side} {segment}": f"{side}_{link}"
        for side in SIDES
        for segment, link in (("thigh", "upperleg"), ("shank", "lowerleg"), ("foot", "foot"))
    },
}
_ARM = 0.1  # [m], distance of the points that represent a segment's axes


@dataclass(frozen=True, eq=False, repr=False)
class Subject:
    """A robot of a subject's size.

    Attributes:
        robot: scaled.
        attachments: {marker: (link, position on it)}.
        start: its configuration in the first frame used (nq,).
        factors: {link: scale factor}.
        fit: of the joint centres and segment axes in the frames used.
    """

    robot: Robot
    attachments: Attachments
    start: Array
    factors: Mapping[str, float]
    fit: MarkerFit

    def __repr__(self) -> str:
        fitted = f"{counted(len(self.attachments), 'marker')} within {1e3 * self.fit.rms:.3g} mm"
        return f"Subject({self.robot.name!r}, {self.robot.mass:.4g} kg, {fitted})"

    def follow(self, markers: Markers, progress: bool | None = None) -> MarkerFit:
        """Return the configurations that fit the markers of a trial.

        Raises:
            ConfigurationError: markers that it does not have.
        """
        start = brought_to(self.robot, self.start, self.attachments, markers)
        return fit_markers(self.robot, markers, self.attachments, start, progress=progress)


def make_subject(
    robot: Robot,
    markers: Markers,
    mass: float,
    *,
    names: MarkerSet | None = None,
    links: Mapping[str, str] = HUMAN,
    every: int = 10,
) -> Subject:
    """Return a robot scaled to a subject, with the markers attached.

    Thighs, shanks and the pelvis get the lengths given by the joint centres. Then joint centres and
    segment axes are fitted in every k-th frame, and each marker is attached to its link at its mean
    position. A static trial of one frame suffices; `Subject.follow` fits the others.

    Args:
        robot: a humanoid with anatomical links.
        markers: of pelvis and both legs.
        mass: of the subject [kg].
        names: the marker set; None: the known set that fits.
        links: {segment: link of the robot}.
        every: k.

    Raises:
        ConfigurationError: unknown markers or links.
    """
    check_robot(robot)
    instance(markers, "markers", Markers)
    _check_links(robot, mapping(links, "links", kind="segment"))
    every = whole_number(every, "every", at_least=1)
    if names is None:
        names = marker_set_of(markers)
    names, _ = on_their_sides(markers, instance(names, "names", MarkerSet))
    seen = markers.turned("z")
    poses = segment_poses(seen, names)
    factors = _factors(robot, poses, links)
    scaled = scaled_robot(robot, factors, mass)
    points, places = _axes_points(scaled, poses, links)
    frames = np.arange(0, len(seen), every)
    virtual = Markers(tuple(places), points[frames], seen.rate, "z")
    fit = fit_markers(scaled, virtual, places, progress=False)
    on = _links_of_markers(names, links)
    attachments = attach(scaled, fit.q, on, seen.only(tuple(on)).positions[frames])
    return Subject(scaled, attachments, fit.q[0], factors, fit)


def _check_links(robot: Robot, links: Mapping[str, str]) -> None:
    """Raise if a segment has no link, or a link that the robot has not."""
    if lacking := [segment for segment in HUMAN if segment not in links]:
        raise ConfigurationError(
            f"links: got none for {', '.join(lacking)}; expected one for each of {list(HUMAN)}"
        )
    if others := [link for link in links.values() if link not in robot.frame_names]:
        raise ConfigurationError(
            f"{robot.name!r} has no link {', '.join(map(repr, others))}; expected a robot with the "
            'links of a person, such as "human", or links={segment: link}'
        )


def _factors(robot: Robot, poses: Poses, links: Mapping[str, str]) -> dict[str, float]:
    """{link: measured length / the robot's}; foot and trunk are scaled with the legs."""
    q = robot.neutral()
    origin = {s: frame_placement(robot, q, link).translation for s, link in links.items()}

    def factor(a: str, b: str) -> float:
        return distance(poses[a][1], poses[b][1]) / float(np.linalg.norm(origin[a] - origin[b]))

    factors = {}
    for side in SIDES:
        thigh, shank, foot = (f"{side} {segment}" for segment in ("thigh", "shank", "foot"))
        factors[links[thigh]] = factor(thigh, shank)
        factors[links[shank]] = factors[links[foot]] = factor(shank, foot)
    factors[links["pelvis"]] = factor("right thigh", "left thigh")
    return factors


def _axes_points(
    robot: Robot, poses: Poses, links: Mapping[str, str]
) -> tuple[Array, dict[str, tuple[str, Array]]]:
    """Return points (n, 4 k, 3) that represent k segment frames, and their positions on links."""
    q = robot.neutral()
    hips = [frame_placement(robot, q, links[f"{s} thigh"]).translation for s in SIDES]
    pelvis = frame_placement(robot, q, links["pelvis"]).actInv(np.mean(hips, axis=0))
    points, places = [], {}
    for segment, link in links.items():
        R, origin = poses[segment]
        centre = pelvis if segment == "pelvis" else np.zeros(3)
        points.append(origin)
        places[segment] = (link, centre)
        for k, axis in enumerate("xyz"):
            points.append(origin + _ARM * R[..., k])
            places[f"{segment} {axis}"] = (link, centre + _ARM * np.eye(3)[k])
    return np.stack(points, axis=1), places


def _links_of_markers(names: MarkerSet, links: Mapping[str, str]) -> dict[str, str]:
    """Return {marker: link}: knee markers are on the thigh, ankle markers on the shank."""
    carried = {"knee": "thigh", "ankle": "shank", "heel": "foot", "toe": "foot"}
    on = {
        marker: links[f"{side} {carried[landmark.split()[0]]}"]
        for side, leg in names.legs.items()
        for landmark, marker in leg.items()
        if landmark.split()[0] in carried
    }
    return on | {marker: links["pelvis"] for marker in names.pelvis.values()}


def scaled_robot(robot: Robot, factors: Mapping[str, float], mass: float | None = None) -> Robot:
    """Return a robot with links scaled by factors and a total mass.

    Positions of joints, frames and the centre of mass on a link, and its radii of gyration, are
    multiplied by s; all masses by a common factor. Shapes and postures do not change.

    Args:
        robot: of the file.
        factors: {link: s}; other links keep their size.
        mass: of all links together [kg]; None: unchanged.

    Raises:
        ConfigurationError: no such link, or a factor or mass that is not positive.
    """
    model = robot.model
    scale = np.ones(model.njoints)
    for link, s in factors.items():
        factor = number(s, f"factors[{link!r}]", above=0)
        scale[model.frames[robot.frame_id(link)].parentJoint] = factor
    heavier = 1.0 if mass is None else number(mass, "mass", above=0, unit="[kg]") / robot.mass
    for j in range(model.njoints):
        s, inertia = scale[j], model.inertias[j]
        m = heavier * inertia.mass
        model.inertias[j] = pin.Inertia(m, s * inertia.lever, heavier * s**2 * inertia.inertia)
        if j:
            placement = model.jointPlacements[j]
            moved = scale[model.parents[j]] * placement.translation
            model.jointPlacements[j] = pin.SE3(placement.rotation, moved)
    for frame in model.frames:
        placement = frame.placement
        frame.placement = pin.SE3(
            placement.rotation, scale[frame.parentJoint] * placement.translation
        )
    return replace(robot, model=model)
