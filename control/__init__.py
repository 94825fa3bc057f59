"""What to do about it: torques from states. This room is being furnished."""

from __future__ import annotations

__all__: list[str] = []
