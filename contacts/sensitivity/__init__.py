"""How the margin changes with posture, friction and the places of the contacts."""
