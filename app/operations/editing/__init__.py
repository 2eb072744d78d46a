"""What a user does with a campaign while it is written."""
