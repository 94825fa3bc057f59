"""Kernels of contacts that are declared by their functions alone, and compiled where called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dynamics.kernels.toolchain import Kernel


def kept(function: Callable[..., Any]) -> Kernel:
    """Return the kernel, on floats."""
    return Kernel(function, 1, arrays=True)


def inlined(function: Any) -> Any:
    """Return the function: kernels inline what they call."""
    return function
