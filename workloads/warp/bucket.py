"""The bucket of a WARP step: whose keys, and may all that is in it be deleted."""

import os
from collections.abc import Collection

from instruments.errors import BadInput, BenchError
from instruments.sizes import counted
from instruments.tools.secrets import check_address
from workloads.warp.job import WarpJob
from workloads.warp.s3 import Bucket, Keys


def keys(job: WarpJob, *, is_use: bool = True) -> Keys:
    """Get the credentials from the environment, by WARP's own names.

    They are for the servers that they are first used with, and for no others.

    Args:
        job: The step.
        is_use: Whether a person began a run; what only looks is not a first use.

    Raises:
        BenchError: They are not there, or for other servers.
    """
    access = os.environ.get("WARP_ACCESS_KEY", "")
    secret = os.environ.get("WARP_SECRET_KEY", "")
    if not access or not secret:
        raise BenchError(
            "the keys of the S3 server are not set",
            where="warp",
            way_out="Set WARP_ACCESS_KEY and WARP_SECRET_KEY before starting; they are "
            "never kept in a file.",
        )
    scheme = "https" if job.checked.flag("tls") else "http"
    address = f"{scheme}://{','.join(job.hosts)}"
    check_address(f"warp_{access}", address, job.label, is_use=is_use)
    return Keys(access, secret, os.environ.get("WARP_SESSION_TOKEN", ""))


def open_bucket(job: WarpJob, *, is_use: bool = True) -> Bucket:
    """Make the bucket of a step, at the first of its servers; see `keys`."""
    options = job.checked
    return Bucket(
        job.hosts[0],
        job.bucket,
        keys(job, is_use=is_use),
        tls=options.flag("tls"),
        insecure=options.flag("insecure"),
        region=options.text("region"),
    )


def check_bucket(
    job: WarpJob, erase: Collection[str] = (), *, is_use: bool = True
) -> str:
    """Check that nobody's data is deleted: it is empty, or named for this run.

    The plan names its bucket twice, but plans travel and its author may not be the
    one who runs it. So a bucket that holds something has to be named by the operator.

    Returns:
        What the operator should know, "" for nothing.

    Raises:
        BadInput: It holds objects and was not named.
        BenchError: The server cannot be asked.
    """
    bucket = open_bucket(job, is_use=is_use)
    try:
        if bucket.is_empty():
            return ""
        what = "objects" if bucket.has_objects() else "old versions of deleted objects"
    finally:
        bucket.close()
    if job.bucket in erase:
        return f"{bucket} holds {what}; all of them are deleted, as confirmed"
    raise BadInput(
        f"it holds {what}, and WARP would delete all of them",
        where=str(bucket),
        way_out="Name a bucket that is empty or does not exist yet; or, if all in it "
        f"may be lost, say so in Start run, or with --erase-bucket {job.bucket}.",
    )


def empty_bucket(job: WarpJob) -> str:
    """Empty the bucket after a WARP that could not; return a message on it, or ""."""
    try:
        bucket = open_bucket(job)
        try:
            count = bucket.empty()
        finally:
            bucket.close()
    except BenchError as error:
        return f"the bucket was not emptied: {error}"
    return (
        f"{counted(count, 'object')} that WARP left in {bucket}: deleted"
        if count
        else ""
    )
