"""Gauss's principle, impacts and operational space, by other methods than the library's."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from stances import posed

import footwork as fw
from footwork import ContactError, contacts, dynamics, robots
from footwork.contacts.motion import constrained, operational_space
from footwork.dynamics.kernels import toolchain

ROBOTS = ["biped", "quadruped"]


def soles_as_points(robot):
    """Four points on one sole: 12 rows of which 6 count."""
    sole = next(iter(contacts.at_feet(robot)))
    points = [sole.placement.act(np.append(corner, 0.0)) for corner in sole.corners]
    return contacts.ContactSet(
        robot, [contacts.PointContact(sole.frame, 0.5, offset=p) for p in points]
    )


def redundant_set(robot):
    """Both soles and the corners of one of them again: 24 rows of which 12 count."""
    return contacts.ContactSet(robot, [*contacts.at_feet(robot), *soles_as_points(robot)])


def state(robot, contact_set, seed, keep=True):
    """A state near the posture, the base moving; with `keep`, J v = 0."""
    rng = np.random.default_rng(seed)
    q = robot.integrate(robot.posture(), 0.2 * rng.standard_normal(robot.nv))
    v = rng.standard_normal(robot.nv)
    if keep:
        J = contact_set.jacobian(q)
        v = v - np.linalg.pinv(J, rcond=1e-10) @ (J @ v)
    return q, v, 10 * rng.standard_normal(robot.na)


def cases():
    biped, quadruped = robots.load("biped"), robots.load("quadruped")
    return {
        "two soles": (biped, contacts.at_feet(biped), 12, False),
        "four balls": (quadruped, contacts.at_feet(quadruped), 12, False),
        "corners of a sole": (biped, soles_as_points(biped), 6, True),
        "soles twice": (biped, redundant_set(biped), 12, True),
        "nothing": (biped, contacts.ContactSet(biped), 0, False),
    }


@pytest.fixture(scope="module", params=list(cases()))
def case(request):
    return cases()[request.param]


# --- forward dynamics ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_is_the_solution_of_the_kkt_system(case, seed):
    """[M −Jᵀ; J 0] [a; f] = [Sᵀτ − b; −J̇v], its least-norm solution by numpy."""
    robot, contact_set, rank, keep = case
    q, v, tau = state(robot, contact_set, seed, keep)
    a, f = contacts.constrained_forward_dynamics(robot, q, v, tau, contact_set)
    M, b = dynamics.mass_matrix(robot, q), dynamics.bias(robot, q, v)
    J, drift = contact_set.jacobian(q), contact_set.drift(q, v)
    n = len(J)
    K = np.block([[M, -J.T], [J, np.zeros((n, n))]])
    right = np.concatenate([robot.selection_matrix.T @ tau - b, -drift])
    solution = np.linalg.lstsq(K, right, rcond=1e-12)[0]
    assert a == pytest.approx(solution[: robot.nv], rel=1e-8, abs=1e-8)
    # of all f with the same Jᵀf the least: orthogonal to the null space of Jᵀ
    assert f == pytest.approx(np.linalg.pinv(J.T, rcond=1e-9) @ (J.T @ solution[robot.nv :]), 1e-7)
    assert constrained.constraint_rank(robot, q, contact_set) == rank
    motion = contacts.constrained_motion(robot, q, v, tau, contact_set)
    assert motion.rank == rank
    assert motion.redundant == (rank < contact_set.dim)
    assert motion.residual < 1e-9


@pytest.mark.parametrize("seed", range(2))
def test_balances_the_equations_of_motion(case, seed):
    """M a + b = Sᵀτ + Jᵀf + τ_ext and J a + J̇v = 0, with a push on the base."""
    robot, contact_set, _, keep = case
    q, v, tau = state(robot, contact_set, seed, keep)
    push = {robot.frame_names[2]: fw.Wrench([30, -20, 10], [1, 2, 3], point=[0.1, 0.2, 0.3])}
    a, f = contacts.constrained_forward_dynamics(robot, q, v, tau, contact_set, push)
    left = dynamics.mass_matrix(robot, q) @ a + dynamics.bias(robot, q, v)
    right = robot.selection_matrix.T @ tau + contact_set.jacobian(q).T @ f
    right += dynamics.external_torques(robot, q, push)
    assert left == pytest.approx(right, abs=1e-9 * max(1, np.abs(left).max()))
    assert contact_set.jacobian(q) @ a + contact_set.drift(q, v) == pytest.approx(0, abs=1e-9)


def test_minimises_gauss_function(case):
    """The minimum of ½ ‖a − a_free‖²_M over J a = −J̇v, in a null-space basis of numpy's."""
    robot, contact_set, _, keep = case
    q, v, tau = state(robot, contact_set, 5, keep)
    motion = contacts.constrained_motion(robot, q, v, tau, contact_set)
    M, J = dynamics.mass_matrix(robot, q), contact_set.jacobian(q)
    free = dynamics.forward_dynamics(robot, q, v, tau)
    assert motion.free == pytest.approx(free)

    def gauss(a):
        return 0.5 * (a - free) @ M @ (a - free)

    particular = np.linalg.lstsq(J, -contact_set.drift(q, v), rcond=1e-10)[0]
    _, s, Vt = np.linalg.svd(J)
    Z = Vt[(s > 1e-10 * s.max(initial=1.0)).sum() :].T
    z = np.linalg.solve(Z.T @ M @ Z, Z.T @ M @ (free - particular))
    assert motion.a == pytest.approx(particular + Z @ z, rel=1e-8, abs=1e-8)
    assert motion.constraint == pytest.approx(gauss(motion.a), rel=1e-9, abs=1e-9)
    for step in Z.T[::4]:
        assert gauss(motion.a + 0.1 * step) > gauss(motion.a)


