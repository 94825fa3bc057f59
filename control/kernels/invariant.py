# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call"
"""Contact-aided invariant Kalman filter: prediction by an IMU, correction by legs that stand.

The state X = (R, v, p, d_1, …) of an IMU and of the feet has the right-invariant error exp(ξ) =
X̂ X⁻¹, soles also R̂_f R_fᵀ = exp(φ), and biases b̂ − b = ζ. Between two readings ω, a of the IMU

    Ṙ = R (ω − b_g)^,    v̇ = R (a − b_a) + g,    ṗ = v,    ḋ = 0,

    ξ̇_R = −R ζ_g,    ξ̇_v = g^ ξ_R − v^ R ζ_g − R ζ_a,    ξ̇_p = ξ_v − p^ R ζ_g,    ξ̇_d = −d^ R ζ_g.

A foot that stands at h and with the axes E in those of the IMU, as the encoders have it, shows

    z = R̂ h + p̂ − d̂ = ξ_p − ξ_d + noise,    log(R̂ E R̂_fᵀ) = ξ_R − φ + noise,

and X̂ ← exp(−K z) X̂: neither A nor H depends on where the robot is. R. Hartley, M. Ghaffari,
R. Eustice, J. Grizzle, "Contact-aided invariant extended Kalman filtering for robot state
estimation" (2020), eqs. 37 to 47, here with orientations of soles. The covariance P is that of
(ξ_R, ξ_v, ξ_p, ζ_g, ζ_a, ξ_d1, φ_1, …).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics.kernels.toolchain import Kernel

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Flags = NDArray[np.bool_]

V, POSITION, GYRO, ACCELEROMETER, FEET = 3, 6, 9, 12, 15  # where ξ_v, ξ_p, ζ_g, ζ_a, feet begin
SMALL = 1e-5  # angle below which a series takes the place of sines [rad]
DAMPING = 1e-6  # of forces of legs that cannot push in all directions, as a share of the trace


class Belief(NamedTuple):
    """What is believed of a robot, written in place.

    R: (3, 3), v, p: (3,), of the IMU in the world. gyro_bias, accelerometer_bias: (3,).
    d: (K, 3), feet (middles of balls). turned: (K, 3, 3), axes of the bodies of the feet, in the
    world: of soles as believed, of balls as they were at the last reading.
    loads: (K,), normal forces, low-passed [N]. standing: (K,). slipped: (K,), how often each has.
    P: (n, n).
    """

    R: Array
    v: Array
    p: Array
    gyro_bias: Array
    accelerometer_bias: Array
    d: Array
    turned: Array
    loads: Array
    standing: Flags
    slipped: Index
    P: Array


class Feet(NamedTuple):
    """Feet at the ends of legs, one a row.

    joints: (K,), that carry them. centres: (K, 3), in the axes of the joint. arms: (K, 3), from the
    middles of balls to the ground, world axes. soles: (K,), whether they keep their orientation.
    at: (K + 1,), where the rows of each begin in P.
    first: (K + 1,), where each leg begins in `entries`, those of v; `own`: whether one moves no
    other foot.
    """

    joints: Index
    centres: Array
    arms: Array
    soles: Flags
    at: Index
    first: Index
    entries: Index
    own: Flags


class Mount(NamedTuple):
    """Where the IMU is on the base: R (3, 3), axes of the IMU as columns, arm (3,) to it."""

    R: Array
    arm: Array


class Noise(NamedTuple):
    """Variances: of white noise and random walks a second, of encoders and legs at each reading.

    gyro, accelerometer, gyro_walk, accelerometer_walk: of the IMU [rad²/s, m²/s³, …].
    creep, turn: of feet that stand [m²/s, rad²/s].
    encoders: of joints [rad²]. legs, ankles: of feet, for what bends [m², rad²].
    """

    gyro: float
    accelerometer: float
    gyro_walk: float
    accelerometer_walk: float
    creep: float
    turn: float
    encoders: float
    legs: float
    ankles: float


class Contact(NamedTuple):
    """When a foot stands, and when it has slipped.

    share: of the new load in the filtered one. on, off: loads from and up to which it does [N].
    known: (K,), 1 or 0 where a switch tells, −1 where none does.
    point, sole: squared Mahalanobis distances of z beyond which it has slipped.
    """

    share: float
    on: float
    off: float
    known: Index
    point: float
    sole: float


def exponential(x, y, z, E, J):
    """E = exp(w^) and J = ∫₀¹ exp(s w^) ds, w = (x, y, z) [rad]: E = 1 + a w^ + b w^²,
    J = 1 + b w^ + c w^²."""
    squared = x * x + y * y + z * z
    angle = np.sqrt(squared)
    if angle < SMALL:
        a, b, c = 1.0 - squared / 6.0, 0.5 - squared / 24.0, 1.0 / 6.0 - squared / 120.0
    else:
        a, b = np.sin(angle) / angle, (1.0 - np.cos(angle)) / squared
        c = (1.0 - a) / squared
    for M, s, t in ((E, a, b), (J, b, c)):
        M[0, 0], M[1, 1], M[2, 2] = (
            1.0 - t * (y * y + z * z), 1.0 - t * (x * x + z * z), 1.0 - t * (x * x + y * y),
        )  # fmt: skip
        M[0, 1], M[1, 0] = t * x * y - s * z, t * x * y + s * z
        M[0, 2], M[2, 0] = t * x * z + s * y, t * x * z - s * y
        M[1, 2], M[2, 1] = t * y * z - s * x, t * y * z + s * x


def times(A, B, out):
    """out = A B, of (3, 3)."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


