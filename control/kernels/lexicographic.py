"""Lexicographic least squares with equations, and the multipliers of these.

All rows are on [1; y], as in `minimum`: equations first, T₀ [1; y] = 0, then the weighted residuals
of level 1, 2, …, and last the definite cost of what all leave. Reflections from the right make the
rows triangular, block by block: y = Q z with

    [T₀; T₁; …] Q = [L₀ 0 0; × L₁ 0; × × L₂]

so each block determines the next entries of z, by least squares where it has dependent rows, and
changes nothing above. The multipliers λ of a level's minimum, Σ λ_k T_k + T_iᵀ(T_i [1; y]) = 0 over
the rows above it, follow by back substitution. Where the last level leaves nothing, its normal
equations are solved instead, in half of the time.

A. Escande, N. Mansard, P.-B. Wieber, "Hierarchical quadratic programming" (2014); D. Dimitrov,
A. Sherikov, P.-B. Wieber, "Efficient resolution of potentially conflicting linear constraints in
robotics" (2015).
"""

from __future__ import annotations

import numpy as np

from .minimum import cholesky, solve_factor, solve_transposed_factor

# a row's length below which it follows from those before it, relative to the longest of its level
INDEPENDENT = 1e-8
# least square of a pivot, relative to the longest row's, where a level's normal equations serve
WELL_CONDITIONED = 1e-4
NO_MULTIPLIER = 1e-9  # relative to the gradient of a residual as large as the level's targets


def reflected(row, v, scale, first):
    """row (n,) times 1 − scale v vᵀ, v zero before `first`."""
    dot = 0.0
    for c in range(first, len(row)):
        dot += row[c] * v[c]
    dot *= scale
    for c in range(first, len(row)):
        row[c] -= dot * v[c]


def triangularised(T, begin, end, pivots, V, scale, basis, tolerance):
    """Make the rows [begin, end) triangular from column 1 + `pivots` on; return all pivots then.

    Rows are not moved: `basis` has the independent ones, one each pivot. Later rows are reflected.
    """
    n, first = T.shape[1], 0.0
    used = np.zeros(end - begin, dtype=np.bool_)
    while 1 + pivots < n:
        best, most = -1, 0.0
        for i in range(begin, end):
            if not used[i - begin]:
                square = 0.0
                for c in range(1 + pivots, n):
                    square += T[i, c] * T[i, c]
                if square > most:
                    best, most = i, square
        norm, at = np.sqrt(most), 1 + pivots
        first = max(first, norm)
        if best < 0 or not norm > tolerance * max(1.0, first):
            return pivots
        v = V[pivots]
        for c in range(n):
            v[c] = T[best, c] if c >= at else 0.0
        scale[pivots] = 1.0 / (norm * (norm + abs(v[at])))
        v[at] += norm if v[at] >= 0 else -norm
        for i in range(begin, len(T)):
            if i >= end or not used[i - begin]:
                reflected(T[i], v, scale[pivots], at)
        used[best - begin], basis[pivots] = True, best
        pivots += 1
    return pivots


def normal_equations(T, begin, end, L):
    """Fill L (f, n), triangular rows of the rows [begin, end) in the last f columns.

    From Lᵀ L = Tᵀ T of these: L z = 0 is the least ‖T z‖, as T has their full rank. That takes a
    quarter of the reflections' time, but squares the condition number; returns whether it is small.
    """
    n, free = T.shape[1], len(L)
    first, longest = n - free, 0.0
    for i in range(begin, end):
        square = 0.0
        for c in range(1, n):
            square += T[i, c] * T[i, c]
        longest = max(longest, square)
    for k in range(free):
        for c in range(n):
            L[k, c] = 0.0
    for i in range(begin, end):
        for k in range(free):
            factor = T[i, first + k]
            for c in range(first + k + 1):
                L[k, c] += factor * T[i, c]
    for back in range(free):
        k = free - 1 - back
        if not L[k, first + k] > WELL_CONDITIONED * longest:
            return False
        scale = 1.0 / np.sqrt(L[k, first + k])
        for c in range(first + k + 1):
            L[k, c] *= scale
        for j in range(k):
            factor = L[k, first + j]
            for c in range(first + j + 1):
                L[j, c] -= factor * L[k, c]
    return True


