"""Program of the verdict in one state, from the joints' columns, and its answer in SI units.

    S τ = −(h + Σ_k J_kᵀ f_k),      f_k the least-norm forces of `verdict`

`state_program` writes the program that `verdict.verdicts` decides, `state_answer` reads its answer.
"""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Array, Index
from .algebra import dot
from .contact_columns import contact_columns, place, scale_rows
from .verdict import INFINITE, NAN, Found

ENDLESS = float("inf")


class Whole(NamedTuple):
    """What limits contacts as a whole, G f + ε g ≤ high, each row of unit size.

    Attributes:
        G, g, high: (r, D K), (r,), (r,).
        size: (r,), of the rows of `ContactLimits.whole_rows` that they were.
    """

    G: Array
    g: Array
    high: Array
    size: Array


class Constants(NamedTuple):
    """What is the same in all states.

    Attributes:
        sizes: m, D, K, R.
        weight: the unit of force [N].
        joints: rows of those equations of motion whose torque is limited.
        rows: (m,), those without a torque; actuated: (na,), those of S.
        entries: (n,), where x is among the D K entries of the kernel.
        whole: what limits contacts as a whole.
    """

    sizes: tuple[int, int, int, int]
    weight: float
    joints: Index
    rows: Index
    actuated: Index
    entries: Index
    whole: Whole


class Workspace(NamedTuple):
    """Arrays that the kernels overwrite: see `contact_columns`, and `verdicts`."""

    J: Array
    columns: Array
    pulls: Array
    found: Found
    memory: Array


class Answer(NamedTuple):
    """What the kernel proves.

    Attributes:
        numbers: (5,): 1 holds, 0 does not, −1 not decided; ε [N]; 1 where ε is proved; what the
            proof of the first leaves open; what torques and forces leave of the equations of motion
            [N, N·m].
        axes: (1, C, 3, 3), of the contacts.
        x: (n,), least norm; forces: (K, 3), world axes; torques: (na,). Written where it holds.
        critical: (n,), x that has the margin ε.
        velocity: (nv,), −dε/dh, of the equations of motion.
        whole: (r,), multipliers of `ContactLimits.whole_rows`.
    """

    numbers: Array
    axes: Array
    x: Array
    forces: Array
    torques: Array
    critical: Array
    velocity: Array
    whole: Array


def state_program(S, T, load, bounds, frames, constants, work, program, answer):
    """Write the program of balancing a load in a state, and the contacts' axes.

    Args:
        S: (6, nv), columns of the joints about the world's origin; T: (joints, 3, 4), placements.
        load: (nv,), to be balanced; bounds: (1, R), limits of the torques of `constants.joints`.
        frames, constants: of the contacts, and of the program.
        work: Workspace.
        program: is written; answer: its axes are.
    """
    _, nv, D, K = work.columns.shape
    place(S, T, frames, answer.axes[0], work.J[0])
    contact_columns(work.J, answer.axes, frames, work.columns, work.pulls)
    flat = work.columns.reshape(1, nv, D * K)
    scale_rows(flat, work.pulls, load.reshape(1, nv), bounds, constants, program)


def state_answer(load, frames, constants, work, program, answer):
    """Write the answer: multipliers, and forces where they hold the load (nv,)."""
    _, nv, D, K = work.columns.shape
    write_multipliers(constants, work.found, program.scales, answer)
    if work.found.verdict[0, 0] > 0.0:
        flat = work.columns.reshape(nv, D * K)
        write_forces(flat, load, frames, constants, work.found.least[0], answer)


def write_multipliers(constants, found, scales, answer):
    """Write what is decided, the forces that have the margin, and its multipliers."""
    feasible, epsilon, nu = found.verdict[0, 0], found.verdict[0, 1], found.nu[0]
    numbers, velocity = answer.numbers, answer.velocity
    joints, rows, entries = constants.joints, constants.rows, constants.entries
    numbers[0], numbers[1] = feasible, epsilon * constants.weight
    numbers[2], numbers[3], numbers[4] = found.verdict[0, 2], found.verdict[0, 3], NAN
    if abs(epsilon) >= INFINITE:  # a finite number stands for it
        numbers[1] = ENDLESS if epsilon > 0 else -ENDLESS
    for j in range(len(entries)):
        answer.critical[j] = found.forces[0, entries[j]] * constants.weight
    for j in range(len(velocity)):
        velocity[j] = 0.0
    for i in range(len(rows)):
        velocity[rows[i]] = found.y[0, i] * scales[0, i]
    for i in range(len(joints)):
        velocity[joints[i]] = nu[i] * scales[1, i]
    for i in range(len(answer.whole)):
        answer.whole[i] = nu[len(joints) + i] / constants.whole.size[i]


def write_forces(columns, load, frames, constants, least, answer):
    """Write forces, torques, and what they leave of the equations of motion."""
    (_, D, K, _), weight, axes = constants.sizes, constants.weight, answer.axes[0]
    for j in range(len(answer.x)):
        answer.x[j] = least[constants.entries[j]] * weight
    for k in range(K):
        R, s, t, n = axes[frames.owner[k]], least[k], least[K + k], least[(D - 1) * K + k]
        for i in range(3):
            answer.forces[k, i] = weight * (R[i, 0] * s + R[i, 1] * t + R[i, 2] * n)
    for i in range(len(constants.actuated)):
        row = constants.actuated[i]
        answer.torques[i] = -load[row] - weight * dot(columns[row], least, D * K)
    left = 0.0
    for i in range(len(constants.rows)):
        row = constants.rows[i]
        left = max(left, abs(load[row] + weight * dot(columns[row], least, D * K)))
    answer.numbers[4] = left
