"""Audit of contact wrench cones: ours, published ones, or yours, against exact friction.

The wrenches w = [force; moment] that a foot can transmit are the sums of forces at its corners,
each in Coulomb's cone: that is the physics here, checked by second-order cone programs written in
this file. A linear cone that claims to be inner must accept none but these; one that claims to be
outer must accept them all. The audit looks for the wrench, of 1 N of normal force, that breaks the
claim most:

    accepted, though d newtons from the nearest wrench that physics allows     (of a cone, max d)
    allowed, though d newtons from the nearest wrench that the cone accepts    (of a cone, max d)

Moments count by the force that gives them at the farthest corner. A distance to a convex set is
largest at a corner: of rows F, all corners of {F w ≤ 0, f_z = 1} are tried (where they have no
volume, and of cones known by their membership alone: ascent from directions by seed, and that
nothing is found is as good as the search); of physics, all forces about to slip, in closed form.

    python benchmarks/cone_soundness.py                       the table
    python benchmarks/cone_soundness.py --json                all numbers, with the worst wrenches
    python benchmarks/cone_soundness.py --faces F.csv --half-length 0.1 --half-width 0.05
        --friction 0.5 --claim inner                          your own rows F w <= 0
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import HalfspaceIntersection, QhullError

sys.path.insert(0, str(Path(__file__).parent))
import published_cones as published

Membership = Callable[[np.ndarray], bool]
SOUND = 1e-6  # N per newton of normal force; the cone programs are solved to 1e-8
FAR = 1e3  # N per newton of normal force, where an unbounded cone is cut off


# --- physics -----------------------------------------------------------------------------------


class Patch:
    """A foot with corners (k, 2) [m] and friction μ; w is at the origin of the corners."""

    def __init__(self, corners: np.ndarray, friction: float) -> None:
        import cvxpy as cp

        self.corners = np.column_stack([corners, np.zeros(len(corners))])
        self.friction = friction
        self.size = float(np.linalg.norm(corners, axis=1).max()) or 1.0
        self.units = np.array([1, 1, 1, self.size, self.size, self.size])
        f, self.wrench = cp.Variable((len(corners), 3)), cp.Parameter(6)
        x, y = corners.T
        moment = [y @ f[:, 2], -x @ f[:, 2], x @ f[:, 1] - y @ f[:, 0]]
        self.given = cp.hstack([cp.sum(f, axis=0), cp.hstack(moment) / self.size])
        cones = [cp.SOC(friction * f[:, 2], f[:, :2], axis=1), f[:, 2] >= 0]
        self.problem = cp.Problem(cp.Minimize(cp.norm(self.given - self.wrench)), cones)

    def distance(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """How far w is from what the corners can give [N], and which way, moments as forces."""
        self.wrench.value = w / self.units
        self.problem.solve(solver="CLARABEL")
        missing = w / self.units - self.given.value
        return float(np.linalg.norm(missing)), missing

    def corner_wrench(self, corner: int, angle: float) -> np.ndarray:
        """The wrench of 1 N of normal force at a corner that is about to slip along `angle`."""
        mu = self.friction
        f = np.array([mu * np.cos(angle), mu * np.sin(angle), 1.0])
        return np.concatenate([f, np.cross(self.corners[corner], f)])


# --- the two searches --------------------------------------------------------------------------


@dataclass
class Finding:
    """The worst wrench found, and by how much it breaks the claim [N per newton]."""

    excess: float = 0.0
    wrench: np.ndarray | None = None

    def or_worse(self, excess: float, wrench: np.ndarray) -> Finding:
        return Finding(float(excess), wrench) if excess > self.excess else self


def forbidden_but_accepted(
    patch: Patch, cone: np.ndarray | Membership, rng: np.random.Generator, starts: int
) -> Finding:
    """Search a cone, rows F or a membership, for the wrench that physics forbids most."""
    if callable(cone):
        return _search_members(patch, cone, rng, starts)
    section = _section_corners(cone, patch.units)
    if section is None:
        return _ascent(patch, cone, rng, starts)
    worst = Finding()
    for w in section:
        worst = worst.or_worse(patch.distance(w)[0], w)
    return worst


def _section_corners(F: np.ndarray, units: np.ndarray) -> np.ndarray | None:
    """All corners (k, 6) of F w ≤ 0, f_z = 1, cut off at FAR; None if that has no volume."""
    A = F * units
    A = A / np.linalg.norm(A, axis=1, keepdims=True)
    free = [0, 1, 3, 4, 5]
    box = np.vstack([np.eye(5), -np.eye(5)])
    rows, bounds = np.vstack([A[:, free], box]), np.append(-A[:, 2], np.full(10, FAR))
    lengths = np.linalg.norm(rows, axis=1)
    keep = lengths > 1e-12
    roomy = linprog(
        [0, 0, 0, 0, 0, -1],
        A_ub=np.column_stack([rows, lengths])[keep],
        b_ub=bounds[keep],
        bounds=[(None, None)] * 5 + [(0, 1)],
    )
    if roomy.status != 0 or roomy.x[5] < 1e-6:
        return None
    halves = np.column_stack([rows, -bounds])[keep]
    try:
        met = HalfspaceIntersection(halves, roomy.x[:5]).intersections
    except QhullError:
        return None
    met = np.unique(np.round(met[np.isfinite(met).all(axis=1)], 9), axis=0)
    return np.insert(met, 2, 1.0, axis=1) * units


def _ascent(patch: Patch, F: np.ndarray, rng: np.random.Generator, starts: int) -> Finding:
    """From a corner in some direction away from physics to the next, as long as that leads on."""
    worst = Finding()
    for y in _directions(rng, starts):
        before = -1.0
        while True:
            w = _farthest(F, patch.units, y)
            if w is None:
                return worst
            excess, away = patch.distance(w)
            worst = worst.or_worse(excess, w)
            if excess <= before + 1e-9 or excess < 1e-9:
                break
            before, y = excess, away / np.linalg.norm(away)
    return worst


def _directions(rng: np.random.Generator, starts: int) -> Iterator[np.ndarray]:
    """Both ways along every axis, then at random."""
    yield from np.vstack([np.eye(6), -np.eye(6)])
    for y in rng.standard_normal((starts, 6)):
        yield y / np.linalg.norm(y)


def _farthest(F: np.ndarray, units: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """The w of F w ≤ 0 with f_z = 1 that reaches farthest along y; None if there is none."""
    A = F * units
    A = A / np.linalg.norm(A, axis=1, keepdims=True)
    bounds = [(-FAR, FAR)] * 2 + [(1, 1)] + [(-FAR, FAR)] * 3
    answer = linprog(-y, A_ub=A, b_ub=np.zeros(len(A)), bounds=bounds)
    return answer.x * units if answer.status == 0 else None


def _search_members(
    patch: Patch, accepts: Membership, rng: np.random.Generator, starts: int
) -> Finding:
    """From the middle, 1 N straight down, outwards until the cone says no; then uphill."""
    middle = np.array([0, 0, 1.0, 0, 0, 0])

    def reached(direction: np.ndarray) -> np.ndarray:
        d = direction * np.array([1, 1, 0, 1, 1, 1])
        d = d / np.linalg.norm(d) * patch.units
        if accepts(middle + FAR * d):
            return middle + FAR * d
        low, high = 0.0, FAR
        while high - low > 1e-9:
            half = (low + high) / 2
            low, high = (half, high) if accepts(middle + half * d) else (low, half)
        return middle + low * d

    worst = Finding()
    for y in _directions(rng, starts):
        if np.abs(y[[0, 1, 3, 4, 5]]).max() < 1e-9:
            continue
        step, best = 0.5, patch.distance(reached(y))[0]
        while step > 1e-3:
            trial = y + step * rng.standard_normal(6)
            excess = patch.distance(reached(trial))[0]
            y, best, step = (trial, excess, step) if excess > best + 1e-9 else (y, best, 0.7 * step)
        worst = worst.or_worse(best, reached(y))
    return worst


def allowed_but_refused(
    patch: Patch, cone: np.ndarray | Membership, rng: np.random.Generator, starts: int
) -> Finding:
    """Search what physics allows for the wrench that a cone refuses most.

    All that the corners can give are sums of single corners about to slip, so the worst is one of
    these; for a row it follows in closed form: a cos θ + b sin θ + c is largest at √(a² + b²) + c.
    """
    worst = Finding()
    for k in range(len(patch.corners)):
        if callable(cone):
            angles = np.append(np.arange(0, 2 * np.pi, np.pi / 90), rng.uniform(0, 7, starts))
            refused = [(_refusal(patch, cone, k, angle), angle) for angle in angles]
            excess, angle = max(refused)
        else:
            excess, angle = _worst_angle(patch, cone, k)
        worst = worst.or_worse(excess, patch.corner_wrench(k, angle))
    return worst


def _worst_angle(patch: Patch, F: np.ndarray, corner: int) -> tuple[float, float]:
    """By how much the rows refuse a corner's wrenches at most [N], and its angle."""
    rows = F / np.linalg.norm(F * patch.units, axis=1, keepdims=True)
    along, across, straight = (
        rows @ np.concatenate([f, np.cross(patch.corners[corner], f)]) for f in np.eye(3)
    )
    slope = patch.friction * np.hypot(along, across)
    worst = int(np.argmax(slope + straight))
    return float((slope + straight)[worst]), float(np.arctan2(across[worst], along[worst]))


