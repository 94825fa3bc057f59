"""What contacts can transmit: friction cones, soft fingers, wrench cones, points of the world."""
