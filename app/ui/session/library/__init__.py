"""The library: sessions as a table that is searched, sorted, labelled and compared."""
