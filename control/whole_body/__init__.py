"""Whole-body control: tasks and contacts become a program, and its solution torques.

To read: `controller` (what a tick does), `structure` and `formulation` (the program of a state),
`solving` (its solution), `switching` (contacts that come and go), `command` (the answer).
"""
