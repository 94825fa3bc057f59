"""Table of audited motions, those of which least holds first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ... import registry
from ...files import write_csv
from .audit import Audit
from .check import LIMITS


class Row(NamedTuple):
    """What an audit found about a file.

    Attributes:
        file: its path.
        samples, seconds: of the motion.
        share: of the samples that hold; −1 where there is no audit.
        shares: as `Audit.shares`.
        main_cause: the check that refuses most samples.
        longest: the duration of the longest refused stretch [s].
        words: about that stretch.
        error: why there is no audit.
    """

    file: str
    samples: int = 0
    seconds: float = 0.0
    share: float = -1.0
    shares: dict[str, float] = {}  # noqa: RUF012 (nobody writes to it)
    main_cause: str = ""
    longest: float = 0.0
    words: str = ""
    error: str = ""

    @classmethod
    def of(cls, file: str, audit: Audit) -> Row:
        """Return the row of an audit."""
        motion, stretches = audit.motion, audit.stretches
        longest = stretches[0].duration if stretches else 0.0
        words = stretches[0].words if stretches else ""
        size = len(motion), motion.duration
        return cls(file, *size, audit.share, audit.shares, audit.main_cause, longest, words)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return self._asdict()


@dataclass(frozen=True, eq=False, repr=False)
class AuditTable:
    """The audits of many files.

    Attributes:
        robot: its name.
        rows: in the order of the files.
    """

    robot: str
    rows: tuple[Row, ...]

    _repr_html_ = registry.html_of

    @cached_property
    def worst_first(self) -> tuple[Row, ...]:
        """The rows, those of which least holds first, then those with the longest stretch; errors
        last."""
        return tuple(sorted(self.rows, key=lambda r: (bool(r.error), r.share, -r.longest, r.file)))

    @property
    def failed(self) -> tuple[Row, ...]:
        """The rows of files that could not be read."""
        return tuple(row for row in self.rows if row.error)

    @property
    def holds(self) -> bool:
        """Whether every sample of every file does."""
        return all(row.share == 1.0 for row in self.rows)

    @property
    def share(self) -> float:
        """Share of all samples that hold."""
        samples = sum(row.samples for row in self.rows)
        held = sum(row.share * row.samples for row in self.rows if not row.error)
        return held / samples if samples else 0.0

    def __str__(self) -> str:
        total, whole = len(self.rows), sum(row.share == 1.0 for row in self.rows)
        head = f"{whole} of {total} motions of {self.robot} hold; {100 * self.share:.1f} % of all"
        unread = f", {len(self.failed)} could not be read" if self.failed else ""
        return f"{head} {sum(row.samples for row in self.rows)} samples{unread}"

    def table(self) -> str:
        """Return the rows as text."""
        names = _short_names([row.file for row in self.worst_first])
        width = max(map(len, names))
        lines = [f"  {'motion':<{width}} {'holds':>7} {'longest':>8}  main cause"]
        for name, row in zip(names, self.worst_first, strict=True):
            if row.error:
                lines.append(f"  {name:<{width}} not read: {row.error}")
                continue
            longest = f"{row.longest:.2f} s" if row.longest else "–"
            cause = f"{row.main_cause:<12} {row.words}".rstrip()
            held = f"{100 * row.share:5.1f} %"
            lines.append(f"  {name:<{width}} {held} {longest:>8}  {cause}".rstrip())
        return "\n".join(lines)

    def explain(self) -> str:
        """Return summary and rows as text."""
        return f"{self}\n{self.table()}"

    def as_dict(self) -> dict[str, Any]:
        """Return the rows as plain values, for JSON."""
        rows = [row.as_dict() for row in self.worst_first]
        return {"robot": self.robot, "share": self.share, "holds": self.holds, "motions": rows}

    @property
    def columns(self) -> list[str]:
        """Names of the columns of `cells`."""
        kinds = ["forces, torques unlimited", "forces and torques", *LIMITS]
        numbers = ["samples", "seconds", "share"]
        return ["file", *numbers, "main_cause", "longest", *kinds, "words", "error"]

    def cells(self) -> Iterator[list[Any]]:
        """Yield the cells of each row, worst first; shares that were not computed are empty."""
        for row in self.worst_first:
            known = row.as_dict() | row.shares | ({"share": ""} if row.error else {})
            yield [known.get(name, "") for name in self.columns]

    def write_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the table as comma-separated lines; return the path."""
        return write_csv(path, self.columns, self.cells())

    def __repr__(self) -> str:
        return f"AuditTable({self})"


def _short_names(files: list[str]) -> list[str]:
    """Paths without the folder that all of them are in."""
    folder = os.path.commonpath([os.path.dirname(file) or "." for file in files] or ["."])
    return [os.path.relpath(file, folder) for file in files]
