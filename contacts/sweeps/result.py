"""Result of a sweep: arrays by axis, as a dataset or a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import registry
from ...arrays import Array
from ...errors import FootworkError
from ...files import as_csv, replaced, write
from ..scenario.file import ScenarioError
from .plan import Plan

UNITS = {"margin": "N", "push_margin": "N", "torque_margin": "1", "friction_margin": "1"}
FEASIBLE = (
    "1 yes, 0 no, -1 at the edge or unsolved, -2 no posture whose contacts touch, -3 no scenario"
)


_WORDS = {1: "hold", 0: "do not", -1: "undecided", -2: "out of reach", -3: "refused"}


@dataclass(frozen=True, eq=False)
class Sweep:
    """The answers of a sweep.

    Attributes:
        plan: of the sweep.
        rows: (count, 1 + quantities), [feasible, *quantities] of every point, the last axis
            fastest; nan where there is no answer.
        refused: what is wrong with the scenarios that cannot be, each message once.
    """

    plan: Plan
    rows: Array
    refused: tuple[str, ...] = ()

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        shape, name = " × ".join(map(str, self.plan.shape)), Path(self.plan.file).stem
        counts = {word: int((self.feasible == value).sum()) for value, word in _WORDS.items()}
        told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        return f"Sweep({name!r}, {shape} points of {', '.join(self.plan.axes)}: {told})"

    @property
    def feasible(self) -> NDArray[np.int8]:
        """In the shape of the grid or (samples,): 1 yes, 0 no, −1 at the edge, −2 out of reach,
        −3 no scenario, as of a foot that hangs over its step."""
        return self.rows[:, 0].astype(np.int8).reshape(self.plan.shape)

    def __getitem__(self, quantity: str) -> Array:
        """Return a quantity in the shape of the grid, or (samples,)."""
        names = self.plan.quantities
        if quantity not in names:
            raise ScenarioError(f"got {quantity!r}, expected one of {list(names)} of this sweep")
        return np.array(self.rows[:, 1 + names.index(quantity)]).reshape(self.plan.shape)

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
        """Write the dataset: .nc (netCDF), .zarr (a folder) or .csv.

        A file of that name is replaced once the new one is whole.

        Raises:
            ScenarioError: another ending.
            FootworkError: what the ending needs is not installed, or it cannot be written.
        """
        path = writable(path)
        with replaced(path) as part:
            part.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".csv":
                part.write_bytes(self._csv().encode())
            elif path.suffix == ".nc":
                self.dataset().to_netcdf(part, engine="scipy")
            else:
                self.dataset().to_zarr(part, zarr_format=2)  # all read it
        return path

    def write_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the points and answers as comma-separated lines; return the path."""
        return write(path, self._csv())

    def _csv(self) -> str:
        columns = [*self.plan.axes, "feasible", *self.plan.quantities]
        pairs = zip(self.plan.points(), self.rows, strict=True)
        rows = ([*point, int(row[0]), *row[1:].tolist()] for point, row in pairs)
        return as_csv(columns, rows)


_NEEDS = {".nc": ("xarray",), ".zarr": ("xarray", "zarr"), ".csv": ()}


def writable(path: str | os.PathLike[str]) -> Path:
    """Return where a sweep can be saved; ask before the work, not after it.

    Raises:
        ScenarioError: an ending that is not known.
        FootworkError: what it needs is not installed.
    """
    path = Path(path)
    if path.suffix not in _NEEDS:
        raise ScenarioError(f"{path}: got {path.suffix!r}, expected one of {list(_NEEDS)}")
    missing = [name for name in _NEEDS[path.suffix] if find_spec(name) is None]
    if missing:
        extra = "zarr" if missing == ["zarr"] else "'footwork[sweep]'"
        raise FootworkError(f"{path}: needs {' and '.join(missing)}: pip install {extra}")
    return path
