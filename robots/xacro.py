"""Expansion of xacro files by the optional package `xacrodoc`, in a separate process.

Xacro evaluates expressions and includes files: it is a program, which may not terminate. It runs in
a process with limits on time and memory, and its output is checked like any URDF.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from ..errors import ModelError
from .hardened_xml import MAX_BYTES, Node, parse

TIME_LIMIT = 30.0  # s
MEMORY_LIMIT = 4 * 2**30  # bytes

_PROGRAM = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
except (ImportError, ValueError, OSError):
    pass
from xacrodoc import XacroDoc
document = XacroDoc.from_file(sys.argv[1])
sys.stdout.buffer.write(document.to_urdf_string(use_protocols=False).encode())
"""


def needs_expansion(tree: Node, path: Path) -> bool:
    """Whether a description is xacro, by its suffix or its elements."""
    if path.suffix.lower() == ".xacro":
        return True
    return any(node.tag.startswith("xacro:") for node in tree.walk())


def expand(path: Path, origin: str) -> Node:
    """Return the expansion of a xacro file as a URDF.

    Raises:
        ModelError: xacrodoc is not installed, or the expansion failed.
    """
    if importlib.util.find_spec("xacrodoc") is None:
        raise ModelError(
            f"{origin}: a xacro file; its expansion needs xacrodoc: pip install footwork[xacro]"
        )
    program = _PROGRAM.format(memory=MEMORY_LIMIT)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", program, str(path.absolute())],
            capture_output=True,
            timeout=TIME_LIMIT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ModelError(f"{origin}: xacro did not finish within {TIME_LIMIT:g} s") from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise ModelError(f"{origin}: xacro failed: {lines[-1][:500]}")
    if len(done.stdout) > MAX_BYTES:
        raise ModelError(f"{origin}: xacro made {len(done.stdout)} bytes; at most {MAX_BYTES}")
    return parse(done.stdout, f"{origin} (expanded)")
