"""Pages of the documentation show what their code prints, and their links lead somewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NUMBER = re.compile(r"[-−+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")

spec = importlib.util.spec_from_file_location("code_blocks", DOCS / "code_blocks.py")
code_blocks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(code_blocks)


def same(shown: str, printed: str) -> bool:
    """Equal words, and numbers equal to the digits that a page shows (rounding noise is noise)."""
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", printed).split():
        return False
    ours, theirs = (
        np.array([float(n.replace("−", "-")) for n in NUMBER.findall(text)])
        for text in (shown, printed)
    )
    return bool(np.all(np.abs(ours - theirs) <= 1e-9 + 0.02 * np.abs(theirs)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_prints_what_the_page_shows(page):
    for block, printed in code_blocks.outputs(page.read_text(encoding="utf-8")):
        if block["text"] is not None:
            assert same(block["text"], printed), f"run python docs/code_blocks.py {page.name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_outputs_are_compared():
    page = "```python\nprint('margin', 1.25)\n```\n\n```text\nmargin 3\n```\n"
    ((block, printed),) = code_blocks.outputs(page)
    assert printed == "margin 1.25\n"
    assert not same(block["text"], printed)
    assert not same("gap 1.25", printed)
    assert same("margin 1.26", printed)
    assert "margin 1.25" in code_blocks.filled(page)


def test_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(tmp_path)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=DOCS.parent, env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "static_hold" in (tmp_path / "api" / "contacts.html").read_text()
    assert not re.search(
        r'(src|href)="https?://[^"]*\.(js|css|woff2?)"', (tmp_path / "index.html").read_text()
    )
