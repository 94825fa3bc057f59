"""Drake from Python: a loop over MultibodyPlant's functions, results kept in reused arrays."""

from importlib.metadata import version

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces


class Engine:
    convention = "drake"

    def __init__(self, folder):
        self.plant = MultibodyPlant(0.0)
        Parser(self.plant).AddModelsFromString((folder / "robot.urdf").read_text(), "urdf")
        self.plant.Finalize()
        joints = [self.plant.get_joint(i) for i in self.plant.GetJointIndices()]
        joints = [joint for joint in joints if joint.num_velocities()]
        joints.sort(key=lambda joint: joint.velocity_start())
        assert joints[0].num_velocities() == 6  # the base is first
        self.joints = [joint.name() for joint in joints[1:]]
        self.version = f"Drake {version('drake')}"

    def works(self, q, v, a, forces):
        plant = self.plant
        context = plant.CreateDefaultContext()
        gravity = MultibodyForces(plant)
        applied = plant.get_applied_generalized_force_input_port()
        states = np.hstack([q, v])
        nv = plant.num_velocities()
        vectors, matrices = np.zeros_like(v), np.zeros((len(q), nv, nv))

        def loop(out, function):
            def run():
                for i in range(len(q)):
                    plant.SetPositionsAndVelocities(context, states[i])
                    out[i] = function(i)
                return out

            return run

        def inverse(i):
            plant.CalcForceElementsContribution(context, gravity)
            return plant.CalcInverseDynamics(context, a[i], gravity)

        def bias(i):  # CalcBiasTerm is without gravity
            return plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)

        def forward(i):
            applied.FixValue(context, forces[i])
            return plant.EvalTimeDerivatives(context).CopyToVector()[-nv:]

        return {
            "inverse dynamics": loop(vectors, inverse),
            "bias": loop(vectors, bias),
            "mass matrix": loop(matrices, lambda i: plant.CalcMassMatrix(context)),
            "forward dynamics": loop(vectors, forward),
        }
