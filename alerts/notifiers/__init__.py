"""Notifiers: one file each, registered in `registry`."""
