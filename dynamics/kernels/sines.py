"""Sine and cosine by arithmetic alone: the compiled `scalars.sincos`.

In lanes there is no library to call; of single floats two calls take twice as long as this.
"""

from __future__ import annotations

import math

from .scalars import floor


def sincos(x):
    """sin and cos to an ulp or two for |x| < 1e5.

    x is taken to |r| ≤ π/4 by multiples n of π/2, with π/2 in three parts of 33 bits each so that
    n times a part is exact (Cody and Waite); then minimax polynomials (those of fdlibm).
    """
    n = floor(x * (2 / math.pi) + 0.5)
    r = ((x - n * 1.5707963267341256) - n * 6.077100506303966e-11) - n * 2.0222662487959506e-21
    z = r * r
    p = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010e-10)
    p = -1.66666666666666324348e-01 + z * (
        8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * p)
    )
    s = r + r * z * p
    p = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948e-11)
    p = 4.16666666666666019037e-02 + z * (
        -1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * p)
    )
    c = 1.0 - 0.5 * z + z * z * p
    half = floor(n * 0.5)
    odd = n - 2.0 * half  # 1 where n is odd: there sin and cos change places
    sign = 1.0 - 2.0 * (half - 2.0 * floor(half * 0.5))  # −1 where n is 2 or 3 beyond 4 k
    return sign * ((1.0 - odd) * s + odd * c), sign * ((1.0 - odd) * c - odd * s)
