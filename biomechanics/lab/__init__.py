"""Trials of a motion laboratory: force plates, and the files that hold them."""
