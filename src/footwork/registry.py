"""Names found when they are used: views, plots and live scenes by type, and names that moved.

Nothing is imported from here before it is used: a lower package names what a higher one does
("visualize.scenes.hold:view_hold") without importing it. This is the one place where that happens.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .errors import FootworkError

# former name or module -> where it is now; they work for two releases, with a warning
MOVED: Mapping[str, str] = {
    "robots.Viewer": "visualize:Viewer",
    "robots.viewer": "visualize.viewer",
    "dynamics.bodies": "biomechanics",
    "contacts.view": "visualize.scenes.hold:view_hold",
    "contacts.forward_dynamics": "contacts:constrained_forward_dynamics",
    "control.PushRecoveryController": "control:GaitController",
}

# type -> the function that shows it in a Viewer; the nearest class of the type counts. "[type]" is
# a sequence of such things, "{type}" a mapping to them
VIEWS: Mapping[str, str] = {
    "robots.robot:Robot": "visualize.scenes.robot:view_robot",
    "dynamics.state:State": "visualize.scenes.robot:view_state",
    "dynamics.motions.motion:Motion": "visualize.scenes.robot:view_motion",
    "dynamics.trajectory:Trajectory": "visualize.scenes.robot:view_trajectory",
    "contacts.postures.posture:Posture": "visualize.scenes.hold:view_posture",
    "contacts.contact_set:ContactSet": "visualize.scenes.hold:view_contacts",
    "contacts.hold:Hold": "visualize.scenes.hold:view_hold",
    "[contacts.hold:Hold]": "visualize.scenes.hold:view_holds",
    "contacts.regions.region:Region": "visualize.scenes.region:view_region",
    "contacts.regions.friction_map:FrictionMap": "visualize.scenes.region:view_friction_map",
    "contacts.wrench_cones.wrench_cone:WrenchCone": "visualize.scenes.cones:view_wrench_cone",
    "contacts.terrain.terrain:Terrain": "visualize.scenes.terrain:view_terrain",
    "contacts.audits.audit:Audit": "visualize.scenes.audits:view_audit",
    "control.repairs.report:Repair": "visualize.scenes.repairs:view_repair",
    "contacts.scenario.scenario:Scenario": "visualize.scenes.scenario:view_scenario",
    "control.simulation.closed_loop:ClosedLoop": "visualize.scenes.closed_loop:view_closed_loop",
    "control.estimation.wrenches:ContactWrenches": "visualize.scenes.wrenches:view_wrenches",
    "biomechanics.gait:Gait": "visualize.scenes.gait:view_gait",
    "biomechanics.robot_gait:RobotGait": "visualize.scenes.gait:view_robot_gait",
}

# type -> the function that draws it with Matplotlib, likewise
PLOTS: Mapping[str, str] = {
    "robots.robot:Robot": "visualize.plots.robot:plot_robot",
    "robots.motors:Motors": "visualize.plots.motors:plot_motors",
    "dynamics.state:State": "visualize.plots.robot:plot_state",
    "dynamics.motions.motion:Motion": "visualize.plots.dynamics:plot_motion",
    "dynamics.trajectory:Trajectory": "visualize.plots.dynamics:plot_trajectory",
    "contacts.contact_set:ContactSet": "visualize.plots.contacts:plot_contacts",
    "contacts.hold:Hold": "visualize.plots.contacts:plot_hold",
    "[contacts.hold:Hold]": "visualize.plots.contacts:plot_holds",
    "contacts.regions.region:Region": "visualize.plots.contacts:plot_regions",
    "{contacts.regions.region:Region}": "visualize.plots.contacts:plot_regions",
    "contacts.regions.friction_map:FrictionMap": "visualize.plots.contacts:plot_friction_map",
    "contacts.wrench_cones.wrench_cone:WrenchCone": "visualize.plots.contacts:plot_wrench_cone",
    "contacts.scenario.scenario:Scenario": "visualize.plots.contacts:plot_scenario",
    "contacts.sweeps.result:Sweep": "visualize.plots.sweep:plot_sweep",
    "contacts.audits.audit:Audit": "visualize.plots.audits:plot_audit",
    "control.repairs.report:Repair": "visualize.plots.repairs:plot_repair",
    "control.simulation.closed_loop:ClosedLoop": "visualize.plots.control:plot_closed_loop",
    "control.judging.judgement:Judgement": "visualize.plots.judging:plot_judgement",
    "control.speed.report:SpeedLimits": "visualize.plots.speed_limits:plot_speed_limits",
    "control.predictive.prediction:Prediction": "visualize.plots.predictive:plot_prediction",
    "control.predictive.predictions:Predictions": "visualize.plots.predictive:plot_predictions",
    "control.estimation.wrenches:ContactWrenches": "visualize.plots.wrenches:plot_wrenches",
    "biomechanics.gait:Gait": "visualize.plots.gait:plot_gait",
    "biomechanics.robot_gait:RobotGait": "visualize.plots.gait:plot_robot_gait",
}

# type -> the function that makes a live scene of it, likewise
LIVES: Mapping[str, str] = {
    "contacts.scenario.scenario:Scenario": "visualize.live.scene:LiveScene",
    "robots.robot:Robot": "visualize.live.begin:live_robot",
    "contacts.contact_set:ContactSet": "visualize.live.begin:live_contacts",
    "contacts.hold:Hold": "visualize.live.begin:live_hold",
    "builtins:str": "visualize.live.begin:live_name",
    "pathlib:PurePath": "visualize.live.begin:live_name",
}


def resolve(target: str) -> Any:
    """Return what "package.module:name" or "package.module" stands for, relative to footwork."""
    module, _, name = target.partition(":")
    found = importlib.import_module(f".{module}", __package__)
    return getattr(found, name) if name else found


def moved(package: str, lazy: Sequence[str] = ()) -> Callable[[str], Any]:
    """Return the module-level `__getattr__` (PEP 562) of a package some of whose names moved.

    It imports the submodules `lazy` when they are first used.
    """

    def __getattr__(name: str) -> Any:
        former = f"{package}.{name}"
        if name in lazy:
            return resolve(former)
        if former not in MOVED:
            raise AttributeError(f"module 'footwork.{package}' has no attribute {name!r}")
        _warn_moved(former, MOVED[former])
        return resolve(MOVED[former])

    return __getattr__


class MovedModules(MetaPathFinder, Loader):
    """Import of the modules of `MOVED` under their former names: the module that is there now.

    It comes first in `sys.meta_path`: the folder of a package that moved would otherwise be
    searched for its submodules, and each be loaded a second time under the former name.
    """

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> Any:
        """Return the spec of a former module, None for any other."""
        return ModuleSpec(fullname, self) if _module_now(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in the place of the former one."""
        former, now = module.__name__, _module_now(module.__name__)
        _warn_moved(former.partition(".")[2], now)
        sys.modules[former] = resolve(now)


