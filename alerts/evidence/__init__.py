"""Evidence pages: what a judge saw and said of a trace, for whoever was woken by it."""
