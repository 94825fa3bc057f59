"""Wrench cones on their stated side of the exact one, for every patch and number of sides."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest

from footwork import ContactError, Wrench, contacts, dynamics, robots
from footwork.contacts import DiscContact, LineContact, PointContact, SurfaceContact, WrenchCone
from footwork.contacts.geometry.hulls import cone_faces
from footwork.contacts.wrench_cones.wrench_cone import inner_faces, rectangle_faces
from footwork.dynamics.kernels.toolchain import switched_off

PATCHES = {
    "rectangle": {"half_length": 0.1, "half_width": 0.05},
    "triangle": {"vertices": [[0.12, 0.0], [-0.05, 0.06], [-0.02, -0.08]]},
    "pentagon": {
        "vertices": [[0.1, 0.02], [0.03, 0.07], [-0.08, 0.05], [-0.1, -0.03], [0.04, -0.06]]
    },
}
SIDES = [3, 4, 5, 6, 8, 16]


def patch(shape, friction, **more):
    return SurfaceContact("sole", friction=friction, **PATCHES[shape], **more)


SIMPLE = {
    "line": LineContact("sole", half_length=0.1, friction=0.6),
    "disc": DiscContact("sole", radius=0.08, friction=0.6, sides=7),
    "point": PointContact("sole", 0.6),
    **{shape: patch(shape, 0.6) for shape in PATCHES},
}


def exact_by_points(contact, wrenches):
    """Which wrenches are sums of forces in the cones: the definition, a program each.

    Returns the least norm of what is missing, moments by the patch's size.
    """
    p, gamma = contact.points, contact.torsional_friction
    size, mu = np.linalg.norm(p, axis=1).max() or 1.0, np.broadcast_to(contact.friction, 2)
    f, yaw, w = cp.Variable((len(p), 3)), cp.Variable(), cp.Parameter(6)
    total = cp.sum(f, axis=0)
    moment = sum(pin.skew(p[k]) @ f[k] for k in range(len(p))) + cp.hstack([0, 0, yaw])
    used = [cp.multiply(1 / mu, f[k, :2]) for k in range(len(p))]
    if gamma is not None and len(p) == 1:
        cones = [cp.norm(cp.hstack([used[0], yaw / gamma])) <= f[0, 2]]
    else:
        cones = [yaw == 0, *(cp.norm(used[k]) <= f[k, 2] for k in range(len(p)))]
        cones += [] if gamma is None else [cp.abs(moment[2]) <= gamma * total[2]]
    missing = cp.hstack([total - w[:3], (moment - w[3:]) / size])
    problem = cp.Problem(cp.Minimize(cp.norm(missing)), cones)
    distances = []
    for wrench in wrenches:
        w.value = wrench
        problem.solve(solver="CLARABEL")
        distances.append(problem.value)
    return np.array(distances)


def wrenches_near_the_surface(contact, rng, n):
    """Wrenches of unit normal force near the boundary of the cone."""
    size = np.linalg.norm(contact.points, axis=1).max()
    w = rng.standard_normal((n, 6)) * np.array([1, 1, 0, size, size, size])
    w[:, 2] = 1.0
    F = WrenchCone(contact, "outer", 16).faces
    free = w * [1, 1, 0, 1, 1, 1]
    # scale the rest so that the nearest face of the outer cone is just met
    reach = np.max((free @ F.T) / np.maximum(-F[:, 2], 1e-12), axis=1)
    scaled = free * (rng.uniform(0.85, 1.1, n) / np.maximum(reach, 1e-9))[:, None]
    scaled[:, 2] = 1.0
    return scaled


KINDS = {
    **{f"{shape} {mu}": patch(shape, mu) for shape in PATCHES for mu in (0.2, 1.2)},
    "soft point": PointContact("toe", 0.6, torsional_friction=0.03),
    "rectangle": patch("rectangle", 0.7, torsional_friction=0.02),
    "pentagon": patch("pentagon", 0.5, torsional_friction=0.01),
    "line": LineContact("sole", half_length=0.1, friction=0.6, torsional_friction=0.02),
    "disc": DiscContact("sole", radius=0.08, friction=0.5, sides=6, torsional_friction=0.015),
    "no turning": patch("rectangle", 0.7, torsional_friction=0.0),
    "two coefficients": patch("rectangle", (0.7, 0.3)),
    "two, turning": patch("rectangle", (0.7, 0.3), torsional_friction=0.01),
}


def stretched(contact, rng, count):
    """Wrenches of positive combinations of outer rays, stretched about their mean."""
    rays = WrenchCone(contact, "outer", 6).rays
    mixed = rng.dirichlet(np.full(len(rays), 0.15), count) @ rays
    middle = rays.mean(axis=0)
    return middle + rng.uniform(0.5, 4, (count, 1)) * (mixed - middle)


@pytest.mark.parametrize("name", KINDS)
def test_inner_exact_and_outer_are_sound(name):
    """Nothing is accepted that friction forbids, and nothing refused that it allows."""
    contact, rng = KINDS[name], np.random.default_rng(len(name))
    wrenches = stretched(contact, rng, 30)
    distance = exact_by_points(contact, wrenches)
    exact = WrenchCone(contact)
    assert [exact.violation(w) for w in wrenches] == pytest.approx(distance, abs=2e-6)
    assert (distance > 1e-4).any()
    assert (distance < 1e-6).any()
    for sides in (3, 4, 5, 8):
        inner = WrenchCone(contact, "inner", sides)
        outer = WrenchCone(contact, "outer", sides)
        assert (distance[inner.contains(wrenches, 1e-9)] < 1e-6).all()
        assert outer.contains(wrenches)[distance < 1e-8].all()
        assert (distance[~outer.contains(wrenches)] > 0).all()
        for cone in (inner, outer):
            assert (cone.rays @ cone.faces.T <= 1e-9).all()
            assert cone.contains(cone.rays).all()
    assert exact.contains(WrenchCone(contact, "inner", 6).rays, 1e-6).all()
    if contact.dim == 6:
        few = (wrenches @ inner_faces(contact, 4).T <= 0).all(axis=1)
        assert few.any()
        assert (distance[few] < 1e-6).all()


def polar_vectors(contact, rng, count):
    """Vectors y with y·w ≤ 0 for every w of the exact cone, and = 0 for one: in closed form.

    The normal part of y is lowered until the worst corner gives nothing.
    """
    units = np.repeat([1.0, np.linalg.norm(contact.points, axis=1).max() or 1.0], 3)
    y = rng.standard_normal((count, 6)) / units
    y[:, 2] -= most_along(contact, y).max(axis=1)
    return y / np.linalg.norm(y * units, axis=1, keepdims=True)


def most_along(contact, y):
    """μ ‖a_t‖ + a_n: the most that 1 N of normal force gives, along a = y_f + y_m × p at p."""
    along = y[:, None, :3] + np.cross(y[:, None, 3:], contact.points[None])
    return contact.friction * np.linalg.norm(along[..., :2], axis=2) + along[..., 2]


@pytest.mark.parametrize("sides", [3, 4, 5, 8, 13])
@pytest.mark.parametrize("name", SIMPLE)
def test_thousands_of_directions(name, sides):
    """Inner: every ray, and every wrench the faces accept, on the right side of 4,000 planes that
    touch the exact cone. Outer: every face is such a plane or beyond."""
    contact, rng = SIMPLE[name], np.random.default_rng(sides)
    inner, outer = (WrenchCone(contact, kind, sides) for kind in ("inner", "outer"))
    y = polar_vectors(contact, rng, 4000)
    assert (inner.rays @ y.T).max() <= 1e-9
    assert (outer.rays @ y.T).max() > 1e-3
    w = rng.dirichlet(np.full(len(outer.rays), 0.2), 3000) @ outer.rays
    taken = w[inner.contains(w, 0.0)]
    assert len(taken) > 100 or np.linalg.matrix_rank(inner.rays) < 6
    assert (taken @ y.T).max(initial=-1.0) <= 1e-9
    assert most_along(contact, outer.faces).max() <= 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_a_cone_is_moved_to_another_point(seed):
    """w about P is in the cone about P exactly when it is in the cone about P' about P'."""
    rng = np.random.default_rng(seed)
    cone, point = WrenchCone(patch("pentagon", 0.5), "inner", 5), 0.2 * rng.standard_normal(3)
    moved = cone.about(point)
    w = rng.dirichlet(np.full(len(cone.rays), 0.2), 300) @ cone.rays
    w = cone.rays.mean(axis=0) + rng.uniform(0.5, 3, (300, 1)) * (w - cone.rays.mean(axis=0))
    there = w.copy()
    there[:, 3:] -= np.cross(point, w[:, :3])
    assert list(cone.contains(w)) == list(moved.contains(there))
    assert set(cone.contains(w)) == {True, False}
    back = moved.about(-point)
    assert list(back.contains(w)) == list(cone.contains(w))


@pytest.mark.parametrize("kind", ["inner", "outer"])
@pytest.mark.parametrize("shape", PATCHES)
@pytest.mark.parametrize("sides", SIDES)
def test_faces_and_rays_are_one_cone(kind, shape, sides):
    """Rays and their sums satisfy the faces; every face carries rays that span it."""
    cone, rng = WrenchCone(patch(shape, 0.6), kind, sides), np.random.default_rng(sides)
    F, rays = cone.faces, cone.rays
    assert (rng.random((500, len(rays))) @ rays @ F.T <= 1e-9).all()
    for face in F:
        on_it = rays[np.abs(rays @ face) < 1e-7]
        assert np.linalg.matrix_rank(on_it * [1, 1, 1, 10, 10, 10], tol=1e-6) == 5
    outside = rng.standard_normal((200, 6))
    refused = (outside @ F.T > 1e-6).any(axis=1)
    assert [cone.violation(w) > 1e-9 for w in outside] == list(refused)


@pytest.mark.parametrize("seed", range(8))
def test_faces_of_any_patch_and_many_sides(seed):
    """Long and thin, smooth and rough, near the centre and off it: rays lie on rank-5 faces."""
    rng = np.random.default_rng(seed)
    count, sides = rng.integers(3, 6), int(rng.integers(12, 24))
    corners = rng.standard_normal((count, 2)) * [0.2, 0.2 * rng.uniform(0.05, 1)] + 0.1
    contact = SurfaceContact("sole", vertices=corners, friction=10 ** rng.uniform(-2, 0.5))
    for kind in ("inner", "outer"):
        cone = WrenchCone(contact, kind, sides)
        units = np.repeat([1.0, np.linalg.norm(contact.points, axis=1).max()], 3)
        rays, F = cone.rays / units, cone.faces * units
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        F /= np.linalg.norm(F, axis=1, keepdims=True)
        touching = np.abs(rays @ F.T) < 1e-9
        assert (rays @ F.T < 1e-9).all()
        assert (touching.sum(axis=0) >= 5).all()
        assert touching.any(axis=1).all()


def any_cone(name, rng):
    """A cone, and wrenches inside it (n, 6): sums of forces in the cones at its points."""
    if name == "set":
        robot = robots.load("biped")
        q = robot.integrate(robot.posture(), 0.2 * rng.standard_normal(robot.nv))
        touching = [
            *contacts.at_feet(robot, 0.4),
            PointContact("right_hand", 0.6, normal=(0, 1, 0), torsional_friction=0.02),
            PointContact("left_hand", 0.0, normal=(0.6, 0, 0.8)),
        ]
        if rng.random() < 0.5:
            touching.append(PointContact("torso", 0.0, bilateral=True))
        cone = contacts.net_wrench_cone(touching, q, (0.1, 0.0, 0.3), robot=robot)
    else:
        extreme = {
            "soft": PointContact("sole", 0.6, torsional_friction=0.03),
            "smooth": patch("rectangle", 0),
            "long": SurfaceContact("sole", half_length=2.0, half_width=0.001, friction=0.01),
        }
        cone = WrenchCone((SIMPLE | extreme)[name])
    rays = WrenchCone.of(cone.generators, "inner", 12).rays
    return cone, rng.dirichlet(np.full(len(rays), 0.1), 40) @ rays


@pytest.mark.parametrize("name", [*SIMPLE, "soft", "smooth", "long", "set"])
@pytest.mark.parametrize("seed", range(2))
def test_the_two_exact_ways_agree(name, seed):
    """Projections on the polar cone, and the cone program that is solved where Numba is missing."""
    rng = np.random.default_rng(seed)
    cone, inside = any_cone(name, rng)
    size = np.linalg.norm(inside, axis=1, keepdims=True)
    noise = 0.3 * rng.standard_normal(inside.shape) * size
    wrenches = np.vstack([inside, inside + noise, inside + 1e-4 * noise, noise, np.zeros((1, 6))])
    wrenches *= 10.0 ** rng.uniform(-6, 6, (len(wrenches), 1))
    distances = np.array([cone.violation(w) for w in wrenches])
    assert cone.contains(inside).all()
    norms = np.linalg.norm(wrenches / np.repeat([1.0, cone.generators.size], 3), axis=1)
    taken = cone.contains(wrenches)
    assert list(taken) == [cone.contains(w) for w in wrenches]
    assert list(taken) == list(distances <= 1e-7 * norms)
    with switched_off():
        expected = np.array([cone.violation(w) for w in wrenches])
    assert distances == pytest.approx(expected, rel=1e-6, abs=1e-7 * norms.max())
    assert (np.abs(distances - expected) <= 2e-7 * norms).all()


def test_violations_are_ordered():
    contact, rng = patch("pentagon", 0.5), np.random.default_rng(2)
    for w in wrenches_near_the_surface(contact, rng, 30):
        inner, exact, outer = (
            WrenchCone(contact, kind).violation(w) for kind in ("inner", "exact", "outer")
        )
        assert inner >= exact - 1e-7
        assert exact >= outer - 1e-7


@pytest.mark.parametrize("mu", [0.2, 0.7])
def test_closed_form_of_a_rectangle(mu):
    """Caron's sixteen rows are the hull of the axis-aligned pyramids at the four corners."""
    X, Y = 0.12, 0.05
    rays = []
    for p in SurfaceContact("sole", half_length=X, half_width=Y, friction=mu).points:
        for f in ([s * mu, t * mu, 1.0] for s in (1, -1) for t in (1, -1)):
            rays.append(np.concatenate([f, np.cross(p, f)]))
    hull = cone_faces(np.array(rays), size=0.1)
    closed = rectangle_faces(X, Y, mu)
    closed = closed / np.linalg.norm(closed, axis=1, keepdims=True)
    assert len(hull) == len(closed) == 16
    for row in hull:
        assert np.abs(closed - row).max(axis=1).min() < 1e-9


