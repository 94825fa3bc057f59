"""Wrenches and twists: moved, turned, added, and refused where that makes no sense."""

from __future__ import annotations

import pickle

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import Twist, Wrench

rng = np.random.default_rng(0)
F, M, P, Q, V, W = rng.standard_normal((6, 3))
R = pin.exp3(rng.standard_normal(3))


def test_a_moment_grows_with_the_lever():
    w = Wrench((0, 0, 10), point=(1, 0, 0)).at((0, 0, 0))
    assert w.moment == pytest.approx([0, -10, 0])  # r × f with r = (1, 0, 0)
    assert w.force == pytest.approx([0, 0, 10])


def test_moving_there_and_back():
    w = Wrench(F, M, P)
    assert w.at(Q).at(P).vector == pytest.approx(w.vector)
    assert w.at(Q).at(V).vector == pytest.approx(w.at(V).vector)


def test_power_is_the_same_at_every_point_and_in_all_axes():
    w, t = Wrench(F, M, P), Twist(V, W, P)
    power = F @ V + M @ W
    assert w.power(t) == pytest.approx(power)
    assert w.at(Q).power(t) == pytest.approx(power)
    assert w.at(Q).power(t.at(Q)) == pytest.approx(power)
    T = pin.SE3(R, Q)
    for change in (R, T):
        turned = w.expressed_in("foot", change).power(t.expressed_in("foot", change))
        assert turned == pytest.approx(power)
    assert w.power(np.r_[V, W]) == pytest.approx(power)


def test_moving_and_turning_commute():
    T = pin.SE3(R, Q)
    w = Wrench(F, M, P)
    a = w.at(V).expressed_in("foot", T)
    b = w.expressed_in("foot", T).at(T.act(V))
    assert a.vector == pytest.approx(b.vector)
    assert a.axes == "foot"


def test_agrees_with_pinocchios_action():
    T_world_foot = pin.SE3(R, P)
    w = Wrench(F, M, point=(0, 0, 0), axes="foot").expressed_in("world", T_world_foot)
    expected = T_world_foot.act(pin.Force(np.r_[F, M]))
    assert w.at((0, 0, 0)).vector == pytest.approx(expected.vector)


def test_sums_only_at_one_point_in_one_set_of_axes():
    a, b = Wrench(F, M, P), Wrench(V, W, Q)
    total = a + b.at(P)
    assert total.at(Q).vector == pytest.approx((a.at(Q) + b).vector)
    assert (a - a).vector == pytest.approx(np.zeros(6))
    assert (2 * a).vector == pytest.approx((a + a).vector)
    for other, message in [
        (b, "points"),
        (Wrench(V, W), "points"),
        (Wrench(V, W, P, "foot"), "axes"),
        (Twist(V, W, P), "no sum"),
    ]:
        with pytest.raises(fw.ConfigurationError, match=message):
            a + other
    for nonsense in (np.ones(6), 1.0):
        with pytest.raises(TypeError):
            a + nonsense
        with pytest.raises(TypeError):
            nonsense + a


def test_a_wrench_without_a_point_cannot_move():
    w = Wrench(F, M)
    with pytest.raises(fw.ConfigurationError, match="where it acts"):
        w.at(P)
    with pytest.raises(fw.ConfigurationError, match="points"):
        w.power(Twist(V, W, P))
    assert w.power(Twist(V, W)) == pytest.approx(F @ V + M @ W)


def test_a_mirror_is_no_rotation():
    with pytest.raises(fw.ConfigurationError, match="rotation"):
        Wrench(F, M, P).expressed_in("mirror", np.diag([1.0, 1.0, -1.0]))


