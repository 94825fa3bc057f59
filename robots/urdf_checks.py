"""From findings to a refusal."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import ModelError
from .findings import Finding, listed, of_level


class Refused(ModelError):
    """A description that was understood, and refused; `findings` has all that was found."""

    def __init__(self, origin: str, findings: tuple[Finding, ...], reasons: int) -> None:
        super().__init__(f"{origin}: not a robot that can be loaded:\n{listed(findings[:reasons])}")
        self.findings = findings


def refuse_errors(findings: Iterable[Finding], origin: str, strict: bool) -> None:
    """Raise `Refused` if there are errors; or, if `strict`, warnings."""
    findings = tuple(findings)
    reasons = of_level(findings, "error") + (of_level(findings, "warning") if strict else ())
    if reasons:
        others = tuple(finding for finding in findings if finding not in reasons)
        raise Refused(origin, reasons + others, len(reasons))
