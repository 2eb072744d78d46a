"""Charts on one time axis."""
