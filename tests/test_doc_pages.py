"""Pages of the documentation show what their code prints, and their links lead somewhere."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import subprocess
import sys
import types
import zlib
from pathlib import Path

import numpy as np
import pytest
from programs import module_of

from footwork import contacts

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PACKAGES = (
    "footwork.robots",
    "footwork.dynamics",
    "footwork.dynamics.batch",
    "footwork.biomechanics",
    "footwork.biomechanics.symbolic",
    "footwork.contacts",
    "footwork.contacts.batch",
    "footwork.control",
    "footwork.control.judging",
    "footwork.visualize",
)
NUMBER = re.compile(r"[-−+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


PICTURES = re.compile(r"!\[(.*?)\]\(([^)\s]+)[^)]*\)|<img[^>]*src=\"([^\"]+)\"[^>]*>")


def script(name: str) -> types.ModuleType:
    """A script of the documentation as a module."""
    return module_of(DOCS / f"{name}.py")


code_blocks = script("code_blocks")


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
            told = f"run python docs/code_blocks.py {page.relative_to(DOCS.parent)}"
            assert same(block["text"], printed), told


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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built; a warning fails.

    Without a program that breaks the lines of signatures, which would be started hundreds of times.
    """
    folder = tmp_path_factory.mktemp("site")
    build = "import sys; sys.modules |= {'black': None, 'ruff': None}; import mkdocs.__main__ as it"
    given = ["build", "--quiet", "--strict", "-d", str(folder)]
    command = [sys.executable, "-c", f"{build}; it.cli({given})"]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=DOCS.parent, env=environment, capture_output=True, text=True, timeout=290
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_site_builds_without_a_warning_and_asks_nobody_for_anything(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r'<(script|img|iframe)[^>]* src="https?:', text), page.name
        assert not re.search(r'<link[^>]* rel="stylesheet"[^>]* href="https?:', text), page.name


