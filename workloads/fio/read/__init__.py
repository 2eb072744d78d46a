"""Results of any fio, whoever ran it: JSON, text, terse and logs."""
