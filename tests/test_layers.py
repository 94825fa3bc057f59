"""Architecture: imports point one way, links resolve, names exist, imports stay light."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import footwork
from footwork import registry

ROOT = Path(__file__).parent.parent
# package -> the packages below it that it may import (lazy and type-checking imports count too)
BELOW = {
    "robots": set(),
    "dynamics": {"robots"},
    "contacts": {"robots", "dynamics"},
    "control": {"robots", "dynamics", "contacts"},
    "biomechanics": {"robots", "dynamics"},
    "visualize": {"robots", "dynamics", "contacts", "control", "biomechanics"},
}
PACKAGES = list(BELOW)
# `registry` resolves names of higher packages when they are used
COMMON = {
    "arrays", "errors", "files", "journal", "options", "progress", "registry", "reprs", "workers"
}  # fmt: skip


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file's syntax tree."""
    return tuple(ast.walk(ast.parse(path.read_text())))


def imported_packages(path: Path, package: str) -> set[str]:
    """Packages (or modules beside them) that a file imports; absolute imports fail."""
    depth = len(path.relative_to(ROOT / package).parts)
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            assert not any(n.split(".")[0] in ("footwork", *PACKAGES) for n in names), path
        if isinstance(node, ast.ImportFrom):
            if node.level == 0:
                assert node.module.split(".")[0] not in ("footwork", *PACKAGES), path
            elif node.level == depth + 1:  # leaves the package
                parts = [node.module.split(".")[0]] if node.module else [a.name for a in node.names]
                found |= set(parts)
            else:
                assert node.level <= depth, path
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_down(package):
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    for path in files:
        assert imported_packages(path, package) <= COMMON | BELOW[package], path


def test_no_package_copies_the_model_of_a_robot():
    """`robot.model` is a copy for other libraries; in here everybody reads `robot._model`."""
    own = [ROOT / "src/footwork" / folder for folder in ("", "commands")]
    files = [f for package in PACKAGES for f in (ROOT / package).rglob("*.py")]
    for path in [*files, *[f for folder in own for f in folder.glob("*.py")]]:
        copies = [x for x in path.read_text().splitlines() if re.search(r"\brobot\.model\b", x)]
        assert all("copy" in line or line.strip() == "model = robot.model" for line in copies), path


@pytest.mark.parametrize("package", PACKAGES)
def test_links_lead_to_the_packages(package):
    link = ROOT / "src" / "footwork" / package
    assert link.is_symlink()
    assert not Path(link.readlink()).is_absolute()
    assert link.resolve() == ROOT / package


def test_a_checkout_without_links_says_so(tmp_path):
    (tmp_path / "robots").write_text("../../robots")
    with pytest.raises(ImportError, match=r"core\.symlinks"):
        footwork._check_links(tmp_path)


@pytest.mark.parametrize("module", ["footwork", *[f"footwork.{package}" for package in PACKAGES]])
def test_exported_names_exist(module):
    module = importlib.import_module(module)
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="lode"):
        footwork.lode  # noqa: B018


