"""Pasted job files and scripts, read into jobs."""
