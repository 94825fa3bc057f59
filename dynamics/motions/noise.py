"""Noise of sampled motions: its variance, and the cut-off frequency that follows from it.

White noise of variance σ² has the same power at all frequencies up to half the rate, f_N; motion
fades out before. With P(f) the power spectrum of a coordinate, its level above 0.6 f_N gives σ².
What a low-pass filter of gain H at the cut-off f_c takes away has the mean square

    R²(f_c) = Σ_f (1 − H(f))² P(f)          → σ² (1 − f_c/f_N) where there is noise alone

The cut-off is the lowest at which R² is no more than σ², so that the noise let through is as much
as the motion taken away: the residual analysis of D. Winter (Biomechanics and Motor Control of
Human Movement, 2009, §3.4.4.3), with its line drawn for the squares. All coordinates share one
cut-off, lest feet slide: that at which the mean of R²/σ² over the coordinates is 1.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array

SHORTEST = 50  # frames: fewer show no spectrum
HARMLESS = 0.3  # acceleration that noise may cause [m/s² or rad/s²]
_TOP = 0.6  # share of half the rate above which noise is looked for
_SECOND = 3.65  # norm of the weights of a second difference of nine points
_ORDER = 4  # of the filter


def found_cutoff(x: Array, rate: float) -> float | None:
    """Return the cut-off [Hz] for samples x (n, k), or None where noise does no harm.

    Noise is harmless where it causes accelerations below `HARMLESS`, when derived by `differences`.
    """
    harmless = (HARMLESS / (_SECOND * rate**2)) ** 2
    frequencies, power = spectrum(x, rate)
    variance = noise_variance(frequencies, power, rate)
    if not (variance > harmless).any():
        return None
    power = power / np.maximum(variance, harmless)
    cutoffs = np.linspace(0.02, 0.9, 89) * rate / 2
    left = [float(_residual(frequencies, power, rate, cutoff).mean()) for cutoff in cutoffs]
    enough = [float(cutoff) for cutoff, ratio in zip(cutoffs, left, strict=True) if ratio <= 1]
    return enough[0] if enough else None


def spectrum(x: Array, rate: float) -> tuple[Array, Array]:
    """Return frequencies (m,) [Hz] and the power (m, k) there of x (n, k), without its trend.

    The power sums to the mean square. A Hann window keeps slow motion out of high frequencies.
    """
    time = np.linspace(-1.0, 1.0, len(x))[:, None]
    x = x - x.mean(axis=0)
    x = x - time * (time * x).sum(axis=0) / (time**2).sum()
    window = np.hanning(len(x))[:, None]
    power = np.abs(np.fft.rfft(window * x, axis=0)) ** 2 * 2 / (len(x) * (window**2).sum())
    return np.asarray(np.fft.rfftfreq(len(x), 1 / rate)), np.asarray(power)


def noise_variance(frequencies: Array, power: Array, rate: float) -> Array:
    """Return σ² (k,) of white noise of the power that the highest frequencies have.

    The median counts, which single tones do not move; that of an exponential distribution, which
    the power of noise has, is log 2 times its mean.
    """
    top = power[frequencies > _TOP * rate / 2]
    return np.asarray(np.median(top, axis=0) / np.log(2) * len(frequencies))


def _residual(frequencies: Array, power: Array, rate: float, cutoff: float) -> Array:
    """R² (k,): gain as in `filters.lowpass`, 1/(1 + (√2 − 1) w^order), w the ratio of tangents."""
    w = np.tan(np.pi * np.minimum(frequencies / rate, 0.499)) / np.tan(np.pi * cutoff / rate)
    lost = 1 - 1 / (1 + (np.sqrt(2) - 1) * w**_ORDER)
    return np.asarray((lost**2) @ power)
