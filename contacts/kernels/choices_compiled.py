# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, import-untyped, attr-defined"
"""The compiled reading of `choices`: one vector instruction or two each.

Imported by `compiling` alone, when the first kernel is wanted.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit
from numba.core import cgutils
from numba.extending import intrinsic

from ...dynamics.kernels import lanes
from ...dynamics.kernels.compiling import INLINED
from ...dynamics.kernels.scalars import LANES
from . import choices

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_number = lanes.lanes


def _each(context, builder, values, numba_types):
    """Operands as LLVM vectors; a number is in every lane."""
    pairs = zip(values, numba_types, strict=True)
    return [context.cast(builder, value, type_, _number) for value, type_ in pairs]


def _root(typingctx, x):
    def codegen(context, builder, sig, args):
        type_ = ir.FunctionType(_VECTOR, [_VECTOR])
        name = f"llvm.sqrt.v{LANES}f64"
        return builder.call(cgutils.get_or_insert_function(builder.module, type_, name), args)

    return _number(_number), codegen


def _choose(typingctx, sign, positive, other):
    def codegen(context, builder, sig, args):
        s, a, b = _each(context, builder, args, sig.args)
        zero = ir.Constant(_VECTOR, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", s, zero), a, b)

    return _number(sign, positive, other), codegen


def _pick(comparison):
    """The first of two where it compares so with the second, else the second."""

    def function(typingctx, x, y):
        def codegen(context, builder, sig, args):
            a, b = _each(context, builder, args, sig.args)
            return builder.select(builder.fcmp_ordered(comparison, a, b), a, b)

        return _number(x, y), codegen

    return intrinsic(function)


root: Any = intrinsic(_root)
choose: Any = intrinsic(_choose)
larger, smaller = _pick(">"), _pick("<")
lanes.COUNTERPARTS.update(
    {
        choices.root: njit(**INLINED)(lambda x: root(x)),
        choices.choose: njit(**INLINED)(lambda sign, a, b: choose(sign, a, b)),
        choices.larger: njit(**INLINED)(lambda x, y: larger(x, y)),
        choices.smaller: njit(**INLINED)(lambda x, y: smaller(x, y)),
    }
)
