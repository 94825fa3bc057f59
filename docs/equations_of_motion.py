"""Generator of docs/equations-of-motion.md: every term by two methods, and their difference.

The numbers of the page are computed here, by the very code that the page shows:
python docs/equations_of_motion.py
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np

import footwork as fw
from footwork import dynamics
from footwork.dynamics import jacobian_sums
from footwork.visualize.plots.axes import plot_series

HERE = Path(__file__).parent
ROBOTS = {"biped, floating base": ("biped", "floating"), "quadruped, fixed": ("quadruped", "fixed")}


EQUATION = r"""\begin{aligned}
M(q) \, a + v^\top C(q) \, v
&= S^\top \tau + \tau_g(q) + \sum_i J_i(q)^\top w_i + \tau_{\mathrm{ext}} \\
J_i(q) \, a + v^\top H_i(q) \, v &= 0
\end{aligned}"""

# What the code of the page stands on: the first block of the page, and what `state` runs.
SETUP = """\
import numpy as np

import footwork as fw
from footwork import dynamics
from footwork.dynamics import jacobian_sums

rng = np.random.default_rng(0)
robot = fw.load("{name}", base="{base}")
q = robot.random_configuration(rng)
v, a = rng.standard_normal((2, robot.nv))
tau = rng.standard_normal(robot.na)
link = robot.frame_names[-1]
push = {{link: fw.Wrench((10, 20, 30), (1, 2, 3), point=(0.1, 0.2, 0.3))}}
h = 1e-6


def M(q):
    return dynamics.mass_matrix(robot, q)"""


class Term(NamedTuple):
    """A row of the page: `code` and `reference` must agree to `tolerance`."""

    title: str
    formula: str
    code: str
    reference: str
    words: str
    tolerance: float = 1e-10


TERMS = [
    Term(
        "Mass matrix",
        r"M = \sum_i m_i J_i^{t\top} J_i^t + J_i^{R\top} I_i J_i^R + \mathrm{diag}(\alpha)",
        "dynamics.mass_matrix(robot, q)",
        "jacobian_sums.mass_matrix(robot, q)",
        r"The composite rigid body algorithm, and the sum over links $i$, with Jacobians $J_i^t$ "
        r"of their centres of mass and $J_i^R$ of their rotations, and armatures $\alpha$ of the "
        r"joints. $\frac{1}{2} v^\top M v$ is the kinetic energy.",
    ),
    Term(
        "Coriolis tensor",
        r"""\begin{aligned}
