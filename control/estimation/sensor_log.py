"""Sensor log: what the sensors of a robot told over time, and its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics.motions.files import Table, contents
from ...dynamics.motions.motion import increasing
from ...dynamics.motions.sampled_states import between
from ...dynamics.motions.saving import columns, in_order
from ...errors import ConfigurationError, DataError
from ...files import as_path, by_suffix, write_csv, write_npz
from ...robots.configuration import check_floating
from ...robots.ranges import ranges
from ...robots.robot import Robot
from ...robots.values import array, mapping, number, sequence, texts, whole_number
from .agreement import encoder_doubts, few, stuck_doubts
from .sensors import SAME, Readings, unlike_gravity

VERSION = 1  # of .npz files


@dataclass(frozen=True, eq=False, repr=False)
class SensorLog:
    """Readings of encoders, torques and an IMU, sampled together.

    Attributes:
        robot: floating base.
        t: (n,) times of measurement [s], increasing.
        q: (n, nq − 7), joint positions [rad or m].
        v: (n, nv − 6), joint velocities; None where encoders measure positions only.
        tau: (n, na), actuated torques that acted until then, or at that time [N·m or N].
        gyro: (n, 3), angular velocity of the IMU in its axes [rad/s].
        accelerometer: (n, 3), its acceleration less gravity, likewise [m/s²].
        touching: {contact: (n,)}, states of the foot switches; None without any.
        notes: what was left out when it was read, in words.

    Raises:
        ConfigurationError: shapes or values that do not fit the robot.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array | None
    tau: Array
    gyro: Array
    accelerometer: Array
    touching: Mapping[str, NDArray[np.bool_]] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        robot = check_floating(self.robot)
        n = len(times := increasing(self.t))
        widths = {"q": robot.nq - 7, "v": robot.nv - 6, "tau": robot.na}
        fitting: dict[str, Any] = {"t": times.copy(), "notes": texts(self.notes, "notes")}
        for name, width in (widths | {"gyro": 3, "accelerometer": 3}).items():
            if name != "v" or self.v is not None:
                fitting[name] = array(getattr(self, name), name, (n, width)).copy()
        if self.touching is not None:
            told = mapping(self.touching, "touching", kind="contact").items()
            fitting["touching"] = {k: _booleans(x, f"touching[{k!r}]", n) for k, x in told}
        for name, value in fitting.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, robot: Robot, readings: Iterable[Readings]) -> SensorLog:
        """Return the log of readings, each measurement once, at the time when it was made.

        Raises:
            ConfigurationError: readings without an IMU, or none at all.
        """
        check_floating(robot)
        kept: list[Readings] = []
        for x in sequence(readings, "readings", Readings):
            if x.gyro is None or x.accelerometer is None:
                raise ConfigurationError("readings: got none of an IMU; expected all with one")
            if not kept or x.t - x.age > kept[-1].t - kept[-1].age + SAME:
                kept.append(x)
        if not kept:
            raise ConfigurationError("readings: got none; expected those of a motion")
        told, switches = kept[0].touching, None
        if told is not None:
            switches = {k: np.array([bool((x.touching or {}).get(k)) for x in kept]) for k in told}
        q, v, tau, gyro, a = (np.array([getattr(x, name) for x in kept]) for name in _VECTORS)
        times = np.array([x.t - x.age for x in kept])
        return cls(robot, times, q[:, 7:], v[:, 6:], tau, gyro, a, switches)

    def readings(self, i: int) -> Readings:
        """Return the readings at a sample; velocities that were not measured are differences of
        positions.

        Raises:
            ConfigurationError: no such sample.
        """
        robot, i = self.robot, whole_number(i, "i", at_least=0)
        if i >= len(self):
            raise ConfigurationError(f"i: got {i}; expected one of {len(self)} samples")
        q, v = robot.neutral(), np.zeros(robot.nv)
        q[7:], v[6:] = self.q[i], self.velocities[i]
        on = self.touching
        switches = None if on is None else {name: bool(x[i]) for name, x in on.items()}
        return Readings(
            float(self.t[i]), q, v, self.tau[i], switches, self.gyro[i], self.accelerometer[i]
        )

    @cached_property
    def velocities(self) -> Array:
        """(n, nv − 6), of the joints: as measured, or Δq/h since the sample before."""
        return _differences(self.robot, self.t, self.q) if self.v is None else self.v

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What of the readings looks like another unit, or contradicts itself, in words."""
        felt = float(np.median(np.linalg.norm(self.accelerometer, axis=1)))
        doubt = unlike_gravity(felt, self.robot, "as median")
        found = [doubt] if doubt else []
        low, high = (ends[7:] for ends in ranges(self.robot._model))
        least, most = self.q.min(axis=0), self.q.max(axis=0)
        far = np.isfinite(high - low) & (np.maximum(low - least, most - high) > high - low)
        names = _names(self.robot)["q"]
        beyond = [
            f"{names[i]} is in [{least[i]:.3g}, {most[i]:.3g}] of [{low[i]:.3g}, {high[i]:.3g}]"
            for i in np.flatnonzero(far)
        ]
        if beyond:
            more = f", and {len(beyond) - 2} more" if len(beyond) > 2 else ""
            found.append(f"far beyond ranges: {', '.join(beyond[:2])}{more}; expected rad or m")
        return (*found, *self._contradictions()) if len(self) > 1 else tuple(found)

    def _contradictions(self) -> Iterator[str]:
        """Yield which readings contradict the positions of the encoders, in words."""
        t, names = self.t, _names(self.robot)
        rates = _differences(self.robot, t, self.q)
        ways = np.cumsum(rates * np.diff(t, prepend=t[0])[:, None], axis=0)
        motors = ways[:, np.array(self.robot.actuated_rows) - 6]
        farthest = np.tile(ways[:, [np.ptp(ways, axis=0).argmax()]], 3)
        if self.v is not None:
            yield from few(encoder_doubts(t, ways, self.v, names["v"]))
        yield from few(stuck_doubts(t, self.tau, motors, names["tau"]))
        for kind in ("gyro", "accelerometer"):
            yield from few(stuck_doubts(t, getattr(self, kind), farthest, names[kind]))

    def part(self, start: float | None = None, stop: float | None = None) -> SensorLog:
        """Return the samples from one time to another, both included [s]; their times stay.

        Raises:
            ConfigurationError: no sample is between them.
        """
        rows = between(self.t, start, stop)
        names = [name for name in ("t", *_VECTORS) if getattr(self, name) is not None]
        some: dict[str, Any] = {name: getattr(self, name)[rows] for name in names}
        if self.touching is not None:
            some["touching"] = {name: x[rows] for name, x in self.touching.items()}
        return replace(self, **some)

    # --- files -----------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write the log as .npz, to the bit, or as a .csv table; return its path.

        Columns are "t", "q.JOINT", "v.JOINT", "tau.JOINT", "gyro.x", "accelerometer.x" (y, z) and
        "touching.CONTACT"; arrays are t, q, v, …, and q_names, v_names, ….

        Raises:
            ConfigurationError: another suffix.
            FootworkError: the file cannot be written; one that was there is kept.
        """
        path = as_path(path)
        by_suffix(path, {".npz": _save_npz, ".csv": _save_csv})(self, path)
        return path

    @classmethod
    def read(cls, path: str | Path, robot: Robot) -> SensorLog:
        """Return the log in a file such as `save` writes, with its columns in any order.

        "v" and "touching" may be missing; so may the names of arrays in an .npz file, which are
        then in the robot's order. `notes` name columns and arrays of no such kind.

        Raises:
            DataError: no such file, a damaged one, or one without what a log has.
            ConfigurationError: joints that are not the robot's; which ones.
        """
        path, own = as_path(path), _names(check_floating(robot))
        data = contents(path)
        try:
            found = _of_table(data, own) if isinstance(data, Table) else _of_arrays(data)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
        lacking = [kind for kind in ("t", *own) if kind != "v" and kind not in found.arrays]
        if lacking:
            raise DataError(
                f"{path}: got no {', '.join(lacking)}; expected t [s], {own['q'][0]}, …, "
                f"{own['tau'][0]}, …, gyro.x, …, accelerometer.x, …"
            )
        notes = (f"left out: {', '.join(found.others)}",) if found.others else ()
        try:
            return cls(robot, **_in_order(robot, found, own), notes=notes)
        except ConfigurationError as error:
            raise ConfigurationError(f"{path}: {error}") from None

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        lasts = f"{len(self)} samples over {self.t[-1] - self.t[0]:.4g} s"
        return f"SensorLog({self.robot.name!r}, {lasts})"


