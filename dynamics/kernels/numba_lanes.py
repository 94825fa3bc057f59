# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, import-untyped, attr-defined"
"""Numba's type of the numbers of kernels, and what stands for our functions in compiled code.

Numba learns one type, `Lanes`, the `LANES` doubles of a SIMD register: its four operations, its
conversion from a float (the same in every lane), floor, square root, comparisons that select, and
arrays of it as views on arrays of floats. Kernels need nothing else, so they read like scalar code
and run `LANES` configurations at once. Loops over plain arrays, left to LLVM's own vectoriser, were
three times slower. For one configuration the same functions stand for floats.
"""

from __future__ import annotations

import operator
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_cast
from numba.core.registry import cpu_target
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from . import scalars
from .body_table import BODY, as_bodies
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


@lower_cast(types.Float, lanes)
@lower_cast(types.Integer, lanes)
def _in_every_lane(context, builder, from_type, to_type, value):
    value = context.cast(builder, value, from_type, types.float64)
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, _INDEX(0))
    zeros = ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
    return builder.shuffle_vector(first, first, zeros)


def _each(context, builder, values, numba_types):
    """Operands as LLVM vectors; a number is in every lane."""
    pairs = zip(values, numba_types, strict=True)
    return [context.cast(builder, value, type_, lanes) for value, type_ in pairs]


def _define(symbol, count, instruction):
    """Teach Numba an operator of Lanes; of two operands one may be a number."""

    @infer_global(symbol)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            numbers = [t for t in args if t != lanes]
            usable = all(isinstance(t, types.Float | types.Integer) for t in numbers)
            if len(args) == count and len(numbers) < count and usable:
                return signature(lanes, *[t if t == lanes else types.float64 for t in args])
            return None

    def lower(context, builder, sig, args):
        operands = _each(context, builder, args, sig.args)
        return getattr(builder, instruction)(*operands, flags=_FLAGS)

    for operands in product((lanes, types.float64), repeat=count):
        if lanes in operands:
            lower_builtin(symbol, *operands)(lower)


_define(operator.neg, 1, "fneg")
for _plain, _in_place, _instruction in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _define(_plain, 2, _instruction)
    _define(_in_place, 2, _instruction)


def _called(builder, name, *args):
    """What a function of LLVM's gives, a vector."""
    type_ = ir.FunctionType(_VECTOR, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, type_, name), args)


def _in_each_lane(name):
    """A function of LLVM's, in each lane."""

    def codegen(context, builder, sig, args):
        return _called(builder, name, *args)

    return intrinsic(lambda typingctx, x: (lanes(lanes), codegen))


def _choose(typingctx, sign, positive, other):
    def codegen(context, builder, sig, args):
        s, a, b = _each(context, builder, args, sig.args)
        zero = ir.Constant(_VECTOR, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", s, zero), a, b)

    return lanes(sign, positive, other), codegen


def _pick(comparison):
    """The first of two where it compares so with the second, else the second."""

    def function(typingctx, x, y):
        def codegen(context, builder, sig, args):
            a, b = _each(context, builder, args, sig.args)
            return builder.select(builder.fcmp_ordered(comparison, a, b), a, b)

        return lanes(x, y), codegen

    return intrinsic(function)


def _estimated(estimate, exact, corrected):
    """A function that AVX-512 estimates to 14 bits, of which two steps of Newton's make all.

    Eight divisions at once, or square roots, take as long as eight in turn; these do not.

    Args:
        estimate: what LLVM calls the instruction.
        exact: exact(builder, x), for other processors.
        corrected: corrected(builder, fused, x, y), y after a step; fused(a, b, c) = a b + c.
    """

    def codegen(context, builder, sig, args):
        (x,) = args
        features = cpu_target.target_context.codegen().magic_tuple()[2].split(",")
        if LANES != 8 or "+avx512f" not in features:
            return exact(builder, x)
        mask = ir.IntType(8)
        found = _called(builder, estimate, x, ir.Constant(_VECTOR, None), mask(-1))
        for _ in range(2):
            found = corrected(builder, partial(_called, builder, _FUSED), x, found)
        return found

    return intrinsic(lambda typingctx, x: (lanes(lanes), codegen))


_ONE, _HALF = (ir.Constant(_VECTOR, [x] * LANES) for x in (1.0, 0.5))
_FUSED, _ROOT, _FLOOR = (f"llvm.{name}.v{LANES}f64" for name in ("fma", "sqrt", "floor"))
_inverse: Any = _estimated(
    "llvm.x86.avx512.rcp14.pd.512",
    lambda builder, x: builder.fdiv(_ONE, x),
    lambda builder, fused, x, y: fused(y, fused(builder.fneg(x), y, _ONE), y),
)
_inverse_root: Any = _estimated(
    "llvm.x86.avx512.rsqrt14.pd.512",
    lambda builder, x: builder.fdiv(_ONE, _called(builder, _ROOT, x)),
    lambda builder, fused, x, y: fused(
        builder.fmul(y, _HALF), fused(builder.fneg(builder.fmul(x, y)), y, _ONE), y
    ),
)


def _roots(x):
    found = _inverse_root(x)
    return x * found, found


_floor, _sqrt = _in_each_lane(_FLOOR), _in_each_lane(_ROOT)
_select: Any = intrinsic(_choose)
_more, _less = _pick(">"), _pick("<")

# --- views on arrays that Numba does not offer: the same memory, otherwise divided ---------------


def _viewed(context, builder, source, view, shape, start=None):
    """An array of type `view`, row by row, of this shape, on the memory of `source` from start."""
    target = context.make_array(view)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(view.dtype))
    strides = [context.get_constant(types.intp, size)]
    target.itemsize, target.nitems = strides[0], context.get_constant(types.intp, 1)
    for count in reversed(shape):
        strides.insert(0, builder.mul(strides[0], count))
        target.nitems = builder.mul(target.nitems, count)
    target.data = builder.bitcast(source.data, target.data.type)
    if start is not None:
        target.data = builder.gep(target.data, [start])
    target.shape = cgutils.pack_array(builder, shape)
    target.strides = cgutils.pack_array(builder, strides[1:])
    target.meminfo, target.parent = source.meminfo, source.parent
    return impl_ret_borrowed(context, builder, view, target._getvalue())