def test_without_kernels(case):
    """LAPACK's singular values and the kernels' orthogonalisation: the same motion and forces."""
    robot, contact_set, rank, keep = case
    q, v, tau = state(robot, contact_set, 8, keep)
    found = contacts.constrained_motion(robot, q, v, tau, contact_set)
    inertia = contacts.operational_space_inertia(robot, q, contact_set)
    with toolchain.switched_off():
        other = contacts.constrained_motion(robot, q, v, tau, contact_set)
        inertia_too = contacts.operational_space_inertia(robot, q, contact_set)
    assert other.rank == found.rank == rank
    assert other.a == pytest.approx(found.a, rel=1e-9, abs=1e-9)
    assert other.f == pytest.approx(found.f, rel=1e-8, abs=1e-8)
    assert inertia_too == pytest.approx(inertia, rel=1e-8, abs=1e-8)


def test_a_state_stands_for_q_and_v(case):
    robot, contact_set, _, keep = case
    q, v, tau = state(robot, contact_set, 9, keep)
    there = dynamics.State(robot, q, v)
    expected = contacts.constrained_forward_dynamics(robot, q, v, tau, contact_set)
    found = contacts.constrained_forward_dynamics(robot, there, None, tau, contact_set)
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-12)
    assert constrained.constraint_rank(robot, there, contact_set) == constrained.constraint_rank(
        robot, q, contact_set
    )


def test_the_former_name_still_works():
    robot, feet, q = posed("quadruped")
    with pytest.warns(DeprecationWarning, match="constrained_forward_dynamics"):
        found, _ = contacts.forward_dynamics(robot, q, np.zeros(robot.nv), np.zeros(robot.na), feet)
    assert found.shape == (robot.nv,)


