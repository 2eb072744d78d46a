"""What drives the bench through a campaign."""
