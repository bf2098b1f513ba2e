"""Shapes of visualizers."""
