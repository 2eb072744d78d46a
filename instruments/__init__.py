"""Everything on the bench that measures, and what reaches it."""
