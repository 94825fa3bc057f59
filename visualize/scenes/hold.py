"""The contact scene: patches, cones, forces, centre of mass and support polygon, as drawings.

Turns contacts and their Hold into calls of a viewer; nothing is computed here that a Hold or a
Region does not know. An infeasible Hold moves along its certificate; a sequence of Holds moves with
the robot. Sizes follow the robot's height, so that nothing hides inside the feet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import dynamics
from ...arrays import Array
from ...contacts.contact import Contact
from ...contacts.contact_set import ContactSet
from ...contacts.falling import falling_path, missing_words
from ...contacts.hold import Hold
from ...contacts.postures.posture import Posture
from ...contacts.regions.region import Region, static_equilibrium_polygon
from ...contacts.zmp import zero_moment_point
from ...dynamics import State, Wrench
from ...dynamics.closures import ties
from ...errors import ContactError
from ...robots.values import boolean, instance, mapping, number, sequence, text
from ..colors import COLORS, VERDICTS, contact_colors, margin_color, margin_ramp
from ..viewer import Series, Viewer
from ..viewer.checks import check_viewer, finite
from ..viewer.primitives import SQUARE
from .cones import draw_friction_cones
from .motion import LEVER, above, draw_com, draw_wrenches, scale_of
from .region import draw_region, has_outline, on_ground

# fractions of the robot's height
_TILE = 0.10
_MOTION = 0.25


def view_hold(hold: Hold, region: bool = True, *, by_margin: bool = False) -> Viewer:
    """Return a Viewer that shows a Hold: robot, contacts, cones, forces or the motion it falls in.

    A robot that does not hold moves along that motion, see `animate_certificate`. The arguments are
    those of `draw_hold`.

    >>> view_hold(static_hold(robot, q, contacts)).save_html("hold.html")
    """
    viewer = Viewer(hold.contacts.robot, ground=ground_height(hold.contacts, hold.q))
    viewer.display(hold.q)
    draw_hold(viewer, hold, region, by_margin=by_margin)
    if hold.certificate is not None:
        animate_certificate(viewer, hold)
    return viewer


def view_contacts(contacts: ContactSet, q: ArrayLike) -> Viewer:
    """Return a Viewer that shows contacts and their friction cones at q (nq,), with the robot."""
    viewer = Viewer(contacts.robot, ground=ground_height(contacts, q))
    viewer.display(q)
    draw_contacts(viewer, contacts, q)
    return viewer


def view_posture(posture: Posture) -> Viewer:
    """Return a Viewer that shows the robot in a Posture, with its contacts as `view_contacts`."""
    return view_contacts(posture.contacts, posture.q)


def draw_hold(
    viewer: Viewer,
    hold: Hold,
    region: bool = True,
    *,
    by_margin: bool = False,
    scale: float | None = None,
    threshold: float = 0.0,
    legend: bool = True,
) -> None:
    """Draw a Hold into a viewer of its robot.

    Args:
        viewer: whose robot the hold is of.
        hold: with its contacts, configuration and loads.
        region: also the static-equilibrium polygon, on the ground, but of a robot that closures
            tie to the world.
        by_margin: contacts, cones and forces in the colour of what the contact alone could lose
            (`hold.contact_margins`), red to green, the centre of mass in that of `hold.margin`.
        scale: length of a force's arrow [m/N]; the weight is 0.8 of the robot's height by default.
        threshold: force below which no arrow is drawn [N].
        legend: also the legend, whose lines hide what they name when clicked.
    """
    check_robot(viewer, hold)
    for name, flag in (("region", region), ("by_margin", by_margin), ("legend", legend)):
        boolean(flag, name)
    robot, q = hold.contacts.robot, hold.state
    region = region and not ties(robot)  # contacts alone do not hold it then
    ground = ground_height(hold.contacts, q)
    draw_balance(viewer, hold, ground, hold.external, by_margin, scale, threshold)
    support = region_of(hold) if region and len(hold.contacts) else None
    if support is not None:
        draw_region(viewer, on_ground(support, robot, q.com, ground), ground)
    if legend:
        drawn = support is not None and has_outline(support)
        draw_legend(viewer, hold, drawn, by_margin=by_margin)


def draw_balance(
    viewer: Viewer,
    hold: Hold,
    ground: float,
    loads: Mapping[str, Wrench],
    by_margin: bool = False,
    scale: float | None = None,
    threshold: float = 0.0,
) -> None:
    """Draw contacts, cones, forces, loads, the centre of mass and how the robot falls.

    Args:
        viewer, hold, by_margin, scale, threshold: as for `draw_hold`.
        ground: height at which the centre of mass is drawn on the ground [m].
        loads: {frame: Wrench}, those of the external wrenches that are drawn as such.
    """
    robot, q = hold.contacts.robot, hold.state
    colors = contact_colors(hold) if by_margin else {}
    draw_contacts(viewer, hold.contacts, q, colors)
    draw_com(viewer, robot, q, ground, margin_color(hold) if by_margin else COLORS["com"])
    draw_forces(viewer, hold, colors, scale=scale, threshold=threshold)
    draw_wrenches(viewer, robot, q, loads, folder="loads", scale=scale, threshold=threshold)
    draw_motion(viewer, hold)


def region_of(hold: Hold) -> Region:
    """Return the static-equilibrium polygon of a Hold's contacts under its loads."""
    contacts, loads = hold.contacts, hold.external
    return static_equilibrium_polygon(contacts.robot, hold.state, contacts, wrenches=loads)


