"""Sliders: numbers of a stance that can be set, within bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ...contacts.scenario.loads import Payload, Push
from ...contacts.scenario.parts import ScenarioContact
from ...errors import unknown
from ...robots.values import number
from .handles import load_of, loads_of, with_load
from .stance import OutOfReach, Stance
from .written import name_of

_MOST_FRICTION = 1.5


@dataclass(frozen=True)
class Slider:
    """A number that can be set.

    Attributes:
        name: "friction", "friction/CONTACT", "push/FRAME", "payload/FRAME", "gravity", "torque" or
            "torque/JOINT", of which only those are listed that differ from the others.
        label, unit: for people.
        low, high, step: its bounds, and what a page steps by.
        value: now.
        handle: whose it is; None of the whole scene.
    """

    name: str
    label: str
    unit: str
    low: float
    high: float
    step: float
    value: float
    handle: str | None = None


def sliders_of(stance: Stance) -> tuple[Slider, ...]:
    """Return all sliders of a stance."""
    return (*_frictions(stance), *_loads(stance), _gravity(stance), *_torques(stance))


def set_value(stance: Stance, name: str, value: float) -> Stance:
    """Return the stance with a slider at a value.

    Raises:
        OutOfReach: no such slider, or a value out of its bounds.
    """
    sliders = {slider.name: slider for slider in sliders_of(stance)}
    for joint in _limits(stance):
        sliders.setdefault(f"torque/{joint}", _torque(f"torque/{joint}", joint, 1.0))
    if name not in sliders:
        raise OutOfReach(unknown("slider", name, sliders))
    slider = sliders[name]
    bounds: Any = {"at_least": slider.low, "at_most": slider.high, "unit": f"[{slider.unit}]"}
    value = number(value, name, **bounds, error=OutOfReach)
    kind, _, which = name.partition("/")
    return _SETTERS[kind](stance, which, value)


# --- friction ----------------------------------------------------------------------------------


def _frictions(stance: Stance) -> list[Slider]:
    """Of all contacts, and of each; of two coefficients the first."""
    found: list[tuple[str, str, Any, str | None]]
    found = [("friction", "all", stance.scenario.friction, None)]
    for contact in stance.scenario.contact_set:
        name = contact.name
        found.append((f"friction/{name}", name, contact.friction, f"contact/{name}"))
    sliders = []
    for name, of, friction, handle in found:
        mu = float(np.ravel(friction)[0])
        most = max(_MOST_FRICTION, mu)
        sliders.append(Slider(name, f"friction of {of}", "", 0.0, most, 0.01, mu, handle))
    return sliders


def _scaled(friction: Any, value: float) -> Any:
    """The value; of two coefficients both, in their ratio."""
    pair = np.ravel(friction)
    if len(pair) < 2 or not pair[0] > 0:
        return value
    return tuple((pair * (value / pair[0])).tolist())


def _set_friction(stance: Stance, which: str, value: float) -> Stance:
    """Of one contact, or of all, also of those that have their own or that of their surface."""
    scenario, own = stance.scenario, {c.name: c.friction for c in stance.scenario.contact_set}

    def rougher(part: ScenarioContact) -> ScenarioContact:
        friction = own.get(name_of(part), part.friction)
        inherits = part.friction is None and friction in (None, scenario.friction)
        if name_of(part) != which if which else inherits:
            return part
        return replace(part, friction=_scaled(friction, value))

    changes: dict[str, Any] = {"contacts": tuple(map(rougher, scenario.contacts))}
    if which:
        return stance.resting(**changes)
    lifted = {n: open_._replace(part=rougher(open_.part)) for n, open_ in stance.lifted.items()}
    rougher_all = stance.resting(**changes, friction=_scaled(scenario.friction, value))
    return replace(rougher_all, lifted=lifted)


# --- loads -------------------------------------------------------------------------------------


def _loads(stance: Stance) -> list[Slider]:
    """Of every push and payload, and of a payload of nothing on the base."""
    found = [_load(stance, handle, load, handle) for handle, load in loads_of(stance).items()]
    nothing = f"payload/{stance.base}"
    if all(slider.name != nothing for slider in found):
        found.append(_load(stance, nothing, Payload(stance.base, 0.0), None))
    return found


def _load(stance: Stance, name: str, load: Any, at: str | None) -> Slider:
    if isinstance(load, Push):
        force, most = float(np.linalg.norm(load.force)), _rounded(stance.weight)
        return Slider(name, f"push on {load.frame}", "N", 0.0, max(most, force), 1.0, force, at)
    mass, most = load.mass, _rounded(stance.robot.mass)
    return Slider(name, f"payload on {load.frame}", "kg", 0.0, max(most, mass), 0.1, mass, at)


def _rounded(x: float) -> float:
    """x to two figures, upwards."""
    unit = 10.0 ** (np.floor(np.log10(x)) - 1)
    return float(np.ceil(x / unit) * unit)


def _set_push(stance: Stance, which: str, value: float) -> Stance:
    """Along its direction; forwards, x, where there was none."""
    push = cast(Push, load_of(stance, f"push/{which}"))
    size = float(np.linalg.norm(push.force))
    along = np.array(push.force) / size if size else np.array([1.0, 0.0, 0.0])
    keep = value > 0 or bool(np.any(push.moment))
    force = tuple((value * along).tolist())
    return with_load(stance, f"push/{which}", replace(push, force=force), keep)


def _set_payload(stance: Stance, which: str, value: float) -> Stance:
    handle = f"payload/{which}"
    payload = loads_of(stance).get(handle, Payload(stance.base, 0.0))
    return with_load(stance, handle, replace(cast(Payload, payload), mass=value))


# --- gravity and motors ------------------------------------------------------------------------


def _gravity(stance: Stance) -> Slider:
    value = float(np.linalg.norm(stance.robot._model.gravity.linear))
    return Slider("gravity", "gravity", "m/s²", 0.0, max(20.0, value), 0.01, value)


def _set_gravity(stance: Stance, which: str, value: float) -> Stance:
    """Along the direction that it has; downwards where there is none."""
    g = np.asarray(stance.robot._model.gravity.linear)
    size = float(np.linalg.norm(g))
    along = g / size if size > 0 else np.array([0.0, 0.0, -1.0])
    return stance.resting(gravity=tuple((value * along).tolist()))


def _limits(stance: Stance) -> dict[str, float]:
    """{joint: its usual limit [N·m or N]} of those that have one, when limits count."""
    if stance.scenario.torque_limits is False:
        return {}
    robot = stance.robot
    limits = zip(robot.actuated_rows, robot.torque_limits.tolist(), strict=True)
    return {robot.joint_of_row[row]: most for row, most in limits if np.isfinite(most)}


def _shares(stance: Stance) -> tuple[float, dict[str, float]]:
    """What share of their limits most joints have, and {joint: share} of the others."""
    limits = stance.scenario.torque_limits
    if not isinstance(limits, tuple):
        return float(limits), {}
    usual = _limits(stance)
    shares = {joint: round(most / usual[joint], 9) for joint, most in limits if usual.get(joint)}
    every = [shares.get(joint, 1.0) for joint in usual]
    most_have = max(dict.fromkeys(every), key=every.count)
    shares = dict.fromkeys(usual, 1.0) | shares
    return most_have, {joint: share for joint, share in shares.items() if share != most_have}


def _torque(name: str, of: str, share: float) -> Slider:
    return Slider(
        name, f"torque limit of {of}", "%", 0.0, max(100.0, 100 * share), 1.0, 100 * share
    )


def _torques(stance: Stance) -> list[Slider]:
    if not _limits(stance):
        return []
    most_have, others = _shares(stance)
    weak = [_torque(f"torque/{joint}", joint, share) for joint, share in others.items()]
    return [_torque("torque", "all", most_have), *weak]


def _set_torque(stance: Stance, which: str, value: float) -> Stance:
    """Of one joint, or of all but those that have been set one by one."""
    most_have, others = _shares(stance)
    if which:
        others = {**others, which: value / 100}
    else:
        most_have = value / 100
    others = {joint: share for joint, share in others.items() if share != most_have}
    limits: Any = True if most_have == 1 else most_have
    if others:
        shares = dict.fromkeys(_limits(stance), most_have) | others
        changed = {joint: share for joint, share in shares.items() if share != 1}
        limits = {joint: share * _limits(stance)[joint] for joint, share in changed.items()}
    return stance.resting(torque_limits=limits)


_SETTERS: dict[str, Callable[[Stance, str, float], Stance]] = {
    "friction": _set_friction,
    "push": _set_push,
    "payload": _set_payload,
    "gravity": _set_gravity,
    "torque": _set_torque,
}
