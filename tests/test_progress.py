"""Progress bars: who asks for none has none, of whatever is called within."""

from __future__ import annotations

import numpy as np
import pytest
import tqdm

from footwork import contacts, robots
from footwork.contacts.audits.many import audit_files
from footwork.progress import bars_drawn, progress_bar, with_progress

BIPED = robots.load("biped")


@pytest.fixture
def hidden(monkeypatch):
    """What bars are told of whether they are hidden."""
    told = []

    class Bar(tqdm.tqdm):
        def __init__(self, *given, disable=None, **options):
            told.append(disable)
            super().__init__(*given, disable=disable, **options)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    return told


def many_verdicts():
    """Verdicts on some postures, and their overlaps."""
    q = np.tile(BIPED.posture(), (3, 1))
    contacts.batch.static_hold(BIPED, q, contacts.at_feet(BIPED))
    contacts.batch.self_collisions(BIPED, q)


@pytest.mark.parametrize("drawn", [None, True, False])
def test_batches_draw_bars_as_who_calls_them_was_asked_to(hidden, drawn):
    """Their bars came with --quiet and with progress=False, too."""

    @with_progress
    def work(*, progress=None):
        many_verdicts()

    work(progress=drawn)
    assert set(hidden) == {None if drawn is None else not drawn}
    assert len(hidden) >= 2
    hidden.clear()
    with bars_drawn(False):
        work()
    assert set(hidden) == {True}


def test_a_bar_is_as_before_after_an_error(hidden):
    @with_progress
    def fails(*, progress=None):
        raise ValueError("told")

    with pytest.raises(ValueError, match="told"):
        fails(progress=True)
    progress_bar(total=1).close()
    assert hidden == [None]


def test_quiet_commands_draw_no_bars(run, hidden, tmp_path):
    code, _, err = run("audit", str(still(tmp_path)), "--robot", "biped", "--quiet")
    assert (code, err) == (0, "")
    assert set(hidden) == {True}
    hidden.clear()
    audit_files(BIPED, tmp_path, progress=False)
    assert set(hidden) == {True}


def still(folder):
    """A file of a biped that stands."""
    from footwork.dynamics import Motion

    q = np.tile(BIPED.posture(), (5, 1))
    return Motion.of(BIPED, 0.01 * np.arange(5), q).save(folder / "still.npz")