def test_closed_form_is_inner_with_friction_over_root_two():
    mu, contact = 0.5, patch("rectangle", 0.5)
    wrenches = wrenches_near_the_surface(contact, np.random.default_rng(3), 120)
    distance = exact_by_points(contact, wrenches)
    inner = (rectangle_faces(0.1, 0.05, mu / np.sqrt(2)) @ wrenches.T <= 0).all(axis=0)
    outer = (rectangle_faces(0.1, 0.05, mu) @ wrenches.T <= 1e-9).all(axis=0)
    assert inner.any()
    assert (distance[inner] < 1e-6).all()
    assert outer[distance < 1e-9].all()
    assert (distance[outer] > 1e-3).any()  # with the full μ it accepts what friction forbids


@pytest.mark.parametrize(
    "contact", [PointContact("toe", 0.5), patch("rectangle", 0.0), PointContact("toe", 0.0)]
)
def test_flat_cones_say_what_they_cannot_transmit(contact):
    """Points and frictionless patches span less than six dimensions."""
    for kind in ("inner", "outer", "exact"):
        cone = WrenchCone(contact, kind)
        assert cone.contains([0, 0, 1, 0, 0, 0])
        assert not cone.contains([0, 0, -1, 0, 0, 0])
        assert not cone.contains([0, 0, 1, 0, 0, 0.1])
        assert cone.violation([0, 0, -2, 0, 0, 0]) == pytest.approx(2, abs=1e-6)
    rank = np.linalg.matrix_rank(WrenchCone(contact, "inner").rays)
    F = WrenchCone(contact, "inner").faces
    opposite = [row for row in F if np.abs(F + row).max(axis=1).min() < 1e-9]
    assert len(opposite) == 2 * (6 - rank)


