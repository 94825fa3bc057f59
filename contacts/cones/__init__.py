"""Cones of what a contact point transmits: friction cones, soft fingers."""
