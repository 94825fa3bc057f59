"""Regions: where the centre of mass, or the ZMP, may be, and on how much friction."""
