"""Feet: soles and points, found by shape, given by hand or measured; the standing posture."""
