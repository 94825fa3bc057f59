"""Centroidal dynamics over the nodes of a prediction, linearised about the last one.

    m c̈ = Σ f_i + m g + F,     L̇ = Σ ((p_i − c) × f_i + τ_i) + M,     θ̇ = I⁻¹ L + ω_legs − ω̂

with c the centre of mass, L the angular momentum about it, I the inertia of the base with legs
whose feet do not turn with it (I' of `predictive.legs`), and θ the rotation vector of the base from
its reference R̂, world axes; F and M are known wrenches. ω_legs, what the base turns faster than
I⁻¹L because its legs swing, is that of the legs' momentum that the reference tells, −I⁻¹L_legs;
what it is beyond that now, fades. So the base turns with ω̂ where L is I ω̂ + L_legs, and this L is
wanted. Moments about a moving centre of mass are bilinear; about a motion c̄, f̄ they are, to first
order,

    (p − c) × f  ≈  (p − c̄) × f + f̄ × (c − c̄).

The state is x = [c − o, ċ, L/(m ρ²), θ], with ρ the radius of gyration, forces are in weights:
all numbers are of about unit size. J. Di Carlo, P. Wensing, B. Katz, G. Bledt, S. Kim, "Dynamic
locomotion in the MIT Cheetah 3 through convex model-predictive control" (2018); B. Ponton, A.
Herzog, A. Del Prete, S. Schaal, L. Righetti, "On time optimization of centroidal momentum dynamics"
(2018).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array, Index
from ...dynamics.spatial import rotation_vectors
from ...robots.robot import Robot
from ..kernels.centroidal import FADING, Body, Reference
from .terms import Terms


def bodies_of(robot: Robot, terms: Terms, inertia: Array) -> Body:
    """Return the bodies of states of a robot with a floating base, by their I' (M, 3, 3)."""
    mass, R = float(robot.mass), terms.base
    h = products(terms.map, terms.v)
    square = np.einsum("mij,mij->m", R, terms.map[:, 3:, 3:6]) / (3 * mass)  # of tr(Rᵀ …)
    return Body(
        mass, float(robot.weight), np.array(robot._model.gravity.linear), square, terms.com,
        h[:, :3] / mass, h[:, 3:].copy(), inertia, R, products(R, terms.v[:, 3:6]),
    )  # fmt: skip


def body_of(rows: Body, i: int | Index) -> Body:
    """Return the body of one of many rows, or of some of them."""
    mass, weight, gravity, *arrays = rows
    return Body(mass, weight, gravity, *[x[i] for x in arrays])


def starts(rows: Body, targets: Reference) -> Array:
    """Return x_0 (M, 12), with o = c now."""
    x = np.zeros((len(rows.com), 12))
    x[:, 3:6], x[:, 6:9] = rows.velocity, rows.momentum / (rows.mass * rows.square)[:, None]
    x[:, 9:] = rotation_vectors(rows.rotation @ targets.rotation[:, 0].swapaxes(1, 2))
    return x


def turned_by_legs(body: Body, reference: Reference, times: Array) -> Array:
    """Return ω_legs (N + 1, 3) at the ends of the nodes, world axes [rad/s]."""
    inverse = inverse_inertia(body, reference)
    known = np.zeros((len(times), 3)) if reference.legs is None else reference.legs
    known = -products(inverse, known)
    beyond = body.rate - inverse[0] @ body.momentum - known[0]
    return np.asarray(known + np.exp(-times / FADING)[:, None] * beyond)


def products(A: Array, x: Array) -> Array:
    """A x (N, 3) of each."""
    return np.asarray((A @ x[:, :, None])[:, :, 0])


def inverse_inertia(body: Body, reference: Reference) -> Array:
    """I⁻¹ (N + 1, 3, 3), world axes, at the reference's orientations."""
    R = reference.rotation
    return np.asarray(R @ np.linalg.inv(body.inertia) @ R.swapaxes(1, 2))
