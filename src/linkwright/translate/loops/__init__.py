"""Loops: rings of joints, their closed forms, and the equations of joints that are cut."""
