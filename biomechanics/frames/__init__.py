"""Moving frames: inertia tensors, relative motion, fictitious wrenches."""
