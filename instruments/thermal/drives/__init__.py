"""Drives: SMART, logs, NVMe, RAID controllers and SAS links."""
