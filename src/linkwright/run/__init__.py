"""One instant after another: steps, events, modes, impacts, locks, controllers."""
