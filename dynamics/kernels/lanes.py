# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, import-untyped, attr-defined"
"""The number of the compiled reading: `LANES` doubles that LLVM keeps in one vector register.

Numba learns one type, `Lanes`: its four operations, its conversion from a float (the same in every
lane), sin and cos, and arrays of it as views on arrays of floats. Kernels need nothing else, so
they read like scalar code and run `LANES` configurations at once. Loops over plain arrays, left to
LLVM's own vectoriser, were three times slower.

Imported by `compiling` alone, when the first kernel is wanted. `numba.core` is not a stable
interface: the extra `fast` bounds Numba's version.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, overload, register_model

from . import scalars
from .compiling import INLINED
from .scalars import LANES

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INDEX = ir.IntType(32)
_FLAGS = ("contract", "nsz")  # a·b + c in one step, and −0 is 0; nan and inf stay what they are


class Lanes(types.Type):
    """Numba's type of `LANES` doubles; a float or an integer turns into it where the two meet."""

    def __init__(self):
        super().__init__(name=f"Lanes{LANES}")

    def can_convert_from(self, typingctx, other):
        """Whether (and how safely) `other` becomes a Lanes."""
        return Conversion.safe if isinstance(other, types.Float | types.Integer) else None

    def unify(self, typingctx, other):
        """Return the type of a variable that is now a Lanes, now `other`."""
        return self if isinstance(other, types.Float | types.Integer) else None


lanes = Lanes()


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, _VECTOR)


def _in_every_lane(context, builder, value, numba_type):
    """The LLVM vector of an operand: a Lanes as it is, a number in every lane."""
    if isinstance(numba_type, Lanes):
        return value
    value = context.cast(builder, value, numba_type, types.float64)
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, _INDEX(0))
    zeros = ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
    return builder.shuffle_vector(first, first, zeros)


@lower_cast(types.Float, lanes)
@lower_cast(types.Integer, lanes)
def _cast(context, builder, from_type, to_type, value):
    return _in_every_lane(context, builder, value, from_type)


def _define_binary(symbol, instruction):
    """Teach Numba an operator between two Lanes, or a Lanes and a number."""

    @infer_global(symbol)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            numbers = [t for t in args if t != lanes]
            usable = all(isinstance(t, types.Float | types.Integer) for t in numbers)
            if len(args) == 2 and len(numbers) < 2 and usable:
                return signature(lanes, *[t if t == lanes else types.float64 for t in args])
            return None

    def lower(context, builder, sig, args):
        pairs = zip(args, sig.args, strict=True)
        x, y = (_in_every_lane(context, builder, *pair) for pair in pairs)
        return getattr(builder, instruction)(x, y, flags=_FLAGS)

    for operands in ((lanes, lanes), (lanes, types.float64), (types.float64, lanes)):
        lower_builtin(symbol, *operands)(lower)


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args, kws):
        return signature(lanes, lanes) if args == (lanes,) else None


@lower_builtin(operator.neg, lanes)
def _negate(context, builder, sig, args):
    return builder.fneg(args[0], flags=_FLAGS)


def _floor(typingctx, x):
    """The largest whole number below, in each lane."""

    def codegen(context, builder, sig, args):
        type_ = ir.FunctionType(_VECTOR, [_VECTOR])
        name = f"llvm.floor.v{LANES}f64"
        return builder.call(cgutils.get_or_insert_function(builder.module, type_, name), args)

    return lanes(lanes), codegen


floor: Any = intrinsic(_floor)

for _plain, _in_place, _instruction in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _define_binary(_plain, _instruction)
    _define_binary(_in_place, _instruction)


