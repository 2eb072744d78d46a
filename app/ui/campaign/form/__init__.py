"""The form of one step."""