@pytest.mark.timeout(300)
def test_code_in_tables_has_its_bars_without_a_backslash(site):
    """Where a cell ends, Python-Markdown looks at code, and GitHub at bars: it has to be &#124;."""
    for page in site.glob("*.html"):
        cells = re.findall(r"<td.*?</td>", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        codes = [code for cell in cells for code in re.findall(r"<code>(.*?)</code>", cell)]
        assert not [code for code in codes if "\\|" in code], page.name


@pytest.mark.timeout(300)
def test_every_public_name_is_in_the_reference(site):
    """Each name in an `__all__`, where it is imported from or where it is defined."""
    listed = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    entries = {line.split()[0] for line in listed.splitlines()}
    missing = []
    for name in PACKAGES:
        module = importlib.import_module(name)
        for public in module.__all__:
            value = getattr(module, public)
            if isinstance(value, types.ModuleType):
                found = any(entry.startswith(f"{value.__name__}.") for entry in entries)
            else:
                home = getattr(value, "__module__", None) or name
                found = {f"{name}.{public}", f"{home}.{public}"} & entries or any(
                    entry.startswith("footwork.") and entry.endswith(f".{public}")
                    for entry in entries
                    if not callable(value)  # a constant does not know where it lives
                )
            if not found:
                missing.append(f"{name}.{public}")
    assert not missing


# What a page shows: its equations, and what lies to the right of the page and of every box that
# scrolls, or is cut by its own box.
SEEN = """(() => {
  const count = what => document.querySelectorAll(what).length;
  const scrolls = box => ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
  const within = box => box !== document.body && (scrolls(box) || within(box.parentElement));
  const cut = box => box.scrollWidth > box.clientWidth + 1
    && ['hidden', 'clip'].includes(getComputedStyle(box).overflowX);
  const beyond = box => box.getBoundingClientRect().right > innerWidth + 1 && !within(box);
  const lost = [...document.querySelectorAll('.md-content *')].filter(
    box => (beyond(box) || cut(box)) && !box.closest('.katex-mathml, svg'));
  return {
    equations: count('.arithmatex'), drawn: count('.arithmatex .katex'),
    refused: count('.katex-error'), width: document.documentElement.scrollWidth,
    lost: lost.map(box => `${box.tagName} ${box.className}: ${box.textContent.slice(0, 40)}`),
  };
})()"""


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(300)
def test_pages_fit_wide_and_narrow_screens_and_show_their_equations(site, tab):
    """From files, without a network: no page scrolls sideways, nothing is cut, KaTeX has drawn.

    What the pages say is put into one, below each other: to load each takes a second. Windows are
    as low as can be: what is seen in them is painted, and nobody looks at it.
    """
    other = ("*/animations/*", "*/search/*", "*.png", "*.svg", "*.webp")  # tests of links see them
    tab.call("Network.setBlockedURLs", urls=list(other))
    pages = [*site.glob("*.html"), site / "api" / "footwork.html"]  # others have its template
    assert len(pages) > 20
    article = re.compile("<article.*</article>", re.DOTALL)
    texts = [page.read_text(encoding="utf-8") for page in pages]
    every = "".join(article.search(text)[0] for text in texts)
    page = site / "every-page.html"
    page.write_text(article.sub(lambda _: every, texts[0]), encoding="utf-8")
    size = {"height": 16, "deviceScaleFactor": 1, "mobile": False}
    tab.call("Emulation.setDeviceMetricsOverride", width=1280, **size)
    tab.call("Page.navigate", url=page.as_uri())
    tab.wait_for("document.readyState === 'complete'")
    for width in (1280, 390):
        tab.call("Emulation.setDeviceMetricsOverride", width=width, **size)
        seen = tab.evaluate(SEEN)
        assert seen["width"] <= width, seen
        assert seen["lost"] == [], seen
        assert (seen["drawn"], seen["refused"]) == (seen["equations"], 0), seen
    assert seen["equations"] > 200
    page.unlink()
    assert {address.split(":")[0] for address in tab.requests} <= {"file", "data", "blob"}


@pytest.mark.browser
@pytest.mark.timeout(300)
def test_scenes_open_in_the_pages(site, tab):
    """The first page opens its scene by itself, others when their picture is clicked."""
    size = {"height": 16, "deviceScaleFactor": 1, "mobile": False}
    tab.call("Emulation.setDeviceMetricsOverride", width=1280, **size)
    tab.call("Network.setBlockedURLs", urls=["*/animations/*", "*.png", "*.svg", "*.webp"])
    sources = "[...document.querySelectorAll('iframe.player')].map(frame => frame.src)"
    for page, click in (("index", ""), ("gallery", "document.querySelector('.scene').click()")):
        tab.call("Page.navigate", url=(site / f"{page}.html").as_uri())
        tab.wait_for("document.readyState === 'complete'")
        if click:
            assert tab.evaluate(sources) == []
            tab.evaluate(click)
        (scene,) = tab.evaluate(sources)
        assert (site / "animations" / Path(scene).name).exists()
    tab.call("Network.setBlockedURLs", urls=[])
    tab.requests.clear()
    tab.errors.clear()
    tab.call("Emulation.setDeviceMetricsOverride", width=320, **size | {"height": 240})
    tab.call("Page.navigate", url=(site / "animations" / "scenario-tripod.html").as_uri())
    tab.settle()
    tab.check()
    assert {address.split(":")[0] for address in tab.requests} <= {"file", "data", "blob"}


def test_glossary_leads_to_functions(site):
    """Each entry has other words for it, and links to places that exist."""
    entries = (DOCS / "glossary.md").read_text(encoding="utf-8").split("\n### ")[1:]
    assert len(entries) > 35
    for entry in entries:
        name = entry.split("\n", 1)[0]
        assert "\nAlso: " in entry, name
        assert entry.count("](") >= 2 or "gait.md" in entry, name
        for page, anchor in re.findall(r"\]\(([^)#]+)\.md#?([^)]*)\)", entry):
            html = (site / f"{page}.html").read_text(encoding="utf-8")
            assert not anchor or f'id="{anchor}"' in html, f"{name}: {page}.md#{anchor}"
    words = (DOCS / "glossary.md").read_text(encoding="utf-8").lower()
    for word in (
        "support polygon", "contact wrench cone", "capture point", "ground reaction force",
        "loop closure", "mpc", "zmp", "farkas", "floating base", "null space", "retargeting",
    ):  # fmt: skip
        assert word in words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_its_picture(page):
    head = page.read_text(encoding="utf-8").split("\n## ")[0].split("\n::: ")[0]
    assert PICTURES.search(head), "no picture before the first section"


def test_equations_are_written_as_mathematics():
    """No page has its equations as code: what is indented or fenced is what one types or reads."""
    signs = re.compile(r"[ᵀᴿᵗΣ∂∫‖]|\b[a-z]_[a-z]\b.*[≤∈]")
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"```(?!math)\w*\n.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        assert not signs.search(text), f"{page.name}: {signs.search(text)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_are_described_and_have_a_script(page):
    """A picture's name is in the script that writes it; who cannot see it reads what is on it."""
    folders = (DOCS, DOCS.parent / "benchmarks")
    scripts = "\n".join(p.read_text(encoding="utf-8") for f in folders for p in f.glob("*.py"))
    for found in PICTURES.finditer(page.read_text(encoding="utf-8")):
        described, target = found[1], found[2] or found[3]
        if found[3]:
            described = (re.search(r'alt="([^"]*)"', found[0]) or ["", ""])[1]
        assert len(described) > 10, f"{target}: no words for who cannot see it"
        name = Path(target).stem
        for scenario in contacts.scenarios():
            name = name.replace(f"scenario-{scenario}", "scenario-{name}")
        assert name in scripts, f"no script writes {target}"


@pytest.mark.browser
def test_what_the_copy_button_copies_of_a_console_is_what_one_types(tab, tmp_path):
    """Material copies the text that is seen of the code while it has the attribute."""
    block = '<span class="gp">$ </span>footwork hold\n<span class="go">it holds</span>'
    css = (DOCS / "extra.css").read_text(encoding="utf-8")
    page = f'<style>{css}</style><div class="highlight"><pre><code>{block}</code></pre></div>'
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    tab.call("Page.navigate", url=(tmp_path / "page.html").as_uri())
    tab.wait_for("document.querySelector('code')")
    assert tab.evaluate("document.querySelector('code').innerText") == "$ footwork hold\nit holds"
    tab.evaluate("document.querySelector('code').setAttribute('data-md-copying', '')")
    copied = tab.evaluate("document.querySelector('code').innerText")
    assert copied.strip() == "footwork hold"


def test_the_sheets_of_robots_leave_out_what_is_not_installed(monkeypatch, capsys):
    sheets = script("robots")
    monkeypatch.setattr(sheets, "find_spec", lambda name: None)
    assert list(sheets.of_packages()) == []
    named = {source for source, *_ in sheets.of_the_catalogue()}
    assert {"biped", "quadruped"} <= named
    out = capsys.readouterr().out
    for package in ("gymnasium", "dm_control", "pybullet_data"):
        assert f"models of {package}, which is not installed" in out
    assert {p.name for p in (DOCS / "pictures").glob("robots-*")} == {
        "robots-catalogue.webp",
        "robots-packages.webp",
    }
    assert sum(p.stat().st_size for p in (DOCS / "pictures").glob("robots-*")) < 600_000
