"""What is checked of a campaign before anything starts."""
