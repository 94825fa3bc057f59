"""CasADi's code generation: adam's expressions as C, compiled by gcc, mapped over the states."""

import subprocess
from importlib.metadata import version
from pathlib import Path

import casadi as cs
import numpy as np
from adam import Representations
from adam.casadi import KinDynComputations
from adam_expressions import GRAVITY, base_poses, moving_joints

COMPILE = ("gcc", "-O3", "-march=native", "-fPIC", "-shared")


class Engine:
    convention, joints = None, None  # robot.urdf has the joints in our order

    def __init__(self, folder):
        urdf, joints = str(folder / "robot.urdf"), moving_joints(folder)
        self.folder, self.count = folder, len(joints)
        self.adam = KinDynComputations(urdf, joints_name_list=joints, gravity=GRAVITY)
        self.adam.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
        self.version = f"CasADi {version('casadi')} on adam {version('adam-robotics')}"

    def works(self, q, v, a, forces):
        n = self.count
        H, s, base, joints = (cs.SX.sym(x, *size) for x, size in sizes(n).items())
        acceleration, tau = cs.SX.sym("a", n + 6), cs.SX.sym("tau", n)
        M = self.adam.mass_matrix_fun()(H, s)
        b = self.adam.bias_force_fun()(H, s, base, joints)
        forward = self.adam.aba_fun()(H, s, base, joints, tau)
        poses = np.hstack(list(base_poses(q)))
        state, given = (H, s, base, joints), (poses, q[:, 7:].T, v[:, :6].T, v[:, 6:].T)
        many, nv = len(q), n + 6

        def rows(answer):
            return answer.T

        def matrices(answer):
            return answer.reshape(nv, many, nv).swapaxes(0, 1)

        return {
            "inverse dynamics": self.mapped(
                "inverse", (*state, acceleration), M @ acceleration + b, (*given, a.T), rows
            ),
            "bias": self.mapped("bias", state, b, given, rows),
            "mass matrix": self.mapped("mass", state[:2], M, given[:2], matrices),
            "forward dynamics": self.mapped(
                "forward", (*state, tau), forward, (*given, forces[:, 6:].T), rows
            ),
        }

    def mapped(self, name, symbols, expression, given, turned):
        """The compiled function on all states; its answers stay CasADi's until they are read."""
        where, library = self.folder / f"{name}.c", self.folder / f"{name}.so"
        if not library.exists():
            function = cs.Function(name, symbols, [cs.densify(expression)])
            function.generate(where.name)  # it knows names without a folder only
            Path(where.name).rename(where)
            subprocess.run([*COMPILE, str(where), "-o", str(library), "-lm"], check=True)
        many = given[-1].shape[1] // symbols[-1].shape[1]
        call = cs.external(name, str(library)).map(many)
        values = [cs.DM(value) for value in given]
        return Answers(lambda: call(*values), turned)


class Answers:
    """A call whose answer turns into an array only on request."""

    def __init__(self, call, turned):
        self.call, self.turned = call, turned

    def __call__(self):
        self.answer = self.call()
        return self

    def __array__(self, dtype=None, copy=None):
        return np.ascontiguousarray(self.turned(self.answer.full()))


def sizes(n):
    return {"H": (4, 4), "s": (n, 1), "base": (6, 1), "joints": (n, 1)}
