"""Contact states (stick, slip, break), and Newton's method on the equations of given ones.

    break: λ = 0      stick: u = 0      slip: u_n = 0,  λ_t = −λ_n M² u_t / ‖M u_t‖

For given states these are equations, which Newton's method solves: the cone programs of `coulomb`
find the states, and this the digits that they leave.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index

Mask = NDArray[np.bool_]

STATES = ("stick", "slip", "break")


def states(u: Array, bilateral: Mask, tolerance: float) -> list[str]:
    """Return "stick", "slip" or "break" of each point that moves at u (K, 3), in contact axes."""
    leaves = (u[:, 2] > tolerance) & ~bilateral
    slips = (np.linalg.norm(u[:, :2], axis=1) > tolerance) & ~bilateral & ~leaves
    return [
        "break" if gone else "slip" if slip else "stick"
        for gone, slip in zip(leaves, slips, strict=True)
    ]


def polished(
    W: Array,
    w: Array,
    friction: Array,
    locked: Index,
    impulses: Array,
    found: list[str],
    iterations: int = 6,
) -> Array:
    """Return impulses (K, 3) near the given ones that obey the equations of the states found.

    Those whose indices are `locked`, along tangents without friction, are zero in every state.

    Newton's method with least-norm steps, for redundant points. Nothing is checked: the caller asks
    whether the laws hold better than before.
    """
    x = impulses.ravel().copy()
    size = np.linalg.norm(W) / max(len(w), 1)  # velocities of about the size of impulses
    for _ in range(iterations):
        F, D = _equations(W / size, w / size, friction, x, found)
        F[locked], D[locked] = x[locked], np.eye(len(x))[locked]
        step = np.linalg.lstsq(D, -F, rcond=1e-10)[0]
        x = x + step
        if np.abs(step).max(initial=0.0) <= 1e-15 * np.abs(x).max(initial=0.0):
            break
    return np.asarray(x.reshape(-1, 3))


def _equations(
    W: Array, w: Array, friction: Array, x: Array, found: list[str]
) -> tuple[Array, Array]:
    """F(λ) (3K,) and its derivative (3K, 3K) for given states."""
    F, D = W @ x + w, W.copy()  # stick: u = 0
    identity = np.eye(len(x))
    for k, state in enumerate(found):
        rows, t = slice(3 * k, 3 * k + 3), slice(3 * k, 3 * k + 2)
        if state == "break":
            F[rows], D[rows] = x[rows], identity[rows]
        elif state == "slip":  # keeps the row of u_n
            mu, n = friction[k], 3 * k + 2
            speed = np.linalg.norm(mu * F[t])
            along = mu * F[t] / speed
            turning = (np.eye(2) - np.outer(along, along)) / speed
            rubbed = np.outer(along, identity[n]) + x[n] * turning @ (mu[:, None] * W[t])
            D[t] = identity[t] + mu[:, None] * rubbed
            F[t] = x[t] + x[n] * mu * along
    return F, D
