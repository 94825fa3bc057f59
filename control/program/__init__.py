"""Quadratic program of a tick, and its solutions: null space, active sets, levels, elastic mode."""
