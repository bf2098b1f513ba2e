"""Linkwright: a compiler for mechanisms."""
