"""Audits as animations: the robot coloured where it does not hold, forces by margin, reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...contacts.audits.audit import Audit
from ...contacts.equilibrium.balance import weight
from ...contacts.friction_used import friction_used
from ...dynamics.motions.motion import Motion
from ...dynamics.state import State
from ..colors import cause_color, ramp_color
from ..viewer import Band, ColorRamp, Series, Viewer
from .motion import scale_of
from .terrain import draw_terrain, look_past

RATE = 30.0  # pictures a second
_FORCES = ("contacts", "torques", "flight")  # checks of forces; the others are of the motion alone
_TOLD = 300  # stretches whose reasons a page has: each is a verdict of its own


def view_audit(
    audit: Audit, *, rate: float = RATE, scale: float | None = None, detail: float = 0.0
) -> Viewer:
    """Return a Viewer that plays the motion, the robot coloured by cause where it does not hold.

    What touches, and the forces that do the motion where it holds, have the colours of the margin.
    Below are contacts, margin, torques and friction used, and what refuses, over time; the reason
    is written while a sample does not hold.

    Args:
        audit: of `contacts.audit`.
        rate: pictures a second, at most [Hz].
        scale: length of an arrow [m/N]; the robot's weight is 0.8 of its height when not given.
        detail: as for `Viewer` [m].
    """
    viewer = stage_of(audit, detail)
    animate_audit(viewer, audit, series_of(audit), rate, scale)
    return viewer


def stage_of(audit: Audit, detail: float) -> Viewer:
    """Return a Viewer of the audit's robot, and of its ground."""
    motion = audit.motion
    title = f"{motion.name} · {motion.robot.name}"
    ground = 0.0 if audit.terrain is None else None
    viewer = Viewer(motion.robot, ground=ground, title=title, detail=detail)
    if audit.terrain is not None:
        draw_terrain(viewer, audit.terrain, motion.q[0][:3])
    return viewer


def animate_audit(
    viewer: Viewer,
    audit: Audit,
    series: Sequence[Series],
    rate: float,
    scale: float | None,
    also: Callable[[int], None] | None = None,
) -> None:
    """Let the viewer play an audit's motion over these series, with a legend.

    `also` draws more into each picture.
    """
    rows, ramp = picture_rows(audit.motion, rate), margin_ramp_of(audit)
    length = scale_of(viewer, audit.motion.robot, scale)

    def draw(i: int) -> None:
        _draw_contacts(viewer, audit, int(rows[i]), ramp, length)
        if also is not None:
            also(i)

    causes = [audit.causes[row] for row in rows]
    viewer.animate(
        audit.t[rows],
        audit.motion.q[rows],
        draw=draw,
        tint=[cause_color(cause) if cause else None for cause in causes],
        series=series,
    )
    lines: dict[str, Any] = {words: tone for tone, words in causes_by_color(audit).items()}
    viewer.legend(f"{100 * audit.share:.3g} % hold", lines, ramp=ramp)
    if audit.terrain is not None:
        look_past(viewer, audit.terrain, audit.motion.q[rows[::10], :3])


def causes_by_color(audit: Audit) -> dict[str, str]:
    """Return {colour: "refused by: …"}, of the checks that are the cause at some sample."""
    found: dict[str, list[str]] = {}
    for name in audit.checks:
        if name in audit.causes:
            found.setdefault(cause_color(name), []).append(name)
    return {tone: f"refused by: {', '.join(names)}" for tone, names in found.items()}


def picture_rows(motion: Motion, rate: float) -> Index:
    """Return the samples of pictures, at most `rate` a second [Hz], the last one included."""
    spacing = max(1, round(len(motion) / max(motion.duration * rate, 1.0)))
    return np.unique(np.append(np.arange(0, len(motion), spacing), len(motion) - 1))


def _draw_contacts(viewer: Viewer, audit: Audit, row: int, ramp: ColorRamp, length: float) -> None:
    """Draw balls at the points that touch, and the force on each foot, in the margin's colour."""
    contacts, verdicts = audit.schedule.contacts, audit.forces.verdicts
    color, owner = ramp_color(ramp, float(audit.margin[row])), contacts.limits.owner
    points = contacts.attachment.world_points(State(audit.motion.robot, audit.motion.q[row]))
    for k in np.flatnonzero(audit.schedule.touching[row][owner]):
        viewer.point(f"touching/{k}", points[k], color=color, radius=0.009 * viewer.scale)
    for foot, columns in contacts.wholes.items():
        mine = np.isin(owner, columns)
        presses, force = verdicts.forces[row][mine, 2], verdicts.world_forces[row][mine]
        if audit.good[row] and np.isfinite(force).all() and presses.sum() > 0:
            centre = presses @ points[mine] / presses.sum()
            vector = length * force.sum(axis=0)
            viewer.arrow(f"forces/{foot}", centre, vector, color=color, on_top=True)


