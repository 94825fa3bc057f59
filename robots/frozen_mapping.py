"""A read-only mapping that pickles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

Value = TypeVar("Value")


class FrozenMapping(Mapping[str, Value]):
    """A copy of a mapping that cannot be changed; `types.MappingProxyType` does not pickle."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Value] | Iterable[tuple[str, Value]] = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> Value:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __or__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**self, **other} if isinstance(other, Mapping) else NotImplemented

    def __ror__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**other, **self} if isinstance(other, Mapping) else NotImplemented

    def __repr__(self) -> str:
        return repr(self._items)
