"""Programs that run here or on another host, and what comes with them."""
