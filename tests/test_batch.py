"""Batches against the functions for one state, row by row, on robots of every kind of joint."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pinocchio as pin
import pytest
from differences import slope

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import batch
from footwork.dynamics.batch import running, term
from footwork.dynamics.kernels import toolchain

pytestmark = pytest.mark.timeout(600)  # the first run compiles all kernels

ROBOTS = [
    ("talos", "floating"), ("anymal_c", "fixed"), ("centauro", "floating"),
    ("double_pendulum", "fixed"), ("limb", "fixed"), ("block", "floating"), ("block", "fixed"),
    ("hinges and sliders", "floating"), ("hinges and sliders", "fixed"),
    ("ball joints", "floating"), ("ball joints", "fixed"),
]  # fmt: skip
ROWS = {  # the functions that take no more than rows of states, and which
    "inverse_dynamics": "QVA", "forward_dynamics": "QVT", "bias": "QV", "gravity_torques": "Q",
    "mass_matrix": "Q", "coriolis_matrix": "QV", "coriolis_tensor": "Q", "com": "Q",
    "com_jacobian": "Q", "centroidal_map": "Q", "centroidal_momentum": "QV",
    "centroidal_drift": "QV",
}  # fmt: skip


AXIS = np.array([0.6, 0.0, 0.8])


def hinges_and_sliders(base):
    """Joints about general axes, with and without limits, rotors, no depth-first order."""
    kinds = [
        (0, pin.JointModelFreeFlyer() if base == "floating" else pin.JointModelRUBX()),
        (1, pin.JointModelPX()),
        (1, pin.JointModelRevoluteUnaligned(AXIS)),
        (2, pin.JointModelRUBY()),
        (3, pin.JointModelPrismaticUnaligned(AXIS)),
        (4, pin.JointModelRUBX()),
        (5, pin.JointModelPZ()),
        (1 if base == "floating" else 0, pin.JointModelRUBZ()),
        (8, pin.JointModelPY()),
        (9, pin.JointModelRX()),
    ]
    return built("hinges and sliders", base, kinds, rotors=lambda nv: np.full(nv, 0.1))


def ball_joints(base):
    """Ball joints after each other and all else, and a rotor on each axis; the free base's too."""
    kinds = [
        (0, pin.JointModelFreeFlyer() if base == "floating" else pin.JointModelSpherical()),
        (1, pin.JointModelSpherical()),
        (2, pin.JointModelRevoluteUnaligned(AXIS)),
        (3, pin.JointModelSpherical()),
        (4, pin.JointModelSpherical()),
        (1, pin.JointModelPX()),
        (6, pin.JointModelSpherical()),
        (7, pin.JointModelTranslation()),
        (8, pin.JointModelRUBZ()),
        (1 if base == "floating" else 0, pin.JointModelTranslation()),
        (10, pin.JointModelSpherical()),
    ]
    return built(
        "ball joints", base, kinds, rotors=lambda nv: 0.1 + 0.02 * np.arange(nv), on_base=0.7
    )


def built(name, base, kinds, rotors, on_base=0.0):
    """A robot of (parent, joint), with bodies and frames off their joints."""
    rng = np.random.default_rng(3)
    model = pin.Model()
    model.name = f"{name} ({base})"
    for i, (parent, kind) in enumerate(kinds):
        name = "root_joint" if i == 0 and base == "floating" else f"joint_{i}"
        off = pin.SE3(pin.exp3(rng.standard_normal(3)), 0.4 * rng.standard_normal(3))
        placement = off if i % 3 else pin.SE3.Identity()
        joint = model.addJoint(parent, kind, placement, name)
        A = rng.standard_normal((3, 3))
        inertia = pin.Inertia(1.0 + rng.random(), 0.3 * rng.standard_normal(3), A @ A.T + np.eye(3))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        model.addFrame(pin.Frame(f"link_{i}", joint, off, pin.FrameType.OP_FRAME))
    if base == "fixed":
        welded = pin.Inertia(3.0, np.array([0.3, 0.1, -0.2]), np.eye(3))
        model.appendBodyToJoint(0, welded, pin.SE3.Identity())
        off = pin.SE3(pin.exp3(rng.standard_normal(3)), rng.standard_normal(3))
        model.addFrame(pin.Frame("shelf", 0, off, pin.FrameType.OP_FRAME))
    moving = 6 if base == "floating" else 0
    model.armature = np.append(np.full(moving, on_base), rotors(model.nv - moving))
    model.gravity.linear = np.array([0.3, -0.2, -9.7])
    names = tuple(model.names)[2:]
    return fw.Robot(model.name, model, shapes=None, actuated=names[::2])


