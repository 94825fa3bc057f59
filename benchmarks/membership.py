"""100,000 wrenches in a linear cone at once, against a loop of cvxpy checks.

The cone is that of a sole, 8-sided inner pyramids at its corners. cvxpy seeks non-negative
multiples of the cone's rays, the wrench being a parameter, so that its problem is written once; the
loop is timed on some wrenches and counted per wrench. CPU time, interleaved, medians with
quartiles; the answers are compared.

Run: python benchmarks/membership.py
"""

from __future__ import annotations

import cvxpy as cp
import measuring  # before NumPy: one thread
import numpy as np

from footwork.contacts import SurfaceContact, WrenchCone


def main(many=100_000):
    options = measuring.flags(__doc__).parse_args()
    rounds, few = (3, 10) if options.quick else (7, 50)
    sole = SurfaceContact("sole", half_length=0.1, half_width=0.05, friction=0.6)

    def fresh():
        return WrenchCone(sole, "inner", 8)

    cone = fresh()
    rng = np.random.default_rng(0)
    wrenches = rng.standard_normal((many, 6)) * [0.2, 0.2, 0.3, 0.03, 0.06, 0.03]
    wrenches[:, 2] += 1
    w, multiples = cp.Parameter(6), cp.Variable(len(cone.rays), nonneg=True)
    problem = cp.Problem(cp.Minimize(0), [cone.rays.T @ multiples == w])

    def check(wrench):
        w.value = wrench
        problem.solve(solver="CLARABEL")
        return problem.status == "optimal"

    print(f"{len(cone.faces)} faces, found in {1e3 * measuring.cpu(lambda: fresh().faces):.1f} ms")
    inside = cone.contains(wrenches)
    assert all(check(x) == y for x, y in zip(wrenches[:few], inside[:few], strict=True))
    title = f"{inside.mean():.0%} of {many:,} wrenches are inside; one takes"
    works = {
        "contains": (lambda: cone.contains(wrenches), 1, many),
        "a loop of cvxpy": (lambda: [check(x) for x in wrenches[:few]], 1, few),
    }
    measuring.keep(options, measuring.compare(title, works, rounds, "contains"))


if __name__ == "__main__":
    main()
