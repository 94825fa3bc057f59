"""One tick of a whole-body controller, against TSID and PlaCo on the same states and tasks.

TALOS (nv = 38) on two flat feet: centre of mass, orientation of the base, posture, torque limits;
from (q, v) to τ, dynamics included, called from Python as their users do; the states are those of
two seconds of standing under pushes. Peers need older releases
of Pinocchio, so they run in environments of their own; rounds take turns, CPU time.

    python benchmarks/control.py
    python benchmarks/control.py --tsid TSID_PYTHON --placo PLACO_PYTHON

Then 10,000 ticks of ours one by one: median, 99th percentile, worst, and the memory they leave;
strict levels; and what walking needs: ticks of Go2 on two feet, and those at which contacts and
tasks change, of that alone and of gaits.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from xml.etree import ElementTree

import measuring  # before NumPy: one thread
import numpy as np
from peers.environments import MissingPeerError, python_of

STATES, WARM, TICKS = 1000, 1000, 2000
FRICTION, BASE, SOLES = 0.6, "base_link", ("left_sole_link", "right_sole_link")
COM, TURN, POSTURE = (10.0, 100.0), (5.0, 100.0), (0.1, 50.0)  # weight, gain


def cpu_microseconds(tick, states, ticks=TICKS):
    """CPU time of a tick, over many states."""
    for i in range(min(WARM, ticks)):
        tick(*states[i % STATES])
    began = time.process_time()
    for i in range(ticks):
        tick(*states[i % STATES])
    return 1e6 * (time.process_time() - began) / ticks


# --- ours ------------------------------------------------------------------------------------


def ours():
    """The controller, the standing configuration and states near it."""
    import footwork as fw
    from footwork import contacts, control, dynamics

    robot = fw.load("talos")
    feet = contacts.at_feet(robot, FRICTION)
    q = contacts.solve_posture(robot, feet, com="inside").q
    pose = dynamics.frame_placement(robot, q, BASE)
    tasks = [
        control.ComTask(dynamics.com(robot, q), weight=COM[0], gain=COM[1]),
        control.FrameTask(
            pose, frame=BASE, rows_of="orientation", weight=TURN[0], gain=TURN[1], name="base"
        ),
        control.PostureTask(q, weight=POSTURE[0], gain=POSTURE[1]),
    ]

    def controller(strict=False):
        return control.WholeBodyController(
            robot, feet, tasks, joint_limits=False, on_failure="raise", strict=strict
        )

    pushes = control.random_pushes(robot, BASE, 2.0, 0.1, every=0.5)
    motion = control.simulate(
        robot,
        controller(),
        q=q,
        duration=2.0,
        control_step=2e-3,
        disturbances=pushes,
        progress=False,
    )
    states = [(motion.q[i].copy(), motion.v[i].copy()) for i in range(STATES)]
    return controller(), controller(strict=True), q, states


# --- peers: run by their own Python, which has no footwork -----------------------------------


def tsid_tick(setting):
    """TSID: weighted tasks, rigid contacts, eiquadprog-fast."""
    import pinocchio as pin

    try:
        import tsid.tsid_pywrap as tsid  # where some wheels put it
    except ImportError:
        import tsid
    robot = tsid.RobotWrapper(setting["urdf"], [], pin.JointModelFreeFlyer(), False)
    q, model = np.array(setting["q"]), robot.model()
    program = tsid.InverseDynamicsFormulationAccForce("tsid", robot, False)
    program.computeProblemData(0.0, q, np.zeros(robot.nv))
    data, keep = program.data(), []
    corners = np.array(setting["corners"])
    for name in SOLES:
        points = np.vstack([corners.T, np.zeros(len(corners))])
        contact = tsid.Contact6d(
            f"c_{name}", robot, name, points, np.array([0.0, 0, 1]), FRICTION, 1.0, 2000.0
        )
        contact.setKp(np.zeros(6))
        contact.setKd(20.0 * np.ones(6))
        contact.setReference(robot.framePosition(data, model.getFrameId(name)))
        program.addRigidContact(contact, 1e-5, 1.0, 0)
        keep.append(contact)

    def add(task, kind, value, weight, gain, size):
        task.setKp(gain * np.ones(size))
        task.setKd(2 * np.sqrt(gain) * np.ones(size))
        reference = kind("reference", value).computeNext()
        task.setReference(reference)
        program.addMotionTask(task, weight, 1, 0.0)
        keep.append((task, reference))

    com = tsid.TaskComEquality("com", robot)
    add(com, tsid.TrajectoryEuclidianConstant, np.array(setting["com"]), *COM, 3)
    base = tsid.TaskSE3Equality("base", robot, BASE)
    base.setMask(np.array([0.0, 0, 0, 1, 1, 1]))
    pose = robot.framePosition(data, model.getFrameId(BASE))
    add(base, tsid.TrajectorySE3Constant, pose, *TURN, 6)
    joints = tsid.TaskJointPosture("posture", robot)
    add(joints, tsid.TrajectoryEuclidianConstant, q[7:], *POSTURE, robot.na)
    limits = np.array(setting["limits"])
    bounds = tsid.TaskActuationBounds("torques", robot)
    bounds.setBounds(-limits, limits)
    program.addActuationTask(bounds, 1.0, 0, 0.0)
    solver = tsid.SolverHQuadProgFast("qp")
    solver.resize(program.nVar, program.nEq, program.nIn)
    keep += [bounds, solver, program, robot]

    def tick(q, v):
        answer = solver.solve(program.computeProblemData(0.0, q, v))
        assert answer.status == 0
        return program.getActuatorForces(answer)

    tick.keep = keep  # its objects do not keep each other alive
    return tick


def placo_tick(setting):
    """PlaCo: soft tasks, planar contacts (without a limit of yaw moments), eiquadprog."""
    import placo

    robot = placo.RobotWrapper(setting["urdf"], placo.Flags.ignore_collisions)
    robot.state.q = np.array(setting["q"])
    robot.update_kinematics()
    solver = placo.DynamicsSolver(robot)
    corners = np.array(setting["corners"])
    size = np.ptp(corners, axis=0)
    for name in SOLES:
        task = solver.add_frame_task(name, robot.get_T_world_frame(name))
        task.configure(name, "hard", 1.0)
        contact = solver.add_planar_contact(task)
        contact.mu, contact.length, contact.width = FRICTION, float(size[0]), float(size[1])
        contact.weight_forces = contact.weight_moments = 1e-5
    com = solver.add_com_task(np.array(setting["com"]))
    com.configure("com", "soft", COM[0])
    com.kp, com.kd = COM[1], 2 * COM[1] ** 0.5
    base = solver.add_orientation_task(BASE, robot.get_T_world_frame(BASE)[:3, :3])
    base.configure("base", "soft", TURN[0])
    base.kp, base.kd = TURN[1], 2 * TURN[1] ** 0.5
    joints = solver.add_joints_task()
    joints.set_joints({name: robot.get_joint(name) for name in robot.joint_names()})
    joints.configure("posture", "soft", POSTURE[0])
    joints.kp, joints.kd = POSTURE[1], 2 * POSTURE[1] ** 0.5
    solver.enable_torque_limits(True)
    solver.dt = 1e-3

    def tick(q, v):
        robot.state.q, robot.state.qd = q, v
        robot.update_kinematics()
        answer = solver.solve(False)
        assert answer.success
        return answer.tau

    return tick


def as_peer(name, folder):
    """What a peer's Python runs: prints µs a tick, and the torques at one state."""
    setting = json.loads((Path(folder) / "setting.json").read_text())
    saved = np.load(Path(folder) / "states.npz")
    states = list(zip(saved["q"], saved["v"], strict=True))
    tick = {"tsid": tsid_tick, "placo": placo_tick}[name](setting)
    tau = np.array(tick(*states[0]))[-len(setting["limits"]) :]
    print(json.dumps({"us": cpu_microseconds(tick, states), "tau": tau.tolist()}))


