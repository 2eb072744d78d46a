"""The target guard: no load writes to a disk that was not armed for it."""
