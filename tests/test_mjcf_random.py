"""Random MJCF means to us what it means to MuJoCo: M, bias, places, limits, names."""

import warnings
from functools import cache

import numpy as np
import pytest
from as_in_mujoco import moves_alike

from footwork import FootworkWarning, load
from footwork import dynamics as dyn

mujoco = pytest.importorskip("mujoco")

SHAPES = ("sphere", "capsule", "cylinder", "box", "ellipsoid")


class Writer:
    """Writes a random model; what it names is unique."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.degrees, self.auto = self.chance(0.6), self.chance(0.7)
        self.classes, self.hinges, self.count = ["main"], [], 0

    def chance(self, p):
        return self.rng.random() < p

    def one_of(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def maybe(self, p, text):
        return text if self.chance(p) else ""

    def numbers(self, n, low=-1.0, high=1.0):
        return " ".join(f"{x:.4g}" for x in self.rng.uniform(low, high, n))

    def angles(self, n):
        most = 180 if self.degrees else np.pi
        return self.numbers(n, -most, most)

    def name(self, kind):
        self.count += 1
        return f"{kind}_{self.count}"

    def range_of(self, key, low, high, switch):
        limits = f'{key}="{self.numbers(1, 2 * low, low)} {self.numbers(1, high, 2 * high)}"'
        asked = self.one_of(f' {switch}="true"', f' {switch}="false"')
        return f" {limits}{'' if self.auto else asked}"

    def turned(self):
        quat, euler = f' quat="{self.numbers(4)}"', f' euler="{self.angles(3)}"'
        about = f' axisangle="{self.numbers(3)} {self.angles(1)}"'
        axes, z = f' xyaxes="{self.numbers(6)}"', f' zaxis="{self.numbers(3)}"'
        return self.one_of("", quat, euler, about, axes, z)

    def placed(self):
        return self.maybe(0.7, f' pos="{self.numbers(3)}"') + self.turned()

    def of_class(self, key="class"):
        return self.maybe(0.25, f' {key}="{self.one_of(*self.classes)}"')

    # --- elements --------------------------------------------------------------------------

    def model(self):
        sequence = "".join(self.one_of(c, c.upper()) for c in self.one_of("xyz", "zyx", "zxz"))
        compiler = f'<compiler angle="{"degree" if self.degrees else "radian"}"'
        compiler += "" if self.auto else ' autolimits="false"'
        for p, text in (
            (0.4, f'eulerseq="{sequence}"'),
            (0.1, 'boundmass="0.5"'),
            (0.1, 'boundinertia="0.05"'),
            (0.1, 'inertiafromgeom="true"'),
            (0.2, 'inertiagrouprange="0 3"'),
            (0.1, 'balanceinertia="true"'),
            (0.1, 'fusestatic="true"'),
        ):
            compiler += self.maybe(p, f" {text}")
        option = self.maybe(0.3, f'<option gravity="{self.numbers(3, -9, 9)}"/>')
        known = [self.default(2), self.default(1)] if self.chance(0.7) else []
        world = f"<worldbody>{self.body(0)}</worldbody>"
        if self.chance(0.3):
            frame = f"<worldbody><frame{self.placed()}>"
            world = world.replace("<worldbody>", frame).replace("</w", "</frame></w")
        motors = "".join(self.actuator() for _ in range(self.rng.integers(5)) if self.hinges)
        parts = [option, *known, world, f"<actuator>{motors}</actuator>"]
        return f"<mujoco>{compiler}/>{''.join(parts)}</mujoco>"

    def default(self, depth, nested=False):
        joint = self.maybe(0.5, f' type="{self.one_of("hinge", "slide")}"')
        joint += self.maybe(0.4, f' axis="{self.numbers(3)}"') + self.inner_forces()
        text = f"<joint{joint}/><geom{self.weight()}/><site{self.placed()}/>"
        text += self.maybe(0.5, self.actuator(law=""))
        name = self.name("class")
        for _ in range(depth):
            text += self.default(depth - 1, nested=True)
        if nested:
            self.classes.append(name)
        own = f' class="{name}"' if nested else ""
        return f"<default{own}>{text}</default>"

    def body(self, depth):
        free = depth == 0 and self.chance(0.6)
        joints = 0 if free else int(self.one_of(0, 1, 1, 1, 2, 3))
        parts = [self.joint(alone=joints == 1) for _ in range(joints)]
        parts += [self.geom() for _ in range(self.rng.integers(1, 3))] + [self.site()]
        if depth < 3:
            parts += [self.body(depth + 1) for _ in range(self.rng.integers(0, 3))]
        parts += [self.repeated()] * self.chance(0.1)
        some = self.rng.integers(len(parts))
        framed = f"<frame{self.placed()}{self.of_class('childclass')}>{parts[some]}</frame>"
        parts[some] = framed if self.chance(0.4) else parts[some]
        first = self.one_of("<freejoint/>", '<joint type="free"/>') if free else ""
        first += self.maybe(0.4, self.inertial())
        own = f'name="{self.name("body")}"{self.placed()}{self.of_class("childclass")}'
        return f"<body {own}>{first}{''.join(parts)}</body>"

    def repeated(self):
        inside = f'<body name="{self.name("copy")}"{self.placed()}>'
        inside += f'<joint axis="{self.numbers(3)}"/>'
        inside += f'<geom size=".1 .1 .1" mass="1"/>{self.site()}</body>'
        count, sep = self.one_of(1, 3, 10), self.one_of("", ' sep="_"')
        if self.chance(0.3):
            inside = f'<replicate count="2" offset="{self.numbers(3)}">{inside}</replicate>'
        steps = f'offset="{self.numbers(3)}" euler="{self.angles(3)}"{sep}'
        return f'<replicate count="{count}" {steps}>{inside}</replicate>'

    def inner_forces(self):
        keys = ("armature", "damping", "frictionloss", "stiffness")
        return "".join(self.maybe(0.3, f' {key}="{self.numbers(1, 0, 1)}"') for key in keys)

    def joint(self, alone):
        kind = "ball" if alone and self.chance(0.15) else self.one_of("hinge", "slide")
        name = self.name("joint")
        text = f' name="{name}" type="{kind}" pos="{self.numbers(3)}"{self.inner_forces()}'
        axis = self.one_of("1 0 0", "0 1 0", "0 0 -1", self.numbers(3))
        text += self.maybe(0.7, f' axis="{axis}"')
        if kind != "ball":
            self.hinges.append(name)
            text += self.maybe(0.3, f' ref="{self.numbers(1)}"')
            text += self.maybe(0.5, self.range_of("range", -1, 1, "limited"))
            limits = self.range_of("actuatorfrcrange", -9, 9, "actuatorfrclimited")
            text += self.maybe(0.2, limits)
        return f"<joint{text}{self.of_class()}/>"

    def weight(self):
        return self.one_of("", f' mass="{self.numbers(1, 0.1, 3)}"', ' density="500"')

    def geom(self):
        kind = self.one_of(*SHAPES)
        place = self.placed()
        if kind != "sphere" and self.chance(0.3):
            place = f' fromto="{self.numbers(6)}"'
        text = f' type="{kind}" size="{self.numbers(3, 0.05, 0.3)}"{place}{self.weight()}'
        text += self.maybe(0.15, ' shellinertia="true"')
        text += self.maybe(0.2, f' group="{self.rng.integers(6)}"')
        return f"<geom{text}{self.of_class()}/>"

    def inertial(self):
        where = f'pos="{self.numbers(3)}" mass="{self.numbers(1, 0.2, 4)}"'
        if self.chance(0.5):
            return f'<inertial {where} fullinertia="2 3 2.5 0.1 -0.2 0.3"/>'
        return f'<inertial {where} diaginertia="2 3 2.5"{self.turned()}/>'

    def site(self):
        return f'<site name="{self.name("site")}"{self.placed()}{self.of_class()}/>'

    def actuator(self, law=None):
        kind = self.one_of("motor", "position", "velocity", "general", "cylinder")
        text = self.maybe(0.4, self.range_of("ctrlrange", -3, 2, "ctrllimited"))
        text += self.maybe(0.4, self.range_of("forcerange", -20, 30, "forcelimited"))
        text += self.maybe(0.4, f' gear="{self.numbers(2, -10, 10)}"')
        text += self.maybe(0.2, f' armature="{self.numbers(1, 0, 1)}"')
        if kind == "general":
            text += self.maybe(0.4, f' gainprm="{self.numbers(1, -5, 5)}"')
            bias = f"{self.numbers(1)} {self.one_of('0', self.numbers(1))}"
            text += self.maybe(0.3, f' biastype="affine" biasprm="{bias}"')
        keys = {"position": "kp", "velocity": "kv", "cylinder": "area"}
        if kind in keys:
            text += self.maybe(0.5, f' {keys[kind]}="{self.numbers(1, 1, 9)}"')
        if law is not None:
            return f"<{kind}{text}/>"
        at = f'joint="{self.one_of(*self.hinges)}"'
        return f'<{kind} name="{self.name("motor")}" {at}{text}{self.of_class()}/>'


@cache
def read(seed):
    """Return a random robot by us and by MuJoCo, the first of its seeds that MuJoCo accepts."""
    for more in range(9):
        text = Writer(seed + 1000 * more).model()
        try:
            model = mujoco.MjModel.from_xml_string(text)
        except ValueError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FootworkWarning)
            return load(text), model
    raise AssertionError("MuJoCo refuses them all")


@pytest.fixture(params=range(60))
def both(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file there
    return read(request.param)


def test_all_of_a_random_model_is_that_of_mujoco(both):
    robot, model = both
    q, data = moves_alike(model, robot, 1e-11)
    for i in range(model.nsite):
        T, theirs = dyn.frame_placement(robot, q, model.site(i).name), data.site(i)
        np.testing.assert_allclose(T.translation, theirs.xpos, atol=1e-11)
        np.testing.assert_allclose(T.rotation.ravel(), theirs.xmat, atol=1e-11)
    names = {model.body(i).name for i in range(1, model.nbody)}
    assert names - {""} <= set(robot.frame_names)


def test_joints_of_a_random_model_are_those_of_mujoco(both):
    robot, model = both
    pinocchio = robot.model
    for i in range(model.njnt):
        joint, kind = model.joint(i), mujoco.mjtJoint(model.jnt_type[i])
        if not joint.name or kind == mujoco.mjtJoint.mjJNT_FREE:
            continue
        own = pinocchio.joints[pinocchio.getJointId(joint.name)]
        assert pinocchio.damping[own.idx_v] == pytest.approx(np.ravel(joint.damping)[0])
        assert pinocchio.upperDryFrictionLimit[own.idx_v] == pytest.approx(joint.frictionloss[0])
        if kind != mujoco.mjtJoint.mjJNT_BALL:
            limits = joint.range if model.jnt_limited[i] else (-np.inf, np.inf)
            lower, upper = pinocchio.lowerPositionLimit, pinocchio.upperPositionLimit
            np.testing.assert_allclose([lower[own.idx_q], upper[own.idx_q]], limits)


def test_torque_limits_of_a_random_model_are_those_of_mujoco(both):
    """Of joints with one actuator: two that depend on the motion are not at their ends at once."""
    robot, model = both
    most = np.zeros(model.nv)
    for control in (-1e9, 1e9):
        for motion in (-1e7, 1e7):
            data = mujoco.MjData(model)
            hinges = model.jnt_qposadr[model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)]
            data.qpos[hinges], data.qvel[:], data.ctrl[:] = motion, motion, control
            for i in np.flatnonzero(model.actuator_actnum):  # cylinders: the control, filtered
                limited = model.actuator_ctrllimited[i]
                ends = model.actuator_ctrlrange[i] if limited else (-np.inf, np.inf)
                data.act[model.actuator_actadr[i]] = np.clip(control, *ends)
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            mujoco.mj_fwdActuation(model, data)
            most = np.maximum(most, abs(data.qfrc_actuator))
    driven = [model.actuator(i).trnid[0] for i in range(model.nu)]
    for i in set(driven):
        name, largest = model.joint(i).name, most[model.jnt_dofadr[i]]
        if driven.count(i) == 1 and name in robot.actuated:
            ours = robot.torque_limits[robot.actuated.index(name)]
            assert ours == pytest.approx(largest) or (ours == np.inf and largest > 1e5)
