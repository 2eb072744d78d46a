"""From sources to the session file: clock, recorder and store."""
