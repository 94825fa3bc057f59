"""Two descriptions of one robot: every fault is found, and re-exports of it differ in nothing."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import dynamics
from footwork.robots.catalogue import find

OFF = ("ixy", "ixz", "iyz")
ROBOTS = ("biped", "solo12", "go2", "anymal", "talos")
CLOSED = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
<body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .05" mass="3"/>
 <body name="thigh" pos=".1 0 0"><joint name="hip" axis="0 1 0" armature=".02" damping=".3"
   range="-1 1"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass=".5"/>
  <body name="shank" pos="0 0 -.3"><joint name="knee" axis="0 1 0" frictionloss=".1" range="0 2"/>
   <geom type="capsule" fromto="0 0 0 .1 0 -.3" size=".02" mass=".4"/></body></body>
 <body name="tail" pos="-.2 0 0"><joint name="slider" type="slide" axis="1 0 0" range="0 .1"/>
  <geom type="sphere" size=".03" mass=".2"/></body></body></worldbody>
<actuator><motor joint="hip" ctrlrange="-20 20"/><motor joint="knee" ctrlrange="-30 30"/>
</actuator></mujoco>"""


def skip_unless_installed(name):
    if not find(name).installed:
        pytest.skip(f"needs {find(name).source}")


@cache
def text_of(name):
    """The URDF of a robot without meshes; without any shapes but for our own."""
    skip_unless_installed(name)
    info = find(name)
    root = ET.fromstring((info.folder / info.urdf).read_text())
    for link in root.iter("link") if name != "biped" else ():
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    for tag in ("transmission", "gazebo", "sensor", "ros2_control"):
        for element in root.findall(tag):
            root.remove(element)
    return ET.tostring(root, encoding="unicode")


@cache
def loaded(name):
    return load(ET.fromstring(text_of(name)))


@pytest.fixture(autouse=True)
def _known_doubts(recwarn):
    """What `load` warns of in these files is said elsewhere."""


def load(root):
    """The robot of a tree or text, without feet: to look for them takes longer than the rest."""
    return replace(with_feet(root), feet={})


def with_feet(root, **options):
    text = root if isinstance(root, str) else ET.tostring(root, encoding="unicode")
    return fw.load(text, meshes=False, **options)


def numbers(element, key, values=None):
    """The numbers of an attribute; written where they are given."""
    if values is not None:
        element.set(key, " ".join(f"{x:.12g}" for x in values))
    return np.array([float(x) for x in element.get(key, "0 0 0").split()])


def joint_of(root, k=1):
    """A revolute joint with limits in the middle of a limb, and its child link."""
    moving = [j for j in root.iter("joint") if j.get("type") == "revolute"]
    parents = {j.find("parent").get("link") for j in moving}
    links = {link.get("name"): link for link in root.iter("link")}
    pairs = [(j, links[j.find("child").get("link")]) for j in moving]
    return [(j, x) for j, x in pairs if x.get("name") in parents and x.find("inertial")][k]


def child(element, tag, **attributes):
    found = element.find(tag)
    return ET.SubElement(element, tag, attributes) if found is None else found


# --- faults: each changes the URDF, and returns (link, quantity) of what must be found ----------


def mass(root):
    _, link = joint_of(root)
    of = link.find("inertial/mass")
    numbers(of, "value", 1.01 * numbers(of, "value"))
    return link, "mass"


def centre_of_mass(root):
    _, link = joint_of(root)
    origin = child(link.find("inertial"), "origin")
    numbers(origin, "xyz", numbers(origin, "xyz") + np.array([0, 1e-3, 0]))
    return link, "centre of mass"


def inertia(root):
    _, link = joint_of(root)
    of = link.find("inertial/inertia")
    for key in of.attrib:
        numbers(of, key, 1.01 * numbers(of, key))
    return link, "inertia"


def product_of_inertia(root):
    """The sign of the largest product of inertia of any link that moves."""
    moved = {j.find("child").get("link") for j in root.iter("joint") if j.get("type") != "fixed"}
    known = [x for x in root.iter("link") if x.get("name") in moved and x.find("inertial")]
    sizes = [max(abs(float(x.find("inertial/inertia").get(key))) for key in OFF) for x in known]
    link = known[int(np.argmax(sizes))]
    of = link.find("inertial/inertia")
    key = max(OFF, key=lambda key: abs(float(of.get(key))))
    given = float(of.get(key)) or 1e-3 * float(of.get("ixx"))
    numbers(of, key, [-given])
    return link, "inertia"


def axis_flipped(root):
    joint, link = joint_of(root)
    numbers(child(joint, "axis", xyz="1 0 0"), "xyz", -numbers(joint.find("axis"), "xyz"))
    return link, "axis"


