"""Sound level meters."""
