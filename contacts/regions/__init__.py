"""Regions: where the centre of mass, or the ZMP, may be, and on how much friction."""

from .friction_map import FrictionMap, friction_map
from .region import (
    AccelerationCone,
    Region,
    com_acceleration_cone,
    equilibrium_polygon,
    feasible_region,
    static_equilibrium_polygon,
    zmp_area,
    zmp_support_area,
)
from .robust_region import Pushes, robust_equilibrium_polygon

__all__ = [
    "AccelerationCone",
    "FrictionMap",
    "Pushes",
    "Region",
    "com_acceleration_cone",
    "equilibrium_polygon",
    "feasible_region",
    "friction_map",
    "robust_equilibrium_polygon",
    "static_equilibrium_polygon",
    "zmp_area",
    "zmp_support_area",
]