def substitute(L, z):
    """Fill the last entries of z so that L z = 0."""
    first = len(z) - len(L)
    for k in range(len(L)):
        total = 0.0
        for c in range(first + k):
            total -= L[k, c] * z[c]
        z[first + k] = total / L[k, first + k]


def least_squares(T, begin, end, before, pivots, basis, z):
    """Fill z[1 + before : 1 + pivots], least ‖T z‖ of the rows [begin, end).

    With the independent rows L and the others K L, s = L z is f + Kᵀ (1 + K Kᵀ)⁻¹ (h − K f).
    """
    r, m = pivots - before, end - begin - (pivots - before)
    f, rest = np.empty(r), np.empty(m, dtype=np.int64)
    for k in range(r):
        f[k] = 0.0
        for c in range(1 + before):
            f[k] -= T[basis[before + k], c] * z[c]
    count = 0
    for i in range(begin, end):
        dependent = True
        for k in range(before, pivots):
            dependent = dependent and basis[k] != i
        if dependent:
            rest[count] = i
            count += 1
    K, S, h = np.empty((m, r)), np.zeros((1 + m, 1 + m)), np.zeros(1 + m)
    for i in range(m):
        for c in range(1 + before):
            h[1 + i] -= T[rest[i], c] * z[c]
        for k in range(r):
            j = r - 1 - k
            total = T[rest[i], 1 + before + j]
            for x in range(j + 1, r):
                total -= K[i, x] * T[basis[before + x], 1 + before + j]
            K[i, j] = total / T[basis[before + j], 1 + before + j]
        for k in range(r):
            h[1 + i] -= K[i, k] * f[k]
        for j in range(i + 1):
            S[1 + j, 1 + i] = 1.0 if i == j else 0.0
            for k in range(r):
                S[1 + j, 1 + i] += K[i, k] * K[j, k]
    cholesky(S)
    solve_transposed_factor(S, h)
    solve_factor(S, h)
    for k in range(r):
        for i in range(m):
            f[k] += K[i, k] * h[1 + i]
        for x in range(k):
            f[k] -= T[basis[before + k], 1 + before + x] * z[1 + before + x]
        z[1 + before + k] = f[k] / T[basis[before + k], 1 + before + k]


def gradient_of(T, begin, end, before, z, g):
    """Fill g (n,), the gradient of ½ ‖T z‖² of the rows [begin, end); return a size of it."""
    longest, largest = 0.0, 0.0
    for c in range(len(g)):
        g[c] = 0.0
    for i in range(begin, end):
        residual, square = 0.0, 0.0
        for c in range(len(g)):
            residual += T[i, c] * z[c]
            square += T[i, c] * T[i, c] if c > 0 else 0.0
        for c in range(1, 1 + before):
            g[c] += T[i, c] * residual
        longest, largest = max(longest, square), max(largest, abs(T[i, 0]))
    return np.sqrt(longest) * (1.0 + largest)


def take_multipliers(T, before, count, basis, g, size, lam):
    """The multipliers of a level on the rows above it: those of the first `count` into `lam`.

    A row keeps the first that is not zero: the sign of λ is that of its bound, if it is right.
    """
    own = np.empty(before)
    for k in range(before):
        j = before - 1 - k
        total = -g[1 + j]
        for x in range(j + 1, before):
            total -= own[x] * T[basis[x], 1 + j]
        own[j] = total / T[basis[j], 1 + j]
    for j in range(min(before, count)):
        i, pivot = basis[j], abs(T[basis[j], 1 + j])
        if lam[i] == 0.0 and not abs(own[j]) * pivot <= NO_MULTIPLIER * size:
            lam[i] = own[j]


def free_directions(V, scale, pivots, k, y):
    """y (n,) is Q times the unit vector 1 + pivots + k."""
    for c in range(len(y)):
        y[c] = 0.0
    y[1 + pivots + k] = 1.0
    unreflect(V, scale, pivots, y)


