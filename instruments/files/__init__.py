"""Files: our own temporary ones, locks and notes, and text that somebody else wrote."""
