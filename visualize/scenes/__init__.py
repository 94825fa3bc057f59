"""Scenes: what a Hold, a region, a scenario or a motion looks like in a viewer."""
