"""Saddle points of margins of many balances: ε, forces and multipliers, to rounding.

As `saddle.py` has them for one: the verdicts' kernel finds them, `kernels/saddle_refinement.py`
brings them to rounding, eight side by side; what these leave is asked one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import ContactError
from ..kernels.saddle_refinement import REFINE_MANY
from .balances import Balances
from .decision import in_pieces, kernels_for
from .problems import Layout, decided, in_newtons, refined
from .saddle import PROVEN, saddle_point

ALONE, SEVERAL, UNTOLD, NONE = range(4)  # whether the multipliers are unique, see `Saddles.kind`


@dataclass(frozen=True, eq=False)
class Saddles:
    """Optimal forces and multipliers of N margins' programs; attributes as of `Saddle`.

    Attributes:
        margin: ε (N,) [N], ∓inf as in `Hold`; nan where it is not found.
        unknowns: x (N, n), as in `Balance`, of what the cones are asked of [N].
        velocity: y = dε/dh (N, nv).
        whole: (N, r), the multipliers of `ContactLimits.whole_rows`.
        others: (N, n), a direction, of the size of the weight, along which x stays optimal; zero,
            but for rounding, where no other forces are; nan where that is not told.
        kind: (N,), ALONE: no other multipliers do; SEVERAL: others do too; UNTOLD: one of these;
            NONE: there are none, what is above is nan.
    """

    margin: Array
    unknowns: Array
    velocity: Array
    whole: Array
    others: Array
    kind: NDArray[np.int8]

    @classmethod
    def of(cls, balances: Balances, threads: int = 1) -> Saddles:
        """Return the saddle points of some balances, of a robot without closures."""
        first, count, layout = balances.first, len(balances), balances.first.layout
        widths = first.columns.shape[1], len(first.load), len(first.limits.whole_rows.b)
        x, y, whole = (np.full((count, width), np.nan) for width in widths)
        kind = np.full(count, NONE, dtype=np.int8)
        out = cls(np.full(count, np.nan), x, y, whole, x.copy(), kind)
        known = balances.known()

        def answer(start: int, stop: int) -> None:
            chunk, answers = balances.part(start, stop), out.part(slice(start, stop))
            kernels = kernels_for(count - start) if known else None
            refine = REFINE_MANY.select(max(count - start, 2)) if kernels is not None else None
            open_ = np.ones(stop - start, dtype=bool)
            if kernels is not None and refine is not None:
                open_ = answers._write_refined(kernels, refine, chunk, layout)
            for i in np.flatnonzero(open_).tolist():
                answers._write_one(chunk, i)

        in_pieces(balances, threads, "margins", answer)
        return out

    def part(self, rows: slice) -> Saddles:
        """Return views of some."""
        return Saddles(*[getattr(self, f.name)[rows] for f in fields(Saddles)])

    def clear(self, rows: NDArray[np.bool_], value: float) -> None:
        """Put a value in the place of all numbers of some."""
        for values in (self.margin, self.unknowns, self.velocity, self.whole, self.others):
            values[rows] = value

    def _write_refined(
        self, kernels: Any, refine: Any, balances: Balances, layout: Layout
    ) -> NDArray[np.bool_]:
        """Write what the kernels prove; return (N,) which are left."""
        _, problems = balances.problems(layout, kernels)
        found = decided(kernels.verdicts, problems.program, layout.sizes)
        proofs = refined(refine, problems.program, layout.sizes, found)
        margin, proved = in_newtons(found.verdict[:, 1], layout.weight), found.verdict[:, 2] > 0
        finite = proved & np.isfinite(margin) & (proofs[:, 1] <= PROVEN)
        endless = proved & np.isinf(margin)
        self.margin[:] = np.where(finite, proofs[:, 0] * layout.weight, margin)
        self.unknowns[finite] = found.forces[finite][:, layout.entries] * layout.weight
        self.others[finite] = found.least[finite][:, layout.entries] * layout.weight
        self.velocity[finite] = -problems.velocity(found.y[finite], found.nu[finite])
        self.whole[finite] = problems.of_whole(found.nu[finite])
        self.kind[finite] = np.where(proofs[finite, 2] > 0, ALONE, SEVERAL)
        return np.asarray(~(finite | endless))

    def _write_one(self, balances: Balances, i: int) -> None:
        """Write one answer by the way that a single margin takes."""
        balance = balances.at(i)
        try:
            found = saddle_point(balance)
        except ContactError:
            self.margin[i] = balance.margin().value
            return
        alone = {True: ALONE, False: SEVERAL, None: UNTOLD}
        self.margin[i], self.kind[i] = found.margin, alone[found.alone]
        self.unknowns[i], self.velocity[i] = found.unknowns, found.velocity
        self.whole[i] = found.whole
