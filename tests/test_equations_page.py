"""The page on the equations of motion builds, its methods agree, and the page kept is that page."""

from __future__ import annotations

import re
from pathlib import Path

from programs import module_of

DOCS = Path(__file__).parent.parent / "docs"


def without_numbers(text):
    return re.sub(r"\d+(\.\d+)?e[-+]\d+", "#", text)


def test_page(tmp_path):
    page = module_of(DOCS / "equations_of_motion.py")
    built = page.page(tmp_path)  # raises if two methods differ
    kept = (DOCS / "equations-of-motion.md").read_text()
    assert without_numbers(kept) == without_numbers(built), "run python docs/equations_of_motion.py"
    assert "<svg" in (tmp_path / "double-pendulum-chaos.svg").read_text()
    assert (DOCS / "pictures" / "double-pendulum-chaos.svg").exists()
    ours, theirs = re.search(r"biped, floating base \| (\S+) \| (\S+) \|", kept).groups()
    assert float(ours) < 1e-7 < 1e-3 < float(theirs)