def _refusal(patch: Patch, accepts: Membership, corner: int, angle: float) -> float:
    """How far a corner's wrench must go to the middle until the cone accepts it [N]."""
    middle, w = np.array([0, 0, 1.0, 0, 0, 0]), patch.corner_wrench(corner, angle)
    if accepts(w):
        return 0.0
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        half = (low + high) / 2
        low, high = (low, half) if accepts(w + half * (middle - w)) else (half, high)
    return high * float(np.linalg.norm((middle - w) / patch.units))


# --- the audit ---------------------------------------------------------------------------------


def audit(
    corners: np.ndarray,
    friction: float,
    cone: np.ndarray | Membership,
    claim: str,
    seed: int = 0,
    starts: int = 20,
) -> dict[str, Any]:
    """Return what a search found against a cone's claim.

    Args:
        corners: (k, 2) of the foot, from the point that moments are about [m].
        friction: Coulomb's μ of the ground.
        cone: F (m, 6), accepting w = [force; moment] when F w ≤ 0, or a function that says whether
            it accepts w. Environment on robot, z the normal into the robot.
        claim: "inner", "outer" or "" for none.
        seed: of the directions.
        starts: how many at random, besides those along the axes.

    Returns:
        "accepts_forbidden" and "refuses_allowed", the largest found [N per newton of normal force];
        the wrenches; "sound": whether the claim stands (None without a claim).
    """
    patch, rng = Patch(np.asarray(corners, dtype=float), friction), np.random.default_rng(seed)
    accepted = forbidden_but_accepted(patch, cone, rng, starts)
    refused = allowed_but_refused(patch, cone, rng, starts)
    broken = {"inner": accepted.excess, "outer": refused.excess}
    return {
        "claim": claim,
        "accepts_forbidden": accepted.excess,
        "refuses_allowed": refused.excess,
        "sound": broken[claim] <= SOUND if claim else None,
        "forbidden_wrench": None if accepted.wrench is None else accepted.wrench.tolist(),
        "allowed_wrench": None if refused.wrench is None else refused.wrench.tolist(),
    }


