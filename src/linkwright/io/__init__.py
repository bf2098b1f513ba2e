"""In and out: models read from the files of other tools, and written for them.

The readers and writers are users of the package: they build models of its public components.
May import: everything above it on the page.
"""

from .catalogue import robots
from .import_report import ImportReport
from .reading import read
from .writing import export

__all__ = [
    "ImportReport", "export", "read", "robots",
]
