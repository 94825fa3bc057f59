"""The least friction coefficient for many loads at once, by generalised fractional programs.

    μ* = min max_k ‖g_t,k‖/g_n,k   over forces g with  G g + h = 0,  g_n ≥ 0

For a trial μ and weights s_k > 0, Σ s_k = 1, the kernel solves

    maximise ε  subject to  G (f + ε Σ_k s_k n_k) + h = 0,  ‖f_t,k‖ ≤ μ f_n,k

If ε > 0, the forces g_k = f_k + ε s_k n_k need less than μ: max_k ‖g_t,k‖/g_n,k, a Newton step from
above. If ε < 0, the twist that the kernel proves it with shows that μ is too little. Each s_k is
the g_n,k of the step before, for then the steps end quadratically. A trial lies just below what
is known to hold, so that the one that fails closes the bracket; where that is slow, in the middle.

J.-P. Crouzeix, J. A. Ferland, S. Schaible, "An algorithm for generalized fractional programs"
(1985), and "A note on an algorithm for generalized fractional programs" (1986) for the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import Array
from ..equilibrium.problems import decided, plain_program
from ..kernels.verdict import INFINITE

_ROUNDS = 40
_LEAST = 1e-3  # weight of a point, of all
_BALANCED = 1e-8  # what may be left of the balance, in weights
_OUTSIDE = 1e-9  # how far a force may lie outside its cone, in weights
# of twists of length one: speeds below which a point is at rest, and the least power of a unit load
# that counts as positive
_MOVING, LIFTED = 1e-7, 1e-9


def least_frictions(
    kernel: Callable[..., Any], G: Array, h: Array, tolerance: float, most: float
) -> tuple[Array, Array]:
    """Return (lower, upper) (n,) around μ*, (≥ most, inf) where `most` is too little.

    They are no farther apart than `tolerance`, but for loads on which the kernel cannot decide.

    Args:
        kernel: the compiled `VERDICTS`.
        G: (6, 3K), wrenches of unit forces in contact axes, data near one in size.
        h: (n, 6), loads in units of the weight.
        tolerance: of μ.
        most: the largest μ.
    """
    n, K = len(h), G.shape[1] // 3
    lower, upper = np.zeros(n), np.full(n, np.inf)
    shares = np.full((n, K), 1.0 / K)
    left, trial = np.arange(n), np.full(n, most)
    for _ in range(_ROUNDS):
        gap = upper[left] - lower[left]
        g, y = _ask(kernel, G, h[left], trial, shares[left])
        held, too_little = _needed(G, h[left], g), _proven(G, h[left], y, trial)
        better = held < upper[left]
        shares[left[better]] = _shares(g[better])
        upper[left] = np.minimum(upper[left], held)
        lower[left] = np.maximum(lower[left], too_little)
        now = upper[left] - lower[left]
        more = (now > tolerance) & np.isfinite(now)
        slow = now[more] > 0.5 * gap[more]
        left = left[more]
        if not len(left):
            break
        low, high = lower[left], upper[left]
        trial = np.where(slow, (low + high) / 2, np.maximum(high - 0.9 * tolerance, low))
    return lower, upper


def _ask(
    kernel: Callable[..., Any], G: Array, h: Array, mu: Array, shares: Array
) -> tuple[Array, Array]:
    """Return forces g (n, K, 3), nan where the kernel has none, and twists y (n, 6), ‖y‖ = 1."""
    n, K = shares.shape
    normal, mu = shares @ G[:, 2::3].T, np.repeat(mu[:, None], K, axis=1)
    program = plain_program(G, -h, normal, np.hstack([mu, mu, np.ones((n, K))]))
    found = decided(kernel, program, (6, 3, K, 0))
    e, y = found.verdict[:, 1], found.y
    finite = np.abs(e) < INFINITE
    g = found.forces.reshape(n, 3, K).transpose(0, 2, 1)
    g[:, :, 2] += np.where(finite, e, np.nan)[:, None] * shares
    return g, y / np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-12)


def _needed(G: Array, h: Array, g: Array) -> Array:
    """Return the friction with which forces balance the loads, inf for those that do not."""
    missing = np.abs(g.reshape(len(g), -1) @ G.T + h).max(axis=1)
    slip = np.maximum(np.hypot(g[:, :, 0], g[:, :, 1]) - _OUTSIDE, 0.0)
    ratio = (slip / np.maximum(g[:, :, 2], _OUTSIDE)).max(axis=1)
    good = (missing <= _BALANCED) & (g[:, :, 2].min(axis=1) >= -_OUTSIDE)
    return np.where(good, ratio, np.inf)


def _proven(G: Array, h: Array, y: Array, mu: Array) -> Array:
    """Return the friction, at least μ, that twists prove to be too little; 0 where they do not."""
    ratio = least_ratio((y @ G).reshape(len(y), -1, 3))
    good = ((y * h).sum(axis=1) > LIFTED) & (ratio >= mu - _BALANCED)
    return np.where(good, np.maximum(ratio, mu), 0.0)


def least_ratio(u: Array) -> Array:
    """Return min_k u_n,k/‖u_t,k‖ (…) of velocities u (…, K, 3) in contact axes, of what moves.

    Up to that friction they prove that it is too little.
    """
    slip, rise = np.hypot(u[..., 0], u[..., 1]), u[..., 2]
    moving = np.maximum(slip, np.abs(rise)) > _MOVING
    ratio = np.where(moving, rise / np.maximum(slip, 1e-12), np.inf)
    return np.asarray(ratio.min(axis=-1, initial=np.inf))


def _shares(g: Array) -> Array:
    """Return the weights of the step after: the points' shares of the normal force."""
    normal = np.maximum(g[:, :, 2], _LEAST)
    return np.asarray(normal / normal.sum(axis=1, keepdims=True))
