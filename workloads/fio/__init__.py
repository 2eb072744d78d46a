"""fio: its jobs, its documents and results."""
