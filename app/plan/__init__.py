"""Frozen plans: campaigns and their steps, text in and out."""
