"""Motions: configurations, velocities and accelerations along time, and the files they are in."""