def _in_numbers(number):
    """The compiled `as_lanes`, `shaped` and `arrays` of `scalars`, for numbers of this type."""
    # not "aligned": LLVM may then not assume 64 bytes of lanes in arrays that come from Python
    aligned = number == types.float64

    def without_last_axis(typingctx, rows):
        view = types.Array(number, rows.ndim - 1, "C", aligned=aligned)

        def codegen(context, builder, sig, args):
            source = context.make_array(rows)(context, builder, args[0])
            shape = cgutils.unpack_tuple(builder, source.shape, rows.ndim)[:-1]
            return _viewed(context, builder, source, view, shape)

        return view(rows), codegen

    def shaped(typingctx, rows, shape):
        view = types.Array(number, len(shape), "C", aligned=aligned)

        def codegen(context, builder, sig, args):
            source = context.make_array(rows)(context, builder, args[0])
            sizes = cgutils.unpack_tuple(builder, args[1], len(shape))
            return _viewed(context, builder, source, view, sizes)

        return view(rows, types.UniTuple(types.intp, len(shape))), codegen

    def arrays(typingctx, rows, shapes):
        views = [types.Array(number, len(shape), "C", aligned=aligned) for shape in shapes]
        sizes = [types.UniTuple(types.intp, len(shape)) for shape in shapes]
        parts = types.BaseTuple.from_types(views)

        def codegen(context, builder, sig, args):
            source, found = context.make_array(rows)(context, builder, args[0]), []
            start = context.get_constant(types.intp, 0)
            for view, given in zip(views, cgutils.unpack_tuple(builder, args[1]), strict=True):
                shape = cgutils.unpack_tuple(builder, given)
                found.append(_viewed(context, builder, source, view, shape, start))
                start = builder.add(start, reduce(builder.mul, shape))
            return context.make_tuple(builder, parts, found)

        return parts(rows, types.BaseTuple.from_types(sizes)), codegen

    return intrinsic(without_last_axis), intrinsic(shaped), intrinsic(arrays)


def _parts(typingctx, rows, counts):
    """Rows 0 …, then the next, and so on: an array of the type of `rows` for each count."""
    parts = types.UniTuple(rows, len(counts))

    def codegen(context, builder, sig, args):
        source, found = context.make_array(rows)(context, builder, args[0]), []
        width = cgutils.unpack_tuple(builder, source.shape, 2)[1]
        start = context.get_constant(types.intp, 0)
        for count in cgutils.unpack_tuple(builder, args[1], len(counts)):
            found.append(_viewed(context, builder, source, rows, [count, width], start))
            start = builder.add(start, builder.mul(count, width))
        return context.make_tuple(builder, parts, found)

    return parts(rows, counts), codegen


_in_parts: Any = intrinsic(_parts)


@intrinsic
def _as_bodies(typingctx, table):
    """The compiled `body_table.as_bodies`."""
    record = from_dtype(BODY)
    view = types.Array(record, 1, "C", readonly=True)

    def codegen(context, builder, sig, args):
        source = context.make_array(table)(context, builder, args[0])
        size = context.get_constant(types.intp, record.size)
        return _viewed(context, builder, source, view, [builder.sdiv(source.nitems, size)])

    return view(table), codegen


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


def _rows_at(context, builder, numba_type, value, row, column=None):
    """Pointers to the LANES vectors that start at [row + …, column] of an array of floats."""
    array = context.make_array(numba_type)(context, builder, value)
    column, pointers = context.get_constant(types.intp, 0) if column is None else column, []
    for i in range(LANES):
        index = builder.add(row, context.get_constant(types.intp, i)), column
        pointers.append(_pointer(context, builder, numba_type, array, index))
    return pointers


def _pointer(context, builder, numba_type, array, index):
    """A pointer to the vector that starts there."""
    pointer = cgutils.get_item_pointer(context, builder, numba_type, array, index)
    return builder.bitcast(pointer, _VECTOR.as_pointer())


