"""100,000 wrenches in a linear cone at once, against a loop of cvxpy checks.

The cone is that of a sole, 8-sided inner pyramids at its corners. cvxpy asks for non-negative
shares of the cone's rays, the wrench being a parameter, so that its problem is written once; the
loop is timed on some wrenches and counted per wrench. CPU time, interleaved, medians with
quartiles; the answers are compared.

Run: python benchmarks/membership.py
"""

from __future__ import annotations

import time

import cvxpy as cp
import measuring  # before NumPy: one thread
import numpy as np

from footwork.contacts import SurfaceContact, WrenchCone


def main(many=100_000):
    options = measuring.flags(__doc__).parse_args()
    rounds, few = (3, 10) if options.quick else (7, 50)
    sole = SurfaceContact("sole", half_length=0.1, half_width=0.05, friction=0.6)
    cone = WrenchCone(sole, "inner", 8)
    rng = np.random.default_rng(0)
    wrenches = rng.standard_normal((many, 6)) * [0.2, 0.2, 0.3, 0.03, 0.06, 0.03] + [
        0,
        0,
        1,
        0,
        0,
        0,
    ]
    w, shares = cp.Parameter(6), cp.Variable(len(cone.rays), nonneg=True)
    problem = cp.Problem(cp.Minimize(0), [cone.rays.T @ shares == w])

    def check(wrench):
        w.value = wrench
        problem.solve(solver="CLARABEL")
        return problem.status == "optimal"

    start = time.process_time()
    count = len(cone.faces)
    faces = time.process_time() - start
    inside = cone.contains(wrenches)
    assert all(check(x) == y for x, y in zip(wrenches[:few], inside[:few], strict=True))
    ours, theirs = [], []
    for _ in range(rounds):
        start = time.process_time()
        cone.contains(wrenches)
        ours.append((time.process_time() - start) / many)
        start = time.process_time()
        for x in wrenches[:few]:
            check(x)
        theirs.append((time.process_time() - start) / few)
    print(f"{count} faces (found once in {1e3 * faces:.1f} ms), {inside.mean():.0%} inside")
    for name, times in (("contains, µs a wrench", ours), ("cvxpy loop, µs a check", theirs)):
        low, middle, high = 1e6 * np.percentile(times, [25, 50, 75])
        print(f"{name:24} {middle:10.3f}   quartiles {low:.3f} … {high:.3f}")
    print(f"ratio {np.median(theirs) / np.median(ours):.0f}")
    measuring.keep(options, {"contains": ours, "cvxpy": theirs})


if __name__ == "__main__":
    main()
