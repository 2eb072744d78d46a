"""Other machines over SSH."""
