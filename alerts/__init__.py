"""Prometheus exposition, rules, signals and notifiers."""
