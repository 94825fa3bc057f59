"""Terms of one state against Pinocchio's bare calls, in one run.

The bare calls work on arrays that are right, in a `pin.Data` that is there; ours check what they
are given and return arrays of their own. Three tables: single functions; what a contact set needs
of a State that is there; and everything that a whole-body controller reads in a tick, `terms()`
against the same calls by hand. Values are compared before anything is timed; the two take turns in
one process, CPU time, medians. Run: python benchmarks/terms.py
"""

from __future__ import annotations

import os

import measuring  # before NumPy: one thread
import numpy as np
import pinocchio as pin

import footwork as fw
from footwork import contacts
from footwork import dynamics as dyn

os.environ.setdefault("FOOTWORK_COMPILE", "now")  # or the first calls would be Pinocchio's
ROBOTS = ("talos", "anymal", "solo12", "biped")


def by_hand(model, data, q, v, frames):
    pin.computeAllTerms(model, data, q, v)
    M, b, g = np.array(data.M), np.array(data.nle), -np.array(data.g)
    c, J_com, A = np.array(data.com[0]), np.array(data.Jcom), np.array(data.Ag)
    pin.computeCentroidalMomentumTimeVariation(model, data, q, v, np.zeros(model.nv))
    dh = np.array(data.dhg.vector)
    at_feet = []
    for frame in frames:
        pin.updateFramePlacement(model, data, frame)
        aligned = pin.LOCAL_WORLD_ALIGNED
        J = np.array(pin.getFrameJacobian(model, data, frame, aligned))
        drift = pin.getFrameClassicalAcceleration(model, data, frame, aligned).vector
        at_feet += [J, np.array(drift)]
    return [M, b + g, b, g, c, J_com, A, dh, *at_feet]


def by_terms(robot, q, v, frames):
    t = dyn.terms(robot, q, v)
    at_feet = []
    for frame in frames:
        at_feet += [t.frame_jacobian(frame), t.frame_drift(frame)]
    return [
        *(t.mass_matrix, t.coriolis_force, t.bias, t.gravity_torques, t.com, t.com_jacobian),
        *(t.centroidal_map, t.centroidal_drift, *at_feet),
    ]


def functions(robot, data, q, v, a):
    """{name: (bare call, ours)}."""
    model, tau = robot.model, np.linspace(-1, 1, robot.na)
    forces = robot.selection_matrix.T @ tau

    def stacked():
        columns = [pin.computeCoriolisMatrix(model, data, q, x) for x in np.eye(robot.nv)]
        return np.stack(columns, axis=-1)

    return {
        "mass_matrix": (lambda: pin.crba(model, data, q), lambda: dyn.mass_matrix(robot, q)),
        "bias": (lambda: pin.nonLinearEffects(model, data, q, v), lambda: dyn.bias(robot, q, v)),
        "inverse_dynamics": (
            lambda: pin.rnea(model, data, q, v, a),
            lambda: dyn.inverse_dynamics(robot, q, v, a),
        ),
        "forward_dynamics": (
            lambda: pin.aba(model, data, q, v, forces),
            lambda: dyn.forward_dynamics(robot, q, v, tau),
        ),
        "coriolis_tensor, by nv matrices": (stacked, lambda: dyn.coriolis_tensor(robot, q)),
    }


def of_contacts(robot, data, q, v):
    """{name: (bare calls, ours)}, on kinematics that are there."""
    model, feet = robot.model, contacts.at_feet(robot)
    state = dyn.State(robot, q, v)
    frames = [robot.frame_id(contact.frame) for contact in feet]
    aligned = pin.LOCAL_WORLD_ALIGNED

    def jacobians():
        return [
            (
                pin.updateFramePlacement(model, data, i),
                pin.getFrameJacobian(model, data, i, aligned),
            )
            for i in frames
        ]

    def drifts():
        return [
            (
                pin.updateFramePlacement(model, data, i),
                pin.getFrameClassicalAcceleration(model, data, i, aligned).vector,
            )
            for i in frames
        ]

    pin.computeJointJacobians(model, data, q)
    pin.forwardKinematics(model, data, q, v, np.zeros(robot.nv))
    return {
        "ContactSet.jacobian": (jacobians, lambda: feet.jacobian(state)),
        "ContactSet.drift": (drifts, lambda: feet.drift(state)),
    }


def compare(title, pairs, rounds, calls):
    """Print one line a pair, and return what was measured."""
    print(f"\n{title:32} {'Pinocchio':>10} {'ours':>10} {'ratio':>6}   (µs, CPU)")
    kept = {}
    for name, (bare, ours) in pairs.items():
        for work in (bare, ours):
            measuring.cpu(work, 6000)  # kernels that are on disk are loaded by then
        theirs, mine = [], []
        for _ in range(rounds):
            theirs.append(measuring.cpu(bare, calls))
            mine.append(measuring.cpu(ours, calls))
        kept[name] = {"pinocchio": theirs, "ours": mine}
        x, y = np.median(theirs) * 1e6, np.median(mine) * 1e6
        print(f"{name:32} {x:10.1f} {y:10.1f} {y / x:6.2f}")
    return kept


def main():
    options = measuring.flags(__doc__).parse_args()
    rounds, kept = 3 if options.quick else 15, {}
    for name in ROBOTS:
        robot = fw.load(name)
        rng = np.random.default_rng(0)
        q = robot.random_configuration(rng)
        v, a = rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)
        frames = robot.frame_names[-2:]
        model = robot.model  # a copy
        ids, data = [robot.frame_id(f) for f in frames], model.createData()
        pairs = zip(by_hand(model, data, q, v, ids), by_terms(robot, q, v, frames), strict=True)
        assert all(np.allclose(x, y, atol=1e-9) for x, y in pairs)
        single = functions(robot, data, q, v, a)
        for bare, ours in single.values():
            symmetric = bare()
            symmetric = (
                np.triu(symmetric) + np.triu(symmetric, 1).T if symmetric.ndim == 2 else symmetric
            )
            assert np.allclose(symmetric, ours(), atol=1e-9)
        everything = {
            "terms": (
                lambda: by_hand(model, data, q, v, ids),  # noqa: B023
                lambda: by_terms(robot, q, v, frames),  # noqa: B023
            )
        }
        kept[name] = {
            **compare(f"{name}, nv = {robot.nv}", single, rounds, 1000),
            **compare("contacts, on a State", of_contacts(robot, data, q, v), rounds, 1000),
            **compare("everything", everything, rounds, 300),
        }
    measuring.keep(options, kept)


if __name__ == "__main__":
    main()
