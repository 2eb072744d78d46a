"""Measurements of the store, printed as a table; nothing is asserted by time."""
