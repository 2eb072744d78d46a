"""Set-up steps: file systems and pools on armed disks."""
