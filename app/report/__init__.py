"""A session as a document: tables, text, CSV, Markdown, HTML and pictures."""
