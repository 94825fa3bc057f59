"""Expressions of xacro files: a small part of Python's, computed over the syntax tree.

Nothing is run: every construct and every function is listed here, and anything else is refused.
There are numbers, texts, lists and dictionaries; arithmetic, comparisons, conditionals, subscripts
and comprehensions; mathematical functions, and those methods of texts and dictionaries that only
read. A `Budget` bounds the size of every value and the work of all expressions of a file.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MAX_SIZE = 100_000  # entries and characters of a value, with everything in it
MAX_BITS = 4_096  # of an integer
MAX_WORK = 4_000_000  # entries and characters that the expressions of a file may make
MAX_TEXT = 10_000  # characters of an expression


class ExpressionError(Exception):
    """An expression that is not understood, not allowed, or too much work."""


class Namespace:
    """Names behind a dot, such as `math.pi`; `get` returns the value of one or raises KeyError."""

    def __init__(self, get: Callable[[str], Any]) -> None:
        self.get = get


class Budget:
    """The work that is left; `spend` raises when there is none."""

    def __init__(self, work: int = MAX_WORK) -> None:
        self.left = work

    def spend(self, work: int) -> None:
        """Take `work` off."""
        self.left -= work
        if self.left < 0:
            raise ExpressionError("too much work")

    def admit(self, value: Any) -> Any:
        """Return `value` after spending its size; refuse what is too large or of another type."""
        self.spend(1 + _size(value, MAX_SIZE))
        return value


def _size(value: Any, most: int) -> int:
    """Return the number of characters and entries in a value, those shared counted each time."""
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise ExpressionError(f"an integer of {value.bit_length()} bits; at most {MAX_BITS}")
        return 1
    if value is None or isinstance(value, float | Namespace) or callable(value):
        return 1
    if not isinstance(value, str | list | tuple | dict):
        raise ExpressionError(f"a value of type {type(value).__name__}")
    size = len(value)
    if not isinstance(value, str):
        parts = value.items() if isinstance(value, dict) else value
        for part in parts:
            if size > most:
                break
            size += _size(part, most - size)
    if size > most:
        raise ExpressionError(f"a value with more than {MAX_SIZE} entries or characters")
    return size


# --- what there is -----------------------------------------------------------------------------


def _many(count: float) -> None:
    if count > MAX_SIZE:
        raise ExpressionError(f"a value with more than {MAX_SIZE} entries or characters")


def _bits(count: float) -> None:
    if count > MAX_BITS:
        raise ExpressionError(f"an integer of {count:g} bits; at most {MAX_BITS}")


def _multiply(a: Any, b: Any) -> Any:
    for many, times in ((a, b), (b, a)):
        if isinstance(many, str | list | tuple) and isinstance(times, int):
            _many(len(many) * max(times, 0))
    return a * b


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and b > 0:
        _bits(a.bit_length() * b)
    return a**b


def _shift(a: Any, b: Any) -> Any:
    if isinstance(b, int):
        _bits(b)
    return a << b


def _modulo(a: Any, b: Any) -> Any:
    if isinstance(a, str):
        raise ExpressionError("'%' does not format texts here")
    return a % b


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: _power,
    ast.LShift: _shift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def _range(*ends: int) -> list[int]:
    numbers = range(*ends)
    _many((ends[-1] if len(ends) == 1 else ends[1] - ends[0]) / (ends[2] if len(ends) > 2 else 1))
    return list(numbers)


def _sum(values: Iterable[Any], start: float = 0) -> Any:
    for value in values:
        if not isinstance(value, int | float):
            raise ExpressionError(f"sum of {type(value).__name__}")
        start += value
    return start


def _round(value: float, digits: int | None = None) -> Any:
    return round(value, None if digits is None else max(min(digits, 400), -400))


def _factorial(n: int) -> int:
    _bits(n)
    return math.factorial(n)


def _listed(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    return lambda *values: list(function(*values))


_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist e erf erfc "
    "exp exp2 expm1 fabs floor fmod fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt "
    "ldexp lgamma log log10 log1p log2 nan pi pow radians remainder sin sinh sqrt tan tanh tau "
    "trunc"
)
_PLAIN = "abs all any bool dict divmod float int isinstance len list max min ord sorted str tuple"
# what the names of functions mean; "math.", "python." and nothing before them are the same
FUNCTIONS: dict[str, Any] = {
    **{name: getattr(math, name) for name in _MATH.split()},
    **{name: getattr(builtins, name) for name in _PLAIN.split()},
    **{name: _listed(getattr(builtins, name)) for name in ("enumerate", "reversed", "zip")},
    "factorial": _factorial,
    "range": _range,
    "round": _round,
    "set": lambda values=(): list(dict.fromkeys(values)),
    "sum": _sum,
}


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    _many(len(text) + (text.count(old) if old else len(text) + 1) * len(new))
    return text.replace(old, new, count)


def _join(text: str, parts: Iterable[str]) -> str:
    parts = list(parts)
    _many(len(text) * len(parts) + sum(map(len, parts)))
    return text.join(parts)


_TEXT_METHODS = (
    "capitalize count endswith find index isalnum isalpha isdecimal isdigit islower isnumeric "
    "isspace isupper lower lstrip partition removeprefix removesuffix rfind rindex rpartition "
    "rsplit rstrip split splitlines startswith strip swapcase title upper"
)
_METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {n: getattr(str, n) for n in _TEXT_METHODS.split()} | {"replace": _replace, "join": _join},
    list: {"count": list.count, "index": list.index},
    tuple: {"count": tuple.count, "index": tuple.index},
    dict: {
        "get": dict.get,
        "items": _listed(dict.items),
        "keys": _listed(dict.keys),
        "values": _listed(dict.values),
    },
}


# --- evaluation --------------------------------------------------------------------------------


def evaluate(text: str, lookup: Callable[[str], Any], budget: Budget) -> Any:
    """Return the value of an expression.

    Args:
        text: the expression, in Python's syntax.
        lookup: returns the value of a name, or raises KeyError; `FUNCTIONS` come after it.
        budget: the work that is left.

    Raises:
        ExpressionError: not understood, not allowed, without a value, or too much work.
    """
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"an expression of {len(text)} characters; at most {MAX_TEXT}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return _Evaluation(lookup, budget).value(tree.body)
    except SyntaxError as error:
        raise ExpressionError(error.msg) from None
    except KeyError as error:
        raise ExpressionError(f"there is no {error}") from None
    except (ArithmeticError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ExpressionError(str(error)) from None
    except (RecursionError, MemoryError):
        raise ExpressionError("nested too deep") from None


class _Evaluation:
    """Values of the nodes of one expression; `local` holds the variables of comprehensions."""

    def __init__(self, lookup: Callable[[str], Any], budget: Budget) -> None:
        self.lookup, self.budget = lookup, budget
        self.local: dict[str, Any] = {}
        self.functions = FUNCTIONS | {"map": self._map, "filter": self._filter}
        namespace = Namespace(self.functions.get)
        self.functions |= {"math": namespace, "python": namespace}

    def value(self, node: ast.expr) -> Any:
        method = getattr(self, f"of_{type(node).__name__.lower()}", None)
        if method is None:
            raise ExpressionError(f"{type(node).__name__} is not allowed here")
        return self.budget.admit(method(node))

    def of_constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, bool | int | float | str | None):
            raise ExpressionError(f"{type(node.value).__name__} is not allowed here")
        return node.value

    def of_name(self, node: ast.Name) -> Any:
        if node.id in self.local:
            return self.local[node.id]
        try:
            return self.lookup(node.id)
        except KeyError:
            if node.id in self.functions:
                return self.functions[node.id]
            raise ExpressionError(f"name {node.id!r} is not defined") from None

    def of_binop(self, node: ast.BinOp) -> Any:
        if type(node.op) not in _BINARY:
            raise ExpressionError(f"{type(node.op).__name__} is not allowed here")
        return _BINARY[type(node.op)](self.value(node.left), self.value(node.right))

    def of_unaryop(self, node: ast.UnaryOp) -> Any:
        return _UNARY[type(node.op)](self.value(node.operand))

    def of_boolop(self, node: ast.BoolOp) -> Any:
        stop = isinstance(node.op, ast.Or)
        for part in node.values:
            found = self.value(part)
            if bool(found) == stop:
                break
        return found

    def of_compare(self, node: ast.Compare) -> Any:
        left, found = self.value(node.left), True
        for kind, right in zip(node.ops, map(self.value, node.comparators), strict=True):
            found = _COMPARE[type(kind)](left, right)
            if not found:
                break
            left = right
        return found

    def of_ifexp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def of_list(self, node: ast.List | ast.Set) -> list[Any]:
        return [self.value(element) for element in node.elts]

    of_set = of_list

    def of_tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self.of_list(node))  # type: ignore[arg-type]

    def of_dict(self, node: ast.Dict) -> dict[Any, Any]:
        if None in node.keys:
            raise ExpressionError("** is not allowed here")
        pairs = zip(node.keys, node.values, strict=True)
        return {self.value(key): self.value(value) for key, value in pairs if key is not None}

    def of_subscript(self, node: ast.Subscript) -> Any:
        return self.value(node.value)[self._index(node.slice)]

    def _index(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Slice):
            return self.value(node)
        ends = (node.lower, node.upper, node.step)
        return slice(*(None if end is None else self.value(end) for end in ends))

    def of_listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        outer, found = dict(self.local), []
        for _ in self._bindings(node.generators):
            found.append(self.value(node.elt))
        self.local = outer
        return found

    of_generatorexp = of_listcomp

    def _bindings(self, generators: list[ast.comprehension]) -> Iterable[None]:
        if not generators:
            yield
            return
        first, *rest = generators
        for item in self.value(first.iter):
            self._bind(first.target, item)
            if all(self.value(condition) for condition in first.ifs):
                yield from self._bindings(rest)

    def _bind(self, target: ast.expr, item: Any) -> None:
        if isinstance(target, ast.Name):
            self.local[target.id] = item
        elif isinstance(target, ast.Tuple | ast.List):
            for part, value in zip(target.elts, item, strict=True):
                self._bind(part, value)
        else:
            raise ExpressionError(f"{type(target).__name__} is not allowed here")

    def of_attribute(self, node: ast.Attribute) -> Any:
        """A name of a namespace, or a key of a dictionary."""
        owner = self.value(node.value)
        if isinstance(owner, Namespace | Mapping):
            found = owner.get(node.attr)
            if found is not None or (isinstance(owner, Mapping) and node.attr in owner):
                return found
        raise ExpressionError(f"{node.attr!r} of {type(owner).__name__} is not allowed here")

    def of_call(self, node: ast.Call) -> Any:
        function = self._function(node.func)
        values = [self.value(argument) for argument in node.args]
        keywords = {word.arg: self.value(word.value) for word in node.keywords if word.arg}
        if len(keywords) < len(node.keywords):
            raise ExpressionError("** is not allowed here")
        if function not in (self._map, self._filter, isinstance) and any(
            callable(value) for value in (*values, *keywords.values())
        ):
            raise ExpressionError("only map, filter and isinstance take a function")
        return function(*values, **keywords)

    def _map(self, function: Callable[..., Any], *values: Any) -> list[Any]:
        return [self.budget.admit(function(*row)) for row in zip(*values, strict=False)]

    def _filter(self, function: Callable[..., Any] | None, values: Any) -> list[Any]:
        return [v for v in values if (v if function is None else self._map(function, [v])[0])]

    def _function(self, node: ast.expr) -> Callable[..., Any]:
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            method = _METHODS.get(type(owner), {}).get(node.attr)
            if method is not None:
                return lambda *values, **keywords: method(owner, *values, **keywords)
        function = self.value(node)
        if not callable(function):
            raise ExpressionError(f"{type(function).__name__} is no function")
        return function  # type: ignore[no-any-return]
