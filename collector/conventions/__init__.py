"""How instrumentations mark retrieval, question, chunks and answer: one module per dialect (see README.md)."""