def draw_legend(
    viewer: Viewer,
    hold: Hold,
    region: bool = True,
    title: str = "",
    *,
    by_margin: bool = False,
    loads: bool = True,
    verdict: bool = True,
    among: Sequence[Hold] = (),
) -> None:
    """Write the verdict, what the colours mean, and the reason for a "no"; the robot's name when
    there is no other title. `region`, `loads`: whether they are drawn; `verdict`: whether it is
    written, with the reason; `among`: all those that are shown, of which this is the worst."""
    margin = f", margin {hold.margin:.4g} N" if np.isfinite(hold.margin) else ""
    answer = "at worst: " * bool(among) + VERDICTS[hold.feasible] + margin
    ramp = margin_ramp(hold) if by_margin else None
    lines: dict[str, Any] = {answer: COLORS[VERDICTS[hold.feasible]]} if verdict else {}
    shows = {k: v for one in (among or [hold]) for k, v in _named(one, region, loads)}
    for line, folder in shows.items():
        graded = ramp is not None and folder in ("com", "cones", "forces")
        lines[line] = ramp if graded else COLORS[_COLOR_OF.get(folder, folder)]
    if verdict and hold.reason:
        lines[hold.reason.split(";")[0]] = None
    viewer.legend(title or hold.contacts.robot.name, lines, shows=shows, ramp=ramp)


_COLOR_OF = {"cones": "cone", "forces": "force", "loads": "load"}


def _named(hold: Hold, region: bool, loads: bool) -> list[tuple[str, str]]:
    """(what the legend calls it, the folder of its drawings)."""
    named = [("centre of mass", "com"), ("friction cones", "cones")]
    named += [("contact forces", "forces")] * (hold.forces is not None)
    named += [("external wrenches", "loads")] * (loads and bool(hold.external))
    named += [("falling motion", "motion")] * (hold.certificate is not None)
    return named + [("support region", "region")] * region


def draw_contacts(
    viewer: Viewer,
    contacts: ContactSet,
    q: ArrayLike | State,
    colors: Mapping[str, Any] | None = None,
) -> None:
    """Draw the patch and the friction cones of every contact, along its real normal.

    `colors`, {contact: colour}, are in place of the usual ones.
    """
    check_viewer(viewer)
    instance(contacts, "contacts", ContactSet)
    robot = contacts.robot
    colors = mapping(colors or {}, "colors", contacts.names, kind="contact")
    for contact in contacts:
        color = colors.get(contact.name)
        corners, T = _patch(contact, viewer.scale), contact.pose(robot, q)
        look: dict[str, Any] = {"color": color or COLORS["patch"], "opacity": 0.6}
        viewer.polygon(f"patches/{contact.name}", corners, placement=T, **look)
        draw_friction_cones(viewer, contact, robot, q, color or COLORS["cone"])


