"""Samples for other programs: chosen, on a grid or as read, as CSV, Arrow, Parquet."""
