"""Live scenes: a scenario in the browser whose feet, centre of mass and loads can be dragged."""
