"""1-D networks: reduced to the fewest coordinates and written in the engine's terms."""
