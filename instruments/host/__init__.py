"""What this machine tells of itself: its disks and what goes through them."""