BUILT = {"hinges and sliders": hinges_and_sliders, "ball joints": ball_joints}
_built = {}


@pytest.fixture(params=ROBOTS, ids=lambda case: "-".join(case))
def robot(request, load_robot):
    name, base = request.param
    if name in BUILT:
        if request.param not in _built:
            _built[request.param] = BUILT[name](base)
        return _built[request.param]
    return load_robot(name, base)


def states(robot, count=11, seed=0):
    rng = np.random.default_rng(seed)
    Q = np.array([robot.random_configuration(rng) for _ in range(count)]).reshape(count, robot.nq)
    V, A = rng.standard_normal((2, count, robot.nv))
    return Q, V, A, 10 * rng.standard_normal((count, robot.na))


def cases(robot, count=11):
    """{name: (function for many, function for one, values)}."""
    given = dict(zip("QVAT", states(robot, count), strict=True))
    Q, V, frames = given["Q"], given["V"], robot.frame_names
    found = {
        name: (getattr(batch, name), getattr(dyn, name), tuple(given[x] for x in rows))
        for name, rows in ROWS.items()
        if robot.nv or name != "centroidal_drift"
    }
    found["frame_placement"] = (
        lambda r, Q, **more: batch.frame_placement(r, Q, frames[-1], **more),
        lambda r, q: dyn.frame_placement(r, q, frames[-1]).homogeneous,
        (Q,),
    )
    for frame in {frames[0], frames[len(frames) // 2], frames[-1]}:
        for axes in ("LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"):
            found[f"frame_jacobian {frame} {axes}"] = (
                lambda r, Q, f=frame, x=axes, **more: batch.frame_jacobian(r, Q, f, x, **more),
                lambda r, q, f=frame, x=axes: dyn.frame_jacobian(r, q, f, x),
                (Q,),
            )
            found[f"frame_drift {frame} {axes}"] = (
                lambda r, Q, V, f=frame, x=axes, **more: batch.frame_drift(r, Q, V, f, x, **more),
                lambda r, q, v, f=frame, x=axes: dyn.frame_drift(r, q, v, f, x),
                (Q, V),
            )
    return found


def without_kernels(monkeypatch):
    monkeypatch.setattr(term, "_can_compile", lambda robot: False)
    monkeypatch.setattr(running, "bound", term.BoundTerm)  # a new one each time


def one_by_one(robot, single, values):
    return np.array([single(robot, *row) for row in zip(*values, strict=True)])


def same(a, b, tolerance=1e-12):
    assert a.shape == b.shape
    assert np.abs(a - b).max(initial=0) <= tolerance * (1 + np.abs(b).max(initial=0))


@pytest.fixture
def numba():
    return pytest.importorskip("numba")


def test_every_function_row_by_row(robot, numba, monkeypatch):
    for name, (many, single, values) in cases(robot).items():
        with monkeypatch.context() as patch:
            if name != "coriolis_tensor" and "universe" not in name:  # those have no kernel
                patch.setattr(running, "_loop", None)  # the kernels do it all
            same(many(robot, *values), one_by_one(robot, single, values))


def test_the_loop_gives_the_same(robot, monkeypatch):
    without_kernels(monkeypatch)
    for many, single, values in cases(robot, 3).values():
        same(many(robot, *values), one_by_one(robot, single, values), 0)


def test_out_is_written_and_returned(robot, numba):
    for many, _, values in cases(robot, 9).values():
        fresh = many(robot, *values)
        out = np.full_like(fresh, np.nan)
        assert many(robot, *values, out=out) is out
        assert np.array_equal(out, fresh)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 40])
def test_any_number_of_rows_and_threads(numba, count):
    robot = hinges_and_sliders("floating")
    for name, (many, _, values) in cases(robot, count).items():
        alone = many(robot, *values)
        assert len(alone) == count, name
        for threads in (2, 3):
            assert np.array_equal(many(robot, *values, threads=threads), alone), name


def test_lanes_are_rows_in_another_order(robot, numba):
    Q, *_ = states(robot, 13)
    M = batch.mass_matrix(robot, Q)
    lanes = batch.mass_matrix(robot, Q, layout="lanes")
    assert lanes.shape == (2, robot.nv, robot.nv, batch.LANES)
    assert np.array_equal(batch.from_lanes(lanes, 13), M)
    again = batch.mass_matrix(robot, Q, out=lanes, threads=2, layout="lanes")
    assert again is lanes
    assert np.array_equal(batch.from_lanes(lanes, 13), M)


