"""Reports of a gait analysis: peaks and time series for JSON and CSV."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from .. import files
from ..arrays import Array
from .chains.joint_coordinates import ANGLES
from .gait import Gait
from .robot_gait import RobotGait
from .series.vectors import rms


def facts(gait: Gait, robot: RobotGait | None = None) -> dict[str, Any]:
    """Return peaks of the stance, footfalls, notes and the residual, as plain numbers for JSON.

    With the same walk by a robot, their differences as well.
    """
    found: dict[str, Any] = {
        "source": gait.trial.source,
        "frames": len(gait.t),
        "rate [Hz]": gait.trial.markers.rate,
        "mass [kg]": gait.mass,
        "marker set": gait.names.name,
        "notes": list(gait.notes),
        "footfalls": [step._asdict() for step in gait.footfalls],
        "stance peaks": _peaks(gait),
    }
    if gait.names.pelvis:
        ok, residual = gait.explained, gait.forces.residual
        found["mass that the plates carry over a stride [kg]"] = gait.weighed()
        found["frames that the plates explain"] = int(ok.sum())
        if ok.any():
            found["residual at the pelvis, rms"] = {
                "force [N]": rms(residual.force[ok]),
                "moment [N·m]": rms(residual.moment[ok]),
            }
    if robot is not None:
        found["robot"] = {
            "name": robot.subject.robot.name,
            "scaled by": dict(robot.subject.factors),
            "markers, rms [mm]": 1e3 * robot.fit.rms,
            "residual at the base, rms [N, N·m]": robot.residual(),
            "moments apart, rms [N·m]": robot.apart(),
        }
    return found


def _peaks(gait: Gait) -> dict[str, Any]:
    """Return the peaks of every joint during stance, where the plates explain the motion."""
    peaks = {}
    for joint in gait.joints:
        stance = gait.stance(joint.partition(" ")[0])
        on = stance & gait.explained
        if on.any():
            flexion = gait.moment(joint)[on, 0]
            power = gait.power(joint)[on]
            peaks[joint] = {
                "largest flexion moment [N·m]": float(flexion[np.abs(flexion).argmax()]),
                "largest moment [N·m]": _largest(gait.moment(joint, "world")[on]),
                "largest force [N]": _largest(gait.force(joint, "world")[on]),
                "power [W]": [float(power.min()), float(power.max())],
                "frames, of the stance": [int(on.sum()), int(stance.sum())],
            }
    return peaks


def columns(gait: Gait) -> tuple[list[str], Array]:
    """Return (names, values (n, c)) of all time series."""
    names, values = ["time [s]"], [gait.t[:, None]]
    for joint in gait.joints:
        names += [f"{joint} force {axis} [N]" for axis in "xyz"]
        names += [f"{joint} moment {axis} [N·m]" for axis in "xyz"]
        names += [f"{joint} {turn} moment [N·m]" for turn in ANGLES]
        names += [f"{joint} {turn} [rad]" for turn in ANGLES]
        names += [f"{joint} power [W]"]
        values += [gait.force(joint), gait.moment(joint, "segment")]
        values += [gait.moment(joint), gait.angles(joint), gait.power(joint)[:, None]]
    names.append("explained by plates")
    values.append(gait.explained[:, None].astype(float))
    return names, np.concatenate(values, axis=1)


def write_csv(gait: Gait, path: str | Path) -> Path:
    """Write `columns` as comma-separated values; return the path."""
    names, values = columns(gait)
    rows = [",".join(f"{x:.9g}" for x in row) for row in values]
    return files.write(path, "\n".join([",".join(names), *rows]) + "\n")


def write_json(gait: Gait, path: str | Path, robot: RobotGait | None = None) -> Path:
    """Write `facts` as JSON; return the path."""
    return files.write(path, json.dumps(facts(gait, robot), indent=2, ensure_ascii=False) + "\n")


def _largest(vectors: Array) -> float:
    return float(np.linalg.norm(vectors, axis=1).max())