# --- what is plotted -----------------------------------------------------------------------------


def series_of(audit: Audit) -> list[Series]:
    """Return contacts, margin, shares of limits, and what refuses, over time."""
    t, bands = audit.t, _bands(audit)
    touching = {foot: share > 0 for foot, share in touching_feet(audit).items()}
    refused = {name: check.bad for name, check in audit.checks.items() if check.bad.any()}
    colors = {name: cause_color(name) for name in refused}
    margin, span = {"margin": audit.margin}, margin_span(audit)
    shown = [
        Series("contacts", t, touching),
        Series("margin", t, margin, "N", bands[True], [0.0], span),
        Series("used", t, used(audit), "of limit", (), [1.0], (0.0, 1.25)),
        Series("refused by", t, refused, "", bands[False], colors=colors),
    ]
    return [series for series in shown if series.values]


def _bands(audit: Audit) -> dict[bool, list[Band]]:
    """The stretches with their reasons, of forces (True) and of the motion alone."""
    found: dict[bool, list[Band]] = {True: [], False: []}
    for i, stretch in enumerate(audit.stretches):
        text = stretch.words if i < _TOLD else stretch.check
        half = stretch.duration / 2
        middle = (stretch.start + stretch.end) / 2
        band = Band(middle - half, middle + half, text, cause_color(stretch.check))
        found[stretch.check in _FORCES].append(band)
    return found


def touching_feet(audit: Audit) -> Mapping[str, Array]:
    """Return {foot: (n,)}, the share of its contacts that touch, of feet that ever do."""
    touching, feet = audit.schedule.touching, audit.schedule.contacts.wholes
    shares = {foot: touching[:, some].mean(axis=1) for foot, some in feet.items()}
    return {foot: share for foot, share in shares.items() if share.any()}


def used(audit: Audit) -> dict[str, Array]:
    """Return {"torques", "friction": (n,)}, the largest share of its limit that any uses [-].

    Torques: at least, with the forces that spare them most. Friction: ‖(f_1/μ_1, f_2/μ_2)‖/f_n of
    a foot's whole force, of the least forces that do the motion. nan where there are none.
    """
    contacts, found = audit.schedule.contacts, {}
    if "torques" in audit.checks:
        found["torques"] = audit.checks["torques"].values
    feet = [np.isin(contacts.limits.owner, columns) for columns in contacts.wholes.values()]
    if feet:
        found["friction"] = _largest(np.stack([_friction(audit, mine) for mine in feet], axis=1))
    return found


def _friction(audit: Audit, points: NDArray[np.bool_]) -> Array:
    """(n,), that the whole force on some points with common axes uses; nan where none presses."""
    verdicts = audit.forces.verdicts
    force, mu = verdicts.forces[:, points].sum(axis=1), verdicts.friction[:, points][:, 0]
    return friction_used(force, mu, weight(audit.motion.robot))


def _largest(table: Array) -> Array:
    """Of each row (n, m), nan where there is none."""
    known = np.where(np.isnan(table), -np.inf, table).max(axis=1, initial=-np.inf)
    return np.where(np.isneginf(known), np.nan, known)


def margin_ramp_of(audit: Audit) -> ColorRamp:
    """Return the colours of a margin: red at 0, green at a twentieth of a foot's share of m g."""
    return ColorRamp(0.0, _share(audit) / 20, "normal force that may go", "N")


def _share(audit: Audit) -> float:
    """Of the weight, that each of the feet carries [N]."""
    return weight(audit.motion.robot) / max(len(touching_feet(audit)), 1)


def margin_span(*audits: Audit) -> tuple[float, float]:
    """Return the ends of the margins' axis [N]: beyond what a foot carries they are cut."""
    most = max(map(_share, audits))
    known = np.concatenate([[0.0], *(a.margin[np.isfinite(a.margin)] for a in audits)])
    known = np.clip(known, -most, most)
    room = 0.05 * max(float(np.ptp(known)), most / 20)
    return float(known.min()) - room, float(known.max()) + room
