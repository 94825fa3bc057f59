"""Gaits: which feet swing together and in which order, and the phases of so many steps.

Feet are told by their sides and their order along them, so that a gait serves any number of them.
The phases start where the feet are, with the centre of pressure under the centre of mass, and end
with it between the feet. On a terrain, footholds are on its surfaces. `control.GaitController`
follows a commanded velocity instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ... import dynamics
from ...arrays import Array
from ...contacts import ContactSet, Terrain
from ...contacts.forward import ground_axes
from ...dynamics import State
from ...errors import ConfigurationError, ContactError, unknown
from ...robots.values import instance, number, sequence
from ..dcm import Phase
from ..limbs import hips, lengths
from ..references import moved
from .footholds import foothold

MANY, EVEN = range(4, 101), range(4, 101, 2)  # numbers of feet
RISE = 0.5  # the highest step up or down [heights of the centre of mass]


class Lags(NamedTuple):
    """By which fractions of a cycle feet swing later than others, by where they are.

    Foot r = 0, 1, … from the front, of R on its side s = 0 on the left and 1 on the right, swings
    from the fraction of the cycle

        φ = rows r + wave r/R + sides s    (mod 1)

    on, after the least of them, which is where the cycle begins. M. Hildebrand, "Symmetrical gaits
    of horses" (1965), of four feet; D. Wilson, "Insect walking" (1966), of waves along each side.

    Attributes:
        rows: from a foot to the one behind it: ½ in turn, 0 together.
        wave: from end to end of a side, the feet between them evenly; negative: hind feet first.
        sides: from the left to the right.
    """

    rows: float = 0.0
    wave: float = 0.0
    sides: float = 0.0

    def groups(self, count: int) -> tuple[tuple[str, ...], ...]:
        """Return the places of the feet that swing together, in turn, of a number of feet."""
        phases = {
            place: self.rows * row + self.wave * row / length + self.sides * side
            for place, (side, row, length) in _places(count).items()
        }
        least = min(phases.values())
        groups: dict[float, tuple[str, ...]] = {}
        for place, phase in phases.items():
            begin = round(phase - least, 9) % 1
            groups[begin] = (*groups.get(begin, ()), place)
        return tuple(groups[begin] for begin in sorted(groups))


@dataclass(frozen=True)
class Gait:
    """Groups of feet that swing together, in turn, and for how long.

    Times are in those of a pendulum, 1/ω = √(h/g) with h the height of the centre of mass, so that
    one gait serves robots of all sizes.

    Attributes:
        groups: feet by their places, see `feet_by_place`; or their `Lags`: feet of one phase are a
            group.
        swing: duration of a swing [1/ω].
        double: duration with all feet on the ground, between two swings [1/ω].
        step: longest step in the natural time; longer ones would be taken sooner [h].
        climb: by how much swings last longer for what they go up or down on a terrain [1/ω for h]:
            heavy legs that are thrown up throw the robot up too.
        feet: how many it is for, where it is told by `Lags`.

    Raises:
        ConfigurationError: invalid durations or lengths, or no feet that swing.
    """

    groups: tuple[tuple[str, ...], ...] | Lags
    swing: float
    double: float
    step: float
    climb: float = 0.0
    feet: range = range(2, 101)

    def __post_init__(self) -> None:
        number(self.swing, "swing", above=0, unit="[1/ω]")
        number(self.double, "double", above=0, unit="[1/ω]")
        number(self.step, "step", above=0, unit="[h]")
        number(self.climb, "climb", at_least=0)
        instance(self.feet, "feet", range)
        if isinstance(self.groups, Lags):
            for name, lag in self.groups._asdict().items():
                number(lag, f"groups.{name}")
        elif not (groups := sequence(self.groups, "groups", tuple | list)) or not all(groups):
            raise ConfigurationError(
                f"groups: got {self.groups!r:.80}, expected Lags, or groups of one foot or more"
            )

    def suits(self, count: int) -> bool:
        """Return whether so many feet have its places."""
        if isinstance(self.groups, Lags):
            return count in self.feet
        return {place for group in self.groups for place in group} <= _places(count).keys()

    def groups_of(self, count: int) -> tuple[tuple[str, ...], ...]:
        """Return the places of its groups, of a number of feet that it suits."""
        return self.groups.groups(count) if isinstance(self.groups, Lags) else self.groups


GAITS = {
    "walk": Gait(Lags(sides=0.5), 1.4, 0.4, step=0.5, climb=3.0, feet=range(2, 3)),
    "tripod": Gait(Lags(rows=0.5, sides=0.5), 2.0, 0.3, step=0.5, feet=range(6, 7)),
    "trot": Gait(Lags(rows=0.5, sides=0.5), 1.15, 0.3, step=0.5, feet=EVEN),
    "pace": Gait(Lags(sides=0.5), 0.9, 1.5, step=0.4, feet=range(4, 5)),
    "bound": Gait(Lags(rows=0.5), 0.7, 1.2, step=0.4, feet=range(4, 5)),
    "wave": Gait(Lags(wave=-0.5, sides=0.5), 2.0, 0.3, step=0.13, feet=MANY[1:]),
    "ripple": Gait(Lags(wave=-1.0, sides=0.5), 2.0, 0.3, step=0.13, feet=EVEN[1:]),
    "crawl": Gait(Lags(wave=-0.5, sides=0.5), 1.2, 0.6, step=0.2, feet=MANY),
}


def gaits_on(count: int) -> list[str]:
    """Return the names of the `GAITS` of so many feet, the usual one first."""
    return [name for name, gait in GAITS.items() if gait.suits(count)]


def footsteps(
    contacts: ContactSet,
    q: ArrayLike,
    count: int,
    *,
    length: float = 0.0,
    swing: float = 0.6,
    double: float = 0.2,
    settle: float = 1.0,
    terrain: Terrain | None = None,
) -> list[Phase]:
    """Return `count` alternating steps of a biped; the last one brings the feet side by side.

    Args:
        contacts: two feet.
        q: where it stands (nq,).
        count: of steps.
        length: by which the swinging foot passes the stance foot, along the robot's x [m].
        swing, double: time on one foot and on two [s].
        settle: time on two feet at the beginning and at the end [s].
        terrain: where feet land, as stairs: steps are shortened or lengthened where an edge would
            be under a foot; as high as they stand when not given.

    Raises:
        ContactError: not two feet, no place for one of them on the terrain, or a length that the
            legs do not span.
    """
    length = number(length, "length", unit="[m]")
    feet, ahead = feet_by_place(contacts, q, 2), heading(contacts, q)
    names = contacts.names  # the first one goes first
    other = dict(zip(feet.values(), reversed(feet.values()), strict=True))

    def goal(places: dict[str, Any], k: int, name: str) -> Any:
        """From the swinging foot to the stance foot and past it; the last one stops beside it."""
        behind = ahead @ (places[other[name]].translation - places[name].translation)
        return moved(places[name], (behind + (length if k < count - 1 else 0.0)) * ahead)

    groups = [(names[k % 2],) for k in range(count)]
    return _from_standing(contacts, q, groups, goal, (swing, double, settle), terrain)


def trot(
    contacts: ContactSet,
    q: ArrayLike,
    count: int,
    *,
    length: float = 0.0,
    swing: float = 0.2,
    double: float = 0.05,
    settle: float = 0.5,
    terrain: Terrain | None = None,
) -> list[Phase]:
    """Return `count` swings of the two diagonals of a quadruped in turn.

    Arguments as of `footsteps`; each diagonal lands `length` / 2 ahead of the other, so it swings
    over `length` and the body advances by half of it [m].
    """
    length = number(length, "length", unit="[m]")
    ahead = heading(contacts, q)

    def goal(places: dict[str, Any], k: int, name: str) -> Any:
        """Two groups pass each other: the first and the last swing go half as far."""
        return moved(places[name], (0.5 if k in (0, count - 1) else 1.0) * length * ahead)

    groups = _swings("trot", contacts, q, count)
    return _from_standing(contacts, q, groups, goal, (swing, double, settle), terrain)


def crawl(
    contacts: ContactSet,
    q: ArrayLike,
    count: int,
    *,
    length: float = 0.0,
    swing: float = 0.3,
    double: float = 0.3,
    settle: float = 0.5,
    terrain: Terrain | None = None,
) -> list[Phase]:
    """Return `count` swings of single feet of a quadruped: left hind, left front, right ones.

    Arguments as of `footsteps`; a foot goes `length` forward at each of its swings [m].
    """
    length = number(length, "length", unit="[m]")
    ahead = heading(contacts, q)
    groups = _swings("crawl", contacts, q, count)
    return _from_standing(
        contacts, q, groups, lambda places, k, name: moved(places[name], length * ahead),
        (swing, double, settle), terrain,
    )  # fmt: skip


def swings_in_turn(
    contacts: ContactSet,
    places: dict[str, Any],
    groups: Sequence[tuple[str, ...]],
    goal: Callable[[dict[str, Any], int, str], Any],
    *,
    start: Array,
    swing: float,
    double: float,
    first: float,
    last: float,
    terrain: Terrain | None = None,
    reach: float | None = None,
    climb: float = 0.0,
    room: float = 0.0,
    resting: Callable[[dict[str, Any], int, list[str]], Array] | None = None,
) -> list[Phase]:
    """Return phases in which groups of feet swing, while p rests among the others.

    Args:
        contacts: all feet.
        places: T_world_contact of each, where they stand now (`pin.SE3`).
        groups: names of the feet that swing, one swing after the other.
        goal: (places by then, number of the swing, foot) -> T_world_contact where it should land.
        start: p (3,) at the beginning [m].
        swing, double: durations of a swing, and of the time on all feet between two [s].
        first, last: durations on all feet before the first swing and after the last [s].
        terrain: onto whose surfaces footholds are brought.
        reach, room: the highest step up or down, and the distance from risers [m], see
            `footholds.foothold`.
        climb: by how much a swing on the terrain lasts longer for what it goes up or down [s/m].
        resting: (places by then, number of the swing, feet that carry) -> p (3,) in the swing [m];
            in the middle of these feet when not given.

    Raises:
        ContactError: no place to stand near a goal.
    """
    for duration in (swing, double, first, last):
        number(duration, "duration", above=0, unit="[s]")
    places, phases, p = dict(places), [], start
    for k, group in enumerate(groups):
        carry = [name for name in contacts.names if name not in group]
        target = middle(places, carry) if resting is None else resting(places, k, carry)
        phases.append(Phase.of(double if k else first, p, target))
        landed = {name: goal(places, k, name) for name in group}
        rise = 0.0
        if terrain is not None:
            for name, T in landed.items():
                here = pin.SE3(T.rotation, places[name].translation)
                way = (T.translation - here.translation) * [1.0, 1.0, 0.0]
                landed[name] = foothold(contacts[name], here, way, terrain, reach, room)
                up = landed[name].translation[2] - here.translation[2]
                rise = max(rise, abs(float(up)))
        places.update(landed)
        phases.append(Phase.of(swing + climb * rise, target, target, landed))
        p = target
    phases.append(Phase.of(last, p, middle(places, contacts.names)))
    return phases


def feet_by_place(contacts: ContactSet, q: ArrayLike, count: int | None = None) -> dict[str, str]:
    """Return {place: contact}: "left", "right" of two feet, "left front", "right hind", … of more.

    In order around their middle, half of the feet are the left ones, those whose mean direction is
    nearest to the left; of an odd number there is one more on the left. On each side they are
    "front" and "hind", with "middle" between them where there are three, and "2", "3", … of more.

    Args:
        contacts: the feet.
        q: where they stand (nq,).
        count: how many there have to be; None: two or more.

    Raises:
        ContactError: another number of feet.
    """
    if len(contacts) < 2 or count not in (None, len(contacts)):
        raise ContactError(
            f"contacts: got {len(contacts)} ({', '.join(map(repr, contacts.names)) or 'none'}) of "
            f"{contacts.robot.name!r}, expected {count or 'two or more'} feet to step with"
        )
    sides = left_and_right(contacts, q)
    return {place: sides[side][row] for place, (side, row, _) in _places(len(contacts)).items()}


def left_and_right(contacts: ContactSet, q: ArrayLike) -> tuple[list[str], list[str]]:
    """Return the names of the feet on the left and on the right, from the front."""
    names, axes = contacts.names, ahead_and_left(contacts, q)[:, :2].T
    points = np.array([T.translation[:2] for T in contacts.placements(q).values()]) @ axes
    ways = points - points.mean(axis=0)
    ways /= np.maximum(np.linalg.norm(ways, axis=1), 1e-12)[:, None]
    around = np.argsort(-np.arctan2(ways[:, 1], ways[:, 0]))  # clockwise
    half = (len(names) + 1) // 2
    arcs = [np.roll(around, -k) for k in range(len(names))]
    means = np.array([ways[arc[:half]].mean(axis=0) for arc in arcs])
    left = means[:, 1] / np.maximum(np.linalg.norm(means, axis=1), 1e-12)
    # where two arcs are as far to the left, as with a foot ahead and one behind, the foremost one
    best = arcs[max(range(len(arcs)), key=lambda k: (round(left[k], 6), means[k, 0]))]
    return [names[k] for k in best[:half][::-1]], [names[k] for k in best[half:]]


@cache
def _places(count: int) -> dict[str, tuple[int, int, int]]:
    """{place: (side, row, how many on that side)} of a number of feet, row by row."""
    sides = {(0, "left"): (count + 1) // 2, (1, "right"): count // 2}
    return {
        f"{word} {_row(row, length)}".strip(): (side, row, length)
        for row in range((count + 1) // 2)
        for (side, word), length in sides.items()
        if row < length
    }


def _row(row: int, length: int) -> str:
    if length == 1:
        return ""
    between = "middle" if length == 3 else str(row + 1)
    return "front" if row == 0 else "hind" if row == length - 1 else between


def heading(contacts: ContactSet, q: ArrayLike | State) -> Array:
    """Return the robot's forward axis, along the ground (3,), see `ContactSet.forward`."""
    return np.asarray(ahead_and_left(contacts, q)[0])


