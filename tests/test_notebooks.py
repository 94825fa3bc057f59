"""The notebooks run from top to bottom, and hold no outputs (they would be megabytes of scenes)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 3
    names: dict[str, object] = {}
    for cell in cells:
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile("".join(cell["source"]), path.name, "exec"), names)
    matplotlib.pyplot.close("all")


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 2