def _turn(context, builder, source, target):
    """Copy a square of LANES × LANES floats, transposed: no float is touched alone."""
    square = [builder.load(pointer, align=8) for pointer in source]
    for pointer, vector in zip(target, _transposed(builder, square), strict=True):
        builder.store(vector, pointer, align=8)
    return context.get_dummy_value()


@intrinsic
def _turn_in(typingctx, X, row, lane_rows, k):
    """The compiled `scalars.turn_in`."""

    def codegen(context, builder, sig, args):
        X_, row_, lanes_, k_ = args
        source = _rows_at(context, builder, X, X_, row_, k_)
        return _turn(context, builder, source, _rows_at(context, builder, lane_rows, lanes_, k_))

    return types.void(X, types.intp, lane_rows, types.intp), codegen


@intrinsic
def _turn_in_each(typingctx, X, lane_rows, k):
    """The compiled `scalars.turn_in_each`."""

    def codegen(context, builder, sig, args):
        X_, lanes_, k_ = args
        values = cgutils.unpack_tuple(builder, X_, LANES)
        arrays = [context.make_array(X.dtype)(context, builder, value) for value in values]
        source = [_pointer(context, builder, X.dtype, array, (k_,)) for array in arrays]
        return _turn(context, builder, source, _rows_at(context, builder, lane_rows, lanes_, k_))

    return types.void(X, lane_rows, types.intp), codegen


@intrinsic
def _turn_out(typingctx, lane_rows, k, X, row):
    """The compiled `scalars.turn_out`."""

    def codegen(context, builder, sig, args):
        lanes_, k_, X_, row_ = args
        source = _rows_at(context, builder, lane_rows, lanes_, k_)
        return _turn(context, builder, source, _rows_at(context, builder, X, X_, row_, k_))

    return types.void(lane_rows, types.intp, X, types.intp), codegen


def _workspaces(memory, *counts):
    """Divide memory into workspaces of so many lanes (count, LANES), on boundaries of 64 bytes."""
    start, total = (-(memory.ctypes.data // 8)) % LANES, 0
    for count in counts:
        total += count
    if start + total * LANES > len(memory):
        raise MemoryError
    return _in_parts(memory[start : start + total * LANES].reshape(total, LANES), counts)


# --- the number of one configuration: a float, in arrays of one lane -----------------------------


def _workspaces_of_floats(memory, *counts):
    """Divide memory into workspaces of so many numbers each (count, 1)."""
    total = 0
    for count in counts:
        total += count
    if total > len(memory):
        raise MemoryError
    return _in_parts(memory[:total].reshape(total, 1), counts)


def _roots_of_floats(x):
    found = np.sqrt(x)
    return found, 1.0 / found


def _turn_float_in(X, row, lanes, k):
    """A square of one number, as the two below."""
    lanes[k, 0] = X[row, k]


def _turn_floats_in(X, lanes, k):
    lanes[k, 0] = X[0][k]


def _turn_float_out(lanes, k, X, row):
    X[row, k] = lanes[k, 0]


# --- plain function -> what stands for it in compiled kernels, by how many a number stands for ---

_as_lanes, _shaped_lanes, _arrays_of_lanes = _in_numbers(lanes)
_as_floats, _shaped_floats, _arrays_of_floats = _in_numbers(types.float64)

COUNTERPARTS: dict[int, dict[Any, Any]] = {
    LANES: {
        scalars.as_lanes: _as_lanes,
        scalars.shaped: _shaped_lanes,
        scalars.arrays: _arrays_of_lanes,
        scalars.workspaces: _workspaces,
        scalars.turn_in: _turn_in,
        scalars.turn_in_each: _turn_in_each,
        scalars.turn_out: _turn_out,
        scalars.floor: _floor,
        scalars.root: lambda x: _sqrt(x),
        scalars.inverse: lambda x: _inverse(x),
        scalars.roots: _roots,
        scalars.choose: lambda sign, a, b: _select(sign, a, b),
        scalars.larger: lambda x, y: _more(x, y),
        scalars.smaller: lambda x, y: _less(x, y),
        as_bodies: _as_bodies,
    },
    1: {
        scalars.as_lanes: _as_floats,
        scalars.shaped: _shaped_floats,
        scalars.arrays: _arrays_of_floats,
        scalars.workspaces: _workspaces_of_floats,
        scalars.turn_in: _turn_float_in,
        scalars.turn_in_each: _turn_floats_in,
        scalars.turn_out: _turn_float_out,
        scalars.floor: lambda x: np.floor(x),
        scalars.root: lambda x: np.sqrt(x),
        scalars.inverse: lambda x: 1.0 / x,
        scalars.roots: _roots_of_floats,
        scalars.choose: lambda sign, a, b: a if sign > 0 else b,
        scalars.larger: lambda x, y: x if x > y else y,
        scalars.smaller: lambda x, y: x if x < y else y,
        as_bodies: _as_bodies,
    },
}
