"""The scripts in packaging/ are no package: they find each other in their folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent.parent / "packaging"))
