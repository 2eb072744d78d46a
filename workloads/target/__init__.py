"""What loads run on: scratch files and disks by their names."""
