"""Rows of arrays, for each of which a term is worked out, eight at a time in SIMD lanes.

Also the check of what enters: the sizes of the arrays first, then their numbers, on lanes as they
pass. A kernel stops at eight configurations among which one may be ill (not finite, a quaternion
that is not unit, angles of more than 1e5 rad, other numbers of more than 1e50). It returns the
first of them, and its caller looks closer: it says what is wrong, or computes them without the
kernel.
"""

from __future__ import annotations

from .body_table import BALL, CONTINUOUS, FREE, as_bodies
from .scalars import LANES, as_lanes, shaped, turn_in, turn_in_each, turn_out, workspaces

# what a kernel returns instead of the number of a row that it refuses
DONE, MISFIT = -1, -2  # all rows are done; arrays do not fit each other

UNIT = 2e-7  # | ‖x‖² − 1 | of a unit quaternion: twice that of `robots.configuration`
_HUGE = 4.5e-54  # its product with `robots.values.LARGEST`, 1e50, squared is just above UNIT


def fits(X, width, out):
    """Whether X has `width` numbers for each row of `out`, and does not lie in its memory."""
    return len(X) == len(out) and X.shape[1] == width and apart(X, out)


def apart(X, out):
    """Whether two arrays, each in one piece, share no memory."""
    before = X.ctypes.data + 8 * X.size <= out.ctypes.data
    return before or out.ctypes.data + 8 * out.size <= X.ctypes.data


def gather(X, start, last, lanes):
    """Rows start … of X (N, k) into lanes (k, LANES); rows past the end repeat the last one."""
    width = X.shape[1]
    if last - start >= LANES and width >= LANES:
        for k in range(0, width - LANES, LANES):
            turn_in(X, start, lanes, k)
        turn_in(X, start, lanes, width - LANES)  # may overlap the one before
        return
    for lane in range(LANES):
        row = min(start + lane, last - 1)
        for k in range(width):
            lanes[k, lane] = X[row, k]


def gather_each(X, lanes):
    """LANES arrays (k,), as many as LANES at least, into lanes (k, LANES)."""
    width = len(X[0])
    for k in range(0, width - LANES, LANES):
        turn_in_each(X, lanes, k)
    turn_in_each(X, lanes, width - LANES)  # may overlap the one before


def scatter(lanes, start, last, X):
    """Lanes (k, LANES) into rows start … of X (N, k)."""
    width = X.shape[1]
    if last - start >= LANES and width >= LANES:
        for k in range(0, width - LANES, LANES):
            turn_out(lanes, k, X, start)
        turn_out(lanes, width - LANES, X, start)
        return
    for lane in range(min(LANES, last - start)):
        for k in range(width):
            X[start + lane, k] = lanes[k, lane]


def finite(x, violation=0.0):
    """Next to 0; more than UNIT where a number of x is not finite, or is larger than 1e50.

    `violation` is that of another x, to be added to.
    """
    for k in range(len(x)):
        violation = violation + (_HUGE * x[k]) * (_HUGE * x[k])
    return violation


def moderate(q):
    """Next to 0; more than UNIT where a number of q is not finite, or is larger than 1e5.

    Beyond that the compiled sin and cos lose digits.
    """
    violation = 0.0
    for k in range(len(q)):
        square = (1e-5 * q[k]) * (1e-5 * q[k])
        violation = violation + UNIT * (square * square)
    return violation


def square(q, k):
    """‖(q_k, q_k+1)‖²."""
    return q[k] * q[k] + q[k + 1] * q[k + 1]


def units(bodies, q, violations):
    """‖x‖² − 1 of all quaternions and of each (cos, sin) as violations; their count."""
    count = 0
    if bodies[0].kind == FREE:
        violations[0] = square(q, 3) + square(q, 5) - 1.0
        count = 1
    for i in range(1, len(bodies)):
        k = bodies[i].q
        if bodies[i].kind == CONTINUOUS:
            violations[count] = square(q, k) - 1.0
            count += 1
        elif bodies[i].kind == BALL:
            violations[count] = square(q, k) + square(q, k + 2) - 1.0
            count += 1
    return count


def negligible(violations, count):
    """Whether all lanes of the first rows of violations (…, LANES) are near zero; nan is not."""
    for k in range(count):
        for lane in range(LANES):
            if not abs(violations[k, lane]) <= UNIT:
                return False
    return True


def valid(bodies, q, others, violations):
    """Whether q (nq, LANES) is fit to go on; `others`: `finite` of what else came in."""
    lanes = as_lanes(violations)
    count = units(bodies, as_lanes(q), lanes)
    lanes[count] = others + moderate(as_lanes(q))
    return negligible(violations, count + 1)


def gather_all(given, start, last, x):
    """Rows of one to five (values, width) into x, one after the other; a loop would take longer."""
    at = gather_next(given[0], start, last, x, 0)
    if len(given) > 1:
        at = gather_next(given[1], start, last, x, at)
    if len(given) > 2:
        at = gather_next(given[2], start, last, x, at)
    if len(given) > 3:
        at = gather_next(given[3], start, last, x, at)
    if len(given) > 4:
        gather_next(given[4], start, last, x, at)


def gather_next(values, start, last, x, at):
    """Rows of (values, width) into x[at:]; the end."""
    gather(values[0], start, last, x[at : at + values[1]])
    return at + values[1]


def fill(
    term, table, constants, given, out, shape, columns, first, last, memory, zeros=0, limited=False
):
    """out[first:last] = term(row); returns DONE, MISFIT, or the first of eight rows in doubt.

    Args:
        term: term(bodies, *constants, x, result, work) fills the result (*shape), zero at first,
            of x: a row's values one after the other.
        table: of the bodies.
        constants: what else the term reads, the same for all rows.
        given: (values (N, width), width) of each; q is the first.
        out: (N, *shape).
        columns: of the workspace (nv + 2, columns) of the term: a row for each body, and one more.
        zeros: how many of them x has in the end.
        limited: whether a result that is not finite, or above 1e8, is in doubt.
    """
    bodies = as_bodies(table)
    nq, nv = bodies[0].nq, bodies[0].nv
    size, width = 1, 0
    for length in shape:
        size *= length
    for X, own in given:
        width += own
        if not fits(X, own, out):
            return MISFIT
    if out.shape[1:] != shape:
        return MISFIT
    x, result, violations, work = workspaces(
        memory, width + zeros, size, len(bodies) + 1, columns * (nv + 2)
    )
    x[:], result[:] = 0.0, 0.0
    q, others = x[:nq], as_lanes(x[nq:width])
    work, answer = shaped(work, (nv + 2, columns)), shaped(result, shape)
    flat = out if len(shape) == 1 else out.reshape(len(out), size)  # a reshape takes long
    for start in range(first, last, LANES):
        gather_all(given, start, last, x)
        if not valid(bodies, q, finite(others), violations):
            return start
        term(bodies, *constants, as_lanes(x), answer, work)
        if limited and not bounded(as_lanes(result), violations):
            return start
        scatter(result, start, last, flat)
    return DONE


def bounded(x, violations):
    """Whether all numbers of x are finite and below 1e8."""
    violation = 0.0
    for k in range(len(x)):
        violation = violation + UNIT * ((1e-8 * x[k]) * (1e-8 * x[k]))
    as_lanes(violations)[0] = violation
    return negligible(violations, 1)
