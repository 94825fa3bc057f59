"""Cones of contact forces: friction cones, soft fingers, contact wrench cones."""
