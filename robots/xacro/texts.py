"""Texts of xacro files: properties in scopes, ${expressions} and $(substitutions)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .expressions import Budget, ExpressionError, Namespace, evaluate

# $${ and $$( stand for ${ and $(; neither expressions nor substitutions nest
_TOKEN = re.compile(
    r"(?P<escaped>\$\$+[{(])|\$\{(?P<expression>[^}]*)\}|\$\((?P<substitution>[^)]*)\)"
    r"|(?P<plain>[^$]+|\$(?![{(]))"
)


_TRUTH = {"true": True, "True": True, "false": False, "False": False}


class XacroError(Exception):
    """What is wrong with a xacro file."""


class Scope:
    """Properties (or macros), those of the enclosing scope behind them.

    Attributes:
        values: name -> value; lazy ones are texts, evaluated here when first asked for.
        parent: the enclosing scope, None for the outermost.
        is_namespace: whether it belongs to an included file, rather than to a macro.
    """

    def __init__(self, parent: Scope | None = None, is_namespace: bool = False) -> None:
        self.values: dict[str, Any] = {}
        self.parent, self.is_namespace = parent, is_namespace
        self._lazy: set[str] = set()
        self._open: list[str] = []

    def holder(self, name: str) -> Scope | None:
        """Return the nearest scope that has the name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.values:
            scope = scope.parent
        return scope

    def __contains__(self, name: str) -> bool:
        return self.holder(name) is not None

    def set(self, name: str, value: Any, lazy: bool = False) -> None:
        """Set a property; a text that is a number or a truth value becomes one."""
        self.values[name] = value = literal(value)
        self._lazy.discard(name)
        if lazy and isinstance(value, str):
            self._lazy.add(name)

    def get(self, name: str, evaluated: Callable[[str, Scope], Any]) -> Any:
        """Return a property, or raise KeyError; `evaluated` gives the value of a lazy one."""
        scope = self.holder(name)
        if scope is None:
            raise KeyError(name)
        if name in scope._lazy:
            if name in scope._open:
                circle = " -> ".join([*scope._open, name])
                raise XacroError(f"properties that depend on each other: {circle}")
            scope._open.append(name)
            try:
                scope.values[name] = literal(evaluated(scope.values[name], scope))
            finally:
                scope._open.remove(name)
            scope._lazy.remove(name)
        return scope.values[name]

    def remove(self, name: str) -> None:
        """Remove a property from this scope and all around it."""
        scope: Scope | None = self
        while scope is not None:
            scope.values.pop(name, None)
            scope._lazy.discard(name)
            scope = scope.parent

    def top(self) -> Scope:
        """Return the outermost scope."""
        return self if self.parent is None else self.parent.top()

    def caller(self) -> Scope | None:
        """Return the scope around this one; that of a macro is its caller's."""
        scope = self.parent
        while scope is not None and scope.is_namespace and not self.is_namespace:
            scope = scope.parent
        return scope


def literal(value: Any) -> Any:
    """Return the number or truth value that a text stands for; other texts without quotes."""
    if not isinstance(value, str):
        return value
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    if "_" in value:  # Python would read 1_000 as a number
        return value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return _TRUTH.get(value, value)


def truth(value: Any, text: str) -> bool:
    """Return the truth value of a condition."""
    if isinstance(value, str):
        try:
            return _TRUTH[value] if value in _TRUTH else bool(int(value))
        except ValueError:
            raise XacroError(f"the condition {text!r} is {value!r}, no truth value") from None
    return bool(value)


class Texts:
    """Evaluates texts; the work of all of them together is bounded.

    Attributes:
        budget: the work that is left.
        substitute: returns what stands for the words of a $(…).
        extras: what the namespace `xacro` has, by name.
    """

    def __init__(self, substitute: Callable[[list[str]], str], extras: dict[str, Any]) -> None:
        self.budget, self.substitute = Budget(), substitute
        self._extras = extras | {"xacro": Namespace(extras.get)}

    def value(self, text: str, scope: Scope) -> Any:
        """Return the value of a text: that of its expression if it is one alone, else a text."""
        self.budget.spend(1 + len(text))
        parts, end = [], 0
        while end < len(text):
            token = _TOKEN.match(text, end)
            if token is None:
                raise XacroError(f"{_cut(text[end:])!r} does not end")
            end = token.end()
            parts.append(self._part(token, scope))
        if len(parts) == 1:
            return parts[0]
        return self.budget.admit("".join(map(str, parts)))

    def text(self, text: str, scope: Scope) -> str:
        """Return the value of a text as a text."""
        return str(self.value(text, scope))

    def _part(self, token: re.Match[str], scope: Scope) -> Any:
        kind, text = token.lastgroup, token[token.lastgroup or 0]
        if kind == "escaped":
            return text[1:]
        if kind == "plain":
            return text
        inner = self.text(text, scope)
        if kind == "substitution":
            return self.substitute(inner.split())
        try:
            return evaluate(inner, lambda name: self._name(name, scope), self.budget)
        except ExpressionError as error:
            raise XacroError(f"{error}, in the expression {_cut(inner)!r}") from None

    def _name(self, name: str, scope: Scope) -> Any:
        if name in scope:
            found = scope.get(name, self.value)
            if isinstance(found, Scope):  # of an included file
                return Namespace(lambda key: found.get(key, self.value))
            return found
        return self._extras[name]


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
