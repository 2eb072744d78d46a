"""A QEMU guest with disks, md, LVM and multipath: `./run test-guard`."""
