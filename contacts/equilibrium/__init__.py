"""Whether contacts hold a robot: the data of its balance, the programs over it, their proofs."""
