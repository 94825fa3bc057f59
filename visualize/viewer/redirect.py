"""Redirect: a private file that leads a browser to a secret address.

A browser is started with what it opens among its arguments, and these can be read by all users of a
machine. So it is given a file that only its owner can read.
"""

from __future__ import annotations

import html
import os
import tempfile
from pathlib import Path

_NAME = "open.html"
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>footwork</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}"></head>
<body><p>The page is <a href="{url}">here</a>.</p></body></html>
"""


def private_folder() -> Path:
    """Make a folder that only this user can look into.

    Browsers that are snaps see neither the temporary folder nor hidden ones: where there are snaps
    it lies in the home folder.
    """
    place = Path.home() if Path("/snap").is_dir() else None
    return Path(tempfile.mkdtemp(prefix="footwork-", dir=place))


def write_redirect(folder: Path, url: str) -> None:
    """Write a page that leads to `url` into a folder."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(folder / _NAME, flags, 0o600), "w") as file:
        file.write(_PAGE.format(url=html.escape(url)))


def redirect_address(folder: Path) -> str:
    """Return the address of the page that `write_redirect` writes."""
    return (folder / _NAME).as_uri()
