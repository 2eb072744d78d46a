"""Widgets and helpers that every page uses."""
