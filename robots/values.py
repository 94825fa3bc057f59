"""Validation of arguments: numbers, arrays, names and placements, refused where they enter.

Each function returns the checked value, or raises `error` with what was got and what was expected;
where names are asked for, with those that exist. Refused are masked entries, complex numbers, text,
dates, booleans and other objects in place of numbers, values that are not finite, and wrong shapes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..errors import ConfigurationError, FootworkError, unknown

Shape = tuple[int | None, ...]
Error = type[FootworkError]
Instance = TypeVar("Instance")

# magnitude up to which numbers are accepted: products of six are finite in double precision, so
# that quadratic terms, energies and squared norms of what passes are neither inf nor nan
LARGEST = 1e50

# [m] of lengths, in a placement, and of a base that stands on contacts: rounding is a hundredth of
# a micrometre there, and levers, of which forces follow, lose as much
FARTHEST = 1e8

# tolerance on the entries of R Rᵀ − 1: admits rotations rounded to single precision
ORTHONORMAL = 1e-6

FEW = 100  # numbers that are looked at one by one

_FLOAT = np.dtype(np.float64)


def array(
    value: Any,
    name: str,
    *shapes: Shape,
    meaning: str = "",
    error: Error = ConfigurationError,
    at_least: float | None = None,
    gaps: bool = False,
    largest: float = LARGEST,
    infinite: bool = False,
    frozen: bool = False,
) -> Array:
    """Return an array of finite floats that has one of the shapes.

    Args:
        value: anything that NumPy reads as an array of real numbers.
        name: of the argument, for the message.
        shapes: allowed ones, None for any length; without them any shape.
        meaning: of the values, with their unit, for the message.
        error: class of the exception.
        at_least: a bound that each entry must reach.
        gaps: whether nan is allowed, as in measurements with missing samples.
        largest: magnitude up to which numbers are accepted.
        infinite: whether +inf is, for what has no limit.
        frozen: return a read-only copy. Otherwise an array that fits is returned itself, and
            callers must not write to it.
    """
    kind = type(value)
    if kind is float or (kind is np.ndarray and value.dtype is _FLOAT):
        found = np.asarray(value)
    else:
        found = _as_floats(value, name, shapes, meaning, error)
    # the usual, of few numbers, in a microsecond
    if (found.shape in shapes or not shapes) and 0 < found.size <= FEW:
        few = found.ravel().tolist()
        if math.hypot(*few) <= largest and (at_least is None or min(few) >= at_least):
            return _read_only(found.copy()) if frozen else found
    if shapes and not any([_fits(found.shape, shape) for shape in shapes]):
        raise error(f"{name}: got shape {found.shape}, expected {_shapes(shapes)}{_of(meaning)}")
    check_finite(found, name, error, largest, gaps, infinite)
    if at_least is not None and (found < at_least).any():
        raise error(f"{name}: got {found.min():g}, expected at least {at_least:g}")
    return _read_only(found.copy()) if frozen else found


def check_finite(
    values: Array,
    name: str,
    error: Error,
    largest: float = LARGEST,
    gaps: bool = False,
    infinite: bool = False,
) -> None:
    """Raise `error` for an entry that is not finite, or larger than `largest`."""
    bad = ~(np.abs(values) <= largest)
    if gaps:
        bad &= ~np.isnan(values)
    if infinite:
        bad &= ~np.isposinf(values)
    if bad.any():
        where = tuple(map(int, np.argwhere(bad)[0]))
        place = f" at index {', '.join(map(str, where))}" if where else ""
        raise error(
            f"{name}: got {values[where]}{place}; expected finite values of at most {largest:g}"
        )


def vector(
    value: ArrayLike,
    name: str,
    meaning: str = "",
    *,
    error: Error = ConfigurationError,
    frozen: bool = False,
) -> Array:
    """Return three finite numbers (3,)."""
    return array(value, name, (3,), meaning=meaning, error=error, frozen=frozen)


def direction(value: ArrayLike, name: str, *, error: Error = ConfigurationError) -> Array:
    """Return three finite numbers (3,), of any length but zero."""
    found = vector(value, name, error=error)
    if not np.linalg.norm(found) > 0:
        raise error(f"{name}: got the zero vector, expected a direction")
    return found


def table(value: Any, width: int, name: str, *, error: Error = ConfigurationError) -> Array:
    """Return (N, width) finite numbers, one row if one was given (width,)."""
    return np.atleast_2d(array(value, name, (width,), (None, width), error=error))


def common_length(*, error: Error = ConfigurationError, **lengths: int) -> int:
    """Return the N of arrays of these lengths, N or one for all, by their names; N may be 0.

    Raises:
        error: they have several.
    """
    several = {count for count in lengths.values() if count != 1}
    if len(several) > 1:
        told = ", ".join(f"{count} of {name}" for name, count in lengths.items())
        raise error(f"got {told}; expected as many of each, or one for all")
    return several.pop() if several else 1


def number(
    value: Any,
    name: str,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    largest: float = LARGEST,
    unit: str = "",
    infinite: bool = False,
    error: Error = ConfigurationError,
) -> float:
    """Return a finite real number within the bounds as a float.

    Args:
        value: a number; no boolean, and no text that reads like one.
        name: of the argument, for the message.
        above: a bound that it must exceed.
        at_least, at_most: bounds that it may reach.
        largest: magnitude up to which numbers are accepted; named only where one is beyond it.
        unit: for the message, such as "[m]".
        infinite: whether +inf is a value, for what has no limit.
        error: class of the exception.
    """
    found = value if type(value) is float else _as_number(value)
    top = (math.inf if infinite else largest) if at_most is None else at_most
    good = -largest <= found <= top and (found <= largest or found == math.inf)
    if good and (above is None or found > above) and (at_least is None or found >= at_least):
        return found
    words = ["a number" if infinite else "a finite number"]
    if at_least is not None and at_most is not None:
        words.append(f"from {at_least:g} to {at_most:g}")
    elif above is not None and at_most is not None:
        words.append(f"in ({above:g}, {at_most:g}]")
    elif at_least is not None:
        words.append(f"of at least {at_least:g}")
    elif above is not None:
        words.append(f"above {above:g}")
    if abs(found) > largest:
        words.append(f"up to {largest:g}")
    raise error(f"{name}: got {value!r:.80}, expected {' '.join([*words, unit]).rstrip()}")


def length(
    value: Any, name: str, *, zero: bool = False, error: Error = ConfigurationError
) -> float:
    """Return a length above 0, or at least 0 if `zero`, up to `FARTHEST` [m]."""
    if zero:
        return number(value, name, at_least=0, largest=FARTHEST, unit="[m]", error=error)
    return number(value, name, above=0, largest=FARTHEST, unit="[m]", error=error)


def whole_number(
    value: Any,
    name: str,
    *,
    at_least: int | None = None,
    exact: bool = False,
    error: Error = ConfigurationError,
) -> int:
    """Return an integer; a float that is whole is one too, unless `exact`."""
    found = math.nan if exact and isinstance(value, float) else _as_number(value)
    if abs(found) <= LARGEST and found == int(found) and (at_least is None or found >= at_least):
        return int(value)
    bound = "" if at_least is None else f" of at least {at_least}"
    raise error(f"{name}: got {value!r:.80}, expected an integer{bound}")


def boolean(value: Any, name: str, *, error: Error = ConfigurationError) -> bool:
    """Return True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise error(f"{name}: got {value!r:.80}, expected True or False")


