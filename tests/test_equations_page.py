"""The page on the equations of motion builds, its methods agree, and the page kept is that page."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def without_numbers(text):
    return re.sub(r"\d+(\.\d+)?e[-+]\d+", "#", text)


def test_page(tmp_path):
    spec = importlib.util.spec_from_file_location("page", DOCS / "equations_of_motion.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    built = module.page(tmp_path)  # raises if two methods differ
    kept = (DOCS / "equations-of-motion.md").read_text()
    assert without_numbers(kept) == without_numbers(built), "run python docs/equations_of_motion.py"
    assert "<svg" in (tmp_path / "double-pendulum-chaos.svg").read_text()
    assert (DOCS / "pictures" / "double-pendulum-chaos.svg").exists()
    ours, theirs = re.search(r"biped, floating base \| (\S+) \| (\S+) \|", kept).groups()
    assert float(ours) < 1e-7 < 1e-3 < float(theirs)
