"""Trial: one run of a controller in a world, and what it showed."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet, at_feet
from ...dynamics import State
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.configuration import check_configuration, check_floating
from ...robots.robot import Robot
from ...robots.values import instance, number, vector, whole_number
from ..simulation.simulate import check_inertia
from ..whole_body.standing import stand
from .controllers import MakeController, check_maker, made
from .impulse import Impulse
from .plant import PUSHED
from .run import Run
from .world import World

Velocity = tuple[float, float, float]


@dataclass(frozen=True)
class Trial:
    """Result of one run of a controller; two are equal when all but the times of ticks are.

    Attributes:
        world: the world.
        seed: of what was random.
        velocity: the commanded one, (v_x, v_y) [m/s] and ω_z [rad/s].
        impulse: the push, if there was one.
        seconds: how long it kept its feet.
        ended: why it ended before its time, "" when it did not.
        fell: whether it fell; a trial that ended early without a fall had a controller that raised
            or returned no torques.
        distance: along the commanded direction [m].
        path_error: the largest distance from the commanded path, or from the start when standing
            [m].
        speed: mean along the commanded direction, in the second half [m/s].
        turn: mean angular velocity about the vertical, in the second half [rad/s].
        energy: ∫ Σ |τ_i q̇_i| dt [J].
        weight: of the robot in this world [N].
        slip: the largest distance that a contact slid between touch-down and lift-off [m].
        overlaps: {"link and link": their largest depth in each other [m]}, e.g. of legs that cross,
            as links do not collide in the simulation. Empty without collision shapes.
        tilt: largest tilt of the trunk against the start [degrees].
        statuses: {status of the controller: at how many ticks}.
        tick_median, tick_worst: duration of the controller's ticks [s].
    """

    world: World
    seed: int
    velocity: Velocity
    impulse: Impulse | None
    seconds: float
    ended: str
    fell: bool
    distance: float
    path_error: float
    speed: float
    turn: float
    energy: float
    weight: float
    slip: float
    overlaps: dict[str, float]
    tilt: float
    statuses: dict[str, int]
    tick_median: float = field(compare=False)
    tick_worst: float = field(compare=False)

    @property
    def survived(self) -> bool:
        """Whether it lasted to its end."""
        return not self.ended

    @property
    def energy_per_metre(self) -> float:
        """∫ Σ |τ_i q̇_i| dt over the distance [J/m]; inf if it made no headway."""
        return self.energy / self.distance if self.distance > 0 else math.inf

    @property
    def cost_of_transport(self) -> float:
        """The energy per metre over the weight; inf for a weightless robot."""
        return self.energy_per_metre / self.weight if self.weight > 0 else math.inf

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        derived = {
            name: getattr(self, name)
            for name in ("survived", "energy_per_metre", "cost_of_transport")
        }
        return asdict(self) | derived


@names_checked
def trial(
    robot: Robot,
    make_controller: MakeController,
    world: World | None = None,
    *,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    duration: float = 10.0,
    seed: int = 0,
    impulse: Impulse | None = None,
    q: ArrayLike | None = None,
    contacts: ContactSet | None = None,
) -> Trial:
    """Run a controller in a world until the time is over or the robot has fallen.

    MuJoCo moves the robot at 2 kHz, with solid soles; the controller is asked at 500 Hz, and its
    torques, clipped to the motors' limits, are applied a tick later. A fall is that of
    `control.simulate`: the trunk below half of its height, tilted by 60 degrees, the contacts
    deeper in the ground than a tenth of that height, or something but the limbs with contacts on
    the ground. A controller that raises or returns invalid torques ends the trial; only Ctrl-C
    reaches the caller.

    Args:
        robot: floating base.
        make_controller: called with the robot, where it starts q (nq,), and the velocity (3,); it
            returns a controller: readings -> τ (na,), see `Readings`; or, without sensors, a law
            (t, q, v) -> τ or (q, v, t) -> `Command`, as a WholeBodyController.
        world: as told when not given.
        velocity: commanded, (v_x, v_y) [m/s] and ω_z [rad/s], axes of the trunk.
        duration: [s].
        seed: of masses, boards and noise: the same seed gives the same trial.
        impulse: a push, which ends before the trial does.
        q: where it starts (nq,), at rest; where `control.stand` stands when not given.
        contacts: its soles and points; the robot's feet when not given.

    Raises:
        ConfigurationError: invalid values; an error of `make_controller`; MuJoCo is not
            installed.
        ContactError: contacts that cannot be simulated, or no posture to stand in.
    """
    check_who(robot, make_controller)
    world = World() if world is None else instance(world, "world", World)
    command = vector(velocity, "velocity", "v_x, v_y [m/s] and ω_z [rad/s]")
    duration = number(duration, "duration", above=0, unit="[s]")
    seed = whole_number(seed, "seed", at_least=0)
    if impulse is not None:
        end = instance(impulse, "impulse", Impulse).at + PUSHED
        if end > duration + 1e-9:
            raise ConfigurationError(
                f"impulse: got one that ends at {end:g} s; expected the end of a trial of "
                f"{duration:g} s at the latest"
            )
    feet, start = standing(robot, contacts, q, world)
    controller = made(make_controller, robot, start, command, world.sensors)
    run = Run(robot, feet, world, start, command, duration, seed, impulse)
    run.go(controller)
    return Trial(world, seed, as_velocity(command), impulse, **run.found())


def standing(
    robot: Robot, contacts: ContactSet | None, q: ArrayLike | None, world: World
) -> tuple[ContactSet, Array]:
    """Return the contacts and the configuration (nq,) of a robot before a trial, see `trial`."""
    feet = at_feet(robot) if contacts is None else ContactSet.of(robot, contacts)
    start = (
        stand(robot, feet, terrain=world.told)[1] if q is None else check_configuration(robot, q)
    )
    if not world.armature:
        check_inertia(robot, State(robot, start))
    return feet, start


def as_velocity(v: Array) -> Velocity:
    """Return v (3,) as a tuple, which can be a key."""
    x, y, turn = map(float, v)
    return x, y, turn


def check_who(robot: Robot, make_controller: MakeController) -> None:
    """Refuse what has no floating base, and what makes no controller."""
    check_floating(robot)
    check_maker(make_controller)
