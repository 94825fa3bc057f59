"""Read-only mappings that pickle; `types.MappingProxyType` does not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

Value = TypeVar("Value")


class ReadOnlyMapping(Mapping[str, Value]):
    """A mapping whose entries may be worked out when they are asked for."""

    __slots__ = ()

    @property
    @abstractmethod
    def known(self) -> dict[str, Value]:
        """Its entries."""

    def __getitem__(self, name: str) -> Value:
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def __or__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**self, **other} if isinstance(other, Mapping) else NotImplemented

    def __ror__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**other, **self} if isinstance(other, Mapping) else NotImplemented

    def __repr__(self) -> str:
        return repr(self.known)


class FrozenMapping(ReadOnlyMapping[Value]):
    """A copy of a mapping that cannot be changed."""

    __slots__ = ("known",)
    known: dict[str, Value]

    def __init__(self, items: Mapping[str, Value] | Iterable[tuple[str, Value]] = ()) -> None:
        self.known = dict(items)
