"""The numbers of a recorded cold start."""
