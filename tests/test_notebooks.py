"""The notebooks run from top to bottom and show what their cells end with; they hold no outputs."""

from __future__ import annotations

import ast
import json
import re
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
IN_A_KERNEL = "double_pendulum"  # with sliders
WIDGET = "application/vnd.jupyter.widget-view+json"


def cells(path, kind="code"):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def shown(source, name, names):
    """What a notebook shows below a cell: the value of its last expression, without semicolon."""
    tree = ast.parse(source)
    quiet = source.rstrip().endswith(";") or not isinstance(tree.body[-1], ast.Expr)
    last = None if quiet else ast.Expression(tree.body.pop().value)
    exec(compile(tree, name, "exec"), names)
    value = None if last is None else eval(compile(last, name, "eval"), names)
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, tmp_path, monkeypatch, capsys):
    """Without the extra `notebook`: no sliders, a word of what has them, and nothing missing."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    names: dict[str, object] = {}
    seen = []
    for cell in cells(path):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            seen.append(shown("".join(cell["source"]), path.name, names))
    matplotlib.pyplot.close("all")
    assert any(html.startswith("<div") for html in seen)  # a display of ours
    assert sum(map(len, seen)) < 8_000_000
    said = capsys.readouterr().out
    assert ("footwork[notebook]" in said) == ("ipywidgets" in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_short_and_hold_no_outputs(path):
    """Outputs would be megabytes of scenes."""
    code = cells(path)
    assert 3 <= len(code) <= 12
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    texts = cells(path, "markdown")
    assert "".join(texts[0]["source"]).startswith("# ")
    assert any("$" in "".join(cell["source"]) for cell in texts)  # the equation


@pytest.mark.slow
def test_a_kernel_shows_displays_scenes_and_sliders(tmp_path, monkeypatch):
    """As a user runs it, and nothing of the kernel is left afterwards."""
    monkeypatch.setenv("FOOTWORK_COMPILE", "never")  # as long as nothing is compiled yet
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for needed in ("ipykernel", "ipywidgets"):
        pytest.importorskip(needed)
    notebook = nbformat.read(FOLDER / f"{IN_A_KERNEL}.ipynb", as_version=4)
    # what `test_notebook` runs all the same, and at its length
    other = "explicit_euler", '"duration": 8', "assert", "plot_stick_figures("
    notebook.cells = [c for c in notebook.cells if not any(word in c.source for word in other)]
    for cell in notebook.cells:
        cell.source = cell.source.replace("duration=4", "duration=1")
    resources = {"metadata": {"path": str(tmp_path)}}
    client = nbclient.NotebookClient(notebook, timeout=90, resources=resources)
    client.execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    pages = ["".join(out.get("data", {}).get("text/html", "")) for out in outputs]
    assert any("nq = 2, nv = 2, na = 2" in page for page in pages)
    assert any("51 samples" in page for page in pages)
    assert any(page.startswith("<iframe") for page in pages)
    sliders = [out for out in outputs if WIDGET in out.get("data", {})]
    assert len(sliders) == 2
    assert client.km is None


def test_the_page_lists_them_all():
    page = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(\w+)\.ipynb`", page)) == {path.stem for path in NOTEBOOKS}
