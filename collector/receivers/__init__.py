"""Receivers: one file per protocol."""
