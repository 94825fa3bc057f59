"""Agreement of the sensors of a log with each other, whatever the masses of the robot are.

Encoders tell positions and velocities. Feet that stand show how the base turns, by the encoders
alone: J v = 0 with v = (v_b, ω, q̇), so that the least squares of J_b (v_b, ω) = −J_q q̇ over all
feet that stand, without v_b, are

    S ω = s,    S = N_ωω − N_ωv N_vv⁻¹ N_vω,    N = J_bᵀ J_b.

A gyroscope tells ω_g = ω + b. The K (3, 3) of ω = K ω_g + c that fits these best is 1 where its
axes, signs and units are right. Where it is late, readings of another time fit better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from .low_pass import filtered, gaussian

CUTOFF = 10.0  # of what is compared [Hz]
APART = 0.3  # share by which velocities differ from what positions do
MOVES, SLOW = 0.02, 0.1  # of a joint that moves: its way [rad or m], its velocity [rad/s or m/s]
STUCK = 0.25  # while joints move, no reading is the same for so long [s]
SETTLED = 0.03  # feet slip and roll that landed so short ago, or are to leave so soon [s]
LATEST, NOTICED = 0.06, 0.004  # delays that are looked for, and that are told [s]
LESS = 30.0  # by how much smaller χ² has to be with the readings of another time
LEAST = 0.5  # share of the turning of the base that a gyroscope tells at least
SURE = 3.0  # standard deviations
ENOUGH = 12.0  # independent samples: as many as unknowns


def few(found: Iterable[str]) -> Iterator[str]:
    """Yield the first two of what is alike, and how many more there are."""
    told = list(found)
    yield from told[:2]
    if len(told) > 2:
        yield f"and {len(told) - 2} more like {told[1].split(':')[0]}"


def encoder_doubts(t: Array, ways: Array, v: Array, names: Sequence[str]) -> Iterator[str]:
    """Yield which velocities contradict the positions, in words.

    Args:
        t: (n,) [s].
        ways: (n, k), how far the joints have moved.
        v: (n, k), as told.
        names: of the joints.
    """
    h = float(np.median(np.diff(t)))
    weights = gaussian(1 / h, min(CUTOFF, 0.4 / h))
    shown, told = (filtered(x, weights) for x in (np.gradient(ways, t, axis=0), v))
    sizes = [np.sqrt((x**2).mean(axis=0)) for x in (shown, told, shown - told)]
    most = np.maximum(sizes[0], sizes[1])
    for i in np.flatnonzero((sizes[2] > APART * most) & (most > SLOW)).tolist():
        rates = ", ".join(f"{size[i]:.2g}" for size in sizes)
        yield f"{names[i]}: q changes by, v tells, and both differ by {rates} /s (rms)"


def stuck_doubts(t: Array, x: Array, ways: Array, names: Sequence[str]) -> Iterator[str]:
    """Yield which readings x (n, k) stay the same while their joints, ways (n, k), move."""
    for column, way, name in zip(x.T, ways.T, names, strict=True):
        ends = np.concatenate([[0], 1 + np.flatnonzero(np.diff(column)), [len(t)]])
        longest = int(np.diff(ends).argmax())
        run = slice(ends[longest], ends[longest + 1])
        begin, end = t[run][[0, -1]]
        if end - begin > STUCK and np.ptp(way[run]) > MOVES:
            yield f"{name}: it stays at {column[run][0]:.3g} from {begin:.4g} to {end:.4g} s"


class Turning(NamedTuple):
    """How feet that stand show that the base turns, S ω = s in its axes: (n, 3, 3), (n, 3)."""

    S: Array
    s: Array

    @classmethod
    def of(cls, contacts: ContactSet, q: Array, rates: Array, stand: NDArray[np.bool_]) -> Turning:
        """Return that of q (n, nq), rates of the joints, and which contacts stand (n, C)."""
        dims = np.array([contact.dim for contact in contacts])
        S, s = np.zeros((len(q), 3, 3)), np.zeros((len(q), 3))
        for i in np.flatnonzero(stand @ dims >= 6):
            J = contacts.attachment.jacobian(State(contacts.robot, q[i]))[np.repeat(stand[i], dims)]
            N, b = J[:, :6].T @ J[:, :6], -J[:, :6].T @ (J[:, 6:] @ rates[i])
            along = N[3:, :3] @ np.linalg.inv(N[:3, :3])
            S[i], s[i] = N[3:, 3:] - along @ N[:3, 3:], b[3:] - along @ b[:3]
        return cls(S, s)

    def gain(self, told: Array, count: float) -> tuple[Array, Array, float]:
        """Return K (3, 3), its standard deviations, and the χ² of what it leaves.

        Args:
            told: (n, 3), by a gyroscope, in the axes of the base.
            count: of the samples that are independent.
        """
        G = np.column_stack([told, np.ones(len(told))])
        A = np.einsum("nab,nc,nd->acbd", self.S, G, G, optimize=True).reshape(12, 12)
        b = np.einsum("na,nc->ac", self.s, G).ravel()
        P = np.linalg.inv(A + 1e-12 * np.trace(A) * np.eye(12))  # also where nothing turns
        x, every = P @ b, np.linalg.pinv(self.S, rcond=1e-9, hermitian=True)
        left = np.einsum("na,nab,nb->", self.s, every, self.s, optimize=True) - x @ b
        std = np.sqrt(np.maximum(left / count * np.diag(P), 0.0))
        return x.reshape(3, 4)[:, :3], std.reshape(3, 4)[:, :3], float(left)


def imu_doubts(
    contacts: ContactSet,
    q: Array,
    rates: Array,
    gyro: Array,
    touching: NDArray[np.bool_],
    imu: Array,
    h: float,
) -> Iterator[str]:
    """Yield how an IMU contradicts the feet that stand, in words.

    Args:
        contacts: C of them.
        q, rates: (n, nq), and of the joints (n, nv − 6), by the encoders.
        gyro: (n, 3), in the axes of the IMU [rad/s].
        touching: (n, C).
        imu: its axes in those of the base (3, 3).
        h: between two samples [s].
    """
    weights, most = gaussian(1 / h, min(CUTOFF, 0.4 / h)), round(LATEST / h)
    around = np.ones((2 * round(SETTLED / h) + 1, 1))
    stand = scipy.ndimage.binary_erosion(touching, around, border_value=1)
    stand[:most], stand[len(stand) - most :] = False, False  # readings of other times are there
    shown, told = Turning.of(contacts, q, filtered(rates, weights), stand), filtered(gyro, weights)
    shown = Turning(imu.T @ shown.S @ imu, shown.s @ imu)
    count = float((weights**2).sum() * np.count_nonzero(shown.s.any(axis=1)))
    if count < ENOUGH:
        return
    fits = [shown.gain(np.roll(told, -lag, axis=0), count) for lag in range(-most, most + 1)]
    best = min(range(len(fits)), key=lambda i: fits[i][2])
    gain, late = (fits[i][2] for i in (most, best)), (best - most) * h
    now, least = gain
    if abs(late) >= NOTICED and count * (now - least) > LESS * least:
        yield (
            f"IMU: about {1e3 * abs(late):.0f} ms {'late' if late > 0 else 'early'} beside the "
            "encoders, by how feet that stand show the base to turn"
        )
    else:
        best = most
    K, std, _ = fits[best]
    for i, axis in enumerate("xyz"):
        j = int(np.abs(K[i]).argmax())
        if K[i, i] + SURE * std[i, i] < LEAST:
            other = "" if i == j else f", and by {K[i, j]:.2g} of gyro.{'xyz'[j]}"
            yield (
                f"gyro.{axis}: feet that stand show the base to turn by {K[i, i]:.2g} of it{other};"
                " expected 1"
            )
