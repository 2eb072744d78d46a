"""What a chart of a session shows, in the window and in a report; no Qt."""
