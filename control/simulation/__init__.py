"""Closed-loop simulation: a robot, its controller, and the ground under it, own or MuJoCo's."""