def test_agrees_with_pinocchio():
    """Its proximal solver, on soles at rest (its 6-D contacts take the spatial acceleration)."""
    robot = robots.load("biped")
    contact_set = contacts.at_feet(robot)
    q, _, tau = state(robot, contact_set, 2)
    models = pin.StdVec_RigidConstraintModel()
    for sole in contact_set:
        frame = robot.model.frames[robot.frame_id(sole.frame)]
        placement = frame.placement * sole.placement
        placement = pin.SE3(placement.rotation, placement.act(sole.centre))
        models.append(
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_6D,
                robot.model,
                frame.parentJoint,
                placement,
                pin.ReferenceFrame.LOCAL,
            )
        )
    datas = pin.StdVec_RigidConstraintData()
    datas.extend([model.createData() for model in models])
    data, v = robot.model.createData(), np.zeros(robot.nv)
    pin.initConstraintDynamics(robot.model, data, models, datas)
    settings = pin.ProximalSettings(1e-12, 1e-10, 100)
    forces = robot.selection_matrix.T @ tau
    a_pin = pin.constraintDynamics(robot.model, data, q, v, forces, models, datas, settings)
    a, f = contacts.constrained_forward_dynamics(robot, q, v, tau, contact_set)
    assert a == pytest.approx(a_pin, rel=1e-6, abs=1e-6)
    for sole, contact_data in zip(contact_set, datas, strict=True):
        R = sole.pose(robot, q).rotation  # Pinocchio's forces are in the contact's axes
        local = contact_data.contact_force
        expected = np.concatenate([R @ local.linear, R @ local.angular])
        assert f[contact_set.rows(sole.name)] == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_standing_feet_carry_the_weight():
    robot = robots.load("quadruped")
    contact_set = contacts.at_feet(robot)
    q = robot.posture()
    hold = contacts.static_hold(robot, q, contact_set)
    a, f = contacts.constrained_forward_dynamics(
        robot, q, np.zeros(robot.nv), hold.torques, contact_set
    )
    assert a == pytest.approx(0, abs=1e-6)  # those torques keep it still
    assert f.reshape(4, 3).sum(axis=0) == pytest.approx([0, 0, 9.81 * robot.mass], abs=1e-6)


def test_contacts_that_contradict_each_other_are_refused():
    """Points of one link that turns are drawn to its axis: they cannot all keep their speeds."""
    robot = robots.load("biped")
    contact_set = soles_as_points(robot)
    q, v, tau = state(robot, contact_set, 3, keep=False)
    with pytest.raises(ContactError, match="contradict") as caught:
        contacts.constrained_forward_dynamics(robot, q, v, tau, contact_set)
    assert "sole" in str(caught.value) or "foot" in str(caught.value)
    arm = robots.limb([1.0, 1.0], [1.0, 1.0])
    held = contacts.SurfaceContact("tip", half_length=0.1, half_width=0.1, friction=1.0)
    with pytest.raises(ContactError, match="contradict"):  # pinned where it is, and turning
        contacts.constrained_forward_dynamics(arm, [0.1, 0.2], [1.0, 0.0], [0.0, 0.0], held)


def disturbed_motion(robot, contact_set, **gains):
    """Share of a disturbance of the contacts that 0.3 s of semi-implicit Euler leave."""
    q0 = robot.posture()
    targets = contact_set.placements(q0)
    step = 0.01 * np.random.default_rng(0).standard_normal(robot.nv)
    q, v = robot.integrate(q0, step), np.zeros(robot.nv)
    start = np.abs(contact_set.error(q, targets)).max()
    gains = {**gains, "targets": targets} if gains else {}
    for _ in range(300):
        tau = -2 * robot.selection_matrix @ v
        a, _ = contacts.constrained_forward_dynamics(robot, q, v, tau, contact_set, **gains)
        v = v + 1e-3 * a
        q = robot.integrate(q, 1e-3 * v)
    return np.abs(contact_set.error(q, targets)).max() / start


@pytest.mark.parametrize("name", ["two soles", "soles twice"])
def test_baumgarte_brings_the_contacts_back(name):
    robot, contact_set, _, _ = cases()[name]
    assert disturbed_motion(robot, contact_set, kp=400.0, kd=40.0) < 0.05
    assert disturbed_motion(*cases()["two soles"][:2]) > 0.5