def axis_tilted(root):
    joint, link = joint_of(root)
    axis = numbers(child(joint, "axis", xyz="1 0 0"), "xyz")
    side = np.cross(axis, [0.3, -0.5, 0.8])
    numbers(joint.find("axis"), "xyz", axis + np.tan(np.radians(0.5)) * side / np.linalg.norm(side))
    return link, "axis"


def placement(root):
    joint, link = joint_of(root)
    origin = child(joint, "origin", xyz="0 0 0")
    numbers(origin, "xyz", numbers(origin, "xyz") + np.array([1e-3, 0, 0]))
    return link, "placement"


def rotation(root):
    joint, link = joint_of(root)
    origin = child(joint, "origin", xyz="0 0 0")
    R = pin.rpy.rpyToMatrix(numbers(origin, "rpy")) @ pin.exp3(np.radians([0, 0.5, 0]))
    numbers(origin, "rpy", pin.rpy.matrixToRpy(R))
    return link, "rotation"


def limit(key, factor, quantity):
    """The limit of a joint, whichever is not zero."""

    def fault(root):
        joint, link = joint_of(root)
        of = joint.find("limit")
        numbers(of, key, factor * numbers(of, key))
        return link, quantity

    fault.__name__ = f"limit_{key}"
    return fault


def of_type(kind):
    """The joint is of another type."""

    def fault(root):
        joint, link = joint_of(root)
        joint.set("type", kind)
        return link, "joint"

    fault.__name__ = f"of_type_{kind}"
    return fault


welded = of_type("fixed")


def without_leaf(root):
    """The last link of a limb is gone, with its joint."""
    parents = {j.find("parent").get("link") for j in root.iter("joint")}
    for joint in [j for j in root.iter("joint") if j.get("type") == "revolute"]:
        name = joint.find("child").get("link")
        if name not in parents:
            link = next(x for x in root.findall("link") if x.get("name") == name)
            root.remove(joint), root.remove(link)
            return link, "joint"
    link = joint_of(root)[1]  # every limb ends in a fixed link: take the whole limb
    return gone_below(root, link)


def gone_below(root, link):
    ends = [
        (j, *(j.find(end).get("link") for end in ("parent", "child"))) for j in root.iter("joint")
    ]
    names = [link.get("name")]
    for name in names:
        names += [below for _, above, below in ends if above == name]
    gone = [joint for joint, _, below in ends if below in names]
    for element in gone + [x for x in root.findall("link") if x.get("name") in names]:
        root.remove(element)
    return link, "joint"


def losing(quantity):
    """The joint has more damping or friction."""

    def fault(root):
        joint, link = joint_of(root)
        of = child(joint, "dynamics")
        numbers(of, quantity, [float(of.get(quantity, 0)) + 0.2])
        return link, quantity

    fault.__name__ = quantity
    return fault


def renamed_and_heavier(root):
    joint, link = joint_of(root)
    name = link.get("name")
    mass(root)
    rename(root, name, "another_name")
    joint.set("name", "another_joint")
    return name, "mass"


def masses_swapped(root):
    """Two limbs have each other's mass; where they have the same, a little of it."""
    (_, one), (_, other) = joint_of(root, 0), joint_of(root, -1)
    a, b = one.find("inertial/mass"), other.find("inertial/mass")
    x, y = float(a.get("value")), float(b.get("value"))
    y = y if abs(x - y) > 1e-3 * x else 1.02 * x
    a.set("value", f"{y:.12g}"), b.set("value", f"{2 * x - y if y == 1.02 * x else x:.12g}")
    return one, "mass"


def gravity(robot):
    return robot.with_gravity((0, 0, -9.8)), "gravity"


def motor(robot):
    return replace(robot, actuated=robot.actuated[:1] + robot.actuated[2:]), "motor"


def armature(robot):
    model = robot.model
    model.armature = model.armature + 0.01 * (np.arange(robot.nv) == robot.nv - 1)
    return replace(robot, model=model), "armature"


IN_FILES = (
    mass, centre_of_mass, inertia, product_of_inertia, axis_flipped, axis_tilted, placement,
    rotation, limit("lower", 0.9, "position limits"), limit("upper", 0.99, "position limits"),
    limit("velocity", 1.01, "velocity limit"), limit("effort", 1.01, "torque limit"),
    of_type("continuous"), welded, without_leaf, losing("damping"), losing("friction"),
    renamed_and_heavier, masses_swapped,
)  # fmt: skip
IN_ROBOTS = (gravity, motor, armature)


