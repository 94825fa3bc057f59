"""MuJoCo from Python: a loop over the stages of its pipeline that a term needs, no more.

`mj_forward` does much besides forward dynamics, so its stages are called one by one. Contacts,
limits and passive forces are off.
"""

import mujoco
import numpy as np

FREE = '<link name="world"/><joint name="free" type="floating"><parent link="world"/>{}</joint>'
OPTIONS = '<mujoco><compiler balanceinertia="false" discardvisual="true"/></mujoco>'
OFF = (
    mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    | mujoco.mjtDisableBit.mjDSBL_CONTACT
    | mujoco.mjtDisableBit.mjDSBL_ACTUATION
)


class Engine:
    convention = "mujoco"

    def __init__(self, folder):
        text = (folder / "robot.urdf").read_text()
        extra = OPTIONS + FREE.format('<child link="base"/>') + "</robot>"
        self.model = mujoco.MjModel.from_xml_string(text.replace("</robot>", extra))
        self.model.opt.disableflags |= OFF
        names = [self.model.joint(i).name for i in range(self.model.njnt)]
        assert names[0] == "free", names
        self.joints, self.version = names[1:], f"MuJoCo {mujoco.__version__}"

    def works(self, q, v, a, forces):
        model, data = self.model, mujoco.MjData(self.model)
        vectors, matrices = np.zeros_like(v), np.zeros((len(q), model.nv, model.nv))

        def loop(out, function):
            def run():
                for i in range(len(q)):
                    data.qpos[:] = q[i]
                    function(i, out[i])
                return out

            return run

        def places():
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)

        def newton_euler(i, out, accelerations):
            data.qvel[:] = v[i]
            places()
            mujoco.mj_comVel(model, data)
            mujoco.mj_rne(model, data, accelerations, out)

        def inverse(i, out):
            data.qacc[:] = a[i]
            newton_euler(i, out, 1)

        def mass(i, out):
            places()
            mujoco.mj_makeM(model, data)
            mujoco.mj_fullM(model, data, out)

        def forward(i, out):
            data.qvel[:], data.qfrc_applied[:] = v[i], forces[i]
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            mujoco.mj_fwdAcceleration(model, data)
            out[:] = data.qacc_smooth

        return {
            "inverse dynamics": loop(vectors, inverse),
            "bias": loop(vectors, lambda i, out: newton_euler(i, out, 0)),
            "mass matrix": loop(matrices, mass),
            "forward dynamics": loop(vectors, forward),
        }
