"""`groundwatch demo`: the monitor, a small RAG application, and what happens between them, live in the terminal."""