def body(robot, link):
    return robot.model.frames[robot.frame_id(link)].parentJoint


def test_every_fault_is_found_where_it_is():
    name = "solo12"
    a = loaded(name)
    for fault in IN_FILES:
        root = ET.fromstring(text_of(name))
        link, quantity = fault(root)
        link = link if isinstance(link, str) else link.get("name")
        found = dynamics.compare(a, load(root))
        here = {d.quantity for d in found.differences if body(a, d.link) == body(a, link)}
        assert quantity in here, (fault.__name__, str(found))
        others = {d.link for d in found.differences if body(a, d.link) != body(a, link)}
        if fault not in (masses_swapped, welded, without_leaf):
            assert not others, (fault.__name__, str(found))


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("fault", IN_ROBOTS)
def test_faults_that_a_urdf_cannot_have(name, fault):
    a = loaded(name)
    b, quantity = fault(a)
    (found,) = dynamics.compare(a, b).differences
    assert found.quantity == quantity


# --- faults of MJCF, feet and closures -----------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "link", "quantity"),
    [
        ('range="-1 1"', 'range="-1 1.1"', "thigh", "position limits"),
        ('armature=".02"', 'armature=".021"', "thigh", "armature"),
        ('damping=".3"', "", "thigh", "damping"),
        ('frictionloss=".1"', 'frictionloss=".11"', "shank", "friction"),
        ('mass=".4"', 'mass=".41"', "shank", "mass"),
        ('gravity="0 0 -9.81"', 'gravity="0 0 -1.62"', "robot", "gravity"),
        ("-30 30", "-31 30", "shank", "torque limit"),
        ('<motor joint="knee" ctrlrange="-30 30"/>', "", "shank", "motor"),
        ('type="slide"', 'type="slide" pos=".1 0 0"', "", ""),  # somewhere on its axis: the same
        ('name="knee"', 'name="knee" pos="0 0 .001"', "shank", "place of the axis"),
        ('name="knee"', 'name="knee" pos="0 .1 0"', "", ""),  # further along its axis: the same
        ('type="slide" axis="1 0 0"', 'axis="1 0 0"', "tail", "joint"),
        ('name="shank" pos="0 0 -.3"', 'name="shank" pos="0 0 -.301"', "shank", "placement"),
        ('name="shank"', 'name="shank" euler="0 .01 0"', "shank", "rotation"),
    ],
)
def test_faults_of_mjcf(old, new, link, quantity):
    assert old in CLOSED
    a, b = load(CLOSED), load(CLOSED.replace(old, new, 1))
    found = dynamics.compare(a, b)
    assert quantity in [d.quantity for d in found.differences] or not quantity, str(found)
    assert {d.link for d in found.differences} == ({link} if link else set())


@pytest.mark.parametrize("by", ["described", "shape"])
def test_feet(by):
    root = ET.fromstring(text_of("biped"))
    box = next(x for x in root.iter("link") if x.get("name") == "left_foot").find("collision")
    given = {"feet": "left_foot:0.2x0.11,right_foot:0.2x0.11"} if by == "described" else {}
    a = with_feet(root, **given)
    assert a.feet_by_shape == (by == "shape")
    if by == "described":
        longer, moved = with_feet(root, feet="left_foot:0.205x0.11,right_foot:0.2x0.11"), a
        point = with_feet(root, feet="left_foot:0.03,right_foot:0.2x0.11")
        (kind,) = dynamics.compare(a, point).differences
        assert kind.quantity == "kind of foot 'left_foot'"
        one = replace(a, feet={"right_foot": a.feet["right_foot"]})
        (gone,) = dynamics.compare(a, one).differences
        assert (gone.quantity, gone.a, gone.b) == ("foot 'left_foot'", True, False)
    else:
        origin = box.find("origin")
        numbers(origin, "xyz", numbers(origin, "xyz") + np.array([0.004, 0, 0]))
        moved = with_feet(root)
        numbers(origin, "xyz", numbers(origin, "xyz") - np.array([0.004, 0, 0]))
        for side in ("left_foot", "right_foot"):
            link = next(x for x in root.iter("link") if x.get("name") == side)
            for of in link.iter("box"):
                numbers(of, "size", numbers(of, "size") + np.array([0.006, 0, 0]))
        longer = with_feet(root)
        (place,) = dynamics.compare(a, moved).differences
        assert place.quantity == "place of foot 'left_foot'"
        np.testing.assert_allclose(place.b - place.a, [0.004, 0, 0], atol=1e-6)
    sizes = dynamics.compare(a, longer).differences
    assert {d.quantity for d in sizes} >= {"size of foot 'left_foot'"}
    assert all(d.quantity.startswith("size of") for d in sizes)
    np.testing.assert_allclose(sizes[0].b - sizes[0].a, [0.005 + 0.001 * (by == "shape"), 0])


