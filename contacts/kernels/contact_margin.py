"""The margin of contacts, and its proof, eight problems side by side.

    maximise ε  subject to  A f + ε n = w,  f_k ∈ K_k,  low ≤ G f + ε g ≤ high
    minimise wᵀy + highᵀν⁺ − lowᵀν⁻  subject to  nᵀy + gᵀν = 1,  Aᵀy + Gᵀν ∈ K*

A are the equations of motion without torques, ε the newtons of normal force to spare, K_k Coulomb's
cones (those of soft points with their moment), G whatever else is linear: torques, normal forces of
whole contacts, moments about their normals. y with the ν of torques is the motion it would fall
along.

A reflection of the rows that turns n into (ℓ, 0, …) leaves one row for ε and the others without
it, and friction goes into the columns, so that the cones are Lorentz's. What remains is solved by
`conic`. Few of the inequalities are ever met, so that they are generated: those that an answer
violates join the program, each with a slack, and it is solved again. What has no forces without
some of them has none with all.
"""

from __future__ import annotations

from ...dynamics.kernels.scalars import as_lanes, choose, size
from .algebra import any_lane, dot, norm
from .conic import INFEASIBLE, OPTIMAL, UNBOUNDED, UNSOLVED, solve
from .inequalities import (
    ROUNDS,
    choose_violated,
    forget,
    gather_chosen,
    scatter_multipliers,
    violations,
)
from .orthonormal import inconsistent, multipliers, orthonormal_row, orthonormal_rows

_VIOLATED = 1e-8  # violation from which an inequality becomes active


def margin_of(equations, inequalities, program, workspace, found, numbers, cones):
    """Write how it ended and ε, f, y, ν of lanes.

    Args:
        equations: A (m, n), w (m,), n (m,), and the newtons of each entry of a cone's vector (n,).
        inequalities: G (R, n), g, low, high (R,), each of about unit size.
        program: B (m + MOST, n + MOST), b (m + MOST,), c (n + MOST,), R (m + MOST, m + MOST),
            rest (m,), multipliers z (m + MOST,).
        workspace: of `conic.solve`, and what each inequality lacks (R,).
        found: how it ended and ε (2,); f (n,), y (m,). Of unbounded ones the forces are a squeeze,
            A f = −n; of infeasible ones nᵀy + gᵀν = 0, and the bound is −1.
        numbers: as floats (…, LANES): the inequalities, B, b, R, z, the outcome, what each
            inequality lacks, ν (R,), the chosen ones (MOST,) and flags (2,).
        cones: D, K.
    """
    A, w, normal, units = equations
    B, b, c, R, rest, z = program
    columns, rows, square, factors, lacking = workspace
    outcome, f, y = found
    flags = numbers[-1]
    m, (D, K) = len(w), cones
    n = D * K
    for i in range(m):
        b[i] = 1.0 * w[i]
        for j in range(n):
            B[i, j] = units[j] * A[i, j]
    length = reflect(B, b, normal, m, n)
    for j in range(n):
        c[j] = B[0, j] / length
    first = b[0] / length
    orthonormal_rows(B, b, R, rest, 1, m, n)
    contradiction = inconsistent(rest, rest, 1, m)
    forget(numbers)
    met, active = 0, as_lanes(flags)[1] + 0.0 * length
    for trial in range(ROUNDS):
        if trial > 0:
            endless = choose(0.5 - size(outcome[0] - UNBOUNDED), 1.0, 0.0)
            solved = choose(0.5 - size(outcome[0] - OPTIMAL), 1.0, endless)
            epsilon = choose(endless, 1.0, outcome[1])
            violations(inequalities, f, epsilon, endless, solved, _VIOLATED, lacking)
            met = choose_violated(numbers)
            active = 1.0 * as_lanes(flags)[1]
            if not any_lane(active, flags):
                break
        gather_chosen(numbers, m, n, met)
        for i in range(m, m + met):
            put_inequality(B, b, c, R, units, first, m, n, i, met)
        for j in range(n, n + met):
            c[j] = 0.0
        B_, b_, all_cones, r = B[1:], b[1:], (D, K, met), m - 1 + met
        ended, value = solve(B_, b_, c, all_cones, r, columns, rows, square, factors, flags)
        ended = choose(contradiction, INFEASIBLE, ended)
        outcome[0] = choose(active, ended, outcome[0])
        outcome[1] = choose(active, first - value, outcome[1])
        for j in range(n):
            f[j] = choose(active, units[j] * columns[0, j], f[j])
        put_multipliers(R, rest, contradiction, rows[0], z, ended, length, m, met)
        reflected(z, normal, length, m)
        for i in range(m):
            y[i] = choose(active, z[i], y[i])
        scatter_multipliers(numbers, m, met)
    outcome[0] = choose(active, UNSOLVED, outcome[0])


def reflect(rows, b, normal, m, n):
    """Reflect the rows so that n becomes (ℓ, 0, …), in place; return ℓ = ±‖n‖."""
    length = choose(normal[0], -1.0, 1.0) * norm(normal, m)
    for j in range(n):
        reflected(rows[:, j], normal, length, m)
    reflected(b, normal, length, m)
    return length


def reflected(x, normal, length, m):
    """Householder's reflection x − 2 u uᵀx/uᵀu, u = n − ℓ e₁, in place; its own inverse."""
    half = length * (length - normal[0])  # uᵀu/2
    share = (dot(normal, x, m) - length * x[0]) / half
    for i in range(m):
        x[i] = x[i] - share * normal[i]
    x[0] = x[0] + share * length


def put_inequality(B, b, c, R, units, first, m, n, i, met):
    """Make row i, ± (G f + ε g) + slack = ± bound, one of the program: with ε = first − cᵀx.

    It becomes orthogonal to the equations, and of unit length but for its slack. R[i, 0] is ± g.
    """
    for j in range(n):
        B[i, j] = units[j] * B[i, j] - R[i, 0] * c[j]
    for j in range(met):
        B[i, n + j] = 1.0 if m + j == i else 0.0
    b[i] = b[i] - R[i, 0] * first
    for k in range(1, m):
        R[i, k] = 0.0
        B[k, n + i - m] = 0.0
    orthonormal_row(B, b, R, 1, m, i, n)


def put_multipliers(R, rest, contradiction, dual, z, ended, length, m, met):
    """Write the multipliers z of the reflected equations and of the inequalities, from −y."""
    solved = choose(0.5 - size(ended - OPTIMAL), 1.0, 0.0)
    z[0] = choose(solved, 1.0 / length, 0.0)
    for i in range(1, m):
        z[i] = choose(contradiction, rest[i], -dual[i - 1])
    for i in range(m, m + met):
        z[i] = choose(contradiction, 0.0, -dual[i - 1] * R[i, i])
        z[0] = z[0] - z[i] * R[i, 0] / length
        for k in range(1, m):
            z[k] = z[k] - z[i] * R[i, k]
    multipliers(R, z, 1, m)
