"""Panel of a live scene: verdict, margins, torques, handles and sliders, as the page shows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...contacts.hold import Hold
from ..colors import VERDICTS, contact_colors, hex_of
from .history import History
from .state import LiveState

_COLORS = {"com": "com", "push": "load", "payload": "payload", "lifted": "target"}  # of handles


def panel_of(history: History) -> dict[str, Any]:
    """Return what the page shows beside the picture, but title and history of margins."""
    state = history.state
    push = state.stance.least_push
    return {
        **verdict_of(state),
        "weight": state.stance.weight,
        "notice": state.notice,
        "push": push and {"least": float(push[0]), "direction": push[1].tolist()},
        "handles": handles_of(state),
        "sliders": [vars(slider) for slider in state.sliders()],
        "can_undo": bool(history.past),
        "can_redo": bool(history.future),
    }


def handles_of(state: LiveState) -> list[dict[str, Any]]:
    """Return what can be taken hold of, contacts in the colour of what each alone could lose."""
    hold = state.hold
    margins = {} if hold is None else hold.contact_margins
    colors = {} if hold is None else contact_colors(hold)
    return [
        {
            "id": handle.id,
            "kind": handle.kind,
            "label": handle.label,
            "position": handle.position.tolist(),
            "normal": handle.normal.tolist(),
            "color": colors.get(handle.label) or hex_of(_COLORS.get(handle.kind, "patch")),
            "modes": list(handle.modes),
            "margin": margins.get(handle.label, np.nan),
        }
        for handle in state.handles()
    ]


def verdict_of(state: LiveState) -> dict[str, Any]:
    """Return verdict, colour, margins and reason, also where no posture or nothing touches."""
    hold = state.hold
    if hold is None:
        reached = state.scenario.solved.converged
        return {
            "verdict": "does not hold" if reached else "no posture",
            "color": hex_of("does not hold"),
            "margin": -np.inf if reached else None,
            "reason": "nothing touches" if reached else state.scenario.solved.reason,
            "torque_margin": None,
            "torques": [],
        }
    verdict = VERDICTS[hold.feasible]
    return {
        "verdict": verdict,
        "color": hex_of(verdict),
        "margin": hold.margin,
        "reason": hold.reason.split(";")[0],
        "torque_margin": hold.torque_margin,
        "torques": torques_of(hold),
    }


def torques_of(hold: Hold) -> list[dict[str, Any]]:
    """Return joint, torque and its limits [N·m or N] of every motor; nothing without forces."""
    if hold.torques is None:
        return []
    robot, bounds = hold.contacts.robot, hold.balance.bounds
    rows = zip(robot.actuated_rows, hold.torques, bounds.lower, bounds.upper, strict=True)
    return [
        {"joint": robot.joint_of_row[row], "value": value, "lower": lower, "upper": upper}
        for row, value, lower, upper in rows
    ]
