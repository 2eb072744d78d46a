"""Rules that rows and runs are judged by: gates, checklists, quality."""