def rotated(A, x, out):
    """out = A x."""
    for i in range(3):
        out[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]


def cross_times(x, A, factor, out, at, column):
    """out[at:, column:] = factor x^ A, of (3, 3)."""
    for j in range(3):
        out[at, column + j] = factor * (x[1] * A[2, j] - x[2] * A[1, j])
        out[at + 1, column + j] = factor * (x[2] * A[0, j] - x[0] * A[2, j])
        out[at + 2, column + j] = factor * (x[0] * A[1, j] - x[1] * A[0, j])


def predict(x, feet, gyro, accelerometer, h, g, noise, mount, q, v):
    """Move on by a reading of the IMU.

    Args:
        x: is written.
        feet: the feet.
        gyro, accelerometer: (3,), ω and a: means over the last h [rad/s, m/s²].
        h: time since the last reading [s].
        g: (3,), gravity, world axes [m/s²].
        noise: variances.
        mount: of the IMU.
        q, v: (nq,), (nv,), the base's parts are written.
    """
    propagate(x, feet, h, g, noise)
    w, f, a = np.empty(3), np.empty(3), np.empty(3)
    E, J, middle, R = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        w[i] = h * (gyro[i] - x.gyro_bias[i])
        f[i] = accelerometer[i] - x.accelerometer_bias[i]
    # the IMU adds up velocities in axes that turn: those in the middle serve, to h²
    exponential(0.5 * w[0], 0.5 * w[1], 0.5 * w[2], E, J)
    times(x.R, E, middle)
    times(middle, E, R)
    rotated(middle, f, a)
    for i in range(3):
        x.p[i] += h * (x.v[i] + 0.5 * h * (a[i] + g[i]))
        x.v[i] += h * (a[i] + g[i])
        for j in range(3):
            x.R[i, j] = R[i, j]
    base(x, gyro, mount, q, v)


def base(x, gyro, mount, q, v):
    """T_base = T_imu T_imu_base, and v = Rᵀ v_imu − ω × arm, ω of the base, into q and v."""
    R = np.empty((3, 3))
    for i in range(3):
        v[3 + i] = 0.0
        for j in range(3):
            v[3 + i] += mount.R[i, j] * (gyro[j] - x.gyro_bias[j])
            R[i, j] = 0.0
            for m in range(3):
                R[i, j] += x.R[i, m] * mount.R[j, m]
    a = mount.arm
    v[0] = v[5] * a[1] - v[4] * a[2]
    v[1] = v[3] * a[2] - v[5] * a[0]
    v[2] = v[4] * a[0] - v[3] * a[1]
    for i in range(3):
        q[i] = x.p[i]
        for j in range(3):
            q[i] -= R[i, j] * a[j]
            v[i] += R[j, i] * x.v[j]
    quaternion(R, q)


