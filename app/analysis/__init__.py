"""Results and comparisons computed from a session."""
