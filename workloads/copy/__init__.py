"""Bayscope's own file copy."""
