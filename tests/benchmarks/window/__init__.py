"""Measures of the window, each in a process of its own."""
