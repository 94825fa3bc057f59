"""Terrain: solids with flat faces, their union, and penetration of links."""