def test_lanes_without_kernels(monkeypatch):
    without_kernels(monkeypatch)
    robot = hinges_and_sliders("fixed")
    Q, *_ = states(robot, 13)
    lanes = batch.mass_matrix(robot, Q, layout="lanes")
    assert np.array_equal(batch.from_lanes(lanes, 13), batch.mass_matrix(robot, Q))


def test_coriolis_chains_are_the_tensor(robot, numba, monkeypatch):
    Q, V, *_ = states(robot, 9)
    if robot.name.startswith("ball joints"):
        with pytest.raises(fw.ModelError, match="'joint_10'; expected hinges and sliders"):
            batch.coriolis_chains(robot, Q)
        return
    chains = batch.coriolis_chains(robot, Q)
    assert len(chains) == 9
    for i in (0, 8):
        C = dyn.coriolis_tensor(robot, Q[i])
        same(chains.tensor(i), C, 1e-11)
        same(batch.coriolis_matrix(robot, Q[i : i + 1], V[i : i + 1])[0], C @ V[i], 1e-11)
    assert batch.coriolis_chains(robot, Q, out=chains.squares).squares is chains.squares
    without_kernels(monkeypatch)
    same(batch.coriolis_chains(robot, Q).squares, chains.squares, 1e-11)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("kernels", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_bad_row_is_named(kernels, threads, monkeypatch, load_robot):
    if kernels:
        pytest.importorskip("numba")
    else:
        without_kernels(monkeypatch)
    robot = hinges_and_sliders("floating")
    for name, (many, single, values) in cases(robot, 40).items():
        for which in range(len(values)):
            spoiled = [value.copy() for value in values]
            spoiled[which][29, -1] = np.nan
            spoiled[which][33, 0] = np.inf
            with pytest.raises(fw.ConfigurationError) as one:
                single(robot, *[value[29] for value in spoiled])
            with pytest.raises(fw.ConfigurationError) as error:
                many(robot, *spoiled, threads=threads)
            assert str(error.value) == f"row 29: {one.value}", name


@pytest.mark.parametrize("where", [3, 8])
def test_a_quaternion_or_pair_that_is_not_unit(numba, where):
    robot = hinges_and_sliders("floating")
    Q, V, *_ = states(robot, 20)
    start, stop = next(block for block in robot.unit_blocks if block[1] > where)
    Q[13, start:stop] *= 1 + 1e-5
    with pytest.raises(fw.ConfigurationError, match=r"row 13: q: the .* has norm 1\.00001"):
        batch.bias(robot, Q, V)


def test_shapes_and_types(load_robot, numba):
    robot = load_robot("double_pendulum", "fixed")
    Q, V, A, _ = states(robot, 4)
    for bad, message in [
        ((Q[0], V, A), r"Q: got shape \(2,\), expected \([nN], 2\)"),
        ((Q, V[:, :1], A), r"V: got shape \(4, 1\), expected \([nN], 2\)"),
        ((Q, V, A[:3]), "got 4 of Q, 4 of V, 3 of A; expected as many rows of each"),
        ((Q, V, [["a", "b"]] * 4), "A: got an array of dtype"),
        ((Q, V, A * 1j), "A: got an array of dtype complex128"),
    ]:
        with pytest.raises(fw.ConfigurationError, match=message):
            batch.inverse_dynamics(robot, *bad)
    for threads in (0, -1, 1.0, True, "2"):
        with pytest.raises(fw.ConfigurationError, match="threads: got"):
            batch.bias(robot, Q, V, threads=threads)
    for out in (np.empty((4, 3)), np.empty((4, 2), np.float32), np.empty((2, 4)).T, [0.0]):
        with pytest.raises(fw.ConfigurationError, match="out: got"):
            batch.bias(robot, Q, V, out=out)
    last = robot.frame_names[-1]
    for call, message in (
        (lambda: batch.bias(robot, Q, V, out=V), "memory of an input"),
        (lambda: batch.mass_matrix(robot, Q, layout="lane"), "'lane', .*did you mean 'lanes'"),
        (lambda: batch.mass_matrix(robot, Q, layout=["lanes"]), "layout"),
        (lambda: batch.frame_jacobian(robot, Q, "bar1x"), "did you mean"),
        (lambda: batch.frame_placement(robot, Q, ["bar1"]), "no frame"),
        (lambda: batch.frame_drift(robot, Q, V, last, "LOKAL"), "no reference"),
        (lambda: batch.from_lanes(np.zeros((1, 2, 8)), 9), "blocks: got shape"),
    ):
        with pytest.raises(fw.ConfigurationError, match=message):
            call()


def test_lists_integers_and_strided_views_are_arrays(load_robot, numba):
    robot = load_robot("double_pendulum", "fixed")
    Q, V, *_ = states(robot, 8)
    same(batch.bias(robot, Q[::2], np.asfortranarray(V)[::2]), batch.bias(robot, Q, V)[::2], 0)
    same(batch.bias(robot, [[1, 2]], [[3, 4]]), batch.bias(robot, [[1.0, 2.0]], [[3.0, 4.0]]), 0)


@pytest.mark.parametrize("count", [1, 9])
def test_arrays_of_every_kind(load_robot, numba, tmp_path, count):
    """Read-only, mapped from a file, of other byte order, not aligned, parts of a larger one."""
    robot = load_robot("double_pendulum", "fixed")
    Q, V, *_ = states(robot, count)
    expected = batch.bias(robot, Q, V)
    np.save(tmp_path / "Q.npy", Q)
    shifted = np.zeros(8 * Q.size + 1, np.uint8)[1:].view(float).reshape(Q.shape)
    shifted[:] = Q
    frozen = Q.copy()
    frozen.setflags(write=False)
    both = np.hstack([Q, V])
    mapped = np.load(tmp_path / "Q.npy", mmap_mode="r")
    kinds = (frozen, mapped, Q.astype(">f8"), shifted, both[:, :2], Q.tolist())
    for kind in (*kinds, np.ma.masked_array(Q)):
        same(batch.bias(robot, kind, V), expected, 0)
    assert not shifted.flags.aligned
    for out in (frozen, shifted):
        with pytest.raises(fw.ConfigurationError, match="out: got"):
            batch.bias(robot, Q, V, out=out)
    written = np.memmap(tmp_path / "b", float, "w+", shape=V.shape)
    assert batch.bias(robot, Q, V, out=written) is written
    same(np.array(written), expected, 0)


@pytest.mark.parametrize("threads", [1, 2])
def test_out_on_an_input(load_robot, numba, threads):
    robot = load_robot("double_pendulum", "fixed")
    Q, V, *_ = states(robot, 9)
    buffer = np.zeros(40)
    lying = buffer[:18].reshape(9, 2)
    lying[:] = Q
    for start in (0, 1, 17):
        out = buffer[start : start + 18].reshape(9, 2)
        with pytest.raises(fw.ConfigurationError, match="memory of an input"):
            batch.bias(robot, lying, V, out=out, threads=threads)
    same(batch.bias(robot, lying, V, buffer[18:36].reshape(9, 2)), batch.bias(robot, Q, V), 0)


# --- what kernels hand back ----------------------------------------------------------------------


def test_angles_of_many_turns(load_robot, numba):
    """Beyond 1e5 rad the compiled sin loses digits: such rows are reckoned by Pinocchio."""
    robot = load_robot("double_pendulum", "fixed")
    Q, V, A, _ = states(robot, 24)
    Q[[3, 17], 1] += [9.9e4, 1e9]
    got = batch.inverse_dynamics(robot, Q, V, A)
    same(got, one_by_one(robot, dyn.inverse_dynamics, (Q, V, A)))


def test_a_singular_mass_matrix_is_told(numba):
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "turns nothing")
    model.addJoint(joint, pin.JointModelRY(), pin.SE3.Identity(), "nor this")
    robot = fw.Robot("empty", model, shapes=None, actuated=("turns nothing", "nor this"))
    Q, V, _, tau = states(robot, 9)
    with pytest.raises(fw.ModelError, match="row 0: the mass matrix of 'empty' is singular"):
        batch.forward_dynamics(robot, Q, V, tau)
    with pytest.raises(fw.ModelError, match="no mass"):
        batch.com(robot, Q)


