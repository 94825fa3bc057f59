"""URDF descriptions: checks and edits of the tree, then the model by Pinocchio."""
