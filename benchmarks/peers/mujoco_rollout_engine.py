"""MuJoCo's rollout: one step of each state by a loop in C, a second long, so that a = v' − v."""

import mujoco
import mujoco_engine
import numpy as np
from mujoco import rollout


class Engine(mujoco_engine.Engine):
    def works(self, q, v, a, forces):
        model, data = self.model, mujoco.MjData(self.model)
        model.opt.timestep = 1.0
        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        start = np.hstack([np.zeros((len(q), 1)), q, v])
        assert start.shape[1] == mujoco.mj_stateSize(model, full)
        control, kind = forces[:, None, :].copy(), mujoco.mjtState.mjSTATE_QFRC_APPLIED
        after = np.zeros((len(q), 1, start.shape[1]))

        def step():
            rollout.rollout(
                model, data, start, control, control_spec=kind.value, nstep=1, state=after
            )
            return after[:, 0, -model.nv :] - v

        return {"forward dynamics": step}