def quaternion(R, q):
    """The unit quaternion (x, y, z, w) of R into q[3:7], from its largest part."""
    w = 1.0 + R[0, 0] + R[1, 1] + R[2, 2]  # 4 w², and so on
    x = 1.0 + R[0, 0] - R[1, 1] - R[2, 2]
    y = 1.0 - R[0, 0] + R[1, 1] - R[2, 2]
    z = 1.0 - R[0, 0] - R[1, 1] + R[2, 2]
    if w >= x and w >= y and w >= z:
        q[3], q[4], q[5], q[6] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], w
    elif x >= y and x >= z:
        q[3], q[4], q[5], q[6] = x, R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] - R[1, 2]
    elif y >= z:
        q[3], q[4], q[5], q[6] = R[1, 0] + R[0, 1], y, R[2, 1] + R[1, 2], R[0, 2] - R[2, 0]
    else:
        q[3], q[4], q[5], q[6] = R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], z, R[1, 0] - R[0, 1]
    norm = np.sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6])
    for i in range(3, 7):
        q[i] /= norm


def propagate(x, feet, h, g, noise):
    """P ← Φ P Φᵀ + Q with Φ = 1 + A h + (A h)²/2."""
    P, n = x.P, len(x.P)
    B = np.zeros((n, FEET))  # Φ − 1: the columns of feet are zero
    for i in range(3):
        B[POSITION + i, V + i] = h
        for j in range(3):
            B[i, GYRO + j] = -h * x.R[i, j]
            B[V + i, ACCELEROMETER + j] = -h * x.R[i, j]
            B[POSITION + i, ACCELEROMETER + j] = -0.5 * h * h * x.R[i, j]
    half = 0.5 * h * h
    gR, vR = np.empty((3, 3)), np.empty((3, 3))
    cross_times(g, x.R, 1.0, gR, 0, 0)
    cross_times(x.v, x.R, 1.0, vR, 0, 0)
    cross_times(x.p, x.R, -h, B, POSITION, GYRO)
    for i in range(3):
        for j in range(3):
            B[V + i, GYRO + j] = -h * vR[i, j] - half * gR[i, j]
            B[POSITION + i, GYRO + j] -= half * vR[i, j]
    one = np.eye(3)
    cross_times(g, one, h, B, V, 0)
    cross_times(g, one, half, B, POSITION, 0)
    for k in range(len(feet.joints)):
        cross_times(x.d[k], x.R, -h, B, feet.at[k], GYRO)
    moved, back = P.copy(), np.zeros((n, n))  # Φ P, and (Φ P) (Φ − 1)ᵀ transposed
    for i in range(n):
        for c in range(FEET):
            if B[i, c] != 0.0:
                for j in range(n):
                    moved[i, j] += B[i, c] * P[c, j]
    for i in range(n):
        for c in range(FEET):
            if B[i, c] != 0.0:
                for j in range(n):
                    back[i, j] += B[i, c] * moved[j, c]
    G = np.zeros((n, 3))  # what noise of the gyroscope does
    for i in range(3):
        G[i, i] = 1.0
    cross_times(x.v, one, 1.0, G, V, 0)
    cross_times(x.p, one, 1.0, G, POSITION, 0)
    for k in range(len(feet.joints)):
        cross_times(x.d[k], one, 1.0, G, feet.at[k], 0)
    for i in range(n):
        for j in range(n):
            shared = G[i, 0] * G[j, 0] + G[i, 1] * G[j, 1] + G[i, 2] * G[j, 2]
            P[i, j] = moved[i, j] + back[j, i] + h * noise.gyro * shared
    for i in range(3):
        P[V + i, V + i] += h * noise.accelerometer
        P[GYRO + i, GYRO + i] += h * noise.gyro_walk
        P[ACCELEROMETER + i, ACCELEROMETER + i] += h * noise.accelerometer_walk
    for k in range(len(feet.joints)):
        for i in range(feet.at[k], feet.at[k + 1]):
            P[i, i] += h * (noise.creep if i < feet.at[k] + 3 else noise.turn)


