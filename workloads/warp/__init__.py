"""MinIO WARP, and the little of S3 that it needs."""