def draw_forces(
    viewer: Viewer,
    hold: Hold,
    colors: Mapping[str, Any] | None = None,
    *,
    scale: float | None = None,
    threshold: float = 0.0,
) -> None:
    """Draw every contact's forces at its vertices, and their sum where it acts on the patch.

    What moment is left there, about the normal, is an arc. `colors`, `scale` and `threshold` as for
    `draw_contacts` and `draw_hold`.
    """
    check_viewer(viewer)
    instance(hold, "hold", Hold)
    centres = hold.centres_of_pressure
    if hold.forces is None or hold.wrenches is None or centres is None:
        return
    robot, q = hold.contacts.robot, hold.state
    known = hold.contacts.names
    colors = mapping(colors or {}, "colors", known, kind="contact")
    metres = scale_of(viewer, robot, scale)
    threshold = number(threshold, "threshold", at_least=0, unit="[N]")
    lever, thin = LEVER * viewer.scale, 0.003 * viewer.scale
    for contact in hold.contacts:
        color = colors.get(contact.name, COLORS["force"])
        points, forces = contact.world_points(robot, q), hold.forces[contact.name]
        for k, (point, force) in enumerate(zip(points, forces, strict=True)):
            if len(points) > 1:
                name, vector = f"forces/{contact.name}/vertex {k}", metres * above(force, threshold)
                viewer.arrow(name, point, vector, color=color, radius=thin)
        wrench, centre = hold.wrenches[contact.name], centres[contact.name]
        total = metres * above(wrench.force, threshold)
        viewer.arrow(f"forces/{contact.name}/sum", centre, total, color=color, on_top=True)
        least = max(threshold, 1e-3 * hold.balance.weight) * lever
        arc = metres / lever * above(wrench.at(centre).moment, least)
        viewer.moment(f"forces/{contact.name}/moment", centre, arc, color=color, on_top=True)


def draw_motion(viewer: Viewer, hold: Hold) -> None:
    """Draw the certificate's motion: which way the centre of mass and the contacts would go."""
    if hold.certificate is None:
        return
    robot, q, y = hold.contacts.robot, hold.state, hold.certificate
    points = [dynamics.com(robot, q)]
    velocities = [dynamics.com_jacobian(robot, q) @ y]
    for contact in hold.contacts:
        points += list(contact.world_points(robot, q))
        velocities += list(contact.point_jacobians(robot, q) @ y)
    fastest = max(float(np.linalg.norm(u)) for u in velocities)
    for k, (point, u) in enumerate(zip(points, velocities, strict=True)):
        if np.linalg.norm(u) > 0.02 * fastest:
            vector = _MOTION * viewer.scale * u / fastest
            style: dict[str, Any] = {}
            if k == 0:  # of the centre of mass: the load that it follows is seen in it
                style = {"radius": 0.009 * viewer.scale, "opacity": 0.65, "on_top": True}
            viewer.arrow(f"motion/{k}", point, vector, color=COLORS["motion"], **style)


def _patch(contact: Contact, scale: float) -> Array:
    """Corners of the patch, in its axes; for a point a small square, seen under the foot."""
    if len(contact.points) > 1:
        order = np.argsort(np.arctan2(contact.points[:, 1], contact.points[:, 0]))
        return np.asarray(contact.points[order])
    return _TILE * scale * SQUARE


def ground_height(contacts: ContactSet, q: ArrayLike | State) -> float:
    """Return the height of the lowest point of any contact, 0 without contacts [m]."""
    points = contacts.attachment.world_points(State.of(contacts.robot, q))
    return float(points[:, 2].min()) if len(points) else 0.0


def draw_zmp(viewer: Viewer, hold: Hold, ground: float = 0.0) -> None:
    """Draw the zero-moment point of a Hold's forces in the plane at the height `ground` [m].

    Nothing without forces.
    """
    check_viewer(viewer)
    instance(hold, "hold", Hold)
    where = zero_moment_point(hold.wrenches or {}, number(ground, "ground", unit="[m]"))
    if where is not None:
        radius = 0.014 * viewer.scale
        viewer.point("zmp", where, color=COLORS["zmp"], radius=radius, on_top=True)


# seconds of the loop: rest, fall, rest, return
_REST, _FALL, _LIE, _RETURN = 0.5, 1.6, 0.8, 0.7


