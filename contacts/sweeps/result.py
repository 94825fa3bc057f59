"""What a sweep found: arrays by axis, a dataset, a file, a picture."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import FootworkError
from ..scenario.file import ScenarioError
from .plan import Plan
from .verdicts import Row

Array = NDArray[np.float64]

UNITS = {"margin": "N", "push_margin": "N", "torque_margin": "1", "friction_margin": "1"}
FEASIBLE = "1 yes, 0 no, -1 at the edge or unsolved, -2 no posture whose contacts touch"


@dataclass(frozen=True, eq=False)
class Sweep:
    """The answers of a sweep.

    Attributes:
        plan: what was asked.
        rows: [feasible, *quantities] of every point, in the plan's order.
    """

    plan: Plan
    rows: list[Row]

    @property
    def feasible(self) -> NDArray[np.int8]:
        """1 yes, 0 no, −1 at the edge, −2 out of reach, in the shape of the grid or (samples,)."""
        return np.array([row[0] for row in self.rows], dtype=np.int8).reshape(self.plan.shape)

    def __getitem__(self, quantity: str) -> Array:
        """Return a quantity in the shape of the grid, or (samples,)."""
        names = self.plan.quantities
        if quantity not in names:
            raise ScenarioError(f"got {quantity!r}, expected one of {list(names)} of this sweep")
        k = 1 + names.index(quantity)
        return np.array([row[k] for row in self.rows], dtype=float).reshape(self.plan.shape)

    def dataset(self) -> Any:
        """Return an `xarray.Dataset`: a dimension an axis, or one called sample.

        Raises:
            FootworkError: xarray is not installed.
        """
        try:
            import xarray
        except ImportError as error:
            raise FootworkError("datasets need xarray: pip install 'footwork[sweep]'") from error
        plan = self.plan
        names = ["sample"] if plan.samples else list(plan.axes)
        if plan.samples:
            columns = zip(plan.axes, plan.sample.T, strict=True)
            coords: dict[str, Any] = {key: ("sample", column) for key, column in columns}
        else:
            coords = {key: list(values) for key, values in plan.axes.items()}
        data: dict[str, Any] = {"feasible": (names, self.feasible, {"meaning": FEASIBLE})}
        data |= {q: (names, self[q], {"units": UNITS[q]}) for q in plan.quantities}
        about = {"scenario": plan.text, "seed": plan.seed, "digest": plan.digest}
        return xarray.Dataset(data, coords=coords, attrs=about)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the dataset: .nc (netCDF), .zarr (a folder, needs zarr) or .csv.

        Raises:
            ScenarioError: another ending.
        """
        path = Path(path)
        writers: dict[str, Callable[[], object]] = {
            ".nc": lambda: self.dataset().to_netcdf(path, engine="scipy"),
            ".zarr": lambda: self.dataset().to_zarr(path, mode="w"),
            ".csv": lambda: path.write_text(self.table(), encoding="utf-8"),
        }
        if path.suffix not in writers:
            raise ScenarioError(f"{path}: got {path.suffix!r}, expected one of {list(writers)}")
        path.parent.mkdir(parents=True, exist_ok=True)
        writers[path.suffix]()
        return path

    def table(self) -> str:
        """Return the points and answers as comma-separated lines."""
        plan = self.plan
        lines = [",".join([*plan.axes, "feasible", *plan.quantities])]
        points = (point for k in range(plan.chunks) for point in plan.points(k))
        for point, row in zip(points, self.rows, strict=True):
            lines.append(",".join(map(str, [*point.values(), int(row[0]), *row[1:]])))
        return "\n".join(lines) + "\n"