def text(value: Any, name: str, *, empty: bool = False, error: Error = ConfigurationError) -> str:
    """Return a text; "" only if `empty`."""
    if isinstance(value, str) and (value or empty):
        return value
    raise error(f"{name}: got {value!r:.80}, expected a text")


def one_of(
    value: Any, name: str, options: Collection[str], *, error: Error = ConfigurationError
) -> str:
    """Return a name that is one of the options."""
    if isinstance(value, str) and value in options:
        return value
    *first, last = map(repr, options)
    listed = f"{', '.join(first)} or {last}" if first else last
    near = get_close_matches(value[:80], options, 1) if isinstance(value, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise error(f"{name}: got {value!r:.80}, expected {listed}{hint}")


def mapping(
    value: Any,
    name: str,
    known: Iterable[str] | None = None,
    *,
    kind: str = "name",
    error: Error = ConfigurationError,
) -> dict[str, Any]:
    """Return a copy of a mapping whose keys are among the `known` names; `kind`: what they name."""
    if not isinstance(value, Mapping):
        raise error(f"{name}: got {value!r:.80}, expected a mapping {{{kind}: …}}")
    if known is not None:
        names = set(known)
        for key in value:
            if key not in names:
                raise error(f"{name}: {unknown(kind, key, names)}")
    return dict(value)


def instance(
    value: Any, name: str, kind: type[Instance], *, error: Error = ConfigurationError
) -> Instance:
    """Return an object of the class `kind`."""
    if isinstance(value, kind):
        return value
    raise error(f"{name}: got {value!r:.80}, expected {_named(kind)}")


def sequence(
    value: Any, name: str, kind: Any, *, error: Error = ConfigurationError
) -> tuple[Any, ...]:
    """Return the entries of an iterable, objects of the class `kind` (or of one of a union)."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        each = "" if kind is object else f": {_named(kind)} each"
        raise error(f"{name}: got {value!r:.80}, expected a sequence{each}")
    found = tuple(value)
    if not all([isinstance(x, kind) for x in found]):  # names of entries take longer than looks
        for i, x in enumerate(found):
            instance(x, f"{name}[{i}]", kind, error=error)
    return found


def texts(value: Any, name: str, *, error: Error = ConfigurationError) -> tuple[str, ...]:
    """Return names; a text alone is one."""
    given = (value,) if isinstance(value, str) else sequence(value, name, str, error=error)
    return tuple(map(str, given))  # those of NumPy too


def each_once(names: Iterable[str], what: str, *, error: Error = ConfigurationError) -> None:
    """Refuse a name that is there twice."""
    for name, count in Counter(names).items():
        if count > 1:
            raise error(f"{what}: got the name {name!r} twice, expected each once")


def _named(kind: Any) -> str:
    """The name of a class, or of the classes of a union."""
    return " or ".join(f"a {each.__name__}" for each in getattr(kind, "__args__", (kind,)))


def rotation(value: Any, name: str, *, error: Error = ConfigurationError) -> Array:
    """Return a rotation matrix R (3, 3): R Rᵀ = 1, det R = 1."""
    R = array(value, name, (3, 3), meaning="a rotation matrix", error=error)
    if not _orthonormal(*R.tolist()):
        raise error(
            f"{name}: got a matrix of determinant {np.linalg.det(R):.3g} that is no rotation; "
            "expected a rotation matrix, R Rᵀ = 1 and det R = 1"
        )
    return R


def _orthonormal(x: list[float], y: list[float], z: list[float]) -> bool:
    """Whether the rows of a matrix are those of a rotation; few numbers, in a microsecond."""
    lengths = (_dot(row, row) - 1.0 for row in (x, y, z))
    angles = _dot(x, y), _dot(y, z), _dot(z, x)
    normal = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    off = max(map(abs, (*lengths, *angles)))
    return off <= ORTHONORMAL and _dot(normal, z) >= 0


def _dot(x: list[float], y: list[float]) -> float:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def placement(
    value: Any, name: str, meaning: str = "", *, error: Error = ConfigurationError
) -> pin.SE3:
    """Return a read-only copy of a placement, so that later changes do not reach it.

    Anything but a `pin.SE3` is refused, and so are invalid rotations and origins beyond `FARTHEST`.
    """
    if type(value) is Placement:
        return value
    if not isinstance(value, pin.SE3):
        raise error(f"{name}: got {value!r:.80}, expected a pinocchio.SE3{_of(meaning)}")
    if not _placed(value.homogeneous.tolist()):
        rotation(value.rotation, name, error=error)
        array(value.translation, name, (3,), meaning="[m]", largest=FARTHEST, error=error)
    return Placement(value)


def _placed(T: list[list[float]]) -> bool:
    """Whether the rows of T (4, 4) are those of a placement; few numbers, in a microsecond."""
    x, y, z, _ = T
    return math.hypot(*x, *y, *z) <= FARTHEST and _orthonormal(x, y, z)


def placements(values: Mapping[str, Any], name: str) -> Array:
    """Return T (k, 4, 4), read-only, of placements by name; refused as by `placement`."""
    nothing = np.full((4, 4), np.nan)
    each = [T.homogeneous if isinstance(T, pin.SE3) else nothing for T in values.values()]
    found = np.array(each).reshape(-1, 4, 4)
    for (key, value), T in zip(values.items(), found.tolist(), strict=True):
        if not _placed(T):
            placement(value, f"{name}[{key!r}]")
    return _read_only(found)


class Placement(pin.SE3):  # type: ignore[misc]
    """A `pin.SE3` that nobody writes to, because other arrays have been derived from it."""

    @property
    def translation(self) -> Array:
        """(3,), read-only."""
        return _read_only(super().translation)

    @property
    def rotation(self) -> Array:
        """(3, 3), read-only."""
        return _read_only(super().rotation)

    def setIdentity(self) -> None:  # noqa: D102
        raise AttributeError("a read-only placement; its copy() can be changed")

    setRandom = setIdentity

    def __deepcopy__(self, memo: dict[int, Any]) -> Placement:
        return self


def _read_only(values: Array) -> Array:
    values.setflags(write=False)
    return values


def _as_floats(
    value: Any, name: str, shapes: tuple[Shape, ...], meaning: str, error: Error
) -> Array:
    """Return an array of floats of what NumPy reads as real numbers."""

    def refusal(got: Any, advice: str = "") -> FootworkError:
        return error(f"{name}: got {got}, expected {_numbers(shapes, meaning)}{advice}")

    if np.ma.is_masked(value) or (
        isinstance(value, list | tuple) and any(map(np.ma.is_masked, value))
    ):
        raise refusal("masked values", "; fill or leave them out first")
    try:
        found = np.asarray(value)
    except (TypeError, ValueError) as failure:
        raise refusal(failure) from None
    if found.dtype.kind not in "fiu" and found.size:
        raise refusal(_kind(value, found))
    return np.asarray(found, dtype=np.float64)


def _kind(value: Any, found: NDArray[Any]) -> str:
    """What was given in place of numbers."""
    if found.ndim:
        return f"an array of dtype {found.dtype}"
    return f"{value!r:.80}"


def _as_number(value: Any) -> float:
    """Return a real number as a float; nan for what is none."""
    if isinstance(value, np.ndarray) and not np.ma.isMaskedArray(value) and value.ndim == 0:
        value = value[()]
    real = isinstance(value, int | float | np.integer | np.floating)
    if not real or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # of an integer
        return math.inf


def _fits(found: tuple[int, ...], shape: Shape) -> bool:
    return len(found) == len(shape) and all(
        [n == m or m is None for n, m in zip(found, shape, strict=True)]
    )


def _numbers(shapes: tuple[Shape, ...], meaning: str) -> str:
    """What is expected in place of something else than numbers."""
    if len(shapes) == 1 and len(shapes[0]) == 1 and shapes[0][0] is not None:
        return f"{shapes[0][0]} numbers{_of(meaning)}"
    some = "" if () in shapes else "numbers "  # else "a number or (3,)"
    return f"{some}{_shapes(shapes)}".rstrip() + _of(meaning)


def _shapes(shapes: tuple[Shape, ...]) -> str:
    named = [tuple("n" if n is None else n for n in shape) or "a number" for shape in shapes]
    return " or ".join(map(str, named)).replace("'", "")


def _of(meaning: str) -> str:
    return f", {meaning}" if meaning else ""
