"""Audits: which samples of a motion a robot can really do, and why not the others."""
