"""Motion under contacts: that hold, that stick, slip or break, and that close at once."""