def test_closures():
    from footwork.robots.closures import JointCoupling, LoopClosure

    a = load(CLOSED)
    at = pin.SE3(np.eye(3), np.array([0.1, 0, 0]))
    loop = LoopClosure("rod", "shank", "trunk", "hinge", at, at)
    law = JointCoupling("gear", "knee", "hip", (0.0, 2.0))
    both = a.with_closures([loop, law])
    turned = LoopClosure("another", "trunk", "shank", "hinge", at, at)
    assert dynamics.compare(both, a.with_closures([turned, law])).same
    changed = [
        ([replace(loop, kind="point"), law], "kind of closure 'rod'"),
        ([replace(loop, placement_1=pin.SE3(np.eye(3), np.array([0.101, 0, 0]))), law],
         "place of closure 'rod' on 'shank'"),
        ([loop, replace(law, coefficients=(0.0, 2.01))], "law of closure 'gear'"),
        ([loop, JointCoupling("gear", "hip", "knee", (0.0, 0.5))], "law of closure 'gear'"),
        ([loop], "closure 'gear'"),
    ]  # fmt: skip
    for closures, quantity in changed:
        (found,) = dynamics.compare(both, a.with_closures(closures)).differences
        assert found.quantity == quantity


# --- the same robot ------------------------------------------------------------------------------


def other_numbers(root):
    for element in root.iter():
        for key in ("xyz", "rpy", "value", "ixx", "iyy", "izz", "ixy", "ixz", "iyz", "lower"):
            if element.get(key):
                element.set(key, " ".join(f"{float(x):+.9E}" for x in element.get(key).split()))


def other_order(root):
    root[:] = sorted(root, key=lambda element: (element.tag, element.get("name")), reverse=True)
    for element in root:
        element[:] = list(element)[::-1]


def renamed_visual(root):
    for visual in root.iter("visual"):
        visual.set("name", "another")


def dummy_root(root, **origin):
    carried = {joint.find("child").get("link") for joint in root.iter("joint")}
    base = next(x.get("name") for x in root.iter("link") if x.get("name") not in carried)
    ET.SubElement(root, "link", name="dummy")
    joint = ET.SubElement(root, "joint", name="dummy_joint", type="fixed")
    ET.SubElement(joint, "parent", link="dummy")
    ET.SubElement(joint, "child", link=base)
    ET.SubElement(joint, "origin", **origin)


def dummy_root_elsewhere(root):
    dummy_root(root, xyz="0.1 -0.2 0.3", rpy="0.1 0.2 0.3")


def turned_inertials(root):
    R = pin.rpy.rpyToMatrix(0.3, -0.4, 0.5)
    for inertial in root.iter("inertial"):
        of, origin = inertial.find("inertia"), child(inertial, "origin", xyz="0 0 0")
        keys = [[f"i{min(i, j)}{max(i, j)}" for j in "xyz"] for i in "xyz"]
        own = pin.rpy.rpyToMatrix(numbers(origin, "rpy"))
        turned = R.T @ np.array([[float(of.get(key)) for key in row] for row in keys]) @ R
        numbers(origin, "rpy", pin.rpy.matrixToRpy(own @ R))
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            of.set(keys[i][j], f"{turned[i, j]:.15g}")


REWRITINGS = (
    other_numbers, other_order, renamed_visual, dummy_root, dummy_root_elsewhere, turned_inertials
)  # fmt: skip


@pytest.mark.parametrize("name", ["talos", "solo12"])
def test_silent_on_rewritings(name):
    for rewritten in REWRITINGS:
        root = ET.fromstring(text_of(name))
        rewritten(root)
        found = dynamics.compare(loaded(name), load(root))
        assert found.same, (rewritten.__name__, str(found))
        assert found.total.relative < 1e-7
        assert found.total.force.value < 1e-6


def exported(text, fused):
    """What MuJoCo writes of a URDF; the base is free."""
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.fusestatic = fused
    spec.worldbody.first_body().add_freejoint()
    spec.compile()
    return spec.to_xml()


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("name", ["biped", "solo12", "go2", "talos"])  # not anymal: I_base < 0
def test_silent_on_what_mujoco_writes_of_it(name, fused):
    read = with_feet if name == "biped" else load
    a, b = read(text_of(name)), read(exported(text_of(name), fused))
    found = dynamics.compare(a, b)
    assert found.same, str(found)
    assert found.total.relative < 1e-5
    assert "velocity limits are not compared: B has none at all" in found.notes
    assert any("welded links that B does not name" in n for n in found.notes) == fused
    assert dynamics.compare(b, a).same


