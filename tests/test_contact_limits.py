"""Contact limits: their forms agree with each other and with programs written by hand."""

import re
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest

import footwork
from footwork.contacts import LineContact, PointContact, SurfaceContact
from footwork.contacts.limits import ContactLimits

MIXED = [
    SurfaceContact("sole", half_length=0.1, half_width=0.05, friction=0.6),
    PointContact("toe", 0.4),
    PointContact("soft", 0.7, torsional_friction=0.02, max_normal=3.0),
    PointContact("hand", 0.5, bilateral=True, min_normal=-2.0),
    LineContact("edge", half_length=0.1, friction=0.5, torsional_friction=0.01, min_normal=0.5),
    PointContact("ice", 0.0),
]


def some(rng, pairs):
    limits = ContactLimits.of(MIXED)
    if not pairs:
        return limits
    mu = rng.uniform(0.2, 0.9, limits.friction.shape)
    mu[-1] = 0.0
    mu[2, 1] = 0.0  # a wheel that rolls along its second tangent
    return limits.with_friction(mu)


def nearest(limits, x0):
    x = cp.Variable(limits.size)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - x0)), limits.constraints(x))
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return x.value


def by_hand(limits, x):
    """The limits once more, contact by contact, as the formulas have them."""
    f = cp.reshape(x[: 3 * limits.point_count], (limits.point_count, 3), order="C")
    found, share = [], 3 * limits.point_count
    for c in range(limits.contact_count):
        own = np.flatnonzero(limits.owner == c)
        total = cp.sum(f[own][:, 2])
        if np.isfinite(limits.lower[c]):
            found.append(total >= limits.lower[c])
        if np.isfinite(limits.upper[c]):
            found.append(total <= limits.upper[c])
        soft = len(own) == 1 and limits.torsion[c] > 0 and not limits.bilateral[own[0]]
        for k in own:
            if limits.bilateral[k]:
                continue
            found.append(f[k, 2] >= 0)
            terms = [f[k, i] / mu for i, mu in enumerate(limits.friction[k]) if mu > 0]
            found += [f[k, i] == 0 for i, mu in enumerate(limits.friction[k]) if mu == 0]
            terms += [x[share]] if soft else []
            if terms:
                found.append(cp.norm(cp.hstack(terms)) <= f[k, 2])
        share += soft
        if len(own) > 1 and np.isfinite(limits.torsion[c]):
            x_, y_ = limits.arms[own].T
            yaw = cp.sum(cp.multiply(x_, f[own][:, 1]) - cp.multiply(y_, f[own][:, 0]))
            found.append(cp.abs(yaw) <= limits.torsion[c] * total)
    return found


@pytest.mark.parametrize("pairs", [False, True])
def test_constraints_are_the_formulas(pairs):
    rng = np.random.default_rng(1)
    limits = some(rng, pairs)
    for _ in range(5):
        x0 = rng.normal(size=limits.size)
        x = cp.Variable(limits.size)
        problem = cp.Problem(cp.Minimize(cp.sum_squares(x - x0)), by_hand(limits, x))
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
        np.testing.assert_allclose(nearest(limits, x0), x.value, atol=1e-5)
        assert limits.violation(x.value) < 1e-8
        if problem.value > 1e-6:
            assert limits.violation(x0) > 1e-9


@pytest.mark.parametrize("pairs", [False, True])
def test_least_power_is_the_support_function(pairs):
    """min xᵀu over the limits, by cvxpy, where `unbraked` says that there is one."""
    rng = np.random.default_rng(2)
    limits, seen = some(rng, pairs), 0
    for _ in range(20):
        u = rng.normal(size=limits.size)
        u[2 : 3 * limits.point_count : 3] += 2.0
        held = np.flatnonzero(limits.bilateral)
        u[3 * held], u[3 * held + 1] = 0.0, 0.0
        if limits.unbraked(u) > 0:
            continue
        seen += 1
        x = cp.Variable(limits.size)
        problem = cp.Problem(cp.Minimize(u @ x), limits.constraints(x))
        problem.solve(solver="CLARABEL")
        assert limits.least_power(u) == pytest.approx(problem.value, abs=1e-6)
    assert seen > 3


def test_scaled_columns_have_lorentz_cones():
    rng = np.random.default_rng(3)
    limits = some(rng, True).without_bounds()
    d = limits.scaling
    for _ in range(50):
        g = rng.normal(size=limits.size)
        t = np.linalg.norm(limits.forces(g)[:, :2], axis=1)
        share = np.zeros(len(t))
        share[limits.moment_index >= 0] = g[3 * limits.point_count :]
        normal = 3 * np.arange(len(t)) + 2
        g[normal] = np.hypot(t, share)
        assert limits.cone_violation(d * g) < 1e-12


def test_readers_of_limits_know_no_kinds_of_contacts():
    """A new kind of contact needs no edit in what limits its forces."""
    package = Path(footwork.__file__).parent
    parts = ("cones", "equilibrium", "kernels", "motion", "regions")
    folders = [*(package / "contacts" / part for part in parts), package / "control"]
    sources = [path for folder in folders for path in folder.glob("*.py")]
    sources += [package / "contacts" / f"{n}.py" for n in ("batch", "forces", "hold", "limits")]
    kinds = r"isinstance\([^)]*(Point|Placed|Surface|Line|Disc)Contact"
    placing = {"standing.py", "gait_foot.py"}  # where to put feet, not what they transmit
    found = [p.name for p in sources if re.search(kinds, p.read_text()) and p.name not in placing]
    assert not found
