"""Comparison of two descriptions of one robot: what of their bodies, joints and feet differs."""
