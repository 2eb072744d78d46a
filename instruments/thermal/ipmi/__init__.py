"""Management controllers by IPMI."""