def ahead_and_left(contacts: ContactSet, q: ArrayLike | State) -> Array:
    """Return the robot's forward axis and the one to its left, along level ground (2, 3)."""
    return ground_axes(State.of(contacts.robot, q), contacts.forward)


def under_com(contacts: ContactSet, q: ArrayLike) -> Array:
    """Return the point under the centre of mass, as high as the feet are on average (3,) [m]."""
    x, y, _ = dynamics.com(contacts.robot, q)
    return np.array([x, y, middle(contacts.placements(q), contacts.names)[2]])


def standing_height(contacts: ContactSet, q: ArrayLike) -> float:
    """Return how high the centre of mass is above the middle of the feet [m]."""
    ground = middle(contacts.placements(q), contacts.names)[2]
    return float(dynamics.com(contacts.robot, q)[2] - ground)


def middle(places: Mapping[str, Any], names: Sequence[str]) -> Array:
    """Return the mean of the places of some feet (3,) [m]; NumPy's takes longer for so few."""
    points = [places[name].translation.tolist() for name in names]
    return np.array([sum(values) / len(points) for values in zip(*points, strict=True)])


def gait_of(
    contacts: ContactSet, q: ArrayLike, gait: str | Gait | None = None
) -> tuple[Gait, list[tuple[str, ...]]]:
    """Return a gait, and the names of the feet that swing together, in turn.

    Args:
        contacts: the feet.
        q: where they stand (nq,).
        gait: of `GAITS` by name, or one of one's own; None: the usual one of so many feet.

    Raises:
        ConfigurationError: no such gait, or one that does not suit these feet, lifts all of them at
            once, or some never.
        ContactError: fewer than two feet.
    """
    feet = feet_by_place(contacts, q)
    fitting = gaits_on(len(feet))
    if isinstance(gait, str) and gait not in GAITS:
        raise ConfigurationError(unknown("gait", gait, GAITS))
    chosen = fitting[0] if gait is None and fitting else gait
    found = GAITS[chosen] if isinstance(chosen, str) else chosen
    if not (found is None or isinstance(found, Gait)):
        raise ConfigurationError(f"gait: got {gait!r}; expected a Gait, or one of {list(GAITS)}")
    if found is None or not found.suits(len(feet)):
        raise ConfigurationError(
            f"gait: got {gait!r}; {contacts.robot.name!r} has {', '.join(feet)}: expected "
            f"{' or '.join(fitting) or 'a Gait of your own'}"
        )
    groups = found.groups_of(len(feet))
    if any(len(group) == len(feet) for group in groups):
        raise ConfigurationError(
            f"gait: got {gait!r}, with which all feet of {contacts.robot.name!r} swing together; "
            "expected some that carry meanwhile"
        )
    if never := [place for place in feet if not any(place in group for group in groups)]:
        raise ConfigurationError(
            f"gait: got {gait!r}, with which {', '.join(never)} of {contacts.robot.name!r} never "
            "swing; expected each foot in a group"
        )
    return found, [tuple(feet[place] for place in group) for group in groups]


