"""Parameter sweeps of a scenario: grids and samples, in parallel, with a journal."""
