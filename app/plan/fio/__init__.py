"""Steps from fio jobs, and fio jobs from steps."""
