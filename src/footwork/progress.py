"""Progress bars on standard error."""

from __future__ import annotations

from typing import Any


def progress_bar(
    progress: bool | None, iterable: Any = None, desc: str | None = None, **options: Any
) -> Any:
    """Return a bar of `tqdm` that vanishes at its end.

    Args:
        progress: whether it is drawn; None: if standard error is a terminal.
        iterable, desc, options: of `tqdm`.
    """
    from tqdm import tqdm

    hidden = None if progress is None else not progress
    return tqdm(iterable, desc, disable=hidden, leave=False, **options)
