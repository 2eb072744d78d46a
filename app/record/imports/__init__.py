"""Results that were made elsewhere, read and put into a session on one time axis."""
