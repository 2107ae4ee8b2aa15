"""Finds the verdict in what a model wrote: the last JSON object, whatever prose or fence is around it."""

import re

_TOKEN = re.compile(r'[{}]|"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
"""A brace or a whole string; an unclosed string reaches to the end, so that no input makes the scan quadratic."""


def last_object(text: str) -> str | None:
    """The last top-level `{...}` of `text`, None where there is none or it never closes.

    A model may think aloud first, so the last object counts; an earlier one is never taken in its place.
    """
    found, position = None, 0
    while (start := text.find("{", position)) >= 0:
        end = _end_of_object(text, start)
        if end is None:
            return None
        found, position = text[start:end], end
    return found


def _end_of_object(text: str, start: int) -> int | None:
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
        if depth == 0:
            return token.end()
    return None
