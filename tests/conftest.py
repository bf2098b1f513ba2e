"""Puts this folder on the path, so that every room's tests can use the common fixtures in `mechanisms.py`."""