def animate_certificate(viewer: Viewer, hold: Hold, distance: float | None = None) -> None:
    """Let a robot that does not hold move along its certificate, in a loop, and say what lacks.

    The picture then has a player, in a file of `save_html` too. A `screenshot` shows the robot
    where it stands, or at a `time` on its way; `falling_path` has configurations to `display`.

    Args:
        viewer: of the hold's robot; draw the rest of the scene with `draw_hold`.
        hold: that is infeasible.
        distance: how far the fastest of contact points and centre of mass goes [m]; 12 % of the
            robot's height by default, less when a joint would turn by more than 0.35 rad.

    Raises:
        ContactError: the hold has no certificate, or is one of another robot.
    """
    check_robot(viewer, hold)
    path = falling_path(hold, 0.12 * viewer.scale if distance is None else distance)
    times, fractions = _loop()
    frames = np.rint(fractions * (len(path) - 1)).astype(int)
    viewer.animate(times, path[frames], repeat=True)
    com = dynamics.com(hold.contacts.robot, hold.q)
    above = com + np.array([0.0, 0.0, 0.55 * viewer.scale])
    height = 0.016 * viewer.scale
    viewer.label("missing", above, missing_words(hold), height=height, color=COLORS["motion"])


def check_robot(viewer: Viewer, hold: Hold) -> None:
    """Raise `ContactError` for a viewer of another robot than the hold's."""
    check_viewer(viewer)
    instance(hold, "hold", Hold, error=ContactError)
    if viewer.robot is not hold.contacts.robot:
        raise ContactError("viewer: got a viewer of another robot than the hold's")


def _loop() -> tuple[Array, Array]:
    """Times (n,) [s] of one loop and the fraction (n,) of the way done by then, eased."""
    times = np.linspace(0.0, _REST + _FALL + _LIE + _RETURN, 91)
    fall = np.clip((times - _REST) / _FALL, 0.0, 1.0)
    back = np.clip((times - _REST - _FALL - _LIE) / _RETURN, 0.0, 1.0)
    return times, fall**2 * (3 - 2 * fall) - back**2 * (3 - 2 * back)


def view_holds(holds: Sequence[Hold], times: ArrayLike | None = None, **options: Any) -> Viewer:
    """Return `animate_holds(times, holds)`; without times (n,) [s], one Hold every 0.1 s."""
    return animate_holds(0.1 * np.arange(len(holds)) if times is None else times, holds, **options)


def animate_holds(
    times: ArrayLike,
    holds: Sequence[Hold],
    *,
    region: bool = False,
    by_margin: bool = False,
    title: str = "",
    play: bool = True,
) -> Viewer:
    """Return a Viewer that plays Holds of one robot, with their margins over time.

    Contacts may come and go from one to the next. The legend is that of the Hold with the least
    margin, which is what one looks for in a motion.

    Args:
        times: (n,), increasing [s].
        holds: n of them, as of `contact_forces` or `static_hold` along a motion.
        region, by_margin: as for `draw_hold`; a region that changes makes the page larger.
        title: of the legend, the robot's name by default.
        play: whether the page starts it by itself.

    Raises:
        ContactError: no holds, or of several robots.
    """
    for name, flag in (("region", region), ("by_margin", by_margin), ("play", play)):
        boolean(flag, name)
    text(title, "title", empty=True)
    holds = sequence(holds, "holds", Hold, error=ContactError)
    times = finite(times, "times", (None,))
    robots = {id(hold.contacts.robot) for hold in holds}
    if len(robots) != 1:
        raise ContactError(f"holds: got those of {len(robots)} robots, expected one robot's")
    ground = min(ground_height(hold.contacts, hold.q) for hold in holds)
    viewer = Viewer(holds[0].contacts.robot, ground=ground)

    def draw(i: int) -> None:
        draw_hold(viewer, holds[i], region, by_margin=by_margin, legend=False)

    margins = Series("margin", times, {"margin": [hold.margin for hold in holds]}, "N", (), [0.0])
    viewer.animate(times, [hold.q for hold in holds], draw=draw, series=[margins], play=play)
    worst = min(holds, key=lambda hold: np.nan_to_num(hold.margin, nan=-np.inf))
    draw_legend(viewer, worst, region, title, by_margin=by_margin, among=holds)
    return viewer