def correct(x, feet, T, S, forces, contact, noise, gyro, mount, q, v):
    """Take up what the legs show: which feet stand, and how far they are.

    Args:
        x: as predicted; is written.
        feet: the feet.
        T: (joints, 3, 4), placements [R | p] with the base as predicted.
        S: (6, nv), columns of the joints about the world's origin, linear first.
        forces: (nv,), generalised forces that the robot's own do not explain.
        contact: when a foot stands.
        noise: variances.
        gyro, mount, q, v: as of `predict`.
    """
    count = len(feet.joints)
    h, E, c = np.empty((count, 3)), np.empty((count, 3, 3)), np.empty(3)
    J, N = np.empty((6, len(S[0]))), np.empty((count, 6, 6))
    for k in range(count):
        joint = feet.joints[k]
        for i in range(3):
            c[i] = T[joint, i, 3]
            for j in range(3):
                c[i] += T[joint, i, j] * feet.centres[k, j]
        for i in range(3):  # h and E in the axes of the IMU, which the corrections turn
            h[k, i] = 0.0
            for j in range(3):
                h[k, i] += x.R[j, i] * (c[j] - x.p[j])
                E[k, i, j] = 0.0
                for m in range(3):
                    E[k, i, j] += x.R[m, i] * T[joint, m, j]
        if not feet.soles[k]:
            roll(x, feet, k, T)
        leg_columns(S, c, feet, k, J)
        spread(J, feet, k, noise, N[k])
        x.loads[k] += contact.share * (normal_force(J, forces, feet, k) - x.loads[k])
    for k in range(count):
        stood, stands = x.standing[k], contact.known[k] == 1
        if contact.known[k] < 0:
            stands = x.loads[k] > (contact.off if stood else contact.on)
        x.standing[k] = stands
        if not stands:
            continue
        most = contact.sole if feet.soles[k] else contact.point
        if stood and update(x, feet, k, h[k], E[k], N[k], most):
            continue
        x.slipped[k] += stood
        anchor(x, feet, k, h[k], E[k], N[k])
    base(x, gyro, mount, q, v)


def roll(x, feet, k, T):
    """Let the middle of a ball roll on: ḋ = −ω × arm, with the ω of its body."""
    turn, joint = np.zeros(3), feet.joints[k]
    for j in range(3):  # ½ Σ a_j × b_j = sin(angle) axis, of axes before and now
        a0, a1, a2 = x.turned[k, 0, j], x.turned[k, 1, j], x.turned[k, 2, j]
        b0, b1, b2 = T[joint, 0, j], T[joint, 1, j], T[joint, 2, j]
        turn[0] += 0.5 * (a1 * b2 - a2 * b1)
        turn[1] += 0.5 * (a2 * b0 - a0 * b2)
        turn[2] += 0.5 * (a0 * b1 - a1 * b0)
    arm = feet.arms[k]
    x.d[k, 0] -= turn[1] * arm[2] - turn[2] * arm[1]
    x.d[k, 1] -= turn[2] * arm[0] - turn[0] * arm[2]
    x.d[k, 2] -= turn[0] * arm[1] - turn[1] * arm[0]
    for i in range(3):
        for j in range(3):
            x.turned[k, i, j] = T[joint, i, j]


def leg_columns(S, c, feet, k, J):
    """Write the Jacobian of a foot at c (3,) against the base into the first columns of J."""
    for n in range(feet.first[k], feet.first[k + 1]):
        e, o = feet.entries[n], n - feet.first[k]
        J[0, o] = S[0, e] + S[4, e] * c[2] - S[5, e] * c[1]
        J[1, o] = S[1, e] + S[5, e] * c[0] - S[3, e] * c[2]
        J[2, o] = S[2, e] + S[3, e] * c[1] - S[4, e] * c[0]
        J[3, o], J[4, o], J[5, o] = S[3, e], S[4, e], S[5, e]


