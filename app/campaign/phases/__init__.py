"""What a step of each engine does."""
