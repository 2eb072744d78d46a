"""The Campaigns page: templates, steps, and the text of a campaign."""
