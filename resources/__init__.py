"""Data that ships with Bayscope: icons, fonts, campaigns, benches, templates."""
