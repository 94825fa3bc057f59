"""Xacro files: expressions, texts, and the expansion into a URDF."""
