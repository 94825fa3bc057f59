"""Robots for the tests: loaded once a session, skipped where their files are not installed."""

from __future__ import annotations

import gc
import io
import logging
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

# as NumPy is imported: threads of BLAS for matrices of robots only wait for each other, and longer
# where all cores are taken
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import cli
from footwork.robots import loading
from footwork.visualize.viewer.page import offline_page

# kernels are compiled when they are asked for, also in processes that tests start; what is done
# while they are not compiled has tests of its own
os.environ.setdefault("FOOTWORK_COMPILE", "now")
os.environ["MPLBACKEND"] = "agg"  # figures on a canvas in memory

# tests interrupt programs: background jobs of a shell are deaf to that, and so is what they start
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _once(build: Callable[..., Any]) -> Callable[..., Any]:
    """Robots never change: one of the catalogue is built once in a process."""
    built: dict[Any, Any] = {}

    def known(description: Any, options: Any) -> Any:
        if description.info is None:
            return build(description, options)
        key = description.info.name, description.data, description.folders, repr(options)
        if key not in built:
            built[key] = build(description, options)
        return built[key]

    return known


loading.build = _once(loading.build)

OURS = ("double_pendulum", "block", "limb", "biped", "quadruped")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With FOOTWORK_NO_SKIP set, a skipped test fails the run: CI has all that tests ask for."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and os.environ.get("FOOTWORK_NO_SKIP"):
        reporter.write_line(f"FOOTWORK_NO_SKIP: {len(skipped)} skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Processes of `-n auto`: one more than cores, as tests wait for browsers and programs."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # that many
    return (os.cpu_count() or 1) + 1  # each imports all tests first


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In several processes the files that take longest begin first, so that none ends alone."""
    if hasattr(config, "workerinput"):
        slow = Counter(
            i.path for i in items if {"slow", "browser"} & {m.name for m in i.iter_markers()}
        )
        count = Counter(item.path for item in items)
        items.sort(key=lambda item: (-slow[item.path], -count[item.path], item.path))


def pytest_collection_finish() -> None:
    """What is there when all tests are imported stays: the garbage collector leaves it out."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close the figures that a test leaves open: `fw.plot` makes them with pyplot."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def _no_log_of_mujoco() -> None:
    """Tests that call MuJoCo themselves leave no MUJOCO_LOG.TXT where pytest was started."""
    mujoco = sys.modules.get("mujoco")
    if mujoco and mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(logging.getLogger("mujoco").warning)


def _has_robot_data() -> bool:
    try:
        metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        return False
    return True


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return run(*arguments) -> exit code, output and errors of `footwork …`."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = cli.main(list(arguments))
        except SystemExit as stop:
            code = stop.code
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run


@cache
def _load(name: str, base: str) -> fw.Robot:
    if name == "tree":
        return _tree(base)
    if name == "heavy base":
        return fw.load(HEAVY_BASE)
    if name not in OURS and not _has_robot_data():
        pytest.skip("needs example-robot-data")
    return fw.load(name, base=base)


@pytest.fixture(scope="session")
def load_robot() -> Callable[[str, str], fw.Robot]:
    """Return load(name, base); "tree" is a random robot with joints of every kind."""
    return _load


def each_robot(*cases: tuple[str, str]) -> Any:
    """Return a fixture that is each of these robots in turn, of (name, base)."""

    @pytest.fixture(params=cases, ids="-".join)
    def robot(request: pytest.FixtureRequest) -> fw.Robot:
        return _load(*request.param)

    return robot


@pytest.fixture(scope="session")
def biped() -> fw.Robot:
    """Our own humanoid."""
    return _load("biped", "floating")


@pytest.fixture(scope="session")
def random_state() -> Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return draw(robot, seed) -> q, v, a, the base moving."""

    def draw(robot: fw.Robot, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        q = robot.random_configuration(rng)
        return q, rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)

    return draw


# --- pages in a browser ------------------------------------------------------------------------


_SIZE = {"width": 640, "height": 480, "deviceScaleFactor": 1, "mobile": False}


@pytest.fixture(scope="session")
def _browser_page() -> Iterator[Any]:
    """A page in a browser that all tests of a process share: a start takes seconds."""
    from footwork.visualize.viewer import browser, errors

    try:
        browser.find_browser()
    except errors.BrowserError:
        pytest.skip("needs Chromium")
    with browser.open_html("<title>empty</title>", 640, 480, timeout=7200) as page:
        yield page


@pytest.fixture(scope="module")
def _page(_browser_page: Any) -> Iterator[Any]:
    """The page as a file finds it: of 640 × 480 pixels, with the network there is, and empty."""
    online = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    _browser_page.call("Emulation.setDeviceMetricsOverride", **_SIZE)
    _browser_page.call("Network.emulateNetworkConditions", **online)
    _browser_page.call("Network.setBlockedURLs", urls=[])
    _browser_page.errors.clear()
    yield _browser_page
    _browser_page.call("Page.navigate", url="about:blank")


@pytest.fixture
def tab(_page: Any) -> Iterator[Any]:
    """The page, empty or as the last `look` left it, in one browser for all tests of a process."""
    _page.errors.clear()
    _page.requests.clear()
    yield _page
    if not _page.evaluate("typeof staged !== 'undefined'"):
        _page.call("Page.navigate", url="about:blank")


def _pixels(page: Any) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)


@pytest.fixture(scope="session")
def pixels() -> Callable[[Any], np.ndarray]:
    """Return pixels(page) -> colours (height, width, 3), once all is drawn."""
    return _pixels


@pytest.fixture
def visit(tab: Any) -> Callable[[str], None]:
    """Return visit(address): the tab goes there, and waits for the page and its scripts."""

    def visit(address: str) -> None:
        tab.call("Page.navigate", url=address)
        tab.wait_for("document.readyState === 'complete'")

    return visit


# as a page that connects to its program again
_CLEARED = """(() => {
  if (typeof staged === "undefined") { return; }
  for (const name of Object.keys(viewer.scene_tree.children)) {
    if (!staged.includes(name)) { viewer.handle_command({type: "delete", path: "/" + name}); }
  }
  footwork.commands.clear_animation();
  footwork.commands.legend({title: "", lines: []});
  viewer.set_dirty();
})()"""


@pytest.fixture
def look(
    tab: Any, visit: Callable[[str], None], tmp_path: Path
) -> Iterator[Callable[[fw.Viewer], np.ndarray]]:
    """Return look(viewer) -> colours (480, 640, 3) of its page, which stays open as `tab`.

    The page is loaded once, and told the commands of each viewer: to compile its shaders takes a
    second.
    """
    path = tmp_path / "page.html"

    def look(viewer: fw.Viewer) -> np.ndarray:
        if not tab.evaluate("typeof staged !== 'undefined'"):
            path.write_text(offline_page([], "empty"), encoding="utf-8")
            visit(path.as_uri())
            tab.evaluate("window.staged = Object.keys(viewer.scene_tree.children), 0")
        page = viewer.save_html(path).read_text(encoding="utf-8")
        commands = re.search(r'<script id="commands" type="text/plain">(.*?)<', page)[1]
        tab.evaluate(_CLEARED)
        tab.evaluate(f"footwork.replay({commands!r})")
        return _pixels(tab)

    yield look
    tab.evaluate(_CLEARED)


# --- robots ------------------------------------------------------------------------------------


# free joints with an armature a: a (v̇ + ω × v) in the linear rows, a ω̇ in the angular ones
BALL = '<geom type="sphere" size="0.1" pos="0.1 0.02 0.03" mass="1.5"/>'
HEAVY_BASE = f"""<mujoco model="heavy base"><default><joint armature="0.7"/></default><worldbody>
<body name="trunk" pos="0 0 1"><joint name="base" type="free"/>
 <inertial pos="0 0.1 0" mass="5" diaginertia="0.1 0.2 0.15"/>
 <body name="leg" pos="0.1 0 -0.1"><joint name="a" axis="0 1 0"/>{BALL}</body>
 <body name="arm"><joint name="b" type="slide"/>{BALL}</body></body>
<body name="ball"><joint type="free" armature="0.3"/>{BALL}</body></worldbody></mujoco>"""


def centrifugal(robot: fw.Robot, v: np.ndarray) -> np.ndarray:
    """What the armature of free joints adds to the bias: a ω × v."""
    model, out = robot.model, np.zeros(robot.nv)
    for joint in model.joints:
        if joint.shortname() == "JointModelFreeFlyer":
            rows = slice(joint.idx_v, joint.idx_v + 3)
            spin = v[joint.idx_v + 3 : joint.idx_v + 6]
            out[rows] = model.armature[rows] * np.cross(spin, v[rows])
    return out


def _tree(base: str) -> fw.Robot:
    """A branching robot with joints of every kind, rotors and links off their joints."""
    rng = np.random.default_rng(7)
    model = pin.Model()
    model.name = f"tree ({base})"
    kinds = [
        (0, pin.JointModelFreeFlyer() if base == "floating" else pin.JointModelRY()),
        (1, pin.JointModelRX()),
        (2, pin.JointModelPrismaticUnaligned(np.array([0.6, 0.0, 0.8]))),
        (3, pin.JointModelSpherical()),
        (2, pin.JointModelRUBZ()),
        (1, pin.JointModelPlanar()),
        (6, pin.JointModelRevoluteUnaligned(np.array([0.0, 0.6, 0.8]))),
        (7, pin.JointModelPY()),
        (6, pin.JointModelTranslation()),
        (9, pin.JointModelRZ()),
    ]
    for i, (parent, kind) in enumerate(kinds):
        name = "root_joint" if i == 0 and base == "floating" else f"joint_{i}"
        placement = pin.SE3(pin.exp3(rng.standard_normal(3)), 0.4 * rng.standard_normal(3))
        joint = model.addJoint(parent, kind, placement if i else pin.SE3.Identity(), name)
        A = rng.standard_normal((3, 3))
        second = A @ A.T + np.eye(3)  # Σ m r rᵀ, of which an inertia is tr(P) 1 − P
        moments = np.trace(second) * np.eye(3) - second
        inertia = pin.Inertia(1.0 + rng.random(), 0.3 * rng.standard_normal(3), moments)
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        frame = pin.Frame(f"link_{i}", joint, placement, pin.FrameType.OP_FRAME)
        model.addFrame(frame)
    if base == "fixed":  # what a fixed base welds to the world still weighs
        model.appendBodyToJoint(
            0, pin.Inertia(3.0, np.array([0.3, 0.1, -0.2]), np.eye(3)), pin.SE3.Identity()
        )
    model.armature = np.where(np.arange(model.nv) >= 6, 0.1, 0.0)
    return fw.Robot(model.name, model, shapes=None, actuated=tuple(model.names)[2:])
