"""Placements, lengths and limits are checked where they enter: rotations, origins, patches."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import FootworkError, biomechanics, contacts, control, robots
from footwork.contacts.torque_limits import torque_bounds_of
from footwork.control import references


def placed(rotation, translation=(0.0, 0.0, 0.0)):
    T = pin.SE3.Identity()
    T.rotation, T.translation = np.asarray(rotation, float), np.asarray(translation, float)
    return T


BAD = {
    "twice as large": placed(2 * np.eye(3)),
    "mirrored": placed(np.diag([1.0, 1.0, -1.0])),
    "sheared": placed([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
    "no number": placed(np.full((3, 3), np.nan)),
    "nowhere": placed(np.eye(3), [0, np.nan, 0]),
    "infinitely far": placed(np.eye(3), [np.inf, 0, 0]),
    "beyond the numbers": placed(np.eye(3), [0, 0, 1e200]),
    "a matrix": np.eye(4),
}
FRAME = "left_foot"
SOLE = {"half_length": 0.1, "half_width": 0.05, "friction": 0.7}
LINE = {"half_length": 0.1, "friction": 0.7}
DISC = {"radius": 0.1, "friction": 0.7}
DOORS = {
    "SurfaceContact": lambda robot, T: contacts.SurfaceContact(FRAME, **SOLE, placement=T),
    "LineContact": lambda robot, T: contacts.LineContact(FRAME, **LINE, placement=T),
    "DiscContact": lambda robot, T: contacts.DiscContact(FRAME, **DISC, placement=T),
    "Foot": lambda robot, T: robots.Foot("foot", FRAME, T),
    "FrameTask": lambda robot, T: control.WholeBodyController(
        robot, contacts.at_feet(robot), [control.FrameTask(T, frame=FRAME)]
    ),
    "swing, start": lambda robot, T: references.swing(T, pin.SE3.Identity(), 1.0, 0.1),
    "swing, goal": lambda robot, T: references.swing(pin.SE3.Identity(), T, 1.0, 0.1),
    "targets": lambda robot, T: contacts.solve_posture(
        robot, contacts.at_feet(robot), targets={FRAME: T}
    ),
    "ground": lambda robot, T: contacts.solve_posture(robot, contacts.at_feet(robot), ground=T),
    "MovingFrame": lambda robot, T: biomechanics.MovingFrame("it", T),
    "expressed_in": lambda robot, T: fw.Wrench([1, 0, 0], point=[0, 0, 0]).expressed_in("mine", T),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_placement_is_refused_at_every_door(biped, door, bad):
    with pytest.raises(FootworkError, match=r"."):
        DOORS[door](biped, BAD[bad])


def test_a_placement_changed_later_does_not_reach_the_contact():
    T = pin.SE3.Identity()
    contact = contacts.SurfaceContact(FRAME, **SOLE, placement=T)
    foot = robots.Foot("foot", FRAME, T)
    T.translation = np.array([0.0, 0.0, 5.0])
    assert not contact.placement.translation.any()
    assert not foot.placement.translation.any()


@pytest.mark.parametrize("size", [1e200, 1e9, np.nan, np.inf, -1.0])
def test_patches_beyond_the_numbers_are_refused(size):
    corners = {"vertices": [[size, 0], [0, size], [0, 0]]}
    for patch in ({"half_length": size, "half_width": 0.1}, *[corners] * (size != -1.0)):
        with pytest.raises(FootworkError, match=r"expected"):
            contacts.SurfaceContact(FRAME, friction=0.7, **patch)


def test_a_base_too_far_away_is_refused(biped):
    """Levers about the world's origin lose what the base's position rounds off."""
    feet, q = contacts.at_feet(biped, 0.7), biped.posture()
    margin = contacts.static_hold(biped, q, feet).margin
    posture = control.PostureTask(biped.posture())
    controller = control.WholeBodyController(biped, feet, [posture], on_failure="raise")
    q[0] = 1e6
    assert contacts.static_hold(biped, q, feet).margin == pytest.approx(margin, rel=1e-6)
    still = np.zeros(biped.nv), np.zeros(biped.na)
    for far in (1e9, 1e16, -1e49):
        q[0] = far
        for ask in (
            lambda: contacts.static_hold(biped, q, feet),
            lambda: contacts.feasible_region(biped, q, feet),
            lambda: contacts.batch.static_hold(biped, [q], feet),
            lambda: contacts.static_equilibrium_polygon(biped, q, feet),
            lambda: contacts.net_wrench_cone(feet, q),
            lambda: contacts.constrained_forward_dynamics(biped, q, *still, feet),
            lambda: controller(q, still[0]),
        ):
            with pytest.raises(FootworkError, match="lost to rounding"):
                ask()


@pytest.mark.parametrize("bilateral", [False, True])
def test_regions_far_from_the_origin_are_the_same(biped, bilateral):
    """What is far from the origin is not unbounded for that; nor empty, by whichever solver."""
    frames = [foot.frame for foot in biped.feet.values()]
    soles = [contacts.SurfaceContact(f, **SOLE, bilateral=bilateral) for f in frames]
    feet = contacts.ContactSet(biped, soles)
    q = biped.posture()
    push = [fw.Wrench((10.0, 5, 0), np.zeros(3), point=(1.0, 0, 1))]

    def regions(q, at):
        moved = [fw.Wrench(w.force, w.moment, point=w.point + at) for w in push]
        kinds = ["exact"] if bilateral else ["exact", "inner"]
        return [
            *(contacts.static_equilibrium_polygon(biped, q, feet, kind=kind) for kind in kinds),
            contacts.zmp_support_area(biped, q, feet),
            contacts.robust_equilibrium_polygon(biped, q, feet, moved),
            contacts.feasible_region(biped, q, feet),
        ]

    at = np.array([3e4, -2e3, 0])
    moved = q.copy()
    moved[:3] += at
    for near, far in zip(regions(q, np.zeros(3)), regions(moved, at), strict=True):
        assert near.status == far.status
        assert far.area == pytest.approx(near.area, rel=1e-4)
        for corner in near.vertices:
            assert far.distance(corner + at[:2]) == pytest.approx(0, abs=1e-4 * 1e3**bilateral)


@pytest.mark.parametrize("kind", [bool, np.bool_])
def test_truth_values_of_numpy_are_truth_values(biped, kind):
    """np.True_ was once a limit of one newton metre."""
    np.testing.assert_array_equal(torque_bounds_of(biped, kind(True)).half, biped.torque_limits)
    assert np.isposinf(torque_bounds_of(biped, kind(False)).half).all()
    np.testing.assert_array_equal(torque_bounds_of(biped, 1).half, np.ones(biped.na))
    for wrong in ([True] * biped.na, np.ones(biped.na, bool), "yes", None, np.nan, -1):
        with pytest.raises(FootworkError, match="torque_limits"):
            torque_bounds_of(biped, wrong)
