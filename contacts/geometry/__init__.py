"""Convex sets: polygons of the plane, sets known by their supports, faces of cones, directions."""