def test_mimic_joints_are_what_mujoco_writes_of_them():
    """A follower has no motor in either, and the same law."""
    root = ET.fromstring(text_of("biped"))
    follower = next(j for j in root.iter("joint") if j.get("name") == "left_knee")
    ET.SubElement(follower, "mimic", joint="right_knee", multiplier="0.5", offset="0.1")
    text = ET.tostring(root, encoding="unicode")
    a, b = load(text), load(exported(text, False))
    assert len(a.closures) == len(b.closures) == 1
    assert "left_knee" not in a.actuated
    found = dynamics.compare(a, b)
    assert found.same, str(found)
    other = load(text.replace('multiplier="0.5"', 'multiplier="0.6"'))
    (law,) = dynamics.compare(b, other).differences
    assert law.quantity.startswith("law of closure")


def test_what_mujoco_writes_of_an_mjcf_is_the_same():
    spec = pytest.importorskip("mujoco").MjSpec.from_string(CLOSED)
    spec.compile()
    assert dynamics.compare(fw.load(CLOSED), fw.load(spec.to_xml())).same


def random_tree(rng):
    """Bodies as (kind, parent, placement, axis, inertia), at random; the first may be free."""
    bodies = []
    for k in range(int(rng.integers(3, 9))):
        kind = str(rng.choice(["hinge", "hinge", "slide", "ball"]))
        kind = "free" if k == 0 and rng.random() < 0.7 else kind
        points = rng.normal(size=(9, 3)) * 0.1
        inertia = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        body = pin.Inertia(rng.uniform(0.2, 3), rng.normal(size=3) * 0.1, inertia)
        axis = rng.normal(size=3)
        parent = int(rng.integers(k)) if k else -1
        bodies.append((kind, parent, pin.SE3.Random(), axis / np.linalg.norm(axis), body))
    return bodies


def in_other_frames(bodies, rng):
    """The same, each body in another frame: turned, and further along the axis of its joint."""
    shift = [
        pin.SE3(pin.exp3(rng.normal(size=3)), 0.1 * rng.normal() * axis * (kind != "ball"))
        for kind, _, _, axis, _ in bodies
    ]
    base = pin.SE3.Identity()
    return [
        (kind, parent, (shift[parent] if parent >= 0 else base).inverse() * T * shift[k],
         shift[k].rotation.T @ axis, shift[k].actInv(inertia))
        for k, (kind, parent, T, axis, inertia) in enumerate(bodies)
    ]  # fmt: skip


def robot_of(bodies, order, prefix=""):
    """A robot of bodies, added in this order where their parents allow it."""
    model, ids, left = pin.Model(), {-1: 0}, list(order)
    while left:
        k = next(k for k in left if bodies[k][1] in ids)
        left.remove(k)
        kind, parent, T, axis, inertia = bodies[k]
        joint = {"free": pin.JointModelFreeFlyer(), "ball": pin.JointModelSpherical(),
                 "hinge": pin.JointModelRevoluteUnaligned(axis),
                 "slide": pin.JointModelPrismaticUnaligned(axis)}[kind]  # fmt: skip
        place = pin.SE3.Identity() if kind == "free" else T
        ids[k] = model.addJoint(ids[parent], joint, place, f"joint_{k}")
        model.addJointFrame(ids[k])
        model.addBodyFrame(f"{prefix}link_{k}", ids[k], pin.SE3.Identity(), -1)
        model.appendBodyToJoint(ids[k], inertia, pin.SE3.Identity())
    return fw.Robot(
        "tree", model, tuple(f"joint_{k}" for k, b in enumerate(bodies) if b[0] != "free")
    )