HALF = (0.1, 0.05)
FRICTION = 0.5


def our_cones(sides: list[int]) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """(name, claim, corners, F) of ours: every patch, both sides, every number of facets."""
    from footwork.contacts import DiscContact, LineContact, PointContact, SurfaceContact, WrenchCone

    triangle = [[0.12, 0.0], [-0.05, 0.06], [-0.02, -0.08]]
    pentagon = [[0.1, 0.02], [0.03, 0.07], [-0.08, 0.05], [-0.1, -0.03], [0.04, -0.06]]
    given = {"friction": FRICTION}
    patches = {
        "rectangle": SurfaceContact("sole", half_length=HALF[0], half_width=HALF[1], **given),
        "triangle": SurfaceContact("sole", vertices=triangle, **given),
        "pentagon": SurfaceContact("sole", vertices=pentagon, **given),
        "disc as an octagon": DiscContact("sole", radius=0.08, sides=8, **given),
        "line": LineContact("sole", half_length=HALF[0], **given),
        "point": PointContact("sole", FRICTION),
    }
    for shape, contact in patches.items():
        for claim in ("inner", "outer"):
            for n in sides:
                F = WrenchCone(contact, claim, n).faces  # type: ignore[arg-type]
                yield f"footwork, {shape}, {n} facets", claim, contact.points[:, :2], F


def published_rectangles() -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """(name, claim, corners, F) of other libraries' cones of one rectangle."""
    X, Y, mu = *HALF, FRICTION
    corners = np.array([[X, Y], [-X, Y], [-X, -Y], [X, -Y]])
    yield (
        "Caron et al. 2015, mu / sqrt 2",
        "inner",
        corners,
        published.caron_2015(X, Y, mu / 2**0.5),
    )
    yield "Caron et al. 2015, mu", "outer", corners, published.caron_2015(X, Y, mu)
    for facets in (4, 6, 8, 12, 16):
        for claim in ("inner", "outer"):
            F, version = crocoddyl_rows(X, Y, mu, facets, claim == "inner")
            yield f"crocoddyl {version}, nf = {facets}", claim, corners, F
    for slices in (1, 2, 4, 8):
        F = published.bipedal_locomotion_framework(X, Y, mu, slices)
        yield f"bipedal-locomotion-framework, slices = {slices}", "inner", corners, F
    yield "placo 0.10.2, planar contact", "", corners, published.placo(X, Y, mu)