def spread(J, feet, k, noise, N):
    """N (6, 6) = σ² J Jᵀ + what bends."""
    size = feet.first[k + 1] - feet.first[k]
    for i in range(6):
        for j in range(6):
            N[i, j] = 0.0
            for o in range(size):
                N[i, j] += noise.encoders * J[i, o] * J[j, o]
        N[i, i] += noise.legs if i < 3 else noise.ankles


def normal_force(J, forces, feet, k):
    """The upward part of the f (3,), or w (6,) of a sole, with J_Lᵀ f nearest to the forces."""
    size = 6 if feet.soles[k] else 3
    A, b, trace = np.empty((size, size)), np.empty(size), 0.0
    for i in range(size):
        b[i] = 0.0
        for j in range(size):
            A[i, j] = 0.0
        for n in range(feet.first[k], feet.first[k + 1]):
            if feet.own[n]:
                o = n - feet.first[k]
                b[i] += J[i, o] * forces[feet.entries[n]]
                for j in range(size):
                    A[i, j] += J[i, o] * J[j, o]
        trace += A[i, i]
    if trace == 0.0:  # no leg
        return 0.0
    for i in range(size):
        A[i, i] += DAMPING * trace
    factor(A)
    forward(A, b)
    for r in range(size):
        i = size - 1 - r
        for j in range(i + 1, size):
            b[i] -= A[j, i] * b[j]
        b[i] /= A[i, i]
    return b[2]


def factor(A):
    """A = L Lᵀ in the lower triangle."""
    for j in range(len(A)):
        for c in range(j):
            A[j, j] -= A[j, c] * A[j, c]
        A[j, j] = np.sqrt(A[j, j])
        for i in range(j + 1, len(A)):
            for c in range(j):
                A[i, j] -= A[i, c] * A[j, c]
            A[i, j] /= A[j, j]


def forward(L, b):
    """b ← L⁻¹ b."""
    for i in range(len(b)):
        for j in range(i):
            b[i] -= L[i, j] * b[j]
        b[i] /= L[i, i]


def shown(x, k, h, E, z):
    """z of a foot: R̂ h + p̂ − d̂, and sin(angle) axis of R̂ E R̂_fᵀ."""
    now = np.empty((3, 3))
    times(x.R, E, now)
    for i in range(3):
        z[i] = x.p[i] - x.d[k, i]
        for j in range(3):
            z[i] += x.R[i, j] * h[j]
    z[3], z[4], z[5] = 0.0, 0.0, 0.0
    for j in range(3):
        a0, a1, a2 = x.turned[k, 0, j], x.turned[k, 1, j], x.turned[k, 2, j]
        z[3] += 0.5 * (a1 * now[2, j] - a2 * now[1, j])
        z[4] += 0.5 * (a2 * now[0, j] - a0 * now[2, j])
        z[5] += 0.5 * (a0 * now[1, j] - a1 * now[0, j])


def update(x, feet, k, h, E, N, most):
    """Correct by a foot that stands; return whether its z is as likely as `most` demands."""
    P, n, size, at = x.P, len(x.P), 6 if feet.soles[k] else 3, feet.at[k]
    z, D, L = np.empty(6), np.empty((6, n)), np.empty((size, size))  # D = H P
    shown(x, k, h, E, z)
    for i in range(size):
        own = POSITION + i if i < 3 else i - 3
        for j in range(n):
            D[i, j] = P[own, j] - P[at + i, j]
    for i in range(size):
        for j in range(size):
            L[i, j] = D[i, POSITION + j if j < 3 else j - 3] - D[i, at + j] + N[i, j]
    factor(L)
    y = z[:size].copy()
    forward(L, y)
    squared = 0.0
    for i in range(size):
        squared += y[i] * y[i]
    if squared > most:
        return False
    step = np.zeros(n)  # K z = (L⁻¹ D)ᵀ y, and P ← P − (L⁻¹ D)ᵀ (L⁻¹ D)
    for i in range(size):
        for c in range(i):
            for j in range(n):
                D[i, j] -= L[i, c] * D[c, j]
        for j in range(n):
            D[i, j] /= L[i, i]
            step[j] += D[i, j] * y[i]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for c in range(size):
                total += D[c, i] * D[c, j]
            P[i, j] -= total
    retract(x, feet, step)
    return True


