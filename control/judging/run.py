"""Run of a controller on a plant: ticks of 1/500 s with noise and delay, and what is noted."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...contacts.postures.collisions_along import self_collisions
from ...robots.configuration import check_torques
from ...robots.robot import Robot
from ..calling import raised
from ..estimation.sensors import measuring
from ..simulation.falls import Fall
from .controllers import Controller
from .impulse import Impulse
from .path import Track
from .plant import TICK, Plant
from .streams import Stream
from .world import World

LINKS = 10  # ticks from one posture to the next in which links are looked at


class Run:
    """A trial in progress; arguments as of `trial`, checked."""

    def __init__(
        self,
        robot: Robot,
        feet: ContactSet,
        world: World,
        q: Array,
        velocity: Array,
        duration: float,
        seed: int,
        impulse: Impulse | None,
    ) -> None:
        far = 2.0 + duration * float(np.linalg.norm(velocity[:2]))
        self.robot, self.world, self.impulse = robot, world, impulse
        self.plant = Plant(robot, feet, world, q, seed, far)
        self.state = self.plant.from_mujoco()  # q and v as they are
        self.ticks = max(1, round(duration / TICK))
        how = world.noise if world.sensors is None else world.sensors
        self.senses = measuring(how, robot, Stream.NOISE.of(seed))
        self.track = Track(q, velocity, feet.forward)
        self.late = deque([np.zeros(robot.na)] * world.delay)
        self.applied = np.zeros(robot.na)
        self.fall = Fall(robot, feet, self.plant.terrain, q)
        self.ended, self.fell, self.energy, self.slip = "", False, 0.0, 0.0
        self.times: list[float] = []
        self.postures: list[Array] = []
        self.statuses: Counter[str] = Counter()

    def go(self, controller: Controller) -> None:
        """Run to the end, or to a fall or a failure."""
        for k in range(self.ticks):
            if why := self._tick(controller, k):
                self.ended = why
                return

    def _tick(self, controller: Controller, k: int) -> str:
        """Do a tick; return why the run ends with it, "" when it does not."""
        t, plant = k * TICK, self.plant
        q, v = self.state
        readings = self.senses.read(t, q, v, self.applied, plant.touching).copy()
        began = time.perf_counter()
        try:
            answer = controller(readings)
            self.times.append(time.perf_counter() - began)
            # a copy: a controller may answer with the same array at each tick
            tau = check_torques(self.robot, answer, "the controller's answer").copy()
        except Exception as error:
            return f"failed: {raised(error)}"
        self.statuses[str(getattr(controller, "status", ""))] += 1
        self.late.append(tau)
        motors = self.robot.motors
        self.applied = np.clip(self.late.popleft(), *motors.at_speeds(v[motors.rows]))
        push = np.zeros(3) if self.impulse is None else self.impulse.force(t, plant.mass)
        if not plant.tick(self.applied, push):
            return "failed: the motion blew up"
        return self._note(k)

    def _note(self, k: int) -> str:
        """Record where the robot is; return why it has fallen, "" when it has not."""
        self.energy += self.plant.work
        self.slip = max(self.slip, *self.plant.slid.values())
        self.state = q, _ = self.plant.from_mujoco()
        self.track.add(q)
        if (k + 1) % LINKS == 0:
            self.postures.append(q)
        why = self.fall.after(k, self.ticks, TICK, q)
        self.fell = bool(why)
        return f"fell: {why}" if why else ""

    def found(self) -> dict[str, Any]:
        """Return the fields of the `Trial`."""
        weight = self.plant.mass * float(np.linalg.norm(self.robot._model.gravity.linear))
        times = self.times or [0.0]
        return {
            "seconds": len(self.track) * TICK,
            "ended": self.ended,
            "fell": self.fell,
            **self.track.found(TICK),
            "energy": self.energy,
            "weight": weight,
            "slip": float(self.slip),
            "overlaps": overlaps(self.robot, self.postures),
            "statuses": dict(self.statuses),
            "tick_median": float(np.median(times)),
            "tick_worst": max(times),
        }


def overlaps(robot: Robot, postures: Sequence[Array]) -> dict[str, float]:
    """Return {"link and link": how deep they were in each other at most [m]} over postures (nq,).

    Nothing in the plant keeps links apart. Without collision shapes there is nothing to tell.
    """
    if not postures or not robot.has_collision_shapes:
        return {}
    found, deepest = self_collisions(robot, np.array(postures)), dict[str, float]()
    for pair, distance in zip(found.pair, found.distance, strict=True):
        name = " and ".join(found.links[pair])
        deepest[name] = max(deepest.get(name, 0.0), -float(distance))
    return deepest
