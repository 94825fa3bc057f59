"""Sensitivity of the margins to posture, friction and contact placements."""