def test_wrenches_hold_their_own_read_only_numbers():
    f = np.array([1.0, 2.0, 3.0])
    w = Wrench(f)
    f[0] = 9
    assert w.force[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        w.force[0] = 5


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_wrenches_on_links_are_external_torques(load_robot, random_state, base):
    robot = load_robot("tree", base)
    q, v, a = random_state(robot)
    wrenches = {
        "link_3": Wrench(F, M),
        "link_9": Wrench(V, W, point=P),
        "link_7": Wrench(W, F, point=Q, axes="local"),
        "link_2": Wrench(M, F, axes="link_5"),
    }
    with_them = dyn.inverse_dynamics(robot, q, v, a, wrenches)
    without = dyn.inverse_dynamics(robot, q, v, a)
    assert without - with_them == pytest.approx(dyn.external_torques(robot, q, wrenches))


def test_external_torques_do_the_power_of_the_wrench(load_robot, random_state):
    robot = load_robot("tree", "floating")
    q, v, _ = random_state(robot)
    T, J = dyn.frame_placement(robot, q, "link_3"), dyn.frame_jacobian(robot, q, "link_3")
    twist = Twist((J @ v)[:3], (J @ v)[3:], point=T.translation)
    wrench = Wrench(F, M, point=P)
    tau = dyn.external_torques(robot, q, {"link_3": wrench})
    assert tau @ v == pytest.approx(wrench.power(twist))


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_joint_wrenches_balance_every_link(load_robot, random_state, base):
    """Newton and Euler for each link: what its joints and the world do is the rate of momentum."""
    robot = load_robot("tree", base)
    q, v, a = random_state(robot)
    external = {"link_6": Wrench(F, M, point=P), "link_9": Wrench(V, W)}
    joints = dyn.joint_wrenches(robot, q, v, a, external)
    model, data, step = robot.model, robot.model.createData(), 1e-6
    rate = []
    for s in (-1, 1):
        pin.forwardKinematics(model, data, robot.integrate(q, s * step * v), v + s * step * a)
        moving = zip(data.oMi, model.inertias, data.v, strict=True)
        rate.append([T.act(inertia * twist).vector for T, inertia, twist in moving])
    origin = np.zeros(3)
    pin.forwardKinematics(model, data, q)
    for i in range(1, model.njoints):
        total = joints[model.names[i]].at(origin)
        for child in range(i + 1, model.njoints):
            if model.parents[child] == i:
                total = total - joints[model.names[child]].at(origin)
        for frame, wrench in external.items():
            if model.frames[robot.frame_id(frame)].parentJoint == i:
                p = dyn.frame_placement(robot, q, frame).translation
                placed = wrench if wrench.point is not None else Wrench(V, W, p)
                total = total + placed.at(origin)
        weight = model.inertias[i].mass * model.gravity.linear
        total = total + Wrench(weight, point=data.oMi[i].act(model.inertias[i].lever)).at(origin)
        change = (rate[1][i] - rate[0][i]) / (2 * step)
        assert np.abs(total.vector - change).max() < 1e-6
    tau = dyn.inverse_dynamics(robot, q, v, a, external) - model.armature * a
    assert v @ tau == pytest.approx(_power_through_joints(robot, q, v, joints), rel=1e-9)


def _power_through_joints(robot, q, v, joints):
    """Σ joint wrench · (twist of the child − twist of the parent)."""
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, q, v)
    twists = [Twist(np.zeros(3), np.zeros(3), np.zeros(3))]
    for i in range(1, robot.model.njoints):
        t = data.oMi[i].act(data.v[i])
        twists.append(Twist(t.linear, t.angular, np.zeros(3)))
    parents, names = robot.model.parents, robot.model.names
    joints_of = ((joints[names[i]], twists[i] - twists[parents[i]]) for i in range(1, len(twists)))
    return sum(wrench.power(twist) for wrench, twist in joints_of)


def test_vectors_there_and_back():
    for kind in (Wrench, Twist):
        screw = kind(F, M, P, "foot")
        again = kind.from_vector(screw.vector, P, "foot")
        assert again.vector == pytest.approx(screw.vector)
        assert again.axes == "foot"
        assert kind(F, M).from_vector(np.arange(6)).vector == pytest.approx(np.arange(6))
    with pytest.raises(TypeError):
        Wrench(F, M) * np.ones(3)
    with pytest.raises(fw.ConfigurationError, match="axes: got 3"):
        Wrench(F, M, P, 3)
    with pytest.raises(AttributeError):
        Wrench(F, M).force = F
    again = pickle.loads(pickle.dumps(Wrench(F, M, P)))
    assert (again.vector == Wrench(F, M, P).vector).all()
