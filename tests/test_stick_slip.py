"""A block on a table: it sticks, slips and sticks again, where the law says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

import footwork as fw
from footwork.dynamics import block_on_table

M, MU, MU_S, G = 2.0, 0.3, 0.5, 9.81


def test_constant_push():
    """m ẍ = u − μ m g."""
    u = 15.0
    run = block_on_table(M, MU, u, duration=2.0, step=0.01, static_friction=MU_S)
    a = (u - MU * M * G) / M
    assert np.abs(run.v - a * run.t).max() < 1e-11
    assert np.abs(run.x - 0.5 * a * run.t**2).max() < 1e-11
    assert not run.sticking[1:].any()


def test_a_weak_push_is_met_by_as_much_friction():
    run = block_on_table(M, MU, -8.0, duration=1.0, step=0.1, static_friction=MU_S)
    assert run.sticking.all()
    assert not run.x.any()
    assert (run.friction == -8.0).all()


def test_sliding_to_rest():
    run = block_on_table(M, MU, 0.0, duration=2.0, step=0.01, velocity=3.0)
    stop = 3.0 / (MU * G)
    assert run.changes == pytest.approx([stop], abs=1e-9)
    assert run.x[-1] == pytest.approx(3.0**2 / (2 * MU * G), abs=1e-9)
    assert run.v[-1] == 0
    assert run.friction[0] == pytest.approx(MU * M * G)
    assert run.friction[-1] == 0


def test_stick_slip_and_stick_again():
    """A ramp breaks it loose at μ_s m g; the push then goes, and it slides to rest."""
    k = 10.0
    loose = MU_S * M * G / k

    def push(t):
        return k * t if t < 1.5 else 0.0

    run = block_on_table(M, MU, push, duration=4.0, step=0.01, static_friction=MU_S)
    slip = (run.t > loose) & (run.t <= 1.5)
    s = run.t[slip]
    v = k * (s**2 - loose**2) / (2 * M) - MU * G * (s - loose)
    assert np.abs(run.v[slip] - v).max() < 1e-9
    v_end = k * (1.5**2 - loose**2) / (2 * M) - MU * G * (1.5 - loose)
    assert run.changes == pytest.approx([loose, 1.5 + v_end / (MU * G)], abs=1e-8)
    assert run.sticking[run.t < loose].all()
    assert run.sticking[-1]
    # friction drops from static to kinetic as it breaks loose
    i = np.searchsorted(run.t, loose)
    assert run.friction[i - 1] == pytest.approx(MU_S * M * G, rel=0.02)
    assert run.friction[i + 1] == pytest.approx(MU * M * G)


def test_a_push_back_and_forth():
    run = block_on_table(M, MU, lambda t: 14.0 * np.sin(4 * t), duration=5.0, step=0.01)
    assert len(run.changes) >= 6
    assert (run.friction * run.v >= 0).all()
    assert np.abs(run.friction).max() <= MU * M * G * (1 + 1e-9)
    work = trapezoid((14.0 * np.sin(4 * run.t) - run.friction) * run.v, run.t)
    assert 0.5 * M * run.v[-1] ** 2 == pytest.approx(work, abs=2e-2)


def test_a_spring_draws_it_along_in_jerks():
    """Stick: the spring k (w t − x) loads up to μ_s m g. Slip: x oscillates about w t − μ m g/k."""
    k, w, x0 = 40.0, 0.05, 0.3
    run = block_on_table(
        M, MU, lambda t, x: k * (x0 + w * t - x), duration=60.0, step=0.01, static_friction=MU_S,
        position=x0,
    )  # fmt: skip
    omega, static, kinetic = np.sqrt(k / M), MU_S * M * G, MU * M * G
    loose, rest = run.changes[:2]
    assert loose == pytest.approx(static / (k * w), abs=1e-9)
    # s = x − x₀ − w t + μ m g/k: s̈ = −ω² s, from s = −(μ_s − μ) m g/k and ṡ = −w
    start = -(static - kinetic) / k
    slip = (run.t > loose) & (run.t < rest)
    tau = run.t[slip] - loose
    s = start * np.cos(omega * tau) - w / omega * np.sin(omega * tau)
    x = s + x0 + w * run.t[slip] - kinetic / k
    assert np.abs(run.x[slip] - x).max() < 1e-9
    speed = -start * omega * np.sin(omega * (rest - loose)) - w * np.cos(omega * (rest - loose)) + w
    assert abs(speed) < 1e-6
    assert len(run.changes) >= 4
    periods = np.diff(run.changes[::2])
    assert periods[1:] == pytest.approx(periods[1], abs=1e-6)  # the limit cycle


def test_laws_of_time_alone_and_starts_elsewhere():
    one = block_on_table(M, MU, lambda t: 15.0, duration=1.0, step=0.1, position=2.0)
    other = block_on_table(M, MU, lambda t, x=0.0: 15.0, duration=1.0, step=0.1)
    assert one.x == pytest.approx(other.x + 2.0, abs=1e-12)
    with pytest.raises(fw.ConfigurationError, match="position: got nan"):
        block_on_table(M, MU, 1.0, duration=1.0, step=0.1, position=np.nan)


def test_refusals():
    for wrong in ({"mass": 0}, {"friction": -0.1}, {"static_friction": 0.1}, {"step": 0}):
        given = {"mass": M, "friction": MU, "push": 1.0, "duration": 1.0, "step": 0.1} | wrong
        with pytest.raises(fw.ConfigurationError, match="expected"):
            block_on_table(**given)