@intrinsic
def as_lanes(typingctx, rows):
    """View a row-by-row array of floats (…, LANES) as lanes (…)."""
    # not "aligned": LLVM may then not assume 64 bytes of arrays that come from Python
    view = types.Array(lanes, rows.ndim - 1, "C", aligned=False)

    def codegen(context, builder, sig, args):
        source = context.make_array(rows)(context, builder, args[0])
        target = context.make_array(view)(context, builder)
        shape = cgutils.unpack_tuple(builder, source.shape, rows.ndim)[:-1]
        strides = cgutils.unpack_tuple(builder, source.strides, rows.ndim)[:-1]
        count = context.get_constant(types.intp, 1)
        for size in shape:
            count = builder.mul(count, size)
        target.data = builder.bitcast(source.data, _VECTOR.as_pointer())
        target.shape = cgutils.pack_array(builder, shape)
        target.strides = cgutils.pack_array(builder, strides)
        target.itemsize = context.get_constant(types.intp, 8 * LANES)
        target.nitems = count
        target.meminfo, target.parent = source.meminfo, source.parent
        return impl_ret_borrowed(context, builder, view, target._getvalue())

    return view(rows), codegen


def _transposed(builder, square):
    """Transpose LANES vectors of LANES numbers: swap blocks of 1, 2, 4 … off the diagonal."""
    size = 1
    while size < LANES:
        upper = [j if not j & size else LANES + j - size for j in range(LANES)]
        lower = [j + size if not j & size else LANES + j for j in range(LANES)]
        masks = [ir.Constant(ir.VectorType(_INDEX, LANES), mask) for mask in (upper, lower)]
        for i in range(LANES):
            if not i & size:
                pair = square[i], square[i + size]
                square[i], square[i + size] = (builder.shuffle_vector(*pair, m) for m in masks)
        size *= 2
    return square


def _rows_at(context, builder, numba_type, value, row, column):
    """Pointers to the LANES vectors that start at [row + …, column] of an array of floats."""
    array = context.make_array(numba_type)(context, builder, value)
    pointers = []
    for i in range(LANES):
        index = builder.add(row, context.get_constant(types.intp, i)), column
        pointer = cgutils.get_item_pointer(context, builder, numba_type, array, index)
        pointers.append(builder.bitcast(pointer, _VECTOR.as_pointer()))
    return pointers


def _turn(context, builder, source, target):
    """Copy a square of LANES × LANES floats, transposed: no float is touched alone."""
    square = [builder.load(pointer, align=8) for pointer in source]
    for pointer, vector in zip(target, _transposed(builder, square), strict=True):
        builder.store(vector, pointer, align=8)
    return context.get_dummy_value()


@intrinsic
def turn_in(typingctx, X, row, lane_rows, k):
    """The compiled `scalars.turn_in`."""

    def codegen(context, builder, sig, args):
        X_, row_, lanes_, k_ = args
        source = _rows_at(context, builder, X, X_, row_, k_)
        zero = context.get_constant(types.intp, 0)
        return _turn(
            context, builder, source, _rows_at(context, builder, lane_rows, lanes_, k_, zero)
        )

    return types.void(X, types.intp, lane_rows, types.intp), codegen


@intrinsic
def turn_out(typingctx, lane_rows, k, X, row):
    """The compiled `scalars.turn_out`."""

    def codegen(context, builder, sig, args):
        lanes_, k_, X_, row_ = args
        zero = context.get_constant(types.intp, 0)
        source = _rows_at(context, builder, lane_rows, lanes_, k_, zero)
        return _turn(context, builder, source, _rows_at(context, builder, X, X_, row_, k_))

    return types.void(lane_rows, types.intp, X, types.intp), codegen


@njit(**INLINED)
def buffer(count):
    """Return room for `count` lanes: floats (count, LANES), on a boundary of 64 bytes."""
    room = np.empty((count + 1) * LANES)
    start = (-(room.ctypes.data // 8)) % LANES
    return room[start : start + count * LANES].reshape(count, LANES)


def _sincos(x):
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


def _any_sincos(x):
    """The compiled `scalars.sincos`, for the compiler to choose by type."""


@overload(_any_sincos, inline="always")
def _choose_sincos(x):
    return _sincos if x == lanes else lambda x: (math.sin(x), math.cos(x))


# plain function -> what stands for it in compiled kernels; `compiling` adds what it translates
COUNTERPARTS = {
    scalars.as_lanes: as_lanes,
    scalars.buffer: buffer,
    scalars.turn_in: turn_in,
    scalars.turn_out: turn_out,
    scalars.sincos: njit(**INLINED)(lambda x: _any_sincos(x)),
}
