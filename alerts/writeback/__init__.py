"""Verdicts back to the trace backend, beside the traces that they are about."""
