"""The figures of published reports, as session files that lists and Compare take."""

import hashlib
import re
from pathlib import Path

import platformdirs

import app.record.store  # noqa: F401 - first: its parts take its lock
from app import version
from app.record.imports.published import (
    PublishedSetup,
    published_setups,
    write_published,
)
from app.record.store.library import SUFFIX
from app.record.store.schema import VERSION
from instruments.errors import BadInput, plain_words
from instruments.files.own_folder import OwnFolder


def published_folder() -> Path:
    """Name the folder of these sessions: one for what is shipped and its format."""
    known = f"{version()} {VERSION} {published_setups()}"
    mark = hashlib.sha256(known.encode()).hexdigest()[:12]
    cache = platformdirs.user_cache_path("bayscope", appauthor=False)
    return cache / "published" / mark


def published_sessions() -> list[Path]:
    """Make the sessions where they are not there yet; get their files.

    They are made aside and moved in when all are whole, so that a folder of them that
    is there is complete. It may be deleted at any time.

    Raises:
        BadInput: The user's cache cannot be written.
        StoreError: The disk is full.
    """
    folder = published_folder()
    if not folder.is_dir():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with OwnFolder(".making-", folder.parent) as aside:
                made = aside / folder.name
                made.mkdir()
                for setup in published_setups():
                    write_published(made / _name_of(setup), setup, version())
                if not folder.is_dir():  # Another program may have been quicker.
                    made.rename(folder)
        except OSError as error:
            raise BadInput(
                f"the published results cannot be kept, {plain_words(error)}",
                where=str(folder.parent),
                way_out="Make room in the user's cache, or let it be written.",
            ) from error
    return sorted(folder.glob(f"*{SUFFIX}"))


def _name_of(setup: PublishedSetup) -> str:
    slug = re.sub(
        r"[^a-z0-9]+", "-", f"{setup.report} {setup.configuration}".lower()
    ).strip("-")
    return f"published-{slug[:70]}{SUFFIX}"
