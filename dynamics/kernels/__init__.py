"""Kernels: recursive algorithms for eight configurations at once. `dynamics.batch` calls them.

To read: `spatial` (the notation), `body_table` (the robot), then an algorithm: `rnea`, `crba`,
`aba`, `gravity`, `jacobians`, `drifts`, `centroidal`, `momentum`, `coriolis_matrix`,
`coriolis_chains`. They are plain Python; `scalars` says what a number is to them, `toolchain` makes
machine code of them with Numba (the extra `fast`; `numba_core`), for eight configurations or one,
keeps it (`code_on_disk`) and compiles in the background (`background`), and `closed_forms` reads
them as SymPy. `rows` carries arrays in and out. `coriolis` and `tree` are for one state and joints
of every kind.
"""
