"""The window: the only folder that knows Qt; importing it costs nothing."""
