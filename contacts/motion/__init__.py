"""Constrained dynamics, frictional contact dynamics, impacts and operational space."""
