"""What a user does with sessions: list, show, export, compare, import."""