def test_net_cone_is_what_static_hold_asks():
    """The weight, moved to a point, is inside the net cone iff the contacts hold it."""
    robot = robots.load("quadruped")
    rng = np.random.default_rng(4)
    q = robot.posture()
    verdicts, weight = [], np.array([0, 0, 9.81 * robot.mass])
    for _ in range(6):
        feet = []
        for name in rng.choice(list(robot.feet), size=3, replace=False):
            n = np.array([0, 0, 1]) + 0.25 * rng.standard_normal(3)
            n /= np.linalg.norm(n)
            feet.append(PointContact(robot.feet[name].frame, 0.6, normal=n, name=name))
        feet = contacts.ContactSet(robot, feet)
        hold = contacts.static_hold(robot, q, feet, torque_limits=False)
        point = rng.standard_normal(3)
        wrench = np.concatenate([weight, np.cross(dynamics.com(robot, q) - point, weight)])
        inner, exact, outer = (
            contacts.net_wrench_cone(feet, q, point, kind, 12).contains(wrench)
            for kind in ("inner", "exact", "outer")
        )
        verdicts.append(hold.feasible)
        assert exact == bool(hold.feasible)
        assert outer or not hold.feasible
        assert hold.feasible or not inner
    assert len(set(verdicts)) == 2


@pytest.mark.parametrize("name", KINDS)
def test_the_margin_is_the_normal_force_that_may_go(name):
    """By the distance of what is left: none until then, some from then on; inner ≤ exact ≤ outer,
    and used = 1 − margin/f_n."""
    rng = np.random.default_rng(0)
    cones = [WrenchCone(KINDS[name], kind, 12) for kind in ("inner", "exact", "outer")]
    wrenches = stretched(KINDS[name], rng, 20)
    inner, margins, outer = (cone.margin(wrenches) for cone in cones)
    assert (inner <= margins + 1e-7).all()
    assert (margins <= outer + 1e-7).all()
    held, normal = 0, np.eye(6)[2]
    for w, margin in zip(wrenches, margins, strict=True):
        assert cones[1].margin(w) == pytest.approx(margin, abs=1e-8)
        if np.isfinite(margin):
            assert cones[1].violation(w - (margin - 1e-3) * normal) < 1e-6
            assert cones[1].violation(w - (margin + 1e-3) * normal) > 1e-6
            held += 1
        assert cones[1].contains(w) == (margin > -1e-7)
    assert held > 10 or name == "soft point"
    pressed = wrenches[:, 2] > 0
    expected = 1 - margins[pressed] / wrenches[pressed, 2]
    assert cones[1].used(wrenches)[pressed] == pytest.approx(expected)


