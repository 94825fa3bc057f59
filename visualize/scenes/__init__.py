"""Scenes: drawings of Holds, regions, scenarios and motions in a viewer."""
