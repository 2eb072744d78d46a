"""Traces of data, written byte by byte where their own tools are not at hand."""

import struct
import uuid
import zlib
from pathlib import Path

_SECTOR = 512


def write(device: str, offset: int, content: bytes) -> None:
    with Path(device).open("r+b", buffering=0) as file:
        file.seek(offset)
        block = bytearray(4096 * (len(content) // 4096 + 1))
        block[: len(content)] = content
        file.write(block)


def md_member(device: str) -> None:
    """A superblock of Linux's md, version 1.2 (md_p.h): 4 KiB from the start."""
    head = bytearray(256)
    struct.pack_into("<IIII", head, 0, 0xA92B4EFC, 1, 0, 0)
    head[16:32] = uuid.uuid4().bytes
    head[32:42] = b"bench:data"
    struct.pack_into("<Q", head, 80, 8192)  # size of the device
    struct.pack_into("<II", head, 88, 0, 2)  # chunk size, raid disks
    struct.pack_into("<QQQ", head, 128, 2048, 65536, 8)  # data and superblock offsets
    head[168:184] = uuid.uuid4().bytes
    total = sum(struct.unpack(f"<{len(head) // 4}I", head))
    struct.pack_into("<I", head, 216, ((total & 0xFFFFFFFF) + (total >> 32)))
    write(device, 4096, bytes(head))


def lvm_member(device: str) -> None:
    """A label of LVM2 in the second sector (lvm2's label.h), with its checksum."""
    label = bytearray(_SECTOR)
    label[0:8] = b"LABELONE"
    struct.pack_into("<Q", label, 8, 1)
    struct.pack_into("<I", label, 20, 32)
    label[24:32] = b"LVM2 001"
    label[32:64] = uuid.uuid4().hex.encode()
    checksum = zlib.crc32(bytes(label[20:]), 0xF597A6CF ^ 0xFFFFFFFF) ^ 0xFFFFFFFF
    struct.pack_into("<I", label, 16, checksum)
    write(device, 0, bytes(_SECTOR) + bytes(label))


def zfs_member(device: str) -> None:
    """Uberblocks of ZFS in the first label (vdev_impl.h), as an exported pool has."""
    ring = bytearray(128 * 1024)
    for number in range(32):
        struct.pack_into("<QQQ", ring, number * 1024, 0x00BAB10C, 5000, number)
    for label in (0, 256 * 1024):
        write(device, label + 128 * 1024, bytes(ring))


def luks(device: str) -> None:
    """The beginning of a LUKS header, version 1 (its on-disk format, section 2.1)."""
    head = bytearray(_SECTOR)
    head[0:6] = b"LUKS\xba\xbe"
    struct.pack_into(">H", head, 6, 1)
    head[168:204] = str(uuid.uuid4()).encode()
    write(device, 0, bytes(head))
