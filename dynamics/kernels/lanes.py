# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, import-untyped, attr-defined"
"""The number of the compiled reading: `LANES` doubles that LLVM keeps in one vector register.

Numba learns one type, `Lanes`: its four operations, its conversion from a float (the same in every
lane), floor, and arrays of it as views on arrays of floats. Kernels need nothing else, so
they read like scalar code and run `LANES` configurations at once. Loops over plain arrays, left to
LLVM's own vectoriser, were three times slower.

Imported by `compiling` alone, when the first kernel is wanted. `numba.core` is not a stable
interface: the extra `fast` bounds Numba's version.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from . import memory, scalars
from .body_table import as_bodies
from .compiling import INLINED
from .memory import in_parts, without_last_axis
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
        return without_last_axis(context, builder, rows, args[0], view)

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
def rooms(memory, *counts):
    """Divide memory into room for so many lanes each (count, LANES), on boundaries of 64 bytes."""
    start, total = (-(memory.ctypes.data // 8)) % LANES, 0
    for count in counts:
        total += count
    if start + total * LANES > len(memory):
        raise MemoryError
    return in_parts(memory[start : start + total * LANES].reshape(total, LANES), counts)


OPTIONS: dict[str, Any] = {}  # the operators above have flags of their own

# plain function -> what stands for it in compiled kernels; `compiling` adds what it translates
COUNTERPARTS = {
    scalars.as_lanes: as_lanes,
    scalars.rooms: rooms,
    scalars.turn_in: turn_in,
    scalars.turn_out: turn_out,
    scalars.floor: floor,
    as_bodies: memory.as_bodies,
}
