"""Fuzz targets: every reader of foreign text, tried with texts that nobody wrote.

Each module with a NAME and a `run(seconds, seed)` is a target.
"""
