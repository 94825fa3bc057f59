"""terms() against the same Pinocchio calls by hand: what a whole-body controller reads each tick.

Both sides work out, and copy out of Pinocchio's memory, M, vᵀCv, b, τ_g, the centre of mass, J_com,
A_g, Ȧ_g v, and the Jacobian and drift of two frames. Values are compared before anything is timed;
the two take turns in one process, CPU time, medians. Run: python benchmarks/terms.py
"""

from __future__ import annotations

import measuring  # before NumPy: one thread
import numpy as np
import pinocchio as pin

import footwork as fw
from footwork import dynamics as dyn


def by_hand(robot, data, q, v, frames):
    model = robot.model
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


def main():
    options = measuring.flags(__doc__).parse_args()
    rounds, kept = 3 if options.quick else 15, {}
    print(f"{'robot':12} {'nv':>4} {'by hand':>10} {'terms':>10} {'ratio':>6}   (µs, CPU)")
    for name in ("talos", "anymal", "solo12", "biped"):
        robot = fw.load(name)
        rng = np.random.default_rng(0)
        q, v = robot.random_configuration(rng), rng.standard_normal(robot.nv)
        frames = robot.frame_names[-2:]
        ids, data = [robot.frame_id(f) for f in frames], robot.model.createData()
        pairs = zip(by_hand(robot, data, q, v, ids), by_terms(robot, q, v, frames), strict=True)
        assert all(np.allclose(x, y, atol=1e-9) for x, y in pairs)
        hand, ours = [], []
        for _ in range(rounds):
            hand.append(measuring.cpu(lambda: by_hand(robot, data, q, v, ids), 500))  # noqa: B023
            ours.append(measuring.cpu(lambda: by_terms(robot, q, v, frames), 500))  # noqa: B023
        kept[name] = {"by hand": hand, "terms": ours}
        a, b = np.median(hand) * 1e6, np.median(ours) * 1e6
        print(f"{name:12} {robot.nv:4d} {a:10.1f} {b:10.1f} {b / a:6.2f}")
    measuring.keep(options, kept)


if __name__ == "__main__":
    main()
