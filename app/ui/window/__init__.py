"""The main window: its pages, tools and status line, and how it starts and ends."""
