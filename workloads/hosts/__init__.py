"""Loads that come from several hosts at once."""