def retract(x, feet, step):
    """X ← exp(−ξ) X, and b ← b − ζ, of a step (n,)."""
    E, J, part, R = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    exponential(-step[0], -step[1], -step[2], E, J)
    times(E, x.R, R)
    for i in range(3):
        x.gyro_bias[i] -= step[GYRO + i]
        x.accelerometer_bias[i] -= step[ACCELEROMETER + i]
        for j in range(3):
            x.R[i, j] = R[i, j]
    shift(E, J, step, V, x.v, part)
    shift(E, J, step, POSITION, x.p, part)
    for k in range(len(feet.joints)):
        at = feet.at[k]
        shift(E, J, step, at, x.d[k], part)
    for k in range(len(feet.joints)):
        if feet.soles[k]:
            at = feet.at[k] + 3
            exponential(-step[at], -step[at + 1], -step[at + 2], E, J)
            times(E, x.turned[k], R)
            for i in range(3):
                for j in range(3):
                    x.turned[k, i, j] = R[i, j]


def shift(E, J, step, at, y, part):
    """y ← E y − J ξ, ξ the step from `at` on."""
    for i in range(3):
        part[i] = 0.0
        for j in range(3):
            part[i] += E[i, j] * y[j] - J[i, j] * step[at + j]
    for i in range(3):
        y[i] = part[i]


def anchor(x, feet, k, h, E, N):
    """Let a foot stand where it is: ξ_d = ξ_p + noise, φ = ξ_R + noise."""
    P, size, at = x.P, feet.at[k + 1] - feet.at[k], feet.at[k]
    for i in range(size):
        own = POSITION + i if i < 3 else i - 3
        for j in range(len(P)):
            P[at + i, j] = P[own, j]
    for i in range(size):
        own = POSITION + i if i < 3 else i - 3
        for j in range(len(P)):
            P[j, at + i] = P[j, own]
    for i in range(size):
        for j in range(size):
            P[at + i, at + j] += N[i, j]
    for i in range(3):
        x.d[k, i] = x.p[i]
        for j in range(3):
            x.d[k, i] += x.R[i, j] * h[j]
    if feet.soles[k]:
        R = np.empty((3, 3))
        times(x.R, E, R)
        for i in range(3):
            for j in range(3):
                x.turned[k, i, j] = R[i, j]


def _example_of_step() -> tuple[Any, ...]:
    belief, feet, row = *_empty(), np.empty(0)
    mount = Mount(np.empty((3, 3)), row)
    return belief, feet, row, row, 0.0, row, Noise(*9 * [0.0]), mount, row, row


def _example_of_legs() -> tuple[Any, ...]:
    belief, feet, row = *_empty(), np.empty(0)
    T, S = np.empty((0, 3, 4)), np.empty((6, 0))
    for array in (T, S):
        array.setflags(write=False)  # as a State's
    contact = Contact(0.0, 0.0, 0.0, np.empty(0, np.intp), 0.0, 0.0)
    mount = Mount(np.empty((3, 3)), row)
    return belief, feet, T, S, row, contact, Noise(*9 * [0.0]), row, mount, row, row


def _empty() -> tuple[Belief, Feet]:
    x, index, flags = np.empty(0), np.empty(0, np.intp), np.empty(0, np.bool_)
    table, tables = np.empty((0, 3)), np.empty((0, 3, 3))
    belief = Belief(table, x, x, x, x, table, tables, x, flags, index, table)
    return belief, Feet(index, table, table, flags, index, index, index, flags)


PREDICT = Kernel(predict, 1, arrays=True, example=_example_of_step, each=1e-3, seconds=3.0)
CORRECT = Kernel(correct, 1, arrays=True, example=_example_of_legs, each=3e-3, seconds=5.0)