def unreflect(V, scale, pivots, y):
    """y becomes Q y."""
    for k in range(pivots):
        reflected(y, V[pivots - 1 - k], scale[pivots - 1 - k], 1 + pivots - 1 - k)


def times(K, y, out):
    """out = K y, K symmetric, its upper triangle filled."""
    n = len(y)
    for i in range(n):
        out[i] = 0.0
    for i in range(n):
        out[i] += K[i, i] * y[i]
        for j in range(i + 1, n):
            out[i] += K[i, j] * y[j]
            out[j] += K[i, j] * y[i]


def minimum_of_rest(K, V, scale, pivots, z, y, g):
    """Fill y = Q z with the rest of z at the least ½ yᵀK y, and g = Qᵀ K y; whether it is definite.

    Returns a size of the gradient too.
    """
    n = len(z)
    free = n - 1 - pivots
    Z, KZ = np.empty((free, n)), np.empty(n)
    S, x = np.empty((1 + free, 1 + free)), np.empty(1 + free)
    for c in range(n):
        y[c] = z[c] if c <= pivots else 0.0
    unreflect(V, scale, pivots, y)
    times(K, y, g)
    for k in range(free):
        free_directions(V, scale, pivots, k, Z[k])
    for k in range(free):
        times(K, Z[k], KZ)
        x[1 + k] = 0.0
        for c in range(1, n):
            x[1 + k] -= Z[k, c] * g[c]
        for j in range(k + 1):
            S[1 + j, 1 + k] = 0.0
            for c in range(1, n):
                S[1 + j, 1 + k] += Z[j, c] * KZ[c]
    if not cholesky(S):
        return False, 0.0
    solve_transposed_factor(S, x)
    solve_factor(S, x)
    for k in range(free):
        for c in range(1, n):
            y[c] += x[1 + k] * Z[k, c]
    times(K, y, g)
    size = 0.0
    for c in range(1, n):
        size = max(size, abs(K[0, c]) + K[c, c] * abs(y[c]))
    for k in range(pivots):
        reflected(g, V[k], scale[k], 1 + k)
    return True, size


def solve_levels(T, equal, ends, K, y, lam):
    """Fill y with the hierarchy's solution where the first `equal` rows are equations, and λ.

    Returns whether those are independent: if not, λ is nan for those that follow from others. The
    rows T are overwritten. Normal equations serve for a last level that leaves nothing, and has
    more rows than that takes.
    """
    n = T.shape[1]
    V, scale, basis = np.empty((n, n)), np.empty(n), np.empty(n, dtype=np.int64)
    z, g = np.zeros(n), np.empty(n)
    z[0] = 1.0
    for i in range(equal):
        lam[i] = 0.0
    pivots = triangularised(T, 0, equal, 0, V, scale, basis, INDEPENDENT)
    if pivots < equal:
        for i in range(equal):
            lam[i] = np.nan
        for k in range(pivots):
            lam[basis[k]] = 0.0
        return False
    for k in range(pivots):
        for c in range(1 + k):
            z[1 + k] -= T[basis[k], c] * z[c]
        z[1 + k] /= T[basis[k], 1 + k]
    begin = equal
    for level in range(len(ends)):
        end, before = equal + ends[level], pivots
        L = np.empty((n - 1 - before, n))
        last = level == len(ends) - 1 and end - begin > len(L) > 0
        last = last and normal_equations(T, begin, end, L)
        if last:
            substitute(L, z)
            pivots = n - 1
        else:
            pivots = triangularised(T, begin, end, before, V, scale, basis, INDEPENDENT)
            least_squares(T, begin, end, before, pivots, basis, z)
        size = gradient_of(T, begin, end, before, z, g)
        take_multipliers(T, before, equal, basis, g, size, lam)
        if last:  # the triangular rows, with no reflections
            for k in range(len(L)):
                T[begin + k], V[before + k], scale[before + k] = L[k], 0.0, 0.0
                basis[before + k] = begin + k
        begin = end
    definite, size = minimum_of_rest(K, V, scale, pivots, z, y, g)
    if definite:
        take_multipliers(T, pivots, equal, basis, g, size, lam)
    return definite
