"""The whole Coriolis tensor against one Coriolis matrix, and against one matrix per direction.

Values are compared before anything is timed; the methods take turns in one process, CPU time,
medians. Run: python benchmarks/coriolis.py
"""

from __future__ import annotations

import measuring  # before NumPy: one thread
import numpy as np
import pinocchio as pin

import footwork as fw
from footwork import dynamics as dyn


def stacked(model, data, q, directions):
    C = np.empty((model.nv,) * 3)
    for k, direction in enumerate(directions):
        C[:, :, k] = pin.computeCoriolisMatrix(model, data, q, direction)
    return C


def main():
    options = measuring.flags(__doc__).parse_args()
    rounds, kept = 3 if options.quick else 15, {}
    print("µs of CPU; ratio: tensor over one matrix")
    print("robot         nv   matrix  stacked   tensor     out=  ratio")
    for name in ("talos", "anymal", "solo12", "biped"):
        robot = fw.load(name)
        rng = np.random.default_rng(0)
        q, v = robot.random_configuration(rng), rng.standard_normal(robot.nv)
        model, directions = robot.model, np.eye(robot.nv)
        data = model.createData()
        out = np.zeros((robot.nv,) * 3)
        methods = {
            "matrix": (200, lambda: pin.computeCoriolisMatrix(model, data, q, v)),  # noqa: B023
            "stacked": (20, lambda: stacked(model, data, q, directions)),  # noqa: B023
            "tensor": (200, lambda: dyn.coriolis_tensor(robot, q)),  # noqa: B023
            "out": (200, lambda: dyn.coriolis_tensor(robot, q, out=out)),  # noqa: B023
        }
        assert np.allclose(methods["tensor"][1](), methods["stacked"][1](), atol=1e-10)
        times = measuring.take_turns(
            {
                method: lambda calls=calls, work=work: 1e6 * measuring.cpu(work, calls)
                for method, (calls, work) in methods.items()
            },
            rounds,
        )
        kept[name] = times
        middle = {method: np.median(found) for method, found in times.items()}
        row = " ".join(f"{middle[method]:8.1f}" for method in methods)
        print(f"{name:12} {robot.nv:3d} {row} {middle['tensor'] / middle['matrix']:6.2f}")
    measuring.keep(options, kept)


if __name__ == "__main__":
    main()
