"""Pickles, read without running any code of theirs.

A pickle is a program: it names functions and calls them. Here it can name a dozen, each replaced by
one that only keeps bytes and checks them; any other name is refused. Arrays and their dtypes are
built afterwards, of plain numbers and texts alone, never by NumPy's own unpickling, which believes
what it is told about memory.

Files of joblib are pickles with the bytes of arrays between their parts, compressed or not.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...errors import DataError

_PLAIN = "?bhilqBHILQefdUS"  # dtype characters of booleans, integers, floats and texts
_DEEPEST = 20  # containers within containers
_MOST = 10_000_000  # entries of all of them
LARGEST = 4 * 2**30  # bytes


class Refused(Exception):
    """A name in a pickle that is not read."""


def loads(data: bytes) -> Any:
    """Return what is pickled in `data`: dictionaries, lists, numbers, texts, arrays.

    Raises:
        DataError: something else, or damaged.
    """
    return load(io.BytesIO(_uncompressed(data)))


def load(file: Any) -> Any:
    """Return the next object that is pickled in a binary file, as `loads`."""
    try:
        return _Finish()(_Unpickler(file).load())
    except Refused as error:
        raise DataError(f"a pickle that needs {error}, which is not run; {_EXPECTED}") from None
    except Exception as error:  # as many kinds as there are damages
        raise DataError(f"no pickle, or a damaged one ({type(error).__name__}: {error})") from None


def _uncompressed(data: bytes) -> bytes:
    """What joblib compressed with zlib or gzip; other data as they are."""
    if not (
        data.startswith(b"\x1f\x8b") or (data[:1] == b"x" and data[1:2] in b"\x01\x5e\x9c\xda")
    ):
        return data
    packed = zlib.decompressobj(wbits=47)  # of either kind
    try:
        found = packed.decompress(data, LARGEST)
    except zlib.error as error:
        raise DataError(f"compressed, and damaged ({error})") from None
    if packed.unconsumed_tail:
        raise DataError(f"more than {LARGEST / 2**30:g} GiB; expected a single motion")
    return found


_EXPECTED = "expected NumPy arrays, numbers, texts and containers of these (or save it as .npz)"


class _Named:
    """What a name in a pickle stands for: it can be called, and nothing else."""

    __slots__ = ("make",)
    make: Callable[..., Any]

    def __init__(self, make: Callable[..., Any]) -> None:
        object.__setattr__(self, "make", make)

    def __call__(self, *args: Any) -> Any:
        return self.make(*args)

    def __setattr__(self, name: str, value: Any) -> None:
        raise Refused(f"changes of {name}")

    def __setstate__(self, state: Any) -> None:
        raise Refused("changes of a function")


class _Dtype:
    """A dtype that a pickle describes: its character and size, and the order of its bytes."""

    def __init__(self, code: Any, *_: Any) -> None:
        self.code, self.order = str(code).lstrip("<>|="), "="
        self.kind = self.code[:1]

    def __setstate__(self, state: Any) -> None:
        _, order, *described = state[:5]
        if any(part is not None for part in described):
            raise Refused("a structured dtype")
        self.order = {"|": "|", "<": "<", ">": ">"}.get(str(order), "=")

    def built(self) -> np.dtype[Any]:
        """The dtype, if it is one of plain values."""
        found = np.dtype(self.code) if self.kind in _PLAIN + "iu" else None
        if found is None or found.char not in _PLAIN:
            raise Refused(f"the dtype {self.code!r}")
        return found.newbyteorder(self.order)  # type: ignore[arg-type]


class _Array:
    """An array that a pickle describes: its state, until it is built."""

    def __init__(self, *_: Any) -> None:
        self.state: tuple[Any, ...] = ()

    def __setstate__(self, state: Any) -> None:
        self.state = tuple(state)

    def built(self, finish: Callable[[Any], Any]) -> Any:
        """The array."""
        *_, shape, dtype, fortran, raw = self.state
        sizes = tuple(int(size) for size in shape)
        if dtype.kind == "O":
            values = np.empty(len(raw), dtype=object)
            values[:] = [finish(value) for value in raw]
            return values.reshape(sizes, order="F" if fortran else "C")
        return _array(raw, dtype, sizes, "F" if fortran else "C")


def _array(raw: Any, dtype: _Dtype, sizes: tuple[int, ...], order: Any) -> Any:
    data, kind = raw.encode("latin1") if isinstance(raw, str) else bytes(raw), dtype.built()
    if prod(sizes) * kind.itemsize != len(data):
        raise ValueError(f"{len(data)} bytes for an array of shape {sizes} of {kind}")
    return np.frombuffer(data, kind).reshape(sizes, order=order).copy()


class _Scalar(_Array):
    """A NumPy scalar: its dtype and bytes."""

    def __init__(self, dtype: _Dtype, raw: Any = b"") -> None:
        self.state = (dtype, raw)

    def built(self, finish: Callable[[Any], Any]) -> Any:
        dtype, raw = self.state
        return finish(raw) if dtype.kind == "O" else _array(raw, dtype, (), "C").item()


class _Buffer(_Array):
    """An array of the fifth protocol: its bytes, dtype, shape and order."""

    def __init__(self, raw: Any, dtype: _Dtype, shape: Any, order: Any) -> None:
        self.state = (raw, dtype, tuple(shape), "F" if order == "F" else "C")

    def built(self, finish: Callable[[Any], Any]) -> Any:
        raw, dtype, shape, order = self.state
        return _array(raw, dtype, tuple(int(size) for size in shape), order)


def _array_of_joblib(file: Any) -> type[_Array]:
    """The class of arrays whose bytes follow in the file, after what describes them.

    A class of its own for each file: a pickle may make objects of it, and change it.
    """

    class Follows(_Array):
        def __setstate__(self, state: Any) -> None:
            sizes, dtype = tuple(int(size) for size in state["shape"]), state["dtype"]
            if dtype.kind == "O":
                self.state = (_Finish()(_Unpickler(file).load()),)
                return
            if state.get("numpy_array_alignment_bytes") is not None:
                file.read(file.read(1)[0])
            raw = file.read(prod(sizes) * dtype.built().itemsize)
            self.state = (raw, dtype, sizes, "F" if state["order"] == "F" else "C")

        def built(self, finish: Callable[[Any], Any]) -> Any:
            return self.state[0] if len(self.state) == 1 else _array(*self.state)

    return Follows


def _encoded(value: Any, encoding: Any = "latin1") -> bytes:
    """What `_codecs.encode` does in pickles of bytes by the second protocol."""
    if not isinstance(value, str) or encoding != "latin1":
        raise Refused(f"the encoding {encoding!r}")
    return value.encode("latin1")


def _empty(kind: type) -> Callable[..., Any]:
    def make(values: Any = ()) -> Any:
        return kind(values)

    return make


_NUMPY = {
    "multiarray._reconstruct": _Array,
    "multiarray.scalar": _Scalar,
    "numeric._frombuffer": _Buffer,
}
_KNOWN: dict[str, Callable[..., Any]] = {
    **{f"numpy.{core}.{name}": make for core in ("core", "_core") for name, make in _NUMPY.items()},
    "numpy.dtype": _Dtype,
    "numpy.ndarray": _Array,
    "collections.OrderedDict": _empty(dict),
    "_codecs.encode": _encoded,
    **{f"{room}.{kind.__name__}": _empty(kind) for room in ("builtins", "__builtin__")
       for kind in (list, tuple, set, frozenset, dict, bytes, bytearray)},
}  # fmt: skip


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any) -> None:
        super().__init__(file, encoding="latin1")
        self._follows = _array_of_joblib(file)

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("joblib.numpy_pickle", "NumpyArrayWrapper"):
            return self._follows
        known = _KNOWN.get(f"{module}.{name}")
        if known is None:
            raise Refused(f"{module}.{name}")
        return _Named(known)

    def persistent_load(self, pid: Any) -> Any:
        raise Refused("objects outside of it")


class _Finish:
    """Builds the arrays in what was unpickled, and counts, lest a few bytes stand for billions."""

    def __init__(self) -> None:
        self.left = _MOST
        self.arrays: dict[int, Any] = {}

    def __call__(self, value: Any, depth: int = 0) -> Any:
        self.left -= 1
        if depth > _DEEPEST or self.left < 0:
            raise ValueError(
                f"containers more than {_DEEPEST} deep, or of more than {_MOST} entries"
            )
        if isinstance(value, _Array):  # once, however often it occurs
            if id(value) not in self.arrays:
                self.arrays[id(value)] = value.built(partial(self, depth=depth + 1))
            return self.arrays[id(value)]
        if isinstance(value, dict):
            return {self(k, depth + 1): self(x, depth + 1) for k, x in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self(x, depth + 1) for x in value]
        if value is None or isinstance(value, bool | int | float | str | bytes | bytearray):
            return value
        raise Refused(f"{type(value).__name__} in place of a value")
