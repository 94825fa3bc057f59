"""Time series over the frames of a trial: vectors, rotations and wrenches."""