def test_large_accelerations_are_no_singularity(load_robot, numba):
    robot = load_robot("double_pendulum", "fixed")
    Q, V, _, tau = states(robot, 9)
    tau[4] = 1e12
    got = batch.forward_dynamics(robot, Q, V, tau)
    same(got, one_by_one(robot, dyn.forward_dynamics, (Q, V, tau)))


# --- without kernels -----------------------------------------------------------------------------


def test_joints_that_kernels_do_not_know(load_robot, numba):
    robot = load_robot("tree", "floating")
    Q, V, *_ = states(robot, 3)
    fresh = fw.Robot("a tree", robot.model, shapes=None, actuated=robot.actuated)
    with pytest.warns(fw.FootworkWarning, match="'a tree'.*state by state.*not .*'joint_5'"):
        got = batch.bias(fresh, Q, V)
    same(got, one_by_one(fresh, dyn.bias, (Q, V)), 0)
    batch.mass_matrix(fresh, Q)  # said once: a second warning would be an error here
    with pytest.raises(fw.ModelError, match="coriolis_tensor holds"):
        batch.coriolis_chains(fresh, Q)


@pytest.fixture
def fresh():
    """A robot that no kernel was made for, and no notes taken."""
    toolchain._warn_once.cache_clear()
    yield fw.robots.double_pendulum()
    toolchain._warn_once.cache_clear()