def test_baumgarte_is_the_equation_it_says():
    robot = robots.load("biped")
    contact_set = contacts.at_feet(robot)
    targets = contact_set.placements(robot.posture())
    q, v, tau = state(robot, contact_set, 6, keep=False)
    a, _ = contacts.constrained_forward_dynamics(
        robot, q, v, tau, contact_set, kp=30.0, kd=7.0, targets=targets
    )
    J = contact_set.jacobian(q)
    expected = -7.0 * J @ v - 30.0 * contact_set.error(q, targets)
    assert J @ a + contact_set.drift(q, v) == pytest.approx(expected, abs=1e-8)
    for bad in ({"kp": 1.0}, {"targets": targets}, {"kd": -1.0}, {"kd": np.nan}):
        with pytest.raises(ContactError, match="expected"):
            contacts.constrained_forward_dynamics(robot, q, v, tau, contact_set, **bad)


def test_contacts_of_another_robot_are_refused():
    robot = robots.load("biped")
    q, v, tau = robot.posture(), np.zeros(robot.nv), np.zeros(robot.na)
    feet = contacts.at_feet(robot)
    with pytest.raises(ContactError, match="of this"):
        contacts.constrained_forward_dynamics(robots.load("quadruped"), q, v, tau, feet)


def test_a_massless_joint_is_named():
    model = pin.Model()
    model.name = "empty"
    model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "hinge")
    model.addFrame(pin.Frame("tip", 1, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    robot = fw.Robot("empty", model, actuated=("hinge",))
    with pytest.raises(fw.ModelError, match="'hinge' moves no mass"):
        constrained.constraint_rank(robot, [0.0], contacts.PointContact("tip", 0.5))


def test_a_mass_matrix_that_is_singular_but_for_rounding(load_robot):
    """iCub's head has no mass; Cholesky may go through, and its accelerations are then 1e17."""
    robot = load_robot("icub", "floating")
    q, v, tau = robot.posture(), np.zeros(robot.nv), np.zeros(robot.na)
    with pytest.raises(fw.ModelError, match="'neck_"):
        contacts.constrained_forward_dynamics(robot, q, v, tau, contacts.at_feet(robot))
    with pytest.raises(fw.ModelError, match="'neck_"):
        contacts.frictional_forward_dynamics(robot, q, v, tau, contacts.at_feet(robot), 1e-3)


# --- impacts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(2))
def test_impact_balances_momentum_and_loses_energy(case, seed, e):
    """M (v⁺ − v) = JᵀΛ, J v⁺ = −e J v, T − T⁺ = (1 − e²) ½ (Jv)ᵀ(JM⁻¹Jᵀ)⁺(Jv)."""
    robot, contact_set, _, _ = case
    q, v, _ = state(robot, contact_set, seed, keep=False)
    v_plus, impulse = contacts.impact(robot, q, v, contact_set, restitution=e)
    M, J = dynamics.mass_matrix(robot, q), contact_set.jacobian(q)
    assert M @ (v_plus - v) == pytest.approx(J.T @ impulse, abs=1e-9)
    assert J @ v_plus == pytest.approx(-e * J @ v, abs=1e-10)
    before, after = (dynamics.kinetic_energy(robot, q, x) for x in (v, v_plus))
    felt = np.linalg.pinv(J @ np.linalg.inv(M) @ J.T, rcond=1e-9)
    assert before - after == pytest.approx((1 - e**2) * 0.5 * (J @ v) @ felt @ (J @ v), abs=1e-8)
    assert after <= before * (1 + 1e-12)


def test_impact_is_the_nearest_velocity(case):
    """v⁺ is M-orthogonal to v − v⁺ and to every motion that the contacts allow; it stays put."""
    robot, contact_set, _, _ = case
    q, v, _ = state(robot, contact_set, 7, keep=False)
    v_plus, _ = contacts.impact(robot, q, v, contact_set)
    M, J = dynamics.mass_matrix(robot, q), contact_set.jacobian(q)
    allowed = np.random.default_rng(1).standard_normal(robot.nv)
    allowed -= np.linalg.pinv(J, rcond=1e-10) @ (J @ allowed)
    assert allowed @ M @ (v - v_plus) == pytest.approx(0, abs=1e-8)
    again, impulse = contacts.impact(robot, q, v_plus, contact_set)
    assert again == pytest.approx(v_plus, abs=1e-10)
    assert impulse == pytest.approx(0, abs=1e-8)


def test_a_block_that_falls_on_its_corner():
    """By hand: a corner at r of a free body of mass m and inertia I stops, Λ = −W⁻¹ v_c."""
    robot = robots.block(3.0, (0.4, 0.2, 0.6))
    q, v = robot.neutral(), np.array([0.1, -0.2, -2.0, 0.3, 0.2, -0.1])
    r = np.array([0.2, 0.1, -0.3])
    corner = contacts.PointContact("block", 0.5, offset=r)
    v_plus, impulse = contacts.impact(robot, q, v, corner, restitution=0.5)
    inertia = 3.0 / 12 * np.diag([0.04 + 0.36, 0.16 + 0.36, 0.16 + 0.04])
    X = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    W = np.eye(3) / 3.0 - X @ np.linalg.inv(inertia) @ X
    expected = -1.5 * np.linalg.solve(W, v[:3] + np.cross(v[3:], r))
    assert impulse == pytest.approx(expected, rel=1e-9)
    assert v_plus[:3] == pytest.approx(v[:3] + expected / 3.0, rel=1e-9)
    assert v_plus[3:] == pytest.approx(v[3:] + np.linalg.solve(inertia, np.cross(r, expected)))


@pytest.mark.parametrize("e", [-0.1, 1.1, np.nan])
def test_impact_refuses_impossible_restitutions(e):
    robot = robots.load("quadruped")
    with pytest.raises(ContactError, match="restitution"):
        contacts.impact(robot, robot.posture(), np.zeros(robot.nv), contacts.at_feet(robot), e)


# --- operational space -------------------------------------------------------------------------


def test_operational_space(case):
    robot, contact_set, rank, _ = case
    q, _, _ = state(robot, contact_set, 3)
    M, J = dynamics.mass_matrix(robot, q), contact_set.jacobian(q)
    W = J @ np.linalg.inv(M) @ J.T
    assert operational_space.delassus(robot, q, contact_set) == pytest.approx(W, abs=1e-9)
    inertia = contacts.operational_space_inertia(robot, q, contact_set)
    assert inertia == pytest.approx(np.linalg.pinv(W, rcond=1e-9), rel=1e-6, abs=1e-7)
    if rank == contact_set.dim:
        assert inertia @ W == pytest.approx(np.eye(rank), abs=1e-8)
    N = operational_space.dynamically_consistent_projector(robot, q, contact_set)
    assert N.shape == (robot.nv, robot.nv)
    assert np.abs(J @ N).max(initial=0.0) < 1e-9
    assert np.abs(J @ np.linalg.solve(M, N.T)).max(initial=0.0) < 1e-9
    assert np.abs(N @ N - N).max() < 1e-9
    assert np.abs(M @ N - (M @ N).T).max() < 1e-9
    assert np.trace(N) == pytest.approx(robot.nv - rank)


def test_torques_in_the_null_space_leave_the_contacts_alone():
    """Nᵀ τ changes the free acceleration of the robot, but not that of its contacts."""
    robot = robots.load("quadruped")
    contact_set = contacts.at_feet(robot)
    q, _, _ = state(robot, contact_set, 1)
    forces = np.random.default_rng(2).standard_normal(robot.nv)
    N = operational_space.dynamically_consistent_projector(robot, q, contact_set)
    M, J = dynamics.mass_matrix(robot, q), contact_set.jacobian(q)
    assert np.abs(np.linalg.solve(M, N.T @ forces)).max() > 1e-2
    assert J @ np.linalg.solve(M, N.T @ forces) == pytest.approx(np.zeros(12), abs=1e-9)
