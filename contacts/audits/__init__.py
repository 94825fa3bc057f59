"""Audits: which samples of a motion a robot can do, and why it cannot do the others."""