def test_without_numba_it_says_so_once(fresh, monkeypatch):
    monkeypatch.setattr(toolchain, "obstacle", lambda: "Numba is not installed")
    Q, V, *_ = states(fresh, 3)
    with pytest.warns(fw.FootworkWarning, match=r"pip install 'footwork\[fast\]'") as notes:
        got = batch.bias(fresh, Q, V)
    assert [note.filename for note in notes] == [__file__]
    same(got, one_by_one(fresh, dyn.bias, (Q, V)), 0)
    batch.bias(fresh, Q, V)
    batch.mass_matrix(fresh, Q)


def test_numba_that_does_not_import_is_no_numba(fresh, monkeypatch):
    monkeypatch.setattr(toolchain, "_imported", {"error": "Numba needs another NumPy"})
    monkeypatch.setattr(toolchain, "find_spec", lambda name: name)
    Q, V, *_ = states(fresh, 3)
    with pytest.warns(fw.FootworkWarning, match="Numba needs another NumPy"):
        same(batch.bias(fresh, Q, V), one_by_one(fresh, dyn.bias, (Q, V)), 0)


def test_importing_batch_does_not_import_numba():
    code = "import sys; from footwork.dynamics import batch; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# --- gradients of the power yᵀτ ---------------------------------------------------------------


