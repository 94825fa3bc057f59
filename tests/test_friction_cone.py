"""Coulomb's cone: its definition, its projection, and pyramids on their stated side."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from footwork import ContactError, FrictionCone

SEEDS = range(8)  # each with other coefficients


COEFFICIENTS = (0.0, 0.3, 0.7, 1.5, (0.8, 0.4), (0.2, 0.9), (0.5, 0.0), (0.6, 0.6))


def random_cone(rng, seed) -> FrictionCone:
    n = rng.standard_normal(3)
    friction = COEFFICIENTS[seed % len(COEFFICIENTS)]
    return FrictionCone(friction, n / np.linalg.norm(n), rng.standard_normal(3))


def local(cone, f):
    """A force along the tangent, across it and along the normal."""
    n = cone.normal
    t = cone.tangent - (cone.tangent @ n) * n
    t /= np.linalg.norm(t)
    return np.array([t, np.cross(n, t), n]) @ f


def in_cone(cone, f, slack=0.0):
    """Coulomb's law as it is written, with a coefficient for each tangent."""
    x, mu = local(cone, f), np.broadcast_to(cone.friction, 2)
    used, rough = 0.0, mu > 0
    if rough.any():
        used = mu[rough].min() * np.linalg.norm(x[:2][rough] / mu[rough])
        used -= mu[rough].min() * x[2]
    return used <= slack and (np.abs(x[:2][~rough]) <= slack).all() and x[2] >= -slack


def forces_around(cone, rng, count):
    """Forces near the cone's surface: where mistakes show."""
    f = rng.standard_normal((count, 3))
    near = np.array([cone.project(x) for x in f])
    return np.vstack([f, near + 0.05 * rng.standard_normal((count, 3))])


@pytest.mark.parametrize("seed", SEEDS)
def test_contains_is_coulombs_law(seed):
    rng = np.random.default_rng(seed)
    cone = random_cone(rng, seed)
    for f in forces_around(cone, rng, 200):
        assert cone.contains(f) == in_cone(cone, f, 1e-12)
        assert (cone.violation(f) > 1e-9) == (not cone.contains(f))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_margin_is_the_normal_force_that_may_go(seed):
    rng = np.random.default_rng(seed)
    cone = random_cone(rng, seed)
    forces = forces_around(cone, rng, 50)
    margins, used = cone.margin(forces), cone.used(forces)
    for f, margin, ratio in zip(forces, margins, used, strict=True):
        # alone and among others the products may be rounded in other orders
        assert (cone.margin(f), cone.used(f)) == pytest.approx((margin, ratio), rel=1e-12)
        assert in_cone(cone, f, 1e-12) == (margin >= -1e-9)
        if np.isfinite(margin):
            assert in_cone(cone, f - (margin - 1e-6) * cone.normal)
            assert not in_cone(cone, f - (margin + 1e-6) * cone.normal)
        pressed = f @ cone.normal
        assert ratio == pytest.approx(1 - margin / pressed if pressed > 0 else np.inf)


def test_what_a_force_uses_of_its_friction():
    cone = FrictionCone(0.5)
    assert cone.margin([3.0, 0.0, 10.0]) == pytest.approx(4.0)
    assert cone.used([3.0, 4.0, 10.0]) == pytest.approx(1.0)
    ice = FrictionCone(0.0)
    assert ice.margin([[0, 0, 2.0], [1.0, 0, 2.0]]) == pytest.approx([2.0, -np.inf])
    assert ice.used([[0, 0, 2.0], [1.0, 0, 2.0], [0, 0, 0], [0, 0, -1]]) == pytest.approx(
        [0.0, np.inf, np.nan, np.inf], nan_ok=True
    )
    two = FrictionCone((0.5, 0.25), tangent=(1, 0, 0))
    assert two.used([3.0, 2.0, 10.0]) == pytest.approx(1.0)
    with pytest.raises(ContactError, match="force: got"):
        cone.margin([1.0, 2.0])


@pytest.mark.parametrize("seed", SEEDS)
def test_projection_is_the_nearest_point(seed):
    """p is the projection on a convex cone iff p ∈ K, p ⊥ f − p, and p − f is in the dual cone."""
    rng = np.random.default_rng(seed)
    cone = random_cone(rng, seed)
    for f in forces_around(cone, rng, 100):
        p = cone.project(f)
        assert in_cone(cone, p, 1e-12)
        assert p @ (f - p) == pytest.approx(0, abs=1e-12)
        u = local(cone, p - f)
        assert u[2] >= np.linalg.norm(cone.friction * u[:2]) - 1e-12
        assert cone.braking(p - f) == pytest.approx(np.linalg.norm(cone.friction * u[:2]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [3, 4, 5, 8, 16])
def test_pyramids_are_on_their_stated_side(seed, n):
    rng = np.random.default_rng(seed)
    cone = random_cone(rng, seed)
    inner, outer, rays = cone.faces(n, "inner"), cone.faces(n, "outer"), cone.rays(n)
    for f in forces_around(cone, rng, 200):
        if (inner @ f <= -1e-12).all():
            assert in_cone(cone, f)
        if in_cone(cone, f):
            assert (outer @ f <= 1e-12).all()
    assert (inner @ rays.T <= 1e-12).all()  # the inner pyramid's edges are the rays
    assert all(in_cone(cone, ray, 1e-12) for ray in rays)
    assert rays @ cone.normal == pytest.approx(np.ones(n))


def test_frictionless_pyramids_do_not_pull():
    cone = FrictionCone(0.0)
    for kind in ("inner", "outer"):
        assert (cone.faces(4, kind) @ [0, 0, -1] > 0).any()
        assert (cone.faces(4, kind) @ [0, 0, 1] <= 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_cvxpy_constraints_are_the_cone(seed):
    """Projecting with cvxpy under the constraints gives the closed form's projection."""
    rng = np.random.default_rng(seed)
    cone = random_cone(rng, seed)
    f, target = cp.Variable(3), rng.standard_normal(3)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(f - target)), cone.constraints(f))
    problem.solve(solver="CLARABEL")
    assert f.value == pytest.approx(cone.project(target), abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"friction": -0.1}, "at least 0"),
        ({"friction": np.inf}, "finite"),
        ({"friction": 0.5, "normal": (0, 0, 2)}, "unit vector"),
        ({"friction": 0.5, "normal": (0, 0, 0)}, "unit vector"),
    ],
)
def test_impossible_cones_are_refused(arguments, says):
    with pytest.raises(ContactError, match=says):
        FrictionCone(**arguments)


@pytest.mark.parametrize("n", [2, 0, -1, 3.5])
def test_a_pyramid_needs_three_sides(n):
    with pytest.raises(ContactError, match="at least 3"):
        FrictionCone(0.5).faces(n)
    with pytest.raises(ContactError, match="at least 3"):
        FrictionCone(0.5).rays(n)


def test_unknown_kind_of_pyramid():
    with pytest.raises(ContactError, match="'inner' or 'outer'"):
        FrictionCone(0.5).faces(4, "middle")
