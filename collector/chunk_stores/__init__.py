"""Stores that know the text of a retrieved document by its id."""