def loaded(robot, count=11):
    """Moving states, far from the world's origin; y; and a wrench of every kind."""
    Q, V, A, _ = states(robot, count)
    rng = np.random.default_rng(1)
    if robot.is_floating:
        Q[:, :3] += 3.0
    frames, wrenches = robot.frame_names, {}
    for i, point, axes in (
        (-1, None, "world"),
        (len(frames) // 2, (0.3, -0.2, 0.1), "world"),
        (len(frames) // 3, (0.3, -0.2, 0.1), "local"),
    ):
        force, moment = 30.0 * rng.standard_normal(3), 3.0 * rng.standard_normal(3)
        wrenches[frames[i]] = fw.Wrench(force, moment, point=point, axes=axes)
    return Q, V, A, rng.standard_normal((count, robot.nv)), wrenches


def by_differences(robot, q, v, a, y, wrenches):
    """∂(yᵀτ)/∂q, /∂v and /∂a to fourth order."""

    def slopes(power):
        return np.array([slope(lambda t, d=d: power(t * d)) for d in np.eye(robot.nv)])

    def power(q, v, a):
        return y @ dyn.inverse_dynamics(robot, q, v, a, wrenches)

    return (
        slopes(lambda d: power(robot.integrate(q, d), v, a)),
        slopes(lambda d: power(q, v + d, a)),
        slopes(lambda d: power(q, v, a + d)),
    )


def near(found, expected, tolerance):
    for one, other in zip(found, expected, strict=True):
        same(one, other, tolerance)


def test_gradients_of_the_power(robot, numba):
    """yᵀτ, by matrices; of a tree for which Pinocchio has none by differences."""
    *motion, Y, wrenches = loaded(robot)
    for given in ({}, wrenches):
        found = batch.inverse_dynamics_gradient(robot, *motion, Y, given)
        for i, state in enumerate(zip(*motion, strict=True)):
            row = [part[i] for part in found]
            if robot.name.startswith("hinges"):  # not numbered as Pinocchio asks
                near(row, by_differences(robot, *state, Y[i], given), 1e-8)
            else:
                matrices = dyn.inverse_dynamics_derivatives(robot, *state, given)
                near(row, [Y[i] @ matrix for matrix in matrices], 1e-12)


def test_gradients_of_the_power_and_pinocchio(load_robot, numba):
    robot = load_robot("talos", "floating")
    Q, V, A, Y, _ = loaded(robot, 3)
    found = batch.inverse_dynamics_gradient(robot, Q, V, A, Y)
    model, data = robot.model, robot.model.createData()
    for i in range(3):
        dq, dv, da = (x.copy() for x in pin.computeRNEADerivatives(model, data, Q[i], V[i], A[i]))
        da = np.triu(da) + np.triu(da, 1).T
        near([part[i] for part in found], [Y[i] @ d for d in (dq, dv, da)], 1e-12)


def test_gradients_of_the_power_without_kernels(robot, numba, monkeypatch):
    if robot.name.startswith("hinges"):
        with pytest.raises(fw.ModelError, match="branches one after the other"):
            dyn.inverse_dynamics_derivatives(robot, robot.neutral(), None, np.zeros(robot.nv))
        return
    *motion, Y, wrenches = loaded(robot)
    known = batch.inverse_dynamics_gradient(robot, *motion, Y, wrenches)
    monkeypatch.setattr(term, "_can_compile", lambda robot: False)
    near(batch.inverse_dynamics_gradient(robot, *motion, Y, wrenches), known, 1e-12)


def test_gradients_of_the_power_and_mechanics(load_robot, numba):
    """∂/∂a is M y, power is linear in y, without gravity nothing depends on the base's place."""
    for robot in (hinges_and_sliders("fixed"), load_robot("talos", "floating")):
        Q, V, A, Y, wrenches = loaded(robot)
        found = batch.inverse_dynamics_gradient(robot, Q, V, A, Y, wrenches, threads=2)
        near([found.a], [np.einsum("nij,nj->ni", batch.mass_matrix(robot, Q), Y)], 1e-12)
        other = batch.inverse_dynamics_gradient(robot, Q, V, A, 2.0 * Y[::-1], wrenches)
        both = batch.inverse_dynamics_gradient(robot, Q, V, A, Y - 2.0 * Y[::-1], wrenches)
        near(both, [x - z for x, z in zip(found, other, strict=True)], 1e-12)
    weightless = robot.with_gravity((0.0, 0.0, 0.0))
    found = batch.inverse_dynamics_gradient(weightless, Q, V, A, Y)
    assert np.abs(found.q[:, :6]).max() == 0.0


def test_gradients_of_the_power_of_bad_values(load_robot, numba):
    robot = load_robot("talos", "floating")
    Q, V, A, Y, _ = loaded(robot, 9)
    Y[4, 2] = np.nan
    with pytest.raises(fw.ConfigurationError, match="row 4"):
        batch.inverse_dynamics_gradient(robot, Q, V, A, Y)
    with pytest.raises(fw.ConfigurationError, match="Y: "):
        batch.inverse_dynamics_gradient(robot, Q, V, A, Y[:, 1:])
    wrench = fw.Wrench((0, 0, 1.0), axes=robot.frame_names[-1])
    with pytest.raises(fw.ConfigurationError, match="axes"):
        batch.inverse_dynamics_gradient(robot, Q, V, A, V, {robot.frame_names[3]: wrench})


@pytest.mark.slow
def test_the_whole_catalogue(numba):
    """Every robot, on one base or the other, against Pinocchio: 1e-12 relative."""
    installed = [info.name for info in fw.robots.available() if info.installed]
    for robot_name, base in zip(installed, itertools.cycle(("floating", "fixed"))):
        robot = fw.load(robot_name, base=base, meshes=False)
        given = dict(zip("QVAT", states(robot, 9, seed=2), strict=True))
        for name in (
            "inverse_dynamics", "forward_dynamics", "bias", "mass_matrix", "com_jacobian",
            "centroidal_map", "coriolis_matrix",
        ):  # fmt: skip
            many, values = getattr(batch, name), tuple(given[x] for x in ROWS[name])
            try:
                reference = one_by_one(robot, getattr(dyn, name), values)
            except fw.ModelError:  # a link without mass
                with pytest.raises(fw.ModelError):
                    many(robot, *values)
            else:
                same(many(robot, *values), reference)
                same(many(robot, *[rows[:1] for rows in values]), reference[:1])
