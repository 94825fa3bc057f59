"""SDF descriptions: poses relative to each other, and the model as a URDF."""