def ask_peer(python, name, folder):
    """Run a peer's round in its own environment."""
    command = [python, __file__, "--peer", name, "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


# --- the comparison --------------------------------------------------------------------------


def write_setting(folder, controller, q, states):
    """What peers need, as files."""
    from importlib import metadata

    from footwork import dynamics

    robot = controller.robot
    files = metadata.distribution("example-robot-data").files
    urdf = next(f for f in files if f.name == "talos_reduced.urdf").locate().resolve()
    sole = next(iter(robot.feet.values()))
    tree = ElementTree.parse(urdf)
    for link in tree.iter("link"):  # shapes have no part in this, and need their meshes
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    tree.write(folder / "talos.urdf")
    setting = {
        "urdf": str(folder / "talos.urdf"),
        "q": q.tolist(),
        "com": dynamics.com(robot, q).tolist(),
        "corners": np.asarray(sole.vertices).tolist(),
        "limits": robot.torque_limits.tolist(),
    }
    (folder / "setting.json").write_text(json.dumps(setting))
    np.savez(folder / "states.npz", q=[s[0] for s in states], v=[s[1] for s in states])


def compare(controller, q, states, peers, rounds):
    """Print µs a tick, median and quartiles of the rounds, and ratios; return them all."""
    times = {"footwork": []} | {name: [] for name in peers}
    first, apart = controller(*states[0]).tau, {}
    with tempfile.TemporaryDirectory() as folder:
        write_setting(Path(folder), controller, q, states)
        for _ in range(rounds):
            times["footwork"].append(cpu_microseconds(controller, states))
            for name, python in peers.items():
                answer = ask_peer(python, name, folder)
                times[name].append(answer["us"])
                apart[name] = np.abs(np.array(answer["tau"]) - first).max()
    print(f"{'':10} {'µs':>22} {'footwork/it':>12}   one tick of TALOS, CPU, {rounds} rounds")
    mine = np.median(times["footwork"])
    for name, us in times.items():
        print(f"{name:10} {measuring.with_spread(us):>22} {mine / np.median(us):12.2f}")
    for name, difference in apart.items():
        print(
            f"torques of {name} differ by up to {difference:.1f} of {np.abs(first).max():.0f} N·m"
        )
    return times


def latency(controller, states, ticks=10_000):
    """Print the distribution of single ticks, the garbage they make, the memory they leave."""
    took = {"wall": np.empty(ticks), "CPU": np.empty(ticks)}
    gc.collect()
    for i in range(ticks):
        wall, cpu = time.perf_counter(), time.thread_time()
        controller(*states[i % STATES])
        took["CPU"][i], took["wall"][i] = time.thread_time() - cpu, time.perf_counter() - wall
    for kind, seconds in took.items():
        p50, p99, worst = 1e6 * np.percentile(seconds, [50, 99, 100])
        print(f"{ticks} ticks, {kind}: median {p50:.0f} µs, 99 % {p99:.0f}, worst {worst:.0f}")
    print(f"reference cycles left to the garbage collector: {gc.collect()}")
    tracemalloc.start()
    sizes = []
    for _ in range(4):
        for i in range(1000):
            controller(*states[i % STATES])
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    print(
        f"memory after each 1000 further ticks: {', '.join(f'{s / 1024:.1f}' for s in sizes)} KiB"
    )


def changes(rounds=200):
    """Print CPU of ticks of a trot on two feet, and of those at which a foot lifts off or lands."""
    import footwork as fw
    from footwork import contacts, control, dynamics

    for name, standing in (("talos", 1), ("go2", 2)):
        robot = fw.load(name)
        feet = contacts.at_feet(robot, FRICTION)
        q, v = contacts.solve_posture(robot, feet, com="inside").q, np.zeros(robot.nv)
        lifted = [feet.contacts[0], feet.contacts[-1]][:standing]
        places = {c.name: dynamics.frame_placement(robot, q, c.frame) for c in lifted}
        tasks = [control.ComTask(dynamics.com(robot, q), weight=10.0), control.PostureTask(q)]
        controller = control.WholeBodyController(robot, feet, tasks, on_failure="raise")

        def lift(controller=controller, lifted=lifted, places=places, tasks=tasks):
            swings = [
                control.FrameTask(
                    places[c.name], frame=c.frame, rows_of="position", name=f"swing {c.name}"
                )
                for c in lifted
            ]
            for contact in lifted:
                controller.remove_contact(contact.name)
            controller.set_tasks([*tasks, *swings])

        def land(controller=controller, lifted=lifted, tasks=tasks):
            for contact in lifted:
                controller.add_contact(contact)
            controller.set_tasks(tasks)

        took = {"lift-off": [], "touch-down": [], "tick on the others": [], "tick on all": []}
        for i in range(rounds + 5):
            steps = (("lift-off", lift), ("tick on the others", None), ("touch-down", land))
            for what, change in (*steps, ("tick on all", None)):
                began = time.process_time()
                if change is not None:
                    change()
                controller(q, v)
                if i >= 5:
                    took[what].append(time.process_time() - began)
        for what, seconds in took.items():
            median, high = 1e6 * np.percentile(seconds, [50, 99])
            print(f"{name}, {what}: median {median:.0f} µs CPU, 99 % {high:.0f}")


GAITS = [
    ("go2", "trot", 0.6), ("anymal", "trot", 0.6), ("solo12", "trot", 0.6),
    ("biped", "walk", 0.3), ("g1", "walk", 0.3), ("talos", "walk", 0.3),
]  # fmt: skip


def of_a_gait(rounds=5):
    """Print CPU of a gait's ticks, and how much more it is where feet land or lift off.

    The states of a closed loop are replayed, each tick's time the least of some rounds.
    """
    from footwork import contacts, control, robots
    from footwork.commands.simulate import CROUCH

    for name, gait, speed in GAITS:
        robot = robots.load(name)
        feet = contacts.at_feet(robot, FRICTION)
        _, q = control.stand(robot, feet, crouch=CROUCH.get(gait, 0.0))

        def fresh(robot=robot, feet=feet, q=q, gait=gait, speed=speed):
            return control.GaitController(robot, feet, q, gait, velocity=(speed, 0.0, 0.0))

        loop = control.simulate(
            robot, fresh(), duration=4.0, control_step=2e-3, q=q, contacts=feet, progress=False
        )
        took, more = [], []
        for _ in range(rounds):
            controller, seconds, more = fresh(), [], []
            for t, q_now, v_now in zip(loop.t[:-1], loop.q[:-1], loop.v[:-1], strict=True):
                before = controller.controller.contacts
                began = time.process_time()
                controller(q_now, v_now, float(t))
                seconds.append(time.process_time() - began)
                more.append(len(controller.controller.contacts) - len(before))
            took.append(seconds)
        least, more = 1e6 * np.min(took, axis=0), np.array(more)
        between = np.median(least[more == 0])
        print(f"{name}, {gait} at {speed} m/s: a tick between takes {between:.0f} µs CPU", end="")
        for kind, ticks in (("touch-down", more > 0), ("lift-off", more < 0)):
            print(f", {kind} {np.median(least[ticks]) - between:.0f} more", end="")
        print()


def main():
    parser = measuring.flags(__doc__)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        as_peer(options.peer, options.folder)
        return
    peers = {}
    for name in ("tsid", "placo"):
        try:
            peers[name] = python_of(name, options.peers)
        except MissingPeerError as missing:
            measuring.say(f"no {name}: {missing}")
    controller, strict, q, states = ours()
    measuring.keep(options, compare(controller, q, states, peers, 3 if options.quick else 9))
    latency(controller, states)
    strictly = [cpu_microseconds(strict, states, 100) for _ in range(3)]
    print(f"a strict hierarchy of them: {np.median(strictly):.0f} µs a tick")
    changes()
    of_a_gait()


if __name__ == "__main__":
    main()
