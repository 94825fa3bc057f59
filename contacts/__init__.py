"""Contacts: limits, contact wrench cones, static equilibrium, support regions, scenarios."""

from __future__ import annotations

from .. import registry
from . import batch
from .audits.audit import Audit
from .audits.many import audit_files
from .audits.run import audit
from .audits.table import AuditTable
from .cones.friction_cone import FrictionCone
from .cones.soft_finger import SoftFingerCone
from .contact import Contact, PointContact
from .contact_set import ContactSet, at_feet
from .forces import contact_forces, static_hold
from .hold import Hold
from .motion.constrained import constrained_forward_dynamics, constrained_motion
from .motion.frictional import frictional_forward_dynamics
from .motion.impact import impact
from .motion.operational_space import operational_space_inertia
from .moving_surface import MovingSurface
from .point_forces import PointForces
from .postures.posture import Posture, solve_posture
from .postures.self_collision import self_collisions
from .postures.velocity import PostureVelocity, solve_velocity
from .regions.friction_map import friction_map
from .regions.region import (
    Region,
    com_acceleration_cone,
    equilibrium_polygon,
    feasible_region,
    static_equilibrium_polygon,
    zmp_area,
    zmp_support_area,
)
from .regions.robust_region import Pushes, robust_equilibrium_polygon
from .scenario.file import ScenarioError
from .scenario.loads import Payload, Push, Rope
from .scenario.parts import ScenarioContact, Start
from .scenario.scenario import Scenario, scenarios
from .schedules.corners import at_corners
from .schedules.finding import find_contacts
from .schedules.schedule import ContactSchedule
from .schedules.timed_loads import AppliedWrench, CarriedMass, load_torques, wrenches_along
from .sensitivity.margin_gradient import margin_gradient
from .support import supported
from .surface_contact import DiscContact, LineContact, SurfaceContact
from .sweeps.run import sweep
from .terrain.height_map import HeightMap
from .terrain.penetration import penetrations
from .terrain.solids import Box, Plane, Stairs, Wall
from .terrain.terrain import Terrain
from .wrench_cones.gravito_inertial import gravito_inertial_cone
from .wrench_cones.wrench_cone import WrenchCone, net_wrench_cone
from .zmp import zero_moment_point

__all__ = [
    "batch",
    "Contact",
    "PointContact",
    "SurfaceContact",
    "LineContact",
    "DiscContact",
    "supported",
    "ContactSet",
    "at_feet",
    "at_corners",
    "ContactSchedule",
    "find_contacts",
    "CarriedMass",
    "AppliedWrench",
    "wrenches_along",
    "load_torques",
    "MovingSurface",
    "FrictionCone",
    "SoftFingerCone",
    "WrenchCone",
    "net_wrench_cone",
    "gravito_inertial_cone",
    "static_hold",
    "contact_forces",
    "Hold",
    "Region",
    "static_equilibrium_polygon",
    "zmp_support_area",
    "com_acceleration_cone",
    "feasible_region",
    "PointForces",
    "equilibrium_polygon",
    "zmp_area",
    "constrained_forward_dynamics",
    "constrained_motion",
    "frictional_forward_dynamics",
    "impact",
    "operational_space_inertia",
    "solve_posture",
    "PostureVelocity",
    "solve_velocity",
    "Posture",
    "self_collisions",
    "Scenario",
    "scenarios",
    "ScenarioError",
    "ScenarioContact",
    "Push",
    "Rope",
    "Payload",
    "Start",
    "HeightMap",
    "Terrain",
    "penetrations",
    "Plane",
    "Box",
    "Stairs",
    "Wall",
    "margin_gradient",
    "robust_equilibrium_polygon",
    "Pushes",
    "friction_map",
    "sweep",
    "zero_moment_point",
    "audit",
    "Audit",
    "audit_files",
    "AuditTable",
]

__getattr__ = registry.moved("contacts")
