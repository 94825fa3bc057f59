"""Low-pass filtering, resampling and gap filling of uniformly sampled data."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.values import number, whole_number
from .differences import as_rate, as_samples
from .runs import spans


def _pad(order: int) -> int:
    """Return the number of samples reflected at each end."""
    return 3 * (order + 1)


SHORTEST = _pad(4)  # samples: a trial must have more to be filtered


def lowpass(x: ArrayLike, rate: float, cutoff: float, order: int = 4) -> Array:
    """Return x (n, …), low-pass filtered with zero phase lag.

    A Butterworth filter is applied forwards and backwards. Both passes together attenuate by 6 dB
    where one attenuates by 3 dB, so the filter is designed at a higher frequency (D. Winter 2009,
    §3.5), such that the total attenuation at `cutoff` [Hz] is 3 dB.

    Args:
        x: samples, time first.
        rate: of the samples [Hz].
        cutoff: [Hz], below half the rate.
        order: of both passes together: 2, 4, 6, …

    Raises:
        ConfigurationError: a bad rate, cut-off or order, too few samples, or gaps (nan).
    """
    x, rate = as_samples(x), as_rate(rate)
    if whole_number(order, "order", at_least=2) % 2:
        raise ConfigurationError(f"order: got {order!r}; expected 2, 4, 6, …")
    design = design_frequency(rate, cutoff, order)
    pad = _pad(order)
    if len(x) <= pad:
        raise ConfigurationError(f"x: got {len(x)} samples; expected more than {pad} to filter")
    if not np.isfinite(x).all():
        raise ConfigurationError("x: got samples that are not finite; fill or cut the gaps first")
    sections = scipy.signal.butter(order // 2, design, fs=rate, output="sos")
    return np.asarray(scipy.signal.sosfiltfilt(sections, x, axis=0, padlen=pad))


def design_frequency(rate: float, cutoff: float, order: int) -> float:
    """Return the cut-off [Hz] of a single pass such that two passes attenuate 3 dB at `cutoff`.

    |H|² of a pass is 1/(1 + w^order), w the ratio of the tangents of π f/rate (bilinear transform);
    for two passes it is |H|⁴, which is 1/2 where w^order = √2 − 1.

    Raises:
        ConfigurationError: a cut-off that is not between 0 and what the rate allows.
    """
    cutoff = number(cutoff, "cutoff", above=0, unit="[Hz]")
    widened = np.tan(np.pi * np.clip(cutoff / rate, 0.0, 0.499)) / (np.sqrt(2) - 1) ** (1 / order)
    design = float(np.arctan(widened) * rate / np.pi)
    if cutoff >= rate / 2:
        raise ConfigurationError(
            f"cutoff: got {cutoff!r} Hz; expected more than 0 and less than half the rate, "
            f"{rate / 2:g} Hz"
        )
    return design


def resample(x: ArrayLike, rate: float, times: ArrayLike) -> Array:
    """Return samples x (n, …), taken `rate` times a second from time 0, at other times (k,) [s].

    Quintic spline interpolation, without smoothing. Before downsampling, filter below half of the
    new rate.

    Raises:
        ConfigurationError: too few samples, gaps (nan), or a time outside of the trial.
    """
    x, times = as_samples(x), as_samples(times)
    t = np.arange(len(x)) / as_rate(rate)
    if len(x) < 6:
        raise ConfigurationError(f"x: got {len(x)} samples; expected 6 or more to resample")
    if times.size and (times.min() < -1e-9 or times.max() > t[-1] + 1e-9):
        raise ConfigurationError(
            f"times: got {times.min():g} to {times.max():g} s; expected 0 to {t[-1]:g} s"
        )
    if not np.isfinite(x).all():
        raise ConfigurationError("x: got samples that are not finite; fill or cut the gaps first")
    return np.asarray(scipy.interpolate.make_interp_spline(t, x, k=5)(np.clip(times, 0.0, t[-1])))


def fill_gaps(x: ArrayLike, longest: int) -> Array:
    """Return x (n, k) with gaps (nan) of up to `longest` samples bridged by a cubic spline.

    Gaps that are longer, or that reach an end of the trial, stay.
    """
    filled = np.array(x, dtype=float)
    known = np.isfinite(filled).all(axis=1)
    if known.sum() < 4:
        return filled
    at = np.flatnonzero(known)
    spline = scipy.interpolate.make_interp_spline(at, filled[known], k=3)
    for begin, end in spans(~known):
        if begin > 0 and end < len(filled) and end - begin <= longest:
            filled[begin:end] = spline(np.arange(begin, end))
    return filled
