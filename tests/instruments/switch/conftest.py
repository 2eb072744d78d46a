"""The machines with a fake sg_ses that the thermal tests have, too."""

from tests.instruments.thermal.conftest import bin_folder, host, shelves

__all__ = ["bin_folder", "host", "shelves"]
