"""A run in the window: what to start, what is seen of it, and what steers it."""
