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

from ...dynamics.kernels.body_table import as_bodies
from ...dynamics.kernels.gauss import cholesky, solve_lower, solve_upper
from ...dynamics.kernels.jacobians import LOCAL_WORLD_ALIGNED, frame_jacobian
from ...dynamics.kernels.rnea import rnea
from ...dynamics.kernels.rows import UNIT, moderate
from ...dynamics.kernels.toolchain import Kernel, read_only

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
    doubt: (1,), the squared Mahalanobis distance of the likeliest foot, by its degrees of freedom,
    at most that of a slip, low-passed: about 1 where feet and IMU agree. P: (n, n).
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
    doubt: Array
    P: Array


class Feet(NamedTuple):
    """Feet at the ends of legs, one a row.

    places: (K, 12), axes and centre of each on the last body of its leg. arms: (K, 3), from the
    middles of balls to the ground, world axes. soles: (K,), whether they keep their orientation.
    at: (K + 1,), where the rows of each begin in P.
    first: (K + 1,), where each leg begins in `entries`, those of v, and in `bodies`, its own;
    `own`: whether one moves no other foot.
    """

    places: Array
    arms: Array
    soles: Flags
    at: Index
    first: Index
    entries: Index
    bodies: Index
    own: Flags


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

    filter: time constant of loads [s]. on, off: loads from and up to which it does [N].
    point, sole: squared Mahalanobis distances of z beyond which it has slipped.
    doubt: time constant of the low-pass filter on `Belief.doubt` [s].
    """

    filter: float
    on: float
    off: float
    point: float
    sole: float
    doubt: float


class Model(NamedTuple):
    """A robot and its sensors.

    table: bytes of its `body_table`. motors: (na,), their entries of v. imu: (4, 4), T_base_imu.
    g: (3,), gravity, world axes [m/s²].
    """

    table: NDArray[np.uint8]
    motors: Index
    imu: Array
    g: Array
    feet: Feet
    noise: Noise
    contact: Contact


class Legs(NamedTuple):
    """Where the legs have the feet, and what moves them, written in place.

    places: (K, 12), axes of the bodies of the feet, row by row, then the feet's centres from the
    base's origin. J: (K, 6, nv), Jacobians of the centres; all in world axes.
    a: (nv,), as measured. forces: (nv,), generalised forces, M a + vᵀCv − τ_g.
    """

    places: Array
    J: Array
    a: Array
    forces: Array


class Told(NamedTuple):
    """What the sensors tell, over the last h [s].

    gyro, accelerometer: (3,), means of ω and a [rad/s, m/s²]. tau: (na,). known: (K,), 1 or 0 where
    a switch tells of a foot, −1 where none does.
    """

    h: float
    gyro: Array
    accelerometer: Array
    tau: Array
    known: Index


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


def estimate(model, x, legs, told, before, q, v, poses, posed):
    """Move on by a reading of the IMU, and take up what the legs show; return whether that is done.

    It is not where the legs are to be posed by who calls, and then calls again: where `poses` says
    so, and of angles beyond the kernels' sines.

    Args:
        model: the robot and its sensors.
        x: is written.
        legs: is written; read where they are posed.
        told: what sensors tell.
        before: v (nv,) of the last reading.
        q, v: (nq,), (nv,), as encoders have them; the base's parts are written.
        poses: whether legs are posed here.
        posed: whether they are already, and all but the correction is done.
    """
    if not posed:
        predict(model, x, told, q, v)
        for i in range(len(v)):
            legs.a[i] = (v[i] - before[i]) / told.h if told.h > 0.0 else 0.0
        if not poses or not moderate(q) <= UNIT:
            return False
        pose(as_bodies(model.table), model.feet, q, v, legs)
    correct(model, x, legs, told, q, v)
    return True


def predict(model, x, told, q, v):
    """Move on by a reading of the IMU."""
    g, h = model.g, told.h
    propagate(x, model.feet, h, g, model.noise)
    w, f, a = np.empty(3), np.empty(3), np.empty(3)
    E, J, middle, R = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        w[i] = h * (told.gyro[i] - x.gyro_bias[i])
        f[i] = told.accelerometer[i] - x.accelerometer_bias[i]
    # the IMU adds up velocities in axes that turn: those in the middle serve, to h²
    exponential(0.5 * w[0], 0.5 * w[1], 0.5 * w[2], E, J)
    times(x.R, E, middle)
    times(middle, E, R)
    rotated(middle, f, a)
    for i in range(3):
        x.p[i] += h * (x.v[i] + 0.5 * h * (a[i] + g[i]))
        x.v[i] += h * (a[i] + g[i])
    x.R[:] = R
    base(x, told.gyro, model.imu, q, v)


def base(x, gyro, T, q, v):
    """T_base = T_imu T_imu_base, and v = Rᵀ v_imu − ω × arm, ω of the base, into q and v."""
    R, a = np.empty((3, 3)), T[:3, 3]
    for i in range(3):
        v[3 + i] = 0.0
        for j in range(3):
            v[3 + i] += T[i, j] * (gyro[j] - x.gyro_bias[j])
            R[i, j] = 0.0
            for m in range(3):
                R[i, j] += x.R[i, m] * T[j, m]
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
    P, n, half = x.P, len(x.P), 0.5 * h * h
    one, G = np.eye(3), np.zeros((n, 3))  # G: what noise of the gyroscope does
    for i in range(3):
        G[i, i] = 1.0
    cross_times(x.v, one, 1.0, G, V, 0)
    cross_times(x.p, one, 1.0, G, POSITION, 0)
    for k in range(len(feet.places)):
        cross_times(x.d[k], one, 1.0, G, feet.at[k], 0)
    B = np.zeros((n, FEET))  # Φ − 1: the columns of feet are zero
    cross_times(g, one, h, B, V, 0)
    cross_times(g, one, half, B, POSITION, 0)
    for j in range(3):
        B[POSITION + j, V + j] = h
        for i in range(n):
            for m in range(3):
                B[i, GYRO + j] -= h * G[i, m] * x.R[m, j]
        for i in range(3):
            B[V + i, ACCELEROMETER + j] = -h * x.R[i, j]
            B[POSITION + i, ACCELEROMETER + j] = -half * x.R[i, j]
            B[POSITION + i, GYRO + j] += 0.5 * h * B[V + i, GYRO + j]
            for m in range(3):
                B[V + i, GYRO + j] -= B[POSITION + i, m] * x.R[m, j]
    moved = np.empty((n, n))
    step_on(B, P, moved)
    step_on(B, moved, P)
    for j in range(3):
        add_square(P, h * noise.gyro, G[:, j])
    for i in range(3):
        P[V + i, V + i] += h * noise.accelerometer
        P[GYRO + i, GYRO + i] += h * noise.gyro_walk
        P[ACCELEROMETER + i, ACCELEROMETER + i] += h * noise.accelerometer_walk
    for k in range(len(feet.places)):
        for i in range(feet.at[k], feet.at[k + 1]):
            P[i, i] += h * (noise.creep if i < feet.at[k] + 3 else noise.turn)


def add_square(P, factor, x):
    """P ← P + factor x xᵀ."""
    for i in range(len(x)):
        for j in range(len(x)):
            P[i, j] += factor * x[i] * x[j]


def step_on(B, X, out):
    """out = (X + B X)ᵀ: twice of P is Φ P Φᵀ."""
    n, row = len(X), np.empty(len(X))
    for i in range(n):
        for j in range(n):
            row[j] = X[i, j]
        for c in range(FEET):
            if B[i, c] != 0.0:
                for j in range(n):
                    row[j] += B[i, c] * X[c, j]
        for j in range(n):
            out[j, i] = row[j]


def pose(bodies, feet, q, v, legs):
    """Write the legs of a robot whose joints the kernels know."""
    n = len(bodies)
    places = np.empty((n + 1, 12))
    for k in range(len(feet.places)):
        chain = feet.bodies[feet.first[k] : feet.first[k + 1]]
        frame_jacobian(bodies, chain, feet.places[k], LOCAL_WORLD_ALIGNED, q, legs.J[k], places)
        for i in range(12):
            legs.places[k, i] = places[n, i]
    rnea(bodies, q, v, legs.a, legs.forces, np.empty((n + 1, 20)))


def correct(model, x, legs, told, q, v):
    """Take up what the legs show: which feet stand, and how far they are."""
    feet, contact, forces, count = model.feet, model.contact, legs.forces, len(model.feet.places)
    for i in range(len(told.tau)):
        forces[model.motors[i]] -= told.tau[i]
    share = told.h / (told.h + contact.filter)
    h, E, N = np.empty((count, 3)), np.empty((count, 3, 3)), np.empty((6, 6))
    for k in range(count):
        at = legs.places[k]
        for i in range(3):  # h and E in the axes of the IMU, which the corrections turn
            h[k, i] = 0.0
            for j in range(3):
                h[k, i] += x.R[j, i] * (at[9 + j] + q[j] - x.p[j])
                E[k, i, j] = 0.0
                for m in range(3):
                    E[k, i, j] += x.R[m, i] * at[3 * m + j]
        if not feet.soles[k]:
            roll(x, feet, k, at)
        x.loads[k] += share * (normal_force(legs.J[k], forces, feet, k) - x.loads[k])
    likeliest = np.inf
    for k in range(count):
        stood, stands = x.standing[k], told.known[k] == 1
        if told.known[k] < 0:
            stands = x.loads[k] > (contact.off if stood else contact.on)
        x.standing[k] = stands
        if not stands:
            continue
        spread(legs.J[k], feet, k, model.noise, N)
        most = contact.sole if feet.soles[k] else contact.point
        if stood:
            squared = update(x, feet, k, h[k], E[k], N, most)
            likeliest = min(likeliest, min(squared, most) / (6.0 if feet.soles[k] else 3.0))
            if squared <= most:
                continue
        x.slipped[k] += stood
        anchor(x, feet, k, h[k], E[k], N)
    if likeliest < np.inf:
        x.doubt[0] += told.h / (told.h + contact.doubt) * (likeliest - x.doubt[0])
    base(x, told.gyro, model.imu, q, v)


def roll(x, feet, k, at):
    """Let the middle of a ball roll on: ḋ = −ω × arm, with the ω of its body."""
    turn = np.zeros(3)
    for j in range(3):  # ½ Σ a_j × b_j = sin(angle) axis, of axes before and now
        a0, a1, a2 = x.turned[k, 0, j], x.turned[k, 1, j], x.turned[k, 2, j]
        b0, b1, b2 = at[j], at[3 + j], at[6 + j]
        turn[0] += 0.5 * (a1 * b2 - a2 * b1)
        turn[1] += 0.5 * (a2 * b0 - a0 * b2)
        turn[2] += 0.5 * (a0 * b1 - a1 * b0)
    arm = feet.arms[k]
    x.d[k, 0] -= turn[1] * arm[2] - turn[2] * arm[1]
    x.d[k, 1] -= turn[2] * arm[0] - turn[0] * arm[2]
    x.d[k, 2] -= turn[0] * arm[1] - turn[1] * arm[0]
    x.turned[k] = at[:9].reshape((3, 3))


def spread(J, feet, k, noise, N):
    """N (6, 6) = σ² J Jᵀ + what bends."""
    for i in range(6):
        for j in range(6):
            N[i, j] = 0.0
            for n in range(feet.first[k], feet.first[k + 1]):
                e = feet.entries[n]
                N[i, j] += noise.encoders * J[i, e] * J[j, e]
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
                e = feet.entries[n]
                b[i] += J[i, e] * forces[e]
                for j in range(size):
                    A[i, j] += J[i, e] * J[j, e]
        trace += A[i, i]
    if trace == 0.0:  # no leg
        return 0.0
    for i in range(size):
        A[i, i] += DAMPING * trace
    cholesky(A, A)
    solve_lower(A, b)
    solve_upper(A, b)
    return b[2]


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
    """Correct by a foot that stands; return the squared Mahalanobis distance of its z, which is
    left out beyond `most`."""
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
    cholesky(L, L)
    y = z[:size].copy()
    solve_lower(L, y)
    squared = 0.0
    for i in range(size):
        squared += y[i] * y[i]
    if squared > most:
        return squared
    step = np.zeros(n)  # K z = (L⁻¹ D)ᵀ y, and P ← P − (L⁻¹ D)ᵀ (L⁻¹ D)
    for i in range(size):
        for c in range(i):
            for j in range(n):
                D[i, j] -= L[i, c] * D[c, j]
        for j in range(n):
            D[i, j] /= L[i, i]
            step[j] += D[i, j] * y[i]
        add_square(P, -1.0, D[i])
    retract(x, feet, step)
    return squared


def retract(x, feet, step):
    """X ← exp(−ξ) X, and b ← b − ζ, of a step (n,)."""
    E, J, part, R = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    exponential(-step[0], -step[1], -step[2], E, J)
    times(E, x.R, R)
    for i in range(3):
        x.gyro_bias[i] -= step[GYRO + i]
        x.accelerometer_bias[i] -= step[ACCELEROMETER + i]
    x.R[:] = R
    shift(E, J, step, V, x.v, part)
    shift(E, J, step, POSITION, x.p, part)
    for k in range(len(feet.places)):
        at = feet.at[k]
        shift(E, J, step, at, x.d[k], part)
    for k in range(len(feet.places)):
        if feet.soles[k]:
            at = feet.at[k] + 3
            exponential(-step[at], -step[at + 1], -step[at + 2], E, J)
            times(E, x.turned[k], R)
            x.turned[k] = R


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
        times(x.R, E, x.turned[k])


def _example() -> tuple[Any, ...]:
    x, index, flags = np.empty(0), np.empty(0, np.intp), np.empty(0, np.bool_)
    table, tables, bodies = np.empty((0, 3)), np.empty((0, 3, 3)), read_only(1, np.uint8)
    feet = Feet(table, table, flags, index, index, index, index, flags)
    noise, contact = Noise(*9 * [0.0]), Contact(*6 * [0.0])
    return (
        Model(bodies, index, table, x, feet, noise, contact),
        Belief(table, x, x, x, x, table, tables, x, flags, index, x, table),
        Legs(table, tables, x, x), Told(0.0, x, x, x, index), x, x, x, True, True,
    )  # fmt: skip


ESTIMATE = Kernel(estimate, 1, arrays=True, example=_example, each=1e-2, seconds=15.0)
