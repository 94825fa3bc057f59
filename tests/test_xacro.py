"""Xacro files expand as the xacro package expands them, and nothing in them runs."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from footwork import FootworkWarning, ModelError, cli, load, robots
from footwork.robots.files.hardened_xml import Node, parse
from footwork.robots.files.packages import Folders
from footwork.robots.xacro import expressions
from footwork.robots.xacro.expansion import Xacro, expand
from footwork.robots.xacro.expressions import Budget, ExpressionError, evaluate

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def content(node: Node) -> tuple:
    """What an element is, without the space between elements and the names of namespaces."""
    attributes = {k: v for k, v in node.attrib.items() if not k.startswith("xmlns")}
    inside = [content(child) for child in node.children]
    return node.tag, attributes, "".join(node.text.split()), inside


def ours(path: Path, args: dict | None = None, dirs: tuple = ()) -> tuple:
    folders = Folders(path.absolute().parent, dirs)
    return content(expand(parse(path.read_bytes()), folders, Xacro(args or {}), str(path)))


def theirs(path: Path, args: dict | None = None) -> tuple:
    xacro = pytest.importorskip("xacro")
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        document = xacro.process_file(str(path), mappings=dict(args or {}))
    return content(parse(document.toxml()))


FEATURES = {
    "properties": """<xacro:property name="a" value="${b * 2}"/>
        <xacro:property name="b" value="3"/>
        <x a="${a}" b="${b}" c="${a}${b}" d="$${a} $$(b) 5$ $" e="${-a/4}" f=" ${a} "/>
        <xacro:property name="t" value="true"/><xacro:property name="u" value="1_000"/>
        <xacro:property name="q" value="'12'"/><xacro:property name="n" value=" 7 "/>
        <x t="${t}" u="${u}" q="${q + q}" n="${n + 1}"/><xacro:property name="a" value="1e-3"/>
        <x a="${a}"/><xacro:property name="${'v' + 'w'}" value="x"/><x a="${vw}"/>
        <xacro:property name="vw" default="y"/><xacro:property name="vy" default="z"/>
        <x a="${vw}${vy}"/><xacro:property name="vw" remove="true"/>
        <xacro:property name="vw" default="new"/><x a="${vw}"/>text ${b} of an element""",
    "scopes": """<xacro:property name="p" value="0"/><xacro:macro name="set" params="v">
        <xacro:property name="p" value="${v}"/><xacro:property name="q" value="${v}"
        scope="parent"/>
        <xacro:property name="g" value="${v + 1}" scope="global"/><x p="${p}"/></xacro:macro>
        <xacro:macro name="outer" params=""><xacro:set v="5"/><y p="${p}" q="${q}"/></xacro:macro>
        <xacro:outer/><z p="${p}" g="${g}"/>""",
    "lazy": """<xacro:property name="a" value="${b}"/><xacro:property name="b" value="1"/>
        <xacro:property name="c" value="${b}" lazy_eval="false"/><xacro:property name="b"
        value="2"/>
        <x a="${a}" c="${c}"/>""",
    "macros": """<xacro:macro name="m" params="a b:=2 c=${1 + 1} d:='x y' e:=$(arg side) f:=^
        g:=^|7 h:=1 *one **two"><x a="${a}" b="${b}" c="${c}" d="${d}" e="${e}" f="${f}" g="${g}"/>
        <xacro:insert_block name="one"/><w><xacro:insert_block name="two"/></w>
        <xacro:insert_block name="one"/></xacro:macro><xacro:property name="f" value="eff"/>
        <xacro:arg name="side" default="left"/>
        <xacro:m a="1"><o a="${f}"/><t><p/><q a="${2 * 2}"/></t></xacro:m>
        <xacro:m a="${[1, 2]}" b="true" g="8"><o/><t/></xacro:m><xacro:property name="g" value="9"/>
        <xacro:m h="" a="x"><xacro:if value="1"><o1/></xacro:if><t>text</t></xacro:m>
        <xacro:macro name="m" params=""><again/></xacro:macro><xacro:m/>
        <xacro:property name="which" value="m"/><xacro:call macro="${which}"/>""",
    "inner macros": """<xacro:macro name="a" params="n"><xacro:macro name="b" params="k">
        <x k="${k}" n="${n}"/></xacro:macro><xacro:b k="${n + 1}"/></xacro:macro><xacro:a n="1"/>
        <xacro:macro name="loop" params="n"><y n="${n}"/><xacro:if value="${n > 1}">
        <xacro:loop n="${n - 1}"/></xacro:if></xacro:macro><xacro:loop n="5"/>""",
    "blocks": """<xacro:property name="block"><x a="${1 + 1}"/><y/></xacro:property>
        <w><xacro:insert_block name="block"/></w><v><xacro:insert_block name="block"/></v>""",
    "conditions": """<xacro:property name="t" value="True"/><xacro:property name="z" value="0"/>
        <xacro:if value="${t}"><a/></xacro:if><xacro:unless value="${t}"><b/></xacro:unless>
        <xacro:if value="${z == 0 and not z}"><c/><xacro:if value="false"><d/></xacro:if></xacro:if>
        <xacro:if value="$(arg side)"><e/></xacro:if><xacro:if value="${'x' in 'xyz'}">f</xacro:if>
        <xacro:unless value="${'$(arg side)' == '1'}"><g/></xacro:unless>""",
    "elements": """<xacro:element xacro:name="${'t' + 'ag'}" a="1"><b/></xacro:element>
        <x><xacro:attribute name="${'n'}" value="a${1 + 2}"/><y/></x>""",
    "expressions": """<x a="${pi / 2}" b="${radians(90)}" c="${math.sin(0.5) ** 2}" d="${1 / 3}"
        e="${7 // 2} ${-7 % 3} ${2 ** 10} ${1e-7} ${True} ${None}" f="${max(1, 2.5)}
        ${round(2.567, 2)}"
        g="${'a' if 1 &lt; 2 &lt;= 2 else 'b'}" h="${[i * 2 for i in range(4) if i != 2]}"
        i="${len('abc')} ${'A-b'.lower().split('-')} ${'a,b'.replace(',', ' ')}"
        j="${dict(a=1, b=[1, 2])['b'][-1]} ${[1, 2, 3][1:]} ${(1, 2)[0]}" k="${str(1.0) + '2'}"
        l="${list(map(float, '1 2'.split()))} ${python.sum([1, 2])} ${python.abs(-3)}"
        m="${not 1 or 0 and 2} ${None is None} ${'a' not in 'b'} ${5 &amp; 6 | 1 ^ 2} ${~1
        &lt;&lt; 3}"
        n="${'_'.join(['a', 'b'])} ${int('7') + float('.5')} ${bool(0)} ${sqrt(2)} ${degrees(pi)}"
        o="${xacro.tokenize('a, b;c')} ${sorted([3, 1, 2])} ${hypot(3, 4)} ${atan2(1, -1)}"
        p="${xacro.arg('side') * 2} ${dict(a=1).get('b', 3)} ${floor(2.7)} ${math.inf} ${tau}"/>""",
    "yaml": """<xacro:property name="c" value="${xacro.load_yaml('data/c.yaml')}"/>
        <x a="${c['joints']['hip'][1]}" b="${c.joints.knee.upper}" c="${c.angle}" d="${c.inch}"
        e="${'a' in c}" f="${c.list[1].k}" g="${c.text}" h="${c.none}" i="${c.ja}"/>""",
    "includes": """<xacro:include filename="data/part.xacro"/><xacro:part n="2"/>
        <x a="${from_part}"/><xacro:include filename="data/no.xacro" optional="true"/>
        <xacro:include filename="data/many_*.xacro"/><xacro:include filename="data/none_*.xacro"/>
        <xacro:include filename="data/part.xacro" ns="ns"/><xacro:ns.part n="3"/>
        <y a="${ns.from_part}"/>""",
}
FILES = {
    "data/c.yaml": "joints: {hip: [1, 2.5], knee: {upper: 1e-3}}\nangle: !degrees 90\n"
    "inch: !inches 2 * 2\nlist: [1, {k: v}]\ntext: a b\nnone: null\non: true\nja: 1\n"
    "a: &a [1]\nb: *a\n",
    "data/part.xacro": HEAD + '<xacro:property name="from_part" value="${2 * 3}"/><inside/>'
    '<xacro:include filename="deeper/leaf.xacro"/><xacro:macro name="part" params="n">'
    '<part n="${n}" p="${from_part}"/></xacro:macro></robot>',
    "data/deeper/leaf.xacro": HEAD + '<leaf a="${from_part}"/></robot>',
    "data/many_b.xacro": HEAD + "<b/></robot>",
    "data/many_a.xacro": HEAD + "<a/></robot>",
}


def write(folder: Path, text: str) -> Path:
    for name, inside in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(inside)
    path = folder / "robot.xacro"
    path.write_text(f"{HEAD}{text}</robot>")
    return path


@pytest.mark.parametrize("feature", FEATURES)
def test_features_expand_as_the_xacro_package_expands_them(feature, tmp_path):
    path = write(tmp_path, FEATURES[feature])
    args = {"side": "1"} if "side" in FEATURES[feature] else {}
    expansion = theirs(path, args)
    assert len(str(expansion)) > 60
    assert ours(path, args) == expansion


def installed() -> list[Path]:
    folders = {Path(folder) for folder in sys.path if folder.endswith("site-packages")}
    return sorted(path for folder in folders for path in folder.rglob("*.xacro"))


def test_installed_files_expand_as_the_xacro_package_expands_them():
    if not installed():
        pytest.skip("no package with xacro files is installed")
    same = 0
    for path in installed():
        try:
            expansion = theirs(path)
        except Exception:  # files that only make sense inside others
            continue
        assert ours(path) == expansion
        same += 1
    assert same


def test_dates_in_yaml_are_texts_as_they_are_written(tmp_path):
    """As parts of texts, which is how files of calibrations have them, they are the same."""
    (tmp_path / "c.yaml").write_text("made: 2024-05-17\nat: 2024-05-17 10:11:12\nhip: 0.5\n")
    text = "<x a=\"${xacro.load_yaml('c.yaml')['hip']} ${xacro.load_yaml('c.yaml').made}\"/>"
    path = write(tmp_path, text + "<y a=\"${xacro.load_yaml('c.yaml').at}\"/>")
    assert ours(path) == theirs(path)


def test_names_of_files_are_those_beside_the_file_that_names_them(tmp_path):
    (tmp_path / "parts").mkdir()
    inside = f"{HEAD}<a file=\"${{xacro.abs_filename('m.stl')}}\"/></robot>"
    (tmp_path / "parts/p.xacro").write_text(inside)
    path = write(tmp_path, '<xacro:include filename="parts/p.xacro"/>')
    assert ours(path) == theirs(path)
    assert ours(path)[3][0][1] == {"file": str(tmp_path / "parts/m.stl")}


def test_arguments_that_a_file_does_not_have_are_warned_of(tmp_path):
    path = write(tmp_path, '<xacro:arg name="side" default="left"/><a x="$(arg side) $(arg up)"/>')
    with pytest.warns(FootworkWarning, match="no argument 'sides'; did you mean 'side'"):
        ours(path, {"sides": "right", "up": 1})


def test_files_of_packages_are_found(tmp_path):
    package = tmp_path / "arm"
    package.mkdir()
    (package / "package.xml").write_text("<package><name>arm</name></package>")
    (package / "arm.xacro").write_text(f'{HEAD}<a dir="$(dirname)"/></robot>')
    path = write(tmp_path / "else/where", '<xacro:include filename="$(find arm)/arm.xacro"/>')
    with pytest.raises(ModelError, match=r"no package 'arm'; package_dirs=.* line 1"):
        ours(path)
    for allowed in (package, tmp_path):
        assert ours(path, dirs=(allowed,))[3] == [("a", {"dir": str(package)}, "", [])]


def test_arguments_and_the_environment_are_what_the_caller_gives(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "42")
    monkeypatch.delenv("UNSET", raising=False)
    path = write(tmp_path, '<a x="$(env SECRET)"/>')
    with pytest.raises(ModelError, match=r"'SECRET' is not read; xacro=Xacro\(env="):
        load(path)
    tree, folders = parse(path.read_bytes()), Folders(tmp_path)
    assert expand(tree, folders, Xacro(env=["SECRET"]), "f").children[0].get("x") == "42"
    path = write(tmp_path, '<a x="$(optenv UNSET a b)" y="$(optenv SECRET no)"/>')
    with pytest.raises(ModelError, match="SECRET"):
        ours(path)
    path = write(tmp_path, '<a x="$(arg side)"/>')
    with pytest.raises(ModelError, match=r"'side'; xacro=Xacro\(args="):
        ours(path)
    assert ours(path, {"side": 3})[3][0][1] == {"x": "3"}


ROBOT = """<xacro:macro name="box" params="name mass"><link name="${name}"><inertial>
<mass value="${mass}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
</link></xacro:macro><xacro:box name="a" mass="$(arg m)"/><xacro:arg name="m" default="2"/>"""


def test_only_files_that_say_so_are_expanded(tmp_path):
    text = HEAD + '<xacro:arg name="m" default="2"/>' + ROBOT + "</robot>"
    for name in ("robot.xacro", "robot.urdf.XACRO"):
        (tmp_path / name).write_text(text)
        assert load(tmp_path / name).mass == 2
        assert load(tmp_path / name, xacro=Xacro(args={"m": 5})).mass == 5
        assert not [f for f in robots.diagnose(tmp_path / name) if f.level == "error"]
    with pytest.raises(ModelError, match="to be expanded first"):
        load(tmp_path / name, xacro=False)
    (tmp_path / "robot.urdf").write_text(text)
    for source in (tmp_path / "robot.urdf", text):
        with pytest.raises(ModelError, match=r"to be expanded first.*xacro=True"):
            load(source)
        assert robots.diagnose(source)[0].code == "xacro"
        assert load(source, xacro=True).mass == 2
        assert load(source, xacro=Xacro(args={"m": 3})).mass == 3
    with pytest.raises(ModelError, match="xacro: got 'yes'"):
        load(text, xacro="yes")


def test_meshes_of_an_expansion_are_checked(tmp_path):
    mesh = '<visual><geometry><mesh filename="${x}.stl"/></geometry></visual></link>'
    text = '<xacro:property name="x" value="nowhere"/>' + ROBOT.replace("</link>", mesh, 1)
    (tmp_path / "robot.xacro").write_text(HEAD + text.replace("$(arg m)", "1") + "</robot>")
    (finding,) = [f for f in robots.diagnose(tmp_path / "robot.xacro") if f.code == "mesh"]
    assert finding.level == "warning"
    assert "nowhere.stl" in finding.message


def test_lines_are_those_of_the_file(tmp_path):
    text = (
        '\n<a/>\n<xacro:include filename="data/part.xacro"/>\n<xacro:macro name="m">\n<b/>\n'
        '</xacro:macro>\n<xacro:m/>\n<xacro:part n="1"/>'
    )
    path = write(tmp_path, text)
    tree = expand(parse(path.read_bytes()), Folders(tmp_path), Xacro(), "f")
    lines = [("a", 2), ("inside", 3), ("leaf", 3), ("b", 5), ("part", 8)]
    assert [(node.tag, node.line) for node in tree.children] == lines


# --- nothing runs, nothing is endless -----------------------------------------------------------

ESCAPES = [
    "__import__('os').system('id')",
    "().__class__.__base__.__subclasses__()",
    "''.format()",
    "'{0.__class__}'.format(1)",
    "f'{1}'",
    "(lambda: 1)()",
    "[x for x in [1] if (y := x)]",
    "str.mro()",
    "str.__name__",
    "len.__self__",
    "math.__dict__",
    "math.get('x')",
    "math.sin.__self__",
    "xacro.load_yaml.__globals__",
    "open('/etc/passwd')",
    "getattr(1, 'real')",
    "(1).real",
    "'a'.encode()",
    "'a'.translate({97: 'b'})",
    "'%s' % 1",
    "b'a'",
    "1j",
    "...",
    "[].append(1)",
    "{**{}}",
    "len(*[[]])",
    "eval('1')",
    "vars()",
    "type(1)",
    "print(1)",
    "(yield)",
    "max([1], key=str)",
    "sorted([1], key=range)",
    "1 @ 1",
    "a.b",
]
ENDLESS = [
    "10 ** 10 ** 10",
    "2 ** 5000",
    "1 << 10 ** 9",
    "'a' * 10 ** 9",
    "10 ** 9 * [0]",
    "range(10 ** 12)",
    "list(range(10 ** 9, 0, -1))",
    "round(5, -10 ** 9)" + " + 2 ** 5000",
    "factorial(10 ** 6)",
    "'a' * 50000 + 'a' * 60000",
    "[[0] * 1000] * 1000",
    "('a' * 1000).replace('a', 'b' * 1000)",
    "('a' * 1000).join(['a'] * 1000)",
    "map(range, range(100000))",
    "[range(1000) for i in range(100000)]",
    "[1 for i in range(10000) for j in range(10000)]",
    "-" * 5000 + "1",
    "(" * 5000 + "1" + ")" * 5000,
    "1" + "+1" * 20000,
    "'9' * 90000 + 1",
    "int('9' * 5000)",
    "[" * 90 + "]" * 90 + ".x",
    "sum([[1], [2]], [])",
]


def value(text: str) -> object:
    return evaluate(text, {}.__getitem__, Budget(200_000))


@pytest.mark.parametrize("text", ESCAPES)
def test_nothing_but_what_is_listed_is_evaluated(text):
    with pytest.raises(ExpressionError, match=r"."):
        value(text)


@pytest.mark.parametrize("text", ENDLESS)
def test_work_is_bounded(text):
    with pytest.raises(ExpressionError, match=r"."):
        value(text)


def test_functions_are_those_without_side_effects():
    """Nothing in the table opens, imports, imports by name or reads attributes."""
    names = set(expressions.FUNCTIONS)
    words = "open eval exec getattr type vars print format hash"
    assert names.isdisjoint(words.split())
    assert not any(name.startswith("_") for name in names)


def doubled(text: str, levels: int) -> str:
    """The text for every level: that of NEXT, of two of HERE."""
    each = (text.replace("NEXT", str(i + 1)).replace("HERE", str(i)) for i in range(levels))
    return "".join(each)


TWICE = '<xacro:property name="pNEXT" value="${pHERE}${pHERE}"/>'
P0 = '<xacro:property name="p0" value="aa"/>'
MACROS = doubled('<xacro:macro name="mNEXT"><xacro:mHERE/><xacro:mHERE/></xacro:macro>', 40)
BOMBS = {
    "doubling texts": doubled(TWICE, 60) + P0 + '<x a="${p60}"/>',
    "doubling lists": doubled(TWICE.replace("${pHERE}${pHERE}", "${[pHERE, pHERE]}"), 60)
    + f'{P0}<x a="${{p60 == p60}}"/>',
    "a circle": '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/>'
    '<x a="${a}"/>',
    "endless macros": '<xacro:macro name="m"><x/><xacro:m/></xacro:macro><xacro:m/>',
    "many macros": f'<xacro:macro name="m0"><x/></xacro:macro>{MACROS}<xacro:m40/>',
    "many empty macros": f'<xacro:macro name="m0"></xacro:macro>{MACROS}<xacro:m40/>',
    "itself": '<xacro:include filename="robot.xacro"/>',
    "aliases": "<x a=\"${xacro.load_yaml('bomb.yaml')}\"/>",
    "merges": "<x a=\"${xacro.load_yaml('merge.yaml')}\"/>",
    "its own alias": "<x a=\"${xacro.load_yaml('self.yaml')}\"/>",
    "python in YAML": "<x a=\"${xacro.load_yaml('python.yaml')}\"/>",
    "parameters": '<xacro:macro name="m" params="a:=' + "x" * 20000 + "'\"/><xacro:m/>",
    "a file elsewhere": '<xacro:include filename="/etc/passwd"/>',
    "a YAML file elsewhere": "<x a=\"${xacro.load_yaml('/etc/hostname')}\"/>",
    "files elsewhere": '<xacro:include filename="/etc/*"/>',
    "no end": '<x a="${1 + 1"/>',
    "no macro": "<xacro:nothing/>",
    "no namespace": "<xacro:a.b/>",
    "no block": '<xacro:insert_block name="b"/>',
    "too many blocks": '<xacro:macro name="m"/><xacro:m><a/></xacro:m>',
    "too few blocks": '<xacro:macro name="m" params="*b"/><xacro:m/>',
    "a wrong parameter": '<xacro:macro name="m" params="a"/><xacro:m b="1"/>',
    "no parameter": '<xacro:macro name="m" params="a"/><xacro:m/>',
    "no truth value": '<xacro:if value="maybe"/>',
    "no name": '<xacro:property value="1"/>',
    "$(eval)": '<x a="$(eval 1 + 1)"/>',
    "$(cwd)": '<x a="$(cwd)"/>',
    "fatal": "<x a=\"${xacro.fatal('the file says no')}\"/>",
    "an element's name": '<xacro:element xacro:name="a b"/>',
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_is_wrong_or_endless_is_a_model_error_that_says_where(name, tmp_path, monkeypatch):
    lists, merged = "aNEXT: &aNEXT [*aHERE, *aHERE]\n", "aNEXT: &aNEXT\n  <<: [*aHERE, *aHERE]\n"
    for file, text in {
        "bomb": "a0: &a0 [x]\n" + doubled(lists, 40),
        "merge": "a0: &a0 {x: 1}\n" + doubled(merged, 40),
        "self": "a: &a [*a]\n",
        "python": "a: !!python/object/apply:os.getcwd []\n",
    }.items():
        (tmp_path / f"{file}.yaml").write_text(text)
    path = write(tmp_path, "\n" + BOMBS[name])
    monkeypatch.setattr(Budget.__init__, "__defaults__", (200_000,))  # sooner than 4 million
    with pytest.raises(ModelError, match=r"robot\.xacro.*(line 2|nested too deep)"):
        load(path)


def test_a_link_name_is_no_command(tmp_path):
    """With the xacro package installed, an expression of a link's name once ran a shell."""
    escape = (
        "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'][0]"
        f"('touch {tmp_path}/ran', shell=True)"
    )
    text = HEAD + f'<xacro:property name="x" value="1"/><link name="${{{escape}}}"/></robot>'
    for file in (tmp_path / "robot.urdf", tmp_path / "robot.xacro"):
        file.write_text(text)
        with pytest.raises(ModelError):
            load(file)
        command = [sys.executable, "-m", "footwork", "check", str(file)]
        assert subprocess.run(command, capture_output=True, check=False).returncode != 0
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["message", "warning", "error"])
def test_what_a_file_says_is_a_warning_without_control_characters(kind, tmp_path):
    words = f"<x a=\"${{xacro.{kind}('to\\x1b[31m', 3)}}\"/>"
    prefix = {"message": "", "warning": "warning: ", "error": "error: "}[kind]
    with pytest.warns(FootworkWarning, match=rf"robot\.xacro, line \d+: {prefix}to \[31m 3$"):
        load(write(tmp_path, '<link name="a"/>' + words), base="fixed")


ARM = (
    '<xacro:arg name="m" default="1"/><link name="a"><inertial><mass value="$(arg m)"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
)


def test_arguments_on_the_command_line(tmp_path, capsys):
    path = str(write(tmp_path, ARM))
    for arguments, mass in (([], 1.0), (["--xacro-arg", "m:=7"], 7.0)):
        assert cli.main(["info", path, "--json", *arguments]) == 0
        assert json.loads(capsys.readouterr().out)["mass [kg]"] == mass
    assert cli.main(["check", path, "--xacro-arg", "m:=-7"]) == 1
    capsys.readouterr()
    for arguments, says in (
        (["--xacro-arg", "m=7"], "expected NAME:=VALUE"),
        (["m:=7"], "did you mean --xacro-arg m:=7?"),
    ):
        with pytest.raises(SystemExit):
            cli.main(["info", path, *arguments])
        assert says in capsys.readouterr().err
