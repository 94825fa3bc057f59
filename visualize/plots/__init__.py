"""Plots with Matplotlib, the extra `plots`."""
