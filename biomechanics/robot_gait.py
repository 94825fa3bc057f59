"""Gait analysis with a humanoid robot model, independent of the segment model.

The robot is scaled to the subject and fitted to the filtered markers; the plates are the same, its
skeleton and mass distribution its own, so that the difference shows their influence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .. import registry
from ..arrays import Array
from ..errors import ConfigurationError
from ..robots.robot import Robot
from ..robots.values import instance, mapping
from .axes import turning
from .chains.chain_forces import ChainForces
from .chains.robot_chain import chain_of_robot, motion_of_robot
from .footfalls import ground_wrenches
from .gait import Gait
from .markers.marker_fit import MarkerFit
from .robot_dynamics import TrialDynamics, trial_dynamics
from .series.vectors import rms
from .subject import HUMAN, Subject, make_subject


@dataclass(frozen=True, eq=False, repr=False)
class RobotGait:
    """Gait analysis with a robot model.

    Attributes:
        gait: the analysis with the segment model.
        subject: the scaled robot with the markers on it.
        fit: its configurations.
        dynamics: joint torques, and residual wrench at the base.
        forces: wrenches at its joints.
        links: {segment: link}.
    """

    gait: Gait
    subject: Subject
    fit: MarkerFit
    dynamics: TrialDynamics
    forces: ChainForces
    links: Mapping[str, str]

    def moment(self, joint: str) -> Array:
        """Return the moment (n, 3) [N·m] on the link below "right ankle", …, laboratory axes."""
        model = self.subject.robot._model
        link = self.links[self.gait.segment(joint)]
        name = model.names[model.frames[self.subject.robot.frame_id(link)].parentJoint]
        R = turning("z", self.gait.trial.markers.up)
        return np.asarray(self.forces.moment(name) @ R.T)

    def apart(self) -> dict[str, float]:
        """Return {joint: rms difference of its moment from the segment model's [N·m]}.

        Over the frames that the plates explain.
        """
        ok = self.gait.explained
        if not ok.any():
            return {}
        return {
            joint: rms((self.moment(joint) - self.gait.moment(joint, "world"))[ok])
            for joint in self.gait.joints
        }

    def residual(self) -> tuple[float, float] | None:
        """Return the rms residual force [N] and moment [N·m] at the base, where explained."""
        ok, left = self.gait.explained, self.dynamics.residual
        return (rms(left.force[ok]), rms(left.moment[ok])) if ok.any() else None

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        return f"RobotGait({self.subject.robot.name!r}, {self.fit!r})"


def robot_gait(
    gait: Gait, robot: Robot, links: Mapping[str, str] = HUMAN, *, progress: bool | None = None
) -> RobotGait:
    """Repeat a gait analysis with a robot model.

    Args:
        gait: with pelvis and both legs.
        robot: a humanoid with anatomical links and a floating base, such as `load("human")`.
        links: {segment: link of the robot}.
        progress: draw a bar on stderr; when not given, if that is a terminal.

    Raises:
        ConfigurationError: one leg only, or links that the robot does not have.
    """
    instance(gait, "gait", Gait)
    links = mapping(links, "links", kind="segment")
    if not gait.names.pelvis:
        raise ConfigurationError("a robot needs the markers of a pelvis and both legs; got one leg")
    markers = gait.trial.markers
    subject = make_subject(robot, markers, gait.mass, names=gait.names, links=links)
    fit = subject.follow(markers, progress)
    plates = gait.trial.turned("z").plates
    ground = ground_wrenches(plates, list(gait.footfalls))
    model = subject.robot._model
    on = {links[foot]: wrenches for foot, wrenches in ground.items()}
    dynamics = trial_dynamics(subject.robot, fit.q, fit.rate, on)
    joints = {
        model.names[model.frames[subject.robot.frame_id(link)].parentJoint]: wrenches
        for link, wrenches in on.items()
    }
    motion = motion_of_robot(subject.robot, dynamics.q, dynamics.v, dynamics.a)
    forces = chain_of_robot(subject.robot).solve(motion, joints)
    return RobotGait(gait, subject, fit, dynamics, forces, links)