C v &= \sum_i m_i J_i^{t\top} \dot{J}_i^t + J_i^{R\top} I_i \dot{J}_i^R
- J_i^{R\top} [\omega_i]_\times \Sigma_i J_i^R \\
\Sigma_i &= \tfrac{1}{2} \mathrm{tr}(I_i) \, 1 - I_i
\end{aligned}""",
        "dynamics.coriolis_tensor(robot, q)",
        "jacobian_sums.coriolis_tensor(robot, q)",
        "The Coriolis matrix is linear in $v$, so it is the contraction $C v$ of a tensor with "
        "$v$; `C @ v` is Pinocchio's Coriolis matrix. Among the matrices with the same force "
        r"$v^\top C v$, it makes $\dot{M} - 2 C v$ skew-symmetric, on a floating base too.",
    ),
    Term(
        "Coriolis force, by Wieber's sum",
        r"C v = \sum_i m_i J_i^{t\top} \dot{J}_i^t + J_i^{R\top} I_i \dot{J}_i^R "
        r"- J_i^{R\top} [I_i J_i^R v]_\times J_i^R",
        "dynamics.coriolis_tensor(robot, q) @ v @ v",
        "jacobian_sums.coriolis_tensor_wieber(robot, q) @ v @ v",
        r"Wieber's and Caron's sum gives the same force $v^\top C v$, but a different matrix, see "
        "below.",
    ),
    Term(
        "Rate of the mass matrix",
        r"\dot{M} = C v + (C v)^\top",
        "dynamics.mass_matrix_derivative(robot, q, v)",
        "(M(robot.integrate(q, h * v)) - M(robot.integrate(q, -h * v))) / (2 * h)",
        r"Equivalent to skew symmetry of $\dot{M} - 2 C v$; compared with finite differences.",
        1e-7,
    ),
    Term(
        "Gravity",
        r"\tau_g = \sum_i m_i J_i^{t\top} g = m J_{\mathrm{com}}^\top g",
        "dynamics.gravity_torques(robot, q)",
        "robot.mass * dynamics.com_jacobian(robot, q).T @ robot.model.gravity.linear",
        "On the right-hand side: the negative gradient of the potential energy.",
    ),
    Term(
        "Bias",
        r"b = v^\top C v - \tau_g",
        "dynamics.bias(robot, q, v)",
        "dynamics.coriolis_tensor(robot, q) @ v @ v - dynamics.gravity_torques(robot, q)",
        "Inverse dynamics with $a = 0$.",
    ),
    Term(
        "External wrenches",
        r"\tau_{\mathrm{ext}} = \sum_k J_k^{t\top} f_k + J_k^{R\top} m_k",
        "dynamics.external_torques(robot, q, push)",
        "dynamics.bias(robot, q, v) - dynamics.inverse_dynamics(robot, q, v, 0 * v, push)",
        "`push = {link: Wrench(force, moment, point)}`, in world axes, on a named link.",
    ),
    Term(
        "Inverse dynamics",
        r"S^\top \tau = M a + v^\top C v - \tau_g - \tau_{\mathrm{ext}}",
        "dynamics.inverse_dynamics(robot, q, v, a, push)",
        "M(q) @ a + dynamics.bias(robot, q, v) - dynamics.external_torques(robot, q, push)",
        "The recursive Newton-Euler algorithm, and the sum of the terms.",
    ),
    Term(
        "Forward dynamics",
        r"a = M^{-1} (S^\top \tau + \tau_g + \tau_{\mathrm{ext}} - v^\top C v)",
        "robot.selection_matrix.T @ tau",
        "dynamics.inverse_dynamics(robot, q, v, dynamics.forward_dynamics(robot, q, v, tau, push), "
        "push)",
        r"The articulated body algorithm, then inverse dynamics, which returns $S^\top \tau$.",
        1e-9,
    ),
    Term(
        "Drift of a frame",
        r"\dot{J} v = v^\top H v",
        "dynamics.frame_drift(robot, q, v, link)",
        "dynamics.frame_hessian(robot, q, link) @ v @ v",
        "The acceleration of the frame at $a = 0$.",
    ),
    Term(
        "Momentum",
        r"A_g a + \dot{A}_g v = \sum_k w_k",
        "dynamics.centroidal_drift(robot, q, v)",
        "dynamics.centroidal_hessian(robot, q) @ v @ v",
        "The rate of the centroidal momentum is the sum of the external wrenches, about the centre "
        r"of mass; $\dot{A}_g v$ is that rate at $a = 0$.",
    ),
]


FURTHER = r"""## Further terms

