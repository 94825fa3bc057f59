"""SDF: the robot is that of a URDF which says the same, and what it lacks is named."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from footwork import dynamics, robots
from footwork.errors import ModelError
from footwork.robots.files.installed import package_folder

KINDS = ("revolute", "prismatic", "continuous", "fixed")


def words(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


def pose(T):
    return words([*T.translation, *pin.rpy.matrixToRpy(T.rotation)])


def origin(T):
    return f'<origin xyz="{words(T.translation)}" rpy="{words(pin.rpy.matrixToRpy(T.rotation))}"/>'


def random_placement(rng):
    turn = pin.rpy.rpyToMatrix(rng.uniform(-1.2, 1.2, 3))
    return pin.SE3(turn, rng.uniform(-0.5, 0.5, 3))


def inertia_of(rng):
    points = rng.normal(0, 0.2, (5, 3))
    mass, second = float(rng.uniform(0.5, 3)), points.T @ points
    return mass, mass / 5 * (np.trace(second) * np.eye(3) - second)


def pair(seed, n=8):
    """The same random tree as a URDF and as an SDF, whose links have their frames elsewhere."""
    rng = np.random.default_rng(seed)
    of_joint, of_link = [pin.SE3.Identity()], [pin.SE3.Identity()]  # in the model
    urdf, sdf, shift = [], [], [pin.SE3.Identity()]
    for k in range(n):
        place, (mass, inertia) = random_placement(rng), inertia_of(rng)
        entries = {f"i{'xyz'[i]}{'xyz'[j]}": inertia[i, j] for i in range(3) for j in range(i, 3)}
        if k:
            parent, step = int(rng.integers(k)), random_placement(rng)
            kind, axis = KINDS[rng.integers(4)], rng.normal(size=3)
            axis /= np.linalg.norm(axis)
            of_joint.append(of_joint[parent] * step)
            shift.append(random_placement(rng) if rng.random() < 0.7 else pin.SE3.Identity())
            of_link.append(of_joint[k] * shift[k])
            limits = "" if kind == "continuous" else 'lower="-0.7" upper="0.9" '
            urdf.append(
                f'<joint name="j{k}" type="{kind}"><parent link="l{parent}"/><child link="l{k}"/>'
                f'{origin(step)}<axis xyz="{words(axis)}"/>'
                f'<limit {limits}effort="{5 + k}" velocity="{2 + k}"/></joint>'
            )
            # the axis is that of the joint, of the model, or of another link
            frame, R = (
                ("", of_joint[k]), ("__model__", pin.SE3.Identity()), ("l0", of_link[0]),
            )[rng.integers(3)]  # fmt: skip
            v = R.rotation.T @ of_joint[k].rotation @ axis
            limits = "" if kind == "continuous" else "<lower>-0.7</lower><upper>0.9</upper>"
            sdf.append(
                f'<joint name="j{k}" type="{kind}"><parent>l{parent}</parent><child>l{k}</child>'
                f"<pose>{pose(shift[k].inverse())}</pose>"
                f'<axis><xyz expressed_in="{frame}">{words(v)}</xyz><limit>{limits}'
                f"<effort>{5 + k}</effort><velocity>{2 + k}</velocity></limit></axis></joint>"
            )
        urdf.append(
            f'<link name="l{k}"><inertial>{origin(place)}<mass value="{mass}"/><inertia '
            + " ".join(f'{name}="{float(x)!r}"' for name, x in entries.items())
            + "/></inertial></link>"
        )
        other = "" if not k or rng.random() < 0.5 else f"l{rng.integers(k)}"
        at = of_link[int(other[1:])].actInv(of_link[k]) if other else of_link[k]
        sdf.append(
            f'<link name="l{k}"><pose relative_to="{other}">{pose(at)}</pose><inertial>'
            f"<pose>{pose(shift[k].actInv(place))}</pose><mass>{mass}</mass><inertia>"
            + "".join(f"<{name}>{float(x)!r}</{name}>" for name, x in entries.items())
            + "</inertia></inertial></link>"
        )
    model = f'<sdf version="1.9"><model name="r">{"".join(sdf)}</model></sdf>'
    return f'<robot name="r">{"".join(urdf)}</robot>', model, shift


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_the_equations_of_motion_are_those_of_the_same_urdf(seed, base):
    urdf, sdf, shift = pair(seed)
    a, b = (robots.load(text, base=base) for text in (urdf, sdf))
    assert a.joint_names == b.joint_names
    rng = np.random.default_rng(seed)
    q, v = a.random_configuration(rng), rng.normal(size=a.nv)
    assert dynamics.mass_matrix(b, q) == pytest.approx(dynamics.mass_matrix(a, q), abs=1e-9)
    assert dynamics.bias(b, q, v) == pytest.approx(dynamics.bias(a, q, v), abs=1e-9)
    assert b.torque_limits == pytest.approx(a.torque_limits)
    assert b.model.upperPositionLimit == pytest.approx(a.model.upperPositionLimit)
    assert b.model.lowerPositionLimit == pytest.approx(a.model.lowerPositionLimit)
    assert b.model.velocityLimit == pytest.approx(a.model.velocityLimit)
    for k, T in enumerate(shift):
        here = dynamics.frame_placement(a, q, f"l{k}") * T
        assert dynamics.frame_placement(b, q, f"l{k}").isApprox(here, 1e-9)


def link(name, extra="", mass=1.0):
    inertia = "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
    return f'<link name="{name}">{extra}<inertial><mass>{mass}</mass>{inertia}</inertial></link>'


def joint(name, parent, child, kind="revolute", inner="<axis><xyz>0 1 0</xyz></axis>"):
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{inner}</joint>'


def model(*parts, version="1.9"):
    return f'<sdf version="{version}"><model name="m">{"".join(parts)}</model></sdf>'


def four_bar(closing):
    """A square of four bars with hinges at its corners, in x and z."""
    return model(
        link("a"),
        link("b", "<pose>1 0 0 0 0 0</pose>"),
        link("c", "<pose>0 0 1 0 0 0</pose>"),
        link("d", "<pose>1 0 1 0 0 0</pose>"),
        joint("ab", "a", "b"),
        joint("ac", "a", "c"),
        joint("cd", "c", "d"),
        joint("bd", "b", "d", closing, "<axis><xyz>0 1 0</xyz></axis>"),
    )


@pytest.mark.parametrize(("closing", "freedoms"), [("revolute", 1), ("ball", 1), ("fixed", 0)])
def test_a_link_with_two_joints_closes_a_loop(closing, freedoms):
    robot = robots.load(four_bar(closing), base="fixed")
    assert [closure.name for closure in robot.closures] == ["bd"]
    state = dynamics.State(robot, robot.neutral())
    rank = np.linalg.matrix_rank(state.closure_jacobian, tol=1e-9)
    assert robot.nv - rank == freedoms
    assert np.abs(robot.close(robot.neutral()) - robot.neutral()).max() < 1e-9


def test_axes_are_those_of_the_model_until_version_1_4():
    turned = link("b", "<pose>0 0 0 0 0 1.5707963267948966</pose>")
    bend = joint("ab", "a", "b", inner="<axis><xyz>1 0 0</xyz></axis>")
    told = bend.replace("</xyz>", "</xyz><use_parent_model_frame>1</use_parent_model_frame>")
    for text, version, axis in (
        (bend, "1.4", [1, 0, 0]), (bend, "1.6", [0, 1, 0]), (bend, "1.10", [0, 1, 0]),
        (told, "1.6", [1, 0, 0]),
    ):  # fmt: skip
        robot = robots.load(model(link("a"), turned, text, version=version), base="fixed")
        J = dynamics.frame_jacobian(robot, robot.neutral(), "b")
        assert J[3:, 0] == pytest.approx(axis, abs=1e-12)


def test_frames_worlds_balls_and_universal_joints():
    text = model(
        link("a"),
        link("b", "<pose>0 0 0.5 0 0 0</pose>"),
        link("c", "<pose>0 0 1 0 0 0</pose>"),
        '<frame name="tip" attached_to="c"><pose>0 0 0.25 0 0 0</pose></frame>',
        '<frame name="beside" attached_to="tip"><pose degrees="true">0.5 0 0 0 0 90</pose></frame>',
        joint("stand", "world", "a", "fixed", ""),
        joint("ball", "a", "b", "ball", ""),
        joint("cross", "b", "c", "universal", "<axis><xyz>1 0 0</xyz></axis>"
              "<axis2><xyz>0 1 0</xyz></axis2>"),
    )  # fmt: skip
    robot = robots.load(text)
    assert not robot.is_floating
    assert (robot.nv, robot.na) == (5, 2)  # a ball has no motors
    T = dynamics.frame_placement(robot, robot.neutral(), "beside")
    assert T.translation == pytest.approx([0.5, 0, 1.25])
    assert T.rotation[:, 0] == pytest.approx([0, 1, 0], abs=1e-12)
    J = dynamics.frame_jacobian(robot, robot.neutral(), "b")[3:, :3]
    assert pytest.approx(np.eye(3), abs=1e-12) == J


def test_joints_that_follow_others_and_names_of_joints_that_are_links():
    law = "<multiplier>2</multiplier><reference>0.25</reference><offset>0.1</offset>"
    follows = f'<axis><xyz>0 1 0</xyz><mimic joint="b">{law}</mimic></axis>'
    robot = robots.load(
        model(
            link("a"),
            link("b", "<pose>0 0 1 0 0 0</pose>"),
            link("c", "<pose>0 0 2 0 0 0</pose>"),
            joint("b", "a", "b"),
            joint("c", "b", "c", inner=follows),
        ),
        base="fixed",
        mimic="couple",
    )
    q = robot.close(robot.set(robot.neutral(), b=0.5))
    angle = {name: np.arctan2(*q[2 * k : 2 * k + 2][::-1]) for k, name in enumerate("bc")}
    assert angle["c"] == pytest.approx(2 * (angle["b"] - 0.25) + 0.1)


def test_what_is_left_out_is_named():
    text = model(
        link("a"), '<link name="b"/>',
        joint("spring", "a", "b", inner="<axis><dynamics><spring_stiffness>5</spring_stiffness>"
              "</dynamics></axis>"),
        joint("gears", "a", "b", "gearbox", ""),
        '<link name="c"><gravity>0</gravity><inertial><mass>2</mass></inertial></link>',
        joint("a", "a", "c"),
        '<plugin name="p" filename="f"/><static>1</static>',
    )  # fmt: skip
    found = {(f.level, f.code) for f in robots.diagnose(text)}
    assert {("warning", "springs"), ("warning", "inertial"), ("warning", "closure")} <= found
    assert {("warning", "gravity"), ("warning", "base")} <= found
    assert ("info", "left out") in found
    moon = text.replace("<model", "<world><gravity>0 0 -1.62</gravity><model")
    moon = moon.replace("</model>", "</model></world>")
    assert any("gravity of the world" in f.message for f in robots.diagnose(moon))
    with pytest.raises(ModelError, match="gearbox"):
        robots.load(text, strict=True)
    with pytest.warns(match="gearbox"):
        robot = robots.load(text)
    assert robot.kept["closures"] == (0, 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('<sdf version="1.7"/>', "got 0 models"),
        ('<sdf><model name="a"/><model name="b"/></sdf>', r"got 2 models \(a, b\)"),
        (model('<include><uri>model://x</uri></include>'), "<include> of 'model://x': not found"),
        (model(link("a"), link("a")), "of which there are two"),
        (model(link("world"), link("a"), joint("j", "world", "a")), "'world' is the world's name"),
        (model(link("a", '<pose relative_to="aa">0 0 0 0 0 0</pose>')), "did you mean 'a'"),
        (model(link("a", "<pose>0 0 0</pose>")), "expected x y z roll pitch yaw"),
        (model(link("a", '<pose relative_to="b"/>'), link("b", '<pose relative_to="a"/>')),
         "relative to each other"),
        (model(link("a"), link("b"), joint("j", "a", "b", "screw")), "'j': got the type 'screw'"),
        (model(link("a"), link("b"), joint("j", "", "b")), "<joint> 'j': without <parent>"),
        (model(link("a"), "<include/>"), "<include> without <uri>"),
        (model(link("a"), link("b"), joint("j", "a", "c")), "'c'"),
        (model(link("a"), joint("j", "a", "world", "fixed", "")), "swap <parent> and <child>"),
        (model(link("a"), link("b"), joint("j", "a", "b", inner="<axis><xyz>0 0 0</xyz></axis>")),
         "got the axis '0 0 0'"),
        (model(link("a"), link("b"), joint("j", "a", "b", inner="<axis><limit><lower>1,5</lower>"
         "</limit></axis>")), "got '1,5', expected a number"),
        (model(link("a", mass="heavy")), "heavy"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(text, says):
    with pytest.raises(ModelError, match=says):
        robots.load(text)


@pytest.mark.skipif(package_folder("example-robot-data") is None, reason="needs example-robot-data")
@pytest.mark.filterwarnings("ignore::footwork.errors.FootworkWarning")
@pytest.mark.parametrize("name", ["cassie", "cassie_v2", "cassie_simple"])
def test_cassie_is_the_same_on_both_sides(name):
    folder = package_folder("example-robot-data") / "robots" / "cassie_description"
    robot = robots.load(folder / "robots" / f"{name}.sdf")
    assert 32 < robot.mass < 36
    assert len(robot.closures) == 4
    state = dynamics.State(robot, robot.neutral())
    left, right = (state.frame_placement(f"{side}-foot").translation for side in ("left", "right"))
    assert left == pytest.approx(right * [1, -1, 1], abs=1e-3)
    assert 0.8 < state.com[2] - left[2] < 1.0


@pytest.mark.parametrize("turned", ["0 0 0 0 0 0", "1 2 3 0.4 0.5 0.6"])
@pytest.mark.parametrize("on_world", [True, False])
def test_a_fixed_base_stands_where_the_file_puts_it(turned, on_world):
    """Else gravity would pull in another direction than in the file."""
    text = model(
        f"<pose>{turned}</pose>",
        link("a", "<pose>0.1 0.2 0.3 0.3 0.2 0.1</pose>"),
        link("b", "<pose>0.5 0 0 0 0 0</pose>"),
        joint("stand", "world", "a", "fixed", "") if on_world else "",
        joint("ab", "a", "b"),
    )
    robot = robots.load(text, base="fixed")
    x = [float(word) for word in turned.split()]
    T = pin.SE3(pin.rpy.rpyToMatrix(*x[3:]), np.array(x[:3]))
    a = pin.SE3(pin.rpy.rpyToMatrix(0.3, 0.2, 0.1), np.array([0.1, 0.2, 0.3]))
    assert dynamics.frame_placement(robot, robot.neutral(), "a").isApprox(T * a, 1e-12)


def test_the_frame_of_the_model_is_that_of_its_first_link_or_of_the_one_it_names():
    parts = (
        link("a"),
        link("b", "<pose>0 0 1 0 0 0</pose>"),
        joint("ab", "a", "b"),
        '<frame name="tip"><pose relative_to="b">0 0 0.5 0 0 0</pose></frame>',
        '<frame name="on_it" attached_to="tip"/>',
    )
    for named, bends in (("", False), (' canonical_link="b"', True)):
        robot = robots.load(model(*parts).replace('name="m"', f'name="m"{named}'), base="fixed")
        q = robot.set(robot.neutral(), ab=0.5)
        moved = dynamics.frame_placement(robot, q, "on_it").translation
        still = [0, 0, 1.5]
        if bends:
            still = [0.5 * np.sin(0.5), 0, 1 + 0.5 * np.cos(0.5)]
        assert moved == pytest.approx(still, abs=1e-12)
    hung = model(link("a"), link("b"), joint("ab", "__model__", "b"))
    assert robots.load(hung).nv == 7


def test_where_a_model_is_placed_may_be_told_by_one_of_its_frames():
    text = model(
        '<pose>0 0 5 0 0 0</pose>',
        link("a"), link("b", "<pose>0 0 1 0 0 0</pose>"),
        joint("stand", "world", "a", "fixed", ""), joint("ab", "a", "b"),
    ).replace('name="m"', 'name="m" placement_frame="b"')  # fmt: skip
    robot = robots.load(text)
    assert dynamics.frame_placement(robot, robot.neutral(), "b").translation[2] == 5


def test_a_static_model_has_a_fixed_base():
    text = model("<static>true</static>", link("a"), link("b"), joint("ab", "a", "b", "fixed", ""))
    assert robots.load(text).nv == 0
    assert robots.load(text, base="floating").nv == 6
    assert not [f for f in robots.diagnose(text) if f.level == "warning"]


def test_two_hinges_in_one_joint():
    for kind in ("universal", "revolute2"):
        axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
        robot = robots.load(model(link("a"), link("b"), joint("j", "a", "b", kind, axes)))
        assert robot.joint_names[-2:] == ("j", "j::1")


TRIANGLE = (
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    "endloop\nendfacet\nendsolid s\n"
)
ARM = """<model name="arm"><pose relative_to="b">0 0 1 0.1 0.2 0.3</pose>
{a}{b}<joint name="elbow" type="revolute"><parent>upper</parent><child>lower</child>
<axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>
<frame name="grip" attached_to="lower"><pose>0 0 0.2 0 0 0</pose></frame><frame name="own"/>
</model>"""


def arm(name="arm"):
    upper = link("upper", "<pose>0 0.5 0 0.3 0 0</pose>")
    lower = link("lower", '<pose relative_to="upper">0 0 1 0 0 0.3</pose>', mass=2)
    return ARM.format(a=upper, b=lower).replace('name="arm"', f'name="{name}"')


def flat_arm(prefix=""):
    """The same, its elements written in the model by hand."""
    names = ("upper", "lower", "elbow", "grip", "own")
    text = arm()[len('<model name="arm">') : -len("</model>")]
    for name in names:
        text = text.replace(f'"{name}"', f'"{prefix}{name}"').replace(
            f">{name}<", f">{prefix}{name}<"
        )
    pose = text[: text.index("</pose>") + 7]
    text = text.removeprefix(pose).replace("__model__", "arm_frame")
    text = text.replace("<pose>0 0.5 0", '<pose relative_to="arm_frame">0 0.5 0')
    text = text.replace(f'name="{prefix}own"', f'name="{prefix}own" attached_to="arm_frame"')
    return text + f'<frame name="arm_frame" attached_to="{prefix}upper">{pose}</frame>'


def body(*parts):
    return model(
        link("a"), link("b", "<pose>0.3 0 0 0 0 0</pose>", mass=3), joint("ab", "a", "b"), *parts
    )


def same(robot, flat, seed=0):
    """Check that two robots have the same terms, and frames whose names end alike."""
    rng = np.random.default_rng(seed)
    q, v = flat.random_configuration(rng), rng.normal(size=flat.nv)
    assert dynamics.mass_matrix(robot, q) == pytest.approx(dynamics.mass_matrix(flat, q), abs=1e-12)
    assert dynamics.bias(robot, q, v) == pytest.approx(dynamics.bias(flat, q, v), abs=1e-12)
    for name in ("upper", "lower", "grip", "own"):
        here, there = (
            dynamics.frame_placement(r, q, next(n for n in r.frame_names if n.endswith(name)))
            for r in (robot, flat)
        )
        assert here.isApprox(there, 1e-12)


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_models_in_a_model_are_parts_of_it(base):
    hold = joint("hold", "b", "arm::upper")
    robot = robots.load(body(arm(), hold), base=base)
    assert robot.joint_names[-2:] == ("hold", "arm::elbow")
    same(robot, robots.load(body(flat_arm("arm::"), hold), base=base))


def test_a_static_model_in_a_model_is_warned_of():
    still = arm().replace("</model>", "<static>true</static></model>")
    found = robots.diagnose(body(still, joint("hold", "b", "arm::upper")))
    assert [f.message for f in found if f.code == "base"] == [
        "'arm' is static in its file, and moves here"
    ]


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("uri", ["model://arm", "parts/arm/arm.sdf", "package://arm/arm.sdf"])
def test_included_models_are_parts_too(tmp_path, merged, uri):
    folder = tmp_path / "parts" / "arm"
    folder.mkdir(parents=True)
    shape = "<geometry><mesh><uri>mesh/cube.stl</uri></mesh></geometry>"
    inside = (
        arm("inner")
        .replace('relative_to="b"', "")
        .replace("</link>", f'<collision name="c">{shape}</collision></link>', 1)
    )
    (folder / "arm.sdf").write_text(f'<sdf version="1.9">{inside}</sdf>')
    (folder / "mesh").mkdir()
    (folder / "mesh" / "cube.stl").write_text(TRIANGLE)
    (folder / "model.config").write_text(
        '<model><sdf version="1.2">old.sdf</sdf><sdf version="1.10">arm.sdf</sdf></model>'
    )
    place = '<pose relative_to="b">0 0 1 0.1 0.2 0.3</pose>'
    wanted = (
        f'<include merge="{str(merged).lower()}"><uri>{uri}</uri><name>arm</name>{place}</include>'
    )
    prefix = "" if merged else "arm::"
    hold = joint("hold", "b", f"{prefix}upper")
    path = tmp_path / "robot.sdf"
    path.write_text(body(wanted, hold))
    robot = robots.load(path, package_dirs=[tmp_path / "parts"])
    assert len(robot.collision.geometryObjects) == 1
    same(robot, robots.load(body(flat_arm(prefix), hold)))


@pytest.mark.parametrize("variable", ["GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"])
def test_models_are_found_where_gazebo_finds_them(tmp_path, monkeypatch, variable):
    (tmp_path / "models" / "arm").mkdir(parents=True)
    inside = arm("inner").replace('relative_to="b"', "")
    (tmp_path / "models" / "arm" / "model.sdf").write_text(f"<sdf>{inside}</sdf>")
    text = body("<include><uri>model://arm</uri></include>", joint("hold", "b", "inner::upper"))
    monkeypatch.setenv(variable, f"/nowhere:{tmp_path / 'models'}")
    assert "inner::elbow" in robots.load(text).joint_names


def test_includes_that_cannot_be_read_are_refused(tmp_path):
    path = tmp_path / "robot.sdf"
    for uri, says in (
        ("model://nowhere", r"nowhere.*package_dirs=\[…\] names folders of packages"),
        ("robot.sdf", "deeper than"), ("none.sdf", "not found"), ("arm.urdf", "got <robot>"),
        ("https://fuel.gazebosim.org/arm", "not a local file"),
    ):  # fmt: skip
        (tmp_path / "arm.urdf").write_text("<robot/>")
        path.write_text(body(f"<include><uri>{uri}</uri><name>x</name></include>"))
        with pytest.raises(ModelError, match=says):
            robots.load(path)


def test_included_models_are_bounded(tmp_path):
    (tmp_path / "big.sdf").write_text(f"<sdf><model>{'<link/>' * 90_000}</model></sdf>")
    path = tmp_path / "robot.sdf"
    path.write_text(body("<include><uri>big.sdf</uri></include>" * 4))
    with pytest.raises(ModelError, match="more than 200000 elements"):
        robots.load(path)
    (tmp_path / "big.sdf").write_text(f"<sdf><model name='x'>{link('a')}</model></sdf>")
    many = "".join(f"<include><uri>big.sdf</uri><name>x{k}</name></include>" for k in range(60))
    path.write_text(body(many))
    with pytest.raises(ModelError, match="more than 50 files"):
        robots.load(path)


def test_what_else_the_world_of_a_file_holds_is_named():
    text = model(link("a"), link("b"), joint("ab", "a", "b"))
    text = text.replace("<model", "<world name='w'><include><uri>model://sun</uri></include><model")
    more = "<joint name='weld' type='fixed'><parent>world</parent><child>m::a</child></joint>"
    text = text.replace("</model>", f"</model>{more}</world>")
    said = [f.message for f in robots.diagnose(text)]
    assert any("model://sun" in words for words in said)
    assert any("'weld'" in words for words in said)
    table = text.replace("<model name='m'>", "").replace(
        "<link", '<pose relative_to="table"/><link', 1
    )
    assert any("relative to 'table'" in f.message for f in robots.diagnose(table))
    lone = '<sdf version="1.9"><world><include><uri>model://go1</uri></include></world></sdf>'
    with pytest.raises(ModelError, match="model://go1"):
        robots.load(lone)


def test_a_part_of_a_mesh_is_named():
    shape = "<mesh><uri>a.stl</uri><submesh><name>left</name></submesh></mesh>"
    visual = f'<visual name="v"><geometry>{shape}</geometry></visual>'
    found = robots.diagnose(model(link("a", visual), link("b"), joint("ab", "a", "b")))
    assert any("<submesh>" in f.message for f in found)
