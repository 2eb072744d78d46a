"""Enclosures by SCSI Enclosure Services."""
