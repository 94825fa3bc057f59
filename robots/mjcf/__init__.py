"""MJCF descriptions: the reader, its tree, bodies, geoms, actuators and shapes."""
