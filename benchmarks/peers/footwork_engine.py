"""footwork: dynamics.batch, arrays with a state a row, into reused arrays."""

import numpy as np

import footwork as fw
from footwork.dynamics import batch


class Engine:
    convention, joints = None, None

    def __init__(self, folder):
        self.robot = fw.load(folder / "robot.urdf", base="floating")
        self.version = f"footwork {fw.__version__}"

    def works(self, q, v, a, forces):
        robot, tau = self.robot, forces[:, 6:].copy()
        vectors, matrices = np.zeros_like(v), np.zeros((len(q), robot.nv, robot.nv))
        return {
            "inverse dynamics": lambda: batch.inverse_dynamics(robot, q, v, a, out=vectors),
            "bias": lambda: batch.bias(robot, q, v, out=vectors),
            "mass matrix": lambda: batch.mass_matrix(robot, q, out=matrices),
            "forward dynamics": lambda: batch.forward_dynamics(robot, q, v, tau, out=vectors),
        }
