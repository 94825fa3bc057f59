# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, import-untyped, attr-defined"
"""Views on arrays that Numba does not offer: the same memory, otherwise divided.

Imported by `lanes` and `floats` alone.
"""

from __future__ import annotations

from typing import Any

from numba import from_dtype, types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from .body_table import BODY


def without_last_axis(context, builder, rows, value, view):
    """An array of type `view` on the memory of `value`, each of whose last rows is one number."""
    source = context.make_array(rows)(context, builder, value)
    target = context.make_array(view)(context, builder)
    shape = cgutils.unpack_tuple(builder, source.shape, rows.ndim)[:-1]
    strides = cgutils.unpack_tuple(builder, source.strides, rows.ndim)[:-1]
    count = context.get_constant(types.intp, 1)
    for size in shape:
        count = builder.mul(count, size)
    number = context.get_data_type(view.dtype)
    target.data = builder.bitcast(source.data, number.as_pointer())
    target.shape = cgutils.pack_array(builder, shape)
    target.strides = cgutils.pack_array(builder, strides)
    target.itemsize = context.get_constant(types.intp, context.get_abi_sizeof(number))
    target.nitems = count
    target.meminfo, target.parent = source.meminfo, source.parent
    return impl_ret_borrowed(context, builder, view, target._getvalue())


def _in_parts(typingctx, rows, counts):
    """Rows 0 …, then the next, and so on: an array of the type of `rows` for each count."""
    parts = types.UniTuple(rows, len(counts))

    def codegen(context, builder, sig, args):
        source = context.make_array(rows)(context, builder, args[0])
        width = cgutils.unpack_tuple(builder, source.shape, 2)[1]
        start, found = context.get_constant(types.intp, 0), []
        for count in cgutils.unpack_tuple(builder, args[1], len(counts)):
            part = context.make_array(rows)(context, builder)
            part.data = builder.gep(source.data, [builder.mul(start, width)])
            part.shape = cgutils.pack_array(builder, [count, width])
            part.strides, part.itemsize = source.strides, source.itemsize
            part.nitems = builder.mul(count, width)
            part.meminfo, part.parent = source.meminfo, source.parent
            found.append(part._getvalue())
            start = builder.add(start, count)
        return impl_ret_borrowed(context, builder, parts, cgutils.pack_array(builder, found))

    return parts(rows, counts), codegen


in_parts: Any = intrinsic(_in_parts)


@intrinsic
def as_bodies(typingctx, table):
    """The compiled `body_table.as_bodies`."""
    record = from_dtype(BODY)
    view = types.Array(record, 1, "C", readonly=True)

    def codegen(context, builder, sig, args):
        source = context.make_array(table)(context, builder, args[0])
        target = context.make_array(view)(context, builder)
        size = context.get_constant(types.intp, record.size)
        target.data = builder.bitcast(source.data, target.data.type)
        target.nitems = builder.sdiv(source.nitems, size)
        target.itemsize = size
        target.shape = cgutils.pack_array(builder, [target.nitems])
        target.strides = cgutils.pack_array(builder, [size])
        target.meminfo, target.parent = source.meminfo, source.parent
        return impl_ret_borrowed(context, builder, view, target._getvalue())

    return view(table), codegen
