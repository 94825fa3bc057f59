"""Findings about a description: severity, location, message and suggested correction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Level = Literal["error", "warning", "info"]
LEVELS: tuple[Level, ...] = ("error", "warning", "info")


@dataclass(frozen=True)
class Finding:
    """A finding about a description.

    Attributes:
        level: "error": it cannot be loaded, or would load as a different robot; "warning": it
            loads, but is unphysical or will misbehave; "info": a remark.
        code: kind of finding, one word.
        message: description of the problem.
        suggestion: how to correct it.
        link, joint: the element concerned; empty when it is the whole file.
        line: line number in the file; 0 when unknown.
    """

    level: Level
    code: str
    message: str
    suggestion: str = ""
    link: str = ""
    joint: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        name = next(
            (f"{k} {n!r}: " for k, n in (("link", self.link), ("joint", self.joint)) if n), ""
        )
        hint = f" ({self.suggestion})" if self.suggestion else ""
        return f"{where}{name}{self.message}{hint}"

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary of strings and numbers, for JSON."""
        return asdict(self)


def of_level(findings: Iterable[Finding], level: Level) -> tuple[Finding, ...]:
    """Return the findings of one level."""
    return tuple(finding for finding in findings if finding.level == level)


def listed(findings: Iterable[Finding], limit: int = 20) -> str:
    """Return findings as text, one a line."""
    findings = list(findings)
    short = (replace(finding, message=_cut(finding.message, 1000)) for finding in findings[:limit])
    lines = [f"  {_cut(str(finding), 1500)}" for finding in short]
    if len(findings) > limit:
        lines.append(f"  … and {len(findings) - limit} more")
    return "\n".join(lines)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"
