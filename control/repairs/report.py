"""Repair: the motion that was found, what it changes, and the audits before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ... import registry
from ...arrays import Array
from ...contacts.audits.audit import Audit
from ...dynamics.motions.motion import Motion
from ...errors import counted
from .objective import Objective


class Change(NamedTuple):
    """How far something was moved: root mean square and largest over the samples, and the unit."""

    rms: float
    largest: float
    unit: str

    def __str__(self) -> str:
        return f"{self.rms:.2g} {self.unit} rms, at most {self.largest:.2g} {self.unit}"


@dataclass(frozen=True, eq=False, repr=False)
class Repair:
    """Result of a repair: a local optimum, verified by an audit.

    Attributes:
        motion: the nearest motion that was found; the given one if nothing better was found.
        before: audit of the motion that was given.
        after: audit of `motion`, with the same contacts, friction and limits.
        changes: {what: Change}, such as "left_hand position" in cm, "base turn" in degrees.
        status: why the search ended.
        steps: how many programs were solved.
        slowed: factor by which time was stretched; 1 if it was not.
        anew: audit of `motion` with contacts found anew in it; None if contacts were given.
    """

    motion: Motion
    before: Audit
    after: Audit
    changes: Mapping[str, Change]
    status: str
    steps: int
    slowed: float = 1.0
    anew: Audit | None = None

    _repr_html_ = registry.html_of

    @property
    def holds(self) -> bool:
        """Whether every sample holds now."""
        return bool(self.after.good.all())

    @property
    def left(self) -> tuple[Any, ...]:
        """The stretches of the audit that could not be repaired, the longest first."""
        return self.after.stretches

    def explain(self) -> str:
        """Return as text what was achieved, what was changed, and what is left."""
        if not self.steps:
            return f"all {counted(len(self.motion), 'sample')} hold already: nothing was changed"
        lines = [
            f"{self.before.share:.1%} of {counted(len(self.motion), 'sample')} held, now "
            f"{self.after.share:.1%} do "
            f"({counted(self.steps, 'program')}, {self.status}; a local optimum)"
        ]
        if self.slowed != 1:
            lines.append(f"time was stretched by {self.slowed:g}")
        if self.anew is not None and self.anew.share < self.after.share:
            lines.append(f"with contacts found anew in it, {self.anew.share:.1%} hold")
        lines += [f"{name}: {change}" for name, change in self.changes.items()]
        if self.left:
            lines.append("could not be mended:")
            lines += [f"  {stretch}" for stretch in self.left[:8]]
            more = len(self.left) - 8
            lines += [f"  and {counted(more, 'more stretch', 'more stretches')}"] * (more > 0)
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON."""
        return {
            "motion": self.motion.name,
            "samples": len(self.motion),
            "before": self.before.share,
            "after": self.after.share,
            "after, contacts found anew": None if self.anew is None else self.anew.share,
            "holds": self.holds,
            "status": self.status,
            "steps": self.steps,
            "slowed": self.slowed,
            "changes": {name: change._asdict() for name, change in self.changes.items()},
            "left": [str(stretch) for stretch in self.left],
        }

    def __repr__(self) -> str:
        return (
            f"Repair({self.motion.name!r}: {self.before.share:.1%} -> {self.after.share:.1%} of "
            f"{len(self.motion)} samples hold, {self.status})"
        )


def changes(objective: Objective, q: Array) -> dict[str, Change]:
    """Return how far hands, base, centre of mass and joints of q (n, nq) were moved."""
    found, xi = {}, objective.change(q)
    for name, moved in zip(objective.hands, objective.hand_changes(q), strict=True):
        found[f"{name} position"] = _change(moved[:, :3], 100.0, "cm")
        found[f"{name} turn"] = _change(moved[:, 3:], np.degrees(1.0), "deg")
    if objective.free:
        found["base position"] = _change(xi[:, :3], 100.0, "cm")
        found["base turn"] = _change(xi[:, 3:6], np.degrees(1.0), "deg")
    found["centre of mass"] = _change(objective.com_change(q), 100.0, "cm")
    joints = xi[:, objective.free :]
    if joints.size:
        worst = float(np.degrees(np.abs(joints).max()))
        found["joints"] = Change(float(np.degrees(np.sqrt((joints**2).mean()))), worst, "deg")
    return found


def _change(vectors: Array, factor: float, unit: str) -> Change:
    lengths = factor * np.linalg.norm(vectors, axis=1)
    return Change(float(np.sqrt((lengths**2).mean())), float(lengths.max()), unit)
