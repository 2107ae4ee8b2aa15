"""Judges, metrics, cache, sampling and dispatch. Usable as a library without any server."""
