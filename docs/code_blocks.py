"""Runner of the Python blocks of the pages, which writes their output below them.

python docs/code_blocks.py [PAGE …]

The blocks of a page share one namespace, from top to bottom. A ```text block directly below a block
is its output.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
BLOCK = re.compile(
    r"```python\n(?P<code>.*?)```(?P<shown>\n+```text\n(?P<text>.*?)```)?", re.DOTALL
)


def outputs(page: str) -> Iterator[tuple[re.Match[str], str]]:
    """Run a page's blocks in a temporary folder; yield each with its output."""
    names: dict[str, object] = {"__name__": "page"}
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            for block in BLOCK.finditer(page):
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(block["code"], "page", "exec", dont_inherit=True), names)
                yield block, printed.getvalue()
        finally:
            os.chdir(here)


def filled(page: str) -> str:
    """Return the page with every output updated."""
    parts, end = [], 0
    for block, printed in outputs(page):
        parts += [page[end : block.start()], "```python\n", block["code"], "```"]
        if printed:
            parts.append(f"\n\n```text\n{printed}```")
        end = block.end()
    return "".join([*parts, page[end:]])


def main(pages: list[str]) -> None:
    """Fill the pages named, or all."""
    for path in [Path(page) for page in pages] or sorted(FOLDER.glob("*.md")):
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
