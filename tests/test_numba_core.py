"""`numba_core` and `numba_lanes` by parts: a release of Numba that breaks one fails here first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from footwork.dynamics.kernels.body_table import BODY, as_bodies
from footwork.dynamics.kernels.scalars import (
    LANES,
    arrays,
    as_lanes,
    choose,
    floor,
    inverse,
    larger,
    root,
    roots,
    shaped,
    size,
    smaller,
    turn_in,
    turn_in_each,
    turn_out,
    workspaces,
)
from footwork.dynamics.kernels.toolchain import Kernel, description

pytest.importorskip("numba")
import numba
from numba.core.compiler import Flags

from footwork.dynamics.kernels import numba_core

both = pytest.mark.parametrize("numbers", [1, LANES])


def compared(function, numbers, *arguments):
    """Call the compiled function and the plain one on copies; return what both wrote."""
    own = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
    answer = Kernel(function, numbers).compiled(*own)(*own)
    if numbers == LANES:
        assert function(*arguments) == answer
        for one, other in zip(own, arguments, strict=True):
            assert np.allclose(one, other, rtol=1e-15, equal_nan=True)
    return own


def numbers_of(count, numbers, seed=0):
    return np.random.default_rng(seed).normal(size=(count, numbers))


def four_operations(a, b, out):
    x, y, z = as_lanes(a), as_lanes(b), as_lanes(out)
    z[0] = x[0] + y[0] * 2.0 - x[1] / y[1]
    z[1] = 1 - x[0]
    z[2] = -x[0]
    z[2] += y[0]
    z[2] *= x[1]
    z[2] -= 3.0
    z[2] /= y[1]
    total = 0.0  # a float that becomes a lane
    for k in range(len(x)):
        total = total + x[k]
    z[3] = total


@both
def test_operators_between_lanes_and_numbers(numbers):
    a, b = numbers_of(4, numbers), numbers_of(4, numbers, 1)
    _, _, out = compared(four_operations, numbers, a, b, np.zeros((4, numbers)))
    assert np.allclose(out[0], a[0] + 2 * b[0] - a[1] / b[1])
    assert np.allclose(out[1], 1 - a[0])
    assert np.allclose(out[2], ((b[0] - a[0]) * a[1] - 3) / b[1])
    assert np.allclose(out[3], a.sum(axis=0))


def selections(a, b, out):
    x, y, z = as_lanes(a), as_lanes(b), as_lanes(out)
    z[0] = choose(x[0], y[0], 1.0)
    z[1], z[2] = larger(x[0], y[0]), smaller(x[0], 0.5)
    z[3], z[4], z[5] = root(x[0]), floor(x[0] * 3.0), size(x[0])


@both
def test_functions_of_lanes(numbers):
    a, b = numbers_of(1, numbers), numbers_of(1, numbers, 1)
    a[0, -1] = np.nan
    with np.errstate(invalid="ignore"):
        _, _, out = compared(selections, numbers, a, b, np.zeros((6, numbers)))
        assert np.array_equal(out[0], np.where(a[0] > 0, b[0], 1.0))
        assert np.array_equal(out[1], np.where(a[0] > b[0], a[0], b[0]))
        assert np.array_equal(out[2], np.where(a[0] < 0.5, a[0], 0.5))
        assert np.allclose(out[3], np.sqrt(a[0]), equal_nan=True)
        assert np.array_equal(out[4], np.floor(3.0 * a[0]), equal_nan=True)
        assert np.array_equal(out[5], np.abs(a[0]), equal_nan=True)


def inverted(a, out):
    x, y = as_lanes(a), as_lanes(out)
    for k in range(len(x)):
        y[k] = inverse(x[k])


def rooted(a, out, other):
    x, y, z = as_lanes(a), as_lanes(out), as_lanes(other)
    for k in range(len(x)):
        y[k], z[k] = roots(x[k])


@both
def test_inverses_of_all_magnitudes_are_good_to_the_last_digits(numbers):
    a = 10.0 ** np.random.default_rng(0).uniform(-290, 290, (500, numbers))
    out, other = np.zeros_like(a), np.zeros_like(a)
    for sign in (1.0, -1.0):
        Kernel(inverted, numbers).compiled(a, out)(sign * a, out)
        assert np.allclose(out, sign / a, rtol=4e-16, atol=0.0)
    Kernel(rooted, numbers).compiled(a, out, other)(a, out, other)
    assert np.allclose(out, np.sqrt(a), rtol=4e-16, atol=0.0)
    assert np.allclose(other, 1.0 / np.sqrt(a), rtol=4e-16, atol=0.0)
    Kernel(rooted, numbers).compiled(a, out, other)(-a, out, other)
    assert np.isnan(out).all()
    assert np.isnan(other).all()


def transposed(X, out, memory):
    rows, more = workspaces(memory, X.shape[1], 1)
    turn_in(X, 1, rows, 0)
    turn_out(rows, 0, out, 2)
    more[:] = 1.0


def gathered(X, out, memory):
    (rows,) = workspaces(memory, len(X[0]))
    turn_in_each(X, rows, 1)
    turn_out(rows, 1, out, 0)


@both
def test_arrays_side_by_side(numbers):
    X = numbers_of(numbers, numbers + 2)
    out, memory = np.zeros_like(X), np.zeros(20 * LANES)
    arguments = tuple(X), out, memory
    Kernel(gathered, numbers).compiled(*arguments)(*arguments)
    assert np.array_equal(out[:, 1 : numbers + 1], X[:, 1 : numbers + 1])


@both
def test_views_and_transposed_squares(numbers):
    X = numbers_of(2 * numbers + 2, numbers)
    out, memory = np.zeros_like(X), np.zeros(40 * LANES)
    written = Kernel(transposed, numbers).compiled(X, out, memory)
    written(X, out, memory)
    square = slice(1, 1 + numbers), slice(0, numbers)
    assert np.array_equal(out[2 : 2 + numbers, :numbers], X[square])
    with pytest.raises(MemoryError):
        written(X, out, np.zeros(1))


def turned_blocks(x, out):
    blocks, flat = shaped(x, (2, 3)), as_lanes(out)
    part = blocks[:, 1:]
    for i in range(2):
        for j in range(2):
            flat[2 * j + i] = part[i, j]


@both
def test_lanes_of_another_shape(numbers):
    x = numbers_of(6, numbers)
    _, out = compared(turned_blocks, numbers, x, np.zeros((4, numbers)))
    assert np.array_equal(out, x[[1, 4, 2, 5]])


def divided(x, out):
    row, square, last = arrays(x, ((2,), (2, 2), (1,)))
    flat = as_lanes(out)
    flat[0], flat[1], flat[2], flat[3] = row[1], square[0, 1], square[1, 0], last[0]


@both
def test_lanes_of_several_shapes(numbers):
    x = numbers_of(7, numbers)
    _, out = compared(divided, numbers, x, np.zeros((4, numbers)))
    assert np.array_equal(out, x[[1, 3, 4, 6]])


def masses(table, out):
    bodies = as_bodies(table)
    for i in range(len(bodies)):
        out[i] = bodies[i].mass + bodies[i].p[2]


@both
def test_records_of_bodies(numbers):
    bodies = np.zeros(3, BODY)
    bodies["mass"], bodies["p"][:, 2] = [1, 2, 3], 0.5
    table, out = bodies.view(np.uint8), np.zeros(3)
    Kernel(masses, numbers).compiled(table, out)(table, out)
    assert np.array_equal(out, [1.5, 2.5, 3.5])


class Pair(NamedTuple):
    """Arguments by name."""

    x: np.ndarray
    factor: float


def scaled(pair, flags, out):
    made = np.empty(len(out))
    for i in range(len(out)):
        made[i] = pair.factor * pair.x[i]
    for i in range(len(out)):
        out[i] = made[i] if flags[0] else 0.0
    return len(out)


def test_tuples_by_name_and_arrays_of_its_own():
    pair, flags, out = Pair(np.arange(3.0), 2.0), (True, 1), np.zeros(3)
    kernel = Kernel(scaled, 1, arrays=True).compiled(pair, flags, out)
    assert kernel(pair, flags, out) == 3
    assert np.array_equal(out, [0, 2, 4])
    with pytest.raises(TypeError):
        kernel(pair, flags, out.astype(int))


@pytest.mark.parametrize(
    "value",
    [
        *(np.zeros(3), np.zeros((2, 3)).T, np.zeros((4, 6))[:, ::2], np.broadcast_to(1.0, (3,))),
        *(np.zeros(2, bool), np.zeros(1, np.int64), np.zeros(4, np.uint8)),
        *(True, 3, 0.5, (1.0, 2), (1.0, 2.0), Pair(np.zeros(1), 1.0)),
    ],
    ids=repr,
)
def test_types_are_those_of_numba(value):
    assert numba_core.numba_type(description(value)) == numba.typeof(value)


def test_code_survives_as_bytes():
    out = np.zeros(3)
    types = (description(out), description(Pair(out, 1.0)))

    def made(code=None):
        return numba_core.dispatcher(_doubled, types, numba_core.KERNEL, code)

    function, code = made()
    again, _ = made(numba_core.from_bytes(numba_core.to_bytes(code)))
    for call in (function, again):
        call(out, Pair(np.arange(3.0), 2.0))
        assert np.array_equal(out, [0, 2, 4])


def _doubled(out, pair):
    for i in range(len(out)):
        out[i] = pair.factor * pair.x[i]


def doubled(x, out):
    for i in range(len(x)):
        out[i] = 2.0 * x[i]


def halves(x, out):
    if x[0] < 0:
        raise ValueError("got a negative number")
    out[:] = 0.5 * x


def all_halves(x, out):
    halves(x, out)


def test_what_is_inlined_has_no_code_of_its_own_and_may_raise():
    x, out = np.array([1.0, 2.0]), np.empty(2)
    own, inlined = Kernel(all_halves, 1, arrays=True).options()
    of_it = {all_halves: [("halves", halves)], halves: []}
    function = numba_core.translated(all_halves, 1, inlined, of_it.__getitem__)
    types = description(x), description(out)
    made, code = numba_core.dispatcher(function, types, own)
    again = numba_core.from_bytes(numba_core.to_bytes(code))
    for compiled in (made, numba_core.dispatcher(function, types, own, again)[0]):
        compiled(x, out)
        assert out.tolist() == [0.5, 1.0]
        with pytest.raises(ValueError, match="negative number"):
            compiled(-x, out)
        with pytest.raises(ValueError, match="places of another shape"):
            compiled(x, np.empty(3))
    (alone,) = function.__globals__["halves"].overloads.values()
    assert alone.library.get_pointer_to_function(alone.fndesc.llvm_func_name) == 0


def test_kernels_tell_llvm_which_arrays_are_apart():
    x, out = np.arange(5.0), np.empty(5)
    kernel = Kernel(doubled, 1, apart=True)
    kernel.compiled(x, out)(x, out)
    np.testing.assert_array_equal(out, 2.0 * x)
    for options in kernel.options():
        options.pop("pipeline_class", None)  # which njit takes
        assert numba_core.CPUTargetOptions.parse_as_flags(Flags(), options).noalias
    assert not Flags().noalias
