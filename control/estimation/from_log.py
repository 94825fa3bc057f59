"""Contact wrenches from a sensor log: the estimated motion, its momentum residual, and the fit.

`momentum_residual` finds the generalised forces that torques do not explain, `wrench_fit` the
contact wrenches that explain these best.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...contacts import ContactSet, at_feet
from ...contacts.equilibrium.balance import weight
from ...contacts.schedules.masks import columns as by_column
from ...contacts.schedules.masks import hysteresis
from ...dynamics.closures import require_no_closures
from ...progress import with_progress
from ...robots.configuration import check_configuration
from ...robots.values import instance, mapping, number
from .agreement import imu_doubts
from .estimator import OFF, ON, Estimator
from .momentum_residual import MomentumResidual
from .sensor_log import SensorLog
from .sensors import Sensors
from .wrench_fit import NormalEquations, fit, normal_std
from .wrenches import ContactWrenches

SURE = 3.0  # standard deviations above which a load is one
CONTRARY = 0.3  # share of the samples, of a switch that is not as the load


@with_progress
def contact_wrenches(
    log: SensorLog,
    contacts: ContactSet | None = None,
    *,
    sensors: Sensors | None = None,
    start: ArrayLike | None = None,
    cutoff: float = 30.0,
    progress: bool | None = None,
) -> ContactWrenches:
    """Return what the ground did to a robot, from the readings of its sensors.

    The wrenches w (dim,) of the contacts that touch, world axes [N, N·m], that best explain what
    the torques leave unexplained, within the exact limits of `contacts.ContactLimits`:

        r = M a + vᵀCv − τ_g − Sᵀτ,      min (r − Jᵀw)ᵀ Σ⁻¹ (r − Jᵀw),      cov(w) = (J Σ⁻¹ Jᵀ)⁻¹,

    with r (nv,) low-passed without lag, Σ its covariance due to the sensors' noise, and the motion
    by an `Estimator`. A contact touches where `log.touching` says so; without switches, where its
    normal force exceeds 0.04 of the weight, if it reaches 0.08. r is the residual of a momentum
    observer (A. De Luca, R. Mattone 2005) before its filter.

    Args:
        log: encoders, torques and IMU.
        contacts: which may touch; the robot's feet when not given.
        sensors: how good they are; `Sensors()` when not given.
        start: q (nq,) at the first sample; when not given, as `Estimator` has it.
        cutoff: of the filter [Hz].
        progress: draw bars on stderr; when not given, if that is a terminal.

    Raises:
        ConfigurationError: gaps in the log, switches of no such contact, a cut-off that is not
            below half its rate.
        ContactError: contacts that do not fit the robot.
        SolverError: no wrenches were found within the contacts' limits.
        ModelError: a robot with closures, whose forces change the momentum too.
    """
    robot = instance(log, "log", SensorLog).robot
    require_no_closures(robot, "contact_wrenches")
    cutoff = number(cutoff, "cutoff", above=0, unit="[Hz]")
    contacts = at_feet(robot) if contacts is None else ContactSet.of(robot, contacts)
    mapping(log.touching or {}, "touching", contacts.names, kind="contact")
    q = None if start is None else check_configuration(robot, start, "start")
    estimator = Estimator(robot, contacts, q, sensors=sensors)
    residual = MomentumResidual.of(log, estimator, cutoff)
    equations = NormalEquations.of(contacts, residual)
    touching, pushing, doubts = _touching(log, contacts, equations)
    found = fit(contacts, equations, residual.q, pushing)
    w, dim = found.w, np.array([contact.dim for contact in contacts])
    left = equations.least - (2 * equations.b * w).sum(axis=1)
    left += np.einsum("ni,nij,nj->n", w, equations.A, w)
    misfit = np.sqrt(np.maximum(left, 0.0) / np.maximum(robot.nv - pushing @ dim, 1))
    doubts += imu_doubts(
        contacts, residual.q, residual.v[:, 6:], log.gyro[1:], touching,
        estimator.sensors.placement(robot)[:3, :3], float(np.median(np.diff(log.t))),
    )  # fmt: skip
    return ContactWrenches(
        robot, residual.t, residual.q, residual.v, residual.a, contacts, touching, w,
        found.covariance, found.limited, misfit, cutoff, (*log.notes, *log.doubts, *doubts),
    )  # fmt: skip


def _loads(contacts: ContactSet, equations: NormalEquations) -> tuple[Array, Array]:
    """Normal forces of all contacts (n, C), as if none were known not to touch, and their standard
    deviations [N]."""
    P, normals = np.asarray(np.linalg.inv(equations.A), dtype=float), equations.normals
    w = (P @ equations.b[:, :, None])[:, :, 0]
    forces = np.stack([w[:, contacts.rows(name)][:, :3] for name in contacts.names], axis=1)
    return (normals * forces).sum(axis=2), normal_std(contacts, normals, P)


def _touching(
    log: SensorLog, contacts: ContactSet, equations: NormalEquations
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], list[str]]:
    """Which contacts touch (n, C) in the intervals between the samples, which push, and whose
    switches contradict that, in words.

    A filter without lag spreads what a foot does at its landing: it pushes before.
    """
    doubts = list[str]()
    (mean, std), newtons = _loads(contacts, equations), weight(contacts.robot)
    touching = by_column(hysteresis, mean > ON * newtons, mean > OFF * newtons)
    for k, name in enumerate(contacts.names):
        if log.touching is not None and name in log.touching:
            told = log.touching[name][1:]  # until the later sample
            if (wrong := float((told != touching[:, k]).mean())) > CONTRARY:
                share = f"{100 * wrong:.0f} % of the samples"
                doubts.append(f"touching.{name}: it contradicts the load in {share}")
            touching[:, k] = told
    return touching, touching | (mean > SURE * std), doubts
