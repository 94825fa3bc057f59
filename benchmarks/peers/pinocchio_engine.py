"""Pinocchio from Python: a loop over its functions, results kept in reused arrays."""

import numpy as np
import pinocchio as pin


class Engine:
    convention, joints = None, None

    def __init__(self, folder):
        text = (folder / "robot.urdf").read_text()
        self.model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        self.version = f"Pinocchio {pin.__version__}"

    def works(self, q, v, a, forces):
        model, data = self.model, self.model.createData()
        vectors, matrices = np.zeros_like(v), np.zeros((len(q), model.nv, model.nv))

        def loop(out, function):
            def run():
                for i in range(len(q)):
                    out[i] = function(i)
                return out

            return run

        return {
            "inverse dynamics": loop(vectors, lambda i: pin.rnea(model, data, q[i], v[i], a[i])),
            "bias": loop(vectors, lambda i: pin.nonLinearEffects(model, data, q[i], v[i])),
            "mass matrix": loop(matrices, lambda i: pin.crba(model, data, q[i])),
            "forward dynamics": loop(
                vectors, lambda i: pin.aba(model, data, q[i], v[i], forces[i])
            ),
        }
