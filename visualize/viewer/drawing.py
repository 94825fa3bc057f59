"""Drawing: a robot and named shapes around it, recorded as commands. Shows nothing by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.state import State
from ...errors import unknown
from ...robots.robot import Robot
from ...robots.values import instance, mapping, sequence
from . import checks, commands, meshes, three
from .animation import Motion, merged, player, tints, tracks
from .checks import Color
from .errors import ViewerError
from .primitives import Primitives
from .ramp import ColorRamp
from .series import Series
from .shapes import Piece, Shape
from .store import Entry, Folders, Store

MOMENT = 0.04  # for which a motion of one sample is shown [s]


class Drawing(Primitives):
    """A robot and named shapes around it, in world axes, z up, in metres: the base of `Viewer`.

    Attributes:
        robot: the `Robot`, or None.
        scale: what sizes follow that are not given [m]: the robot's height when it stands, else 1.
    """

    def __init__(self, robot: Robot | None, opacity: float, detail: float = 0.0) -> None:
        self.robot = robot
        self.scale = 1.0
        self._store = Store()
        self._shapes: dict[str, Shape] = {}
        self._folders = Folders()  # that the shapes lie in
        self._recorded: dict[str, Shape] | None = None  # while something is drawn as a whole
        self._groups: dict[str, set[str]] = {}  # names of the drawings of `redraw`
        self._robot_points: Array = np.zeros((0, 3))
        self._boxes: dict[str, Array] = {}
        self._parts: list[tuple[meshes.Visual, three.Object]] = []
        opacity = checks.opacity(opacity)
        if robot is not None:
            self._visual = meshes.read(robot)
            self._boxes = meshes.boxes(robot, self._visual)
            self._draw_robot(robot, opacity, detail)
            self.display(robot.posture())
            self.scale = _height(self._robot_points)

    # --- the robot -------------------------------------------------------------------------

    def display(self, q: ArrayLike | State) -> None:
        """Put the robot in a configuration q (nq,) or a State; an animation that was set ends.

        Raises:
            ConfigurationError: q does not fit the robot.
            ViewerError: this viewer has no robot.
        """
        where = meshes.placements(self._need_robot(), self._visual, q)
        if "/#animation" in self._store:
            self._put(commands.clear_animation())
        for joint, matrix in where.items():
            self._put(commands.set_transform(f"/robot/{joint}", matrix))
        self._robot_points = meshes.corners_in_world(self._boxes, where)
        self._follow()

    def animate(
        self,
        times: ArrayLike,
        qs: ArrayLike,
        *,
        draw: Callable[[int], object] | None = None,
        series: Sequence[Series] = (),
        tint: Sequence[Color | None] | None = None,
        play: bool = True,
        repeat: bool = True,
    ) -> None:
        """Move the robot through qs (n, nq) at times (n,) [s]; the page has a player.

        It plays, pauses, seeks and steps (space, arrows, Home, End), and plots series below, on
        which a click goes to that time. Positions are interpolated along lines, orientations along
        arcs.

        Args:
            times, qs: as above; one sample stands still for a moment.
            draw: called with 0, …, n − 1: what it draws in this viewer (arrows, cones, labels, …)
                is the drawing of that frame, and moves with the robot. A legend cannot move.
            series: what is plotted over time, one below the other.
            tint: n colours that the robot takes on, None for its own.
            play: whether the page starts it by itself.
            repeat: whether it starts again at its end.

        Raises:
            ConfigurationError: a configuration does not fit the robot.
            ViewerError: times do not increase, or there are not as many as configurations.
        """
        robot = self._need_robot()
        play, repeat = checks.boolean(play, "play"), checks.boolean(repeat, "repeat")
        series = sequence(series, "series", Series, error=ViewerError)
        times = checks.finite(times, "times", (None,))
        qs = checks.finite(qs, "qs", (None, robot.nq))
        if len(times) != len(qs) or np.any(np.diff(times) <= 0):
            raise ViewerError(
                f"got {len(times)} times for {len(qs)} configurations; expected as many, in "
                "increasing order"
            )
        if not len(times):
            raise ViewerError("got a motion of no samples, expected at least 1")
        tones = None if tint is None else _tones(tint, len(times))
        frames, shown = list(range(len(times))), times
        if len(times) == 1:  # the page's player needs a time that passes
            shown, frames = times[0] + np.array([0.0, MOMENT]), [0, 0]
            qs, tones = qs[frames], tones and [*tones, *tones]
        poses = [meshes.placements(robot, self._visual, q) for q in qs]
        self.display(qs[0])
        every = [meshes.corners_in_world(self._boxes, where) for where in poses]
        self._robot_points = np.vstack(every)
        moving = {f"/robot/{name}": np.array([pose[name] for pose in poses]) for name in poses[0]}
        drawings = self._moving_drawings(draw, frames) if draw else {}
        moving |= {path: motion.matrices for path, motion in drawings.items()}
        visible = {path: motion.visible for path, motion in drawings.items()}
        clips = tracks(shown, moving, visible)
        if tones is not None:
            clips += tints(shown, tones, self._surfaces())
        self._put(commands.set_animation(clips, player(shown, series), play=play, repeat=repeat))

    def ghost(
        self, name: str, q: ArrayLike, *, opacity: float = 0.3, color: Color | None = None
    ) -> None:
        """Draw the robot once more, faintly, in another configuration q (nq,), to compare.

        Args:
            name: what it is called, as of any drawing.
            q: as above.
            opacity: in (0, 1].
            color: in place of its own colours.

        Raises:
            ConfigurationError: q does not fit the robot.
            ViewerError: this viewer has no robot, an unknown colour.
        """
        where = meshes.placements(self._need_robot(), self._visual, q)
        tone = None if color is None else checks.color(color)
        alpha = checks.opacity(opacity)
        pieces = {
            f"{visual.joint}.{visual.name.replace('/', '.')}": Piece(
                three.faint(thing, alpha, tone), where[visual.joint] @ visual.matrix
            )
            for visual, thing in self._parts
        }
        self._draw(name, Shape(pieces, meshes.corners_in_world(self._boxes, where)))

    # --- all of it -------------------------------------------------------------------------

    def legend(
        self,
        title: str = "",
        lines: Mapping[str, Color | ColorRamp | None] | None = None,
        *,
        shows: Mapping[str, str] | None = None,
        ramp: ColorRamp | None = None,
    ) -> None:
        """Write a legend in a corner of the page; nothing: take it away.

        Args:
            title: its first line.
            lines: {text: colour, or a ramp for all of its colours, None for none}.
            shows: {text of a line: name of a drawing, or of a folder}, which a click on the line
                hides and shows again.
            ramp: shown as a bar of colours below the lines.
        """
        title = checks.text(title, "title")
        lines = mapping({} if lines is None else lines, "lines", kind="text", error=ViewerError)
        shows = mapping(
            {} if shows is None else shows, "shows", lines, kind="line", error=ViewerError
        )
        if ramp is not None:
            instance(ramp, "ramp", ColorRamp, error=ViewerError)
        folders = {text: checks.overlay_path(name) for text, name in shows.items()}
        shown = [(text, _swatch(tone), folders.get(text, "")) for text, tone in lines.items()]
        self._put(commands.legend(title, shown, ramp))

    def delete(self, name: str) -> None:
        """Take away a drawing, or a folder of them.

        Raises:
            ViewerError: there is none; the message has the nearest names.
        """
        path = checks.overlay_path(name)
        gone = [name] if name in self._shapes else list(self._folders.below(f"{name}/"))
        if not gone:
            raise ViewerError(unknown("drawing", name, self._shapes))
        for shape in gone:
            del self._shapes[shape]
            self._folders.discard(shape)
        self._put(commands.delete(path))

    def redraw(self, group: str, draw: Callable[[], object]) -> None:
        """Draw a group of things anew: what it had before and `draw` does not draw goes away.

        What is as it was is not sent again. A failure of `draw` leaves the picture as it was.

        Args:
            group: what the group is called; groups have no names of drawings in common.
            draw: draws in this viewer.
        """
        checks.text(group, "group")
        if not callable(draw):
            raise ViewerError(f"draw: got {draw!r:.80}, expected a function without arguments")
        shapes = self._record(draw)
        for name in self._groups.get(group, set()) - shapes.keys():
            if name in self._shapes:
                self.delete(name)
        self._groups[group] = set(shapes)
        for name, shape in shapes.items():
            self._draw(name, shape)

    def clear(self) -> None:
        """Take away all drawings and the legend; the robot stays."""
        self._shapes.clear()
        self._groups.clear()
        self._folders = Folders()
        self._put(commands.delete("/overlays"))
        self.legend()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the drawings."""
        return tuple(self._shapes)

    # --- inside ----------------------------------------------------------------------------

    def _draw_robot(self, robot: Robot, opacity: float, detail: float) -> None:
        visuals = meshes.visuals(robot, self._visual, opacity, detail)
        # every geometry once, for ghosts of the robot as well
        objects = [visual.object for visual in visuals]
        common, objects = three.shared([*objects, *objects])
        self._parts = list(zip(visuals, objects, strict=False))
        for part in common:
            self._put(commands.define(part))
        for visual, thing in self._parts:
            path = f"/robot/{visual.joint}/{visual.name}"
            self._put(commands.set_object(path, thing))
            self._put(commands.set_transform(path, visual.matrix))

    def _need_robot(self) -> Robot:
        if self.robot is None:
            raise ViewerError("this viewer has no robot; make one with Viewer(robot)")
        return self.robot

    def _surfaces(self) -> dict[str, int]:
        """{path of a mesh of the robot: its colour}."""
        return {
            f"/robot/{visual.joint}/{visual.name}/<object>": thing["materials"][0]["color"]
            for visual, thing in self._parts
        }

    def _moving_drawings(
        self, draw: Callable[[int], object], numbers: Sequence[int]
    ) -> dict[str, Motion]:
        """Draw every frame, and return {path of a piece: how it moves}."""
        frames = [self._record(partial(draw, i)) for i in numbers]
        motions: dict[str, Motion] = {}
        for name, (shape, moves) in merged(frames).items():
            self._draw(name, shape)
            path = checks.overlay_path(name)
            motions |= {f"{path}/{piece}": motion for piece, motion in moves.items()}
        return motions

    def _record(self, draw: Callable[[], object]) -> dict[str, Shape]:
        """Return {name: Shape} of what is drawn, without drawing it."""
        self._recorded = {}
        try:
            draw()
            return self._recorded
        finally:
            self._recorded = None

    def _draw(self, name: str, shape: Shape) -> None:
        path = checks.overlay_path(name)
        if self._recorded is not None:
            self._recorded[name] = shape
            return
        old = self._shapes.get(name)
        if old is None:
            parts = name.split("/")
            above = ("/".join(parts[:k]) for k in range(1, len(parts)))
            if f"{name}/" in self._folders or any(folder in self._shapes for folder in above):
                raise ViewerError(
                    f"name: {name!r} is a folder and a drawing at once; choose another"
                )
            self._folders.add(name)
        for piece in (old.pieces.keys() - shape.pieces.keys()) if old else ():
            self._put(commands.delete(f"{path}/{piece}"))
        self._shapes[name] = shape
        for piece, what in shape.pieces.items():
            self._draw_piece(f"{path}/{piece}", old.pieces.get(piece) if old else None, what)

    def _draw_piece(self, path: str, old: Piece | None, new: Piece) -> None:
        """Send what is other than it was: an object is costly for the page, a colour is not."""
        if old is None or old.object != new.object:
            colors = three.recolored(old.object, new.object) if old else None
            self._put(
                commands.set_object(path, new.object)
                if colors is None
                else commands.set_color(path, colors)
            )
        if old is None or not np.array_equal(old.matrix, new.matrix):
            self._put(commands.set_transform(path, new.matrix))
        if not new.visible or not (old is None or old.visible):
            self._put(commands.set_property(path, "visible", new.visible))

    def _put(self, entry: Entry) -> bool:
        return self._store.put(entry)

    def _follow(self) -> None:
        """Do what the robot's new place asks for."""

    def _points(self) -> Array:
        """What a picture must hold, (k, 3); where nothing is drawn, the room for a robot."""
        found = np.vstack([self._robot_points, *(s.extent for s in self._shapes.values())])
        return found if len(found) else np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]])


def _tones(tint: Sequence[Color | None], count: int) -> list[int | None]:
    if not isinstance(tint, Sequence) or isinstance(tint, str) or len(tint) != count:
        raise ViewerError(f"tint: got {tint!r:.80}, expected {count} colours as of the times")
    return [None if tone is None else checks.color(tone) for tone in tint]


def extent(robot: Robot, q: ArrayLike) -> float:
    """Return the height of a robot in a configuration [m]: of the box around what it looks like.

    Never below 1 cm.
    """
    visual = meshes.read(robot)
    where = meshes.placements(robot, visual, q)
    return _height(meshes.corners_in_world(meshes.boxes(robot, visual), where))


def _swatch(tone: Color | ColorRamp | None) -> str:
    """A colour, or several, as CSS has it."""
    if isinstance(tone, ColorRamp):
        return f"linear-gradient(to right, {', '.join(tone.tones())})"
    return "" if tone is None else checks.css(tone)


def _height(points: Array) -> float:
    return max(0.01, float(np.ptp(points[:, 2]))) if len(points) else 0.01
