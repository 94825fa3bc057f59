"""Contact schedules: which points of the feet touch when, given or found from a motion."""
