"""What the lexical judge is made of: tokens, claims, coverage, conflicts, relevance. See README.md beside this file."""
