"""The compiled parts of a controller's tick, with Numba (extra `fast`).

To read: `frames`, then `assembly` (the rows of contacts and tasks), `equations` (the solutions of
the equations of motion), `reduction` (the program on these), `minimum` (its active-set method);
`touch` (what feet feel).
"""

# that a controller is made for, at least: kernels are loaded then, not within a tick
TICKS = 2000
