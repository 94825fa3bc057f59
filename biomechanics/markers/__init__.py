"""Markers of a trial: their sets and labels, anatomical frames, configurations that fit."""
