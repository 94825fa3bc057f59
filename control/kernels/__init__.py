"""Compiled parts of a controller's tick; they need Numba (extra `fast`)."""