@pytest.mark.parametrize("seed", range(8))
def test_random_trees(seed):
    """In another order and in other frames: the same. With one thing changed: that, and no more."""
    rng = np.random.default_rng(seed)
    pin.seed(seed)
    bodies = random_tree(rng)
    a = robot_of(bodies, range(len(bodies)))
    assert dynamics.compare(a, robot_of(bodies, rng.permutation(len(bodies)))).same
    for prefix in ("", "other_"):
        b = robot_of(in_other_frames(bodies, rng), rng.permutation(len(bodies)), prefix)
        found = dynamics.compare(a, b)
        assert all(d.quantity.startswith("frame of") for d in found.differences), str(found)
        assert found.total.relative < 1e-9
    k = int(rng.integers(1, len(bodies)))
    kind, parent, T, axis, own = bodies[k]
    small = pin.SE3(pin.exp3(np.radians([0, 0.5, 0])), np.zeros(3))
    side = np.cross(axis, [0.3, -0.5, 0.8])
    changed = {
        "mass": (T, axis, pin.Inertia(1.01 * own.mass, own.lever, own.inertia)),
        "centre of mass": (
            T,
            axis,
            pin.Inertia(own.mass, own.lever + 1e-3 * np.eye(3)[2], own.inertia),
        ),
        "inertia": (T, axis, pin.Inertia(own.mass, own.lever, 1.01 * own.inertia)),
        "placement": (pin.SE3(T.rotation, T.translation + np.array([1e-3, 0, 0])), axis, own),
        "rotation": (T * small, axis, own),
        "axis": (T, pin.exp3(0.01 * side / np.linalg.norm(side)) @ axis, own),
    }
    for quantity, values in changed.items():
        if quantity == "axis" and kind == "ball":
            continue
        others = [*bodies[:k], (kind, parent, *values), *bodies[k + 1 :]]
        found = dynamics.compare(a, robot_of(others, rng.permutation(len(bodies))))
        assert [(d.link, d.quantity) for d in found.differences] == [(f"link_{k}", quantity)]
        assert found.effects[0].relative == pytest.approx(found.total.relative, abs=1e-12)


def test_frames_are_conventions():
    """Every link's frame turned and moved along its joint, in the file: the same robot."""
    root = ET.fromstring(text_of("solo12"))
    rng, moved = np.random.default_rng(3), {}
    joints = {joint.find("child").get("link"): joint for joint in root.iter("joint")}
    for link in root.findall("link"):
        joint = joints.get(link.get("name"))
        R, p = pin.rpy.rpyToMatrix(*rng.uniform(-1, 1, 3)), np.zeros(3)
        above = "" if joint is None else joint.find("parent").get("link")
        if above.startswith(("FL_", "HR_")) and joint.get("type") != "fixed":
            p = rng.uniform(-0.1, 0.1) * numbers(joint.find("axis"), "xyz")
        moved[link.get("name")] = pin.SE3(R, p)
        child(link.find("inertial"), "origin")
        for origin in link.iter("origin"):
            put(origin, moved[link.get("name")].inverse() * got(origin))
        if joint is not None and joint.find("axis") is not None:
            numbers(joint.find("axis"), "xyz", R.T @ numbers(joint.find("axis"), "xyz"))
    for name, joint in joints.items():
        origin, parent = child(joint, "origin"), joint.find("parent").get("link")
        put(origin, moved[parent].inverse() * got(origin) * moved[name])
    found = dynamics.compare(loaded("solo12"), load(root))
    assert all(d.quantity.startswith("frame of") for d in found.differences), str(found)
    assert found.total.relative < 1e-9
    for link in root.findall("link"):  # and where no name tells, by the tree
        rename(root, link.get("name"), f"_{link.get('name')[::-1]}")
    found = dynamics.compare(loaded("solo12"), load(root))
    assert found.same, str(found)
    assert sum("place in the tree" in note for note in found.notes) == 0


def rename(root, name, new):
    for element in root.iter():
        for key in ("link", "name"):
            if element.tag in ("link", "parent", "child") and element.get(key) == name:
                element.set(key, new)


def got(origin):
    return pin.SE3(pin.rpy.rpyToMatrix(numbers(origin, "rpy")), numbers(origin, "xyz"))


def put(origin, T):
    origin.set("xyz", " ".join(f"{x:.15g}" for x in T.translation))
    origin.set("rpy", " ".join(f"{x:.15g}" for x in pin.rpy.matrixToRpy(T.rotation)))


@pytest.mark.parametrize("name", ROBOTS)
def test_all_names_are_others(name):
    """Matched by the tree: the same robot, and a fault in it has its place."""
    root = ET.fromstring(text_of(name))
    link, _ = mass(root)
    own = link.get("name")
    for k, joint in enumerate(root.findall("joint")):
        joint.set("name", f"j{(7 * k) % 997}")
    for k, one in enumerate(root.findall("link")):
        rename(root, one.get("name"), f"l{(7 * k) % 997}")
    found = dynamics.compare(loaded(name), load(root))
    a = loaded(name)
    assert {body(a, d.link) for d in found.differences} == {body(a, own)}, str(found)
    assert found.matched == len(a.joint_names)
    assert sum("by the place in the tree" in note for note in found.notes) == found.matched


