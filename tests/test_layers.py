"""The house: imports point one way, links resolve, names exist, nothing heavy wakes up early."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import footwork

ROOT = Path(__file__).parent.parent
ROOMS = ["robots", "dynamics", "contacts", "control"]
COMMON = {"errors"}


def imported_rooms(path: Path, room: str) -> set[str]:
    """Rooms (or modules beside them) that a file imports; relative imports only, else it raises."""
    depth = len(path.relative_to(ROOT / room).parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            assert not any(n.split(".")[0] in ("footwork", *ROOMS) for n in names), path
        if isinstance(node, ast.ImportFrom):
            if node.level == 0:
                assert node.module.split(".")[0] not in ("footwork", *ROOMS), path
            elif node.level == depth + 1:  # leaves the room
                parts = [node.module.split(".")[0]] if node.module else [a.name for a in node.names]
                found |= set(parts)
            else:
                assert node.level <= depth, path
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_to_the_left(room):
    allowed = COMMON | set(ROOMS[: ROOMS.index(room)])
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    for path in files:
        assert imported_rooms(path, room) <= allowed, path


@pytest.mark.parametrize("room", ROOMS)
def test_links_lead_to_the_rooms(room):
    link = ROOT / "src" / "footwork" / room
    assert link.is_symlink()
    assert not Path(link.readlink()).is_absolute()
    assert link.resolve() == ROOT / room


def test_a_checkout_without_links_says_so(tmp_path):
    (tmp_path / "robots").write_text("../../robots")
    with pytest.raises(ImportError, match=r"core\.symlinks"):
        footwork._check_links(tmp_path)


@pytest.mark.parametrize("module", ["footwork", *[f"footwork.{room}" for room in ROOMS]])
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
    """`import footwork` and `--help` are instant; the rooms wake no extra, cvxpy or meshcat."""
    code = (
        "import sys, footwork; heavy = {'numpy', 'pinocchio', 'cvxpy', 'meshcat', 'numba'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
        "from footwork import contacts, control, dynamics, robots;"
        "late = {'cvxpy', 'meshcat', 'numba', 'matplotlib', 'sympy', 'xarray', 'dask', 'pandas',"
        "'distributed', 'daqp', 'ezc3d', 'xacrodoc', 'xacro', 'mujoco', 'example_robot_data'};"
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
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                assert not isinstance(node, ast.Assert), path
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    talks = path.name == "serve.py"  # to its parent, through a pipe
                    assert talks or node.func.id != "print", path
