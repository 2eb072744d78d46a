"""A session as a report to hand out: its sections, and the files that hold them."""