def _swings(gait: str, contacts: ContactSet, q: ArrayLike, count: int) -> list[tuple[str, ...]]:
    """The names of the feet of `count` swings."""
    _, groups = gait_of(contacts, q, gait)
    return [groups[k % len(groups)] for k in range(count)]


def _from_standing(
    contacts: ContactSet,
    q: ArrayLike,
    groups: Sequence[tuple[str, ...]],
    goal: Callable[[dict[str, Any], int, str], Any],
    times: tuple[float, float, float],
    terrain: Terrain | None,
) -> list[Phase]:
    swing, double, settle = times
    phases = swings_in_turn(
        contacts, dict(contacts.placements(q)), groups, goal, start=under_com(contacts, q),
        swing=swing, double=double, first=settle, last=settle, terrain=terrain,
        reach=RISE * standing_height(contacts, q),
    )  # fmt: skip
    _require_reach(contacts, q, phases)
    return phases


def _require_reach(contacts: ContactSet, q: ArrayLike, phases: Sequence[Phase]) -> None:
    """Refuse feet that stand farther apart than two legs stretched from their hips."""
    state, names = State.of(contacts.robot, q), contacts.names
    places = contacts.attachment.positions(state)
    hip = state.joint_placements[hips(contacts), :3, 3]
    legs = np.linalg.norm(places - hip, axis=1)  # so long at least, at no cost
    farthest = np.zeros((len(names), len(names)))
    for phase in phases:
        for name, T in phase.swings.items():
            places[names.index(name)] = T.translation
        farthest = np.maximum(farthest, _distances(places))
    if (farthest <= _distances(hip) + legs + legs[:, None]).all():
        return
    legs = lengths(contacts, state.q)
    spans = _distances(hip) + legs + legs[:, None]
    one, other = np.unravel_index(np.argmax(farthest - spans), spans.shape)
    if farthest[one, other] > spans[one, other]:
        raise ContactError(
            f"{names[one]!r} and {names[other]!r} of {contacts.robot.name!r} would stand "
            f"{farthest[one, other]:.3g} m apart; expected at most {spans[one, other]:.3g} m, "
            "their legs stretched: a shorter length"
        )


def _distances(points: Array) -> Array:
    """Distances (k, k) between points (k, 3)."""
    return np.asarray(np.linalg.norm(points - points[:, None], axis=2))
