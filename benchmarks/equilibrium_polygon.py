"""All corners of the static-equilibrium polygon of linear cones, against pypoman's methods.

pypoman projects the polytope of contact forces by Bretl and Lall's iteration, a linear program for
each corner and side. It needs cddlib, so it runs in an environment of its own; without it a
stand-in runs, the same iteration with scipy's linear programs. Both processes take turns, CPU time,
medians with quartiles; the areas are compared at every answer.

    python benchmarks/equilibrium_polygon.py [--peers DIR] [--quick]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import measuring  # before NumPy: one thread
import numpy as np
from peers.environments import MissingPeerError, python_of

CASES = {
    "3 points": (3, 4),
    "4 points": (4, 4),
    "2 soles": (8, 4),
    "2 soles, 8 sides": (8, 8),
    "4 soles": (16, 4),
}

PEER = """
import json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
from pypoman import project_polytope
for line in sys.stdin:
    question = json.loads(line)
    W = np.array(question["W"])
    n = W.shape[1]
    E, f = np.vstack([-W[4], W[3]]), np.zeros(2)
    eq = (W[[0, 1, 2, 5]], np.array([0.0, 0, 1, 0]))
    ineq = (-np.eye(n), np.zeros(n))
    options = {"max_radius": 1e3}
    start = time.process_time()
    try:
        corners = project_polytope((E, f), ineq, eq, method=question["method"], **options)
    except Exception as error:
        print(json.dumps({"error": str(error)}), flush=True)
        continue
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "corners": np.array(corners).tolist()}), flush=True)
"""


def terrain(count, rng):
    from footwork.contacts import PointForces

    up = np.array([0, 0, 1.0])
    if count <= 4:
        points = np.column_stack(
            [rng.uniform(-0.4, 0.4, (count, 2)), 0.1 * rng.standard_normal(count)]
        )
        normals = up + 0.3 * rng.standard_normal((count, 3))
    else:
        sole = np.array([[0.1, 0.05, 0], [-0.1, 0.05, 0], [-0.1, -0.05, 0], [0.1, -0.05, 0]])
        middles = np.array([[0.3, 0.2, 0], [-0.3, -0.2, 0.1], [-0.3, 0.2, 0.05], [0.3, -0.2, 0.0]])
        normals, points = [], []
        for middle in middles[: count // 4]:
            n = up + 0.2 * rng.standard_normal(3)
            normals += [n] * 4
            R = np.linalg.qr(np.column_stack([n, np.eye(3)[:, :2]]))[0][:, [1, 2, 0]]
            points.append(sole @ R.T + middle)
        points, normals = np.vstack(points), np.array(normals)
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    return PointForces.at(points, normals, 0.6)


def stand_in(W):
    """Bretl and Lall's iteration by scipy: an inner and an outer polygon until they close."""
    from footwork.contacts.regions.linear_polygon import shadow_by_programs

    A, b = W[[0, 1, 2, 5]], np.array([0.0, 0, 1, 0])
    start = time.process_time()
    corners = shadow_by_programs(A, b, -W[4], W[3])[1]
    return time.process_time() - start, corners


class Peer:
    """pypoman in a process of its own, or the stand-in."""

    def __init__(self, folder):
        try:
            python = python_of("pypoman", folder)
        except MissingPeerError as missing:
            python = measuring.say(f"no pypoman: {missing}")
        self.process = python and subprocess.Popen(
            [python, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.methods = ("bretl",) if python else ("stand-in",)

    def ask(self, W, method):
        """(seconds, corners), or None where it fails."""
        if not self.process:
            return stand_in(W)
        self.process.stdin.write(json.dumps({"W": W.tolist(), "method": method}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return None if "error" in answer else (answer["seconds"], np.array(answer["corners"]))

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def main(calls=50):
    from footwork import contacts
    from footwork.contacts.geometry import polygon

    options = measuring.flags(__doc__).parse_args()
    rounds, kept = 3 if options.quick else 9, {}
    peer, rng = Peer(options.peers), np.random.default_rng(1)
    print(f"{'contacts':17} {'sides':>5} {'corners':>8} {'ours, µs':>9} {'quartiles':>13}", end="")
    print("".join(f"{name + ', µs':>14} {'ratio':>7}" for name in peer.methods))
    for name, (count, sides) in CASES.items():
        forces = terrain(count, rng)
        while contacts.equilibrium_polygon(forces, kind="inner", sides=sides).status != "bounded":
            forces = terrain(count, rng)
        W = forces.rays("inner", sides).T
        region = contacts.equilibrium_polygon(forces, kind="inner", sides=sides)
        times = {method: [] for method in peer.methods}
        ours = []
        for _ in range(rounds):
            start = time.process_time()
            for _ in range(calls):
                contacts.equilibrium_polygon(forces, kind="inner", sides=sides)
            ours.append((time.process_time() - start) / calls)
            for method in peer.methods:
                if times[method] and not times[method][-1] < 1.0:
                    continue  # once is enough
                answer = peer.ask(W, method)
                if (
                    answer is None
                    or abs(polygon.area(answer[1]) - region.area) > 1e-2 * region.area
                ):
                    times[method].append(np.nan)
                else:
                    times[method].append(answer[0])
        kept[name] = {"ours": ours} | times
        low, middle, high = 1e6 * np.percentile(ours, [25, 50, 75])
        print(
            f"{name:17} {sides:5d} {len(region.vertices):8d} {middle:9.1f} {low:6.1f}-{high:6.1f}",
            end="",
        )
        for method in peer.methods:
            theirs = 1e6 * np.median(times[method])
            text = (
                f"{theirs:14.0f} {theirs / middle:7.0f}"
                if np.isfinite(theirs)
                else f"{'no answer':>14} {'':7}"
            )
            print(text, end="")
        print(flush=True)
    peer.close()
    measuring.keep(options, kept)


if __name__ == "__main__":
    sys.exit(main())
