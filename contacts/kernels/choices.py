"""Selections between numbers that are SIMD lanes, by the names that kernels of contacts use."""

from __future__ import annotations

from ...dynamics.kernels.scalars import choose, larger, root, size, smaller

__all__ = ["choose", "larger", "root", "size", "smaller"]