_VECTORS = ("q", "v", "tau", "gyro", "accelerometer")


def _in_order(robot: Robot, found: _Found, own: Mapping[str, list[str]]) -> dict[str, Any]:
    """The arrays of a file by their names, columns in the robot's order."""
    given: dict[str, Any] = {"v": None} | found.arrays
    for kind, names in own.items():
        if kind in given and kind in found.names:
            have = dict(zip(found.names[kind], given[kind].T, strict=True))
            given[kind] = in_order(robot, have, tuple(names), kind)
    if "touching" in given:
        names = [name.removeprefix("touching.") for name in found.names["touching"]]
        given["touching"] = dict(zip(names, given["touching"].T, strict=True))
    return given


def _booleans(values: Any, name: str, n: int) -> NDArray[np.bool_]:
    """Booleans (n,), or numbers 0 and 1 in their place."""
    found = np.asarray(values)
    if found.dtype != bool or found.shape != (n,):
        found = array(values, name, (n,), meaning="booleans, or 0 and 1")
        if not np.isin(found, (0.0, 1.0)).all():
            raise ConfigurationError(f"{name}: got numbers; expected booleans, or 0 and 1")
    return np.asarray(found != 0)


def _differences(robot: Robot, t: Array, q: Array) -> Array:
    """Joint velocities (n, nv − 6), Δq/h since the sample before; the first as the second."""
    every = np.tile(robot.neutral(), (len(q), 1))
    every[:, 7:] = q
    steps = [robot.difference(a, b)[6:] for a, b in pairwise(every)]
    if not steps:
        return np.zeros((len(q), robot.nv - 6))
    v = np.array(steps) / np.diff(t)[:, None]
    return np.vstack([v[:1], v])


