"""Judges: one file each, registered in `registry`."""
