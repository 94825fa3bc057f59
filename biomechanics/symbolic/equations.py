"""Symbolic equations of motion of a robot with few joints.

    M(q) v̇ + C(q, v) v = τ + τ_g(q)

M and τ_g are the textbook sums over links, each in the axes of its link, where the angles of
preceding joints cancel; C follows from the Christoffel symbols of M:

    M = Σ m Jᵗᵀ Jᵗ + Jᴿᵀ I Jᴿ        τ_g = Σ m Jᵗᵀ g
    C_ij = Σ_k ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) v_k

which is the matrix of `dynamics.coriolis_matrix`: dM/dt − 2 C is skew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError, ModelError, unknown
from ...progress import progress_bar
from ...robots.configuration import check_configuration, check_robot, check_velocity
from ...robots.robot import Robot
from ...robots.values import boolean, whole_number
from .closed_form import closed_form
from .frames import Matrix, skew, turn_about
from .parameters import Parameters, exact_matrix, rounded


class Link(NamedTuple):
    """A moving link, in its own axes."""

    mass: Any
    inertia: Matrix  # (3, 3) about its centre of mass
    Jt: Matrix  # (3, n) of its centre of mass
    Jr: Matrix  # (3, n) rotational
    gravity: Matrix  # (3,)


@dataclass(frozen=True, eq=False, repr=False)
class Equations:
    """M, C and τ_g of a robot as matrices of SymPy expressions.

    Attributes:
        robot: the robot.
        q: one symbol per joint: angle [rad] or displacement [m].
        v: their rates.
        M: mass matrix (n, n), armature included.
        tau_g: τ_g (n,), on the right-hand side.
        values: {symbol: number} of symbolic masses, lengths, …
    """

    robot: Robot
    q: tuple[Any, ...]
    v: tuple[Any, ...]
    M: Matrix
    tau_g: Matrix
    values: Mapping[Any, float] = field(default_factory=dict)

    @cached_property
    def C(self) -> Matrix:
        """Coriolis matrix (n, n), by Christoffel's symbols."""
        n, dM = len(self.q), [self.M.diff(x) for x in self.q]

        def entry(i: int, j: int) -> Any:
            symbols = (dM[k][i, j] + dM[j][i, k] - dM[i][j, k] for k in range(n))
            return sp.expand(sp.Add(*(x * v / 2 for x, v in zip(symbols, self.v, strict=True))))

        return sp.ImmutableMatrix(n, n, entry)

    @cached_property
    def bias(self) -> Matrix:
        """C v − τ_g (n,)."""
        return sp.ImmutableMatrix((self.C * sp.Matrix(self.v) - self.tau_g).applyfunc(sp.expand))

    def latex(self, term: str = "M") -> str:
        """Return "M", "C", "tau_g" or "bias" as LaTeX.

        Raises:
            ConfigurationError: there is no such term.
        """
        return str(sp.latex(self._term(term)))

    def lambdify(self, term: str) -> Callable[..., Array]:
        """Return a NumPy function of the symbols, f(*q) for "M" and "tau_g", f(*q, *v) else.

        Masses, lengths, … that are symbols take their `values`.

        Raises:
            ConfigurationError: there is no such term.
        """
        expressions = self._term(term)
        symbols = self.q if term in ("M", "tau_g") else (*self.q, *self.v)
        function = sp.lambdify((*symbols, *self.values), expressions, "numpy", cse=True)
        shape = (len(self.q),) if expressions.shape[1] == 1 and term in _VECTORS else None

        def numeric(*values: float) -> Array:
            array = np.asarray(function(*values, *self.values.values()), dtype=float)
            return array if shape is None else array.reshape(shape)

        return numeric

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return M (n, n) at a configuration of the robot, as `dynamics.mass_matrix`."""
        return self._numeric("M")(*self._angles(q))

    def gravity_torques(self, q: ArrayLike) -> Array:
        """Return τ_g (n,) at a configuration of the robot, as `dynamics.gravity_torques`."""
        return self._numeric("tau_g")(*self._angles(q))

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return C (n, n) at a state of the robot, as `dynamics.coriolis_matrix`."""
        return self._numeric("C")(*self._angles(q), *check_velocity(self.robot, v))

    @cached_property
    def _numeric(self) -> Callable[[str], Callable[..., Array]]:
        return cache(self.lambdify)

    def _term(self, term: str) -> Matrix:
        if term not in _TERMS:
            raise ConfigurationError(unknown("term", term, _TERMS))
        return getattr(self, term)

    def _angles(self, q: ArrayLike) -> list[float]:
        """Return one number per joint: continuous joints have (cos, sin) in q."""
        q = check_configuration(self.robot, q)
        angles = []
        for joint in list(self.robot._model.joints)[1:]:
            part = q[joint.idx_q : joint.idx_q + joint.nq]
            angles.append(float(part[0] if joint.nq == 1 else np.arctan2(part[1], part[0])))
        return angles

    def __repr__(self) -> str:
        return f"Equations({self.robot.name!r}, {len(self.q)} joints)"


_VECTORS = ("tau_g", "bias")
_TERMS = ("M", "C", *_VECTORS)


