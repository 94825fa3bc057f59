"""A set of contacts of one robot: their rows stacked in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .. import registry
from ..arrays import Array
from ..dynamics import State
from ..errors import ContactError, unknown, warn
from ..options import check_options
from ..robots import Foot, Robot
from ..robots.configuration import check_robot
from ..robots.unchecked import unchecked
from ..robots.values import each_once, instance, mapping, placement, sequence, vector
from .attachment import Attachment
from .cones.friction_cone import Friction
from .contact import Contact, PointContact
from .forward import forward
from .limits import ContactLimits
from .surface_contact import SurfaceContact


class ContactSet:
    """Contacts of one robot, in order, each with a name of its own.

    A contact without a name takes its frame's; of several on one frame the later ones are numbered
    ("sole", "sole#2", …). Two contacts given the same name are refused.

    Args:
        robot: whose frames the contacts name.
        contacts: any number, possibly none.

    Raises:
        ContactError: two contacts with one name, or something that is no contact.
        ConfigurationError: a frame that the robot does not have.
    """

    def __init__(self, robot: Robot, contacts: Iterable[Contact] = ()) -> None:
        self.robot: Robot = check_robot(robot)
        texts = isinstance(contacts, Sequence) and any(isinstance(c, str) for c in contacts)
        if isinstance(contacts, Mapping | str) or texts:
            raise ContactError(
                f"contacts: got {contacts!r:.80}, expected contacts: contacts.at_feet(robot) has "
                "those of its feet by name, PointContact and SurfaceContact make others"
            )
        self.contacts = _named(sequence(contacts, "contacts", Contact, error=ContactError))
        for contact in self.contacts:
            robot.frame_id(contact.frame)

    @classmethod
    def of(cls, robot: Robot, contacts: Contacts) -> ContactSet:
        """Return `contacts` as a set of `robot`; a set of another robot is refused.

        A robot with the same name and frames is the same one: loaded or unpickled again, with a
        payload, under another gravity. The contacts then are at its frames.
        """
        check_robot(robot)
        if isinstance(contacts, Contact):
            return cls(robot, [contacts])
        if isinstance(contacts, np.ndarray) and contacts.dtype != object:
            raise ContactError(
                f"contacts: got an array of shape {contacts.shape}, expected a ContactSet or a "
                "sequence of contacts"
            )
        if not isinstance(contacts, ContactSet):
            return cls(robot, contacts)
        if contacts.robot is robot:
            return contacts
        if contacts.robot.name != robot.name or contacts.robot.frame_names != robot.frame_names:
            apart = " with other frames" if contacts.robot.name == robot.name else ""
            raise ContactError(
                f"contacts: got a set of the robot {contacts.robot.name!r}{apart}, expected one of "
                f"this {robot.name!r}"
            )
        return cls(robot, contacts.contacts)

    @classmethod
    def _known(cls, robot: Robot, contacts: Iterable[Contact]) -> ContactSet:
        """Return the set of contacts of this robot that have names of their own: unchecked."""
        return unchecked(cls, robot=robot, contacts=tuple(contacts))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the contacts, in order."""
        return tuple(contact.name for contact in self.contacts)

    @property
    def wholes(self) -> dict[str, list[int]]:
        """{foot: indices of the contacts that are its parts}; other contacts under their own
        names."""
        found: dict[str, list[int]] = {}
        for k, contact in enumerate(self.contacts):
            found.setdefault(contact.whole, []).append(k)
        return found

    @property
    def dim(self) -> int:
        """Number of rows: 3 a point, 4 a soft one, 5 a line, 6 a patch."""
        return sum(contact.dim for contact in self.contacts)

    def rows(self, name: str) -> slice:
        """Return which rows of the Jacobian belong to a contact."""
        start = 0
        for contact in self.contacts:
            if contact.name == name:
                return slice(start, start + contact.dim)
            start += contact.dim
        raise ContactError(unknown("contact", name, self.names))

    def only(self, which: Sequence[bool] | NDArray[np.bool_]) -> ContactSet:
        """Return the set of those contacts where `which` (C,) is True; they keep their names."""
        mask = np.asarray(which)
        if mask.dtype != bool or mask.shape != (len(self),):
            raise ContactError(
                f"which: got {mask.dtype} {mask.shape}, expected booleans ({len(self)},)"
            )
        return ContactSet._known(self.robot, (c for c, on in zip(self, mask, strict=True) if on))

    @cached_property
    def attachment(self) -> Attachment:
        """Where the contacts sit on the robot's joints, as arrays."""
        return Attachment(self.robot, self.contacts)

    @cached_property
    def forward(self) -> Array:
        """The axis of the base that points ahead (3,), in the base's axes, read-only; see
        `contacts.forward`."""
        return forward(self.contacts, self.attachment)

    def jacobian(self, q: ArrayLike | State) -> Array:
        """Return J (dim, nv): velocities of the contacts' centres, world axes, v_c = J v."""
        return self.attachment.jacobian(State.of(self.robot, q))

    def drift(self, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
        """Return (dJ/dt) v (dim,): accelerations of the centres when a = 0, world axes."""
        return self.attachment.drift(State.of(self.robot, q, v))

    def hessian(self, q: ArrayLike | State) -> Array:
        """Return H (dim, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction)."""
        return self.attachment.hessian(State.of(self.robot, q))

    def surface_velocity(self, q: ArrayLike | State) -> Array:
        """Return s (dim,), what J v must be for the contacts to stay on their surfaces."""
        state = State.of(self.robot, q)
        if not self.moving:
            return np.zeros(self.dim)
        return np.concatenate([c.surface_velocity(state) for c in self.contacts])

    def surface_acceleration(self, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
        """Return what J a + (dJ/dt) v must be for the contacts to stay there (dim,)."""
        state = State.of(self.robot, q, v)
        if not self.moving:
            return np.zeros(self.dim)
        return np.concatenate([c.surface_acceleration(state) for c in self.contacts])

    @property
    def moving(self) -> bool:
        """Whether any contact is on a surface that moves."""
        return any(contact.surface is not None for contact in self.contacts)

    def placements(self, q: ArrayLike | State) -> dict[str, Any]:
        """Return {contact: T_world_contact} (`pin.SE3`), z the normal into the robot."""
        state = State.of(self.robot, q)
        R, p = self.attachment.rotations(state), self.attachment.positions(state)
        return {name: pin.SE3(R[k], p[k]) for k, name in enumerate(self.names)}

    def error(self, q: ArrayLike | State, targets: Mapping[str, Any]) -> Array:
        """Return how far the contacts are from where they should be, (dim,), world axes.

        A point: p − p*; a surface: [p − p*; log(R R*ᵀ)], with the rotation vector in world axes, so
        that the error's rate is J v at the target (but for a ball, whose p rolls along, and for the
        spin of a soft point, which has no place: its error is 0).

        Args:
            q: configuration (nq,).
            targets: {contact: T_world_target} for every contact; for a point a position (3,) too.
        """
        targets = mapping(targets, "targets", error=ContactError)
        missing = [name for name in self.names if name not in targets]
        if missing:
            raise ContactError(f"targets: got none for {missing}, expected one for each contact")
        state = State.of(self.robot, q)
        rows = [c.error(state, as_pose(targets[c.name], c)) for c in self.contacts]
        return np.concatenate([np.zeros(0), *rows])

    def friction_constraints(self, f: Any, q: ArrayLike | State) -> list[Any]:
        """Return what limits contact forces as cvxpy constraints on an expression f (dim,).

        f is in the rows of J: forces of points (of soft ones then the moment about the normal),
        wrenches [force; moment] of surfaces at their centres, in world axes. The limits are
        exact: w = G x, with the forces at the contacts' points, each in its cone, as unknowns x.
        """
        if getattr(f, "shape", None) != (self.dim,):
            raise ContactError(f"f: got shape {getattr(f, 'shape', None)}, expected ({self.dim},)")
        import cvxpy as cp

        x = cp.Variable(self.limits.size) if len(self) else cp.Constant(np.zeros(0))
        return [f == self.transmission(q) @ x, *self.limits.constraints(x)]

    @cached_property
    def limits(self) -> ContactLimits:
        """What the contacts can transmit, in contact axes."""
        return ContactLimits.of(self.contacts)

    def transmission(self, q: ArrayLike | State) -> Array:
        """Return G (dim, n), from the unknowns x of `limits` to forces in the rows of J."""
        at, state = self.attachment, State.of(self.robot, q)
        local = self.limits.wrench_rows.reshape(len(self), 2, 3, self.limits.size)
        wrenches = at.rotations(state)[:, None] @ local  # at the centres, world axes
        return at.selection(state) @ wrenches.reshape(6 * len(self), self.limits.size)

    def __iter__(self) -> Iterator[Contact]:
        return iter(self.contacts)

    def __len__(self) -> int:
        return len(self.contacts)

    def __getitem__(self, name: str) -> Contact:
        for contact in self.contacts:
            if contact.name == name:
                return contact
        raise ContactError(unknown("contact", name, self.names))

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        return f"ContactSet({self.robot.name!r}, {list(self.names)}, dim={self.dim})"


Contacts = ContactSet | Contact | Iterable[Contact]  # as `ContactSet.of` takes them


def at_feet(
    robot: Robot,
    friction: Friction = 0.7,
    *,
    feet: Mapping[str, Foot] | None = None,
    tangent: ArrayLike | None = None,
    **limits: Any,
) -> ContactSet:
    """Return contacts at the robot's own feet: its soles as surfaces, its ball feet as balls.

    Points take the normal of level ground; surfaces take theirs from the sole.

    Args:
        robot: whose feet.
        friction: Coulomb coefficient μ of all; two, as `Contact` has them, with `tangent`.
        feet: to stand on these. Without it: `robot.feet`, found by shape where nobody names them.
        tangent: (3,), of the points, as for `PointContact`.
        limits: of every contact: torsional_friction, min_normal, max_normal, surface, bilateral.

    Raises:
        ContactError: no feet are known, and no shape says what touches the ground.

    Warns:
        FootworkWarning: the feet were found by their shapes; it says which.
    """
    check_options(limits, "at_feet", at_feet, Contact)
    if feet is None:
        check_robot(robot)
        feet = _own(robot)
    feet = mapping(feet, "feet", error=ContactError)
    if tangent is not None:
        vector(tangent, "tangent", error=ContactError)
    contacts: list[Contact] = []
    for key, foot in feet.items():
        instance(foot, f"feet[{key!r}]", Foot, error=ContactError)
        T, name = foot.placement, foot.name
        if foot.is_point:
            ball: dict[str, Any] = {"offset": np.array(T.translation), "radius": foot.radius}
            ball["tangent"] = tangent
            contacts.append(PointContact(foot.frame, friction, name=name, **ball, **limits))
        else:
            sole = {"vertices": foot.vertices, "placement": T, "friction": friction}
            contacts.append(SurfaceContact(foot.frame, name=name, **sole, **limits))
    return ContactSet(robot, contacts)


def _own(robot: Robot) -> Mapping[str, Foot]:
    feet = robot.feet
    if not feet and not robot.is_floating:
        raise ContactError(
            f"{robot.name!r} has no feet that we know of: its base is fixed; expected a floating "
            "one (base='floating'), or PointContact and SurfaceContact by hand"
        )
    if not feet:
        why = robot.standing.problem or "no shapes show where it touches the ground"
        raise ContactError(
            f"{robot.name!r} has no feet that we know of: {why}; give PointContact or "
            "SurfaceContact by hand, or feet when it is loaded ('LINK:0.22x0.10')"
        )
    if robot.feet_by_shape:
        kinds = (f"{name} ({_kind(foot)})" for name, foot in feet.items())
        warn(f"{robot.name!r} names no feet; by their shapes it stands on {', '.join(kinds)}")
    return feet


def _kind(foot: Foot) -> str:
    bare = ": its shapes show neither a ball nor a sole" if foot.is_bare else ""
    return f"a point{bare}" if foot.is_point else "a sole"


def _named(contacts: tuple[Contact, ...]) -> tuple[Contact, ...]:
    """Give every contact a name of its own."""
    given = [c.name for c in contacts if c.name]
    each_once(given, "contacts", error=ContactError)
    taken = set(given)
    named = []
    for contact in contacts:
        if not contact.name:
            name, again = contact.frame, count(2)
            while name in taken:
                name = f"{contact.frame}#{next(again)}"
            taken.add(name)
            contact = replace(contact, name=name)
        named.append(contact)
    return tuple(named)


def as_pose(target: Any, contact: Contact) -> Any:
    """Return T_world_target (`pin.SE3`, read-only) of a contact's target, which is one already or
    the position (3,) of a point.

    Raises:
        ContactError: neither.
    """
    name = f"targets[{contact.name!r}]"
    if isinstance(target, pin.SE3) or contact.dim > 4:
        return placement(target, name, error=ContactError)
    meaning = "a position (3,) or a pinocchio.SE3"
    place = pin.SE3(np.eye(3), vector(target, name, meaning, error=ContactError))
    return placement(place, name, error=ContactError)
