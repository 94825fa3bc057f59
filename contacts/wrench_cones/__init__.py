"""Cones of contact wrenches: of a contact, of a set of them, and gravito-inertial ones."""
