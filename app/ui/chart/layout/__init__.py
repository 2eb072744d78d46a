"""Charts as a lab arranges them: channels put into charts, layouts kept by name."""
