"""What the robot stands on: contacts, cones, and whether they hold."""

from __future__ import annotations

from .. import registry
from . import batch
from .cones.friction_cone import FrictionCone
from .cones.gravito_inertial import (
    GravitoInertialCone,
    gravito_inertial_cone,
    gravito_inertial_wrench,
)
from .cones.soft_finger import SoftFingerCone
from .cones.wrench_cone import WrenchCone, net_wrench_cone, rectangle_faces
from .contact import Contact, PointContact
from .contact_set import ContactSet, at_feet
from .falling import falling_path
from .forces import contact_forces, static_hold
from .hold import Hold
from .motion.constrained import (
    ConstrainedMotion,
    GaussResidual,
    constrained_forward_dynamics,
    constrained_motion,
    constraint_rank,
    gauss_residual,
)
from .motion.frictional import FrictionalMotion, FrictionResiduals, frictional_forward_dynamics
from .motion.impact import impact
from .motion.operational_space import (
    delassus,
    dynamically_consistent_projector,
    operational_space_inertia,
)
from .moving_surface import MovingSurface
from .point_forces import PointForces
from .postures.posture import Posture, solve_posture
from .postures.self_collision import LinkPair, self_collisions
from .postures.targets import ground_targets
from .regions.friction_map import FrictionMap, friction_map
from .regions.region import (
    AccelerationCone,
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
from .scenario.parts import Start, Touch
from .scenario.scenario import Scenario, scenarios
from .sensitivity.margin_gradient import MarginGradient, margin_gradient
from .surface_contact import DiscContact, LineContact, SurfaceContact
from .sweeps import Sweep, sweep, variant
from .terrain.penetration import Penetration, penetrations
from .terrain.solids import Box, Face, Plane, Stairs, Wall
from .terrain.terrain import Terrain
from .zmp import zero_moment_point

__all__ = [
    "batch",
    "Contact",
    "PointContact",
    "SurfaceContact",
    "LineContact",
    "DiscContact",
    "ContactSet",
    "at_feet",
    "MovingSurface",
    "FrictionCone",
    "SoftFingerCone",
    "WrenchCone",
    "net_wrench_cone",
    "rectangle_faces",
    "GravitoInertialCone",
    "gravito_inertial_cone",
    "gravito_inertial_wrench",
    "static_hold",
    "contact_forces",
    "Hold",
    "Region",
    "static_equilibrium_polygon",
    "zmp_support_area",
    "com_acceleration_cone",
    "AccelerationCone",
    "feasible_region",
    "PointForces",
    "equilibrium_polygon",
    "zmp_area",
    "constrained_forward_dynamics",
    "constrained_motion",
    "ConstrainedMotion",
    "constraint_rank",
    "gauss_residual",
    "GaussResidual",
    "frictional_forward_dynamics",
    "FrictionalMotion",
    "FrictionResiduals",
    "impact",
    "delassus",
    "operational_space_inertia",
    "dynamically_consistent_projector",
    "solve_posture",
    "Posture",
    "ground_targets",
    "self_collisions",
    "LinkPair",
    "Scenario",
    "scenarios",
    "ScenarioError",
    "Touch",
    "Push",
    "Rope",
    "Payload",
    "Start",
    "Terrain",
    "penetrations",
    "Penetration",
    "Plane",
    "Box",
    "Stairs",
    "Wall",
    "falling_path",
    "margin_gradient",
    "MarginGradient",
    "robust_equilibrium_polygon",
    "Pushes",
    "friction_map",
    "FrictionMap",
    "sweep",
    "Sweep",
    "variant",
    "Face",
    "zero_moment_point",
]

__getattr__ = registry.moved("contacts")