def test_the_margin_of_one_foot_is_that_of_the_hold():
    robot = robots.load("biped")
    foot = contacts.at_feet(robot, 0.6)["left_foot"]
    q = contacts.solve_posture(robot, foot, com="inside").q
    push = {"pelvis": Wrench((3.0, 2.0, 0.0), np.zeros(3))}
    for wrenches in ({}, push):
        hold = contacts.static_hold(robot, q, foot, wrenches, torque_limits=False)
        assert hold.feasible
        T = foot.pose(robot, q)
        w = hold.wrenches["left_foot"].at(T.translation)
        local = np.concatenate([T.rotation.T @ w.force, T.rotation.T @ w.moment])
        assert WrenchCone(foot).margin(local) == pytest.approx(hold.margin, rel=1e-6)


def test_margins_without_bound():
    point, held = PointContact("toe", 0.5), PointContact("toe", 0.5, bilateral=True)
    w = np.array([3.0, 0.0, 10.0, 0.0, 0.0, 0.0])
    for kind in ("exact", "inner", "outer"):
        cone = WrenchCone(point, kind)
        if kind == "exact":
            assert cone.margin(w) == pytest.approx(4.0, rel=1e-6)  # 10 − 3/0.5
            assert cone.used(w) == pytest.approx(0.6, rel=1e-6)
        assert cone.margin(w + np.eye(6)[5]) == -np.inf  # a point gives no moment
        assert cone.margin(0 * w) == 0.0
        assert np.isnan(cone.used(0 * w))
        assert cone.used(-w) == np.inf
        both_ways = WrenchCone(held, kind)
        assert both_ways.margin(-w) == np.inf
        assert both_ways.used([w, -w, 0 * w]) == pytest.approx([0, 0, np.nan], nan_ok=True)
    feet = contacts.at_feet(robots.load("biped"))
    net = contacts.net_wrench_cone(feet, robots.load("biped").posture())
    with pytest.raises(ContactError, match="used: got a cone of 2 contacts, expected that of one"):
        net.used(w)


