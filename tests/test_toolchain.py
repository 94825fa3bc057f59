"""The kernel toolchain: code on disk that is never stale or damaged, and the uncompiled way."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import footwork as fw
from footwork.dynamics.kernels import code_on_disk, rnea, spatial, toolchain

numba = pytest.importorskip("numba")
kernel_process = Path(__file__).with_name("kernel_process.py")
SOURCES = Path(fw.__file__).parents[1]

SCRIPT = """
import logging, sys, time
logging.basicConfig(level=logging.INFO, format="%(message)s")
import numpy as np
from footwork.dynamics.kernels.toolchain import Kernel
from footwork_extra.outer import kernel
KERNEL = Kernel(kernel, 1, arrays=True, example=lambda: (np.empty(0),), each=1e-4)
"""


@pytest.fixture
def extra(tmp_path, in_a_fork):
    """A package with a kernel in two files, and how to ask for it in a process of its own."""
    package = tmp_path / "footwork_extra"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "helper.py").write_text("FACTOR = 2.0\n\ndef scaled(x):\n    return FACTOR * x\n")
    (package / "outer.py").write_text(
        "from .helper import scaled\n\ndef kernel(x):\n    return scaled(x[0]) + 1.0\n"
    )

    def call(code="print(KERNEL.compiled()(np.array([3.0])))", fresh=False, **environment):
        code = SCRIPT + textwrap.dedent(code)
        outside = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
        path = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{SOURCES}", "FOOTWORK_COMPILE": ""}
        run = in_a_process if fresh else in_a_fork
        status, out, said = run(code, tmp_path, {**outside, **path, **environment})
        assert status == 0, said
        return out.strip(), said

    return package, call


def in_a_process(code, folder, environment):
    """In a Python of its own, in which nothing is imported yet."""
    # -B: Python's own .pyc takes a source of the same size and time for the same source
    command, how = [sys.executable, "-B", "-c", code], {"capture_output": True, "text": True}
    done = subprocess.run(command, timeout=100, cwd=folder, env=environment, **how)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def in_a_fork():
    """In a fork of a process that has imported Numba, and no kernel: seconds sooner."""
    path = os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = {**os.environ, "PYTHONPATH": path}
    server = subprocess.Popen([sys.executable, kernel_process], env=environment, **pipes)

    def run(code, folder, environment):
        with tempfile.TemporaryDirectory() as said:
            task = {"code": code, "folder": str(folder), "environment": environment, "said": said}
            server.stdin.write(f"{json.dumps(task)}\n")
            server.stdin.flush()
            status = int(server.stdout.readline())
            return status, *(Path(said, name).read_text() for name in ("out", "err"))

    yield run
    server.communicate(timeout=20)


def files(package):
    return list((package / "__pycache__").glob("*.kernel"))


COMPILING = "footwork: compiling kernel (some seconds, once)"


@pytest.mark.slow
def test_code_is_kept_and_never_stale(extra):
    package, call = extra
    value, said = call(fresh=True)
    assert value == "7.0"
    assert said.count(COMPILING) == 1  # here in the log
    assert call() == ("7.0", "")
    helper = package / "helper.py"  # Numba's own cache looks at outer.py alone
    before = helper.stat()
    (package / "beside.py").write_text("A file that no kernel reaches")
    helper.write_text(f"# a comment\n{helper.read_text()}\ndef unused():\n    return 3.0\n")
    assert call() == ("7.0", "")  # what the kernel does not reach does not count
    helper.write_text(helper.read_text().replace("2.0", "5.0"))
    os.utime(helper, ns=(before.st_atime_ns, before.st_mtime_ns))
    value, said = call()
    assert value == "16.0"
    assert COMPILING in said


@pytest.mark.slow
def test_without_a_log_it_is_said_on_stderr(extra):
    """Which is no terminal here."""
    _, call = extra
    assert call("logging.disable()\nKERNEL.compiled()")[1] == f"{COMPILING}\n"


@pytest.mark.slow
def test_damaged_code_is_made_anew(extra):
    package, call = extra
    call()
    (path,) = files(package)
    whole = path.read_bytes()
    middle = len(whole) // 2
    for data in (b"", whole[:middle], whole[: middle - 1] + b"?" + whole[middle:]):
        path.write_bytes(data)
        value, said = call()
        assert value == "7.0"
        assert f"{path} is damaged" in said
        assert COMPILING in said
        assert path.read_bytes()[:16] == whole[:16]
    assert call() == ("7.0", "")


@pytest.mark.slow
def test_code_for_others_is_not_used(extra):
    package, call = extra
    call()
    (path,) = files(package)
    data = code_on_disk._checked(path.read_bytes())
    key, _, rest = data.partition(b"\0")
    assert numba.__version__.encode() in key
    other = key.replace(numba.__version__.encode(), b"0.1") + b"\0" + rest
    path.write_bytes(code_on_disk.with_checksum(other))
    value, said = call()
    assert value == "7.0"
    assert COMPILING in said
    assert call(fresh=True, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")[0] == "7.0"
    assert len(files(package)) == 2  # of two processors


@pytest.mark.slow
def test_folders_that_cannot_be_written(extra, tmp_path):
    package, call = extra
    elsewhere, blocked = tmp_path / "cache", tmp_path / "blocked"
    (package / "__pycache__").write_text("no folder")
    blocked.write_text("no folder")
    assert call(XDG_CACHE_HOME=str(elsewhere))[0] == "7.0"
    (kept,) = elsewhere.rglob("*.kernel")
    kept.parent.chmod(0o555)
    assert call(XDG_CACHE_HOME=str(elsewhere)) == ("7.0", "")  # read-only is good enough
    value, said = call(XDG_CACHE_HOME=str(blocked))
    assert value == "7.0"
    assert "is not kept" in said


@pytest.mark.slow
def test_nobody_waits_for_small_work(extra):
    """Sooner uncompiled: no compiling; what adds up is compiled by another process meanwhile."""
    code = """
        assert KERNEL.select(10) is None
        assert "numba" not in sys.modules
        KERNEL.overload().record(10, 0.01)                  # no sleep: it may last
        assert KERNEL.select(1000) is None                  # a second, by that
        assert KERNEL.overload()._requested is False
        with KERNEL.uncompiled(10):
            time.sleep(1.0)
        began, fast = time.monotonic(), None
        while fast is None and time.monotonic() - began < 80:
            time.sleep(0.05)
            fast = KERNEL.select(10)
        print(fast(np.array([3.0])))
    """
    package, call = extra
    value, said = call(code, fresh=True)
    assert value == "7.0"
    assert "compiling footwork_extra.outer.kernel in the background" in said
    assert COMPILING not in said
    assert len(files(package)) == 1


def test_small_work_of_the_command_does_without_numba(extra):
    _, call = extra
    call()  # now the code is on disk
    code = """
    def asked(count):
        return KERNEL.select(count) is not None, "numba" in sys.modules

    print(asked(100))
    KERNEL.overload().record(10, 0.5)
    print(asked(1))
    print(asked(20))
    print(asked(1))
    """
    out = call(code, fresh=True, FOOTWORK_COMPILE="later")[0].splitlines()
    # 0.01 s; then 0.5 s spent and 0.05 s to come; then 1 s to come; from there on it is imported
    assert out == ["(False, False)", "(False, False)", "(True, True)", "(True, True)"]


@pytest.mark.slow
def test_large_work_is_compiled_at_once(extra):
    _, call = extra
    value, said = call("print(KERNEL.select(1_000_000)(np.array([3.0])))")
    assert value == "7.0"
    assert COMPILING in said
    assert call("print(KERNEL.select(1) is not None)", FOOTWORK_COMPILE="never")[0] == "True"


@pytest.mark.slow
def test_whatever_is_asked_for_is_compiled_at_once_when_told_so(extra):
    _, call = extra
    code = "print(KERNEL.overload(np.array([3.0])).run(np.array([3.0])))"
    value, said = call(code, FOOTWORK_COMPILE="now")
    assert value == "7.0"
    assert COMPILING in said


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_the_background_process_ends_with_this_one(extra):
    code = """
        import os
        with KERNEL.uncompiled(10):
            time.sleep(1.0)
        from footwork.dynamics.kernels import toolchain
        print(toolchain._background._process.pid, flush=True)
        {}
    """
    for end in ("pass", "os._exit(0)", "sys.exit()"):
        _, call = extra
        pid, said = call(code.format(end), fresh=end != "os._exit(0)")
        began = time.monotonic()
        while Path(f"/proc/{pid}").exists() and time.monotonic() - began < 60:
            time.sleep(0.05)
        assert not Path(f"/proc/{pid}").exists()
        assert "Warning" not in said


def test_damaged_files_are_found(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "footwork"
    folder.mkdir()
    (folder / "good.kernel").write_bytes(code_on_disk.with_checksum(b"key\0code"))
    (folder / "bad.kernel").write_bytes(code_on_disk.with_checksum(b"key\0code")[:-1])
    assert [path.name for path in code_on_disk.damaged()] == ["bad.kernel"]


def test_what_a_kernel_depends_on():
    lines = toolchain.Kernel(rnea.inverse_dynamics_rows).reached
    assert {rnea.rnea, spatial.cross, rnea.inward} <= lines
    assert all(function.__module__.startswith("footwork") for function in lines)


def test_two_files_lean_on_numba():
    """And they are imported when the first kernel is wanted."""
    package = Path(fw.__file__).parent
    importing = {
        path.name
        for folder in package.iterdir()
        if folder.is_dir()
        for path in folder.rglob("*.py")
        if re.search(r"^\s*(from|import) (numba|llvmlite)\b", path.read_text(), re.MULTILINE)
    }
    assert importing == {"numba_core.py", "numba_lanes.py"}


def test_arguments_that_are_none():
    with pytest.raises(TypeError, match="dict is no argument of kernels"):
        toolchain.description({})
    assert toolchain.description(np.zeros(3)) != toolchain.description(np.zeros(3, int))