def test_names_and_the_axes_of_the_base_are_others():
    """As in files with y up: still the same robot; left is not taken for right."""
    root = ET.fromstring(text_of("solo12"))
    base, joints = root.find("link"), root.findall("joint")
    turned = pin.SE3(pin.rpy.rpyToMatrix(np.pi / 2, 0, np.pi / 2), np.zeros(3))
    own = [j for j in joints if j.find("parent").get("link") == base.get("name")]
    for origin in [child(element, "origin") for element in (base.find("inertial"), *own)]:
        put(origin, turned * got(origin))
    for joint in joints:
        joint.set("name", f"{joint.get('name').replace('_', '')}Motor")
    for link in root.findall("link"):
        rename(root, link.get("name"), f"{link.get('name').replace('_', '')}Link")
    found = dynamics.compare(loaded("solo12"), load(root))
    assert found.same, str(found)
    assert "joint 'FL_HFE' is 'FLHFEMotor' in B, by the place in the tree" in found.notes


# --- effects -------------------------------------------------------------------------------------


def test_the_effect_of_a_mass_is_its_weight():
    a = fw.load(CLOSED)
    found = dynamics.compare(a, a.with_payload("trunk", 0.5))
    effects = dict(zip([d.quantity for d in found.differences], found.effects, strict=True))
    assert effects["mass"].force.value == pytest.approx(0.5 * 9.81, rel=1e-12)
    assert effects["mass"].force.joints == ("base",)
    assert found.total.relative >= 0.5 / a.mass * (1 - 1e-9) - 0.5 * 0.5 / a.mass**2
    tail = dynamics.compare(a, a.with_inertia("tail", mass=0.3))
    (effect,) = tail.effects
    # the slider carries 0.1 kg more: M_ss by 0.1 kg, and √M_ss² is 0.3 kg
    assert effect.inertia == (pytest.approx(0.1), "kg", ("slider",))
    assert effect.relative == pytest.approx(0.1 / 0.3)


@pytest.mark.parametrize("name", [n for n in ROBOTS if n != "anymal"])  # MuJoCo refuses its base
def test_the_total_is_what_mujoco_says_of_both(name):
    """ΔM of two files, at random postures of joints by name, is below the total; and near it."""
    root = ET.fromstring(text_of(name))
    for fault in (mass, centre_of_mass, inertia, axis_tilted, placement):
        fault(root)
    texts = text_of(name), ET.tostring(root, encoding="unicode")
    other_order(root)
    found = dynamics.compare(loaded(name), load(root))
    mujoco = pytest.importorskip("mujoco")
    models = [mujoco.MjModel.from_xml_string(exported(text, False)) for text in texts]
    largest = 0.0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        q = dict(zip(loaded(name).joint_names, rng.uniform(-1, 1, 60), strict=False))
        masses = [mass_matrix(model, q) for model in models]
        scale = np.sqrt(np.outer(*2 * [np.maximum(*map(np.diag, masses))]))
        largest = max(largest, float((np.abs(masses[1] - masses[0]) / scale).max()))
    assert 0.3 * largest < found.total.relative < 3 * largest


def mass_matrix(model, q):
    """MuJoCo's M: of the base, then of the joints in the order of their names."""
    mujoco = pytest.importorskip("mujoco")
    data = mujoco.MjData(model)
    names = sorted(q)
    for name in names:
        data.joint(name).qpos[0] = q[name]
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    rows = [*range(6), *(int(model.joint(name).dofadr[0]) for name in names)]
    return M[np.ix_(rows, rows)]


def test_differences_together_are_the_total():
    """Every quantity of B in A, one after the other: A has become B."""
    from footwork.dynamics.comparison_effects import Motions, coordinates
    from footwork.robots.comparison.alignment import align
    from footwork.robots.comparison.difference import Change

    root = ET.fromstring(text_of("go2"))
    for fault in (mass, centre_of_mass, inertia, axis_tilted, placement, rotation):
        fault(root)
    b = armature(load(root))[0].with_gravity((0, 1, -9))
    found = align(loaded("go2"), b, 1e-6)
    start, end = found.whole
    bodies, gravity = list(start.bodies), start.gravity
    for d in found.differences:
        gravity = d.b if d.quantity == "gravity" else gravity
        for k, (own, changed) in enumerate(zip(start.bodies, d.change.after.bodies, strict=True)):
            for field in ("inertia", "placement", "axis", "armature"):
                if getattr(own, field) is not getattr(changed, field):
                    bodies[k] = replace(
                        bodies[k], **{field: merged(own, changed, bodies[k], field)}
                    )
    changed = start._replace(bodies=tuple(bodies), gravity=gravity)
    motions = Motions(found.machines[0].bodies, coordinates(found))
    assert motions.effect(found.whole).relative > 0.01
    left = motions.effect(Change(changed, end))
    assert left.relative < 1e-9
    assert max(left.moment.value, left.force.value) < 1e-9


