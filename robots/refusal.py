"""Refusal of descriptions with errors."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import ModelError
from .findings import Finding, Level, listed, of_level


class Refused(ModelError):
    """A description refused because of its `findings`."""

    def __init__(self, origin: str, findings: tuple[Finding, ...], reasons: int) -> None:
        super().__init__(f"{origin}: cannot be loaded as a robot:\n{listed(findings[:reasons])}")
        self.findings = findings


def refuse_errors(findings: Iterable[Finding], origin: str, strict: bool) -> None:
    """Raise `Refused` if there are errors or, with `strict`, warnings."""
    findings = tuple(findings)
    levels: tuple[Level, ...] = ("error", "warning") if strict else ("error",)
    reasons = tuple(finding for level in levels for finding in of_level(findings, level))
    if reasons:
        others = tuple(finding for finding in findings if finding.level not in levels)
        raise Refused(origin, reasons + others, len(reasons))
