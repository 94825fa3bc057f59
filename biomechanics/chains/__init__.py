"""Chains of rigid segments: their motion, and joint wrenches by inverse dynamics."""
