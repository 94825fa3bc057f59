"""Inverse kinematics onto contacts, and self-collision."""