def crocoddyl_rows(
    X: float, Y: float, mu: float, facets: int, inner: bool
) -> tuple[np.ndarray, str]:
    """The library's own rows where it is installed, else rebuilt; and which."""
    if importlib.util.find_spec("crocoddyl") is None:
        return published.crocoddyl(X, Y, mu, facets, inner), "3.2.1 (rebuilt)"
    import crocoddyl

    cone = crocoddyl.WrenchCone(np.eye(3), mu, np.array([2 * X, 2 * Y]), facets, inner)
    below = np.asarray(cone.lb) == 0  # its one lower bound, f_z ≥ 0
    return np.where(below[:, None], -1.0, 1.0) * np.asarray(cone.A), crocoddyl.__version__


def all_findings(seed: int, starts: int, sides: list[int]) -> list[dict[str, Any]]:
    """Audit every cone in turn."""
    from tqdm import tqdm

    cones = [*published_rectangles(), *our_cones(sides)]
    return [
        {"name": name, "rows": len(F), **audit(corners, FRICTION, F, claim, seed, starts)}
        for name, claim, corners, F in tqdm(cones, disable=None, desc="cones")
    ]


def by_family(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ours summed up by patch and side, the worst of all facet counts; the others one by one."""
    families: dict[tuple[str, str], dict[str, Any]] = {}
    for found in findings:
        ours = found["name"].startswith("footwork")
        name = found["name"].rsplit(",", 1)[0] if ours else found["name"]
        known = families.setdefault((name, found["claim"]), {**found, "name": name})
        for key in ("accepts_forbidden", "refuses_allowed"):
            known[f"least_{key}"] = min(known.get(f"least_{key}", np.inf), found[key])
            known[key] = max(known[key], found[key])
        if found["claim"]:
            known["sound"] = known["sound"] and found["sound"]
    return list(families.values())


def shown(found: dict[str, Any], key: str) -> str:
    """A figure for the table, or its range over the facet counts."""
    least, most = found[f"least_{key}"], found[key]
    if most <= SOUND:
        return "none found"
    if most > 0.5 * FAR:
        return "no limit"
    return f"{most:.3f}" if most - least < 5e-4 else f"{least:.3f} to {most:.3f}"


def table(findings: list[dict[str, Any]]) -> str:
    """The findings as a table in Markdown."""
    words = {True: "sound", False: "**broken**", None: "claims nothing"}
    lines = [
        "| cone | claims to be | accepts inadmissible wrenches by | "
        "rejects admissible wrenches by | verdict |",
        "|---|---|---|---|---|",
    ]
    for f in by_family(findings):
        cells = [f["name"], f["claim"] or "–", shown(f, "accepts_forbidden")]
        cells += [shown(f, "refuses_allowed"), words[f["sound"]]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def own_cone(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The audit of rows in a file."""
    F = np.loadtxt(options.faces, delimiter=",", ndmin=2)
    if F.shape[1] != 6 or not np.isfinite(F).all():
        raise SystemExit(f"{options.faces}: got shape {F.shape}, expected rows of 6 finite numbers")
    X, Y = options.half_length, options.half_width
    corners = np.array([[X, Y], [-X, Y], [-X, -Y], [X, -Y]])
    found = audit(corners, options.friction, F, options.claim, options.seed, options.starts)
    return [{"name": options.faces, "rows": len(F), **found}]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="all numbers, with the worst wrenches")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--starts", type=int, default=20, help="random directions for each cone")
    parser.add_argument("--sides", type=int, nargs="+", default=list(range(3, 17)))
    parser.add_argument("--faces", help="a CSV file of your own rows F w <= 0 for a rectangle")
    parser.add_argument("--claim", choices=["inner", "outer"], default="inner")
    parser.add_argument("--half-length", type=float, default=HALF[0], help="[m]")
    parser.add_argument("--half-width", type=float, default=HALF[1], help="[m]")
    parser.add_argument("--friction", type=float, default=FRICTION)
    options = parser.parse_args(arguments)
    if options.faces:
        findings = own_cone(options)
    else:
        findings = all_findings(options.seed, options.starts, options.sides)
    print(json.dumps(findings, indent=1) if options.json else table(findings))


if __name__ == "__main__":
    main()
