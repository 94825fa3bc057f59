"""Low-pass filter without lag, of positive weights."""

from __future__ import annotations

import numpy as np
import scipy

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.values import number

REACH = 4.0  # standard deviations at which the weights end


def gaussian(rate: float, cutoff: float) -> Array:
    """Return the weights (2k + 1,) of a Gaussian filter, by its −3 dB frequency and the rate [Hz].

    exp(−2 π² σ² f²) = 1/√2 for a standard deviation of σ seconds.

    Raises:
        ConfigurationError: a cut-off that is not below half the rate.
    """
    cutoff = number(cutoff, "cutoff", above=0, unit="[Hz]")
    if cutoff >= rate / 2:
        raise ConfigurationError(
            f"cutoff: got {cutoff!r} Hz; expected less than half the rate, {rate / 2:g} Hz: "
            f"samples are {1 / rate:.3g} s apart, by times in seconds"
        )
    sigma = np.sqrt(np.log(2.0)) / (2 * np.pi * cutoff) * rate  # in samples
    j = np.arange(-np.ceil(REACH * sigma), np.ceil(REACH * sigma) + 1)
    weights = np.exp(-0.5 * (j / sigma) ** 2)
    return np.asarray(weights / weights.sum())


def filtered(x: Array, weights: Array) -> Array:
    """Σ_j g_j x_j along time, mirrored at both ends."""
    return np.asarray(scipy.ndimage.convolve1d(x, weights, axis=0, mode="reflect"))
