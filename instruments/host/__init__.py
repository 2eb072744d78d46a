"""What a machine reports of itself: its disks and what goes through them."""
