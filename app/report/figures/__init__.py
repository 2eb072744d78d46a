"""Figures of a session that are not over time: what they show, and how it is drawn."""
