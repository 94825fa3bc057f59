"""Cost of the reduced program: `qp.reduced`, compiled.

With a = X [1; y] and w = W [1; y] (see `equations`) the cost is ½ [1; y]ᵀ K [1; y], and

    K = (A X − [r|0])ᵀ weight (A X − [r|0]) + (X − [p|0])ᵀ d (X − [p|0]) + Wᵀ P W − …sᵀW

has gᵀ in its first row and H below it. K is symmetric: its upper triangle is filled.
"""

from __future__ import annotations

import numpy as np


def add_square(K, factor, row, count):
    """K += factor rowᵀ row of the first `count` entries."""
    for i in range(count):
        scaled = factor * row[i]
        for j in range(i, count):
            K[i, j] += scaled * row[j]


def cost_of_forces(P, s, W, K):
    """Add ½ wᵀP w − sᵀw."""
    n = W.shape[1]
    row = np.empty(n)
    for i in range(len(W)):
        for j in range(n):
            row[j] = 0.0
        for k in range(len(W)):
            factor = P[i, k]
            if factor != 0.0:
                for j in range(n):
                    row[j] += factor * W[k, j]
        for k in range(n):
            factor = W[i, k]
            for j in range(k, n):
                K[k, j] += factor * row[j]
        for j in range(1, n):
            K[0, j] -= s[i] * W[i, j]


def cost_of_tasks(A, r, weight, columns, others, width, X, K):
    """Add ½ Σ weight (A a − r)²."""
    count = width + len(others)
    row = np.empty(count)
    for i in range(len(r)):
        for c in range(width):
            row[c] = 0.0
        row[0] = -r[i]
        for j in range(len(columns)):
            factor = A[i, columns[j]]
            for c in range(width):
                row[c] += factor * X[columns[j], c]
        for j in range(len(others)):
            row[width + j] = A[i, others[j]]
        add_square(K, weight[i], row, count)


def cost_of_entries(d, p, columns, others, width, X, K):
    """Add ½ Σ d (a − p)²: dense on the columns c, diagonal on the others."""
    row = np.empty(width)
    for i in range(len(columns)):
        o = columns[i]
        for c in range(width):
            row[c] = X[o, c]
        row[0] -= p[o]
        add_square(K, d[o], row, width)
    for i in range(len(others)):
        o = others[i]
        K[width + i, width + i] += d[o]
        K[0, width + i] -= d[o] * p[o]


def cost(data, entries, space, K):
    """Fill the upper triangle of K, over the Parametrisation `space`."""
    columns, others = entries.columns, entries.others
    width = 1 + len(columns) - len(data.J)
    for i in range(len(K)):
        for j in range(len(K)):
            K[i, j] = 0.0
    cost_of_forces(data.P, data.s, space.W, K)
    cost_of_tasks(data.A, data.r, data.weight, columns, others, width, space.X, K)
    cost_of_entries(data.d, data.p, columns, others, width, space.X, K)
