"""Postures in which contacts touch where they should, and links keep apart."""
