"""The consistent state a run begins with: initial values, search, and why a start fails."""
