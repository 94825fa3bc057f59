"""Scenario files: robot, terrain, contacts and loads, and their verdict."""
