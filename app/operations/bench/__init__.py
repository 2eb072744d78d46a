"""What a user does with a bench: check, discover, switch, calibrate."""