def test_the_margin_of_a_set_is_that_of_the_hold():
    """Of four feet that carry a weight about its own point of attack: each loses the same."""
    robot = robots.load("quadruped")
    feet, q = contacts.at_feet(robot, 0.6), robot.posture()
    hold = contacts.static_hold(robot, q, feet, torque_limits=False)
    cone = contacts.net_wrench_cone(feet, q, dynamics.com(robot, q))
    weight = np.array([0, 0, 9.81 * robot.mass, 0, 0, 0])
    assert cone.margin(weight) == pytest.approx(hold.margin, rel=1e-6)


def test_squeezing_contacts_have_a_cone_without_an_apex():
    """Two opposed points with enough friction: some wrenches both ways; all, with four."""
    robot = robots.block()
    frame, q = robot.model.frames[2].name, robot.neutral()

    def at(offset, normal):
        return PointContact(frame, 1.0, offset=offset, normal=normal)

    x, y = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    pinch = contacts.ContactSet(robot, [at(-0.1 * x, x), at(0.1 * x, -x)])
    cone = contacts.net_wrench_cone(pinch, q, kind="inner")
    for w in ([0, 0, 1, 0, 0, 0], [0, 0, -1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]):
        assert cone.contains(w)
    assert not cone.contains([0, 0, 0, 1, 0, 0])  # about the line through both points
    grip = contacts.ContactSet(robot, [*pinch, at(-0.1 * y, y), at(0.1 * y, -y)])
    assert len(contacts.net_wrench_cone(grip, q, kind="inner").faces) == 0
    assert contacts.net_wrench_cone(grip, q).contains(np.array([1.0, 2, 3, 4, 5, 6]))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"kind": "middle"}, "'exact', 'inner' or 'outer'"),
        ({"kind": "inner", "sides": 2}, "at least 3"),
    ],
)
def test_impossible_cones(arguments, says):
    with pytest.raises(ContactError, match=says):
        WrenchCone(patch("rectangle", 0.5), **arguments)


def test_round_cones_have_no_faces():
    cone = WrenchCone(patch("rectangle", 0.5))
    with pytest.raises(ContactError, match="round"):
        _ = cone.faces
    with pytest.raises(ContactError, match="round"):
        _ = cone.rays