def _module_now(fullname: str) -> str:
    """Return where "footwork.…" is now, relative to footwork; "" if it has not moved."""
    for former, now in MOVED.items():
        head = f"{__package__}.{former}"
        if ":" not in now and f"{fullname}.".startswith(f"{head}."):
            return now + fullname.removeprefix(head)
    return ""


def _warn_moved(former: str, target: str) -> None:
    """Warn where the caller's caller, or its import statement, names what has moved."""
    text = f"footwork.{former} is now footwork.{target.replace(':', '.')}"
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def view(x: Any, *more: Any, **options: Any) -> Any:
    """Return a `Viewer` that shows x: a Robot, State, Hold, Region, …; it opens no browser.

    Args:
        x: what to look at; see `VIEWS` for all that can be.
        more, options: of the function that shows it, such as a Robot's q or a Hold's `by_margin`.

    Raises:
        FootworkError: nothing is known that shows x (the message has what can be shown), or its
            function needs other arguments.

    >>> fw.view(robot, q).open()
    >>> fw.view(hold, by_margin=True).save_html("hold.html")
    """
    return _drawn(VIEWS, "view", x, more, options)


def plot(x: Any, *more: Any, **options: Any) -> Any:
    """Return Matplotlib's Axes, or an array of them, in which x is drawn. Needs the extra `plots`.

    Args:
        x: what to draw; see `PLOTS` for all that can be.
        more, options: of the function that draws it, such as a Region's contacts and q, or `ax`.

    Raises:
        FootworkError: nothing is known that draws x (the message has what can be drawn), its
            function needs other arguments, or Matplotlib is not installed.

    >>> fw.plot(region, contacts, q).figure.savefig("region.png")
    """
    return _drawn(PLOTS, "plot", x, more, options)


def live(x: Any, *more: Any, **options: Any) -> Any:
    """Return a `LiveScene` of x, whose feet, loads and centre of mass one drags in the browser.

    Args:
        x: a Scenario, a Robot, a ContactSet (with q), a Hold; or the name or file of a scenario or
            a robot.
        more, options: of the function that begins it: a Robot's q, and `host`.

    Raises:
        FootworkError: nothing is known that begins with x (the message has what can be), or its
            function needs other arguments.

    >>> scene = fw.live("stairs")
    >>> scene.open()
    >>> scene.hold.margin
    """
    return _drawn(LIVES, "live", x, more, options)


def html_of(x: Any) -> str:
    """Return x for a notebook (`_repr_html_`): numbers, and the picture of `plot`."""
    text: str = resolve("visualize.notebook:html_of")(x)
    return text


def _drawn(
    table: Mapping[str, str], verb: str, x: Any, more: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Return what the function for x gives, called with these arguments."""
    function = _drawn_by(table, verb, x)
    signature = inspect.signature(function)
    try:
        signature.bind(x, *more, **options)
    except TypeError as error:
        bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        takes = signature.replace(parameters=bare, return_annotation=signature.empty)
        raise FootworkError(
            f"{verb}: {error}; expected {verb}{takes} for a {type(x).__name__}"
        ) from None
    return function(x, *more, **options)


def _drawn_by(table: Mapping[str, str], verb: str, x: Any) -> Any:
    for kind in _kinds(x):
        if target := table.get(kind):
            return resolve(target)
    other, names = ("view", VIEWS) if verb != "view" else ("plot", PLOTS)
    also = f"; fw.{other} knows it" if any(kind in names for kind in _kinds(x)) else ""
    known = ", ".join(sorted({_short(key) for key in table}))
    raise FootworkError(f"{verb}: got {type(x).__name__}, expected one of {known}{also}")


def _kinds(x: Any) -> list[str]:
    """Return the keys under which x may be found, the nearest first."""
    if isinstance(x, (list, tuple)) and x:
        return [f"[{key}]" for key in _shared(x)]
    if isinstance(x, Mapping) and x:
        return [f"{{{key}}}" for key in _shared(list(x.values()))]
    return _classes(x)


def _shared(items: Sequence[Any]) -> list[str]:
    """Return the keys of the classes that all items have in common."""
    rest = [set(_classes(item)) for item in items[1:]]
    return [key for key in _classes(items[0]) if all(key in keys for keys in rest)]


def _classes(x: Any) -> list[str]:
    package = f"{__package__}."
    return [f"{c.__module__.removeprefix(package)}:{c.__qualname__}" for c in type(x).__mro__]


def _short(key: str) -> str:
    """Return "Hold", "[Hold]" or "{Region}" for a key of a table."""
    return re.sub(r"[\w.]+:", "", key)
