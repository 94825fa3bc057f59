"""`footwork terms`: terms of the equations of motion in one state, computed by two methods."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FootworkError
from ..files import write, write_npz
from . import flags
from .output import answer, write_table, wrote

if TYPE_CHECKING:
    import numpy as np

    from ..robots import Robot


def add(commands: Any) -> None:
    """Declare the flags of `footwork terms`."""
    words = (
        "terms of the equations of motion by two methods: in a posture at rest, or with --seed "
        "in a random state"
    )
    parser = flags.command(commands, "terms", run, words)
    flags.robot_flags(parser)
    flags.shared(parser, "--seed", "--json", "--csv")
    flags.save_flag(parser, ".npz", ".json")


def run(options: argparse.Namespace) -> int:
    """Print shapes, norms and differences of the two methods; write the arrays if requested."""
    robot = flags.load(options)
    q, v = _state(robot, options)
    found = rows(robot, q, v)
    answer(options, found, f"{robot}\n\n{table(found)}")
    write_table(options, ("term", "shape", "norm", "difference"), [_cells(row) for row in found])
    if options.save:
        arrays = {name: one for name, (one, _) in terms(robot, q, v).items()}
        _write(options.save, {"q": q, "v": v} | arrays)
        wrote(options, options.save)
    return flags.OK


def terms(robot: Robot, q: Any, v: Any) -> dict[str, tuple[Any, Any]]:
    """Return {term: (recursive algorithm, sum over link Jacobians)}."""
    from .. import dynamics

    sums = dynamics.jacobian_sums
    C = dynamics.coriolis_tensor(robot, q)
    tau_g = dynamics.gravity_torques(robot, q)
    return {
        "mass_matrix": (dynamics.mass_matrix(robot, q), sums.mass_matrix(robot, q)),
        "coriolis_tensor": (C, sums.coriolis_tensor(robot, q)),
        "gravity_torques": (tau_g, sums.gravity_torques(robot, q)),
        "bias": (dynamics.bias(robot, q, v), C @ v @ v - tau_g),
        "selection_matrix": (robot.selection_matrix, robot.selection_matrix),
    }


def rows(robot: Robot, q: Any, v: Any) -> list[dict[str, Any]]:
    """Return a row per term: shape, norm, and difference between the two methods."""
    import numpy as np

    return [
        {
            "term": name,
            "shape": list(np.shape(one)),
            "norm": float(np.linalg.norm(one)),
            "difference": float(np.abs(one - other).max(initial=0.0)),
        }
        for name, (one, other) in terms(robot, q, v).items()
    ]


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a text table."""
    lines = [f"{'term':<18} {'shape':<14} {'norm':>10}   difference between two methods"]
    for term, shape, norm, difference in map(_cells, rows):
        lines.append(f"{term:<18} {shape:<14} {norm:>10.4g}   {difference:.1e}")
    return "\n".join(lines)


def _cells(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["term"], "×".join(map(str, row["shape"])), row["norm"], row["difference"]


def _state(robot: Robot, options: argparse.Namespace) -> tuple[Any, Any]:
    import numpy as np

    if options.seed is None:
        return robot.posture(options.posture), np.zeros(robot.nv)
    if options.posture:
        raise FootworkError("--seed and --posture: got both, expected one of them")
    rng = np.random.default_rng(options.seed)
    return robot.random_configuration(rng), rng.standard_normal(robot.nv)


def _write(path: Path, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    if path.suffix == ".json":
        write(path, json.dumps({name: array.tolist() for name, array in arrays.items()}))
        return
    write_npz(path, arrays)
