"""Audit: which samples of a motion a robot can do, and why it cannot do the others."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import registry
from ...arrays import Array
from ...dynamics.motions.motion import Motion
from ...errors import counted
from ...files import plain, write_csv
from .. import batch
from ..batch import Cause, Causes
from ..schedules.schedule import ContactSchedule
from ..terrain.terrain import Terrain
from .check import Check
from .force_checks import Forces
from .stretch import Stretch, stretches_of
from .words import sentence

_TOLD = 12  # stretches in `explain`


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """Findings about every sample of a motion.

    Attributes:
        forces: verdicts on the forces, and what was asked: motion, schedule.
        terrain: the ground; None: the plane z = 0.
        checks: {name: Check}, in the order of `LIMITS`.
    """

    forces: Forces
    terrain: Terrain | None
    checks: Mapping[str, Check]

    _repr_html_ = registry.html_of

    @property
    def motion(self) -> Motion:
        """That was asked about."""
        return self.forces.motion

    @property
    def schedule(self) -> ContactSchedule:
        """Which contacts touch when."""
        return self.forces.schedule

    # --- sample by sample --------------------------------------------------------------------

    @property
    def t(self) -> Array:
        """(n,), times [s]."""
        return self.motion.t

    @cached_property
    def good(self) -> NDArray[np.bool_]:
        """(n,), the samples that pass every check."""
        return np.asarray(~np.any([check.bad for check in self.checks.values()], axis=0))

    @property
    def margin(self) -> Array:
        """(n,), of normal force at every contact, torque limits kept [N]; nan in flight."""
        flies = ~self.schedule.touching.any(axis=1)
        return np.where(flies & self.motion.robot.is_floating, np.nan, self.forces.verdicts.margin)

    @cached_property
    def causes(self) -> tuple[str, ...]:
        """(n,), the first check that refuses each sample, "" where none does."""
        names, bad = list(self.checks), np.array([c.bad for c in self.checks.values()])
        first = np.where(bad.any(axis=0), bad.argmax(axis=0), len(names))
        return tuple([*names, ""][k] for k in first.tolist())

    @cached_property
    def force_causes(self) -> Causes:
        """Why forces do not suffice at each sample: what is missing, where, and along which
        motion."""
        return batch.causes(self.forces.verdicts, threads=self.forces.threads)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """(n,), of samples refused by "contacts" what lacks, as `contacts.batch.Cause`: "friction",
        "pull", "torsion", "bounds" or "missing"; "" of others."""
        bad = self.checks["contacts"].bad
        if not bad.any():
            return ("",) * len(bad)
        codes = self.force_causes.code.tolist()
        return tuple(
            Cause(code).name.lower() if refused else ""
            for code, refused in zip(codes, bad.tolist(), strict=True)
        )

    # --- in sum ------------------------------------------------------------------------------

    @property
    def holds(self) -> bool:
        """Whether every sample does."""
        return bool(self.good.all())

    @property
    def share(self) -> float:
        """Share of the samples that hold."""
        return float(self.good.mean())

    @property
    def shares(self) -> dict[str, float]:
        """{check: share of the samples that pass}: what forces allow, then each check alone.

        "unlimited torques": contacts, and free fall in flight; "torques": with those of the robot.
        """
        bad = {name: check.bad for name, check in self.checks.items()}
        none = np.zeros(len(self.motion), dtype=bool)
        forces = bad["contacts"] | bad.get("flight", none)
        found = {"forces, torques unlimited": forces}
        if "torques" in bad:
            found["forces and torques"] = forces | bad["torques"]
        return {name: float((~wrong).mean()) for name, wrong in (found | bad).items()}

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """The runs of samples that one check refuses, the longest first."""
        tell = partial(sentence, self.forces)
        found = [s for c in self.checks.values() for s in stretches_of(c, self.t, tell)]
        return tuple(sorted(found, key=lambda s: (-s.duration, s.start)))

    @property
    def main_cause(self) -> str:
        """The check that refuses most samples, "" where none does."""
        refused = {name: int(check.bad.sum()) for name, check in self.checks.items()}
        name = max(refused, key=refused.__getitem__)
        return name if refused[name] else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed in reading the motion, finding its contacts and their forces."""
        read, left_out = self.motion.notes, self.forces.left_out
        if left_out.any():
            samples = counted(int(np.count_nonzero(left_out)), "sample")
            what = "that no push or pull at the contacts would supply"
            read += (f"{samples}: up to {left_out.max():.1g} m/s² {what} are left out",)
        if (found := self.schedule.finding) is None:
            return read
        assumed = str(replace(found, remarks=())).splitlines()
        hovering = [str(remark) for remark in found.remarks if remark.kind == "hovers"]
        return (*read, *assumed, *hovering)  # what slides or floats the checks say

    # --- in words ----------------------------------------------------------------------------

    def __str__(self) -> str:
        n, motion = len(self.motion), self.motion
        rate = f" at {(n - 1) / motion.duration:.4g} Hz" if n > 1 else ""
        of = f"{motion.duration:.4g} s{rate} of {motion.robot.name}"
        held = f"{int(self.good.sum())} of {counted(n, 'sample')} hold"
        return f"{motion.name}: {held} ({100 * self.share:.1f} %; {of})"

    def table(self) -> str:
        """Return each check with its share, its limit and its largest value, as text."""
        lines = [f"  {'check':<12} {'holds':>7}  {'limit':<18} largest"]
        for name, check in self.checks.items():
            share = f"{100 * check.share:.1f} %"
            limit = f"{check.limit:.3g} {check.unit}" if np.isfinite(check.limit) else "–"
            lines.append(f"  {name:<12} {share:>7}  {limit:<18} {self._largest(check)}")
        return "\n".join(lines)

    def _largest(self, check: Check) -> str:
        if (worst := check.worst) is None or check.values[worst] == -np.inf:
            return "–"
        who = check.subject(worst)
        return f"{check.values[worst]:.4g} {check.unit} at {self.t[worst]:.2f} s" + (
            f", {who}" if who else ""
        )

    def explain(self, longest: int = _TOLD) -> str:
        """Return verdict, checks, and the longest stretches with their reasons, as text."""
        shares = self.shares
        forces = [f"  {name}: {100 * shares[name]:.1f} %" for name in shares if "forces" in name]
        lacking = Counter(kind for kind in self.kinds if kind)
        if lacking:
            counts = ", ".join(f"{kind} {count}" for kind, count in lacking.most_common())
            forces.append(f"  samples that contacts refuse, by what lacks: {counts}")
        told = [f"  {s.words}" for s in self.stretches[:longest]]
        more = len(self.stretches) - len(told)
        rest = [f"  … and {more} shorter ones"] if more > 0 else []
        notes = [f"  {note}" for note in self.notes]
        return "\n".join([str(self), *forces, self.table(), *told, *rest, *notes])

    def as_dict(self, longest: int | None = None) -> dict[str, Any]:
        """Return shares, checks and stretches (the longest ones) as plain values, for JSON."""
        return {
            "motion": self.motion.name,
            "robot": self.motion.robot.name,
            "samples": len(self.motion),
            "seconds": self.motion.duration,
            "holds": self.holds,
            "share": self.share,
            "shares": self.shares,
            "main_cause": self.main_cause,
            "lacking": dict(Counter(kind for kind in self.kinds if kind)),
            "notes": list(self.notes),
            "checks": {name: self._check_dict(check) for name, check in self.checks.items()},
            "stretches": [stretch.as_dict() for stretch in self.stretches[:longest]],
        }

    def _check_dict(self, check: Check) -> dict[str, Any]:
        worst = check.worst
        value = np.inf if worst is None else float(check.values[worst])
        return {
            "unit": check.unit,
            "limit": plain(check.limit),
            "share": check.share,
            "largest": plain(value),
            "at": None if worst is None else float(self.t[worst]),
            "subject": "" if worst is None else check.subject(worst),
        }

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns of `rows`."""
        return [
            "t",
            "holds",
            "cause",
            "kind",
            "margin",
            *self.checks,
            *self.schedule.contacts.names,
        ]

    def rows(self) -> Iterator[list[Any]]:
        """Yield a row for each sample: verdict, margin, values of the checks, what touches."""
        values = np.column_stack([self.margin, *(c.values for c in self.checks.values())])
        touching = self.schedule.touching.astype(int).tolist()
        verdicts = zip(self.t.tolist(), self.good, self.causes, self.kinds, strict=True)
        for (t, good, cause, kind), row, on in zip(
            verdicts, values.tolist(), touching, strict=True
        ):
            yield [t, int(good), cause, kind, *row, *on]

    def write_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write `rows` as comma-separated lines; return the path."""
        return write_csv(path, self.columns, self.rows())

    def __repr__(self) -> str:
        return f"Audit({self})"
