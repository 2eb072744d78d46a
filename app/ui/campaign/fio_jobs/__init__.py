"""fio jobs that come into a campaign and leave it."""
