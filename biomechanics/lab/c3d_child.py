"""Reader of a C3D file in a separate process, because damaged files can crash ezc3d.

python c3d_child.py FILE > arrays.npz. It imports nothing of the package.
"""

from __future__ import annotations

import io
import json
import signal
import sys
from typing import Any

PATIENCE = 120  # time after which reading is given up [s]


def content(path: str) -> dict[str, Any]:
    """Return the arrays of a C3D file, as they are, and one of facts, as JSON."""
    import ezc3d
    import numpy as np

    file = ezc3d.c3d(path, extract_forceplat_data=True)
    point = file["parameters"]["POINT"]
    platforms = file["data"]["platform"]
    facts = {
        "names": [  # a parameter holds 255 of them
            str(name)
            for key in ("LABELS", "LABELS2", "LABELS3", "LABELS4")
            if key in point
            for name in point[key]["value"]
        ],
        "unit": str((point["UNITS"]["value"] or ["mm"])[0]),
        "rate": float(file["header"]["points"]["frame_rate"]),
        "plate rate": float(file["header"]["analogs"]["frame_rate"]),
        "plates": [[str(p["unit_position"]), str(p["unit_moment"])] for p in platforms],
    }
    arrays = {"facts": np.array(json.dumps(facts)), "points": np.asarray(file["data"]["points"])}
    for i, platform in enumerate(platforms):
        for key in ("force", "moment", "corners"):
            arrays[f"{key} {i}"] = np.asarray(platform[key], dtype=float)
    return arrays


def main(path: str) -> None:
    """Write the arrays to standard output, or a one-line error."""
    import numpy as np

    if hasattr(signal, "alarm"):
        signal.alarm(PATIENCE)  # also where the process that waits was killed

    try:
        packed = io.BytesIO()
        np.savez(packed, **content(path))
    except Exception as error:  # any error of the C++ library
        sys.exit(" ".join(str(error).split()) or type(error).__name__)
    sys.stdout.buffer.write(packed.getvalue())


if __name__ == "__main__":
    main(sys.argv[1])