def from_robot(robot: Robot, *, symbols: bool = False, most_joints: int = 6) -> Equations:
    """Return M, C and τ_g of a robot with a fixed base, in closed form.

    The numbers of its file are converted to exact ones: 0.3 is 3/10, 0.70710678… is √2/2; others
    give decimal coefficients with 17 digits.

    Args:
        robot: with revolute and prismatic joints about any axis, a chain or tree.
        symbols: masses m_i, centres of mass c_ix …, inertias I_ixx …, joint positions p_ix …,
            rotor inertias a_i and gravity g as symbols, i the joint; zeros, angles and axes stay
            numbers.
        most_joints: refuse robots with more; the closed forms grow fivefold per joint.

    Raises:
        ConfigurationError: not a robot.
        ModelError: a floating base, other joints, no joint, or more than `most_joints`.
    """
    boolean(symbols, "symbols")
    _check(robot, whole_number(most_joints, "most_joints", at_least=1))
    n = robot.nv
    q, v = (sp.symbols(f"{name}_1:{n + 1}", real=True) for name in "qv")
    given = Parameters(symbols)
    rotors = enumerate(np.asarray(robot._model.armature, dtype=float), start=1)
    M = sp.diag(*(given.number(f"a_{i}", rotor) for i, rotor in rotors))
    tau_g = sp.zeros(n, 1)
    for link in _links(robot, q, given):
        M += link.mass * link.Jt.T * link.Jt + link.Jr.T * link.inertia * link.Jr
        tau_g += link.mass * link.Jt.T * link.gravity
    places = [(i, j) for i in range(n) for j in range(i, n)]
    closed = {}
    for i, j in progress_bar(places, desc="mass matrix", unit="entry"):
        closed[i, j] = closed[j, i] = rounded(closed_form(M[i, j]))
    M = sp.ImmutableMatrix(n, n, lambda i, j: closed[i, j])
    return Equations(robot, q, v, M, rounded(closed_form(tau_g)), given.values)


def _links(robot: Robot, q: tuple[Any, ...], given: Parameters) -> Iterator[Link]:
    """Return the moving links, parents first; each Jacobian is the parent's, shifted by the joint.

    ω_i = Rᵀ ω_p + a v_i            a the axis of a revolute joint
    v_i = Rᵀ (v_p + ω_p × r) + a v_i          or of a prismatic joint
    """
    model, joint_data = robot._model, robot._model.createData().joints
    at_rest = sp.zeros(3, robot.nv)
    origin, turning = {0: at_rest}, {0: at_rest}
    gravity = {0: given.gravity(np.array(model.gravity.linear))}
    for i in range(1, model.njoints):
        parent, column = model.parents[i], model.joints[i].idx_v
        slide, axis = np.split(np.asarray(joint_data[i].S, dtype=float).reshape(6), 2)
        start = given.vector(f"p_{i}", model.jointPlacements[i].translation)
        R, r = _placement(model.jointPlacements[i].rotation, start, slide, axis, q[column])
        own = [sp.zeros(3, robot.nv), sp.zeros(3, robot.nv)]
        own[0][:, column], own[1][:, column] = exact_matrix(slide), exact_matrix(axis)
        carried = origin[parent] - skew(r) * turning[parent]
        origin[i] = closed_form(R.T * carried + own[0])
        turning[i] = closed_form(R.T * turning[parent] + own[1])
        gravity[i] = closed_form(R.T * gravity[parent])
        body = model.inertias[i]
        Jt = closed_form(origin[i] - skew(given.vector(f"c_{i}", body.lever)) * turning[i])
        I = given.inertia(f"I_{i}", body.inertia)  # noqa: E741
        yield Link(given.number(f"m_{i}", body.mass), I, Jt, turning[i], gravity[i])


def _placement(
    turned: Array, start: Matrix, slide: Array, axis: Array, x: Any
) -> tuple[Matrix, Matrix]:
    """Return R_parent_child and the child's origin in the parent, the joint at x."""
    R = exact_matrix(turned)
    if axis.any():
        return R * turn_about(exact_matrix(axis), x), start
    return R, start + R * exact_matrix(slide) * x


def _check(robot: Robot, most_joints: int) -> None:
    check_robot(robot)
    if robot.is_floating:
        raise ModelError(
            f"{robot.name!r}: got a floating base, whose velocity is the rate of no coordinates; "
            'expected a fixed one: load it with base="fixed"'
        )
    if not 1 <= robot.nv <= most_joints:
        raise ModelError(
            f"{robot.name!r}: got {robot.nv} degrees of freedom; expected 1 to {most_joints}: lock "
            "some joints (load(…, lock=…)) or raise most_joints and wait"
        )
    joints = zip(robot._model.names, robot._model.joints, strict=True)
    for name, joint in list(joints)[1:]:
        kind = joint.shortname().removeprefix("JointModel")
        if joint.nv != 1 or not kind.startswith(("R", "P")):
            raise ModelError(
                f"{robot.name!r}: got joint {name!r} ({kind}); expected revolute, prismatic"
            )
