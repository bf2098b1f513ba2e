"""`python -m linkwright` is the command line."""

from .cli import main

raise SystemExit(main())
