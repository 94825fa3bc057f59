"""frax: jit(vmap(...)) of its functions, on one core."""

from importlib.metadata import version

import frax
import jax_batch
from jax import numpy as jnp


class Engine:
    convention = "mujoco"

    def __init__(self, folder):
        jax_batch.keep_compiled(folder)
        self.robot = frax.Robot(str(folder / "robot.urdf"), floating_base="quaternion")
        self.joints = list(self.robot.joint_names)[-self.robot.num_actuated_joints :]
        self.version = f"frax {version('frax')} on JAX {version('jax')}"

    def works(self, q, v, a, forces):
        robot, gravity = self.robot, jnp.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])

        def inverse(q, v, a):
            return robot.rnea(q, v, a, gravity, None)

        def forward(q, v, tau):
            return robot.forward_dynamics(q, v, tau, None)

        return {
            "inverse dynamics": jax_batch.compiled(inverse, q, v, a),
            "bias": jax_batch.compiled(robot.nonlinear_bias, q, v),
            "mass matrix": jax_batch.compiled(robot.crba, q),
            "forward dynamics": jax_batch.compiled(forward, q, v, forces),
        }
