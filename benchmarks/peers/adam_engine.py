"""adam on JAX: jit(vmap(...)) of its functions, on one core, velocities in the base's axes."""

from importlib.metadata import version

import jax_batch
from adam import Representations
from adam.jax import KinDynComputations
from adam_expressions import GRAVITY, base_poses, moving_joints


class Engine:
    convention, joints = None, None  # robot.urdf has the joints in our order

    def __init__(self, folder):
        jax_batch.keep_compiled(folder)
        urdf, joints = str(folder / "robot.urdf"), moving_joints(folder)
        self.adam = KinDynComputations(urdf, joints_name_list=joints, gravity=GRAVITY)
        self.adam.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
        self.version = f"adam {version('adam-robotics')} on JAX {version('jax')}"

    def works(self, q, v, a, forces):
        adam, compiled = self.adam, jax_batch.compiled
        H, s, base, joints, tau = base_poses(q), q[:, 7:], v[:, :6], v[:, 6:], forces[:, 6:]

        def inverse(H, s, base, joints, a):  # it has no function for this
            return adam.mass_matrix(H, s) @ a + adam.bias_force(H, s, base, joints)

        return {
            "inverse dynamics": compiled(inverse, H, s, base, joints, a),
            "bias": compiled(adam.bias_force, H, s, base, joints),
            "mass matrix": compiled(adam.mass_matrix, H, s),
            "forward dynamics": compiled(adam.aba, H, s, base, joints, tau),
        }
