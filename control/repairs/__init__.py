"""Repairs of motions: the nearest motion that a robot can do."""