def merged(own, changed, now, field):
    """The field of `now` with that part of it which `changed` has otherwise than `own`."""
    x, y, z = (getattr(one, field) for one in (own, changed, now))
    if field == "inertia":
        parts = [
            c if not np.array_equal(o, c) else n
            for o, c, n in zip(*([i.mass, i.lever, i.inertia] for i in (x, y, z)), strict=True)
        ]
        return pin.Inertia(*parts)
    if field == "placement":
        R = y.rotation if not np.array_equal(x.rotation, y.rotation) else z.rotation
        moved = not np.array_equal(x.translation, y.translation)
        return pin.SE3(R, y.translation if moved else z.translation)
    return y


def test_the_welded_joint_and_the_lost_limb_in_numbers():
    a = loaded("go2")
    root = ET.fromstring(text_of("go2"))
    gone_below(root, next(x for x in root.findall("link") if x.get("name") == "FL_calf"))
    b = load(root)
    found = dynamics.compare(a, b)
    (calf,) = found.differences
    assert (calf.link, calf.words) == ("FL_calf", ("revolute", "none"))
    weight = 9.81 * (a.mass - b.mass)
    assert found.effects[0].force.value == pytest.approx(weight)
    assert found.total.force.value == pytest.approx(weight)
    back = dynamics.compare(b, a)
    assert back.differences[0].words == ("none", "revolute")
    assert back.effects[0].force.value == pytest.approx(weight)
    assert back.total.relative == pytest.approx(found.total.relative, rel=0.5)


# --- what cannot be compared, and the command ----------------------------------------------------


def test_two_robots_are_not_one():
    with pytest.raises(fw.ModelError, match=r"not one robot: 0 of 19 and 3 joints match \(0 by"):
        dynamics.compare(loaded("biped"), fw.load(CLOSED))
    with pytest.raises(fw.ConfigurationError, match="tolerance"):
        dynamics.compare(loaded("biped"), loaded("biped"), tolerance=0)
    with pytest.raises(fw.ConfigurationError, match="expected a Robot"):
        dynamics.compare(loaded("biped"), "biped")


def test_a_free_and_a_fixed_base():
    a, b = (fw.load("biped", base=base, meshes=False) for base in ("floating", "fixed"))
    (found,) = dynamics.compare(a, b).differences
    assert (found.quantity, found.words) == ("joint", ("free", "fixed"))
    (found,) = dynamics.compare(b, a).differences
    assert found.words == ("fixed", "free")


def test_several_hinges_in_another_order_are_another_tree():
    one = '<joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/>'
    other = '<joint name="y" axis="0 1 0"/><joint name="x" axis="1 0 0"/>'
    text = f"""<mujoco><worldbody><body name="b">{one}<geom size=".1" mass="1" pos="0 0 .1"/>
      <body name="c" pos="0 0 .2"><joint name="z"/><geom size=".1" mass="1"/></body></body>
      </worldbody></mujoco>"""
    a, b = (fw.load(t, base="fixed") for t in (text, text.replace(one, other)))
    found = dynamics.compare(a, b)
    assert {"carried by"} <= {d.quantity for d in found.differences}
    assert found.total.relative > 0.1


def test_the_command(run, tmp_path):
    code, out, _ = run("diff", "biped", "biped")
    assert code == 0
    assert out.endswith("No differences (19 joints compared); M(q) differs by at most 0 %, τ_g by "
                        "at most 0 N·m\n")  # fmt: skip
    file = tmp_path / "heavy.urdf"
    root = ET.fromstring(text_of("biped"))
    link, _ = mass(root)
    file.write_text(ET.tostring(root, encoding="unicode"))
    code, out, _ = run("diff", "biped", str(file), "--no-meshes")
    assert code == 1
    assert f"\n{link.get('name')}, joint " in out
    assert "+1 %" in out
    assert "1 difference (19 joints compared); M(q) differs by at most " in out
    code, out, _ = run("diff", "biped", str(file), "--json")
    facts = json.loads(out)
    (found,) = facts["differences"]
    assert (code, found["quantity"], facts["same"], facts["matched"]) == (1, "mass", False, 19)
    assert found["b"] == pytest.approx(1.01 * found["a"])
    assert found["effect"]["force"]["value"] == pytest.approx(9.81 * 0.01 * found["a"])
    assert run("diff", "biped", str(file), "--tolerance", "0.02")[0] == 0
    code, _, err = run("diff", "biped", "quadruped")
    assert code == 2
    assert "are not one robot" in err
    assert run("diff", "biped", "none.urdf")[0] == 2
