"""Forms of tables: which rows and columns a lab wants, and the tables of that."""
