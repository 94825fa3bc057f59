"""Limbs of a robot: legs in its tree of joints, and the upright orientation of its base."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...arrays import Array
from ..ranges import ranges
from .outlines import Outline, placed

_CLUSTER = 0.3  # of a limb's length: branches no longer are its end (toes, fingers), not limbs
_ALONG = 0.65  # of a limb's length: it points along an axis when it goes that far along it
_REACH = 0.3  # of the robot's size: legs end this near to the lowest reach, and begin this near
_HANDS = ("hand", "gripper", "finger", "wrist")  # of some robots' front legs too
_NO_LEGS = ("wing", "antenna", "camera", "head", "neck", "tail")


@dataclass(frozen=True)
class Leg:
    """A leg.

    Attributes:
        joints: from the hip to the last joint before the foot's own, by index.
        end: the joints whose bodies may be the foot, the first of them first.
        hip: (3,), origin of the first joint in the axes of the upright base at neutral [m].
        length: of the path along the joints' origins to the end of the foot [m].
    """

    joints: tuple[int, ...]
    end: tuple[int, ...]
    hip: Array
    length: float


@dataclass(frozen=True)
class _Limb:
    path: tuple[int, ...]
    end: tuple[int, ...]
    hip: Array
    tip: Array
    length: float


def neutral(model: Any) -> Array:
    """Return q (nq,): the base at the file's reference orientation, joints at zero or nearest."""
    q = np.clip(_reference(model), *ranges(model))
    q[:3] = 0.0
    return q


def _reference(model: Any) -> Array:
    q = pin.neutral(model)
    known = {entry.key(): entry.data() for entry in model.referenceConfigurations}
    if "qpos0" in known:  # of an MJCF: how its bodies are drawn
        q[3:7] = known["qpos0"][3:7]
    return np.array(q)


def upright(model: Any, shapes: list[Outline], linked: Array) -> Array:
    """Return neutral(model), its base turned such that the limbs point down (`linked`: see `legs`).

    Bases have z up but in files whose limbs all lie along another axis.
    """
    q = neutral(model)
    found = _limbs(model, shapes, q, linked)
    along, lengths = np.zeros(3), np.zeros(3)
    longest = max((limb.length for limb in found), default=0.0)
    found = [limb for limb in found if limb.length > 0.6 * longest]
    for limb in found:  # a T-pose's arms, an ant's legs cancel each other
        way = limb.tip - limb.hip
        # legs drawn astride do not go that far down, but down they go
        way[:2][np.abs(way[:2]) <= _ALONG * limb.length] = 0.0
        along, lengths = along + way, lengths + np.abs(way)
    k = int(np.abs(along).argmax())
    two = sum(abs(limb.tip[k] - limb.hip[k]) > _ALONG * limb.length for limb in found) > 1
    few = abs(along[k]) < 0.5 * lengths[k]  # what is left of those that cancel each other
    if k == 2 or few or not two or abs(along[k]) < 1.5 * abs(along[2]):
        return q  # also where legs point up: they are folded, the robot is not upside down
    down = np.sign(along[k]) * np.eye(3)[k]
    turn = pin.Quaternion.FromTwoVectors(down, np.array([0.0, 0.0, -1.0]))
    q[3:7] = (turn * pin.Quaternion(*q[[6, 3, 4, 5]])).coeffs()
    return q


def legs(model: Any, shapes: list[Outline], q: Array, linked: Array) -> tuple[Leg, ...]:
    """Return the legs of a floating model at an upright configuration q (nq,), in joint order.

    A limb is a branch of the tree of joints that bears shapes. Legs are the limbs that reach
    furthest down when stretched, and begin among the lowest; a limb in the median plane (a tail, an
    arm on the back) is none when others come in pairs, unless it is like them (three legs).

    Args:
        model, shapes, q: as above.
        linked: (K, 2), joints whose bodies a loop holds together.
    """
    limbs = _limbs(model, shapes, q, linked)
    found = [limb for limb in limbs if not _is_called(model, limb, _NO_LEGS)]
    if all(_is_called(model, limb, _HANDS) for limb in found):
        return ()
    size = max(limb.length for limb in found)
    paired = [limb for limb in found if _paired(limb, found, size)]
    if len(paired) >= 2:
        found = [limb for limb in found if any(_alike(limb, other, size) for other in paired)]
    lowest = min(limb.hip[2] - limb.length for limb in found)
    near = [limb for limb in found if limb.hip[2] - limb.length <= lowest + _REACH * size]
    base = min(limb.hip[2] for limb in near)
    chosen = [limb for limb in near if limb.hip[2] <= base + _REACH * size]
    return tuple(Leg(limb.path, limb.end, limb.hip, limb.length) for limb in chosen)


def unlinked(found: Iterable[Leg], linked: Array) -> tuple[Leg, ...]:
    """Return the legs without those that loops hold to another one that reaches as far down.

    Args:
        found: the limbs that may be legs.
        linked: (K, 2), joints whose bodies a loop holds together.
    """
    kept: list[Leg] = []
    for leg in sorted(found, key=lambda leg: leg.hip[2] - leg.length):
        own = {*leg.joints, *leg.end}
        others = {j for other in kept for j in (*other.joints, *other.end)} - own
        if not any({a, b} & own and {a, b} & others for a, b in linked.tolist()):
            kept.append(leg)
    return tuple(sorted(kept, key=lambda leg: leg.joints))


def legs_to(model: Any, q: Array, feet: Iterable[int]) -> tuple[Leg, ...]:
    """Return the legs that end in these joints; of a foot on the base there is none."""
    origins = [np.array(T.translation) for T in placed(model, q).oMi]
    found = []
    for foot in feet:
        path = _path(1, foot, list(model.parents))[1:]
        if path:
            steps = [np.linalg.norm(origins[j] - origins[model.parents[j]]) for j in path[1:]]
            found.append(Leg(path, (foot,), origins[path[0]], float(sum(steps)) + 1e-3))
    return tuple(found)


