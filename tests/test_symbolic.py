"""Symbols: closed forms are unique, wrenches keep their frame and point, Steiner, Newton, Euler."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
import sympy as sp

import footwork as fw
from footwork import biomechanics
from footwork.biomechanics import symbolic as sy
from footwork.biomechanics.symbolic import closed_form, t
from footwork.biomechanics.symbolic.closed_form import is_zero

A, B, X, M = sp.symbols("a b x m", real=True)
SIN, COS = sp.sin, sp.cos
UP = (0, 0, 1)


def turning(name="turning", angle=2 * t, parent=sy.WORLD, origin=(1, t, 0)):
    return sy.Frame(name, parent, sy.rotation(UP, angle), origin)


# --- closed forms ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (COS(A) * COS(B) - SIN(A) * SIN(B), COS(A + B)),
        (COS(A) ** 2 + SIN(A) ** 2, 1),
        (SIN(A) * (1 + COS(A)) ** 2 - SIN(A) - SIN(2 * A), SIN(3 * A) / 4 + SIN(A) / 4),
        (M * X**2 * (SIN(A) + COS(A)) ** 2 / X, M * X + M * X * SIN(2 * A)),
        (COS(2 * t) * SIN(4 * t) - COS(4 * t) * SIN(2 * t), SIN(2 * t)),
        (0.7 * COS(A), sp.Rational(7, 10) * COS(A)),
        (sp.sqrt(2) * COS(A) * sp.sqrt(2) * COS(A), 1 + COS(2 * A)),
        (sp.tan(A) * COS(A) ** 2, sp.tan(A) / 2 + sp.tan(A) * COS(2 * A) / 2),
        (1 / (1 + COS(A)) + 1, 1 + 1 / (1 + COS(A))),
        (COS(A + 1) * COS(1) + SIN(A + 1) * SIN(1), COS(A)),
        (COS(A / 2) ** 2, sp.Rational(1, 2) + COS(A) / 2),
        (3, 3),
        (X, X),
    ],
)
def test_closed_form(given, expected):
    assert closed_form(given) - expected == 0


@pytest.mark.parametrize("seed", range(5))
def test_closed_form_keeps_the_value(seed):
    rng = np.random.default_rng(seed)
    symbols = [A, B, X, M]
    factors = [SIN(A + 2 * B), COS(3 * A), X, M**-2, COS(B - A), sp.exp(X)]
    expression = sp.Add(
        *(
            int(rng.integers(-9, 9)) * sp.Mul(*rng.choice(factors, 3)) * (1 + rng.choice(factors))
            for _ in range(6)
        )
    )
    values = dict(zip(symbols, rng.random(4) + 0.5, strict=True))
    closed = closed_form(expression)
    assert float(closed.subs(values)) == pytest.approx(float(expression.subs(values)), abs=1e-12)
    assert closed_form(closed) == closed
    assert is_zero(expression - closed)
    assert not is_zero(expression - closed + X)


# --- frames ------------------------------------------------------------------------------------


def test_frames_move_as_kinematics_says():
    """ω of a chain adds up; the acceleration is centripetal, Coriolis and what is left."""
    theta, s = sp.Function("theta")(t), sp.Function("s")(t)
    disc = sy.Frame("disc", sy.WORLD, sy.rotation(UP, theta))
    w, r = theta.diff(t), s
    assert is_zero(disc.angular_velocity - sp.Matrix([0, 0, w]))
    assert is_zero(disc.angular_acceleration - sp.Matrix([0, 0, w.diff(t)]))
    expected = [r.diff(t, 2) - r * w**2, r * w.diff(t) + 2 * r.diff(t) * w, 0]
    assert is_zero(disc.acceleration((s, 0, 0)) - sp.Matrix(expected))

    tilted = sy.Frame("tilted", disc, sy.rotation((1, 0, 0), 3 * t))
    about = tilted.turn(disc) * disc.angular_velocity + sp.Matrix([3, 0, 0])
    assert is_zero(tilted.angular_velocity - about)


def test_coordinates_go_there_and_back():
    frame = turning(parent=turning("below", 3 * t))
    other = sy.Frame("other", origin=(0, 0, t**2))
    there = frame.coordinates((A, B, X), other)
    assert is_zero(other.coordinates(there, frame) - sp.Matrix([A, B, X]))
    assert is_zero(frame.turn(other) * other.turn(frame) - sp.eye(3))


# --- wrenches ----------------------------------------------------------------------------------


def wrench(frame=sy.WORLD, point=(1, 2, 3)):
    return sy.Wrench((A, B, X), (M, A, 5), frame, point)


def test_translate_and_express_agree_with_the_numeric_wrench():
    frame, values, now = turning(), {A: 0.3, B: -1.2, X: 2.0, M: 0.7}, 0.4
    ours = wrench().express(frame).translate((0, t, -1))
    f, m = ([float(x.subs(values)) for x in part] for part in (wrench().force, wrench().moment))
    R, p = (np.array(x.subs({t: now}), dtype=float) for x in frame.in_world)
    T = pin.SE3(R, p.ravel())
    numeric = fw.Wrench(f, m, (1, 2, 3)).expressed_in("turning", T.inverse()).at((0, now, -1))
    got = np.array(ours.subs(values).subs({t: now}).vector, dtype=float).ravel()
    assert got == pytest.approx(numeric.vector, abs=1e-12)


def test_translating_and_expressing_commute_and_undo():
    frame = turning()
    there = wrench().express(frame)
    back = there.translate((0, 0, 0)).express(sy.WORLD).translate((1, 2, 3))
    assert is_zero(back.vector - wrench().vector)
    moved = wrench().translate((A, 0, B)).express(frame)
    assert is_zero(there.translate(moved.point).vector - moved.vector)


def test_addition_of_like_with_like_only():
    assert is_zero((wrench() + wrench()).vector - 2 * wrench().vector)
    assert is_zero((wrench() - wrench()).vector)
    with pytest.raises(fw.ConfigurationError, match=r"'world' and 'turning'.*\.express"):
        wrench() + wrench(turning())
    with pytest.raises(fw.ConfigurationError, match=r"\[1, 2, 3\].*\.translate"):
        wrench() + wrench(point=(1, 2, 4))
    with pytest.raises(fw.ConfigurationError, match="symbolic Wrench"):
        wrench() + 1
    with pytest.raises(fw.ConfigurationError, match="force: got"):
        sy.Wrench((1, 2), (0, 0, 0), sy.WORLD)
    # the same point, written in two ways
    same = wrench(point=(COS(A) ** 2 + SIN(A) ** 2, 2, 3))
    assert is_zero((wrench() - same).vector)


def test_newtons_third_law():
    assert is_zero((wrench() + wrench().reaction()).vector)
    assert is_zero((-wrench()).vector + wrench().vector)


# --- bodies ------------------------------------------------------------------------------------


def body(frame):
    I = sp.Matrix([[3, 1, 0], [1, 4, 2], [0, 2, 5]])  # noqa: E741
    return sy.Body("brick", frame, M, (A, 0, B), I)


def test_inertia_about_any_point_and_in_any_axes():
    values = {A: 0.2, B: -0.7, M: 1.3, t: 0.6}
    frame = turning()
    about = body(frame).inertia_about((1, 2, X), sy.WORLD).subs(values).subs({X: 0.5})
    I = np.array(body(frame).inertia, dtype=float)  # noqa: E741
    moved = biomechanics.moved_inertia(I, 1.3, (0.2, 0, -0.7), (1, 2, 0.5))
    R = pin.exp3(np.array([0, 0, 1.2]))
    expected = biomechanics.rotated_inertia(moved, R)
    assert np.array(about, dtype=float) == pytest.approx(expected, abs=1e-12)
    assert is_zero(sy.bodies.steiner(M, (A, 0, 0)) - sp.diag(0, M * A**2, M * A**2))


@pytest.mark.parametrize("observer", [None, "world", "other", "own"])
def test_balance_of_a_free_body_closes_for_every_observer(observer):
    """A brick that turns about two axes on a sliding cart: what holds it is seen by all alike."""
    cart = turning("cart", angle=t**2, origin=(t**2, t**3, 0))
    frame = sy.Frame("brick", cart, sy.rotation((1, 0, 0), A * t), (1, 0, t))
    brick = body(frame)
    needed = brick.dynamic_wrench()
    by = {
        None: sy.WORLD,
        "world": sy.WORLD,
        "other": turning(angle=X * t**3, origin=(t**2, 0, t)),
        "own": frame,
    }[observer]
    fictitious = brick.fictitious_wrenches(by)
    residual = brick.dynamic_wrench(by) - needed.express(by) - fictitious.total
    assert is_zero(residual.vector)
    if observer == "other":
        assert not any(is_zero(w.force) for w in fictitious)
    if observer in (None, "world"):
        assert is_zero(fictitious.total.vector)


def test_moment_is_the_rate_of_angular_momentum():
    """I ω̇ + ω × I ω in the body's axes is d(R I ω)/dt in the world's."""
    shaft = sy.Frame("shaft", rotation=sy.rotation(UP, t**2))
    frame = sy.Frame("blade", shaft, sy.rotation((1, 0, 0), A * t), (1, 0, 0))
    momentum = frame.in_world[0] * body(frame).inertia * frame.angular_velocity
    dynamic = body(frame).dynamic_wrench().express(sy.WORLD)
    assert is_zero(dynamic.moment - momentum.diff(t))
    assert is_zero(dynamic.force - M * dynamic.point.diff(t, 2))


def test_weight_friction_and_tip():
    frame = turning()
    weight = body(frame).gravity_wrench((0, 0, -X))
    assert is_zero(weight.vector - sp.Matrix([0, 0, -M * X, 0, 0, 0]))
    assert is_zero(weight.point - sp.Matrix([A, 0, B]))
    theta = sp.Function("theta")(t)
    joint = sy.Joint("hinge", sy.WORLD, body(frame), UP, theta)
    friction = joint.friction_wrench(viscous=A, dry=B)
    expected = -A * theta.diff(t) - B * sp.sign(theta.diff(t))
    assert is_zero(friction.force)
    assert is_zero(friction.moment - sp.Matrix([0, 0, expected]))
    tip = sy.bodies.tip_wrench(body(frame), (0, 1, 0))
    assert len(tip.force.free_symbols) == 3


def test_refusals():
    with pytest.raises(fw.ConfigurationError, match="expected a rotation matrix"):
        sy.Frame("bad", rotation=2 * sp.eye(3))
    with pytest.raises(fw.ConfigurationError, match="expected a unit one"):
        sy.rotation((1, 1, 0), A)
    with pytest.raises(fw.ConfigurationError, match="origin: got"):
        sy.Frame("bad", origin=(1, 2))
    with pytest.raises(fw.ConfigurationError, match="symmetric inertia"):
        sy.Body("bad", sy.WORLD, 1, (0, 0, 0), sp.Matrix([[1, 2, 3], [0, 1, 1], [0, 0, 1]]))
    for bad in ("__import__('os')", float("nan"), sp.oo, None, [1]):
        with pytest.raises(fw.ConfigurationError, match="expected a finite number"):
            closed_form(bad)
        with pytest.raises(fw.ConfigurationError, match="mass: got"):
            sy.Body("bad", sy.WORLD, bad, (0, 0, 0))
        with pytest.raises(fw.ConfigurationError, match="point: got"):
            wrench().translate((0, 0, bad))
        with pytest.raises(fw.ConfigurationError, match="angle: got"):
            sy.rotation(UP, bad)
    for bad in ("123", 3, [[1, 2], [3, 4]], [[1, 2, 3]] * 2):
        with pytest.raises(fw.ConfigurationError, match="rotation: got"):
            sy.Frame("bad", rotation=bad)
        with pytest.raises(fw.ConfigurationError, match="force: got"):
            sy.Wrench(bad, (0, 0, 0), sy.WORLD)
    with pytest.raises(AttributeError, match="symbolics"):
        biomechanics.symbolics  # noqa: B018


@pytest.mark.parametrize("name", ["lengths", "masses", "inertias", "viscous"])
def test_what_a_segment_cannot_have_less_of_than_nothing(name):
    with pytest.raises(fw.ConfigurationError, match=f"{name}: got -1; expected none below 0"):
        sy.Limb(2, **{name: [1, -1]})