def _names(robot: Robot) -> dict[str, list[str]]:
    """{kind: names of its columns}."""
    places, speeds = columns(robot)
    return {
        "q": list(places[7:]),
        "v": list(speeds[6:]),
        "tau": [f"tau.{joint}" for joint in robot.actuated],
        "gyro": [f"gyro.{axis}" for axis in "xyz"],
        "accelerometer": [f"accelerometer.{axis}" for axis in "xyz"],
    }


def _kinds(log: SensorLog) -> dict[str, tuple[list[str], Array]]:
    """{kind: names of its columns, and these} of what there is in a log."""
    given = {kind: (names, getattr(log, kind)) for kind, names in _names(log.robot).items()}
    found = {kind: named for kind, named in given.items() if named[1] is not None}
    if log.touching:
        names = [f"touching.{name}" for name in log.touching]
        found["touching"] = names, np.stack([*log.touching.values()], axis=1)
    return found


def _save_npz(log: SensorLog, path: Path) -> None:
    data: dict[str, Any] = {"sensor_log_version": VERSION, "robot": log.robot.name, "t": log.t}
    for kind, (names, values) in _kinds(log).items():
        data |= {kind: values, f"{kind}_names": np.array(names)}
    write_npz(path, data)


def _save_csv(log: SensorLog, path: Path) -> None:
    kinds = _kinds(log).values()
    table = np.column_stack([log.t, *(values.astype(float) for _, values in kinds)])
    write_csv(path, ["t", *(name for names, _ in kinds for name in names)], table.tolist())


class _Found(NamedTuple):
    """What a file has: arrays by kind, names of their columns, and names of what is none."""

    arrays: dict[str, Array]
    names: dict[str, list[str]]
    others: list[str]


def _of_arrays(data: Any) -> _Found:
    """Arrays of an .npz file."""
    if not isinstance(data, dict):
        raise DataError("no sensor log; expected named arrays, or a table with a header")
    version = data.get("sensor_log_version", VERSION)
    if number(version, "sensor_log_version", error=DataError) > VERSION:
        raise DataError("a log of a later version of footwork")
    kinds = [kind for kind in ("t", *_VECTORS, "touching") if kind in data]
    arrays = {kind: np.asarray(data[kind]) for kind in kinds}
    told = {kind: np.atleast_1d(data[f"{kind}_names"]) for kind in kinds if f"{kind}_names" in data}
    names = {kind: [str(name) for name in own] for kind, own in told.items()}
    for kind, own in names.items():
        if arrays[kind].shape[1:] != (len(own),):
            raise DataError(f"{kind}: got {arrays[kind].shape} values under {len(own)} names")
    if "touching" in arrays and "touching" not in names:
        raise DataError("touching: got no names of its columns; expected touching_names")
    known = {*kinds, *(f"{kind}_names" for kind in names), "sensor_log_version", "robot"}
    return _Found(arrays, names, sorted(set(data) - known))


def _of_table(table: Table, kinds: Iterable[str]) -> _Found:
    """Columns of a .csv file."""
    if table.header is None:
        raise DataError("a table without a header; expected names such as t, q.knee, gyro.x")
    header, own = list(table.header), {"t": ["t"]}
    twice = sorted({name for name in header if header.count(name) > 1})
    for kind in (*kinds, "touching"):
        own[kind] = [name for name in header if name.startswith(f"{kind}.")]
    own = {kind: names for kind, names in own.items() if set(names) & set(header)}
    known = [name for names in own.values() for name in names]
    if both := [name for name in twice if name in known]:
        raise DataError(f"columns {', '.join(both)}: expected each name once")
    values = table.columns([header.index(name) for name in known]) if known else np.zeros((0, 0))
    have = dict(zip(known, values.T, strict=True))
    arrays = {kind: np.stack([have[name] for name in names], 1) for kind, names in own.items()}
    if "t" in arrays:
        arrays["t"] = arrays["t"][:, 0]
        del own["t"]
    return _Found(arrays, own, sorted(set(header) - set(known)))
