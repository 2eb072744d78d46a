"""Bayscope, the desktop controller for a storage lab's test bench."""
