"""Contact wrenches along time: what the ground did to a robot, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts import ContactSchedule, ContactSet, audit
from ...contacts.audits.audit import Audit
from ...contacts.audits.check import LIMITS
from ...contacts.equilibrium.balance import weight
from ...contacts.friction_used import friction_used
from ...contacts.motion_verdicts import about_com
from ...dynamics import State, batch
from ...dynamics.motions.motion import Motion
from ...dynamics.motions.sampled_states import SampledStates
from ...files import as_path, write_csv
from .wrench_fit import normal_std

WRONG = 2.0  # a misfit that noise alone does not explain
LIGHT = 1e-3  # normal force up to which nothing presses, in weights


@dataclass(frozen=True, eq=False, repr=False)
class ContactWrenches(SampledStates):
    """Contact wrenches over time, at n times half-way between the samples of a log.

    Besides robot, times, and the estimated q and v:

    Attributes:
        a: (n, nv), accelerations, low-passed.
        contacts: C of them.
        touching: (n, C), which of them touched; the filter lets w rise a little before a landing.
        w: (n, dim), in the rows of the contacts' J, world axes: forces of points, [force; moment]
            of surfaces about their centres; 0 of what does not push [N, N·m].
        covariance: (n, dim, dim), of w, without the information in the limits of the contacts.
        limited: (n,), whether these limits changed w.
        misfit: (n,), √(eᵀΣ⁻¹e / k) of what w leaves of r, e = r − Jᵀw, with k = nv − the rows of
            contacts that push: about 1 where the model of the robot, the contacts and the sensors'
            noise are right, larger where they are not.
        cutoff: of the low-pass filter [Hz].
        notes: what is to be said of the log, in words.
    """

    a: Array
    contacts: ContactSet
    touching: NDArray[np.bool_]
    w: Array
    covariance: Array
    limited: NDArray[np.bool_]
    misfit: Array
    cutoff: float
    notes: tuple[str, ...] = field(default=())

    # --- by contact ------------------------------------------------------------------------------

    @cached_property
    def forces(self) -> dict[str, Array]:
        """{contact: (n, 3)}, in world axes [N]."""
        return {name: self.w[:, rows][:, :3] for name, rows in self._rows.items()}

    @cached_property
    def std(self) -> dict[str, Array]:
        """{contact: (n, dim)}, standard deviations of its rows of w."""
        spread = np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))
        return {name: spread[:, rows] for name, rows in self._rows.items()}

    @cached_property
    def normal_std(self) -> dict[str, Array]:
        """{contact: (n,)}, standard deviations of the normal forces [N]."""
        normals = self._placed[0][:, :, :, 2]
        found = normal_std(self.contacts, normals, self.covariance)
        return dict(zip(self.contacts.names, found.T, strict=True))

    @cached_property
    def local(self) -> dict[str, Array]:
        """{contact: (n, 6)}, [force; moment] about its centre in the contact's own axes, the third
        one the normal [N, N·m]."""
        axes, _, selected = self._placed
        both = (selected.transpose(0, 2, 1) @ self.w[:, :, None]).reshape(len(self), -1, 2, 3)
        turned = (both @ axes).reshape(len(self), -1, 6)
        return dict(zip(self.contacts.names, turned.transpose(1, 0, 2), strict=True))

    @cached_property
    def centres(self) -> dict[str, Array]:
        """{contact: (n, 3)}, where its force acts: points, and the centres of pressure of surfaces,
        world [m]; nan where nothing presses."""
        axes, places, _ = self._placed
        found = {}
        for k, (name, local) in enumerate(self.local.items()):
            normal = np.where(local[:, 2] > LIGHT * weight(self.robot), local[:, 2], np.nan)
            arm = np.stack([-local[:, 4] / normal, local[:, 3] / normal, 0 * normal], axis=1)
            found[name] = places[:, k] + (axes[:, k] @ arm[:, :, None])[:, :, 0]
        return found

    @cached_property
    def friction_used(self) -> dict[str, Array]:
        """{contact: (n,)}, ‖(f_1/μ_1, f_2/μ_2)‖/f_n of its whole force; nan where it does not
        touch."""
        limits, found = self.contacts.limits, {}
        for k, (name, local) in enumerate(self.local.items()):
            mu = limits.friction[limits.first[k]]
            share = friction_used(local[:, :3], mu, weight(self.robot))
            found[name] = np.where(self.touching[:, k], share, np.nan)
        return found

    @cached_property
    def axes(self) -> dict[str, Array]:
        """{contact: (n, 3, 3)}, its axes as columns, the third one the normal, world axes."""
        return dict(zip(self.contacts.names, self._placed[0].swapaxes(0, 1), strict=True))

    @property
    def lowest(self) -> float:
        """Lowest height of any contact [m]."""
        return float(self._placed[1][:, :, 2].min())

    @cached_property
    def _rows(self) -> dict[str, slice]:
        return {name: self.contacts.rows(name) for name in self.contacts.names}

    @cached_property
    def _placed(self) -> tuple[Array, Array, Array]:
        """Axes (n, C, 3, 3) and centres (n, C, 3) of the contacts, and P (n, dim, 6C) of which J is
        rows."""
        at, states = self.contacts.attachment, [State(self.robot, q) for q in self.q]
        every = ((at.rotations(x), at.positions(x), at.selection(x)) for x in states)
        axes, places, selected = map(np.array, zip(*every, strict=True))
        return axes, places, selected

    # --- beside what contacts can do -------------------------------------------------------------

    @cached_property
    def motion(self) -> Motion:
        """The estimated motion."""
        return Motion(self.robot, self.t, self.q, self.v, self.a, "log", self.notes)

    @cached_property
    def schedule(self) -> ContactSchedule:
        """Which contacts touch when."""
        return ContactSchedule(self.contacts, self.t, self.touching, np.ones(self.touching.shape))

    @cached_property
    def unexplained(self) -> Array:
        """(n, 6), [force; moment about the centre of mass] on the robot that contacts leave of what
        its motion takes, world axes [N, N·m]."""
        return self._left(np.ones_like(self.touching))

    def _left(self, which: NDArray[np.bool_]) -> Array:
        """What these contacts (n, C) leave (n, 6)."""
        robot, com = self.robot, batch.com(self.robot, self.q)
        left = about_com(robot, self.q, batch.inverse_dynamics(robot, self.q, self.v, self.a))
        axes, places, _ = self._placed
        for k, local in enumerate(self.local.values()):
            own = (axes[:, k, None] @ local.reshape(-1, 2, 3, 1))[..., 0] * which[:, k, None, None]
            left[:, :3] -= own[:, 0]
            left[:, 3:] -= own[:, 1] + np.cross(places[:, k] - com, own[:, 0])
        return left

    @cached_property
    def audit(self) -> Audit:
        """Audit of the motion that took place: the margin of the contacts that touched, given the
        wrench that they do not explain. None of the other checks refuses anything."""
        free = {name: np.inf for name in LIMITS if name != "contacts"}
        return audit(
            self.motion, self.schedule, wrenches=self._left(self.touching), torque_limits=False,
            self_collision=False, limits=free,
        )  # fmt: skip

    # --- in sum ----------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Return the figures of `explain` as plain values, for JSON."""
        audit, per_contact = self.audit, {}
        known = audit.margin[np.isfinite(audit.margin)]
        for k, (name, local) in enumerate(self.local.items()):
            on = self.touching[:, k]
            used = self.friction_used[name][np.isfinite(self.friction_used[name])]
            per_contact[name] = {
                "touches": float(on.mean()),
                "mean_normal": float(local[on, 2].mean()) if on.any() else None,
                "largest_normal": float(local[on, 2].max()) if on.any() else None,
                "normal_std": float(self.normal_std[name][on].mean()) if on.any() else None,
                "friction_used": float(np.quantile(used, 0.99)) if len(used) else None,
            }
        return {
            "robot": self.robot.name,
            "samples": len(self),
            "seconds": self.duration,
            "rate": self.rate,
            "cutoff": self.cutoff,
            "weight": weight(self.robot),
            "contacts": per_contact,
            "at_limits": float(self.limited.mean()),
            "misfit": float(np.sqrt((self.misfit**2).mean())),
            "unexplained": [float(x) for x in self.unexplained[:, :3].mean(axis=0)],
            "margin": [float(known.min()), float(np.median(known))] if len(known) else [],
            "notes": list(self.notes),
        }

    def explain(self) -> str:
        """Return what was found, contact by contact, and how well it fits, as text."""
        facts = self.as_dict()
        newtons = facts["weight"]
        lines = [
            f"{facts['robot']}: {facts['seconds']:.4g} s at {facts['rate']:.4g} Hz, "
            f"below {self.cutoff:g} Hz; it weighs {newtons:.4g} N"
        ]
        lines += [f"  {name}: {_words(of)}" for name, of in facts["contacts"].items()]
        x, y, z = (100 * part / newtons for part in facts["unexplained"])
        lines.append(
            f"  misfit {facts['misfit']:.3g} (1: as the sensors' noise); on average "
            f"({x:.1f}, {y:.1f}, {z:.1f}) % of the weight are left unexplained"
        )
        if facts["misfit"] > WRONG:
            lines.append(
                "  the readings contradict the model: wrong masses, what pushes elsewhere, or "
                "sensors that are worse than was told"
            )
        if facts["margin"]:
            least, median = facts["margin"]
            lines.append(
                f"  margin of normal force at every contact: {least:.4g} N at least, "
                f"{median:.4g} N as median"
            )
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def write_csv(self, path: str | Path) -> Path:
        """Write a row a sample: t, the margin, misfit, and of each contact whether it touches, its
        rows of w, their standard deviations, and where its force acts; return the path.

        Raises:
            FootworkError: the file cannot be written; one that was there is kept.
        """
        path, names = as_path(path), ["t", "margin", "misfit"]
        table = [self.t, self.audit.margin, self.misfit]
        for k, (name, contact) in enumerate(zip(self.contacts.names, self.contacts, strict=True)):
            rows = [f"{part}{axis}" for part in "fm" for axis in "xyz"]
            rows = rows if contact.dim == 6 else [*rows[:3], *_MORE[contact.dim]]
            names += [f"{name}.touches"]
            names += [f"{name}.{row}" for row in rows] + [f"{name}.std.{row}" for row in rows]
            names += [f"{name}.{axis}" for axis in "xyz"]
            table += [
                self.touching[:, k].astype(float),
                *self.w[:, self._rows[name]].T,
                *self.std[name].T,
            ]
            table += [*self.centres[name].T]
        return write_csv(path, names, np.column_stack(table).tolist())

    def __repr__(self) -> str:
        lasts = f"{len(self)} samples over {self.duration:.4g} s"
        return f"ContactWrenches({self.robot.name!r}, {lasts}, {list(self.contacts.names)})"


def _words(of: dict[str, Any]) -> str:
    """The figures of a contact."""
    if of["mean_normal"] is None:
        return "never touches"
    used = of["friction_used"]
    slides = "" if used is None else f", uses {100 * used:.0f} % of its friction"
    return (
        f"touches {100 * of['touches']:.0f} %, presses by {of['mean_normal']:.4g} N, at most "
        f"{of['largest_normal']:.4g} N, ± {of['normal_std']:.2g} N{slides}"
    )


# rows of a contact's w after its force, by how many rows it has
_MORE = {3: (), 4: ("mn",), 5: ("my", "mz")}
