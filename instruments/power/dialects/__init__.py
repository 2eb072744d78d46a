"""Power meters of other makers, and those that a text describes."""
