"""Recorded sessions: the list of a folder, and one of them with its charts."""