def test_nothing_heavy_is_imported_before_it_is_used():
    """`import footwork` and `--help` are instant; no package imports an extra, cvxpy or meshcat.

    SciPy's parts are imported by themselves at their first use (`import scipy`): they take longer
    than NumPy and Pinocchio together.
    """
    code = (
        "import sys, footwork; heavy = {'numpy', 'pinocchio', 'cvxpy', 'meshcat', 'numba'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
        "from footwork import contacts, control, dynamics, robots;"
        "late = {'cvxpy', 'meshcat', 'numba', 'matplotlib', 'sympy', 'xarray', 'dask', 'pandas',"
        "'distributed', 'daqp', 'ezc3d', 'xacro', 'mujoco', 'example_robot_data',"
        "'scipy.linalg', 'scipy.sparse', 'scipy.spatial', 'scipy.optimize'};"
        "assert not late & set(sys.modules), late & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_base_install_stays_small():
    """What everybody must install; what only some need is an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    numeric, pages = {"numpy", "scipy", "cvxpy", "clarabel", "pin"}, {"meshcat", "tornado"}
    assert names <= numeric | pages | {"u-msgpack-python", "defusedxml", "pyyaml", "tqdm"}


def test_no_asserts_and_no_prints_in_the_library():
    """`assert` never checks an argument, and only the command talks."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in nodes_of(path):
                assert not isinstance(node, ast.Assert), path
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    talks = path.name == "serve.py"  # to its parent, through a pipe
                    assert talks or node.func.id != "print", path


@pytest.mark.parametrize("former", registry.MOVED)
def test_a_former_name_works_and_tells_the_new_one(former):
    (package, _, name), target = former.rpartition("."), registry.MOVED[former]
    with pytest.warns(DeprecationWarning, match=target.replace(":", ".")):
        found = getattr(importlib.import_module(f"footwork.{package}"), name)
    assert found is registry.resolve(target)


FORMER_IMPORTS = """
import importlib, sys, warnings
from footwork import registry
for former, target in registry.MOVED.items():
    if ":" in target:
        continue
    (package, _, name), found = former.rpartition("."), {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(STATEMENT.format(**locals()), "user.py", "exec"), found)
    own = [str(w.message) for w in caught if w.filename == "user.py"]
    assert own and own[-1] == f"footwork.{former} is now footwork.{target}", (former, own)
    assert all(w.category is DeprecationWarning for w in caught), former
    module = found[name] if name in found else sys.modules[f"footwork.{former}"]
    assert module is importlib.import_module(f"footwork.{target}")
"""


@pytest.mark.parametrize(
    "statement", ["import footwork.{former}", "from footwork.{package} import {name}"]
)
def test_a_former_module_is_imported_as_the_one_of_today_with_a_warning(statement):
    code = FORMER_IMPORTS.replace("STATEMENT", repr(statement))
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_submodules_of_a_former_package_are_those_of_today():
    from footwork.dynamics.bodies import gait
    from footwork.dynamics.bodies.symbolic import frames

    assert frames is importlib.import_module("footwork.biomechanics.symbolic.frames")
    assert gait is importlib.import_module("footwork.biomechanics.gait")
    with pytest.raises(ModuleNotFoundError, match=r"footwork\.biomechanics\.nothing"):
        importlib.import_module("footwork.dynamics.bodies.nothing")


def test_view_and_plot_name_what_they_know():
    for target in (*registry.VIEWS.values(), *registry.PLOTS.values()):
        assert callable(registry.resolve(target))
    for key in (*registry.VIEWS, *registry.PLOTS):
        assert isinstance(registry.resolve(key.strip("[]{}")), type)
    with pytest.raises(footwork.FootworkError, match=r"view: got dict, expected one of .*\bHold\b"):
        footwork.view({})


@cache
def imported_modules(package: str) -> dict[str, set[str]]:
    """{module: modules of the same package that it imports}, lazily and for types too."""
    paths = {path.relative_to(ROOT): path for path in (ROOT / package).rglob("*.py")}
    name = {p: ".".join(p.with_suffix("").parts).removesuffix(".__init__") for p in paths}
    modules = set(name.values())
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for path, file in paths.items():
        inside = path.parent.parts
        for node in nodes_of(file):
            if isinstance(node, ast.ImportFrom) and 0 < node.level <= len(inside):
                base = [*inside[: len(inside) - node.level + 1], *filter(None, [node.module])]
                for alias in node.names:
                    each = ".".join([*base, alias.name]), ".".join(base)
                    graph[name[path]] |= {next((m for m in each if m in modules), name[path])}
    return {module: targets - {module} for module, targets in graph.items()}


def folder_of(module: str) -> str:
    """The folder of a package that a module is in, or the module itself."""
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_import_each_other_in_no_circle(package):
    try:
        tuple(TopologicalSorter(imported_modules(package)).static_order())
    except CycleError as error:
        pytest.fail(f"circle: {' → '.join(error.args[1])}")


@pytest.mark.parametrize("package", PACKAGES)
def test_subpackages_import_each_other_in_no_circle(package):
    """Also the folders of a package stand above what they use, each as a whole."""
    graph = {}
    for module, imports in imported_modules(package).items():
        graph.setdefault(folder_of(module), set()).update(map(folder_of, imports))
    for folder, below in graph.items():
        below.discard(folder)
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"circle: {' → '.join(error.args[1])}")
