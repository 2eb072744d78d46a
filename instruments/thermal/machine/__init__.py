"""The sensors of a machine itself."""
