"""Equilibrium of a robot on contacts: data of its balance, programs over it, their proofs."""
