"""Comparison of two descriptions of one robot: differences, and their effects on M(q) and τ_g."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import counted
from ..robots.comparison.alignment import align
from ..robots.comparison.difference import Difference
from ..robots.robot import Robot
from .comparison_effects import Effect, Largest, Motions, coordinates

_NOTHING = 1e-9  # relative change of M and τ_g below which a quantity has no effect
_ROUNDING = 1e-12  # of the totals


@dataclass(frozen=True, eq=False)
class Comparison:
    """What differs between two descriptions of one robot; printing it gives the table.

    Attributes:
        a, b: the robots.
        differences: by body, those with the largest effect first.
        effects: of each difference, with that quantity alone replaced; None where M(q) and τ_g do
            not depend on it, or where it cannot be replaced alone.
        total: effect of all together.
        notes: what was matched how, and what could not be compared.
        matched: number of joints that both have.
    """

    a: Robot
    b: Robot
    differences: tuple[Difference, ...]
    effects: tuple[Effect | None, ...]
    total: Effect
    notes: tuple[str, ...]
    matched: int

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def as_dict(self) -> dict[str, Any]:
        """Return strings, numbers and lists, for JSON."""
        found = zip(self.differences, self.effects, strict=True)
        return {
            "a": {"name": self.a.name, "source": self.a.source},
            "b": {"name": self.b.name, "source": self.b.source},
            "same": self.same,
            "matched": self.matched,
            "differences": [_as_dict(difference, effect) for difference, effect in found],
            "total": _effect_dict(self.total),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def compare(a: Robot, b: Robot, tolerance: float = 1e-4) -> Comparison:
    """Return what differs between two descriptions of one robot, and what it does to M(q) and τ_g.

    Joints are matched by their names, then by those of their links, then by their places in the
    tree. Frames of links are conventions: values of B are given in A's frames, whichever B uses.
    Joints that only one of the robots has are welded at zero in the other's place. The effect of
    a difference is that of putting B's value of this quantity, and of no other, into A; it is the
    largest over the neutral posture, A's default posture and random ones within A's limits.

    Args:
        a, b: the robots.
        tolerance: within which values are the same: relative for masses, inertias (to the root of
            the two moments) and limits of velocity and torque; in metres and radians for places,
            directions and positions. The default is above what six digits of text lose.

    Raises:
        ModelError: less than half of the joints match: they are not one robot.
        ConfigurationError: no robot, or a tolerance out of (0, 0.1].
    """
    found = align(a, b, tolerance)
    bodies = found.machines[0].bodies
    motions = Motions(bodies, coordinates(found))
    effects = [motions.effect(d.change) if d.change else None for d in found.differences]
    order = _order(found.differences, effects)
    total = motions.effect(found.whole)
    return Comparison(
        a,
        b,
        tuple(found.differences[k] for k in order),
        tuple(effects[k] for k in order),
        total or Effect(),
        found.notes,
        len(bodies) - 1 - (len(bodies) > 1 and bodies[1].kind == "free"),
    )


def _order(differences: Sequence[Difference], effects: Sequence[Effect | None]) -> list[int]:
    """Return the order by body, then of effect; the body with the largest effect first."""
    sizes = [effect.size if effect else 0.0 for effect in effects]
    worst: dict[tuple[str, str], float] = {}
    for difference, size in zip(differences, sizes, strict=True):
        key = difference.link, difference.joint
        worst[key] = max(worst.get(key, 0.0), size)
    keys = list(worst)

    def rank(k: int) -> tuple[float, int, float]:
        key = differences[k].link, differences[k].joint
        return -worst[key], keys.index(key), -sizes[k]

    return sorted(range(len(differences)), key=rank)


# --- words -------------------------------------------------------------------------------------

_HEAD = ("", "A → B", "by", "M(q) by at most", "τ_g by at most")


def _lines(found: Comparison) -> Iterator[str]:
    """Yield the lines of the table."""
    rows = [_cells(d, e) for d, e in zip(found.differences, found.effects, strict=True)]
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    if rows:
        yield _row(_HEAD, widths)
    before = None
    for difference, row in zip(found.differences, rows, strict=True):
        if (key := (difference.link, difference.joint)) != before:
            before = key
            yield key[0] + (f", joint {key[1]!r}" if key[1] else "")
        yield _row(row, widths)
    if rows:
        yield ""
    yield from (f"note: {note}" for note in found.notes)
    yield _summary(found)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"  {'  '.join(padded)}".rstrip()


def _cells(difference: Difference, effect: Effect | None) -> tuple[str, ...]:
    unit = f" {difference.unit}" if difference.unit else ""
    values = f"{difference.words[0]} → {difference.words[1]}{unit}"
    return (difference.quantity, values, difference.gap, *_effect_words(effect))


def _effect_words(effect: Effect | None) -> tuple[str, str]:
    """What a difference does to M(q) and to τ_g, in words; "" for nothing."""
    if effect is None or effect.size < _NOTHING:
        return "", ""
    entry = _most(effect.inertia)
    inertia = f"{_short(100 * effect.relative)} %: {entry}" if effect.relative > _NOTHING else ""
    changes = (_most(some) for some in (effect.moment, effect.force) if some.value > _NOTHING)
    return inertia, ", ".join(changes)


def _most(largest: Largest) -> str:
    return f"{_short(largest.value)} {largest.unit} ({' with '.join(largest.joints)})"


def _short(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def _summary(found: Comparison) -> str:
    many, total = len(found.differences), found.total
    count = counted(many, "difference") if many else "No differences"
    changes = [some for some in (total.moment, total.force) if some.value > _ROUNDING]
    tau = " and ".join(f"{_short(x.value)} {x.unit} {_at(x.joints[0])}" for x in changes)
    share = 100 * total.relative * (total.relative > _ROUNDING)
    joints = counted(found.matched, "joint")
    return (
        f"{count} ({joints} compared); M(q) differs by at most {_short(share)} %, "
        f"τ_g by at most {tau or '0 N·m'}"
    )


def _at(joint: str) -> str:
    return "at the base" if joint == "base" else f"in joint {joint!r}"


def _as_dict(difference: Difference, effect: Effect | None) -> dict[str, Any]:
    values = {"a": _plain(difference.a), "b": _plain(difference.b)}
    return {
        "link": difference.link,
        "joint": difference.joint,
        "quantity": difference.quantity,
        **values,
        "unit": difference.unit,
        "effect": _effect_dict(effect) if effect else None,
    }


def _plain(value: Any) -> Any:
    """Return a value of a difference for JSON; of one row, a number."""
    if not isinstance(value, np.ndarray):
        return value
    return value.item() if value.size == 1 else value.tolist()


def _effect_dict(effect: Effect) -> dict[str, Any]:
    found: dict[str, Any] = {"mass_matrix_relative": effect.relative}
    for name in ("inertia", "moment", "force"):
        most: Largest = getattr(effect, name)
        found[name] = {"value": most.value, "unit": most.unit, "joints": list(most.joints)}
    return found
