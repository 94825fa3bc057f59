"""Folders of installed data packages, found through their metadata without importing them."""

from __future__ import annotations

import importlib.metadata
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=16)
def package_folder(distribution: str, marker: str = "package.xml") -> Path | None:
    """Return the folder that holds the first file called `marker` of an installed distribution."""
    try:
        files = importlib.metadata.distribution(distribution).files or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = next((f for f in files if f.name == marker), None)
    if found is None:
        return None
    folder = Path(str(found.locate())).resolve().parent
    return folder if folder.is_dir() else None


# distributions with robots, and a file that marks the folder of their descriptions
DATA = {
    "example-robot-data": "package.xml",
    "jvrc-description": "jvrc1.urdf",
    "upkie-description": "upkie.urdf",
}


def share_folders() -> list[Path]:
    """Return the folders that hold the installed data packages, as `package://` understands it."""
    found = []
    for distribution, marker in DATA.items():
        folder = package_folder(distribution, marker)
        if folder is not None:
            found.append(folder.parent if marker == "package.xml" else folder.parent.parent)
    return found
