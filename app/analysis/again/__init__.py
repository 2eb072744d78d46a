"""Results computed again from what is stored: to verify, explain, show otherwise."""
