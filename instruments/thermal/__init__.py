"""Temperatures, fans and supplies."""