def _paired(limb: _Limb, others: list[_Limb], size: float) -> bool:
    """Whether another limb begins opposite to it, in x or in y."""
    for k in (0, 1):
        mirrored = limb.hip * np.where(np.arange(3) == k, -1.0, 1.0)
        for other in others:
            if other is not limb and np.linalg.norm(other.hip - mirrored) < 0.05 * size:
                return True
    return False


def _alike(limb: _Limb, other: _Limb, size: float) -> bool:
    """Whether limbs have as many joints, are as long and begin as high."""
    differences = abs(limb.length - other.length), abs(limb.hip[2] - other.hip[2])
    return len(limb.path) == len(other.path) and max(differences) < 0.02 * size


def _is_called(model: Any, limb: _Limb, words: tuple[str, ...]) -> bool:
    """Whether a link at the end of a limb has one of some words in its name, and none of a foot."""
    names = [f.name.lower() for f in model.frames if f.parentJoint in limb.end]
    return any(word in name for name in names for word in words) and not any(
        word in name for name in names for word in ("foot", "toe", "leg", "ankle", "sole")
    )


class _Tree(NamedTuple):
    """How far the bodies of a tree of joints reach, a row for each joint [m].

    Attributes:
        origins: (n, 3) of the joints.
        tips: (n, 3), the furthest point of a joint's own body.
        reach: (n,), from a joint's origin to there; zero without shapes.
        steps: (n,), from the joint before to this one.
        beyond: (n,), from a joint's origin along the joints behind it to the furthest end.
        bears: (n,), whether it or a joint behind it has a shape.
    """

    origins: Array
    tips: Array
    reach: Array
    steps: Array
    beyond: Array
    bears: NDArray[np.bool_]


def _tree(model: Any, shapes: list[Outline], q: Array) -> _Tree:
    data, parents, count = placed(model, q), list(model.parents), model.njoints
    origins = np.array([T.translation for T in data.oMi])
    reach, tips = np.zeros(count), origins.copy()
    for shape in shapes:
        far = np.linalg.norm(shape.points, axis=1)
        if far.max() + shape.radius > reach[shape.joint]:
            reach[shape.joint] = far.max() + shape.radius
            tips[shape.joint] = data.oMi[shape.joint].act(shape.points[far.argmax()])
    steps = np.linalg.norm(origins - origins[parents], axis=1)
    steps[:2] = 0.0
    beyond, bears = reach.copy(), reach > 0
    for j in range(count - 1, 1, -1):
        beyond[parents[j]] = max(beyond[parents[j]], steps[j] + beyond[j])
        bears[parents[j]] |= bears[j]
    return _Tree(origins, tips, reach, steps, beyond, bears)


def _limbs(model: Any, shapes: list[Outline], q: Array, linked: Array) -> list[_Limb]:
    parents, count = list(model.parents), model.njoints
    origins, tips, reach, steps, beyond, bears = _tree(model, shapes, q)
    found: list[_Limb] = []
    starts = [(j, j, 0.0) for j in range(2, count) if parents[j] == 1]
    while starts:  # from the trunk outwards
        first, j, length = starts.pop(0)
        if not bears[j]:
            continue
        total = max(length + beyond[j], 1e-9)
        children = [c for c in range(j + 1, count) if parents[c] == j and bears[c]]
        children = [c for c in children if not _leads_back(c, parents, count, linked)] or children
        if beyond[j] <= _CLUSTER * total or not children:
            end = _subtree(j, parents, count)
            tip = max(end, key=lambda k: reach[k])
            path = _path(first, j, parents)
            found.append(_Limb(path, end, origins[first], tips[tip], total))
        elif len(children) == 1:
            starts.insert(0, (first, children[0], length + steps[children[0]]))
        elif _is_mirrored(j, origins, parents, 0.02 * float(beyond[1])):  # rods beside a shank
            longest = max(children, key=lambda c: steps[c] + beyond[c])
            starts.insert(0, (first, longest, length + steps[longest]))
        else:  # a torso: its branches are limbs of their own
            starts[:0] = [(c, c, 0.0) for c in children]
    return found


def _leads_back(branch: int, parents: list[int], count: int, linked: Array) -> bool:
    """Whether a loop holds a branch to a body that carries it: a rod along the limb."""
    own, before = set(_subtree(branch, parents, count)), set(_path(1, branch, parents)[:-1])
    return any({a, b} & own and {a, b} & before for a, b in linked.tolist())


def _is_mirrored(joint: int, origins: Array, parents: list[int], near: float) -> bool:
    """Whether a joint of another limb lies opposite to it, in x or in y."""
    own = set(_path(1, joint, parents)) | set(_subtree(joint, parents, len(origins)))
    others = [j for j in range(2, len(origins)) if j not in own]
    mirrors = origins[joint] * np.array([[-1, 1, 1], [1, -1, 1]])
    distances = np.linalg.norm(origins[others][:, None] - mirrors, axis=2)
    return bool(others) and bool((distances < near).any())


def _subtree(joint: int, parents: list[int], count: int) -> tuple[int, ...]:
    inside = {joint}
    for j in range(joint + 1, count):
        if parents[j] in inside:
            inside.add(j)
    return tuple(sorted(inside))


def _path(first: int, last: int, parents: list[int]) -> tuple[int, ...]:
    path = [last]
    while path[-1] != first:
        path.append(parents[path[-1]])
    return tuple(reversed(path))