| in code | what it is |
|---|---|
| `christoffel_symbols` | $\Gamma$ of the Coriolis tensor, symmetric in its last two indices |
| `potential_energy`, `kinetic_energy` | $V(q)$, $\frac{1}{2} v^\top M v$ |
| `com_drift`, `com_hessian` | $\dot{J}_{c} v$, and $\partial J_{c} / \partial q$ |
| `centroidal_map`, `centroidal_map_derivative` | $A_g$, $\dot{A}_g$ |
| `centroidal_momentum` | $h_g = A_g v$ |
| `frame_jacobian_derivative` | $\dot{J}$ of a frame |
| `point_jacobian`, `point_drift`, `point_hessian` | of a point fixed to a frame |
| `relative_placement`, `relative_jacobian`, `relative_drift` | of one frame relative to another |
| `com_coordinates` | coordinates with the centre of mass and a block-diagonal $M$ |
| `inverse_dynamics_derivatives`, `forward_dynamics_derivatives` | by $q$, $v$ and $a$ or $\tau$ |
| `contact_derivatives`, `linearise` | the same in contact; $A$, $B$ of regulators, in contact too |
| `torque_regressor`, `inertial_parameters` | $\tau = Y(q, v, a) \, \pi$ |
| `generalised_momentum`, `MomentumObserver` | $p = M v$, and an observer of external torques |
| `explain_by_wrenches` | contact wrenches that explain observed torques |
| `JointSprings`, `Trajectory` | springs and dampers at joints for `simulate`, and its result |
| `Twist` | velocity of a body, with its frame and point |
"""


def state(name: str, base: str) -> dict[str, object]:
    """Return the names that the code of the page uses, at a random state."""
    names: dict[str, object] = {}
    exec(SETUP.format(name=name, base=base), names)
    return names


def difference(term: Term, names: dict[str, object]) -> float:
    """Return the difference of the two methods, relative to the largest entry if that is over 1."""
    ours, other = (np.asarray(eval(text, dict(names))) for text in (term.code, term.reference))
    apart = float(np.abs(ours - other).max() / max(1.0, np.abs(ours).max()))
    if not apart <= term.tolerance:
        raise ArithmeticError(f"{term.title}: {apart:.1e} apart, expected {term.tolerance:.0e}")
    return apart


def skewness(names: dict[str, object], C: np.ndarray) -> float:
    """Return how far dM/dt − 2 (C @ v) is from skew, dM/dt by differences along the motion."""
    robot, q, v, h = names["robot"], names["q"], names["v"], 1e-6
    ahead, behind = (dynamics.mass_matrix(robot, robot.integrate(q, s * h * v)) for s in (1, -1))
    N = (ahead - behind) / (2 * h) - 2 * C @ v
    return float(np.abs(N + N.T).max())


def chaos(folder: Path) -> list[str]:
    """Draw two double pendulums that start 1e-9 rad apart; return their difference over time."""
    robot = fw.robots.double_pendulum(l1=1.0, l2=0.5, m1=1.0, m2=1.0)
    A = dynamics.absolute_angles(robot)
    theta, omega = np.array([np.pi / 10, np.pi / 3]), np.array([2 * np.pi, -6 * np.pi])
    runs = [
        dynamics.simulate(
            robot,
            np.linalg.solve(A, np.add(theta, (0.0, shift))),
            np.linalg.solve(A, omega),
            duration=20.0,
            step=0.02,
            integrator="dop853",
        )
        for shift in (0.0, 1e-9)
    ]
    first, second = ((run.q @ A.T)[:, 1] for run in runs)
    series = {"θ₂": first, "θ₂, started 1e-9 rad away": second}
    ax = plot_series(runs[0].t, series, "angle [rad]", "the same pendulum, twice")
    ax.figure.set_size_inches(7.2, 4.0)
    with matplotlib.rc_context({"svg.hashsalt": "footwork"}):
        ax.figure.savefig(folder / "double-pendulum-chaos.svg", metadata={"Date": None})
    apart = np.abs(first - second)
    return [
        f"| {t:.0f} s | {apart[round(t / 0.02)]:.0e} rad |" for t in (2.0, 5.0, 10.0, 15.0, 20.0)
    ] + ["", f"Energy meanwhile stays within {np.ptp(runs[0].energy):.0e} J."]


def page(folder: Path = HERE / "pictures") -> str:
    """Return the page; raises if the two methods of a term differ too much."""
    states = {title: state(*given) for title, given in ROBOTS.items()}
    lines = [
        "# Equations of motion, term by term",
        "",
        "![A biped that is pushed: gravity, the torques of its motors, the contact forces of its "
        "feet, and the push](pictures/terms.png)",
        "",
        "```math",
        EQUATION,
        "```",
        "",
        "Each term is computed by two methods: a recursive algorithm, and the textbook sum or",
        "finite differences. The tables show their difference at random states with a moving",
        "base, relative to the largest entry, computed by `python docs/equations_of_motion.py`.",
        "",
        "```python",
        SETUP.format(name="biped", base="floating"),
        "```",
        "",
    ]
    for term in TERMS:
        lines += [f"## {term.title}", "", "```math", term.formula, "```", "", term.words, ""]
        lines += ["```python", term.code, term.reference, "```", "", "| robot | difference |"]
        lines += ["|---|---|"]
        lines += [f"| {title} | {difference(term, s):.0e} |" for title, s in states.items()] + [""]
    lines += [FURTHER, "## Two Coriolis matrices, one force", ""]
    lines += [
        r"Deviation of $\dot{M} - 2 C v$ from skew symmetry for both sums, $\dot{M}$ by",
        "differences:",
        "",
    ]
    lines += ["| robot | ours | Wieber's sum |", "|---|---|---|"]
    for title, s in states.items():
        ours, theirs = (
            skewness(s, C(s["robot"], s["q"]))
            for C in (jacobian_sums.coriolis_tensor, jacobian_sums.coriolis_tensor_wieber)
        )
        lines.append(f"| {title} | {ours:.0e} | {theirs:.0e} |")
    lines += [
        "",
        "Passivity-based controllers and momentum observers need the first.",
        "",
        "## Chaotic motion",
        "",
        "Two simulations of a double pendulum whose initial angles differ by a billionth of a",
        "radian. After about twelve seconds no digit of an angle is significant, whatever the",
        "integrator; the energy remains so.",
        "",
        "![Angles of two double pendulums with initial angles a billionth of a radian apart]"
        "(pictures/double-pendulum-chaos.svg)",
        "",
        "| time | difference |",
        "|---|---|",
        *chaos(folder),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    (HERE / "equations-of-motion.md").write_text(page())


if __name__ == "__main__":
    main()
